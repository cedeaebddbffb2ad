//! The behaviour of generators when the clock is set back, a tick is used up or time runs out.

use core::time::Duration;
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::support::{MICROS_PER_TICK, PARTITION, at, many, ratchet, tick, within};
use tickid_sno::tickid_core::{ClockError, ErrorKind, ManualClock, Overflow, RandomStart};
use tickid_sno::{
    Builder, Generator, LocalGenerator, Meta, Policy, SequenceBounds, Sno, SnoId, Window,
};

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

#[test]
fn ids_have_all_their_fields() {
    let clock = ManualClock::new(within(123_456_789, 3_999));
    let (shared, mut local) =
        (builder(&clock).build().unwrap(), builder(&clock).build_local().unwrap());
    for sequence in 0..300_u16 {
        let meta = Meta(sequence.to_be_bytes()[1]);
        let expected = SnoId::from_parts(123_456_789, false, PARTITION, sequence);
        let expected = expected.map(|id| id.with_meta(meta.0));
        assert_eq!(shared.with(meta).try_generate().ok(), expected.ok());
        assert_eq!(local.with(meta).try_generate().ok(), expected.ok());
    }
}

/// A shared generator takes its sequence before it finds that the call will be refused, and gives
/// it back. The exclusive generator refuses first, as the original does.
#[test]
fn refusals_use_no_sequence() {
    // The bit is set at tick 50. Before that, both values of the bit are taken, so calls stall.
    let path = [100, 50];
    let clock = ManualClock::new(at(0));
    let shared = builder(&clock).build().unwrap();
    let mut local = builder(&clock).build_local().unwrap();
    for tick in path {
        clock.set(at(tick));
        assert_eq!(shared.try_generate().unwrap(), local.try_generate().unwrap());
    }

    clock.set(at(40));
    assert_eq!(shared.try_generate().unwrap_err().kind(), ErrorKind::Rollback);
    assert_eq!(local.try_generate().unwrap_err().kind(), ErrorKind::Rollback);

    clock.set(at(50));
    assert_eq!(fields(shared.try_generate().unwrap()), (50, true, 1));
    assert_eq!(fields(local.try_generate().unwrap()), (50, true, 1));
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

#[test]
fn blocks_carry_the_metabyte() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).build().unwrap();
    let mut ids: Vec<_> = generator.with(Meta(9)).try_block(many(5)).unwrap().collect();
    ids.resize(12, SnoId::ZERO);
    assert_eq!(generator.with(Meta(9)).try_fill(&mut ids[5..]).unwrap().len(), 7);
    assert!(ids.iter().all(|id| id.meta() == 9));
    assert!(ids.iter().map(|id| id.sequence()).eq(0..12));
}

/// Going from 100 back to 90 flips the bit. Going from 95 back to 80 is a second regression, into
/// ticks used with the other bit, so the generator waits until 95 and continues there.
#[test]
fn waits_for_nearer_own_tick() {
    let clock = ManualClock::new(at(100));
    let mut generator = builder(&clock).build_local().unwrap();
    let mut at_tick = |units, micros| {
        clock.set(within(units, micros));
        fields(generator.generate().unwrap())
    };
    assert_eq!(at_tick(100, 0), (100, false, 0));
    assert_eq!(at_tick(90, 0), (90, true, 0));
    assert_eq!(at_tick(95, 0), (95, true, 0));
    assert_eq!(clock.slept(), Duration::ZERO);

    assert_eq!(at_tick(80, 1_500), (95, true, 1));
    assert_eq!(clock.slept(), ticks(15) - Duration::from_micros(1_500));
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

/// In this case the original takes its units of 4 ms for nanoseconds, and so spins.
#[test]
fn second_regression_sleeps() {
    let second = 250;
    let clock = ManualClock::new(at(100 * second));
    let mut generator = builder(&clock).max_wait(Duration::MAX).build_local().unwrap();
    for seconds in [100, 99] {
        clock.set(at(seconds * second));
        generator.generate().unwrap();
    }
    clock.set(at(10 * second));
    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Rollback);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(89)));
    assert_eq!(fields(generator.generate().unwrap()), (99 * 250, true, 1));
    assert_eq!(clock.slept(), Duration::from_secs(89));
}

#[test]
fn too_long_wait_fails_at_once() {
    let clock = ManualClock::new(at(100));
    let limited = builder(&clock).max_wait(ticks(14));
    let mut generator = limited.build_local().unwrap();
    for units in [100, 90, 95] {
        clock.set(at(units));
        generator.generate().unwrap();
    }
    clock.set(at(80));
    assert_eq!(generator.generate().unwrap_err().kind(), ErrorKind::Rollback);
    assert_eq!(clock.slept(), Duration::ZERO);
    clock.set(at(81));
    assert_eq!(fields(generator.generate().unwrap()), (95, true, 1));
}

#[test]
fn overflow_waits_for_next_tick() {
    let clock = ManualClock::new(within(100, 1_000));
    let generator = builder(&clock).build().unwrap();
    let mut ids = vec![SnoId::ZERO; 65_536];
    generator.fill(&mut ids).unwrap();
    assert!(ids.iter().map(|&id| fields(id)).eq((0..=u16::MAX).map(|n| (100, false, n))));

    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exhausted);
    assert_eq!(error.retry_after(), Some(Duration::from_millis(3)));
    assert_eq!(fields(generator.generate().unwrap()), (101, false, 0));
    assert_eq!(clock.slept(), Duration::from_millis(3));
}

