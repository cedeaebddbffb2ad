//! Observed IDs, which raise the word.

use crate::clock::Clock;
use crate::engine::shared::SharedEngine;
use crate::engine::word::Word;
use crate::error::ObserveError;
use crate::scheme::Scheme;
use crate::slot::Slot;
use crate::sync::Ordering;

impl<S: Scheme> SharedEngine<S> {
    /// Raises the word, so that `is_after` returns true for every slot that is drawn by a call that
    /// begins after this one has returned. `is_after` must be monotone, that is, once true, it
    /// stays true.
    #[cold]
    pub(crate) fn observe(
        &self,
        clock: &impl Clock,
        is_after: impl Fn(&S, Slot<S>) -> bool,
    ) -> Result<(), ObserveError> {
        if self.rules.policy.toggles() {
            return Err(ObserveError::TickTock);
        }
        // Under the other policies, the toggle never changes.
        let Some(mut goal) = self.rules.goal(self.load().toggle(), is_after) else {
            return if self.load().is_closed() { Err(ObserveError::Closed) } else { Ok(()) };
        };
        let mut is_held = false;
        loop {
            // The word, then the clock, then the exchange, as in `advance`.
            let word = self.load();
            if word.is_closed() {
                return Err(ObserveError::Closed);
            }
            if word.bits() < goal.bits() {
                let now = self.rules.read_to_observe(clock.now())?;
                // Relaxed: if a ceiling is seen late, the ID is only refused a little longer.
                self.rules.check_goal(goal, now, self.ceiling.load(Ordering::Relaxed))?;
                let new = self.rules.enter(word, goal, now.time);
                if self.raise(word, new) {
                    if !new.same_tick(word) && new.sequence() < self.rules.exhausted() {
                        // No other exchange ever leads to this tick and toggle.
                        self.cache.set(new.with_sequence(0).bits(), &self.rules.cache(new));
                    }
                    break;
                }
            } else if is_held || !word.same_tick(goal) {
                break;
            } else if self.hold(word) {
                // The word may have fallen before.
                is_held = true;
            } else if word.sequence() < self.rules.exhausted() {
                // The skipped sequence keeps the add from being given back.
                if self.raise(word, word.with_sequence(word.sequence() + 1)) {
                    break;
                }
            } else {
                // The add may have used up the tick, and still be given back. Like any call that
                // finds the tick used up, this one needs the next.
                goal = self.rules.goal_after(word)?;
            }
        }
        // Release pairs with the acquire of a handle that is about to draw a block.
        self.observed.fetch_max(goal.bits(), Ordering::Release);
        Ok(())
    }

    /// Exchanges a lower word of the same tick and toggle as `word` for `new`. Returns `false` if
    /// the word has left them, or is no longer lower.
    pub(in crate::engine) fn raise(&self, word: Word<S>, new: Word<S>) -> bool {
        let mut seen = word;
        while seen.same_tick(word) && !seen.is_closed() && seen.bits() < new.bits() {
            // Release, as in `exchange`.
            match self.hot.0.compare_exchange_weak(
                seen.bits(),
                new.bits(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(bits) => seen = Word::from_bits(bits),
            }
        }
        false
    }

    /// Returns a mark that rises when an ID is observed. Blocks drawn after this call lie beyond
    /// every ID that the mark counts.
    #[inline]
    pub(crate) fn observed_before_drawing(&self) -> u64 {
        self.observed.load(Ordering::Acquire)
    }

    /// Returns the mark, for a call that issues from a block drawn earlier.
    #[inline]
    pub(crate) fn observed(&self) -> u64 {
        // Relaxed: a call that begins after `observe` has returned sees at least its mark.
        self.observed.load(Ordering::Relaxed)
    }
}
