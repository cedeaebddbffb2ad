//! The rules on observed IDs, which say what word follows an ID, and whether a generator may enter
//! it.

use crate::engine::rules::{Reading, Rules};
use crate::engine::word::Word;
use crate::error::{ClockError, ErrorKind, ObserveError};
use crate::scheme::Scheme;
use crate::slot::Slot;
use crate::tick::Tick;
use crate::time::UnixTime;

impl<S: Scheme> Rules<S> {
    /// Returns the word of a generator that has just issued the last slot that is not after the
    /// observed ID, or `None` if all slots are. The slot is found by bisection.
    pub(crate) fn goal(
        &self,
        toggle: bool,
        is_after: impl Fn(&S, Slot<S>) -> bool,
    ) -> Option<Word<S>> {
        let is_past = |stamp: u64, sequence: u64| {
            let prefix = self.scheme.prefix(&self.node, Tick::in_range(stamp - 1), toggle);
            #[allow(clippy::cast_possible_truncation, reason = "at most the bounds' last, a u32")]
            is_after(&self.scheme, Slot::of(prefix, sequence as u32))
        };
        let (lowest, last) = (u64::from(self.bounds.lowest()), u64::from(self.bounds.last()));
        let last_stamp = self.scheme.last_tick() + 1;
        let stamp = last_not(self.floor, last_stamp, |stamp| is_past(stamp, lowest))?;
        let sequence = last_not(lowest, last, |sequence| is_past(stamp, sequence))?;
        Some(Word::new(stamp, toggle, sequence + 1))
    }

    /// Returns the first word of the tick after `word`'s.
    pub(crate) fn goal_after(&self, word: Word<S>) -> Result<Word<S>, ObserveError> {
        if word.stamp() > self.scheme.last_tick() {
            return Err(ObserveError::EndOfTime);
        }
        Ok(Word::new(word.stamp() + 1, word.toggle(), self.bounds.lowest().into()))
    }

    /// Converts a clock reading into ticks, for a call that issues nothing.
    pub(crate) fn read_to_observe(
        &self,
        time: Result<UnixTime, ClockError>,
    ) -> Result<Reading, ObserveError> {
        self.read(time).map_err(|error| match error.kind() {
            ErrorKind::Clock(error) => ObserveError::Clock(error),
            // A reading has no other errors.
            ErrorKind::EndOfTime
            | ErrorKind::Stalled(_)
            | ErrorKind::Closed
            | ErrorKind::Variant(_)
            | ErrorKind::SequenceStart { .. } => ObserveError::EndOfTime,
        })
    }

    /// Checks that a generator may be brought to `goal` at the reading `now`, and can then issue
    /// its next ID without a wait. `ceiling` is the stamp that may not be reached.
    pub(crate) fn check_goal(
        &self,
        goal: Word<S>,
        now: Reading,
        ceiling: u64,
    ) -> Result<(), ObserveError> {
        // An ID that uses up its tick puts the next one into the tick after it.
        let next = goal.stamp() + u64::from(goal.sequence() >= self.exhausted());
        if next > self.scheme.last_tick() + 1 {
            return Err(ObserveError::EndOfTime);
        }
        // The other half is left for overflows, and for a clock that goes back: otherwise observing
        // could make the generator stall.
        let allowance = self.policy.reach();
        let allowed = allowance / 2;
        // With an allowance, the generator overflows into the next tick. Without one, it would have
        // to wait for the clock to get there.
        let stamp = if allowance > 0 { goal.stamp() } else { next };
        // A tick behind the clock is allowed.
        if stamp.saturating_sub(now.stamp) > allowed {
            let time = |stamp: u64| self.scheme.time_of(Tick::in_range(stamp - 1));
            return Err(ObserveError::Ahead {
                time: time(stamp),
                now: now.time,
                allowed: time(now.stamp + allowed).saturating_since(time(now.stamp)),
                retry_after: time(stamp - allowed).saturating_since(now.time),
            });
        }
        if next >= ceiling {
            return Err(ObserveError::Window { tick: next - 1, ceiling: ceiling - 1 });
        }
        Ok(())
    }

