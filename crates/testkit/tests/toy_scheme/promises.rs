//! The tests of the promises that all schemes make.

use tickid_core::{Scheme as _, SequenceBounds};
use tickid_testkit::Subject as _;
use tickid_testkit::bounds::hold_at_every_edge;
use tickid_testkit::invariants::{Rule, hold};
use tickid_testkit::scaled;
use tickid_testkit::soak::{Pace, ten_years};
use tickid_testkit::storm::Storm;

use crate::support::Tickets;

#[test]
fn promises_hold() {
    for rule in [Rule::Default, Rule::Ratchet, Rule::Wait] {
        hold(&Tickets, rule);
    }
}

#[test]
fn bounds_hold_at_every_edge() {
    hold_at_every_edge(&Tickets);
}

#[test]
fn threads_break_no_promise() {
    let policy = Tickets.layout().default_policy();
    let bounds = SequenceBounds::new(20, 119);
    let storm = Storm { subject: &Tickets, policy, bounds, calls: 1_200, ids: 1_000 };
    let after = storm.weather();
    assert!(after.seen.ids >= scaled(8_000) as u64);
}

#[test]
fn ten_years_of_few_ids() {
    ten_years(&Tickets, Pace::Hourly);
}

tickid_testkit::promises_over_every_clock!(Tickets);
