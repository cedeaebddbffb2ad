//! Model checking of `observe` against every other call, with loom.

use std::vec;

use super::all_orders::{EVER, join, orders, orders_with};
use super::planted::{EngineCalls as _, EngineUnderTest, Mistake};
use super::{ClockedGenerator, next, parts, ratchet};
use crate::clock::ManualClock;
use crate::example::Toggling;
use crate::policy::Policy;
use crate::sync::{AtomicU64, Ordering};

/// Returns an ID of another node. (The worlds' own node is 0.)
fn foreign(tick: u64, sequence: u64) -> u64 {
    of_node(3, tick, sequence)
}

fn own(tick: u64, sequence: u64) -> u64 {
    of_node(0, tick, sequence)
}

fn of_node(node: u64, tick: u64, sequence: u64) -> u64 {
    tick << 17 | node << 8 | sequence
}

/// Checks the IDs of a call that started when `observed` had been, if it was accepted.
fn follow(ids: &[u64], observed: u64, is_accepted: bool) {
    for &id in ids {
        let follows = id > observed || !is_accepted;
        assert!(follows, "not after: {:?} after {:?}", parts(id), parts(observed));
    }
}

/// A flag for other threads, with the ordering of a message between them.
#[derive(Clone)]
struct Flag(alloc::sync::Arc<AtomicU64>);

impl Flag {
    fn new() -> Self {
        Self(alloc::sync::Arc::new(AtomicU64::new(0)))
    }

    fn set(&self, is_set: bool) {
        self.0.store(is_set.into(), Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire) == 1
    }
}

// The scenarios.

/// One thread observes while another draws, which then learns of it. Afterwards the clock reads all
/// ticks around.
fn draws(subject: EngineUnderTest, policy: Policy<Toggling>, per_tick: u32, id: u64) {
    let clocked = ClockedGenerator::new(policy, per_tick);
    let flag = Flag::new();
    let before = subject.one(&clocked);
    let (set, other) = (flag.clone(), move |clocked: &ClockedGenerator| {
        let is_accepted = subject.observe(clocked, id);
        (is_accepted, subject.one(clocked))
    });
    let other = clocked.spawn(move |clocked| {
        let (is_accepted, ids) = other(clocked);
        follow(&ids, id, is_accepted);
        set.set(is_accepted);
        (is_accepted, ids)
    });
    // These two race with the other thread. Only an ID that is drawn after the flag was seen has to
    // follow on the observed one.
    let first = subject.one(&clocked);
    let is_accepted = flag.is_set();
    let second = subject.one(&clocked);
    follow(&second, id, is_accepted);
    let (is_accepted, others) = join(other);
    let mut after = vec![];
    // Back and forth: the promise also holds on the other side of the toggle.
    for tick in [10, 9, 10, 11, 12, 13] {
        clocked.clock.set(tick);
        let ids = subject.one(&clocked);
        follow(&ids, id, is_accepted);
        after.extend(ids);
    }
    assert!(!after.is_empty(), "stalls for ever");
    clocked.check(&[&[before, first, second, after].concat(), &others], EVER);
}

/// One thread observes while another enters the tick of the ID, or a later one.
fn tick_change(subject: EngineUnderTest, policy: Policy<Toggling>, per_tick: u32, id: u64) {
    let clocked = ClockedGenerator::new(policy, per_tick);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(11);
        subject.one(clocked)
    });
    let is_accepted = subject.observe(&clocked, id);
    let mine = [subject.one(&clocked), subject.one(&clocked)].concat();
    follow(&mine, id, is_accepted);
    let others = join(other);
    clocked.clock.set(12);
    let after = subject.one(&clocked);
    follow(&after, id, is_accepted);
    clocked.check(&[&[before, mine, after].concat(), &others], EVER);
}

/// Two threads observe, and both IDs count.
fn two_together(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(ratchet(4), 2);
    let (low, high) = (foreign(11, 1), foreign(12, 1));
    let other = clocked.spawn(move |clocked| {
        assert!(subject.observe(clocked, low));
        subject.one(clocked)
    });
    assert!(subject.observe(&clocked, high));
    let mine = subject.one(&clocked);
    let others = join(other);
    follow(&others, low, true);
    let mine = [mine, subject.one(&clocked)].concat();
    follow(&mine, high, true);
    clocked.check(&[&mine, &others], EVER);
}

