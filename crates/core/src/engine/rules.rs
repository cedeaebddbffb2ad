//! The rules on rollback, overflow and windows, all in one pure function, [`Rules::step`].
//!
//! It knows no clock and no atomics: a word and a reading come in, a decision comes out. So it can
//! be tested case by case, which is what the tables below do, and whoever wonders why a generator
//! waited needs to read only this file.
//!
//! Ticks appear here as *stamps*, which are a tick plus one. Zero is then free to mean "no tick
//! yet", and is behind every clock.

use core::num::NonZeroU32;

#[cfg(feature = "std")]
use crate::clock::Clock;
use crate::engine::Block;
use crate::engine::tick_cache::TickCache;
use crate::engine::word::Word;
use crate::error::{ClockError, Detail, Error, ErrorKind, StallReason};
use crate::policy::Policy;
use crate::range::RangeError;
use crate::scheme::{Scheme, Variant};
use crate::sequence::{SequenceBounds, StartRule};
use crate::slot::Slot;
use crate::tick::Tick;
use crate::time::UnixTime;
use crate::variant::Variants;
use crate::window::Window;

/// The settings of an engine, which never change.
#[derive(Clone, Debug)]
pub(crate) struct Rules<S: Scheme> {
    pub(crate) scheme: S,
    pub(crate) node: S::Node,
    pub(crate) policy: Policy<S>,
    pub(crate) bounds: SequenceBounds,
    pub(crate) start: StartRule,
    pub(crate) variants: Variants,
    /// The stamp of the first tick that may be issued.
    pub(crate) floor: u64,
}

/// The decision about a word at a clock reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<S> {
    /// Draw from the word, whose tick is accepted and has sequences left.
    Draw,
    /// Continue at this stamp and toggle.
    Move { stamp: u64, toggle: bool },
    /// Issue nothing.
    Stall(EngineStall<S>),
}

/// The reason why an engine cannot issue now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EngineStall<S> {
    pub(crate) reason: ErrorKind,
    /// The clock reading that lets the engine continue. It is `None` if no reading helps, or if the
    /// stall does not depend on the clock because the window has to be widened.
    pub(crate) until: Option<Tick<S>>,
    pub(crate) detail: Detail,
}

impl<S> EngineStall<S> {
    pub(crate) const fn new(reason: ErrorKind, until: Option<Tick<S>>) -> Self {
        Self { reason, until, detail: Detail::None }
    }
}

/// A clock reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) time: UnixTime,
    /// The tick that contains the time, plus one.
    pub(crate) stamp: u64,
}

impl<S: Scheme> Rules<S> {
    /// Returns the stamp of the first tick that `window` and the scheme allow.
    pub(crate) fn floor_of(window: &Window<S>) -> u64 {
        window.floor().get().max(S::FIRST_TICK) + 1
    }

    /// Returns the window from `floor` up to `ceiling` if the layout has its ticks. The ceiling of
    /// [`Window::ALL`] is accepted, whatever the layout, because it is not meant as a limit.
    pub(crate) fn window(
        scheme: &S,
        floor: Tick<S>,
        ceiling: u64,
    ) -> Result<Window<S>, RangeError> {
        let end = scheme.max_tick() + 1;
        if ceiling > end && ceiling < Window::<S>::ALL.ceiling() {
            let (value, min) = (ceiling.into(), i128::from(floor.get()) + 1);
            return Err(RangeError::new("window ceiling", value, min, end.into()));
        }
        Window::new(floor, ceiling)
    }

    /// Converts a clock reading into ticks.
    #[inline]
    pub(crate) fn read(&self, time: Result<UnixTime, ClockError>) -> Result<Reading, Error> {
        let time = match time {
            Ok(time) => time,
            Err(error) => return Err(self.error(ErrorKind::Clock(error), None)),
        };
        match self.scheme.tick_at(time) {
            Ok(tick) if (S::FIRST_TICK..=self.scheme.last_tick()).contains(&tick.get()) => {
                Ok(Reading { time, stamp: tick.get() + 1 })
            }
            _ => Err(self.out_of_range(time)),
        }
    }

