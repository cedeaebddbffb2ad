//! The promises of every generator, which [`hold`] checks with random schedules of one thread,
//! without scheme crates.

use tickid_core::example::{Seconds, Toggling};
use tickid_testkit::example::{Example, ExampleScheme, Narrow};
use tickid_testkit::invariants::{Rule, hold};

fn promises_hold<S: ExampleScheme>(scheme: S, rules: &[Rule]) {
    for &rule in rules {
        hold(&Example(scheme), rule);
    }
}

#[test]
fn promises_hold_without_a_toggle() {
    promises_hold(Seconds, &[Rule::Ratchet, Rule::Wait]);
}

#[test]
fn promises_hold_with_a_toggle() {
    promises_hold(Toggling, &[Rule::Ratchet, Rule::Wait, Rule::TickTock]);
}

#[test]
fn promises_hold_beside_reserved() {
    promises_hold(Narrow, &[Rule::Ratchet, Rule::Wait, Rule::TickTock]);
}
