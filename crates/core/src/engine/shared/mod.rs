//! The engine for many threads: one atomic word, which a thread draws from by adding first and
//! checking afterwards.

mod observing;

use core::num::NonZeroU32;

use crate::clock::Clock;
use crate::engine::rules::{EngineStall, Reading, Rules, Step};
use crate::engine::shared_cache::SharedTickCache;
use crate::engine::state::{self, State};
use crate::engine::word::Word;
use crate::engine::{Block, Engine};
use crate::error::{Error, ErrorKind};
use crate::range::RangeError;
use crate::scheme::Scheme;
use crate::slot::Slot;
use crate::snapshot::Snapshot;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::window::Window;

/// The lock-free engine for up to [`MAX_THREADS`](crate::engine::word::MAX_THREADS) threads.
///
/// Tick and sequence share one word because with two atomics, a thread could see the new tick
/// together with the old sequence and draw from it, only for that sequence to be reset and issued
/// again.
#[derive(Debug)]
pub(crate) struct SharedEngine<S: Scheme> {
    pub(super) hot: CacheLine<AtomicU64>,
    cache: SharedTickCache,
    pub(super) rules: Rules<S>,
    window: Window<S>,
    /// The stamp that may not be reached. It only rises, starting at the window's own ceiling.
    pub(super) ceiling: AtomicU64,
    /// The highest stamp that was ever left under each toggle. It is raised *before* the exchange
    /// that flips, so a thread that sees the flip sees it too.
    pub(super) past: [AtomicU64; 2],
    /// The number of flips so far. A flip is counted after its exchange.
    drifts: AtomicU32,
    /// The word as the first call of `close` found it, with CLOSED set, or 0 until then. It is kept
    /// because calls that fail afterwards still add to the word itself.
    closed: AtomicU64,
    /// The highest word that an observed ID has required. It is raised *after* the word itself, so
    /// a handle that sees it draws from beyond it. The blocks that handles hold are behind the
    /// word.
    pub(super) observed: AtomicU64,
    /// The last tick in which `observe` relies on the word not to fall, as a word whose sequence is
    /// the number of threads that are giving an add back.
    pub(super) give_backs: AtomicU64,
}

/// An add to the shared word that is not yet known to have drawn anything.
#[derive(Clone, Copy, Debug)]
#[must_use = "an add that overshot has to be taken back by `settle`"]
#[allow(unnameable_types, reason = "part of the sealed `Source`")]
pub struct Drawn<S: Scheme> {
    /// The word as the add found it.
    pub(super) word: Word<S>,
    pub(super) want: NonZeroU32,
}

/// Keeps the word alone on its cache lines (two: processors fetch them in pairs).
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct CacheLine<T>(pub(super) T);

impl<S: Scheme> SharedEngine<S> {
    pub(crate) fn new(
        rules: Rules<S>,
        window: Window<S>,
        resumed: &Snapshot<S>,
    ) -> Result<Self, RangeError> {
        let () = Word::<S>::CHECKED;
        let (word, other_past) = state::resume(&rules.scheme, resumed, rules.bounds, &window)?;
        let past = [AtomicU64::new(0), AtomicU64::new(0)];
        past[usize::from(!word.toggle())].store(other_past, Ordering::Relaxed);
        Ok(Self {
            hot: CacheLine(AtomicU64::new(word.bits())),
            cache: SharedTickCache::new(),
            rules,
            window,
            ceiling: AtomicU64::new(window.ceiling() + 1),
            past,
            drifts: AtomicU32::new(resumed.drifts),
            closed: AtomicU64::new(0),
            observed: AtomicU64::new(0),
            give_backs: AtomicU64::new(0),
        })
    }

    /// Acquire pairs with the release of the exchange that wrote the tick. The adds and clamps in
    /// between continue its release sequence. A write to `past` before a flip is therefore visible
    /// together with the flip.
    pub(super) fn load(&self) -> Word<S> {
        Word::from_bits(self.hot.0.load(Ordering::Acquire))
    }

    fn other_past(&self, word: Word<S>) -> u64 {
        // Relaxed: ordered by the acquiring read of `word`, see `load`.
        self.past[usize::from(!word.toggle())].load(Ordering::Relaxed)
    }

