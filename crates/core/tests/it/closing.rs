//! Tests that close a generator while eight threads draw from it, and continue with its snapshot.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Barrier;
use std::thread;

use tickid_core::example::Toggling;
use tickid_core::{Builder, Clock, ErrorKind, Generator, ManualClock, Policy, Snapshot};

use tickid_testkit::example::{NODE, assert_distinct, at, many, parts, ratchet, tick, tick_at};
use tickid_testkit::{Dice, scaled};

const THREADS: usize = 8;
/// The maximum number of calls of each thread. Each round closes the generator before a
/// different one of them.
const CALLS: usize = if cfg!(miri) { 60 } else { 2_000 };
const BEGIN: u64 = 1_000;

/// Returns the number of rounds. Miri takes seconds for each.
fn number_of_rounds() -> usize {
    if cfg!(miri) { 3 } else { scaled(50) }
}

type SharedGenerator<'a> = Generator<Toggling, &'a ManualClock>;

fn builder(clock: &ManualClock, policy: Policy<Toggling>) -> Builder<Toggling, &ManualClock> {
    Builder::seeded(NODE, 0).clock(clock).policy(policy)
}

/// The outcome for one generator.
struct Round {
    issued: Vec<u64>,
    snapshot: Snapshot<Toggling>,
}

/// Eight threads draw and set the clock, mostly ahead. One of them closes the generator after a
/// few calls, a different number in each round.
fn close_while_drawing(clock: &ManualClock, policy: Policy<Toggling>, seed: usize) -> Round {
    let generator = builder(clock, policy).build().unwrap();
    let (start, is_closed) = (Barrier::new(THREADS), AtomicBool::new(false));
    let last_call = CALLS / 20 + seed * (CALLS * 4 / 5) / number_of_rounds();
    let draw = |thread: usize| {
        let mut dice = Dice::new((seed * THREADS + thread).try_into().unwrap());
        let mut ids = Vec::new();
        let mut snapshot = None;
        start.wait();
        for call in 0..CALLS {
            let now = tick_at(clock.now().unwrap());
            match dice.below(32) {
                0..=2 => clock.set(at(now + 1)),
                3 => clock.set(at(now - 1)),
                _ => {}
            }
            if thread == 0 && call == last_call {
                snapshot = Some(generator.close());
                is_closed.store(true, Ordering::SeqCst);
            }
            let was_closed = is_closed.load(Ordering::SeqCst);
            match generator.try_block(many(1 + u32::from(dice.below(4) == 0))) {
                Ok(block) => {
                    assert!(!was_closed, "issued after it was closed");
                    ids.extend(block);
                }
                Err(error) if error.kind() == ErrorKind::Closed => break,
                Err(_) => assert!(!was_closed, "another error after it was closed"),
            }
        }
        (ids, snapshot)
    };
    thread::scope(|scope| {
        let draw = &draw;
        let threads: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || draw(thread))).collect();
        let drawn = threads.into_iter().map(|thread| thread.join().unwrap());
        let (ids, snapshots): (Vec<_>, Vec<_>) = drawn.unzip();
        Round { issued: ids.concat(), snapshot: snapshots[0].unwrap() }
    })
}

/// Returns IDs of the successor, under a clock that shows the last of the same ticks once more.
fn go_on(clock: &ManualClock, policy: Policy<Toggling>, round: &Round) -> Vec<u64> {
    let restored = builder(clock, policy).restore(round.snapshot).max_wait(Duration::MAX);
    let restored: SharedGenerator<'_> = restored.build().unwrap();
    let highest = round.snapshot.highest_tick().unwrap().get();
    let mut ids = Vec::new();
    for now in (BEGIN - 3).max(highest.saturating_sub(100))..highest + 3 {
        clock.set(at(now));
        ids.extend(restored.try_block(many(40)).into_iter().flatten());
    }
    assert!(!ids.is_empty());
    ids
}

/// Closes generators while others draw, and continues each. No ID may come twice, and none may be
/// above the highest tick of the snapshot.
fn close_and_go_on(policy: Policy<Toggling>) {
    for seed in 0..number_of_rounds() {
        let clock = ManualClock::new(at(BEGIN));
        let round = close_while_drawing(&clock, policy, seed);
        let issued = round.issued.iter().map(|&id| parts(id).tick).max();
        let highest = round.snapshot.highest_tick();
        assert!(issued.map(tick) <= highest, "{issued:?} above {highest:?}");
        assert_distinct(round.issued.iter().copied().chain(go_on(&clock, policy, &round)));
    }
}

#[test]
fn ratchet_successor_is_unique() {
    close_and_go_on(ratchet(2));
}

#[test]
fn wait_successor_is_unique() {
    close_and_go_on(Policy::Wait);
}

#[test]
fn tick_tock_successor_is_unique() {
    close_and_go_on(Policy::TickTock);
}

#[test]
fn racing_closers_agree() {
    for _ in 0..number_of_rounds() {
        let clock = ManualClock::new(at(BEGIN));
        let generator = builder(&clock, Policy::Wait).build().unwrap();
        generator.try_generate().unwrap();
        let start = Barrier::new(THREADS);
        let snapshots: Vec<_> = thread::scope(|scope| {
            let close_and_ask = || {
                start.wait();
                let snapshot = generator.close();
                assert!(generator.try_generate().is_err());
                snapshot
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(close_and_ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(snapshots.iter().all(|snapshot| *snapshot == snapshots[0]));
    }
}