    #[cold]
    fn out_of_range(&self, time: UnixTime) -> Error {
        let first = self.scheme.time_of(Tick::in_range(S::FIRST_TICK));
        let last = self.scheme.time_of(Tick::in_range(self.scheme.last_tick()));
        self.error(ErrorKind::Clock(ClockError::OutOfRange { time, first, last }), Some(time))
    }

    #[cold]
    fn error(&self, kind: ErrorKind, now: Option<UnixTime>) -> Error {
        Error { scheme: S::NAME, kind, now, until: None, detail: Detail::None }
    }

    /// Checks that IDs of `variant` may be issued. If all IDs of a scheme carry the node, this
    /// compiles to nothing.
    #[inline]
    pub(crate) fn check_variant(&self, variant: impl Variant<S>) -> Result<(), Error> {
        if S::HAS_NODELESS_IDS && !self.variants.contains(variant.has_node()) {
            return Err(self.error(ErrorKind::Variant(self.variants), None));
        }
        Ok(())
    }

    /// Returns the error of a call that met `stall` when the clock read `now`.
    #[cold]
    pub(crate) fn stalled(&self, stall: EngineStall<S>, now: Option<UnixTime>) -> Error {
        let until = stall.until.map(|tick| self.scheme.time_of(tick));
        Error { until, detail: stall.detail, ..self.error(stall.reason, now) }
    }

    /// Returns the facts about the tick of `word` that fast paths need.
    pub(crate) fn cache(&self, word: Word<S>) -> TickCache {
        // Only the pristine word has no tick, and it is never drawn from.
        let tick = word.tick().unwrap_or(Tick::MIN);
        TickCache::new(&self.scheme, &self.node, self.policy, tick, word.toggle())
    }

    /// Returns the `len` slots that start with the next sequence of `word`.
    pub(crate) fn block(&self, word: Word<S>, len: NonZeroU32) -> Block<S> {
        let cache = self.cache(word);
        Block { cache, first: Slot::of(cache.prefix, next_sequence(word)), len }
    }

    /// Returns one past the last sequence, which is the sequence of an exhausted word.
    #[inline]
    pub(crate) fn exhausted(&self) -> u64 {
        u64::from(self.bounds.last()) + 1
    }

    /// Reports whether `word` may be drawn from at the reading `now` (a stamp). Its tick must be
    /// the clock's tick, or ahead of it by no more than the policy allows.
    #[inline]
    pub(crate) fn accepts(word: Word<S>, now: u64, policy: Policy<S>) -> bool {
        // A word behind the clock wraps around to far more than any allowance.
        word.stamp().wrapping_sub(now) <= policy.reach()
    }

    /// Returns the number of sequences that `word` has left, at most `want`, or `None` if it is
    /// exhausted.
    #[inline]
    pub(crate) fn left(&self, word: Word<S>, want: NonZeroU32) -> Option<NonZeroU32> {
        let left = self.exhausted().checked_sub(word.sequence())?;
        #[allow(clippy::cast_possible_truncation, reason = "no more than `want`")]
        NonZeroU32::new(left.min(u64::from(want.get())) as u32)
    }