    pub(super) fn step(&self, word: Word<S>, now: Reading) -> Step<S> {
        // Relaxed: if a ceiling is seen late, the stall only lasts a little longer.
        let ceiling = self.ceiling.load(Ordering::Relaxed);
        self.rules.step(word, now.stamp, self.rules.policy, ceiling, self.other_past(word))
    }

    /// Takes an add that ran past the last sequence back out of the guard, together with other
    /// threads' adds in the same tick. Any thread whose add overshot must clamp before returning.
    #[cold]
    pub(super) fn clamp(&self, drawn: Word<S>) {
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

    /// Takes an add back out of the word if nothing of it is issued, so that a refused call skips
    /// no sequences, unless another thread has added since or has observed an ID of the tick.
    ///
    /// The sequences from the add on belong to this call until they are taken back: meanwhile the
    /// word stays at their end or beyond it, and if it is there, no thread has drawn anything since
    /// that it may issue. (Beyond the last sequence adds draw nothing.) So no sequence is drawn
    /// again that was issued.
    #[cold]
    pub(super) fn give_back(&self, Drawn { word, want }: Drawn<S>) {
        if word.sequence() >= self.rules.exhausted() {
            return;
        }
        if self.start_giving_back(word) {
            self.take_back(Drawn { word, want });
            // Release pairs with the acquire of `hold`, which then finds the word as it is now.
            self.give_backs.fetch_sub(1, Ordering::Release);
        }
    }

    /// Counts this thread as one that gives an add back, unless the add is in a tick in which the
    /// word is [held](Self::hold). (The pristine word counts as held, since nothing is ever drawn
    /// from it.)
    fn start_giving_back(&self, drawn: Word<S>) -> bool {
        let count = |bits| Word::<S>::from_bits(bits).precedes(drawn).then_some(bits + 1);
        // Relaxed: it shares nothing but the count with `hold`, and changes of the word follow it
        // only if `hold` has not been called.
        self.give_backs.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count).is_ok()
    }

