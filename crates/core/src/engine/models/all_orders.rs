//! Model checking of every order of a few calls, with loom.

use core::sync::atomic;
use std::time::Instant;
use std::vec;
use std::vec::Vec;

use ::loom::model::Builder;
use ::loom::thread::JoinHandle;

use super::planted::{EngineCalls as _, EngineUnderTest, Mistake};
use super::{ClockedGenerator, next, parts, ratchet};
use crate::example::Toggling;
use crate::policy::Policy;
use crate::scheme::Scheme as _;

/// The maximum number of preemptions: switches away from a thread that could continue. Two find
/// every mistake below; `LOOM_MAX_PREEMPTIONS` overrides the number.
const PREEMPTIONS: usize = 2;

/// Runs a model in all orders, and in each of them with every value that relaxed loads can see.
pub(crate) fn orders(name: &str, model: impl Fn() + Sync + Send + 'static) {
    orders_with(PREEMPTIONS, name, model);
}

pub(super) fn orders_with(
    preemptions: usize,
    name: &str,
    model: impl Fn() + Sync + Send + 'static,
) {
    let mut builder = Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    let count = alloc::sync::Arc::new(atomic::AtomicU64::new(0));
    let counted = count.clone();
    let start = Instant::now();
    builder.check(move || {
        counted.fetch_add(1, atomic::Ordering::Relaxed);
        model();
    });
    let count = count.load(atomic::Ordering::Relaxed);
    std::println!("shown: {name}: {count} orders in {:.1?}", start.elapsed());
}

pub(super) fn join<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap()
}

pub(super) const EVER: u64 = Toggling::MAX_TICK + 1;

// The scenarios: each describes events and checks what has to hold after them.

/// While one thread draws, another sees the next tick first.
fn tick_change(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 2);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(11);
        subject.one(clocked)
    });
    let mine = [subject.one(&clocked), subject.one(&clocked)].concat();
    clocked.check(&[&before, &mine, &join(other)], EVER);
}

/// Three threads run past the last sequence of a tick, and one of them continues in the next.
fn overflow(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 2);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        let first = subject.one(clocked);
        clocked.clock.set(11);
        [first, subject.one(clocked)].concat()
    });
    let third = clocked.spawn(move |clocked| subject.one(clocked));
    let mine = subject.one(&clocked);
    clocked.check(&[&before, &mine, &join(other), &join(third)], EVER);
}

/// A ratchet does the same, but continues in the next tick.
fn overflow_of_a_ratchet(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(ratchet(1), 1);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| subject.one(clocked));
    let mine = [subject.one(&clocked), subject.one(&clocked)].concat();
    let his = join(other);
    clocked.check(&[&before, &mine, &his], EVER);
    // 10, 11 and 12: one tick more than the allowance, and not one less.
    let ticks = mine.iter().chain(&his).map(|&id| parts(id).tick);
    assert_eq!(ticks.max(), Some(12));
}

/// A block that takes all but one, and two calls for one each.
fn blocks_and_single_ones(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 4);
    let other = clocked.spawn(move |clocked| subject.several(clocked, 3));
    let mine = [subject.one(&clocked), subject.one(&clocked)].concat();
    clocked.check(&[&mine, &join(other)], EVER);
}

/// Two threads find the clock behind, each further than the other. Once it has caught up, no ID is
/// issued twice.
fn regression(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::TickTock, 1);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(9);
        subject.one(clocked)
    });
    clocked.clock.set(8);
    let mine = subject.one(&clocked);
    let his = join(other);
    let mut after = vec![];
    for tick in 8..=11 {
        clocked.clock.set(tick);
        after.extend(subject.one(&clocked));
    }
    assert!(after.iter().any(|&id| parts(id).tick == 11), "stalls for ever");
    clocked.check(&[&before, &mine, &his, &after], EVER);
}

/// One thread flips the toggle while another draws from the word that it leaves.
fn flip_against_the_fast_path(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::TickTock, 3);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(9);
        [subject.one(clocked), subject.one(clocked)].concat()
    });
    let mine = [subject.one(&clocked), subject.one(&clocked)].concat();
    let his = join(other);
    clocked.clock.set(10);
    let after = [subject.one(&clocked), subject.one(&clocked)].concat();
    clocked.check(&[&before, &mine, &his, &after], EVER);
}

