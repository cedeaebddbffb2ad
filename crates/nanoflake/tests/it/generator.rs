//! The documented requirements of a generator, on a clock that stands still until it is moved.

use core::num::NonZeroU32;
use core::time::Duration;
use std::time::SystemTime;

use tickid_nanoflake::tickid_core::{
    BuildError, ClockError, ErrorKind, ManualClock, Scheme, Ticks,
};
use tickid_nanoflake::{
    Builder, Epoch, Generator, GeneratorId, LocalGenerator, Nanoflake, NanoflakeId, Policy,
    UnixTime,
};

/// Returns the time half a millisecond into timestamp `timestamp` of the default epoch.
fn time(timestamp: u64) -> UnixTime {
    let micros = timestamp.cast_signed() * 1_000 + 500;
    UnixTime::from_micros(Epoch::TWITTER.unix_time().as_micros() + micros)
}

fn node(id: u16) -> GeneratorId {
    GeneratorId::new(id).unwrap()
}

fn builder(clock: &ManualClock) -> Builder<&ManualClock> {
    Builder::new(node(378)).clock(clock)
}

fn id(timestamp: u64, sequence: u16) -> NanoflakeId {
    NanoflakeId::from_parts(timestamp, node(378), sequence).unwrap()
}

#[test]
fn a_millisecond_has_4096_ids() {
    let clock = ManualClock::new(time(7));
    let mut local = builder(&clock).build_local().unwrap();
    let shared = builder(&clock).build().unwrap();
    for sequence in 0..=NanoflakeId::MAX_SEQUENCE {
        assert_eq!(local.try_generate(), Ok(id(7, sequence)));
        assert_eq!(shared.try_generate(), Ok(id(7, sequence)));
    }
    for error in [local.try_generate().unwrap_err(), shared.try_generate().unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Exhausted);
        assert_eq!(error.retry_after(), Some(Duration::from_micros(500)));
    }
    clock.advance(Duration::from_micros(499));
    assert!(local.try_generate().is_err() && shared.try_generate().is_err());
    clock.advance(Duration::from_micros(1));
    assert_eq!(local.try_generate(), Ok(id(8, 0)));
    assert_eq!(shared.try_generate(), Ok(id(8, 0)));
}

#[test]
fn future_epochs_are_refused() {
    let epoch = Epoch::from_unix_millis(1_000).unwrap();
    let clock = ManualClock::new(UnixTime::from_micros(999_999));
    let with_epoch = || builder(&clock).layout(Nanoflake { epoch });
    let refused =
        BuildError::Epoch { epoch: epoch.unix_time(), now: UnixTime::from_micros(999_999) };
    assert_eq!(with_epoch().build().unwrap_err(), refused);
    assert_eq!(with_epoch().build_local().unwrap_err(), refused);
    assert_eq!(
        refused.to_string(),
        "the epoch 1970-01-01T00:00:01Z is after the present 1970-01-01T00:00:00.999999Z"
    );
    clock.advance(Duration::from_micros(1));
    let generator = with_epoch().build().unwrap();
    assert_eq!(generator.try_generate(), Ok(id(0, 0)));
}

#[test]
fn timestamps_count_from_epoch() {
    let now = UnixTime::from_millis(1_700_000_000_123).unwrap();
    let clock = ManualClock::new(now);
    let before_1970 = Epoch::from_unix_millis(-86_400_000).unwrap();
    for epoch in [Epoch::TWITTER, Epoch::DISCORD, Epoch::UNIX, before_1970] {
        let layout = Nanoflake { epoch };
        let generator = builder(&clock).layout(layout).build().unwrap();
        let id = generator.try_generate().unwrap();
        let since = 1_700_000_000_123 - epoch.as_unix_millis();
        assert_eq!(id.timestamp().cast_signed(), since);
        assert_eq!(generator.layout().unix_time(id), now);
    }
}

