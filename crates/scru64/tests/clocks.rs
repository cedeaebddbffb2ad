//! The promises over each clock that there is, whichever is the default here.

#![cfg(feature = "std")]

mod support;

use support::Subject;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use tickid_scru64::core::CounterClock;
use tickid_scru64::core::{ManualClock, SystemClock};
use tickid_testkit::Subject as _;
use tickid_testkit::every_clock::promises_hold_over;

/// With as many counters as there can be: the clocks here run no faster than they do.
fn subject() -> Subject {
    Subject::of("1/1")
}

#[test]
fn promises_hold_over_the_system_clock() {
    promises_hold_over(&subject(), SystemClock);
}

/// Where the counter is not steady, this reads the system's clock.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn promises_hold_over_the_counter_clock() {
    promises_hold_over(&subject(), CounterClock::new());
}

#[test]
fn promises_hold_over_the_manual_clock() {
    let subject = subject();
    promises_hold_over(&subject, ManualClock::new(subject.start()));
}
