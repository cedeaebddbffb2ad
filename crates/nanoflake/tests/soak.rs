//! A billion IDs from eight threads, and ten years of leap seconds, suspends, steps and slews of
//! the clock. The long tests run in `cargo xtask verify soak`.

#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::{LAYOUT, NODE, Subject};
use tickid_nanoflake::Builder;
use tickid_testkit::soak::{Pace, no_id_repeats, ten_years};

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn billion_ids_are_unique() {
    no_id_repeats(&Subject, &Builder::new(NODE).layout(LAYOUT).build().unwrap());
}

#[test]
fn ten_years_of_few_ids() {
    ten_years(&Subject, Pace::Hourly);
}

#[test]
#[ignore = "minutes: cargo xtask verify soak"]
fn ten_years_of_many_ids() {
    ten_years(&Subject, Pace::Steady);
}
