//! The engine of many threads: one atomic word, drawn from by adding first and looking after.

#[cfg(test)]
#[cfg(any(tickid_loom, tickid_shuttle))]
pub(super) mod models;

use core::num::NonZeroU32;

use crate::block::Block;
use crate::engine::exclusive::block;
use crate::engine::rules::{Rules, Step, stamp_of};
use crate::engine::snapshot::{self, Snapshot, State};
use crate::engine::span::{Known, SharedSpan};
use crate::engine::stall::{Stall, StallReason};
use crate::engine::word::Word;
use crate::engine::{Issue, Refusal, TickSource};
use crate::error::RangeError;
use crate::scheme::Scheme;
use crate::sequence::Sequence;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::tick::Tick;
use crate::time::UnixTime;
use crate::window::Window;

/// Lock-free for up to [`MAX_THREADS`](crate::engine::word::MAX_THREADS) threads.
///
/// Why one word: with the tick and the sequence in two atomics, a thread can see the new tick
/// together with the old sequence, draw from it, and have that sequence reset under it and issued
/// again.
#[derive(Debug)]
pub(crate) struct SharedEngine<S: Scheme, Q> {
    hot: Line<AtomicU64>,
    span: SharedSpan,
    rules: Rules<S, Q>,
    window: Window<S>,
    /// The stamp that may not be reached. Only rises, above the window's own ceiling.
    ceiling: AtomicU64,
    /// Per toggle, the highest stamp under which it was ever left: raised *before* the exchange that
    /// flips, so that whoever sees the flip sees it too.
    past: [AtomicU64; 2],
    /// How many flips have been counted; a flip is counted after its exchange.
    drifts: AtomicU32,
    /// The word as the first to close it found it, CLOSED; 0 until then. Calls that fail afterwards
    /// still add to the word itself.
    closed: AtomicU64,
}

/// Keeps the word alone on its cache lines (two: processors fetch them in pairs).
#[derive(Debug)]
#[repr(align(128))]
struct Line<T>(T);

impl<S: Scheme, Q: Sequence> SharedEngine<S, Q> {
    pub(crate) fn new(
        rules: Rules<S, Q>,
        window: Window<S>,
        resumed: &Snapshot<S>,
    ) -> Result<Self, RangeError> {
        let () = Word::<S>::CHECKED;
        let (word, other_past) = resumed.resume(rules.bounds, &window)?;
        let past = [AtomicU64::new(0), AtomicU64::new(0)];
        past[usize::from(!word.toggle())].store(other_past, Ordering::Relaxed);
        Ok(Self {
            hot: Line(AtomicU64::new(word.bits())),
            span: SharedSpan::new(),
            rules,
            window,
            ceiling: AtomicU64::new(window.ceiling() + 1),
            past,
            drifts: AtomicU32::new(resumed.drifts),
            closed: AtomicU64::new(0),
        })
    }

    /// Acquire pairs with the release of the exchange that wrote the tick (adds and clamps in between
    /// continue its release sequence): what was written to `past` before a flip is seen with it.
    fn load(&self) -> Word<S> {
        Word::from_bits(self.hot.0.load(Ordering::Acquire))
    }

    fn other_past(&self, word: Word<S>) -> u64 {
        // Relaxed: ordered by the acquiring read of `word`, see `load`.
        self.past[usize::from(!word.toggle())].load(Ordering::Relaxed)
    }

    fn step(&self, word: Word<S>, now: u64) -> Step<S> {
        if word.is_closed() {
            return Step::Stall(Stall::new(StallReason::Closed, None));
        }
        // Relaxed: a ceiling seen late only stalls a little longer.
        let ceiling = self.ceiling.load(Ordering::Relaxed);
        self.rules.step(word, now, self.rules.policy, ceiling, self.other_past(word))
    }

