//! Model checking of the shared cache by itself: a thread that reads the cache of a word, while
//! others write the caches of the next two, gets all of it or nothing.

use alloc::sync::Arc;

use ::loom::thread;

use super::all_orders::orders;
use crate::engine::shared_cache::{CachedTick, NO_WRITER, SharedTickCache, this_process};
use crate::engine::tick_cache::TickCache;
use crate::slot::Prefix;
use crate::sync::{Ordering, fence};
use crate::time::UnixTime;

/// A planted mistake. The correct version is in brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// No mistake: the copy by itself.
    Nothing,
    /// The reader does not check whether another write has started [checks, and gives up].
    BegunUnread,
    /// The reader's check may precede its loads [follows them, by a fence].
    ReaderUnfenced,
    /// The writer's stores may precede its mark that it started [follow it, by a fence].
    WriterUnfenced,
    /// Two threads write at the same time [the second gives up].
    WritersCollide,
}

/// Returns a cache for `word` whose fields derive from it, so that a torn read shows.
fn cache_of(word: u64) -> TickCache {
    let start = UnixTime::from_micros(word.cast_signed());
    TickCache { start, micros: 10, prefix: Prefix::new(word, 3 * word) }
}

fn set(shared: &SharedTickCache, word: u64, mistake: Option<Mistake>) {
    let cache = cache_of(word);
    let Some(mistake) = mistake else { return shared.set(word, &cache) };
    if mistake != Mistake::WritersCollide
        && shared
            .writer
            .compare_exchange(NO_WRITER, this_process(), Ordering::Acquire, Ordering::Relaxed)
            .is_err()
    {
        return;
    }
    shared.begun.store(word, Ordering::Relaxed);
    if mistake != Mistake::WriterUnfenced {
        fence(Ordering::Release);
    }
    shared.start.store(cache.start.as_micros().cast_unsigned(), Ordering::Relaxed);
    shared.micros.store(cache.micros, Ordering::Relaxed);
    shared.high.store(cache.prefix.high, Ordering::Relaxed);
    shared.low.store(cache.prefix.low, Ordering::Relaxed);
    shared.word.store(word, Ordering::Release);
    shared.writer.store(NO_WRITER, Ordering::Release);
}

fn at(shared: &SharedTickCache, time: UnixTime, mistake: Option<Mistake>) -> Option<CachedTick> {
    let Some(mistake) = mistake else { return shared.at(time) };
    let word = shared.word.load(Ordering::Acquire);
    let cache = TickCache {
        start: UnixTime::from_micros(shared.start.load(Ordering::Relaxed).cast_signed()),
        micros: shared.micros.load(Ordering::Relaxed),
        prefix: Prefix::new(
            shared.high.load(Ordering::Relaxed),
            shared.low.load(Ordering::Relaxed),
        ),
    };
    if mistake != Mistake::ReaderUnfenced {
        fence(Ordering::Acquire);
    }
    if mistake != Mistake::BegunUnread && shared.begun.load(Ordering::Relaxed) != word {
        return None;
    }
    cache.contains(time).then_some(CachedTick { word, cache })
}

fn read(shared: &SharedTickCache, mistake: Option<Mistake>) {
    // A time that is right for all of them.
    if let Some(known) = at(shared, UnixTime::from_micros(105), mistake) {
        assert_eq!(known.cache, cache_of(known.word), "torn: of {}", known.word);
    }
}

fn readers_and_writers(mistake: Option<Mistake>) {
    let shared = Arc::new(SharedTickCache::new());
    set(&shared, 100, mistake);
    let writers = [101, 102].map(|word| {
        let shared = shared.clone();
        thread::spawn(move || set(&shared, word, mistake))
    });
    read(&shared, mistake);
    for writer in writers {
        writer.join().unwrap();
    }
    read(&shared, mistake);
}

#[test]
fn spans_are_read_whole() {
    orders("a cache", || readers_and_writers(None));
}

#[test]
fn copy_without_mistake_holds() {
    orders("the copy of a cache", || readers_and_writers(Some(Mistake::Nothing)));
}

macro_rules! finds {
    ($($name:ident: $mistake:ident;)*) => {$(
        #[test]
        #[should_panic(expected = "torn")]
        fn $name() {
            orders(stringify!($name), || readers_and_writers(Some(Mistake::$mistake)));
        }
    )*};
}
finds! {
    finds_a_careless_reader: BegunUnread;
    finds_a_reader_without_a_fence: ReaderUnfenced;
    finds_a_writer_without_a_fence: WriterUnfenced;
    finds_colliding_writers: WritersCollide;
}