    /// Returns `goal`, but not before the first sequence of its tick if `word` is not in that tick.
    pub(crate) fn enter(&self, word: Word<S>, goal: Word<S>, now: UnixTime) -> Word<S> {
        if goal.same_tick(word) {
            return goal;
        }
        // Calls would fail on a start outside of the bounds, so nothing is lost with the tick.
        let start = self.start(goal.stamp(), now).map_or(self.exhausted(), u64::from);
        goal.with_sequence(start.max(goal.sequence()))
    }
}

/// Returns the last number from `first` to `last` that is not past, or `None` if all are. `is_past`
/// must be monotone.
fn last_not(first: u64, last: u64, is_past: impl Fn(u64) -> bool) -> Option<u64> {
    if is_past(first) {
        return None;
    }
    let (mut low, mut high) = (first, last);
    while low < high {
        let middle = high - (high - low) / 2;
        if is_past(middle) {
            high = middle - 1;
        } else {
            low = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rules::toggling;
    use crate::example::{Node, Toggling};
    use crate::policy::Policy;
    use crate::sequence::{Fixed, SequenceBounds, StartRule};
    use crate::tick::Ticks;
    use crate::window::Window;

    const LAST: u64 = Toggling::LAST_TICK;

    /// Sequences 3 to 9 of node 7, from tick 100 on.
    fn rules(policy: Policy<Toggling>) -> Rules<Toggling> {
        let window = Window::new(Tick::in_range(100), LAST + 1).unwrap();
        let bounds = SequenceBounds::new(3, 9);
        Rules { bounds, ..toggling(policy, StartRule::Lowest, &window) }
    }

    fn id(tick: u64, toggle: bool, node: u8, sequence: u64) -> u64 {
        (tick << 1 | u64::from(toggle)) << 16 | u64::from(node) << 8 | sequence
    }

    /// Returns the tick and the next sequence after `id`.
    fn goal(toggle: bool, id: u64) -> Option<(u64, u64)> {
        let goal = rules(Policy::Wait).goal(toggle, |_, slot| slot.low() > id)?;
        assert_eq!(goal.toggle(), toggle);
        Some((goal.stamp() - 1, goal.sequence()))
    }

    #[test]
    fn goal_follows_the_last_own_slot() {
        for (observed, expected) in [
            (id(200, false, 7, 5), Some((200, 6))),
            (id(200, false, 7, 9), Some((200, 10))),
            (id(200, false, 7, 255), Some((200, 10))),
            (id(200, false, 8, 0), Some((200, 10))),
            (id(200, false, 7, 2), Some((199, 10))),
            (id(200, false, 6, 255), Some((199, 10))),
            (id(200, true, 0, 0), Some((200, 10))),
            (id(100, false, 7, 3), Some((100, 4))),
            (id(100, false, 7, 2), None),
            (0, None),
            (id(LAST, false, 7, 9), Some((LAST, 10))),
            (u64::MAX, Some((LAST, 10))),
        ] {
            assert_eq!(goal(false, observed), expected, "{observed:#x}");
        }
        assert_eq!(goal(true, id(200, false, 7, 5)), Some((199, 10)));
        assert_eq!(goal(true, id(200, true, 7, 5)), Some((200, 6)));
    }

    #[test]
    fn goal_is_between_two_own_ids() {
        let rules = rules(Policy::Wait);
        let own = |stamp: u64, sequence: u64| id(stamp - 1, false, 7, sequence);
        for tick in [100, 101, LAST - 1] {
            for observed in id(tick, false, 6, 250)..id(tick, false, 8, 6) {
                let Some(goal) = rules.goal(false, |_, slot| slot.low() > observed) else {
                    assert!(own(101, 3) > observed);
                    continue;
                };
                assert!(own(goal.stamp(), goal.sequence() - 1) <= observed);
                let next = match goal.sequence() {
                    10 => own(goal.stamp() + 1, 3),
                    sequence => own(goal.stamp(), sequence),
                };
                assert!(next > observed);
            }
        }
        assert_eq!(rules.node, Node(7));
    }

    fn check(policy: Policy<Toggling>, tick: u64, next: u64, now: u64) -> Result<(), ObserveError> {
        let rules = rules(policy);
        let time = UnixTime::from_micros(now.cast_signed() * 1_000_000 + 250_000);
        let now = rules.read_to_observe(Ok(time))?;
        rules.check_goal(Word::new(tick + 1, false, next), now, 1_001)
    }

    fn ratchet(allowance: u64) -> Policy<Toggling> {
        Policy::Ratchet { allowance: Ticks::new(allowance) }
    }

    #[test]
    fn half_the_allowance_is_accepted() {
        for (policy, most) in [
            (Policy::Wait, 0),
            (ratchet(0), 0),
            (ratchet(1), 0),
            (ratchet(2), 1),
            (ratchet(9), 4),
            (ratchet(u64::MAX), 400),
        ] {
            assert_eq!(check(policy, 500 + most, 9, 500), Ok(()), "{policy}");
            assert_eq!(check(policy, 200, 5, 500), Ok(()), "{policy}");
        }
        let seconds = |micros: i64| UnixTime::from_micros(micros);
        let ahead = check(ratchet(4), 510, 5, 500).unwrap_err();
        let expected = ObserveError::Ahead {
            time: seconds(510_000_000),
            now: seconds(500_250_000),
            allowed: core::time::Duration::from_secs(2),
            retry_after: core::time::Duration::from_micros(7_750_000),
        };
        assert_eq!(ahead, expected);
        assert_eq!(check(ratchet(4), 510, 5, 508), Ok(()), "when it says");
    }

    #[test]
    fn used_up_ticks_are_over_or_overflow() {
        for policy in [Policy::Wait, ratchet(0)] {
            let error = ObserveError::Ahead {
                time: UnixTime::from_micros(501_000_000),
                now: UnixTime::from_micros(500_250_000),
                allowed: core::time::Duration::ZERO,
                retry_after: core::time::Duration::from_micros(750_000),
            };
            assert_eq!(check(policy, 500, 10, 500), Err(error), "{policy}");
            assert_eq!(check(policy, 500, 10, 501), Ok(()), "{policy}");
        }
        for (policy, most) in [(ratchet(1), 0), (ratchet(2), 1), (ratchet(9), 4)] {
            assert_eq!(check(policy, 500 + most, 10, 500), Ok(()), "{policy}");
        }
    }

    #[test]
    fn goals_stay_below_the_ceiling() {
        let error = ObserveError::Window { tick: 1_000, ceiling: 1_000 };
        for (tick, next, now, checked) in [
            (999, 9, 999, Ok(())),
            (999, 10, 999, Err(error)),
            (999, 10, 1_000, Err(error)),
            (998, 10, 999, Ok(())),
            (1_000, 5, 1_000, Err(error)),
        ] {
            assert_eq!(check(ratchet(4), tick, next, now), checked, "{next} of {tick} at {now}");
        }
    }

    #[test]
    fn nothing_follows_the_last_slot() {
        for (next, is_ok) in [(9, true), (10, false)] {
            let rules = rules(Policy::Wait);
            let now = Reading { time: UnixTime::EPOCH, stamp: LAST + 1 };
            let checked = rules.check_goal(Word::new(LAST + 1, false, next), now, LAST + 2);
            assert_eq!(checked, if is_ok { Ok(()) } else { Err(ObserveError::EndOfTime) });
            let last = Word::new(LAST + 1, false, next);
            assert_eq!(rules.goal_after(last).err(), Some(ObserveError::EndOfTime));
            let before = Word::new(LAST, false, next);
            let after = rules.goal_after(before).map(|word| (word.stamp(), word.sequence()));
            assert_eq!(after, Ok((LAST + 1, 3)));
        }
    }

    #[test]
    fn new_ticks_start_where_they_would() {
        let rules = Rules { start: StartRule::Fixed(Fixed(6)), ..rules(Policy::Wait) };
        let at = |tick: u64, next| Word::<Toggling>::new(tick + 1, false, next);
        let enter = |word, goal| rules.enter(word, goal, UnixTime::EPOCH).sequence();
        for (word, next, entered) in
            [(at(200, 3), 4, 4), (at(199, 3), 4, 6), (at(199, 3), 8, 8), (at(199, 3), 10, 10)]
        {
            assert_eq!(enter(word, at(200, next)), entered);
        }
        let outside = Rules { start: StartRule::Fixed(Fixed(2)), ..rules };
        assert_eq!(outside.enter(at(199, 3), at(200, 4), UnixTime::EPOCH).sequence(), 10);
    }
}