    /// Takes an add that ran past the last sequence out of the guard again, together with everyone
    /// else's in the same tick. Whoever ran past must do this before he returns anything.
    #[cold]
    fn clamp(&self, drawn: Word<S>) {
        let exhausted = self.rules.exhausted();
        let mut word = Word::<S>::from_bits(self.hot.0.load(Ordering::Relaxed));
        while word.same_tick(drawn) && word.sequence() > exhausted {
            // Relaxed: the next tick's sequences don't depend on this tick's.
            match self.hot.0.compare_exchange_weak(
                word.bits(),
                word.with_sequence(exhausted).bits(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(bits) => word = Word::from_bits(bits),
            }
        }
    }

    /// What is known of the tick that the word is in, when it is `time` for it.
    #[inline]
    pub(crate) fn known(&self, time: UnixTime) -> Option<Known> {
        self.span.at(time)
    }

    /// Adds first and looks after: draws up to [`MAX_ADD`](Word::MAX_ADD) sequences, to be looked at
    /// [quickly](Self::sequence_in) or [thoroughly](Self::settle). What the word was, which may be any.
    #[inline]
    pub(crate) fn draw(&self, want: NonZeroU32) -> Word<S> {
        // Relaxed: the word is all that adds share, and atomics agree on the order of one word's
        // changes. No load before it: that would fetch the line twice.
        Word::from_bits(self.hot.0.fetch_add(want.get().into(), Ordering::Relaxed))
    }

    /// The first of the `want` sequences drawn from `drawn`, if the tick is the `known` one and has them
    /// all. Then they are the caller's: the word was in that tick, and in no other, from before it
    /// became known until they were drawn.
    #[inline]
    pub(crate) fn sequence_in(
        &self,
        known: Known,
        drawn: Word<S>,
        want: NonZeroU32,
    ) -> Option<u32> {
        // More than any sequence for another tick or toggle, and for a CLOSED word.
        let sequence = drawn.bits() ^ known.word;
        let highest = self.rules.exhausted().checked_sub(want.get().into())?;
        #[allow(clippy::cast_possible_truncation, reason = "a sequence of the tick")]
        (sequence <= highest).then_some(sequence as u32)
    }

    /// A block that begins with what was drawn for it by adding `want`, or another one if that is not
    /// to be had.
    pub(crate) fn settle(
        &self,
        mut drawn: Word<S>,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        loop {
            // Before the clock, which is the caller's own code and may panic.
            if drawn.sequence() + u64::from(want.get()) > self.rules.exhausted() {
                self.clamp(drawn);
            }
            let tick = clock.glance().map_err(Refusal::Clock)?;
            if !drawn.is_closed()
                && Rules::<S, Q>::accepts(drawn, stamp_of(tick), self.rules.policy)
                && let Some(len) = self.rules.left(drawn, want)
            {
                return Ok(block(drawn, len));
            }
            // What was drawn is dropped: its tick is over, not yet allowed, or used up.
            if let Some(block) = self.advance(clock, want)? {
                return Ok(block);
            }
            drawn = self.draw(want);
        }
    }

    /// Brings the word to where it can be drawn from. `Some` when this thread did, with its block;
    /// `None` when somebody else has.
    #[cold]
    fn advance(
        &self,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Option<Block<S>>, Refusal<S>> {
        loop {
            // The word first, then the clock: a thread that sleeps between the two and across a step
            // of the clock must find the word changed, not drag it to where the clock has been.
            let word = self.load();
            let now =
                if word.is_closed() { 0 } else { stamp_of(clock.now().map_err(Refusal::Clock)?) };
            match self.step(word, now) {
                Step::Draw => return Ok(None),
                Step::Stall(stall) => return Err(Refusal::Stall(stall)),
                Step::Move { stamp, toggle } => {
                    let start = self.rules.start(stamp)?;
                    let fresh = Word::new(stamp, toggle, start.into());
                    if let Some(len) = self.rules.left(fresh, want)
                        && self.exchange(
                            word,
                            fresh.with_sequence(u64::from(start) + u64::from(len.get())),
                        )
                    {
                        let block = block(fresh, len);
                        // No other exchange ever leads to this tick and toggle.
                        self.span.set(
                            fresh.with_sequence(0).bits(),
                            &clock.span(&block, self.rules.policy),
                        );
                        return Ok(Some(block));
                    }
                }
            }
        }
    }

    /// Replaces a word of the same tick and toggle as `word`, whatever its sequence; `false` when
    /// there is none any more.
    ///
    /// That only the sequence moved changes nothing about the step taken, and to start over with
    /// every such failure would let those who add starve the one who moves on.
    fn exchange(&self, word: Word<S>, new: Word<S>) -> bool {
        let flips = word.toggle() != new.toggle();
        if flips {
            // Released by the exchange below.
            self.past[usize::from(word.toggle())].fetch_max(word.stamp(), Ordering::Relaxed);
        }
        let mut seen = word;
        loop {
            // Release publishes `past`; a failure is looked at for the word alone.
            match self.hot.0.compare_exchange_weak(
                seen.bits(),
                new.bits(),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => {
                    if flips {
                        self.drifts.fetch_add(1, Ordering::Relaxed);
                    }
                    return true;
                }
                Err(bits) => seen = Word::from_bits(bits),
            }
            if !seen.same_tick(word) || seen.is_closed() {
                return false;
            }
        }
    }

    pub(crate) fn rules(&self) -> &Rules<S, Q> {
        &self.rules
    }

    pub(crate) fn widen(&self, ceiling: u64) -> Result<(), RangeError> {
        Window::new(self.window.floor(), ceiling)?;
        self.ceiling.fetch_max(ceiling + 1, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn close(&self) -> Snapshot<S> {
        // Acquire: `past` of every flip that came before. Flips in flight fail from here on.
        let word = Word::<S>::from_bits(self.hot.0.fetch_or(Word::<S>::CLOSED, Ordering::AcqRel));
        let closed = word.closed().bits();
        // Relaxed: whichever closer's word it is, all that was ever issued came before it.
        let exchanged =
            self.closed.compare_exchange(0, closed, Ordering::Relaxed, Ordering::Relaxed);
        self.snapshot(exchanged.map_or_else(Word::from_bits, |_| word))
    }

    fn snapshot(&self, word: Word<S>) -> Snapshot<S> {
        let drifts = self.drifts.load(Ordering::Relaxed);
        snapshot::snapshot(word, self.other_past(word), drifts, self.rules.bounds)
    }

    pub(crate) fn state(&self) -> State<S> {
        let word = self.load();
        let ceiling = self.ceiling.load(Ordering::Relaxed) - 1;
        State {
            snapshot: self.snapshot(word),
            // It only ever rose, within the range that `widen` checked.
            window: Window::new(self.window.floor(), ceiling).unwrap_or(self.window),
            is_closed: word.is_closed(),
        }
    }
}

impl<S: Scheme, Q: Sequence> Issue<S> for &SharedEngine<S, Q> {
    #[inline]
    fn issue(
        &mut self,
        clock: &mut impl TickSource<S>,
        want: NonZeroU32,
    ) -> Result<Block<S>, Refusal<S>> {
        let want = want.min(Word::<S>::MAX_ADD);
        self.settle(self.draw(want), clock, want)
    }

    fn ready(&self, now: Tick<S>) -> Result<(), Stall<S>> {
        match self.step(self.load(), stamp_of(now)) {
            Step::Draw | Step::Move { .. } => Ok(()),
            Step::Stall(stall) => Err(stall),
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use core::panic::AssertUnwindSafe;
    use std::panic::catch_unwind;

    use super::*;
    use crate::engine::span::Span;
    use crate::engine::word::MAX_THREADS;
    use crate::error::ClockError;
    use crate::example::Toggling;
    use crate::policy::Policy;
    use crate::sequence::{LowestStart, SequenceBounds};

    type Engine = SharedEngine<Toggling, LowestStart>;

    /// Sequences 0 to 9 in every tick.
    fn engine(policy: Policy<Toggling>) -> Engine {
        let rules = Rules::new(policy, SequenceBounds::new(0, 9), LowestStart, &Window::ALL);
        SharedEngine::new(rules, Window::ALL, &Snapshot::EMPTY).unwrap()
    }

    fn tick(tick: u64) -> Tick<Toggling> {
        Tick::new(tick).unwrap()
    }

    fn many(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    /// Up to `want` sequences while the clock stands at `now`.
    fn draw(
        mut engine: &Engine,
        now: u64,
        want: u32,
    ) -> Result<Block<Toggling>, Refusal<Toggling>> {
        engine.issue(&mut || Ok(tick(now)), many(want))
    }

    fn reason(result: Result<Block<Toggling>, Refusal<Toggling>>) -> StallReason {
        match result {
            Err(Refusal::Stall(stall)) => stall.reason,
            other => panic!("no stall: {other:?}"),
        }
    }

    fn word(engine: &Engine) -> Word<Toggling> {
        Word::from_bits(engine.hot.0.load(Ordering::Relaxed))
    }

    /// As many calls as would carry into the tick if their adds were not taken back.
    fn more_than_the_guard_holds() -> core::ops::Range<u32> {
        // An interpreter, which looks for other faults than these, takes minutes for all of them.
        0..if cfg!(miri) { 20 } else { 2 * MAX_THREADS }
    }

    #[test]
    fn the_word_is_alone_on_its_cache_lines() {
        assert_eq!((size_of::<Line<AtomicU64>>(), align_of::<Line<AtomicU64>>()), (128, 128));
        let engines = [Policy::Wait, Policy::TickTock].map(engine);
        let lines = engines.each_ref().map(|engine| (&raw const engine.hot.0).addr() / 128);
        assert_ne!(lines[0], lines[1]);
        assert_eq!((&raw const engines[0].hot.0).addr() % 128, 0);
    }

    #[test]
    fn a_block_is_cut_at_the_last_sequence() {
        let engine = engine(Policy::Wait);
        assert_eq!(draw(&engine, 5, 7).unwrap().len.get(), 7);
        let rest = draw(&engine, 5, 7).unwrap();
        assert_eq!((rest.first, rest.len.get()), (7, 3));
        assert_eq!(reason(draw(&engine, 5, 1)), StallReason::Exhausted);
    }

    #[test]
    fn a_partial_block_leaves_nothing_in_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 7).unwrap();
        draw(&engine, 5, u32::MAX).unwrap();
        assert_eq!(word(&engine).sequence(), 10);
    }

    #[test]
    fn refused_calls_leave_the_word_exhausted_and_no_more() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 10).unwrap();
        let exhausted = word(&engine).bits();
        for want in more_than_the_guard_holds().flat_map(|_| [1, u32::MAX]) {
            assert_eq!(reason(draw(&engine, 5, want)), StallReason::Exhausted);
            assert_eq!(word(&engine).bits(), exhausted);
        }
    }

    #[test]
    fn calls_on_a_closed_word_leave_it_closed_and_in_its_tick() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        engine.close();
        for _ in more_than_the_guard_holds() {
            assert_eq!(reason(draw(&engine, 6, u32::MAX)), StallReason::Closed);
            assert!(word(&engine).is_closed());
            assert_eq!(word(&engine).tick(), Some(tick(5)));
        }
    }

    #[test]
    fn calls_before_the_first_tick_leave_the_word_pristine() {
        let window = Window::new(tick(100), 200).unwrap();
        let rules = Rules::new(Policy::Wait, SequenceBounds::new(0, 9), LowestStart, &window);
        let engine = SharedEngine::new(rules, window, &Snapshot::EMPTY).unwrap();
        for _ in more_than_the_guard_holds() {
            assert_eq!(reason(draw(&engine, 5, u32::MAX)), StallReason::Window);
            assert_eq!(word(&engine).tick(), None);
            assert!(!word(&engine).is_closed());
        }
        assert_eq!(draw(&engine, 100, 1).unwrap().first, 0);
    }

    #[test]
    fn calls_with_an_unreadable_clock_leave_nothing_in_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let error = ClockError::Unreadable { reason: "broken" };
        for _ in more_than_the_guard_holds() {
            let result = (&mut &engine).issue(&mut || Err(error), many(u32::MAX));
            assert_eq!(result, Err(Refusal::Clock(error)));
            assert_eq!(word(&engine).tick(), Some(tick(5)));
        }
        assert_eq!(word(&engine).sequence(), 10);
    }

    #[test]
    fn calls_whose_clock_panics_leave_nothing_in_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        for _ in 0..4 {
            let call = || (&mut &engine).issue(&mut || panic!("a clock's own"), many(u32::MAX));
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
            assert_eq!(word(&engine).sequence(), 10);
        }
    }

