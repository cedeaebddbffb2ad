//! Eight threads on one generator: every ID is issued once, whatever the clock does.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use core::num::NonZeroU32;
use core::time::Duration;

use support::{LAYOUT, NODE, Subject};
use tickid_nanoflake::tickid_core::{ErrorKind, ManualClock, Scheme as _, Ticks};
use tickid_nanoflake::{Builder, Generator, Nanoflake, Policy, UnixTime};
use tickid_testkit::scaled;
use tickid_testkit::storm::{Storm, draw_unique};
use tickid_testkit::threads::on_threads;

const START: i64 = 1_700_000_000_000_000;

#[test]
fn ids_of_eight_threads_are_unique() {
    let start = UnixTime::from_millis(1_700_000_000_000).unwrap();
    let clock = ManualClock::new(start);
    let builder = Builder::new(NODE).layout(LAYOUT).clock(&clock);
    let generator = builder.build().unwrap();
    let threads = draw_unique(&Subject, &generator);
    let count: usize = threads.iter().map(Vec::len).sum();
    assert_eq!(count, scaled(800_000));
    // It waited rather than exceed the 4,096 of a millisecond.
    let least = count as u64 / 4_096;
    assert!(clock.slept() >= Duration::from_millis(least - 1));
}

/// Checks the first five promises of tickid's design: unique, ordered, bounded, in range, in the
/// window.
fn weather_the_storm(policy: Policy<Nanoflake>) {
    let bounds = LAYOUT.sequence_bounds(&NODE);
    let storm = Storm { subject: &Subject, policy, bounds, calls: 1_200, ids: 1_000 };
    let after = storm.weather();
    assert!(after.window.ceiling() > after.start + 60, "it has been widened");
}

#[test]
fn promises_hold_by_default() {
    assert_eq!(LAYOUT.default_policy(), Policy::Wait);
    weather_the_storm(LAYOUT.default_policy());
}

#[test]
fn promises_hold_under_ratchet() {
    for allowance in [0, 7] {
        weather_the_storm(Policy::Ratchet { allowance: Ticks::new(allowance) });
    }
}

/// Eight threads whose calls all fail change neither the tick nor later IDs, although each of their
/// calls adds to the generator's word before it reads the clock.
#[test]
fn hour_of_rollback_issues_nothing() {
    let start = UnixTime::from_micros(START);
    let clock = ManualClock::new(start);
    let generator = Builder::new(NODE).layout(LAYOUT).clock(&clock).build().unwrap();
    let last = generator.try_generate().unwrap();
    let hour = Duration::from_secs(3_600);
    clock.set(start.checked_sub(hour).unwrap());
    on_threads(|mut dice| {
        for _ in 0..scaled(20_000) {
            let want = NonZeroU32::new(dice.count(10_000)).unwrap();
            let error = generator.try_block(want).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Rollback);
            // The draws of failed calls are dropped, and may have been the rest of the last tick.
            let until = [hour, hour + Duration::from_millis(1)];
            assert!(until.map(Some).contains(&error.retry_after()), "{error}");
        }
    });
    assert_eq!(generator.state().snapshot.tick, Some(last.tick()));
    clock.set(UnixTime::from_micros(START + 1_000));
    let next = generator.try_generate().unwrap();
    assert_eq!(next.timestamp(), last.timestamp() + 1);
    assert_eq!(next.sequence(), 0);
}

/// Processors fetch cache lines in pairs. The type's alignment keeps the slots of an array in
/// different pairs.
#[test]
fn generators_share_no_cache_line() {
    assert_eq!(align_of::<Generator>() % 128, 0);
}