#[test]
fn nothing_after_last_timestamp() {
    let last = NanoflakeId::MAX_TIMESTAMP;
    for policy in [Policy::Wait, Policy::Ratchet { allowance: Ticks::new(10) }] {
        let clock = ManualClock::new(time(last));
        let builder = || Builder::new(GeneratorId::MAX).clock(&clock).policy(policy);
        let shared = builder().build().unwrap();
        let mut local = builder().build_local().unwrap();
        let mut ids = vec![NanoflakeId::MIN; 4096];
        shared.fill(&mut ids).unwrap();
        assert_eq!(ids[4095], NanoflakeId::MAX);
        local.fill(&mut ids).unwrap();
        assert_eq!(ids[4095], NanoflakeId::MAX);

        // It does not wait for a millisecond that never comes.
        for error in [shared.generate(), local.generate()] {
            assert_eq!(error.unwrap_err().kind(), ErrorKind::EndOfTime, "{policy}");
        }
        assert_eq!(clock.slept(), Duration::ZERO);

        clock.advance(Duration::from_micros(500));
        let past_the_end = ErrorKind::Clock(ClockError::OutOfRange {
            time: UnixTime::from_micros(time(last).as_micros() + 500),
            first: Epoch::TWITTER.unix_time(),
            last: Nanoflake::default().unix_time(NanoflakeId::MAX),
        });
        for error in [shared.generate(), local.generate()] {
            assert_eq!(error.unwrap_err().kind(), past_the_end, "{policy}");
        }
    }
}

#[test]
fn blocks_are_consecutive() {
    let clock = ManualClock::new(time(3));
    let mut local = builder(&clock).build_local().unwrap();
    local.try_generate().unwrap();
    let block = local.try_block(NonZeroU32::MAX).unwrap();
    assert!(block.eq((1..4096).map(|sequence| id(3, sequence))));
    // A shared generator returns fewer at a time, but all of them in the end.
    let shared = builder(&clock).build().unwrap();
    let mut next = 0;
    for len in [2_043, 2_043, 10] {
        let block = shared.try_block(NonZeroU32::MAX).unwrap();
        assert_eq!(block.len(), len);
        for issued in block {
            assert_eq!(issued, id(3, next));
            next += 1;
        }
    }
    let error = shared.try_block(NonZeroU32::MIN).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
}

#[test]
fn ids_have_the_systems_time() {
    let now = || UnixTime::try_from(SystemTime::now()).unwrap().as_millis();
    let epoch = Epoch::DISCORD;
    let shared = Generator::builder(node(1)).layout(Nanoflake { epoch }).build().unwrap();
    let mut local =
        LocalGenerator::builder(node(2)).layout(Nanoflake { epoch }).build_local().unwrap();
    let before = now();
    let ids = [shared.generate().unwrap(), local.generate().unwrap()];
    let after = now();
    for (id, generator) in ids.into_iter().zip([1, 2]) {
        let unix_ms = Nanoflake { epoch }.unix_time(id).as_millis();
        // This fails only if the system's clock is stepped during these few lines.
        assert!(before <= unix_ms && unix_ms <= after);
        assert_eq!(id.generator(), node(generator));
    }
}

#[test]
fn default_policy_waits() {
    assert_eq!(Nanoflake::default().default_policy(), Policy::Wait);
}

#[test]
fn threads_share_the_process_generator() {
    let draw = || (0..2_000).map(|_| tickid_nanoflake::new().unwrap()).collect::<Vec<_>>();
    let mut ids = std::thread::scope(|scope| {
        let threads = [(); 4].map(|()| scope.spawn(draw));
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    let node = tickid_nanoflake::generator().unwrap().node();
    assert!(ids.iter().all(|id| id.generator() == node));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 8_000);
}

#[test]
fn random_generator_ids_differ() {
    let nodes = [(); 16].map(|()| GeneratorId::random().unwrap());
    // The chance of sixteen equal ones is 2^-150.
    assert_ne!(nodes, [nodes[0]; 16]);
}
