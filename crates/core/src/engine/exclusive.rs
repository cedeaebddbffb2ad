//! The engine for a single owner, which needs no atomics and skips no sequence.

use core::num::NonZeroU32;

use crate::clock::Clock;
use crate::engine::rules::{EngineStall, Reading, Rules, Step};
use crate::engine::state::{self, State};
use crate::engine::tick_cache::TickCache;
use crate::engine::word::Word;
use crate::engine::{Block, Engine};
use crate::error::{Error, ErrorKind, ObserveError, StallReason};
use crate::policy::Policy;
use crate::range::RangeError;
use crate::scheme::Scheme;
use crate::slot::Slot;
use crate::snapshot::Snapshot;
use crate::window::Window;

#[derive(Debug)]
pub(crate) struct ExclusiveEngine<S: Scheme> {
    /// The word except for its sequence, which is 0 here.
    tick: Word<S>,
    /// The next sequence together with the prefix's low word, which is the low word of the next
    /// slot.
    next: u64,
    /// One past the last sequence, in the same form.
    end: u64,
    rules: Rules<S>,
    window: Window<S>,
    /// The highest stamp that was ever left under each toggle.
    past: [u64; 2],
    drifts: u32,
    /// The facts about the word's tick, empty for a word that nothing can be drawn from.
    cache: TickCache,
}

impl<S: Scheme> ExclusiveEngine<S> {
    pub(crate) fn new(
        rules: Rules<S>,
        window: Window<S>,
        resumed: &Snapshot<S>,
    ) -> Result<Self, RangeError> {
        let () = Word::<S>::CHECKED;
        let (word, other_past) = state::resume(&rules.scheme, resumed, rules.bounds, &window)?;
        let mut past = [0; 2];
        past[usize::from(!word.toggle())] = other_past;
        let mut engine = Self {
            tick: word,
            next: 0,
            end: 0,
            rules,
            window,
            past,
            drifts: resumed.drifts,
            cache: TickCache::EMPTY,
        };
        engine.replace(word);
        Ok(engine)
    }

    /// The fast path, which returns the next slot of the word's tick if one is left and the tick is
    /// accepted at the clock's relaxed reading.
    #[inline]
    pub(crate) fn try_draw(&mut self, clock: &impl Clock) -> Option<Slot<S>> {
        let prefix = self.cache.prefix_at(clock.now_relaxed().ok()?)?;
        let low = self.next;
        if low == self.end {
            return None;
        }
        self.next = low.wrapping_add(1);
        Some(Slot::new(prefix.high, low))
    }

    /// Draws a block under `policy`, which need not be the engine's own.
    #[inline]
    pub(crate) fn try_block_under(
        &mut self,
        policy: Policy<S>,
        clock: &impl Clock,
        want: NonZeroU32,
    ) -> Result<Block<S>, Error> {
        let now = self.rules.read(clock.now_relaxed())?;
        if !self.tick.is_closed()
            && Rules::accepts(self.tick, now.stamp, policy)
            && let Some(len) = self.rules.left(self.word(), want)
        {
            return Ok(self.draw(len));
        }
        self.advance(policy, clock, want)
    }

    #[inline]
    fn word(&self) -> Word<S> {
        // Without other threads, nothing is ever drawn past the last sequence, so the sequence
        // fits its field.
        self.tick.with_sequence(self.next.wrapping_sub(self.cache.prefix.low))
    }

    /// Replaces the word and the cache of its tick.
    fn replace(&mut self, word: Word<S>) {
        self.tick = word.with_sequence(0);
        self.cache = if word.tick().is_none() || word.is_closed() {
            TickCache::EMPTY
        } else {
            self.rules.cache(word)
        };
        // One past the last slot may wrap around to 0.
        self.next = self.cache.prefix.low.wrapping_add(word.sequence());
        self.end = self.cache.prefix.low.wrapping_add(self.rules.exhausted());
    }

    /// Takes the next `len` sequences, which must be left.
    #[inline]
    fn draw(&mut self, len: NonZeroU32) -> Block<S> {
        let first = Slot::new(self.cache.prefix.high, self.next);
        self.next = self.next.wrapping_add(len.get().into());
        Block { cache: self.cache, first, len }
    }

