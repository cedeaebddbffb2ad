//! A clock that is set back far enough moves the generator to another node.

use super::*;

/// Returns the clock set back by so much.
fn behind(clock: &Clock, by: Duration) -> Clock {
    Arc::new(ManualClock::new(clock.now().unwrap().checked_sub(by).unwrap()))
}

/// Sets a holder's clock back by an hour, while the store's runs on.
fn set_back(clock: &Clock) {
    clock.set(clock.now().unwrap().checked_sub(HOUR).unwrap());
}

#[test]
fn rollback_moves_to_another_node() {
    let world = Fixture::new("7-8/10");
    let clock = behind(&world.clock, Duration::ZERO);
    let leased = world.builder_with(Arc::clone(&clock)).start().unwrap();
    let first = leased.try_generate().unwrap();
    set_back(&clock);
    let next = until(|| leased.try_generate().ok());
    assert_ne!(next.generator(), first.generator());
    assert!(next < first, "the clock's time");
    let state = leased.state();
    assert_eq!((state.counters.leases, state.counters.moves, state.counters.losses), (2, 1, 0));
    assert!(state.trouble.is_none());
    assert_eq!(state.clock_ahead_micros, Some(-3_600_000_000));

    // The first node starts after its highest tick used.
    let released = (Standing::Free, first.timestamp() + 1);
    until(|| world.rows().contains(&released).then_some(()));

    // With its clock right again, it continues.
    world.clock.advance(Duration::from_secs(1));
    clock.set(world.clock.now().unwrap());
    assert!(until(|| leased.try_generate().ok()) > first);
    assert_eq!(leased.state().counters.leases, 2);
}

#[test]
fn stalls_without_another_node() {
    let world = Fixture::new("7-8/10");
    let other = world.start();
    other.try_generate().unwrap();
    let clock = behind(&world.clock, Duration::ZERO);
    let leased = world.builder_with(Arc::clone(&clock)).start().unwrap();
    leased.try_generate().unwrap();
    drop(other);
    // Released, but its window starts in the future of the clock, too.
    set_back(&clock);
    until(|| leased.state().trouble);
    let error = leased.try_generate().unwrap_err();
    let message = error.to_string();
    assert!(message.contains("the clock is too far behind the last ID issued"), "{message}");
    assert!(message.contains("no other node could be leased: altered store: no node is free"));
    assert!(error.retry_after().unwrap() > Duration::from_secs(3_500));
    let state = leased.state();
    assert_eq!((state.counters.moves, state.counters.losses), (0, 0));
    assert_eq!(state.counters.stalls.of(WaitReason::Stalled(StallReason::ClockBehind)), 1);
    assert!(state.counters.failures.of(WaitReason::NoFreeNode) > 0);
    assert_eq!(state.window_left, Duration::ZERO);
    let standings = world.rows().into_iter().map(|(standing, _)| standing);
    assert_eq!(standings.filter(|standing| *standing == Standing::Held).count(), 1);

    clock.set(world.clock.now().unwrap());
    leased.try_generate().unwrap();
    until(|| leased.state().trouble.is_none().then_some(()));
    assert_eq!(leased.state().counters.leases, 1);
}

#[test]
fn a_short_rollback_moves_nothing() {
    let world = Fixture::new("7-8/10");
    let clock = behind(&world.clock, Duration::ZERO);
    let leased = world.builder_with(Arc::clone(&clock)).start().unwrap();
    leased.try_generate().unwrap();
    // The clock goes back by exactly a term.
    clock.set(clock.now().unwrap().checked_sub(world.realm.terms().term).unwrap());
    let renewals = leased.state().counters.renewals;
    until(|| (leased.state().counters.renewals > renewals + 2).then_some(()));
    assert_eq!(leased.state().counters.leases, 1);
    assert_eq!(leased.try_generate().unwrap_err().cause().map(ToString::to_string), None);
}
