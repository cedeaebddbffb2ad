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
        Self {
            policy,
            bounds,
            sequence,
            floor,
        }
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
        let Some(ahead) = stamp.checked_sub(now) else {
            return self.go(now, toggle, now, policy, ceiling);
        };
        match policy {
            _ if ahead <= policy.allowance() && !exhausted => Step::Draw,
            Policy::Ratchet { .. } if ahead <= policy.allowance() => {
                self.go(stamp + 1, toggle, now, policy, ceiling)
            }
            Policy::Ratchet { .. } => stall(StallReason::Rollback, stamp - policy.allowance()),
            Policy::Wait | Policy::TickTock if ahead == 0 => {
                stall(StallReason::Exhausted, stamp + 1)
            }
            Policy::Wait => stall(StallReason::Rollback, stamp),
            Policy::TickTock if now > other_past => self.go(now, !toggle, now, policy, ceiling),
            Policy::TickTock => stall(StallReason::Rollback, stamp.min(other_past + 1)),
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
        self.bounds
            .check(start)
            .map_err(|_| Refusal::SequenceStart(start, self.bounds))
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