    #[test]
    fn sequences_are_found_in_the_open_word_of_the_known_tick_and_toggle_only() {
        let engine = engine(Policy::TickTock);
        let known = |stamp, toggle| Known {
            word: Word::<Toggling>::new(stamp, toggle, 0).bits(),
            span: Span::EMPTY,
        };
        let first = known(6, false);
        let one_of = |known, drawn| engine.sequence_in(known, drawn, many(1));
        assert_eq!(one_of(first, engine.draw(many(1))), None, "pristine");
        draw(&engine, 5, 8).unwrap();
        let second_last = engine.draw(many(1));
        assert_eq!(
            [1, 2, 3, u32::MAX].map(|n| engine.sequence_in(first, second_last, many(n))),
            [Some(8), Some(8), None, None]
        );
        assert_eq!(one_of(first, engine.draw(many(1))), Some(9));
        assert_eq!(one_of(first, engine.draw(many(1))), None, "past the last");

        draw(&engine, 3, 1).unwrap();
        let drawn = engine.draw(many(1));
        assert_eq!(one_of(known(4, true), drawn), Some(1));
        assert_eq!(one_of(known(4, false), drawn), None, "another toggle");
        assert_eq!(one_of(first, drawn), None, "another tick");
        engine.close();
        assert_eq!(one_of(known(4, true), engine.draw(many(1))), None, "closed");
    }

