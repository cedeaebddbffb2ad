//! What is known of a tick in the terms of the clock and of its IDs, so that it is worked out once.

#[cfg(test)]
#[cfg(tickid_loom)]
mod models;

use crate::block::{Block, Stem};
use crate::policy::Policy;
use crate::scheme::Scheme;
#[cfg(target_has_atomic = "64")]
use crate::sync::{AtomicU64, Ordering, fence};
use crate::tick::Tick;
use crate::time::UnixTime;

/// The clock readings at which a policy accepts a tick, and what the tick's IDs begin with: a
/// subtraction and a comparison instead of a conversion to ticks and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: UnixTime,
    pub(crate) micros: u64,
    /// See [`Scheme::stem`].
    pub(crate) stem: Stem,
}

impl Span {
    /// No reading at all.
    pub(crate) const EMPTY: Self = Self { start: UnixTime::EPOCH, micros: 0, stem: Stem::EMPTY };

    /// The readings at which `policy` accepts the tick of `block`: from its allowance before the tick
    /// to its end.
    pub(crate) fn of<S: Scheme>(
        scheme: &S,
        node: &S::Node,
        block: &Block<S>,
        policy: Policy<S>,
    ) -> Self {
        let stem = scheme.stem(node, block.tick, block.toggle);
        let tick = block.tick.get();
        let first = tick.saturating_sub(policy.allowance()).max(S::FIRST_TICK);
        match Tick::new(tick + 1) {
            Ok(next) => {
                let start = scheme.time_of(Tick::held(first));
                let micros = scheme.time_of(next).as_micros().abs_diff(start.as_micros());
                Self { start, micros, stem }
            }
            // The last tick of the format, whose end has no tick. Who asks there converts.
            Err(_) => Self { stem, ..Self::EMPTY },
        }
    }

    #[inline]
    fn contains(&self, time: UnixTime) -> bool {
        // A time before the start wraps around to more than any span.
        let since = time.as_micros().wrapping_sub(self.start.as_micros()).cast_unsigned();
        since < self.micros
    }

    /// The stem, when it is `time` for it.
    #[inline]
    pub(crate) fn stem_at(&self, time: UnixTime) -> Option<Stem> {
        self.contains(time).then_some(self.stem)
    }
}

/// The span of the tick that a shared word is in, for all threads to read. Readers never wait, and
/// writers give way to each other.
///
/// A sequence lock in which the words themselves are the sequence: each is written once, by whoever
/// brought the engine's word to its tick, so that none comes back.
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct SharedSpan {
    /// The word whose span is complete, with sequence 0.
    word: AtomicU64,
    start: AtomicU64,
    micros: AtomicU64,
    head: AtomicU64,
    tail: AtomicU64,
    /// The word whose span was begun last; the same as `word` when that is complete.
    begun: AtomicU64,
    /// The process of the thread that is writing, as [`this_process`] has it, or [`NO_WRITER`]. That of another
    /// process was left behind by a `fork`.
    writer: AtomicU64,
}

#[cfg(target_has_atomic = "64")]
const NO_WRITER: u64 = u64::MAX;

/// A number that the process which this one was forked from did not have.
#[cfg(all(feature = "std", target_has_atomic = "64"))]
fn this_process() -> u64 {
    crate::fork::Process::this().number()
}

/// Without `std` nothing tells of a `fork`.
#[cfg(all(not(feature = "std"), target_has_atomic = "64"))]
const fn this_process() -> u64 {
    0
}

/// A word with sequence 0, and the span of its tick.
#[cfg(target_has_atomic = "64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) word: u64,
    pub(crate) span: Span,
}

#[cfg(target_has_atomic = "64")]
impl SharedSpan {
    /// No word's: with all bits set, the stamp is beyond the last.
    pub(crate) fn new() -> Self {
        Self {
            word: AtomicU64::new(u64::MAX),
            start: AtomicU64::new(0),
            micros: AtomicU64::new(0),
            head: AtomicU64::new(0),
            tail: AtomicU64::new(0),
            begun: AtomicU64::new(u64::MAX),
            writer: AtomicU64::new(NO_WRITER),
        }
    }

    /// The span that is known, and whose, when it is `time` for it and nobody has begun to write
    /// another.
    #[inline]
    pub(crate) fn at(&self, time: UnixTime) -> Option<Known> {
        // Acquire pairs with the release in `set`: the span read afterwards is of this word or a later
        // one.
        let word = self.word.load(Ordering::Acquire);
        let span = Span {
            start: UnixTime::from_micros(self.start.load(Ordering::Relaxed).cast_signed()),
            micros: self.micros.load(Ordering::Relaxed),
            stem: Stem::new(self.head.load(Ordering::Relaxed), self.tail.load(Ordering::Relaxed)),
        };
        // Whose stores any of these loads has seen, his `begun` is seen here: it comes before them.
        fence(Ordering::Acquire);
        let is_whole = self.begun.load(Ordering::Relaxed) == word;
        // One branch for both: the fewer there are between two adds, the longer may a thread keep the
        // engine's word.
        (is_whole & span.contains(time)).then_some(Known { word, span })
    }

