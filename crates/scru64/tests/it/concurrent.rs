//! Eight threads on one generator: every ID is issued once, whatever the clock does.

use core::num::NonZeroU32;
use core::time::Duration;

use crate::support::Subject;
use tickid_scru64::tickid_core::{ErrorKind, ManualClock};
use tickid_scru64::{Builder, NodeSpec, Scru64Id, UnixTime};
use tickid_testkit::scaled;
use tickid_testkit::storm::draw_unique;
use tickid_testkit::threads::on_threads;

const START: i64 = 1_700_000_000_000_000;

/// Returns the node of a spec.
fn node(spec: &str) -> NodeSpec {
    spec.parse().unwrap()
}

fn assert_increasing(ids: &[Scru64Id]) {
    for pair in ids.windows(2) {
        assert!(pair[0] < pair[1], "{} after {}", pair[1], pair[0]);
    }
}

fn assert_distinct(threads: Vec<Vec<Scru64Id>>) {
    let mut all = threads.concat();
    all.sort_unstable();
    assert_increasing(&all);
}

#[test]
fn ids_of_eight_threads_are_unique() {
    // Five bits of node ID leave half a million counters, and the clock stands still, so ticks are
    // borrowed one after the other from the 40 that may be.
    let clock = ManualClock::new(UnixTime::from_micros(START));
    let node = node("21/5");
    let generator = Builder::seeded(node, 0x5eed).clock(&clock).build().unwrap();
    let threads = draw_unique(&Subject(node), &generator);
    let ticks = || threads.iter().flatten().map(|id| id.timestamp());
    assert_eq!(ticks().count(), scaled(800_000));
    assert!(ticks().min() < ticks().max(), "nothing was borrowed");
    assert_eq!(clock.slept(), Duration::ZERO);
}

/// The same test with too few IDs: 16 bits of node ID leave 256 counters, so every thread has to
/// wait.
#[test]
fn waiting_threads_are_unique() {
    const EACH: usize = 50_000;

    let clock = ManualClock::new(UnixTime::from_micros(START));
    let node = node("0xbeef/16");
    // Each sleeping thread moves the clock, and so uses up the time of the others.
    let builder = Builder::seeded(node, 0x5eed).clock(&clock).max_wait(Duration::MAX);
    let generator = builder.build().unwrap();
    let threads = on_threads(|_| {
        let mut ids = vec![Scru64Id::MIN; EACH];
        let (one_by_one, at_once) = ids.split_at_mut(EACH / 2);
        one_by_one.fill_with(|| generator.generate().unwrap());
        generator.fill(at_once).unwrap();
        assert_increasing(&ids);
        ids
    });
    assert_distinct(threads);
    // No tick has more than 256 IDs, and no more than 41 are reached without waiting.
    let ticks = u32::try_from(8 * EACH / 256 - 41).unwrap();
    assert!(clock.slept() >= Duration::from_millis(256) * (ticks - 1));
}

/// Eight threads whose calls all fail change nothing: neither the tick nor later IDs, although each
/// of their calls adds to the generator's word before it reads the clock.
#[test]
fn hour_of_rollback_issues_nothing() {
    let start = UnixTime::from_micros(START);
    let clock = ManualClock::new(start);
    // With two counters, all calls but the first run past the last.
    let node = node("0x7fffff/23");
    let generator = Builder::seeded(node, 0x5eed).clock(&clock).build().unwrap();
    let last = generator.try_generate().unwrap();
    let hour = Duration::from_secs(3_600);
    clock.set(start.checked_sub(hour).unwrap());
    let wait = hour - Duration::from_millis(39 * 256);
    on_threads(|mut dice| {
        for _ in 0..scaled(20_000) {
            let want = NonZeroU32::new(dice.count(10_000)).unwrap();
            let error = generator.try_block(want).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Rollback);
            let after = error.retry_after().unwrap();
            assert!(after <= wait && after > wait - Duration::from_millis(256), "{after:?}");
        }
    });
    assert_eq!(generator.state().snapshot.tick, Some(last.tick()));
    clock.set(start);
    clock.advance(Duration::from_millis(256));
    let next = generator.try_generate().unwrap();
    assert_eq!(next.timestamp(), last.timestamp() + 1);
}