/// The report holds the time, the number of waiting calls, and the number of ticks during which
/// calls have been waiting without a break.
#[test]
fn observers_get_all_figures() {
    let clock = ManualClock::new(within(100, 1_000));
    let (told, overflows) = mpsc::channel::<Overflow>();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let generator = builder(&clock)
        .bounds(SequenceBounds::new(10, 13))
        .on_overflow(move |overflow| {
            told.send(overflow).unwrap();
            // The first call to come is held back.
            if overflow.waiting == 1 {
                released.lock().unwrap().recv().unwrap();
            }
        })
        .build()
        .unwrap();
    let use_up = || {
        let mut ids = [SnoId::ZERO; 5];
        generator.try_fill(&mut ids).unwrap().len()
    };
    let next_overflow = || {
        let overflow = overflows.recv().unwrap();
        (overflow.time, overflow.waiting, overflow.ticks)
    };

    assert_eq!(use_up(), 4);
    assert!(overflows.try_recv().is_err(), "no call has waited yet");
    thread::scope(|scope| {
        let first = scope.spawn(|| generator.generate().unwrap());
        assert_eq!(next_overflow(), (within(100, 1_000), 1, 0));

        // Two ticks later the pool is used up again, while the first still waits.
        clock.set(within(102, 2_000));
        assert_eq!(use_up(), 4);
        let second = scope.spawn(|| generator.generate().unwrap());
        assert_eq!(next_overflow(), (within(102, 2_000), 2, 2));

        assert_eq!(fields(second.join().unwrap()), (103, false, 10));
        release.send(()).unwrap();
        assert_eq!(fields(first.join().unwrap()), (103, false, 11));
    });

    // No call is waiting now, so the count starts over.
    clock.set(within(110, 0));
    assert_eq!(use_up(), 4);
    release.send(()).unwrap();
    assert_eq!(fields(generator.generate().unwrap()), (111, false, 10));
    assert_eq!(next_overflow(), (within(110, 0), 1, 0));
    assert!(overflows.try_recv().is_err(), "no other overflow was reported");
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
    assert_eq!(error.kind(), ErrorKind::Rollback);
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
fn any_policy_will_do() {
    // It draws three IDs, at 100, 90 and 101.
    let run = |policy| {
        let clock = ManualClock::new(at(100));
        let mut generator = builder(&clock).policy(policy).build_local().unwrap();
        [100, 90, 101].map(|units| {
            clock.set(at(units));
            generator.try_generate().map(fields).map_err(|error| error.kind())
        })
    };
    let (at_once, later) = (Ok((100, false, 0)), Ok((101, false, 0)));
    let stalled = Err(ErrorKind::Rollback);
    assert_eq!(run(Policy::TickTock), [at_once, Ok((90, true, 0)), Ok((101, true, 0))]);
    assert_eq!(run(Policy::Wait), [at_once, stalled, later]);
    assert_eq!(run(ratchet(10)), [at_once, Ok((100, false, 1)), later]);
    assert_eq!(run(ratchet(9)), [at_once, stalled, later]);
}

#[test]
fn disjoint_bounds_share_a_tick() {
    let clock = ManualClock::new(at(100));
    let confined = |one, other| builder(&clock).bounds(SequenceBounds::new(one, other));
    let (low, high) =
        (confined(0, 32_767).build().unwrap(), confined(65_535, 32_768).build().unwrap());
    let mut ids = vec![SnoId::ZERO; 65_536];
    let (left, right) = ids.split_at_mut(32_768);
    assert_eq!(low.try_fill(left).unwrap().len(), 32_768);
    assert_eq!(high.try_fill(right).unwrap().len(), 32_768);
    assert!(low.try_generate().is_err() && high.try_generate().is_err());
    assert!(ids.iter().map(|id| id.sequence()).eq(0..=u16::MAX));
}

#[test]
fn a_window_holds_under_both_bits() {
    let clock = ManualClock::new(at(99));
    let window = Window::new(tick(90), 100).unwrap();
    let mut generator: LocalGenerator<_> = builder(&clock).window(window).build_local().unwrap();
    let mut at_tick = |units| {
        clock.set(at(units));
        generator.try_generate().map(fields).map_err(|error| error.kind())
    };
    assert_eq!(at_tick(99), Ok((99, false, 0)));
    assert_eq!(at_tick(89), Err(ErrorKind::Window));
    assert_eq!(at_tick(90), Ok((90, true, 0)));
    assert_eq!(at_tick(100), Err(ErrorKind::Window));
    assert_eq!(at_tick(99), Ok((99, true, 0)));
}

#[test]
fn random_starts_stay_in_bounds() {
    let clock = ManualClock::new(at(100));
    let bounds = SequenceBounds::new(1_000, 1_999);
    let random = builder(&clock).bounds(bounds).sequence(RandomStart::new(42));
    let mut generator = random.build_local().unwrap();
    let starts = (100..164).map(|units| {
        clock.set(at(units));
        generator.try_generate().unwrap().sequence()
    });
    let mut starts: Vec<u16> = starts.collect();
    assert!(starts.iter().all(|start| (1_000..2_000).contains(start)));
    starts.sort_unstable();
    starts.dedup();
    // If 64 of 1,000 are drawn, about two fall on another.
    assert!(starts.len() > 50, "{starts:?}");
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
