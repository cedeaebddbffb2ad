//! The engine for many threads: one atomic word, which a thread draws from by adding first and
//! checking afterwards.
//!
//! The add comes first even where the cached tick has refused the call. Returning before it was
//! tried (2026-11-28, two processors), because then nothing would have to be given back. But a
//! thread may still read the cache of one tick and add to the next, which another thread has just
//! entered ahead of the clock. Unless that add is given back, the refused call loses a sequence,
//! which may be the tick's last. Of 4 IDs per tick of 1 ms, under a ratchet of 2 ticks, 16 waiting
//! threads got 87 to 88 %, and 93 to 99 % of the engine as it is. With 1 ID per tick or the policy
//! *wait*, they got 98 to 100 % of both. If adds are given back all the same, returning early makes
//! nothing simpler, so that was only measured: waiting threads got 99.9 %, and threads that repeat
//! refused calls at once got 100 %, instead of 40 to 46 %.

mod observing;
#[cfg(test)]
mod tests;

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
    /// The last tick in which `observe` relies on the word not to fall. It is stored as a word,
    /// whose sequence is the number of threads that are giving an add back.
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

/// Keeps the word alone on its cache lines. There are two, since processors fetch them in pairs.
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
    /// no sequences, unless a different thread has added since or has observed an ID of the tick.
    ///
    /// This cannot bring back a sequence that was issued. The sequences from the add on belong to
    /// this call until they are taken back. Meanwhile the word stays at their end or beyond it, and
    /// if it is exactly there, no thread has since drawn anything that it may issue. (Beyond the
    /// last sequence adds draw nothing.)
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

    /// The fast path, which adds up to [`MAX_ADD`](Word::MAX_ADD) sequences first and checks
    /// afterwards.
    ///
    /// Returns a block of all of them if the tick is cached and accepted at the clock's relaxed
    /// reading. Otherwise it returns the add, which must be [settled](Self::settle), because it may
    /// have drawn sequences.
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

    /// The slow path, which returns a block that starts with the sequences drawn, or a new block if
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
    /// `None` if a different one was faster.
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
