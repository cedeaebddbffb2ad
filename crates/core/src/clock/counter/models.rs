//! Model checking of the shared line, with loom: a thread that reads the time by it, while another
//! one makes the next two lines, of which the second takes the place of the first, reads by one of
//! them or not at all.

use alloc::sync::Arc;
use core::sync::atomic;

use ::loom::thread;

use super::anchor::{LIMITS, MILLISECOND};
use super::clocks::Clocks;
use super::{CounterState, Version};
use crate::engine::models::all_orders::orders;
use crate::sync::{Ordering, fence};

/// The wall clock when the counter is 0.
const START: u64 = 1_700_000_000_000 * MILLISECOND;
/// The time between two lines, which is longer than a line.
const LATER: u64 = 2 * MILLISECOND + MILLISECOND / 10;

/// Exact clocks, of which the counter counts in the unit of the times.
#[derive(Debug, Default)]
struct Exact(atomic::AtomicU64);

impl Clocks for Exact {
    fn counter(&self) -> u64 {
        self.0.load(atomic::Ordering::Relaxed)
    }

    fn early_counter(&self) -> u64 {
        self.counter()
    }

    fn wall(&self) -> Option<u64> {
        Some(START + self.counter())
    }

    fn raw(&self) -> u64 {
        self.counter()
    }
}

type State = CounterState<Exact>;

/// A planted mistake. The correct version is in brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// No mistake: the copy by itself.
    Nothing,
    /// The reader does not check whether the line is still in force [checks, and gives up].
    VersionUnchecked,
    /// The reader's check may precede its loads [follows them, by a fence].
    ReaderUnfenced,
    /// The writer's stores may precede the end of the line before [follow it, by a fence].
    WriterUnfenced,
}

fn at(state: &State, counter: u64, mistake: Option<Mistake>) -> Option<u64> {
    let Some(mistake) = mistake else { return state.at(counter) };
    let version = state.version.load(Ordering::Acquire);
    let line = state.lines[(version & 3) as usize].load();
    if mistake != Mistake::ReaderUnfenced {
        fence(Ordering::Acquire);
    }
    if mistake != Mistake::VersionUnchecked && state.version.load(Ordering::Relaxed) != version {
        return None;
    }
    line.at(counter)
}

/// Makes the line after the one of `version`, later, and returns its version. It does not load the
/// version, since loom would then take its exchange for one that follows the load, and try no order
/// with a reader in between.
fn anchor(state: &State, version: Version, mistake: Option<Mistake>) -> Version {
    state.source.0.fetch_add(LATER, atomic::Ordering::Relaxed);
    let prepared = version.without_line(Version::PREPARED);
    let Some(mistake) = mistake else {
        state.anchor(version).unwrap();
        return prepared.with_next_anchor();
    };
    assert!(state.replace(version, prepared));
    if mistake != Mistake::WriterUnfenced {
        fence(Ordering::Release);
    }
    let (last, _) = state.load_anchor(prepared);
    let version = prepared.with_next_anchor();
    state.store_anchor(version, last.next(&state.read().unwrap(), false, &LIMITS));
    assert!(state.replace(prepared, version));
    version
}

fn a_reader_and_a_writer(mistake: Option<Mistake>) {
    let state = Arc::new(State::new(Exact::default(), LIMITS));
    // Two measurements of the rate, from the first anchor on, and a line.
    let version = (0..3).fold(Version::FIRST, |version, _| anchor(&state, version, None));
    let now = state.source.counter();
    assert_eq!(state.at(now), Some(START + now));
    let writer = thread::spawn({
        let state = state.clone();
        move || (0..2).fold(version, |version, _| anchor(&state, version, mistake))
    });
    // The line that is in force twice later is the only one for this time.
    let then = now + 2 * LATER + MILLISECOND;
    if let Some(time) = at(&state, then, mistake) {
        assert_eq!(time, START + then, "torn");
    }
    writer.join().unwrap();
    assert_eq!(at(&state, then, mistake), Some(START + then));
}

#[test]
fn lines_are_read_whole() {
    orders("a line", || a_reader_and_a_writer(None));
}

#[test]
fn copy_without_mistake_holds() {
    orders("the copy of a line", || a_reader_and_a_writer(Some(Mistake::Nothing)));
}

macro_rules! finds {
    ($($name:ident: $mistake:ident;)*) => {$(
        #[test]
        #[should_panic(expected = "torn")]
        fn $name() {
            orders(stringify!($name), || a_reader_and_a_writer(Some(Mistake::$mistake)));
        }
    )*};
}
finds! {
    finds_a_careless_reader: VersionUnchecked;
    finds_a_reader_without_a_fence: ReaderUnfenced;
    finds_a_writer_without_a_fence: WriterUnfenced;
}