/// An ID behind the clock is observed, and the clock then goes back behind the ID.
fn late_step_back(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 2);
    clocked.clock.set(12);
    let id = foreign(11, 1);
    let other = clocked.spawn(move |clocked| subject.one(clocked));
    let is_accepted = subject.observe(&clocked, id);
    clocked.clock.set(10);
    let mine = subject.one(&clocked);
    follow(&mine, id, is_accepted);
    clocked.check(&[&mine, &join(other)], EVER);
}

/// A thread that observes is held up while the clock is stepped back and another thread continues
/// there. The other thread is not dragged forward to the earlier reading.
fn early_step_back(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(Policy::Wait, 4);
    clocked.clock.set(20);
    let other = clocked.spawn(move |clocked| subject.observe(clocked, own(20, 252)));
    clocked.clock.set(15);
    let mine = subject.one(&clocked);
    let was_accepted = join(other);
    let after = subject.one(&clocked);
    if mine.iter().any(|&id| parts(id).tick == 15) {
        assert!(!was_accepted && !after.is_empty(), "dragged forward");
    }
    clocked.check(&[&[mine, after].concat()], EVER);
}

/// The generator is closed meanwhile. If the ID was accepted, a successor follows it.
fn closing(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(ratchet(2), 2);
    let id = foreign(11, 1);
    let mut ids = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| subject.observe(clocked, id));
    let third = clocked.spawn(move |clocked| subject.one(clocked));
    let snapshot = subject.close(&clocked);
    let is_accepted = join(other);
    ids.extend(join(third));
    clocked.check_closed(&ids, snapshot);
    let clock = ManualClock::new(super::Scripted::time(10));
    let mut successor = clocked.successor(snapshot, &clock);
    follow(&[successor.try_generate().unwrap()], id, is_accepted);
}

/// A handle holds the rest of a block. The ID is beyond the word, or between the block and the
/// word.
fn handle(subject: EngineUnderTest, id: u64) {
    let clocked = ClockedGenerator::new(ratchet(2), 32);
    let flag = Flag::new();
    let mut handle = clocked.generator.handle();
    let mut mine = [(); 4].map(|()| next(&clocked, &mut handle)).concat(); // of blocks of 1, 2 and 4
    let mut own = subject.several(&clocked, 8);
    let set = flag.clone();
    let other = clocked.spawn(move |clocked| {
        assert!(subject.observe(clocked, id));
        set.set(true);
        subject.one(clocked)
    });
    // The block of this handle may be from before the observation. An ID of it may not be used
    // after.
    for _ in 0..2 {
        let is_accepted = flag.is_set();
        let ids = next(&clocked, &mut handle);
        follow(&ids, id, is_accepted);
        mine.extend(ids);
    }
    let others = join(other);
    follow(&others, id, true);
    own.extend(others);
    let ids = next(&clocked, &mut handle);
    follow(&ids, id, true);
    mine.extend(ids);
    clocked.check(&[&mine, &own], EVER);
}

/// A handle draws its next block while an ID is observed.
fn refill(subject: EngineUnderTest, id: u64) {
    let clocked = ClockedGenerator::new(ratchet(2), 32);
    let mut handle = clocked.generator.handle();
    let mut mine = [(); 3].map(|()| next(&clocked, &mut handle)).concat(); // of blocks of 1 and 2
    let other = clocked.spawn(move |clocked| assert!(subject.observe(clocked, id)));
    mine.extend(next(&clocked, &mut handle));
    join(other);
    let ids = next(&clocked, &mut handle);
    follow(&ids, id, true);
    mine.extend(ids);
    clocked.check(&[&mine], EVER);
}

/// The window is widened while an ID at its end is observed.
fn widening(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::with_window(ratchet(2), 2, 0, 11);
    let id = foreign(11, 1);
    let keeper = clocked.spawn(|clocked| clocked.generator.widen(13).unwrap());
    let is_accepted = subject.observe(&clocked, id);
    let mine = subject.one(&clocked);
    follow(&mine, id, is_accepted);
    assert_eq!(is_accepted, !mine.is_empty() && mine[0] > id, "outside of the window");
    join(keeper);
    clocked.check(&[&mine], 13);
}

/// A block is refused, since the clock went back, and given back while an ID of it is observed.
fn refusal(subject: EngineUnderTest, block: u32, id: u64) {
    let clocked = ClockedGenerator::new(Policy::Wait, 4);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        let is_accepted = subject.observe(clocked, id);
        let ids = subject.one(clocked);
        follow(&ids, id, is_accepted);
        (is_accepted, ids)
    });
    clocked.clock.set(9);
    let mine = subject.several(&clocked, block);
    let (is_accepted, others) = join(other);
    clocked.clock.set(10);
    let after = subject.several(&clocked, 4);
    follow(&after, id, is_accepted);
    clocked.check(&[&[before, mine, after].concat(), &others], EVER);
}

