//! Errors name the value found and the values allowed.

use tickid_core::example::{Seconds, Toggling};
use tickid_core::{Builder, Clock, ClockError, ManualClock, Policy, RangeError, UnixTime};
use tickid_testkit::example::{NODE, many};

/// Errors of most calls hold one, and results are as large as their errors.
#[test]
fn range_errors_are_small() {
    let expected = 3 * size_of::<i128>() + size_of::<&str>();
    assert_eq!(size_of::<RangeError>(), expected);
}

#[test]
fn unreadable_clock_gives_reason() {
    struct Broken;
    impl Clock for Broken {
        fn now(&self) -> Result<UnixTime, ClockError> {
            Err(ClockError::Unreadable { reason: "no power" })
        }
    }
    let generator = Builder::<Seconds>::seeded(NODE, 0).clock(Broken).build().unwrap();
    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.to_string(), "seconds: the clock cannot be read: no power");
    assert_eq!(error.retry_after(), None);
}

#[test]
fn stalls_have_both_times() {
    let clock = ManualClock::new(UnixTime::from_micros(1_000_250_000));
    let generator =
        Builder::<Toggling>::seeded(NODE, 0).clock(&clock).policy(Policy::Wait).build().unwrap();
    assert_eq!(generator.try_block(many(256)).unwrap().len(), 256);
    assert_eq!(
        generator.try_generate().unwrap_err().to_string(),
        "toggling: all sequences of this tick are used up \
         (it is 1970-01-01T00:16:40.250Z, continues at 1970-01-01T00:16:41Z)"
    );
}
