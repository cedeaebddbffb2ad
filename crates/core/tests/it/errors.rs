//! Errors name the value found and the values allowed.

use proptest::prelude::*;
use tickid_core::example::{Seconds, Toggling};
use tickid_core::{
    Builder, Clock, ClockError, ErrorKind, ManualClock, Policy, RangeError, Scheme, SequenceStart,
    UnixTime,
};

use tickid_testkit::example::{ExampleScheme, NODE, Narrow, at, many};

/// Returns the errors of both generators at `micros`, or `None` if they issue.
fn refusals<S: ExampleScheme>(micros: i64) -> [Option<ErrorKind>; 2] {
    let clock = ManualClock::new(UnixTime::from_micros(micros));
    let builder = || Builder::<S>::seeded(NODE, 0).clock(&clock);
    let shared = builder().build().unwrap();
    let mut local = builder().build_local().unwrap();
    [shared.try_generate(), local.try_generate()].map(|id| id.err().map(|error| error.kind()))
}

/// Returns all kinds of times, many of them near both ends of the example schemes.
fn times() -> impl Strategy<Value = i64> {
    let end = at(Seconds::MAX_TICK).as_micros();
    prop_oneof![any::<i64>(), -3_000_000..3_000_000_i64, end - 3_000_000..end + 3_000_000,]
}

/// Errors of most calls hold one, and results are as large as their errors.
#[test]
fn range_errors_are_small() {
    let expected = 3 * size_of::<i128>() + size_of::<&str>();
    assert_eq!(size_of::<RangeError>(), expected);
}

fn check<S: ExampleScheme>(micros: i64) {
    let tick = micros.div_euclid(1_000_000);
    let is_inside =
        (S::FIRST_TICK..=S::LAST_TICK).contains(&u64::try_from(tick).unwrap_or(u64::MAX));
    let error = ErrorKind::Clock(ClockError::OutOfRange {
        time: UnixTime::from_micros(micros),
        first: at(S::FIRST_TICK),
        last: at(S::LAST_TICK),
    });
    assert_eq!(refusals::<S>(micros), [(!is_inside).then_some(error); 2]);
}

proptest! {
    #![proptest_config(tickid_testkit::config(4))]

    #[test]
    fn time_out_of_range(micros in times()) {
        check::<Seconds>(micros);
    }

    #[test]
    fn reserved_ticks_are_out_of_range(micros in times()) {
        check::<Narrow>(micros);
    }
}

#[test]
fn the_ends_of_the_range_are_inside() {
    let end = at(Seconds::MAX_TICK).as_micros() + 999_999;
    for (micros, is_inside) in [(-1, false), (0, true), (end, true), (end + 1, false)] {
        assert_eq!(refusals::<Seconds>(micros) == [None; 2], is_inside, "{micros}");
    }
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
fn start_out_of_bounds() {
    let clock = ManualClock::new(at(1_000));
    let generator = Builder::<Seconds>::seeded(NODE, 0)
        .clock(&clock)
        .sequence(SequenceStart::fixed(256))
        .build()
        .unwrap();
    assert_eq!(
        generator.try_generate().unwrap_err().kind(),
        ErrorKind::SequenceStart { start: 256, lowest: 0, last: 255 }
    );
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