/// A ratchet does the same. Where the block has used up the tick, the ID is followed in the next.
fn refusal_of_a_ratchet(subject: EngineUnderTest) {
    let clocked = ClockedGenerator::new(ratchet(1), 3);
    let id = own(10, 254);
    let before = subject.one(&clocked);
    let other = clocked.spawn(move |clocked| {
        clocked.clock.set(8);
        subject.several(clocked, 2)
    });
    let is_accepted = subject.observe(&clocked, id);
    let others = join(other);
    clocked.clock.set(10);
    let after = subject.one(&clocked);
    follow(&after, id, is_accepted);
    assert!(!after.is_empty(), "stalls");
    clocked.check(&[&[before, after].concat(), &others], EVER);
}

// The scenarios with the engine itself.

holds! {
    observing_the_same_tick: |subject| draws(subject, Policy::Wait, 3, own(10, 253));
    observing_the_own_node: |subject| draws(subject, ratchet(1), 4, own(10, 254));
    observing_then_stepping_back: late_step_back;
    observing_drags_nothing_forward: early_step_back;
    observing_while_closing: closing;
    observing_beyond_a_handles_block: |subject| handle(subject, foreign(11, 1));
    observing_behind_the_word: |subject| handle(subject, own(10, 235));
    observing_while_a_handle_draws: |subject| refill(subject, foreign(11, 1));
    observing_while_widening: widening;
    observing_a_refused_block: |subject| refusal(subject, 2, own(10, 253));
    observing_a_refused_rest: |subject| refusal(subject, 3, own(10, 254));
    observing_a_refused_last_block: |subject| refusal(subject, 4, own(10, 254));
    observing_in_a_ratchets_used_up_tick: refusal_of_a_ratchet;
}

holds_with_one_preemption! {
    observing_the_tick_ahead: |subject| draws(subject, ratchet(2), 2, foreign(11, 1));
    observing_in_an_entered_tick: |subject| tick_change(subject, ratchet(2), 2, own(11, 254));
    observing_two_together: two_together;
}

/// Two preemptions would take minutes.
#[test]
fn observing_while_time_goes_on() {
    orders_with(1, "observing while time goes on", || {
        tick_change(None, Policy::Wait, 2, foreign(10, 1));
    });
}

// The scenarios with the engine's copy, first as it is and then with mistakes.

#[test]
fn copied_observe_holds() {
    for scenario in [
        |subject| draws(subject, ratchet(2), 2, foreign(11, 1)),
        two_together,
        late_step_back,
        early_step_back,
        closing,
        |subject| handle(subject, foreign(11, 1)),
        |subject| handle(subject, own(10, 235)),
        |subject| refusal(subject, 2, own(10, 253)),
        |subject| refusal(subject, 3, own(10, 254)),
    ] {
        orders("the copy", move || scenario(Some(Mistake::Nothing)));
    }
}

finds! {
    finds_observing_backwards:
        ObserveBackwards, two_together, "issued twice";
    finds_following_from_the_first_slot:
        ObserveFresh, |subject| draws(subject, ratchet(2), 2, foreign(11, 255)), "not after";
    finds_trusting_a_later_clock:
        ObserveByClock, late_step_back, "not after";
    finds_observing_by_an_early_reading:
        ObserveClockFirst, early_step_back, "dragged forward";
    finds_observing_over_closed:
        ObserveOverClosed, closing, "closed";
    finds_a_mark_before_the_word:
        MarkBeforeWord, |subject| handle(subject, foreign(11, 1)), "not after";
    finds_a_mark_with_the_word_only:
        MarkWithWord, |subject| handle(subject, own(10, 235)), "not after";
    finds_trusting_a_word_that_may_fall:
        ObserveUnheld, |subject| refusal(subject, 2, own(10, 253)), "not after";
    finds_trusting_a_used_up_word:
        ObserveUnheld, |subject| refusal(subject, 3, own(10, 254)), "not after";
    finds_holding_an_unread_word:
        HoldUnread, |subject| refusal(subject, 2, own(10, 254)), "not after";
    finds_holding_during_a_give_back:
        HoldUncounted, |subject| refusal(subject, 3, own(10, 254)), "not after";
    finds_giving_back_a_held_block:
        GiveBackHeld, |subject| refusal(subject, 3, own(10, 254)), "not after";
}