    /// Decides about `word` at the reading `now` (a stamp). `ceiling` is the stamp that may not be
    /// reached, and `other_past` is the highest stamp ever issued under the toggle that `word` does
    /// not have.
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
        // The clock has moved on, which is the only thing that ever happens to most generators.
        let Some(ahead) = stamp.checked_sub(now) else {
            return self.go(now, toggle, now, policy, ceiling);
        };
        // From here on, the clock is in the word's tick or behind it.
        match policy {
            _ if ahead <= policy.reach() && !exhausted => Step::Draw,
            // An overflow borrows the next tick. That makes `reach + 1` ticks ahead of the clock, but
            // never more: once there, the word is beyond the reach, and stalls below.
            Policy::Ratchet { .. } if ahead <= policy.reach() => {
                self.go(stamp + 1, toggle, now, policy, ceiling)
            }
            Policy::Ratchet { .. } => self.stall(StallReason::ClockBehind, stamp - policy.reach()),
            // The clock is in the word's tick, so the word is exhausted. A flip would not help: it
            // is for a clock that went back, and a full tick is not that.
            Policy::Wait | Policy::TickTock if ahead == 0 => {
                let detail = if toggle { Detail::Toggled } else { Detail::None };
                self.stall_until(resumes, StallReason::TickUsedUp, detail)
            }
            Policy::Wait => self.stall(StallReason::ClockBehind, resumes),
            // A flip is safe only beyond all ticks in which the other toggle was ever used.
            Policy::TickTock if now > other_past => self.go(now, !toggle, now, policy, ceiling),
            // Either the clock catches up with the word, or it passes what the other toggle has used.
            Policy::TickTock => self.stall(StallReason::ClockBehind, resumes.min(other_past + 1)),
        }
    }

    /// Moves to `stamp` where the window and the scheme's range allow it.
    fn go(&self, stamp: u64, toggle: bool, now: u64, policy: Policy<S>, ceiling: u64) -> Step<S> {
        // A ratchet may enter the window before the clock does, by its allowance and no earlier.
        let earliest = self.floor.saturating_sub(policy.reach());
        if now < earliest {
            return self.stall_until(earliest, StallReason::ClockBehind, Detail::BeforeWindow);
        }
        // The stamp can only be below the floor under a ratchet, and by no more than its allowance.
        let stamp = stamp.max(self.floor);
        if stamp > self.scheme.last_tick() + 1 {
            Step::Stall(EngineStall::new(ErrorKind::EndOfTime, None))
        } else if stamp >= ceiling {
            // If the clock itself is still inside, the ticks ran ahead of it and used the window up.
            let detail = if now < ceiling { Detail::WindowUsedUp } else { Detail::None };
            let reason = ErrorKind::Stalled(StallReason::WindowEnded);
            Step::Stall(EngineStall { detail, ..EngineStall::new(reason, None) })
        } else {
            Step::Move { stamp, toggle }
        }
    }

    /// Returns a stall until the tick of `stamp`, if the layout has it.
    fn stall(&self, reason: StallReason, stamp: u64) -> Step<S> {
        self.stall_until(stamp, reason, Detail::None)
    }

    fn stall_until(&self, stamp: u64, reason: StallReason, detail: Detail) -> Step<S> {
        let until = stamp.saturating_sub(1).max(S::FIRST_TICK);
        Step::Stall(if until <= self.scheme.last_tick() {
            let until = Some(Tick::in_range(until));
            EngineStall { detail, ..EngineStall::new(ErrorKind::Stalled(reason), until) }
        } else {
            EngineStall::new(ErrorKind::EndOfTime, None)
        })
    }

    /// Checks that the clock is past the tick `last`, in which a closed engine issued last.
    #[cfg(feature = "std")]
    pub(crate) fn check_over(
        &self,
        last: Option<Tick<S>>,
        clock: &impl Clock,
    ) -> Result<(), Error> {
        let Some(last) = last else { return Ok(()) };
        let last = last.get() + 1;
        let now = self.read(clock.now())?;
        if now.stamp > last {
            return Ok(());
        }
        match self.stall_until(last + 1, StallReason::ClockBehind, Detail::NotOver) {
            Step::Stall(stall) => Err(self.stalled(stall, Some(now.time))),
            Step::Draw | Step::Move { .. } => Ok(()),
        }
    }

    /// Returns the first sequence at `stamp`.
    pub(crate) fn start(&self, stamp: u64, now: UnixTime) -> Result<u32, Error> {
        let start = self.start.start(stamp - 1, self.bounds);
        self.bounds.check(start).map_err(|_| {
            let (lowest, last) = (self.bounds.lowest(), self.bounds.last());
            self.error(ErrorKind::SequenceStart { start, lowest, last }, Some(now))
        })
    }
}

