//! The behaviour of generators when the clock is set back, a tick is used up or time runs out.

use core::time::Duration;
use std::thread;

use crate::support::{MICROS_PER_TICK, PARTITION, at, many, ratchet, within};
use tickid_sno::tickid_core::{ClockError, ErrorKind, ManualClock, StallReason};
use tickid_sno::{Builder, Generator, Meta, Policy, SequenceBounds, Sno, SnoId};

const POLICIES: [Policy<Sno>; 3] = [Policy::TickTock, Policy::Wait, ratchet(250)];
const LAST: i64 = (1 << 39) - 1;

fn builder(clock: &ManualClock) -> Builder<&ManualClock> {
    Generator::builder(PARTITION).clock(clock)
}

/// Returns timestamp, tick-tock bit and sequence.
fn fields(id: SnoId) -> (u64, bool, u16) {
    (id.timestamp(), id.toggle(), id.sequence())
}

fn ticks(count: i64) -> Duration {
    Duration::from_micros((count * MICROS_PER_TICK).unsigned_abs())
}

/// This is the documented exception to the order, because the metabyte comes before the sequence.
#[test]
fn metabytes_keep_ids_distinct() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).build().unwrap();
    let [first, second, third] =
        [200, 100, 200].map(|meta| generator.with(Meta(meta)).try_generate().unwrap());
    assert!(second < first, "issued later, sorts before");
    assert!(first < third, "in order under one metabyte");
    assert_eq!([first, second, third].map(SnoId::sequence), [0, 1, 2]);

    clock.set(at(101));
    let next = generator.with(Meta(0)).try_generate().unwrap();
    assert!(next > third, "in order from tick to tick");
}

/// Going back from 110, the end of the other bit's past is nearer, so the generator flips back
/// right after it.
#[test]
fn waits_for_nearer_other_past() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).build().unwrap();
    let at_tick = |units, micros| {
        clock.set(within(units, micros));
        fields(generator.generate().unwrap())
    };
    assert_eq!(at_tick(100, 0), (100, false, 0));
    assert_eq!(at_tick(90, 0), (90, true, 0));
    assert_eq!(at_tick(110, 0), (110, true, 0));
    assert_eq!(clock.slept(), Duration::ZERO);

    assert_eq!(at_tick(95, 3_999), (101, false, 0));
    assert_eq!(clock.slept(), ticks(6) - Duration::from_micros(3_999));
    assert_eq!(generator.state().snapshot.drifts, 2);
}

#[test]
fn overflow_waits_for_next_tick() {
    let clock = ManualClock::new(within(100, 1_000));
    let generator = builder(&clock).build().unwrap();
    let mut ids = vec![SnoId::ZERO; 65_536];
    generator.fill(&mut ids).unwrap();
    assert!(ids.iter().map(|&id| fields(id)).eq((0..=u16::MAX).map(|n| (100, false, n))));

    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
    assert_eq!(error.retry_after(), Some(Duration::from_millis(3)));
    assert_eq!(fields(generator.generate().unwrap()), (101, false, 0));
    assert_eq!(clock.slept(), Duration::from_millis(3));
}

#[test]
fn nothing_after_the_last_tick() {
    for policy in POLICIES {
        let clock = ManualClock::new(within(LAST, 3_999));
        let confined = || {
            let bounds = SequenceBounds::new(65_532, 65_535);
            builder(&clock).bounds(bounds).policy(policy)
        };
        let shared = confined().build().unwrap();
        let mut local = confined().build_local().unwrap();
        for sequence in 65_532..=65_535 {
            let expected = (SnoId::MAX_TIMESTAMP, false, sequence);
            assert_eq!(fields(shared.generate().unwrap()), expected, "{policy}");
            assert_eq!(fields(local.generate().unwrap()), expected, "{policy}");
        }
        // Neither waits for a tick that never comes.
        for error in [shared.generate().unwrap_err(), local.generate().unwrap_err()] {
            assert_eq!(
                (error.kind(), error.retry_after()),
                (ErrorKind::EndOfTime, None),
                "{policy}"
            );
        }
        assert_eq!(clock.slept(), Duration::ZERO);
    }
}

#[test]
fn last_tick_comes_in_both_toggles() {
    let clock = ManualClock::new(at(LAST));
    let mut generator = builder(&clock).build_local().unwrap();
    let mut at_tick = |units| {
        clock.set(at(units));
        generator.try_generate()
    };
    let last = at_tick(LAST).unwrap();
    assert_eq!(fields(last), (SnoId::MAX_TIMESTAMP, false, 0));
    at_tick(LAST - 1).unwrap();
    let again = at_tick(LAST).unwrap();
    assert_eq!(fields(again), (SnoId::MAX_TIMESTAMP, true, 0));
    // Here the other bit's past ends with time itself, so the wait is for the tick the word is in.
    let error = at_tick(LAST - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    assert_eq!(error.retry_after(), Some(ticks(1)));
}

#[test]
fn clock_errors_name_the_range() {
    for policy in POLICIES {
        for micros in [at(0).as_micros() - 1, at(LAST + 1).as_micros(), i64::MIN, i64::MAX] {
            let time = tickid_sno::UnixTime::from_micros(micros);
            let clock = ManualClock::new(time);
            let outside = ClockError::OutOfRange { time, first: at(0), last: at(LAST) };
            let shared = builder(&clock).policy(policy).build().unwrap();
            let mut local = builder(&clock).policy(policy).build_local().unwrap();
            for error in [shared.generate().unwrap_err(), local.generate().unwrap_err()] {
                assert_eq!(error.kind(), ErrorKind::Clock(outside), "{policy}");
            }
        }
    }
}

#[test]
fn threads_share_the_generator() {
    let ids = thread::scope(|scope| {
        let threads: [_; 4] = core::array::from_fn(|meta| {
            let meta = u8::try_from(meta).unwrap();
            scope.spawn(move || (0..1_000).map(move |_| tickid_sno::new(meta)).collect())
        });
        threads.map(|thread| -> Vec<_> { thread.join().unwrap() })
    });
    let partition = tickid_sno::generator().unwrap().node();
    let mut slots = Vec::new();
    for (meta, ids) in ids.into_iter().enumerate() {
        for id in ids {
            let id = id.unwrap();
            assert_eq!((usize::from(id.meta()), id.partition()), (meta, partition));
            slots.push(fields(id));
        }
    }
    // It is one generator, so even without the metabyte none occurs twice.
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots.len(), 4_000);
}

#[test]
fn shared_calls_draw_at_most_4031() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder(&clock).build().unwrap();
    assert_eq!(generator.try_block(many(u32::MAX)).unwrap().len(), 4_031);
}
