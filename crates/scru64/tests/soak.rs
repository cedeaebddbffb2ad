//! A billion IDs from eight threads, and ten years of leap seconds, suspends, steps and slews of
//! the clock. The long tests run in `cargo xtask verify soak`.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::Subject;
use tickid_scru64::Builder;
use tickid_testkit::soak::{Pace, no_id_repeats, ten_years};

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn billion_ids_are_unique() {
    // One bit of node ID leaves the most counters.
    let subject = Subject::of("1/1");
    no_id_repeats(&subject, &Builder::new(subject.0).build().unwrap());
}

#[test]
fn ten_years_of_few_ids() {
    ten_years(&Subject::default(), Pace::Hourly);
}

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn ten_years_of_many_ids() {
    ten_years(&Subject::default(), Pace::Steady);
}