/// Returns the sequence of `word` that is issued next, which must not lie in the guard.
#[inline]
pub(crate) fn next_sequence<S: Scheme>(word: Word<S>) -> u32 {
    #[allow(clippy::cast_possible_truncation, reason = "at most the bounds' last, a u32")]
    let next = word.sequence() as u32;
    next
}

/// Rules of the example scheme with a toggle, for sequences 0 to 255 and node 7.
#[cfg(test)]
pub(super) fn toggling(
    policy: Policy<crate::example::Toggling>,
    start: StartRule,
    window: &Window<crate::example::Toggling>,
) -> Rules<crate::example::Toggling> {
    Rules {
        scheme: crate::example::Toggling,
        node: crate::example::Node(7),
        policy,
        bounds: SequenceBounds::new(0, 255),
        start,
        variants: Variants::All,
        floor: Rules::floor_of(window),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{Node, Seconds, Toggling};
    use crate::sequence::Fixed;
    use crate::tick::Ticks;

    /// Sequences are 0 to 9, starting at the lowest.
    fn rules<S: Scheme<Node = Node>>(scheme: S, policy: Policy<S>) -> Rules<S> {
        Rules {
            scheme,
            node: Node(7),
            policy,
            bounds: SequenceBounds::new(0, 9),
            start: StartRule::Lowest,
            variants: Variants::All,
            floor: Rules::floor_of(&Window::<S>::ALL),
        }
    }

    const WINDOW_ENDED: ErrorKind = ErrorKind::Stalled(StallReason::WindowEnded);

    const ALL: [Policy<Toggling>; 3] = [ratchet(2), Policy::Wait, Policy::TickTock];

    const fn ratchet(allowance: u64) -> Policy<Toggling> {
        Policy::Ratchet { allowance: Ticks::new(allowance) }
    }

    /// One question to the rules, in ticks. Sequences are 0 to 9, the word's toggle is set.
    #[derive(Clone, Copy)]
    struct Question {
        floor: u64,
        ceiling: u64,
        /// The tick issued last and the next sequence in it.
        word: Option<(u64, u64)>,
        other_past: Option<u64>,
        now: u64,
        policy: Policy<Toggling>,
    }

    impl Question {
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
            let window = Window::<Toggling>::new(Tick::in_range(self.floor), self.ceiling).unwrap();
            let rules = Rules { floor: Rules::floor_of(&window), ..rules(Toggling, self.policy) };
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
        Step::Stall(EngineStall::new(ErrorKind::Stalled(reason), Some(Tick::in_range(until))))
    }

    fn before_the_window(until: u64) -> Step<Toggling> {
        let reason = ErrorKind::Stalled(StallReason::ClockBehind);
        let stall = EngineStall::new(reason, Some(Tick::in_range(until)));
        Step::Stall(EngineStall { detail: Detail::BeforeWindow, ..stall })
    }

    fn stalled_for_good(reason: ErrorKind) -> Step<Toggling> {
        Step::Stall(EngineStall::new(reason, None))
    }

    #[test]
    fn first_tick_is_the_clocks() {
        for policy in ALL {
            for now in [0, 100, Toggling::LAST_TICK] {
                let question =
                    Question { word: None, other_past: Some(200), ..Question::now(now, policy) };
                assert_eq!(question.step(), go(now, true), "{policy}");
            }
        }
    }

    #[test]
    fn moved_clock_moves_the_word() {
        for policy in ALL {
            for next in [5, 10] {
                let question = Question { word: Some((100, next)), ..Question::now(101, policy) };
                assert_eq!(question.step(), go(101, true), "{policy}");
            }
        }
    }

    #[test]
    fn a_clock_that_stands_draws() {
        for policy in ALL {
            assert_eq!(Question::now(100, policy).step(), Step::Draw, "{policy}");
        }
    }

    #[test]
    fn exhausted_tick_ends_with_clock() {
        let reason = ErrorKind::Stalled(StallReason::TickUsedUp);
        let used_up = EngineStall::new(reason, Some(Tick::in_range(101)));
        let used_up = Step::Stall(EngineStall { detail: Detail::Toggled, ..used_up });
        for (policy, step) in
            [(ratchet(0), go(101, true)), (Policy::Wait, used_up), (Policy::TickTock, used_up)]
        {
            let question = Question { word: Some((100, 10)), ..Question::now(100, policy) };
            assert_eq!(question.step(), step, "{policy}");
            // Equality ignores the toggle, as errors do.
            if let Step::Stall(stall) = question.step() {
                assert!(matches!(stall.detail, Detail::Toggled), "{policy}");
            }
        }
    }

    #[test]
    fn ratchet_stays_in_allowance() {
        let rollback = stalled(StallReason::ClockBehind, 98);
        for (now, step) in [(99, Step::Draw), (98, Step::Draw), (97, rollback)] {
            assert_eq!(Question::now(now, ratchet(2)).step(), step, "{now}");
        }
    }

    #[test]
    fn ratchet_overflows_by_one() {
        for (now, step) in [(98, go(101, true)), (97, stalled(StallReason::ClockBehind, 98))] {
            let question = Question { word: Some((100, 10)), ..Question::now(now, ratchet(2)) };
            assert_eq!(question.step(), step, "{now}");
        }
    }

    #[test]
    fn highest_allowance_reaches_all() {
        let last = Toggling::LAST_TICK;
        for allowance in [u64::MAX, u64::MAX - 1, 1 << 62] {
            let question =
                Question { word: Some((last, 5)), ..Question::now(0, ratchet(allowance)) };
            assert_eq!(question.step(), Step::Draw, "{allowance}");
            let below_the_floor = Question { word: None, floor: last, ..question };
            assert_eq!(below_the_floor.step(), go(last, true), "{allowance}");
        }
    }

    #[test]
    fn words_behind_are_never_accepted() {
        let word = Word::<Toggling>::new(100, false, 0);
        assert!(Rules::<Toggling>::accepts(word, 100, ratchet(u64::MAX)));
        assert!(!Rules::<Toggling>::accepts(word, 101, ratchet(u64::MAX)));
        let pristine = Word::<Toggling>::PRISTINE;
        for now in [1, Toggling::LAST_TICK + 1] {
            assert!(!Rules::<Toggling>::accepts(pristine, now, ratchet(u64::MAX)));
        }
    }

    #[test]
    fn waiting_waits_for_its_own_tick() {
        for now in [0, 98, 99] {
            let step = Question::now(now, Policy::Wait).step();
            assert_eq!(step, stalled(StallReason::ClockBehind, 100), "{now}");
        }
    }

    #[test]
    fn flips_only_past_the_other_past() {
        for (now, step) in [
            (49, stalled(StallReason::ClockBehind, 51)),
            (50, stalled(StallReason::ClockBehind, 51)),
            (51, go(51, false)),
            (99, go(99, false)),
        ] {
            let question =
                Question { other_past: Some(50), ..Question::now(now, Policy::TickTock) };
            assert_eq!(question.step(), step, "{now}");
        }
    }

    #[test]
    fn flips_anywhere_without_a_past() {
        let question = Question::now(0, Policy::TickTock);
        assert_eq!(question.step(), go(0, false));
    }

    #[test]
    fn stalls_until_nearer_own_tick() {
        for (other_past, until) in [(98, 99), (99, 100), (100, 100), (150, 100)] {
            let question =
                Question { other_past: Some(other_past), ..Question::now(70, Policy::TickTock) };
            assert_eq!(question.step(), stalled(StallReason::ClockBehind, until));
        }
    }

    #[test]
    fn own_tick_keeps_the_toggle() {
        for (now, step) in [(100, Step::Draw), (101, go(101, true))] {
            let question =
                Question { other_past: Some(150), ..Question::now(now, Policy::TickTock) };
            assert_eq!(question.step(), step, "{now}");
        }
    }

    #[test]
    fn flips_when_exhausted_too() {
        let question = Question { word: Some((100, 10)), ..Question::now(99, Policy::TickTock) };
        assert_eq!(question.step(), go(99, false));
    }

    #[test]
    fn only_ratchets_go_on_at_the_floor() {
        for (policy, now, step) in [
            (ratchet(2), 97, before_the_window(98)),
            (ratchet(2), 98, go(100, true)),
            (ratchet(2), 99, go(100, true)),
            (ratchet(0), 99, before_the_window(100)),
            (Policy::Wait, 99, before_the_window(100)),
            (Policy::TickTock, 99, before_the_window(100)),
            (Policy::Wait, 100, go(100, true)),
            (Policy::TickTock, 100, go(100, true)),
        ] {
            let question = Question { floor: 100, word: None, ..Question::now(now, policy) };
            assert_eq!(question.step(), step, "{policy} at {now}");
        }
    }

    #[test]
    fn first_tick_may_reach_the_floor() {
        let question = Question { floor: 100, word: None, ..Question::now(0, ratchet(100)) };
        assert_eq!(question.step(), go(100, true));
    }

    #[test]
    fn flips_only_down_to_the_floor() {
        for (now, step) in [(89, before_the_window(90)), (90, go(90, false))] {
            let question = Question { floor: 90, ..Question::now(now, Policy::TickTock) };
            assert_eq!(question.step(), step, "{now}");
        }
    }

    #[test]
    fn the_ceiling_is_not_reached() {
        for policy in ALL {
            for word in [None, Some((100, 5))] {
                let question = Question { ceiling: 150, word, ..Question::now(149, policy) };
                assert_eq!(question.step(), go(149, true), "{policy}");
                let beyond = Question { now: 150, ..question };
                let step = stalled_for_good(WINDOW_ENDED);
                assert_eq!(beyond.step(), step, "{policy}");
            }
        }
    }

    #[test]
    fn ratchet_stops_at_the_ceiling() {
        let question =
            Question { ceiling: 101, word: Some((100, 10)), ..Question::now(100, ratchet(2)) };
        let stall =
            EngineStall { detail: Detail::WindowUsedUp, ..EngineStall::new(WINDOW_ENDED, None) };
        assert_eq!(question.step(), Step::Stall(stall));
    }

    #[test]
    fn nothing_after_the_last_tick() {
        let last = Toggling::LAST_TICK;
        for policy in ALL {
            let question = Question { word: Some((last, 9)), ..Question::now(last, policy) };
            assert_eq!(question.step(), Step::Draw, "{policy}");
            let exhausted = Question { word: Some((last, 10)), ..question };
            let step = stalled_for_good(ErrorKind::EndOfTime);
            assert_eq!(exhausted.step(), step, "{policy}");
        }
    }

    #[test]
    fn counts_remaining_sequences() {
        let bounds = SequenceBounds::new(3, 9);
        let rules = Rules { bounds, ..rules(Toggling, Policy::Wait) };
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
    fn start_outside_bounds_is_refused() {
        let bounds = SequenceBounds::new(3, 9);
        for (start, is_ok) in [(2, false), (3, true), (9, true), (10, false)] {
            let rules = Rules {
                bounds,
                start: StartRule::Fixed(Fixed(start)),
                ..rules(Toggling, Policy::Wait)
            };
            let result = rules.start(100, UnixTime::EPOCH).map_err(|error| error.kind());
            let refused = ErrorKind::SequenceStart { start, lowest: 3, last: 9 };
            assert_eq!(result, if is_ok { Ok(start) } else { Err(refused) });
        }
    }

    #[test]
    fn unissuable_ticks_are_refused() {
        let rules = rules(Seconds, Policy::Wait);
        let second = |second: i64| UnixTime::from_micros(second * 1_000_000);
        let last = second(i64::from(u32::MAX));
        for (time, stamp) in [(second(-1), None), (second(5), Some(6)), (last, Some(1 << 32))] {
            let read = rules.read(Ok(time));
            assert_eq!(read.ok().map(|reading| reading.stamp), stamp, "{time}");
        }
        let beyond = second(1 << 32);
        let error = rules.read(Ok(beyond)).unwrap_err();
        let out_of_range = ClockError::OutOfRange { time: beyond, first: second(0), last };
        assert_eq!(error.kind(), ErrorKind::Clock(out_of_range));
    }
}