/// A thread reads the clock and sleeps; the clock is stepped back, and another thread continues
/// there. The other thread is not dragged forward to the earlier reading.
fn step_back(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 4);
    clocked.clock.set(20);
    let other = clocked.spawn(move |clocked| subject.one(clocked));
    clocked.clock.set(15);
    let mine = subject.one(&clocked);
    let his = join(other);
    let after = subject.one(&clocked);
    if mine.iter().any(|&id| parts(id).tick == 15) {
        assert!(!after.is_empty(), "dragged forward");
    }
    clocked.check(&[&[mine, after].concat(), &his], EVER);
}

/// A block is refused, since the clock went back, while another thread draws: what is given back
/// was not issued, and later calls lose nothing that they could have.
fn refusal(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 4);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(9);
        subject.several(clocked, 2)
    });
    let mine = subject.one(&clocked);
    let his = join(other);
    clocked.clock.set(10);
    let after = subject.several(&clocked, 4);
    clocked.check(&[&[before, mine, after].concat(), &his], EVER);
}

/// A block that is refused runs past the last sequence, where another thread draws nothing.
fn refusal_of_all(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 2);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(9);
        let his = subject.several(clocked, 3);
        clocked.clock.set(10);
        [his, subject.one(clocked)].concat()
    });
    let mine = subject.several(&clocked, 3);
    let his = join(other);
    clocked.clock.set(10);
    let after = subject.several(&clocked, 3);
    let all = [&*mine, &his, &after].concat();
    assert_eq!(all.len(), 1, "the tick's second ID is given back, and issued once: {all:?}");
    clocked.check(&[&[before, mine, after].concat(), &his], EVER);
}

/// The window is widened while two threads stall on it, and they issue only below the announced
/// ceiling.
fn widening(subject: EngineUnderTest) {
    static ANNOUNCED: atomic::AtomicU64 = atomic::AtomicU64::new(0);
    let clocked = ClockedGenerator::with_window(Policy::Wait, 2, 0, 11);
    ANNOUNCED.store(11, atomic::Ordering::Relaxed);
    // Back in the old window, whose last tick may have been used up or not.
    clocked.clock.set(11);
    // An ID beyond the ceiling that was announced when it was drawn would be another holder's.
    let below = |ids: Vec<u64>| {
        let ceiling = ANNOUNCED.load(atomic::Ordering::Relaxed);
        assert!(ids.iter().all(|&id| parts(id).tick < ceiling), "outside of the window");
        ids
    };
    let keeper = clocked.spawn(move |clocked| {
        ANNOUNCED.store(12, atomic::Ordering::Relaxed);
        clocked.generator.widen(12).unwrap();
    });
    let other = clocked.spawn(move |clocked| below(subject.one(clocked)));
    let first = below(subject.one(&clocked));
    clocked.clock.set(12);
    let mine = [first, below(subject.one(&clocked))].concat();
    join(keeper);
    let his = join(other);
    clocked.clock.set(11);
    clocked.check(&[&mine, &his, &subject.one(&clocked)], 12);
    clocked.generator.widen(14).unwrap();
    clocked.clock.set(13);
    assert!(!subject.one(&clocked).is_empty(), "stalls in the window");
}

/// One thread closes the generator while another is about to leave a tick, which may be used up or
/// not.
fn closing(subject: EngineUnderTest, per_tick: u32) {
    let clocked = ClockedGenerator::new(Policy::Wait, per_tick);
    let mut ids = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(11);
        subject.one(clocked)
    });
    let third = (per_tick > 1).then(|| clocked.spawn(move |clocked| subject.one(clocked)));
    let snapshot = subject.close(&clocked);
    assert!(subject.one(&clocked).is_empty(), "issues although it was closed");
    ids.extend(join(other));
    ids.extend(third.map(join).into_iter().flatten());
    clocked.check_closed(&ids, snapshot);
}

