//! The promises over each clock that there is, whichever is the default here.

#![cfg(feature = "std")]

mod support;

use support::Subject;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
use tickid_nanoflake::core::CounterClock;
use tickid_nanoflake::core::{ManualClock, SystemClock};
use tickid_testkit::Subject as _;
use tickid_testkit::every_clock::promises_hold_over;

#[test]
fn promises_hold_over_the_system_clock() {
    promises_hold_over(&Subject, SystemClock);
}

/// Where the counter is not steady, this reads the system's clock.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn promises_hold_over_the_counter_clock() {
    promises_hold_over(&Subject, CounterClock::new());
}

#[test]
fn promises_hold_over_the_manual_clock() {
    let subject = Subject;
    promises_hold_over(&subject, ManualClock::new(subject.start()));
}
