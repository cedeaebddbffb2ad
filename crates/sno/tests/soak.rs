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
fn billion_ids_are_unique() {
    let generator = Builder::new(PARTITION).build().unwrap();
    no_id_repeats(&Subject::OF_THREE_METABYTES, &generator);
}

#[test]
fn ten_years_of_few_ids() {
    ten_years(&Subject::OF_THREE_METABYTES, Pace::Hourly);
}

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn ten_years_of_many_ids() {
    ten_years(&Subject::OF_THREE_METABYTES, Pace::Steady);
}
