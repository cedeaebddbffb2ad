//! Tests of eight threads on one generator.

use crate::support::{MICROS_PER_TICK, PARTITION, at, many};
use core::time::Duration;
use tickid_sno::tickid_core::{ErrorKind, ManualClock};
use tickid_sno::{Generator, SnoId};
use tickid_testkit::clock::{Scripted, Turn, forget};
use tickid_testkit::scaled;
use tickid_testkit::threads::on_threads;

fn assert_distinct(drawn: Vec<Vec<SnoId>>) {
    let mut ids = drawn.concat();
    // The stable sort makes the most of runs that are already in order.
    ids.sort();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    let fields = twice.map(|ids| (ids[0].timestamp(), ids[0].toggle(), ids[0].sequence()));
    assert_eq!(fields, None, "issued twice");
}

fn is_increasing(ids: impl IntoIterator<Item = SnoId>) -> bool {
    ids.into_iter().is_sorted_by(|one, next| one < next)
}

/// Back again and again, by less than it had gone forward, from all threads.
#[test]
fn unique_under_repeated_rollback() {
    let each = scaled(100_000);
    let clock = Scripted::new(at(10_000), |dice| match dice.below(32) {
        0 => Turn::Leap(-dice.within(1..4) * MICROS_PER_TICK),
        1..3 => Turn::Leap(dice.within(1..5) * MICROS_PER_TICK),
        _ => Turn::Stand,
    });
    let generator =
        Generator::builder(PARTITION).clock(&clock).max_wait(Duration::MAX).build().unwrap();
    let drawn = on_threads(|_| {
        let ids = (0..each).map(|_| {
            forget();
            generator.generate().unwrap()
        });
        ids.collect::<Vec<_>>()
    });
    for toggle in [false, true] {
        for ids in &drawn {
            assert!(is_increasing(ids.iter().copied().filter(|id| id.toggle() == toggle)));
        }
    }
    let drifts = generator.state().snapshot.drifts;
    assert!(drifts as usize > scaled(1_000), "only {drifts} flips");
    assert_distinct(drawn);
}

/// Every call adds to the sequence, even if none is left, but that must not reach the tick above
/// it.
#[test]
fn stalled_calls_leave_no_trace() {
    let clock = ManualClock::new(at(1_000));
    let generator = Generator::builder(PARTITION).clock(&clock).build().unwrap();
    let call_in_vain = |kind| {
        on_threads(|mut dice| {
            let n = many(if dice.below(2) == 0 { 1 } else { u32::MAX });
            for _ in 0..scaled(25_000) {
                assert_eq!(generator.try_block(n).unwrap_err().kind(), kind);
                assert_eq!(generator.try_generate().unwrap_err().kind(), kind);
            }
        });
    };
    while generator.try_block(many(4_000)).is_ok() {}
    call_in_vain(ErrorKind::Exhausted);

    // The clock goes back under the other bit, and then once more.
    clock.set(at(990));
    let before = generator.try_generate().unwrap();
    clock.set(at(980));
    call_in_vain(ErrorKind::Rollback);

    clock.set(at(991));
    let after = generator.try_generate().unwrap();
    assert_eq!((after.timestamp(), after.toggle(), after.sequence()), (991, true, 0));
    assert!(before.toggle() && before < after);
    assert_eq!(generator.state().snapshot.drifts, 1);
}