    #[cold]
    fn advance(
        &mut self,
        policy: Policy<S>,
        clock: &impl Clock,
        want: NonZeroU32,
    ) -> Result<Block<S>, Error> {
        // The fast path knows only that it cannot go on. Which of the reasons it is depends on the
        // present time.
        let now = self.rules.read(clock.now())?;
        match self.step(policy, now) {
            Step::Draw => {}
            Step::Stall(stall) => return Err(self.rules.stalled(stall, Some(now.time))),
            Step::Move { stamp, toggle } => {
                let start = self.rules.start(stamp, now.time)?;
                // The clock went back, so IDs continue on the other side of the toggle. What was
                // used on this side is remembered, because it may be needed again.
                if toggle != self.tick.toggle() {
                    let past = &mut self.past[usize::from(self.tick.toggle())];
                    *past = self.tick.stamp().max(*past);
                    self.drifts = self.drifts.wrapping_add(1);
                }
                self.replace(Word::new(stamp, toggle, start.into()));
            }
        }
        // A new tick may be short of what was asked for: a block never spans two ticks.
        match self.rules.left(self.word(), want) {
            Some(len) => Ok(self.draw(len)),
            None => {
                let used_up = EngineStall::new(ErrorKind::Stalled(StallReason::TickUsedUp), None);
                Err(self.rules.stalled(used_up, Some(now.time)))
            }
        }
    }

    fn step(&self, policy: Policy<S>, now: Reading) -> Step<S> {
        if self.tick.is_closed() {
            return Step::Stall(EngineStall::new(ErrorKind::Closed, None));
        }
        let other_past = self.past[usize::from(!self.tick.toggle())];
        let ceiling = self.window.ceiling() + 1;
        self.rules.step(self.word(), now.stamp, policy, ceiling, other_past)
    }

    /// Raises the word, so that `is_after` returns true for every slot drawn later. `is_after` must
    /// be monotone, that is, once true, it stays true.
    #[cold]
    pub(crate) fn observe(
        &mut self,
        clock: &impl Clock,
        is_after: impl Fn(&S, Slot<S>) -> bool,
    ) -> Result<(), ObserveError> {
        if self.rules.policy.toggles() {
            return Err(ObserveError::TickTock);
        }
        if self.tick.is_closed() {
            return Err(ObserveError::Closed);
        }
        let word = self.word();
        // An ID that the next one would follow anyway needs no look at the clock.
        if let Some(goal) = self.rules.goal(word.toggle(), is_after)
            && word.bits() < goal.bits()
        {
            let now = self.rules.read_to_observe(clock.now())?;
            self.rules.check_goal(goal, now, self.window.ceiling() + 1)?;
            self.replace(self.rules.enter(word, goal, now.time));
        }
        Ok(())
    }

    pub(crate) fn rules(&self) -> &Rules<S> {
        &self.rules
    }

    pub(crate) fn widen(&mut self, ceiling: u64) -> Result<(), RangeError> {
        let wider = Rules::window(&self.rules.scheme, self.window.floor(), ceiling)?;
        if ceiling > self.window.ceiling() {
            self.window = wider;
        }
        Ok(())
    }

    /// Forgets everything that was issued, and starts over with a new seed.
    pub(crate) fn reset(&mut self, seed: u64) {
        self.rules.start.reseed(seed);
        self.replace(Word::PRISTINE);
        self.past = [0; 2];
    }

    pub(crate) fn close(&mut self) -> Snapshot<S> {
        self.replace(self.word().closed());
        self.state().snapshot
    }

    pub(crate) fn state(&self) -> State<S> {
        let other_past = self.past[usize::from(!self.tick.toggle())];
        State {
            snapshot: state::snapshot(self.word(), other_past, self.drifts, self.rules.bounds),
            window: self.window,
            is_closed: self.tick.is_closed(),
        }
    }
}

impl<S: Scheme> Engine<S> for ExclusiveEngine<S> {
    fn rules(&self) -> &Rules<S> {
        &self.rules
    }

    #[inline]
    fn try_block(&mut self, clock: &impl Clock, want: NonZeroU32) -> Result<Block<S>, Error> {
        self.try_block_under(self.rules.policy, clock, want)
    }

