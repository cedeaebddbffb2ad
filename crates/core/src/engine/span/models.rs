//! The shared span by itself: whoever reads the span of a word while others write those of the next two has
//! all of it or nothing.

use alloc::sync::Arc;

use ::loom::thread;

use super::{Known, NO_WRITER, SharedSpan, Span, this_process};
use crate::block::Stem;
use crate::engine::shared::models::all_orders::orders;
use crate::sync::{Ordering, fence};
use crate::time::UnixTime;

/// What is right is in brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// None: the copy by itself.
    Nothing,
    /// The reader does not look whether another write has begun [looks, and gives up].
    BegunUnread,
    /// The reader's look may come before his loads [comes after, by a fence].
    ReaderUnfenced,
    /// The writer's stores may come before he says that he began [come after, by a fence].
    WriterUnfenced,
    /// Two write at once [the second gives way].
    WritersCollide,
}

/// What is written for a word: that word, wherever one can tell.
fn span_of(word: u64) -> Span {
    let start = UnixTime::from_micros(word.cast_signed());
    Span { start, micros: 10, stem: Stem::new(word, 3 * word) }
}

fn set(shared: &SharedSpan, word: u64, mistake: Option<Mistake>) {
    let span = span_of(word);
    let Some(mistake) = mistake else { return shared.set(word, &span) };
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
    shared.start.store(span.start.as_micros().cast_unsigned(), Ordering::Relaxed);
    shared.micros.store(span.micros, Ordering::Relaxed);
    shared.head.store(span.stem.head, Ordering::Relaxed);
    shared.tail.store(span.stem.tail, Ordering::Relaxed);
    shared.word.store(word, Ordering::Release);
    shared.writer.store(NO_WRITER, Ordering::Release);
}

fn at(shared: &SharedSpan, time: UnixTime, mistake: Option<Mistake>) -> Option<Known> {
    let Some(mistake) = mistake else { return shared.at(time) };
    let word = shared.word.load(Ordering::Acquire);
    let span = Span {
        start: UnixTime::from_micros(shared.start.load(Ordering::Relaxed).cast_signed()),
        micros: shared.micros.load(Ordering::Relaxed),
        stem: Stem::new(shared.head.load(Ordering::Relaxed), shared.tail.load(Ordering::Relaxed)),
    };
    if mistake != Mistake::ReaderUnfenced {
        fence(Ordering::Acquire);
    }
    if mistake != Mistake::BegunUnread && shared.begun.load(Ordering::Relaxed) != word {
        return None;
    }
    span.contains(time).then_some(Known { word, span })
}

fn read(shared: &SharedSpan, mistake: Option<Mistake>) {
    // A time that is right for all of them.
    if let Some(known) = at(shared, UnixTime::from_micros(105), mistake) {
        assert_eq!(known.span, span_of(known.word), "torn: of {}", known.word);
    }
}

fn readers_and_writers(mistake: Option<Mistake>) {
    let shared = Arc::new(SharedSpan::new());
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
fn a_span_is_read_whole_or_not_at_all() {
    orders("a span", || readers_and_writers(None));
}

#[test]
fn the_copy_of_a_span_is_right_without_a_mistake() {
    orders("the copy of a span", || readers_and_writers(Some(Mistake::Nothing)));
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
    finds_a_reader_who_does_not_look_for_writers: BegunUnread;
    finds_a_reader_without_a_fence: ReaderUnfenced;
    finds_a_writer_without_a_fence: WriterUnfenced;
    finds_writers_who_do_not_give_way: WritersCollide;
}
