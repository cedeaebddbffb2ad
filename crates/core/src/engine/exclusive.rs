//! The engine of one owner: no atomics, skips no sequence.

use core::num::NonZeroU32;

use crate::block::{Block, Slot};
use crate::engine::rules::{Rules, Step, stamp_of};
use crate::engine::snapshot::{self, Snapshot, State};
use crate::engine::span::Span;
use crate::engine::stall::{Stall, StallReason};
use crate::engine::word::Word;
use crate::engine::{Issue, Refusal, TickSource};
use crate::error::RangeError;
use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::sequence::Sequence;
use crate::tick::Tick;
use crate::time::UnixTime;
use crate::window::Window;

#[derive(Debug)]
pub(crate) struct ExclusiveEngine<S: Scheme, Q> {
    /// The word but for its sequence, which is 0 here.
    tick: Word<S>,
    /// The sequence to issue next, with what is known of the stem's tail above it: the tail of the next
    /// slot.
    next: u64,
    /// One past the last sequence, in the same way.
    end: u64,
    rules: Rules<S, Q>,
    window: Window<S>,
    /// The highest stamp under each toggle that was ever left.
    past: [u64; 2],
    drifts: u32,
    /// What is known of the word's tick under the engine's own policy.
    span: Span,
}

impl<S: Scheme, Q: Sequence> ExclusiveEngine<S, Q> {
    pub(crate) fn new(
        rules: Rules<S, Q>,
        window: Window<S>,
        resumed: &Snapshot<S>,
    ) -> Result<Self, RangeError> {
        let () = Word::<S>::CHECKED;
        let (word, other_past) = resumed.resume(rules.bounds, &window)?;
        let mut past = [0; 2];
        past[usize::from(!word.toggle())] = other_past;
        Ok(Self {
            tick: word.with_sequence(0),
            next: word.sequence(),
            end: rules.exhausted(),
            rules,
            window,
            past,
            drifts: resumed.drifts,
            span: Span::EMPTY,
        })
    }

    #[inline]
    pub(crate) fn issue_under(
        &mut self,
        policy: Policy<S>,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        let now = stamp_of(clock.glance().map_err(Refusal::Clock)?);
        if !self.tick.is_closed()
            && Rules::<S, Q>::accepts(self.tick, now, policy)
            && let Some(len) = self.rules.left(self.word(), want)
        {
            return Ok(self.draw(len));
        }
        self.advance(policy, clock, want)
    }

    #[inline]
    fn word(&self) -> Word<S> {
        // Without threads nothing is ever drawn past the last sequence, so that this fits.
        self.tick.with_sequence(self.next.wrapping_sub(self.span.stem.tail))
    }

    /// The next slot of the word's tick, if one is left and `time` is known to be right for it.
    #[inline]
    pub(crate) fn draw_at(&mut self, time: UnixTime) -> Option<Slot<S>> {
        let stem = self.span.stem_at(time)?;
        let tail = self.next;
        if tail == self.end {
            return None;
        }
        self.next = tail.wrapping_add(1);
        Some(Slot::new(stem.head, tail))
    }

    /// Another tick, or none: what was known of the times is over.
    fn replace(&mut self, word: Word<S>) {
        self.tick = word.with_sequence(0);
        self.know(word, Span::EMPTY);
    }

    /// `span` is what is known of the tick of `word`, the engine's.
    fn know(&mut self, word: Word<S>, span: Span) {
        // One past the last slot may wrap around to 0.
        self.next = span.stem.tail.wrapping_add(word.sequence());
        self.end = span.stem.tail.wrapping_add(self.rules.exhausted());
        self.span = span;
    }

    /// Takes the next `len` sequences, which must be left.
    #[inline]
    fn draw(&mut self, len: NonZeroU32) -> Block<S> {
        let block = block(self.word(), len);
        self.next = self.next.wrapping_add(len.get().into());
        block
    }

