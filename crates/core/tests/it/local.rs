//! The calls that only the exclusive generator has.

use tickid_core::example::{Seconds, Toggling};
use tickid_core::{Builder, ErrorKind, LocalGenerator, ManualClock, Policy, Snapshot, StallReason};

use tickid_testkit::Parts;
use tickid_testkit::example::{NODE, assert_distinct, at, parts, ratchet, tick};

type Local<'a, S> = LocalGenerator<S, &'a ManualClock>;

fn waiting(clock: &ManualClock) -> Local<'_, Toggling> {
    Builder::seeded(NODE, 0).clock(clock).policy(Policy::Wait).build_local().unwrap()
}

fn with(local: &mut Local<'_, Toggling>, policy: Policy<Toggling>) -> Result<Parts, ErrorKind> {
    match local.try_generate_under(policy) {
        Ok(id) => Ok(parts(id)),
        Err(error) => Err(error.kind()),
    }
}

#[test]
fn policy_override_lasts_one_call() {
    let clock = ManualClock::new(at(1_000));
    let mut local = waiting(&clock);
    local.try_generate().unwrap();
    clock.set(at(998));
    assert_eq!(with(&mut local, ratchet(1)), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
    assert_eq!(with(&mut local, ratchet(2)).map(|id| (id.tick, id.sequence)), Ok((1_000, 1)));
    let error = local.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    assert_eq!(local.policy(), Policy::Wait);
}

#[test]
fn refused_override_is_a_no_op() {
    let clock = ManualClock::new(at(1_000));
    let mut local = waiting(&clock);
    local.try_generate().unwrap();
    let before = local.state();
    clock.set(at(990));
    assert_eq!(with(&mut local, ratchet(9)), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
    assert_eq!(local.state(), before);
}

#[test]
fn tick_tock_override_flips() {
    let clock = ManualClock::new(at(1_000));
    let mut local = waiting(&clock);
    let first = local.try_generate().unwrap();
    clock.set(at(990));
    let flipped = local.try_generate_under(Policy::TickTock).unwrap();
    let next = local.try_generate().unwrap();
    assert_eq!([flipped, next].map(|id| parts(id).toggle), [true; 2]);
    assert_distinct([first, flipped, next]);
    assert_eq!(local.close().other_past, Some(tick(1_000)));
}

#[test]
fn tick_tock_needs_a_toggle() {
    let clock = ManualClock::new(at(1_000));
    let mut local: Local<'_, Seconds> =
        Builder::seeded(NODE, 0).clock(&clock).build_local().unwrap();
    local.try_generate().unwrap();
    clock.set(at(990));
    let error = local.try_generate_under(Policy::TickTock).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    clock.set(at(1_000));
    let id = local.try_generate_under(Policy::TickTock).unwrap();
    assert_eq!(parts(id).sequence, 1);
}

#[test]
fn closed_issues_under_no_policy() {
    let clock = ManualClock::new(at(1_000));
    let mut local = waiting(&clock);
    assert_eq!(local.close(), Snapshot::EMPTY);
    for policy in [Policy::Wait, Policy::TickTock, ratchet(u64::MAX)] {
        assert_eq!(with(&mut local, policy), Err(ErrorKind::Closed));
    }
}