    fn check_ready(&self, clock: &impl Clock) -> Result<(), Error> {
        let now = self.rules.read(clock.now())?;
        match self.step(self.rules.policy, now) {
            Step::Draw | Step::Move { .. } => Ok(()),
            Step::Stall(stall) => Err(self.rules.stalled(stall, Some(now.time))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rules::toggling;
    use crate::engine::tests::{At, BlockFields, fields};
    use crate::error::ClockError;
    use crate::example::{Node, Toggling};
    use crate::sequence::{Fixed, RandomStart, Sequence, SequenceBounds, StartRule};
    use crate::tick::Tick;

    fn tick(tick: u64) -> Tick<Toggling> {
        Tick::new(tick).unwrap()
    }

    fn engine(start: impl Into<StartRule>) -> ExclusiveEngine<Toggling> {
        let rules = toggling(Policy::TickTock, start.into(), &Window::ALL);
        ExclusiveEngine::new(rules, Window::ALL, &Snapshot::EMPTY).unwrap()
    }

    fn draw(engine: &mut ExclusiveEngine<Toggling>, now: u64) -> Result<BlockFields, ErrorKind> {
        let block = engine.try_block(&At(|| Ok(now)), NonZeroU32::MIN);
        block.map(|block| fields(&block)).map_err(|error| error.kind())
    }

    /// Starts below the upper bound, except in one tick.
    #[derive(Debug)]
    struct WrongOnceAt(u64);

    impl Sequence for WrongOnceAt {
        fn start(&self, tick: u64, bounds: SequenceBounds) -> u32 {
            if tick == self.0 { bounds.last() + 1 } else { bounds.lowest() }
        }
    }

    #[test]
    fn a_refused_start_changes_nothing() {
        let mut engine = engine(WrongOnceAt(7));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        let refused = draw(&mut engine, 7);
        assert_eq!(refused, Err(ErrorKind::SequenceStart { start: 256, lowest: 0, last: 255 }));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn only_flips_leave_a_past() {
        let mut engine = engine(Fixed(0));
        for (now, drifts, other_past) in
            [(10, 0, None), (11, 0, None), (5, 1, Some(11)), (6, 1, Some(11)), (12, 1, Some(11))]
        {
            draw(&mut engine, now).unwrap();
            let snapshot = engine.state().snapshot;
            let flips = (snapshot.drifts, snapshot.other_past);
            assert_eq!(flips, (drifts, other_past.map(tick)), "{now}");
        }
    }

    #[test]
    fn a_stall_changes_nothing() {
        let mut engine = engine(Fixed(255));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        assert_eq!(draw(&mut engine, 10), Err(ErrorKind::Stalled(StallReason::TickUsedUp)));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn unreadable_clock_changes_nothing() {
        let mut engine = engine(Fixed(0));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        let error = ClockError::Unreadable { reason: "broken" };
        let refused = engine.try_block(&At(|| Err(error)), NonZeroU32::MIN).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Clock(error));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn closed_engine_issues_nothing() {
        let mut engine = engine(Fixed(0));
        draw(&mut engine, 10).unwrap();
        let snapshot = engine.close();
        for now in [5, 10, 11] {
            assert_eq!(draw(&mut engine, now), Err(ErrorKind::Closed), "{now}");
        }
        assert_eq!(engine.close(), snapshot);
        assert!(engine.state().is_closed, "closed again");
    }

    #[test]
    fn fast_path_draws_in_its_tick() {
        let mut engine = engine(Fixed(253));
        let try_draw =
            |engine: &mut ExclusiveEngine<_>, second| engine.try_draw(&At(|| Ok(second)));
        assert_eq!(try_draw(&mut engine, 0), None, "pristine");
        draw(&mut engine, 10).unwrap();
        let prefix = Toggling.prefix(&Node(7), tick(10), false);
        for (second, sequence) in
            [(9, None), (11, None), (10, Some(254)), (10, Some(255)), (10, None)]
        {
            let slot = try_draw(&mut engine, second);
            assert_eq!(slot, sequence.map(|sequence| Slot::of(prefix, sequence)), "{second}");
        }
        draw(&mut engine, 11).unwrap();
        engine.close();
        assert_eq!(try_draw(&mut engine, 11), None, "closed");
    }

    #[test]
    fn restored_engine_goes_on() {
        let rules = toggling(Policy::Wait, StartRule::Lowest, &Window::ALL);
        let snapshot = Snapshot::at(tick(10), 254);
        let mut engine = ExclusiveEngine::new(rules, Window::ALL, &snapshot).unwrap();
        assert_eq!(engine.try_draw(&At(|| Ok(10))).map(|slot| slot.low() & 0xff), Some(254));
        assert_eq!(draw(&mut engine, 10).map(|block| block.first), Ok(255));
    }

    #[test]
    fn reset_forgets_ticks_and_seed() {
        let mut engine = engine(RandomStart::new(1));
        // Under one toggle up to 10, under the other up to 12, under the first again at 11.
        for now in [10, 5, 12, 11] {
            draw(&mut engine, now).unwrap();
        }
        engine.reset(2);
        assert_eq!(engine.state().snapshot.highest_tick(), None);
        let start = RandomStart::new(2).start(3, engine.rules.bounds);
        let start = u64::from(start);
        assert_eq!(draw(&mut engine, 3).unwrap().first, start);
    }

    #[cfg(feature = "std")]
    #[test]
    fn readiness_draws_nothing() {
        let mut engine = engine(Fixed(254));
        let check = |engine: &ExclusiveEngine<_>, now| engine.check_ready(&At(|| Ok(now)));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        assert_eq!(check(&engine, 10), Ok(()));
        assert_eq!(check(&engine, 11), Ok(()));
        assert_eq!(check(&engine, 9), Ok(()), "it would flip");
        assert_eq!(engine.state(), before);
        draw(&mut engine, 10).unwrap();
        let used_up = check(&engine, 10).unwrap_err();
        assert_eq!(used_up.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
        assert_eq!(used_up.retry_after(), Some(core::time::Duration::from_secs(1)));
    }
}
