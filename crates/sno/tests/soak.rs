//! A billion IDs from eight threads, and ten years of leap seconds, suspends, steps and slews of
//! the clock. The long tests run in `cargo xtask verify soak`.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::{PARTITION, Subject};
use tickid_sno::Builder;
use tickid_testkit::soak::{Pace, no_id_repeats, ten_years};

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn no_id_of_a_billion_repeats() {
    let generator = Builder::new(PARTITION).build().unwrap();
    no_id_repeats(&Subject::OF_THREE_METABYTES, &generator);
}

#[test]
fn promises_hold_for_ten_years_of_an_id_or_two_an_hour() {
    ten_years(&Subject::OF_THREE_METABYTES, Pace::Hourly);
}

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn promises_hold_for_ten_years_of_an_id_every_other_second() {
    ten_years(&Subject::OF_THREE_METABYTES, Pace::Steady);
}