    #[cold]
    fn advance(
        &mut self,
        policy: Policy<S>,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        let now = stamp_of(clock.now().map_err(Refusal::Clock)?);
        match self.step(policy, now) {
            Step::Draw => {}
            Step::Stall(stall) => return Err(Refusal::Stall(stall)),
            Step::Move { stamp, toggle } => {
                let start = self.rules.start(stamp)?;
                if toggle != self.tick.toggle() {
                    let past = &mut self.past[usize::from(self.tick.toggle())];
                    *past = self.tick.stamp().max(*past);
                    self.drifts = self.drifts.wrapping_add(1);
                }
                self.replace(Word::new(stamp, toggle, start.into()));
            }
        }
        let Some(len) = self.rules.left(self.word(), want) else {
            return Err(Refusal::Stall(Stall::new(StallReason::Exhausted, None)));
        };
        let block = self.draw(len);
        self.know(self.word(), clock.span(&block, self.rules.policy));
        Ok(block)
    }

    fn step(&self, policy: Policy<S>, now: u64) -> Step<S> {
        if self.tick.is_closed() {
            return Step::Stall(Stall::new(StallReason::Closed, None));
        }
        let other_past = self.past[usize::from(!self.tick.toggle())];
        let ceiling = self.window.ceiling() + 1;
        self.rules.step(self.word(), now, policy, ceiling, other_past)
    }

    pub(crate) fn rules(&self) -> &Rules<S, Q> {
        &self.rules
    }

    pub(crate) fn widen(&mut self, ceiling: u64) -> Result<(), RangeError> {
        let wider = Window::new(self.window.floor(), ceiling)?;
        if ceiling > self.window.ceiling() {
            self.window = wider;
        }
        Ok(())
    }

    /// Forgets everything and starts over with a new seed.
    pub(crate) fn reset(&mut self, seed: u64) {
        self.rules.sequence.reseed(seed);
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
            snapshot: snapshot::snapshot(self.word(), other_past, self.drifts, self.rules.bounds),
            window: self.window,
            is_closed: self.tick.is_closed(),
        }
    }
}

impl<S: Scheme, Q: Sequence> Issue<S> for ExclusiveEngine<S, Q> {
    #[inline]
    fn issue(
        &mut self,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        self.issue_under(self.rules.policy, clock, want)
    }

    fn ready(&self, now: Tick<S>) -> Result<(), Stall<S>> {
        match self.step(self.rules.policy, stamp_of(now)) {
            Step::Draw | Step::Move { .. } => Ok(()),
            Step::Stall(stall) => Err(stall),
        }
    }
}

