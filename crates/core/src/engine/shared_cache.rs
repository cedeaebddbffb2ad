//! The facts about the tick of a shared word, published for all threads.

use super::tick_cache::TickCache;
use crate::slot::Prefix;
use crate::sync::{AtomicU64, Ordering, fence};
use crate::time::UnixTime;

/// The cache of a shared word's tick, for all threads to read. Readers never wait, and a writer
/// gives up if one is active already. That costs only speed, since the slow path works without the
/// cache.
///
/// It is a sequence lock that uses the words themselves as the sequence. Each is written only once,
/// by the thread that brought the engine's word to its tick, so no value ever returns.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct SharedTickCache {
    /// The word whose cache is complete, with sequence 0.
    pub(super) word: AtomicU64,
    pub(super) start: AtomicU64,
    pub(super) micros: AtomicU64,
    pub(super) high: AtomicU64,
    pub(super) low: AtomicU64,
    /// The word whose cache was started last. It equals `word` when that cache is complete.
    pub(super) begun: AtomicU64,
    /// The process of the thread that is writing, as numbered by [`this_process`], or
    /// [`NO_WRITER`]. The number of a different process was left behind by a `fork`.
    pub(super) writer: AtomicU64,
}

pub(super) const NO_WRITER: u64 = u64::MAX;

/// Returns a number that differs from the number of the process that this one was forked from.
/// Without `std`, a `fork` is not detected.
pub(super) fn this_process() -> u64 {
    #[cfg(feature = "std")]
    return crate::fork::Process::this().number();
    #[cfg(not(feature = "std"))]
    0
}

/// A word with sequence 0, and the cache of its tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CachedTick {
    pub(crate) word: u64,
    pub(crate) cache: TickCache,
}

impl SharedTickCache {
    /// Returns a cache that belongs to no word, since a stamp with all bits set is beyond the last.
    pub(crate) fn new() -> Self {
        Self {
            word: AtomicU64::new(u64::MAX),
            start: AtomicU64::new(0),
            micros: AtomicU64::new(0),
            high: AtomicU64::new(0),
            low: AtomicU64::new(0),
            begun: AtomicU64::new(u64::MAX),
            writer: AtomicU64::new(NO_WRITER),
        }
    }

    /// Returns the cached tick if it is accepted at `time` and no thread has started to write a new
    /// one.
    #[inline]
    pub(crate) fn at(&self, time: UnixTime) -> Option<CachedTick> {
        // Acquire pairs with the release in `set`: the fields read afterwards belong to this word
        // or to a later one.
        let word = self.word.load(Ordering::Acquire);
        let cache = TickCache {
            start: UnixTime::from_micros(self.start.load(Ordering::Relaxed).cast_signed()),
            micros: self.micros.load(Ordering::Relaxed),
            prefix: Prefix::new(
                self.high.load(Ordering::Relaxed),
                self.low.load(Ordering::Relaxed),
            ),
        };
        // If any of these loads read a later writer's store, that writer's `begun` is visible here
        // because it precedes the store.
        fence(Ordering::Acquire);
        let is_whole = self.begun.load(Ordering::Relaxed) == word;
        // One branch checks both, because the fewer branches there are between two adds, the longer
        // a thread may keep the engine's word in its cache.
        (is_whole & cache.contains(time)).then_some(CachedTick { word, cache })
    }

    /// Publishes `cache`, the cache of `word`, unless a different thread is publishing. It is
    /// called once for every word.
    pub(crate) fn set(&self, word: u64, cache: &TickCache) {
        let (this, writer) = (this_process(), self.writer.load(Ordering::Relaxed));
        // Acquire: the previous write's stores precede this one's.
        let take = || {
            self.writer.compare_exchange(writer, this, Ordering::Acquire, Ordering::Relaxed).is_ok()
        };
        if writer == this || !take() {
            return;
        }
        self.begun.store(word, Ordering::Relaxed);
        // Pairs with the fence in `at`.
        fence(Ordering::Release);
        self.start.store(cache.start.as_micros().cast_unsigned(), Ordering::Relaxed);
        self.micros.store(cache.micros, Ordering::Relaxed);
        self.high.store(cache.prefix.high, Ordering::Relaxed);
        self.low.store(cache.prefix.low, Ordering::Relaxed);
        self.word.store(word, Ordering::Release);
        self.writer.store(NO_WRITER, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tick_cache::tests::{cache, seconds};
    use crate::policy::Policy;

    #[test]
    fn agrees_with_its_word() {
        let shared = SharedTickCache::new();
        assert_eq!(shared.at(seconds(100)), None);
        for tick in [100, 101] {
            let (word, cache) = (tick << 24, cache(tick, Policy::Wait));
            shared.set(word, &cache);
            assert_eq!(shared.at(seconds(tick.cast_signed())), Some(CachedTick { word, cache }));
        }
        assert_eq!(shared.at(seconds(100)), None);
        assert_eq!(shared.at(seconds(102)), None);
    }

    #[test]
    fn writes_exclude_others() {
        let shared = SharedTickCache::new();
        shared.set(100, &cache(100, Policy::Wait));
        shared.begun.store(101, Ordering::Relaxed);
        shared.writer.store(this_process(), Ordering::Relaxed);
        assert_eq!(shared.at(seconds(100)), None);
        shared.set(102, &cache(102, Policy::Wait));
        assert_eq!(shared.word.load(Ordering::Relaxed), 100);
        assert_eq!(shared.at(seconds(102)), None);
    }

    #[test]
    fn forked_writes_are_overwritten() {
        let shared = SharedTickCache::new();
        shared.set(100, &cache(100, Policy::Wait));
        shared.begun.store(101, Ordering::Relaxed);
        shared.writer.store(this_process() + 1, Ordering::Relaxed);
        assert_eq!(shared.at(seconds(100)), None);
        for word in [102, 103] {
            let cache = cache(word, Policy::Wait);
            shared.set(word, &cache);
            assert_eq!(shared.at(seconds(word.cast_signed())), Some(CachedTick { word, cache }));
        }
    }
}
