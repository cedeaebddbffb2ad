//! The guarantees of every generator, checked against random schedules of one thread, with failures
//! shrunk: unique, ordered, bounded, no field beyond its range, in the window.

mod support;

use support::Subject;
use tickid_testkit::bounds::hold_at_every_edge;
use tickid_testkit::invariants::{Rule, hold};

#[test]
fn promises_hold_by_default() {
    hold(&Subject, Rule::Default);
}

#[test]
fn promises_hold_under_ratchets() {
    hold(&Subject, Rule::Ratchet);
}

#[test]
fn promises_hold_when_waiting() {
    hold(&Subject, Rule::Wait);
}

#[test]
fn bounds_hold_at_every_edge() {
    hold_at_every_edge(&Subject);
}