    #[test]
    fn closing_again_returns_the_same() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 3).unwrap();
        let first = engine.close();
        assert_eq!(first.next_sequence, 3);
        assert_eq!(reason(draw(&engine, 5, 1)), StallReason::Closed);
        assert_eq!(engine.close(), first);
    }

    #[test]
    fn an_exchange_in_flight_fails_once_the_engine_is_closed() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 10).unwrap();
        let before = word(&engine);
        engine.close();
        assert!(!engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).bits(), before.closed().bits());
    }

    #[test]
    fn an_exchange_goes_on_when_only_the_sequence_moved() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine);
        draw(&engine, 5, 3).unwrap();
        assert!(engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).tick(), Some(tick(8)));
    }

    #[test]
    fn an_exchange_fails_when_the_tick_moved() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine);
        draw(&engine, 6, 1).unwrap();
        let after = word(&engine);
        assert!(!engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).bits(), after.bits());
    }

    #[test]
    fn a_reading_from_before_a_step_of_the_clock_drags_nothing_forward() {
        let mut engine = &engine(Policy::Wait);
        draw(engine, 10, 1).unwrap();
        // This thread reads 100 twice. While it sleeps after the second time, the clock is stepped
        // to 50, where somebody else goes on.
        let readings = Cell::new(0);
        let block = engine.issue(
            &mut || {
                readings.set(readings.get() + 1);
                if readings.get() == 2 {
                    draw(engine, 50, 1).unwrap();
                }
                Ok(tick(if readings.get() <= 2 { 100 } else { 50 }))
            },
            many(1),
        );
        assert_eq!(block.unwrap().tick, tick(50));
    }

    #[test]
    fn a_flip_that_comes_too_late_starts_over() {
        let mut engine = &engine(Policy::TickTock);
        draw(engine, 10, 1).unwrap();
        // This thread means to flip at 5; while it sleeps, somebody else flips at 7.
        let readings = Cell::new(0);
        let block = engine
            .issue(
                &mut || {
                    readings.set(readings.get() + 1);
                    if readings.get() == 2 {
                        assert!(draw(engine, 7, 1).unwrap().toggle);
                    }
                    Ok(tick(if readings.get() <= 2 { 5 } else { 7 }))
                },
                many(1),
            )
            .unwrap();
        assert_eq!((block.tick, block.toggle, block.first), (tick(7), true, 1));
        assert_eq!(engine.close().drifts, 1);
    }

    #[test]
    fn widening_does_not_open_a_closed_engine() {
        let window = Window::new(tick(0), 5).unwrap();
        let rules = Rules::new(Policy::Wait, SequenceBounds::new(0, 9), LowestStart, &window);
        let engine = SharedEngine::new(rules, window, &Snapshot::EMPTY).unwrap();
        engine.close();
        engine.widen(10).unwrap();
        assert_eq!(reason(draw(&engine, 4, 1)), StallReason::Closed);
    }

    #[cfg(feature = "std")]
    #[test]
    fn asking_whether_it_is_ready_draws_nothing() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine).bits();
        for now in [4, 5, 6] {
            let ready = (&engine).ready(tick(now));
            assert_eq!(ready.is_ok(), now >= 5);
        }
        assert_eq!(word(&engine).bits(), before);
    }
}
