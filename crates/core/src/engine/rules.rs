//! Every rule on rollback, overflow and windows, as one pure function.

use core::num::NonZeroU32;

use crate::engine::Refusal;
use crate::engine::stall::{Stall, StallReason};
use crate::engine::word::Word;
use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::sequence::{Sequence, SequenceBounds};
use crate::tick::Tick;
use crate::window::Window;

/// What an engine goes by for life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<S: Scheme, Q> {
    pub(crate) policy: Policy<S>,
    pub(crate) bounds: SequenceBounds,
    pub(crate) sequence: Q,
    /// The stamp of the first tick that may be issued.
    pub(crate) floor: u64,
}

/// What to do about a word that can't be drawn from as it is, or can it?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<S> {
    /// The word's tick is right and has sequences left.
    Draw,
    /// Go on at this stamp and toggle.
    Move { stamp: u64, toggle: bool },
    /// Nothing can be issued.
    Stall(Stall<S>),
}

/// A reading of the clock, as a stamp (its tick plus one).
#[inline]
pub(crate) fn stamp_of<S: Scheme>(tick: Tick<S>) -> u64 {
    tick.get() + 1
}

impl<S: Scheme, Q: Sequence> Rules<S, Q> {
    pub(crate) fn new(
        policy: Policy<S>,
        bounds: SequenceBounds,
        sequence: Q,
        window: &Window<S>,
    ) -> Self {
        let floor = window.floor().get().max(S::FIRST_TICK) + 1;
        Self { policy, bounds, sequence, floor }
    }

    /// One past the last sequence: what an exhausted word's sequence is set to.
    #[inline]
    pub(crate) fn exhausted(&self) -> u64 {
        u64::from(self.bounds.last()) + 1
    }

    /// Whether `word` may be drawn from at the reading `now` (a stamp): its tick is the clock's, or
    /// ahead of it by no more than the policy allows.
    #[inline]
    pub(crate) fn accepts(word: Word<S>, now: u64, policy: Policy<S>) -> bool {
        // A word behind the clock wraps around to far more than any allowance.
        word.stamp().wrapping_sub(now) <= policy.allowance()
    }

    /// How many of `want` sequences `word` has left; `None` when it is exhausted.
    #[inline]
    pub(crate) fn left(&self, word: Word<S>, want: NonZeroU32) -> Option<NonZeroU32> {
        let left = self.exhausted().checked_sub(word.sequence())?;
        #[allow(clippy::cast_possible_truncation, reason = "no more than `want`")]
        NonZeroU32::new(left.min(u64::from(want.get())) as u32)
    }

    /// What becomes of `word` at the reading `now` (a stamp). `ceiling` is the stamp that may not be
    /// reached, `other_past` the highest stamp ever issued under the toggle that `word` is not in.
    pub(crate) fn step(
        &self,
        word: Word<S>,
        now: u64,
        policy: Policy<S>,
        ceiling: u64,
        other_past: u64,
    ) -> Step<S> {
        let (stamp, toggle) = (word.stamp(), word.toggle());
        let exhausted = word.sequence() >= self.exhausted();
        // Where the word can be drawn from without a flip.
        let resumes = stamp + u64::from(exhausted);
        let Some(ahead) = stamp.checked_sub(now) else {
            return self.go(now, toggle, now, policy, ceiling);
        };
        match policy {
            _ if ahead <= policy.allowance() && !exhausted => Step::Draw,
            Policy::Ratchet { .. } if ahead <= policy.allowance() => {
                self.go(stamp + 1, toggle, now, policy, ceiling)
            }
            Policy::Ratchet { .. } => stall(StallReason::Rollback, stamp - policy.allowance()),
            Policy::Wait | Policy::TickTock if ahead == 0 => stall(StallReason::Exhausted, resumes),
            Policy::Wait => stall(StallReason::Rollback, resumes),
            Policy::TickTock if now > other_past => self.go(now, !toggle, now, policy, ceiling),
            Policy::TickTock => stall(StallReason::Rollback, resumes.min(other_past + 1)),
        }
    }