    pub(super) fn take_back(&self, Drawn { word, want }: Drawn<S>) {
        let exhausted = self.rules.exhausted();
        let end = word.sequence() + u64::from(want.get());
        // Relaxed, as all changes of a tick's sequences.
        let mut seen = Word::<S>::from_bits(self.hot.0.load(Ordering::Relaxed));
        while seen.same_tick(word)
            && !seen.is_closed()
            && (seen.sequence() == end || exhausted <= end.min(seen.sequence()))
        {
            match self.hot.0.compare_exchange_weak(
                seen.bits(),
                word.bits(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(bits) => seen = Word::from_bits(bits),
            }
        }
    }

    /// Keeps the word from falling within the tick of `word`, from now on. Returns `false` if a
    /// thread may be giving an add back already.
    pub(super) fn hold(&self, word: Word<S>) -> bool {
        let hold = |bits| {
            let held = Word::<S>::from_bits(bits);
            held.precedes(word).then(|| word.with_sequence(held.sequence()).bits())
        };
        // Acquire: if all threads are done, the word is loaded as they left it.
        let held = self.give_backs.fetch_update(Ordering::Acquire, Ordering::Acquire, hold);
        Word::<S>::from_bits(held.unwrap_or_else(|bits| bits)).sequence() == 0
    }

    /// The fast path: adds up to [`MAX_ADD`](Word::MAX_ADD) sequences first and checks afterwards.
    ///
    /// Returns a block of all of them if the tick is cached and accepted at the clock's relaxed
    /// reading; otherwise the add, which must be [settled](Self::settle).
    #[inline]
    pub(crate) fn try_draw(
        &self,
        clock: &impl Clock,
        want: NonZeroU32,
    ) -> Result<Block<S>, Drawn<S>> {
        // The clock comes first, so that after the add there is nothing left to wait for. If the
        // tick is left in the meantime, the add finds a word other than the cached one.
        let cached = clock.now_relaxed().ok().and_then(|time| self.cache.at(time));
        let drawn = self.draw(want);
        let Some(cached) = cached else { return Err(drawn) };
        // More than any sequence for another tick or toggle, and for a CLOSED word.
        let sequence = drawn.word.bits() ^ cached.word;
        match self.rules.exhausted().checked_sub(drawn.want.get().into()) {
            // From before it was cached until the sequences were drawn, the word was in the cached
            // tick and in no other, so the sequences belong to this call.
            Some(highest) if sequence <= highest => {
                #[allow(clippy::cast_possible_truncation, reason = "a sequence of the tick")]
                let first = Slot::of(cached.cache.prefix, sequence as u32);
                Ok(Block { cache: cached.cache, first, len: drawn.want })
            }
            _ => Err(drawn),
        }
    }

    #[inline]
    pub(super) fn draw(&self, want: NonZeroU32) -> Drawn<S> {
        let want = want.min(Word::<S>::MAX_ADD);
        // Relaxed: adds share nothing but the word, and all threads agree on the order of changes
        // to one word. A load before the add would fetch the cache line twice.
        let word = Word::from_bits(self.hot.0.fetch_add(want.get().into(), Ordering::Relaxed));
        Drawn { word, want }
    }

    /// The slow path: returns a block that starts with the sequences drawn, or another block if
    /// those cannot be used.
    pub(crate) fn settle(
        &self,
        mut drawn: Drawn<S>,
        clock: &impl Clock,
    ) -> Result<Block<S>, Error> {
        loop {
            let Drawn { word, want } = drawn;
            // The clock is read after this because it is the caller's code and may panic.
            if word.sequence() + u64::from(want.get()) > self.rules.exhausted() {
                self.clamp(word);
            }
            let now = self.rules.read(clock.now_relaxed());
            if let Ok(now) = now
                && !word.is_closed()
                && Rules::accepts(word, now.stamp, self.rules.policy)
                && let Some(len) = self.rules.left(word, want)
            {
                return Ok(self.rules.block(word, len));
            }
            // The tick of the sequences drawn is over, not yet accepted, or used up. Before the
            // step, which would take a tick that this add has used up for exhausted.
            self.give_back(drawn);
            now?;
            if let Some(block) = self.advance(clock, want)? {
                return Ok(block);
            }
            drawn = self.draw(want);
        }
    }

    /// Brings the word to a tick that can be drawn from. Returns a block if this thread did so, or
    /// `None` if another thread has.
    #[cold]
    fn advance(&self, clock: &impl Clock, want: NonZeroU32) -> Result<Option<Block<S>>, Error> {
        loop {
            // The word is loaded before the clock is read. If the thread is held up between the two
            // while the clock is stepped, its exchange must fail on a changed word rather than drag
            // the word to the earlier reading.
            let word = self.load();
            if word.is_closed() {
                return Err(self.rules.stalled(EngineStall::new(ErrorKind::Closed, None), None));
            }
            let now = self.rules.read(clock.now())?;
            match self.step(word, now) {
                Step::Draw => return Ok(None),
                Step::Stall(stall) => return Err(self.rules.stalled(stall, Some(now.time))),
                Step::Move { stamp, toggle } => {
                    let start = self.rules.start(stamp, now.time)?;
                    let fresh = Word::new(stamp, toggle, start.into());
                    if let Some(len) = self.rules.left(fresh, want)
                        && self.exchange(
                            word,
                            fresh.with_sequence(u64::from(start) + u64::from(len.get())),
                        )
                    {
                        let block = self.rules.block(fresh, len);
                        // No other exchange ever leads to this tick and toggle.
                        self.cache.set(fresh.with_sequence(0).bits(), &block.cache);
                        return Ok(Some(block));
                    }
                }
            }
        }
    }

    /// Replaces the word if it still has the tick and toggle of `word`, whatever its sequence.
    /// Returns `false` if it has left them.
    ///
    /// A moved sequence does not change the step to take. If it made this thread start over, the
    /// threads that add could starve the one that moves the word.
    fn exchange(&self, word: Word<S>, new: Word<S>) -> bool {
        let flips = word.toggle() != new.toggle();
        if flips {
            // Released by the exchange below.
            self.past[usize::from(word.toggle())].fetch_max(word.stamp(), Ordering::Relaxed);
        }
        let mut seen = word;
        loop {
            // Release publishes `past`. After a failure only the word itself is used.
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

    pub(crate) fn rules(&self) -> &Rules<S> {
        &self.rules
    }

    pub(crate) fn widen(&self, ceiling: u64) -> Result<(), RangeError> {
        Rules::window(&self.rules.scheme, self.window.floor(), ceiling)?;
        self.ceiling.fetch_max(ceiling + 1, Ordering::Relaxed);
        Ok(())
    }

    pub(crate) fn close(&self) -> Snapshot<S> {
        // Acquire makes the `past` of every earlier flip visible. Flips in flight fail from here
        // on.
        let word = Word::<S>::from_bits(self.hot.0.fetch_or(Word::<S>::CLOSED, Ordering::AcqRel));
        let closed = word.closed().bits();
        // Relaxed: whichever closing thread's word this is, everything ever issued came before it.
        let exchanged =
            self.closed.compare_exchange(0, closed, Ordering::Relaxed, Ordering::Relaxed);
        self.snapshot(exchanged.map_or_else(Word::from_bits, |_| word))
    }

    pub(super) fn snapshot(&self, word: Word<S>) -> Snapshot<S> {
        let drifts = self.drifts.load(Ordering::Relaxed);
        state::snapshot(word, self.other_past(word), drifts, self.rules.bounds)
    }

    pub(crate) fn state(&self) -> State<S> {
        let word = self.load();
        let ceiling = self.ceiling.load(Ordering::Relaxed) - 1;
        State {
            snapshot: self.snapshot(word),
            // The ceiling only ever rose, within the range that `widen` checked.
            window: Window::new(self.window.floor(), ceiling).unwrap_or(self.window),
            is_closed: word.is_closed(),
        }
    }
}

impl<S: Scheme> Engine<S> for &SharedEngine<S> {
    fn rules(&self) -> &Rules<S> {
        &self.rules
    }

    #[inline]
    fn try_block(&mut self, clock: &impl Clock, want: NonZeroU32) -> Result<Block<S>, Error> {
        self.try_draw(clock, want).or_else(|drawn| self.settle(drawn, clock))
    }

    fn check_ready(&self, clock: &impl Clock) -> Result<(), Error> {
        let now = self.rules.read(clock.now())?;
        let word = self.load();
        let step = if word.is_closed() {
            Step::Stall(EngineStall::new(ErrorKind::Closed, None))
        } else {
            self.step(word, now)
        };
        match step {
            Step::Draw | Step::Move { .. } => Ok(()),
            Step::Stall(stall) => Err(self.rules.stalled(stall, Some(now.time))),
        }
    }
}

#[cfg(test)]
mod tests {
    use core::cell::{Cell, RefCell};
    use core::panic::AssertUnwindSafe;
    use std::boxed::Box;
    use std::panic::catch_unwind;
    use std::rc::Rc;

    use super::*;
    use crate::engine::rules::toggling;
    use crate::engine::tests::{At, BlockFields, fields};
    use crate::engine::word::MAX_THREADS;
    use crate::error::{ClockError, StallReason};
    use crate::example::Toggling;
    use crate::policy::Policy;
    use crate::sequence::{Sequence, SequenceBounds, StartRule};
    use crate::tick::{Tick, Ticks};

    type Shared = SharedEngine<Toggling>;

    /// Sequences 0 to 9 in every tick.
    fn engine(policy: Policy<Toggling>) -> Shared {
        windowed(policy, Window::ALL)
    }

    fn windowed(policy: Policy<Toggling>, window: Window<Toggling>) -> Shared {
        let bounds = SequenceBounds::new(0, 9);
        let rules = Rules { bounds, ..toggling(policy, StartRule::Lowest, &window) };
        SharedEngine::new(rules, window, &Snapshot::EMPTY).unwrap()
    }

    fn tick(tick: u64) -> Tick<Toggling> {
        Tick::new(tick).unwrap()
    }

    fn many(n: u32) -> NonZeroU32 {
        NonZeroU32::new(n).unwrap()
    }

    /// Draws up to `want` slots while the clock stands at `now`.
    fn draw(mut engine: &Shared, now: u64, want: u32) -> Result<BlockFields, ErrorKind> {
        let block = engine.try_block(&At(|| Ok(now)), many(want));
        block.map(|block| fields(&block)).map_err(|error| error.kind())
    }

    fn word(engine: &Shared) -> Word<Toggling> {
        Word::from_bits(engine.hot.0.load(Ordering::Relaxed))
    }

    /// Enough calls to carry into the tick if their adds were not taken back.
    fn more_than_the_guard_holds() -> core::ops::Range<u32> {
        // Miri looks for other faults than these, and would take minutes for all of them.
        0..if cfg!(miri) { 20 } else { 2 * MAX_THREADS }
    }

    #[test]
    fn word_has_its_own_cache_lines() {
        assert_eq!(
            (size_of::<CacheLine<AtomicU64>>(), align_of::<CacheLine<AtomicU64>>()),
            (128, 128)
        );
        let engines = [Policy::Wait, Policy::TickTock].map(engine);
        let lines = engines.each_ref().map(|engine| (&raw const engine.hot.0).addr() / 128);
        assert_ne!(lines[0], lines[1]);
        assert_eq!((&raw const engines[0].hot.0).addr() % 128, 0);
    }

    #[test]
    fn blocks_end_at_last_sequence() {
        let engine = engine(Policy::Wait);
        assert_eq!(draw(&engine, 5, 7).unwrap().len, 7);
        let rest = draw(&engine, 5, 7).unwrap();
        assert_eq!((rest.first, rest.len), (7, 3));
        assert_eq!(draw(&engine, 5, 1), Err(ErrorKind::Stalled(StallReason::TickUsedUp)));
    }

    #[test]
    fn partial_block_clears_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 7).unwrap();
        draw(&engine, 5, u32::MAX).unwrap();
        assert_eq!(word(&engine).sequence(), 10);
    }

    #[test]
    fn refusals_only_exhaust_the_word() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 10).unwrap();
        let exhausted = word(&engine).bits();
        for want in more_than_the_guard_holds().flat_map(|_| [1, u32::MAX]) {
            assert_eq!(draw(&engine, 5, want), Err(ErrorKind::Stalled(StallReason::TickUsedUp)));
            assert_eq!(word(&engine).bits(), exhausted);
        }
    }

    #[test]
    fn closed_word_stays_closed() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        engine.close();
        for _ in more_than_the_guard_holds() {
            assert_eq!(draw(&engine, 6, u32::MAX), Err(ErrorKind::Closed));
            assert!(word(&engine).is_closed());
            assert_eq!(word(&engine).tick(), Some(tick(5)));
        }
    }

    #[test]
    fn early_calls_keep_pristine_word() {
        let window = Window::new(tick(100), 200).unwrap();
        let engine = windowed(Policy::Wait, window);
        for _ in more_than_the_guard_holds() {
            assert_eq!(
                draw(&engine, 5, u32::MAX),
                Err(ErrorKind::Stalled(StallReason::ClockBehind))
            );
            assert_eq!(word(&engine).tick(), None);
            assert!(!word(&engine).is_closed());
        }
        assert_eq!(draw(&engine, 100, 1).unwrap().first, 0);
    }

    #[test]
    fn refused_calls_skip_no_sequence() {
        for policy in [Policy::Wait, Policy::Ratchet { allowance: Ticks::new(2) }] {
            let engine = engine(policy);
            draw(&engine, 5, 3).unwrap();
            let before = word(&engine).bits();
            for want in [1, 4, 6, 7, 8, u32::MAX] {
                let refused = draw(&engine, 2, want);
                assert_eq!(
                    refused,
                    Err(ErrorKind::Stalled(StallReason::ClockBehind)),
                    "{want} under {policy}"
                );
                assert_eq!(word(&engine).bits(), before, "{want} under {policy}");
            }
        }
    }

    #[test]
    fn refused_calls_wait_for_their_own_tick() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 3).unwrap();
        // Tick 5 has sequences left, whatever the refused call asked for.
        let error = (&engine).try_block(&At(|| Ok(4)), many(u32::MAX)).unwrap_err();
        assert_eq!(error.retry_after(), Some(core::time::Duration::from_secs(1)));
    }

    #[test]
    fn only_the_last_add_is_given_back() {
        for want in [2, 7, u32::MAX] {
            let mut engine = &engine(Policy::Wait);
            draw(engine, 5, 3).unwrap();
            // Between the add and the reading of the clock, which is behind, another thread draws.
            let readings = Cell::new(0);
            let others = Cell::new(None);
            let clock = At(|| {
                readings.set(readings.get() + 1);
                if readings.get() == 2 {
                    others.set(draw(engine, 5, 2).ok());
                }
                Ok(4)
            });
            assert!(engine.try_block(&clock, many(want)).is_err());
            let rest = draw(engine, 5, 10);
            match (others.take(), rest) {
                // Its two follow the two of the refused call, which are skipped.
                (Some(others), Ok(rest)) => {
                    assert_eq!((others.first, others.len, rest.first), (5, 2, 7), "{want}");
                }
                // The refused call had used up the tick, so the other thread drew nothing.
                (None, Ok(rest)) => assert_eq!((rest.first, rest.len), (3, 7), "{want}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn failed_readings_clear_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let error = ClockError::Unreadable { reason: "broken" };
        for _ in more_than_the_guard_holds() {
            let refused = (&engine).try_block(&At(|| Err(error)), many(u32::MAX)).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Clock(error));
            assert_eq!(word(&engine).tick(), Some(tick(5)));
        }
        assert_eq!(word(&engine).sequence(), 1, "nothing is skipped");
    }

    #[test]
    fn clock_panics_clear_the_guard() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        for _ in 0..4 {
            // The first reading succeeds because it precedes the add.
            let readings = Cell::new(0);
            let clock = At(|| {
                readings.set(readings.get() + 1);
                if readings.get() > 1 { panic!("a fault of the clock") } else { Ok(6) }
            });
            let call = || (&engine).try_block(&clock, many(u32::MAX));
            assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
            assert_eq!((readings.get(), word(&engine).sequence()), (2, 10));
        }
    }

    #[test]
    fn fast_path_needs_cached_tick() {
        let engine = engine(Policy::TickTock);
        let try_draw = |now, n| {
            let block = engine.try_draw(&At(|| Ok(now)), many(n));
            block.map(|block| fields(&block)).map_err(|drawn| (drawn.word.tick(), drawn.want))
        };
        assert_eq!(try_draw(5, 1), Err((None, many(1))), "pristine");
        draw(&engine, 5, 7).unwrap();
        assert_eq!(try_draw(5, 1), Ok(BlockFields { tick: 5, toggle: false, first: 7, len: 1 }));
        assert_eq!(try_draw(6, 1), Err((Some(tick(5)), many(1))), "the clock moved on");
        assert_eq!(try_draw(5, 2), Err((Some(tick(5)), many(2))), "one is left");
        assert_eq!(try_draw(5, 1), Err((Some(tick(5)), many(1))), "past the last");

        draw(&engine, 3, 1).unwrap();
        assert_eq!(try_draw(3, 1), Ok(BlockFields { tick: 3, toggle: true, first: 1, len: 1 }));
        assert_eq!(try_draw(5, 1), Err((Some(tick(3)), many(1))), "the tick left before");
        engine.close();
        assert_eq!(try_draw(3, 1), Err((Some(tick(3)), many(1))), "closed");
    }

    #[test]
    fn fast_path_draws_the_last_sequence() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 9).unwrap();
        let last = engine.try_draw(&At(|| Ok(5)), many(1)).unwrap();
        assert_eq!(fields(&last), BlockFields { tick: 5, toggle: false, first: 9, len: 1 });
    }

    #[test]
    fn fast_path_rejects_a_moved_word() {
        let engine = engine(Policy::TickTock);
        draw(&engine, 5, 1).unwrap();
        for flip_to in [6, 4] {
            let cached =
                engine.cache.at(At::<fn() -> _>::time(engine.load().tick().unwrap().get()));
            // Between the reading of the clock and the add, another thread moves the word.
            let clock = At(|| {
                let before = engine.load().tick().unwrap().get();
                draw(&engine, flip_to, 1).unwrap();
                Ok(before)
            });
            assert!(cached.is_some());
            assert!(engine.try_draw(&clock, many(1)).is_err(), "{flip_to}");
        }
    }

    #[test]
    fn closing_is_idempotent() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 3).unwrap();
        let first = engine.close();
        assert_eq!(first.next_sequence, 3);
        assert_eq!(draw(&engine, 5, 1), Err(ErrorKind::Closed));
        assert_eq!(engine.close(), first);
    }

    #[test]
    fn exchange_fails_once_closed() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 10).unwrap();
        let before = word(&engine);
        engine.close();
        assert!(!engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).bits(), before.closed().bits());
    }

    #[test]
    fn exchange_ignores_the_sequence() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine);
        draw(&engine, 5, 3).unwrap();
        assert!(engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).tick(), Some(tick(8)));
    }

    #[test]
    fn exchange_fails_if_tick_moved() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine);
        draw(&engine, 6, 1).unwrap();
        let after = word(&engine);
        assert!(!engine.exchange(before, Word::new(9, false, 1)));
        assert_eq!(word(&engine).bits(), after.bits());
    }

    #[test]
    fn stale_readings_drag_nothing() {
        let mut engine = &engine(Policy::Wait);
        draw(engine, 10, 1).unwrap();
        // This thread reads 100 three times: before the add, after it, and in the slow path. Before
        // the last reading returns, the clock is stepped to 50, where another thread continues.
        let readings = Cell::new(0);
        let clock = At(|| {
            readings.set(readings.get() + 1);
            if readings.get() == 3 {
                draw(engine, 50, 1).unwrap();
            }
            Ok(if readings.get() <= 3 { 100 } else { 50 })
        });
        assert_eq!(fields(&engine.try_block(&clock, many(1)).unwrap()).tick, 50);
    }

    #[test]
    fn late_flips_start_over() {
        let mut engine = &engine(Policy::TickTock);
        draw(engine, 10, 1).unwrap();
        // This thread is about to flip at 5, but before it does, another thread flips at 7.
        let readings = Cell::new(0);
        let clock = At(|| {
            readings.set(readings.get() + 1);
            if readings.get() == 3 {
                assert!(draw(engine, 7, 1).unwrap().toggle);
            }
            Ok(if readings.get() <= 3 { 5 } else { 7 })
        });
        let block = fields(&engine.try_block(&clock, many(1)).unwrap());
        assert_eq!(block, BlockFields { tick: 7, toggle: true, first: 1, len: 1 });
        assert_eq!(engine.close().drifts, 1);
    }

    #[test]
    fn each_flip_is_counted() {
        let engine = engine(Policy::TickTock);
        for (now, drifts, other_past) in [
            (10, 0, None),
            (5, 1, Some(10)),
            (12, 1, Some(10)),
            (11, 2, Some(12)),
            (20, 2, Some(12)),
            (15, 3, Some(20)),
        ] {
            draw(&engine, now, 1).unwrap();
            let snapshot = engine.state().snapshot;
            let flips = (snapshot.drifts, snapshot.other_past);
            assert_eq!(flips, (drifts, other_past.map(tick)), "{now}");
        }
    }

    std::thread_local! {
        /// Calls of other threads, for [`Interrupted`].
        static MEANWHILE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    }

    /// Starts of ticks that others are waiting for: they call between the step and the exchange.
    #[derive(Debug)]
    struct Interrupted;

    impl Sequence for Interrupted {
        fn start(&self, _: u64, bounds: SequenceBounds) -> u32 {
            let others = MEANWHILE.with_borrow_mut(Option::take);
            others.into_iter().for_each(|others| others());
            bounds.lowest()
        }
    }

    #[test]
    fn late_flips_lower_no_past() {
        let rules = toggling(Policy::TickTock, StartRule::from(Interrupted), &Window::ALL);
        let engine = Rc::new(Shared::new(rules, Window::ALL, &Snapshot::EMPTY).unwrap());
        let ticks = |engine: &Shared, nows: &[u64]| {
            nows.iter().for_each(|&now| assert_eq!(draw(engine, now, 1).unwrap().tick, now));
        };
        ticks(&engine, &[10]);
        // This thread is about to leave tick 10 when others leave it, return at 11, go on to 20
        // and flip again.
        let others = engine.clone();
        MEANWHILE.set(Some(Box::new(move || ticks(&others, &[5, 12, 11, 20, 15]))));
        assert_eq!(draw(&engine, 7, 1), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
        // Below 20, the other toggle was used.
        assert_eq!(draw(&engine, 13, 1), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
        ticks(&engine, &[21]);
    }

    #[test]
    fn widening_reopens_nothing() {
        let window = Window::new(tick(0), 5).unwrap();
        let engine = windowed(Policy::Wait, window);
        engine.close();
        engine.widen(10).unwrap();
        assert_eq!(draw(&engine, 4, 1), Err(ErrorKind::Closed));
    }

    #[cfg(feature = "std")]
    #[test]
    fn readiness_draws_nothing() {
        let engine = engine(Policy::Wait);
        draw(&engine, 5, 1).unwrap();
        let before = word(&engine).bits();
        for now in [4, 5, 6] {
            let ready = (&engine).check_ready(&At(|| Ok(now)));
            assert_eq!(ready.is_ok(), now >= 5);
        }
        assert_eq!(word(&engine).bits(), before);
    }
}
