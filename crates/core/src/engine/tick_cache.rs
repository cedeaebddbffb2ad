//! The facts about a tick that fast paths need, in terms of clock readings and of the bits of IDs,
//! so that they are worked out once per tick.

#[cfg(test)]
#[cfg(tickid_loom)]
mod models;

use crate::policy::Policy;
use crate::scheme::Scheme;
use crate::slot::Prefix;
#[cfg(target_has_atomic = "64")]
use crate::sync::{AtomicU64, Ordering, fence};
use crate::tick::Tick;
use crate::time::UnixTime;

/// The clock readings at which a policy accepts a tick, and the prefix of the tick's IDs: a
/// subtraction and a comparison replace the conversion to ticks and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TickCache {
    start: UnixTime,
    micros: u64,
    /// See [`Scheme::prefix`].
    pub(crate) prefix: Prefix,
}

impl TickCache {
    /// The cache that accepts no reading.
    pub(crate) const EMPTY: Self =
        Self { start: UnixTime::EPOCH, micros: 0, prefix: Prefix::EMPTY };

    /// The readings at which `policy` accepts `tick`: from its allowance before the tick to its
    /// end.
    pub(crate) fn new<S: Scheme>(
        scheme: &S,
        node: &S::Node,
        policy: Policy<S>,
        tick: Tick<S>,
        toggle: bool,
    ) -> Self {
        let prefix = scheme.prefix(node, tick, toggle);
        let first = tick.get().saturating_sub(policy.allowance()).max(S::FIRST_TICK);
        match Tick::new(tick.get() + 1) {
            Ok(next) => {
                let start = scheme.time_of(Tick::in_range(first));
                let micros = scheme.time_of(next).as_micros().abs_diff(start.as_micros());
                Self { start, micros, prefix }
            }
            // The last tick of the format ends where no tick begins; the slow path handles it.
            Err(_) => Self { prefix, ..Self::EMPTY },
        }
    }

    #[inline]
    fn contains(&self, time: UnixTime) -> bool {
        // A time before the start wraps around to more than any accepted interval.
        let since = time.as_micros().wrapping_sub(self.start.as_micros()).cast_unsigned();
        since < self.micros
    }

    /// Returns the prefix if the policy accepts the tick at `time`.
    #[inline]
    pub(crate) fn prefix_at(&self, time: UnixTime) -> Option<Prefix> {
        self.contains(time).then_some(self.prefix)
    }
}

/// The cache of the tick that a shared word is in, for all threads to read. Readers never wait, and
/// writers give way to each other.
///
/// A sequence lock in which the words themselves are the sequence: each is written once, by the
/// thread that brought the engine's word to its tick, so that no value returns.
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct SharedTickCache {
    /// The word whose cache is complete, with sequence 0.
    word: AtomicU64,
    start: AtomicU64,
    micros: AtomicU64,
    high: AtomicU64,
    low: AtomicU64,
    /// The word whose cache was begun last; equal to `word` when that is complete.
    begun: AtomicU64,
    /// The process of the thread that is writing, as [`this_process`] numbers it, or [`NO_WRITER`].
    /// The number of another process was left behind by a `fork`.
    writer: AtomicU64,
}

#[cfg(target_has_atomic = "64")]
const NO_WRITER: u64 = u64::MAX;

/// Returns a number that differs from that of the process which this one was forked from.
#[cfg(all(feature = "std", target_has_atomic = "64"))]
fn this_process() -> u64 {
    crate::fork::Process::this().number()
}

/// Without `std` a `fork` cannot be detected.
#[cfg(all(not(feature = "std"), target_has_atomic = "64"))]
const fn this_process() -> u64 {
    0
}

/// A word with sequence 0, and the cache of its tick.
#[cfg(target_has_atomic = "64")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CachedTick {
    pub(crate) word: u64,
    pub(crate) cache: TickCache,
}

