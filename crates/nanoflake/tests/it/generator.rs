//! The documented requirements of a generator, on a clock that stands still until it is moved.

use core::num::NonZeroU32;
use core::time::Duration;

use tickid_nanoflake::tickid_core::{BuildError, ErrorKind, ManualClock, StallReason};
use tickid_nanoflake::{Builder, Epoch, GeneratorId, Nanoflake, NanoflakeId, UnixTime};

/// Returns the time half a millisecond into timestamp `timestamp` of the default epoch.
fn time(timestamp: u64) -> UnixTime {
    let micros = timestamp.cast_signed() * 1_000 + 500;
    UnixTime::from_micros(Epoch::TWITTER.unix_time().as_micros() + micros)
}

fn node() -> GeneratorId {
    GeneratorId::new(378).unwrap()
}

fn builder(clock: &ManualClock) -> Builder<&ManualClock> {
    Builder::new(node()).clock(clock)
}

fn id(timestamp: u64, sequence: u16) -> NanoflakeId {
    NanoflakeId::from_parts(timestamp, node(), sequence).unwrap()
}

#[test]
fn future_epochs_are_refused() {
    let epoch = Epoch::from_unix_millis(1_000).unwrap();
    let clock = ManualClock::new(UnixTime::from_micros(999_999));
    let with_epoch = || builder(&clock).settings(Nanoflake { epoch });
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
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
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