/// The `len` sequences that begin with the next of `word`.
#[inline]
pub(crate) fn block<S: Scheme>(word: Word<S>, len: NonZeroU32) -> Block<S> {
    #[allow(clippy::cast_possible_truncation, reason = "at most the bounds' last, a u32")]
    let first = word.sequence() as u32;
    // Only the pristine word has no tick, and it never has a sequence left.
    let tick = word.tick().unwrap_or(Tick::MIN);
    Block { tick, toggle: word.toggle(), first, len }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ClockError;
    use crate::example::{Node, Toggling};
    use crate::sequence::{FixedStart, RandomStart, SequenceBounds};

    fn tick(tick: u64) -> Tick<Toggling> {
        Tick::new(tick).unwrap()
    }

    fn engine<Q: Sequence>(sequence: Q) -> ExclusiveEngine<Toggling, Q> {
        let bounds = SequenceBounds::new(0, 255);
        let rules = Rules::new(Policy::TickTock, bounds, sequence, &Window::ALL);
        ExclusiveEngine::new(rules, Window::ALL, &Snapshot::EMPTY).unwrap()
    }

    fn draw<Q: Sequence>(
        engine: &mut ExclusiveEngine<Toggling, Q>,
        now: u64,
    ) -> Result<Block<Toggling>, Refusal<Toggling>> {
        engine.issue(&mut || Ok(tick(now)), NonZeroU32::MIN)
    }

    /// Starts as it should, but for one tick.
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
        assert!(matches!(refused, Err(Refusal::SequenceStart(256, _))));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn only_a_flip_is_counted_and_leaves_a_past() {
        let mut engine = engine(FixedStart(0));
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
        let mut engine = engine(FixedStart(255));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        assert!(matches!(draw(&mut engine, 10), Err(Refusal::Stall(_))));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn an_unreadable_clock_changes_nothing() {
        let mut engine = engine(FixedStart(0));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        let error = ClockError::Unreadable { reason: "broken" };
        let refused = engine.issue(&mut || Err(error), NonZeroU32::MIN);
        assert_eq!(refused, Err(Refusal::Clock(error)));
        assert_eq!(engine.state(), before);
    }

    #[test]
    fn a_closed_engine_issues_nothing_of_its_tick() {
        let mut engine = engine(FixedStart(0));
        draw(&mut engine, 10).unwrap();
        let snapshot = engine.close();
        for now in [5, 10, 11] {
            let refused = draw(&mut engine, now);
            let closed = Stall::new(StallReason::Closed, None);
            assert_eq!(refused, Err(Refusal::Stall(closed)), "{now}");
        }
        assert_eq!(engine.close(), snapshot);
        assert!(engine.state().is_closed, "closed again");
    }

    /// A clock that tells what it knows of a tick, as those outside of the engine do.
    struct Knowing(u64);

    impl TickSource<Toggling> for Knowing {
        fn now(&mut self) -> Result<Tick<Toggling>, ClockError> {
            Ok(tick(self.0))
        }

        fn glance(&mut self) -> Result<Tick<Toggling>, ClockError> {
            Ok(tick(self.0))
        }

        fn span(&self, block: &Block<Toggling>, policy: Policy<Toggling>) -> Span {
            Span::of(&Toggling, &Node(7), block, policy)
        }
    }

    #[test]
    fn slots_of_a_known_tick_are_drawn_while_it_is_time_for_it_and_one_is_left() {
        let mut engine = engine(FixedStart(253));
        assert_eq!(engine.draw_at(UnixTime::EPOCH), None, "pristine");
        engine.issue(&mut Knowing(10), NonZeroU32::MIN).unwrap();
        let stem = Toggling.stem(&Node(7), tick(10), false);
        for (second, sequence) in
            [(9, None), (11, None), (10, Some(254)), (10, Some(255)), (10, None)]
        {
            let slot = engine.draw_at(UnixTime::from_micros(second * 1_000_000));
            assert_eq!(slot, sequence.map(|sequence| Slot::of(stem, sequence)), "{second}");
        }
        engine.issue(&mut Knowing(11), NonZeroU32::MIN).unwrap();
        engine.close();
        assert_eq!(engine.draw_at(UnixTime::from_micros(11_000_000)), None, "closed");
    }

    #[test]
    fn a_reset_forgets_the_ticks_and_takes_the_new_seed() {
        let mut engine = engine(RandomStart::new(1));
        // Under one toggle up to 10, under the other up to 12, under the first again at 11.
        for now in [10, 5, 12, 11] {
            draw(&mut engine, now).unwrap();
        }
        engine.reset(2);
        assert_eq!(engine.state().snapshot.highest_tick(), None);
        let start = RandomStart::new(2).start(3, engine.rules().bounds);
        assert_eq!(draw(&mut engine, 3).unwrap().first, start);
    }

    #[cfg(feature = "std")]
    #[test]
    fn asking_whether_it_is_ready_draws_nothing() {
        let mut engine = engine(FixedStart(254));
        draw(&mut engine, 10).unwrap();
        let before = engine.state();
        assert_eq!(engine.ready(tick(10)), Ok(()));
        assert_eq!(engine.ready(tick(11)), Ok(()));
        assert_eq!(engine.state(), before);
        draw(&mut engine, 10).unwrap();
        let used_up = Stall::new(StallReason::Exhausted, Some(tick(11)));
        assert_eq!(engine.ready(tick(10)), Err(used_up));
    }
}
