//! The guarantees of every generator, checked against random schedules of one thread, with failures
//! shrunk: unique, ordered, bounded, no field beyond its range, in the window.

mod support;

use support::Subject;
use tickid_testkit::bounds::hold_at_every_edge;
use tickid_testkit::invariants::{Rule, hold};

#[test]
fn promises_hold_by_default() {
    hold(&Subject::OF_ONE_METABYTE, Rule::Default);
    hold(&Subject::OF_THREE_METABYTES, Rule::Default);
}

#[test]
fn promises_hold_under_ratchets() {
    hold(&Subject::OF_ONE_METABYTE, Rule::Ratchet);
    hold(&Subject::OF_THREE_METABYTES, Rule::Ratchet);
}

#[test]
fn promises_hold_when_waiting() {
    hold(&Subject::OF_ONE_METABYTE, Rule::Wait);
    hold(&Subject::OF_THREE_METABYTES, Rule::Wait);
}

#[test]
fn promises_hold_under_tick_tock() {
    hold(&Subject::OF_ONE_METABYTE, Rule::TickTock);
    hold(&Subject::OF_THREE_METABYTES, Rule::TickTock);
}

#[test]
fn bounds_hold_at_every_edge() {
    hold_at_every_edge(&Subject::OF_THREE_METABYTES);
}