    /// Moving to `stamp`, where the window and the scheme's range allow it.
    fn go(&self, stamp: u64, toggle: bool, now: u64, policy: Policy<S>, ceiling: u64) -> Step<S> {
        let earliest = self.floor.saturating_sub(policy.allowance());
        if now < earliest {
            return stall(StallReason::Window, earliest);
        }
        // Only a ratchet can be below its floor here, and by no more than its allowance.
        let stamp = stamp.max(self.floor);
        if stamp > S::LAST_TICK + 1 {
            Step::Stall(Stall::new(StallReason::EndOfTime, None))
        } else if stamp >= ceiling {
            Step::Stall(Stall::new(StallReason::Window, None))
        } else {
            Step::Move { stamp, toggle }
        }
    }

    /// The first sequence at `stamp`.
    pub(crate) fn start(&self, stamp: u64) -> Result<u32, Refusal<S>> {
        let start = self.sequence.start(stamp - 1, self.bounds);
        self.bounds.check(start).map_err(|_| Refusal::SequenceStart(start, self.bounds))
    }
}

/// A stall until the tick of `stamp`, if the scheme has it.
fn stall<S: Scheme>(reason: StallReason, stamp: u64) -> Step<S> {
    let until = stamp.saturating_sub(1).max(S::FIRST_TICK);
    Step::Stall(if until <= S::LAST_TICK {
        Stall::new(reason, Some(Tick::held(until)))
    } else {
        Stall::new(StallReason::EndOfTime, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Toggling;
    use crate::sequence::{FixedStart, LowestStart};
    use crate::tick::Ticks;

    const ALL: [Policy<Toggling>; 3] = [ratchet(2), Policy::Wait, Policy::TickTock];

    const fn ratchet(allowance: u64) -> Policy<Toggling> {
        Policy::Ratchet { allowance: Ticks::new(allowance) }
    }

    /// One question to the rules, in ticks. Sequences are 0 to 9, the word's toggle is set.
    #[derive(Clone, Copy)]
    struct Ask {
        floor: u64,
        ceiling: u64,
        /// The tick issued last and the next sequence in it.
        word: Option<(u64, u64)>,
        other_past: Option<u64>,
        now: u64,
        policy: Policy<Toggling>,
    }

    impl Ask {
        /// In the middle of tick 100, with everything allowed.
        const fn now(now: u64, policy: Policy<Toggling>) -> Self {
            Self {
                floor: 0,
                ceiling: Toggling::MAX_TICK + 1,
                word: Some((100, 5)),
                other_past: None,
                now,
                policy,
            }
        }

        fn step(self) -> Step<Toggling> {
            let window = Window::new(Tick::held(self.floor), self.ceiling).unwrap();
            let bounds = SequenceBounds::new(0, 9);
            let rules = Rules::new(self.policy, bounds, LowestStart, &window);
            let word = self
                .word
                .map_or(Word::new(0, true, 0), |(tick, next)| Word::new(tick + 1, true, next));
            let other_past = self.other_past.map_or(0, |tick| tick + 1);
            rules.step(word, self.now + 1, self.policy, self.ceiling + 1, other_past)
        }
    }

    fn go(tick: u64, toggle: bool) -> Step<Toggling> {
        let stamp = tick + 1;
        Step::Move { stamp, toggle }
    }

    fn stalled(reason: StallReason, until: u64) -> Step<Toggling> {
        Step::Stall(Stall::new(reason, Some(Tick::held(until))))
    }

    fn stalled_for_good(reason: StallReason) -> Step<Toggling> {
        Step::Stall(Stall::new(reason, None))
    }

    #[test]
    fn the_first_tick_is_the_clocks_and_no_flip() {
        for policy in ALL {
            for now in [0, 100, Toggling::LAST_TICK] {
                let ask = Ask { word: None, other_past: Some(200), ..Ask::now(now, policy) };
                assert_eq!(ask.step(), go(now, true), "{policy}");
            }
        }
    }

    #[test]
    fn a_clock_that_moved_on_takes_the_word_along() {
        for policy in ALL {
            for next in [5, 10] {
                let ask = Ask { word: Some((100, next)), ..Ask::now(101, policy) };
                assert_eq!(ask.step(), go(101, true), "{policy}");
            }
        }
    }

    #[test]
    fn a_clock_that_stands_draws() {
        for policy in ALL {
            assert_eq!(Ask::now(100, policy).step(), Step::Draw, "{policy}");
        }
    }

    #[test]
    fn an_exhausted_tick_ends_with_the_clocks_unless_it_ratchets() {
        for (policy, step) in [
            (ratchet(0), go(101, true)),
            (Policy::Wait, stalled(StallReason::Exhausted, 101)),
            (Policy::TickTock, stalled(StallReason::Exhausted, 101)),
        ] {
            let ask = Ask { word: Some((100, 10)), ..Ask::now(100, policy) };
            assert_eq!(ask.step(), step, "{policy}");
        }
    }

    #[test]
    fn a_ratchet_stays_within_its_allowance() {
        let rollback = stalled(StallReason::Rollback, 98);
        for (now, step) in [(99, Step::Draw), (98, Step::Draw), (97, rollback)] {
            assert_eq!(Ask::now(now, ratchet(2)).step(), step, "{now}");
        }
    }

    #[test]
    fn a_ratchet_overflows_to_one_past_its_allowance() {
        for (now, step) in [(98, go(101, true)), (97, stalled(StallReason::Rollback, 98))] {
            let ask = Ask { word: Some((100, 10)), ..Ask::now(now, ratchet(2)) };
            assert_eq!(ask.step(), step, "{now}");
        }
    }

    #[test]
    fn the_highest_allowance_reaches_everywhere() {
        let last = Toggling::LAST_TICK;
        for allowance in [u64::MAX, u64::MAX - 1, 1 << 62] {
            let ask = Ask { word: Some((last, 5)), ..Ask::now(0, ratchet(allowance)) };
            assert_eq!(ask.step(), Step::Draw, "{allowance}");
            let below_the_floor = Ask { word: None, floor: last, ..ask };
            assert_eq!(below_the_floor.step(), go(last, true), "{allowance}");
        }
    }

    #[test]
    fn the_highest_allowance_accepts_no_word_behind_the_clock() {
        let word = Word::<Toggling>::new(100, false, 0);
        assert!(Rules::<_, LowestStart>::accepts(word, 100, ratchet(u64::MAX)));
        assert!(!Rules::<_, LowestStart>::accepts(word, 101, ratchet(u64::MAX)));
        let pristine = Word::<Toggling>::PRISTINE;
        for now in [1, Toggling::LAST_TICK + 1] {
            assert!(!Rules::<_, LowestStart>::accepts(pristine, now, ratchet(u64::MAX)));
        }
    }

    #[test]
    fn waiting_waits_for_its_own_tick() {
        for now in [0, 98, 99] {
            let step = Ask::now(now, Policy::Wait).step();
            assert_eq!(step, stalled(StallReason::Rollback, 100), "{now}");
        }
    }

    #[test]
    fn tick_tock_flips_only_past_the_other_toggles_past() {
        for (now, step) in [
            (49, stalled(StallReason::Rollback, 51)),
            (50, stalled(StallReason::Rollback, 51)),
            (51, go(51, false)),
            (99, go(99, false)),
        ] {
            let ask = Ask { other_past: Some(50), ..Ask::now(now, Policy::TickTock) };
            assert_eq!(ask.step(), step, "{now}");
        }
    }

    #[test]
    fn tick_tock_flips_to_a_toggle_without_a_past_at_any_tick() {
        let ask = Ask::now(0, Policy::TickTock);
        assert_eq!(ask.step(), go(0, false));
    }

    #[test]
    fn tick_tock_stalls_until_its_own_tick_where_that_comes_first() {
        for (other_past, until) in [(98, 99), (99, 100), (100, 100), (150, 100)] {
            let ask = Ask { other_past: Some(other_past), ..Ask::now(70, Policy::TickTock) };
            assert_eq!(ask.step(), stalled(StallReason::Rollback, until));
        }
    }

    #[test]
    fn tick_tock_goes_on_at_its_own_tick_under_the_same_toggle() {
        for (now, step) in [(100, Step::Draw), (101, go(101, true))] {
            let ask = Ask { other_past: Some(150), ..Ask::now(now, Policy::TickTock) };
            assert_eq!(ask.step(), step, "{now}");
        }
    }

    #[test]
    fn tick_tock_flips_when_its_tick_is_exhausted_too() {
        let ask = Ask { word: Some((100, 10)), ..Ask::now(99, Policy::TickTock) };
        assert_eq!(ask.step(), go(99, false));
    }

    #[test]
    fn below_the_floor_only_a_ratchet_goes_on_at_the_floor() {
        for (policy, now, step) in [
            (ratchet(2), 97, stalled(StallReason::Window, 98)),
            (ratchet(2), 98, go(100, true)),
            (ratchet(2), 99, go(100, true)),
            (ratchet(0), 99, stalled(StallReason::Window, 100)),
            (Policy::Wait, 99, stalled(StallReason::Window, 100)),
            (Policy::TickTock, 99, stalled(StallReason::Window, 100)),
            (Policy::Wait, 100, go(100, true)),
            (Policy::TickTock, 100, go(100, true)),
        ] {
            let ask = Ask { floor: 100, word: None, ..Ask::now(now, policy) };
            assert_eq!(ask.step(), step, "{policy} at {now}");
        }
    }

    #[test]
    fn an_allowance_beyond_the_floor_reaches_it_from_the_first_tick() {
        let ask = Ask { floor: 100, word: None, ..Ask::now(0, ratchet(100)) };
        assert_eq!(ask.step(), go(100, true));
    }

    #[test]
    fn tick_tock_flips_only_down_to_the_floor() {
        for (now, step) in [(89, stalled(StallReason::Window, 90)), (90, go(90, false))] {
            let ask = Ask { floor: 90, ..Ask::now(now, Policy::TickTock) };
            assert_eq!(ask.step(), step, "{now}");
        }
    }

    #[test]
    fn the_ceiling_is_not_reached() {
        for policy in ALL {
            for word in [None, Some((100, 5))] {
                let ask = Ask { ceiling: 150, word, ..Ask::now(149, policy) };
                assert_eq!(ask.step(), go(149, true), "{policy}");
                let beyond = Ask { now: 150, ..ask };
                let step = stalled_for_good(StallReason::Window);
                assert_eq!(beyond.step(), step, "{policy}");
            }
        }
    }

    #[test]
    fn a_ratchet_does_not_overflow_into_the_ceiling() {
        let ask = Ask { ceiling: 101, word: Some((100, 10)), ..Ask::now(100, ratchet(2)) };
        assert_eq!(ask.step(), stalled_for_good(StallReason::Window));
    }

    #[test]
    fn the_last_tick_is_issued_and_nothing_after_it() {
        let last = Toggling::LAST_TICK;
        for policy in ALL {
            let ask = Ask { word: Some((last, 9)), ..Ask::now(last, policy) };
            assert_eq!(ask.step(), Step::Draw, "{policy}");
            let exhausted = Ask { word: Some((last, 10)), ..ask };
            let step = stalled_for_good(StallReason::EndOfTime);
            assert_eq!(exhausted.step(), step, "{policy}");
        }
    }

    #[test]
    fn what_is_left_is_counted_up_to_the_last_sequence() {
        let rules = Rules::<Toggling, _>::new(
            Policy::Wait,
            SequenceBounds::new(3, 9),
            LowestStart,
            &Window::ALL,
        );
        let max = Word::<Toggling>::CLOSED - 1;
        for (next, want, left) in [
            (3, 1, Some(1)),
            (3, 7, Some(7)),
            (3, u32::MAX, Some(7)),
            (9, 5, Some(1)),
            (10, 1, None),
            (11, 1, None),
            (max, u32::MAX, None),
        ] {
            let word = Word::new(1, false, next);
            let want = NonZeroU32::new(want).unwrap();
            let counted = rules.left(word, want).map(NonZeroU32::get);
            assert_eq!(counted, left, "{next}");
        }
    }

    #[test]
    fn a_start_outside_of_the_bounds_is_refused_with_both() {
        let bounds = SequenceBounds::new(3, 9);
        for (start, is_ok) in [(2, false), (3, true), (9, true), (10, false)] {
            let policy = Policy::Wait;
            let rules = Rules::<Toggling, _>::new(policy, bounds, FixedStart(start), &Window::ALL);
            let refused = Refusal::SequenceStart(start, bounds);
            let expected = if is_ok { Ok(start) } else { Err(refused) };
            assert_eq!(rules.start(100), expected);
        }
    }
}