#[cfg(target_has_atomic = "64")]
impl SharedTickCache {
    /// The cache of no word: with all bits set, the stamp is beyond the last.
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

    /// Returns the cached tick if it is accepted at `time` and no thread has begun to write
    /// another.
    #[inline]
    pub(crate) fn at(&self, time: UnixTime) -> Option<CachedTick> {
        // Acquire pairs with the release in `set`: the fields read afterwards are those of this
        // word or of a later one.
        let word = self.word.load(Ordering::Acquire);
        let cache = TickCache {
            start: UnixTime::from_micros(self.start.load(Ordering::Relaxed).cast_signed()),
            micros: self.micros.load(Ordering::Relaxed),
            prefix: Prefix::new(
                self.high.load(Ordering::Relaxed),
                self.low.load(Ordering::Relaxed),
            ),
        };
        // If any of these loads read a store of a later writer, that writer's `begun` is visible
        // here: it precedes the store.
        fence(Ordering::Acquire);
        let is_whole = self.begun.load(Ordering::Relaxed) == word;
        // One branch for both: the fewer there are between two adds, the longer may a thread keep
        // the engine's word in its cache.
        (is_whole & cache.contains(time)).then_some(CachedTick { word, cache })
    }

    /// Publishes `cache`, which is that of `word`, unless another thread is publishing. Called once
    /// for every word.
    pub(crate) fn set(&self, word: u64, cache: &TickCache) {
        let (this, writer) = (this_process(), self.writer.load(Ordering::Relaxed));
        // Acquire: the stores of the write before precede those of this one.
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
    use crate::example::{Node, Seconds};
    use crate::tick::Ticks;

    fn seconds(seconds: i64) -> UnixTime {
        UnixTime::from_micros(seconds * 1_000_000)
    }

    fn cache(tick: u64, policy: Policy<Seconds>) -> TickCache {
        TickCache::new(&Seconds, &Node(7), policy, Tick::new(tick).unwrap(), false)
    }

    #[test]
    fn reaches_from_the_allowance_before_the_tick_to_its_end() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(2) };
        for (policy, start) in [(Policy::Wait, 100), (ratchet, 98)] {
            let cache = cache(100, policy);
            let just = |time: UnixTime| UnixTime::from_micros(time.as_micros() - 1);
            assert_eq!(cache.prefix_at(just(seconds(start))), None, "{policy}");
            assert_eq!(cache.prefix_at(seconds(start)), Some(cache.prefix), "{policy}");
            assert_eq!(cache.prefix_at(just(seconds(101))), Some(cache.prefix), "{policy}");
            assert_eq!(cache.prefix_at(seconds(101)), None, "{policy}");
            assert_eq!(cache.prefix_at(UnixTime::MIN), None, "{policy}");
            assert_eq!(cache.prefix_at(UnixTime::MAX), None, "{policy}");
        }
    }

    #[test]
    fn the_last_tick_of_the_format_accepts_no_reading() {
        let last = cache(Seconds::MAX_TICK, Policy::Wait);
        assert_eq!(last.prefix_at(seconds(i64::from(u32::MAX))), None);
        assert_eq!(last.prefix, Seconds.prefix(&Node(7), Tick::MAX, false));
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_shared_cache_is_that_of_its_word() {
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

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_begun_write_excludes_readers_and_writers() {
        let shared = SharedTickCache::new();
        shared.set(100, &cache(100, Policy::Wait));
        shared.begun.store(101, Ordering::Relaxed);
        shared.writer.store(this_process(), Ordering::Relaxed);
        assert_eq!(shared.at(seconds(100)), None);
        shared.set(102, &cache(102, Policy::Wait));
        assert_eq!(shared.word.load(Ordering::Relaxed), 100);
        assert_eq!(shared.at(seconds(102)), None);
    }

    #[cfg(target_has_atomic = "64")]
    #[test]
    fn a_write_that_a_fork_cut_short_is_written_over() {
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
