//! Generators of one node, one after another and without a snapshot, as in programs that are
//! restarted. The first is closed by `close_and_wait`.

use core::time::Duration;

use tickid_core::example::Toggling;
use tickid_core::{
    Builder, Clock, ErrorKind, Generator, LocalGenerator, ManualClock, Policy, StallReason,
};

use tickid_testkit::example::{NODE, assert_distinct, at, many, ratchet};

/// More than any of these waits.
const LONG: Duration = Duration::from_secs(1_000);

const BEGIN: u64 = 1_000;

fn all() -> [Policy<Toggling>; 4] {
    [ratchet(0), ratchet(10), Policy::Wait, Policy::TickTock]
}

fn builder(clock: &ManualClock, policy: Policy<Toggling>) -> Builder<Toggling, &ManualClock> {
    Builder::seeded(NODE, 0).clock(clock).policy(policy)
}

fn shared(clock: &ManualClock, policy: Policy<Toggling>) -> Generator<Toggling, &ManualClock> {
    builder(clock, policy).build().unwrap()
}

fn local(clock: &ManualClock, policy: Policy<Toggling>) -> LocalGenerator<Toggling, &ManualClock> {
    builder(clock, policy).build_local().unwrap()
}

/// Draws up to `n` IDs without a wait.
fn draw(generator: &Generator<Toggling, &ManualClock>, n: usize) -> Vec<u64> {
    let mut ids = Vec::new();
    while ids.len() < n
        && let Ok(block) = generator.try_block(many(u32::try_from(n - ids.len()).unwrap()))
    {
        ids.extend(block);
    }
    ids
}

#[test]
fn successors_repeat_nothing() {
    for policy in all() {
        for n in [1, 300, 256 * 11, 10_000] {
            let clock = ManualClock::new(at(BEGIN));
            let mut ids = Vec::new();
            for _ in 0..5 {
                let generator = shared(&clock, policy);
                ids.extend(draw(&generator, n));
                generator.close_and_wait(LONG).unwrap();
            }
            assert_distinct(ids);
        }
    }
}

#[test]
fn exclusive_successors_repeat_nothing() {
    for policy in all() {
        let clock = ManualClock::new(at(BEGIN));
        let mut ids = Vec::new();
        for _ in 0..5 {
            let mut generator = local(&clock, policy);
            while let Ok(block) = generator.try_block(many(1_000)) {
                ids.extend(block);
            }
            generator.close_and_wait(LONG).unwrap();
        }
        assert_distinct(ids);
    }
}

/// No clock goes back from one process to the next, but it did within the first.
#[test]
fn successors_repeat_nothing_after_a_rollback() {
    for policy in all() {
        let clock = ManualClock::new(at(BEGIN));
        let first = shared(&clock, policy);
        let mut ids = Vec::new();
        for tick in [BEGIN, BEGIN + 50, BEGIN + 20, BEGIN + 21] {
            clock.set(at(tick));
            ids.extend(draw(&first, 2));
        }
        first.close_and_wait(LONG).unwrap();
        for tick in BEGIN + 22..BEGIN + 60 {
            if clock.now().unwrap() < at(tick) {
                clock.set(at(tick));
            }
            let next = shared(&clock, policy);
            ids.extend(draw(&next, 2));
            next.close_and_wait(LONG).unwrap();
        }
        assert_distinct(ids);
    }
}

/// Handles still have the rest of their blocks after the generator was closed.
#[test]
fn blocks_of_handles_are_over() {
    let clock = ManualClock::new(at(BEGIN));
    let generator = shared(&clock, ratchet(10));
    let mut handle = generator.handle();
    let mut ids = vec![handle.try_generate().unwrap()];
    generator.close_and_wait(LONG).unwrap();
    let next = shared(&clock, ratchet(10));
    ids.extend(draw(&next, 1_000));
    while let Ok(id) = handle.try_generate() {
        ids.push(id);
    }
    assert_distinct(ids);
}

/// A tick, and for a ratchet as many more as it is ahead: its allowance and one.
#[test]
fn waits_are_as_long_as_stated() {
    for (policy, n, ticks) in [
        (Policy::Wait, 1, 1),
        (Policy::Wait, 10_000, 1),
        (Policy::TickTock, 10_000, 1),
        (ratchet(0), 1, 1),
        (ratchet(0), 10_000, 2),
        (ratchet(10), 1, 1),
        (ratchet(10), 256 * 2, 2),
        (ratchet(10), 10_000, 12),
    ] {
        let clock = ManualClock::new(at(BEGIN));
        let generator = shared(&clock, policy);
        draw(&generator, n);
        generator.close_and_wait(LONG).unwrap();
        assert_eq!(clock.slept(), Duration::from_secs(ticks), "{policy}, {n} IDs");
        generator.close_and_wait(Duration::ZERO).unwrap();
        assert_eq!(clock.slept(), Duration::from_secs(ticks), "{policy}, {n} IDs");
    }
}

#[test]
fn unused_generators_wait_for_nothing() {
    let clock = ManualClock::new(at(BEGIN));
    shared(&clock, Policy::Wait).close_and_wait(Duration::ZERO).unwrap();
    local(&clock, Policy::Wait).close_and_wait(Duration::ZERO).unwrap();
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn too_long_waits_fail_at_once() {
    let clock = ManualClock::new(at(BEGIN));
    let generator = shared(&clock, ratchet(10));
    draw(&generator, 10_000);
    let error = generator.close_and_wait(Duration::from_secs(11)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::ClockBehind));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(12)));
    assert_eq!(clock.slept(), Duration::ZERO);
    assert!(error.to_string().contains("the clock is not past the last ID issued (it is"));
    assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    generator.close_and_wait(Duration::from_secs(12)).unwrap();
}

#[test]
fn the_last_tick_is_never_over() {
    use tickid_core::{Scheme, Tick};
    let last = Toggling.last_tick();
    let clock = ManualClock::new(Toggling.time_of(Tick::new(last).unwrap()));
    let generator = shared(&clock, Policy::Wait);
    draw(&generator, 1);
    let error = generator.close_and_wait(LONG).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EndOfTime);
}

/// As `async_waits_use_callers_sleep` does for calls.
#[test]
fn awaits_callers_sleep() {
    use core::pin::pin;
    use core::task::{Context, Poll, Waker};
    let clock = ManualClock::new(at(BEGIN));
    let generator = shared(&clock, Policy::Wait);
    draw(&generator, 1);
    let sleep = async |pause: Duration| {
        assert!(!pause.is_zero(), "a pause of 0 does not move the clock");
        clock.advance(pause);
    };
    let mut future = pin!(generator.close_and_wait_async(LONG, sleep));
    let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("waits for somebody else");
    };
    result.unwrap();
    assert_eq!((clock.slept(), clock.now()), (Duration::ZERO, Ok(at(BEGIN + 1))));
}