    /// Makes `span`, which is that of `word`, known to all; not when another thread is just writing. Only
    /// once for every word.
    pub(crate) fn set(&self, word: u64, span: &Span) {
        let (this, writer) = (this_process(), self.writer.load(Ordering::Relaxed));
        // Acquire: the stores of the write before come before those of this one.
        let take = || {
            self.writer.compare_exchange(writer, this, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        if writer == this || !take() {
            return;
        }
        self.begun.store(word, Ordering::Relaxed);
        // Pairs with the fence in `at`.
        fence(Ordering::Release);
        self.start.store(span.start.as_micros().cast_unsigned(), Ordering::Relaxed);
        self.micros.store(span.micros, Ordering::Relaxed);
        self.head.store(span.stem.head, Ordering::Relaxed);
        self.tail.store(span.stem.tail, Ordering::Relaxed);
        self.word.store(word, Ordering::Release);
        self.writer.store(NO_WRITER, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;
    use crate::example::{Node, Seconds};
    use crate::tick::Ticks;

    fn seconds(seconds: i64) -> UnixTime {
        UnixTime::from_micros(seconds * 1_000_000)
    }

    fn span(tick: u64, policy: Policy<Seconds>) -> Span {
        let tick = Tick::new(tick).unwrap();
        let block = Block { tick, toggle: false, first: 3, len: NonZeroU32::MIN };
        Span::of(&Seconds, &Node(7), &block, policy)
    }

    #[test]
    fn reaches_from_the_allowance_before_the_tick_to_its_end() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(2) };
        for (policy, start) in [(Policy::Wait, 100), (ratchet, 98)] {
            let span = span(100, policy);
            let just = |time: UnixTime| UnixTime::from_micros(time.as_micros() - 1);
            assert_eq!(span.stem_at(just(seconds(start))), None, "{policy}");
            assert_eq!(span.stem_at(seconds(start)), Some(span.stem), "{policy}");
            assert_eq!(span.stem_at(just(seconds(101))), Some(span.stem), "{policy}");
            assert_eq!(span.stem_at(seconds(101)), None, "{policy}");
            assert_eq!(span.stem_at(UnixTime::MIN), None, "{policy}");
            assert_eq!(span.stem_at(UnixTime::MAX), None, "{policy}");
        }
    }

    #[test]
    fn nothing_is_known_of_the_end_of_the_last_tick() {
        let last = span(Seconds::MAX_TICK, Policy::Wait);
        assert_eq!(last.stem_at(seconds(i64::from(u32::MAX))), None);
        assert_eq!(last.stem, Seconds.stem(&Node(7), Tick::MAX, false));
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_shared_span_is_that_of_its_word() {
        let shared = SharedSpan::new();
        assert_eq!(shared.at(seconds(100)), None);
        for tick in [100, 101] {
            let (word, span) = (tick << 24, span(tick, Policy::Wait));
            shared.set(word, &span);
            assert_eq!(shared.at(seconds(tick.cast_signed())), Some(Known { word, span }));
        }
        assert_eq!(shared.at(seconds(100)), None);
        assert_eq!(shared.at(seconds(102)), None);
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_write_that_has_begun_keeps_readers_and_writers_away() {
        let shared = SharedSpan::new();
        shared.set(100, &span(100, Policy::Wait));
        shared.begun.store(101, Ordering::Relaxed);
        shared.writer.store(this_process(), Ordering::Relaxed);
        assert_eq!(shared.at(seconds(100)), None);
        shared.set(102, &span(102, Policy::Wait));
        assert_eq!(shared.word.load(Ordering::Relaxed), 100);
        assert_eq!(shared.at(seconds(102)), None);
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_write_that_a_fork_cut_short_is_written_over() {
        let shared = SharedSpan::new();
        shared.set(100, &span(100, Policy::Wait));
        shared.begun.store(101, Ordering::Relaxed);
        shared.writer.store(this_process() + 1, Ordering::Relaxed);
        assert_eq!(shared.at(seconds(100)), None);
        for tick in [102, 103] {
            let span = span(tick, Policy::Wait);
            shared.set(tick, &span);
            assert_eq!(shared.at(seconds(tick.cast_signed())), Some(Known { word: tick, span }));
        }
    }
}