/// A generator that is widened after it was closed stays closed.
fn closing_against_a_late_widening(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::with_window(Policy::Wait, 2, 0, 11);
    let mut ids = subject.one(&clocked);
    clocked.clock.set(11);
    let keeper = clocked.spawn(|clocked| clocked.generator.widen(12).unwrap());
    let other = clocked.spawn(move |clocked| subject.one(clocked));
    let snapshot = subject.close(&clocked);
    join(keeper);
    ids.extend(join(other));
    assert!(subject.one(&clocked).is_empty(), "issues although it was closed");
    clocked.check_closed(&ids, snapshot);
}

/// A generator is closed just before or after a flip. Its snapshot holds the highest tick of each
/// toggle.
fn closing_after_a_flip(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::TickTock, 2);
    let mut ids = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(9);
        subject.one(clocked)
    });
    let snapshot = subject.close(&clocked);
    ids.extend(join(other));
    clocked.check_closed(&ids, snapshot);
    assert_eq!(clocked.generator.close(), snapshot, "closing again says the same");
}

// The scenarios with the engine itself.

holds! {
    fast_path_against_a_tick_change: tick_change;
    blocks_against_single_ones: blocks_and_single_ones;
    regressions_of_two_threads: regression;
    a_flip_against_the_fast_path: flip_against_the_fast_path;
    a_step_back_drags_nothing_forward: step_back;
    refusals_against_a_draw: refusal;
    refusals_that_use_up_a_tick: refusal_of_all;
    closing_against_a_late_exchange: |subject| closing(subject, 1);
    closing_against_widening: closing_against_a_late_widening;
    closing_against_a_flip: closing_after_a_flip;
}

holds_with_one_preemption! {
    widening_against_issue: widening;
    closing_against_exchange_and_draw: |subject| closing(subject, 3);
    an_overflow_into_the_guard: overflow;
    ratchet_overflows_by_one: overflow_of_a_ratchet;
}

/// Handles come and go, and each issues from its own blocks. Two preemptions would take a minute.
#[test]
fn handles_dropped_and_recreated() {
    orders_with(1, "handles", || {
        let clocked = ClockedGenerator::new(Policy::Wait, 6);
        let other = clocked.spawn(|clocked| {
            let mut ids = vec![];
            for calls in [2, 1] {
                let mut handle = clocked.generator.handle();
                (0..calls).for_each(|_| ids.extend(next(clocked, &mut handle)));
            }
            ids
        });
        let mut handle = clocked.generator.handle();
        clocked.clock.set(11);
        let mine = next(&clocked, &mut handle);
        clocked.check(&[&mine, &join(other)], EVER);
    });
}

/// The snapshot of a closed generator covers the rest of a handle's block.
#[test]
fn a_handle_against_closing() {
    orders("a handle against closing", || {
        let clocked = ClockedGenerator::new(Policy::Wait, 6);
        let other = clocked.spawn(|clocked| {
            let mut handle = clocked.generator.handle();
            [(); 3].map(|()| next(clocked, &mut handle)).concat()
        });
        let snapshot = clocked.generator.close();
        clocked.check_closed(&join(other), snapshot);
    });
}

// The scenarios with the engine's copy, first as it is and then with mistakes.

#[test]
fn copy_without_mistake_holds() {
    for scenario in [
        tick_change,
        overflow,
        regression,
        step_back,
        refusal,
        |subject| closing(subject, 1),
        |subject| closing(subject, 3),
        closing_after_a_flip,
    ] {
        orders("the copy", move || scenario(Some(Mistake::Nothing)));
    }
}

finds! {
    finds_closing_as_exhausted:
        CloseAsExhausted, |subject| closing(subject, 1), "but closed at";
    finds_a_retry_over_closed:
        RetryOverClosed, |subject| closing(subject, 1), "but closed at";
    finds_a_late_past:
        PastAfterExchange, regression, "issued twice";
    finds_an_unpublished_flip:
        FlipUnpublished, regression, "issued twice";
    finds_an_early_clock_reading:
        ClockBeforeLoad, step_back, "dragged forward";
    finds_an_unclamped_guard:
        NoClamp, overflow, "left in the guard";
    finds_giving_back_what_others_drew:
        GiveBackOthers, refusal, "issued twice";
    finds_a_forgotten_past:
        CloseForgetsPast, closing_after_a_flip, "but closed at";
}
