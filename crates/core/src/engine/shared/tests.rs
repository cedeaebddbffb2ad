//! The shared engine, call by call, and the words that it leaves.

use core::cell::{Cell, RefCell};
use core::panic::AssertUnwindSafe;
use std::boxed::Box;
use std::panic::catch_unwind;
use std::rc::Rc;

use super::*;
use crate::engine::rules::toggling;
use crate::engine::tests::{At, BlockFields, fields};
use crate::engine::word::MAX_THREADS;
use crate::error::{ClockError, ObserveError, StallReason};
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

/// Observes an ID of the engine's own node while the clock stands at its tick.
fn observe(engine: &Shared, tick: u64, sequence: u64) -> Result<(), ObserveError> {
    let id = tick << 17 | 7 << 8 | sequence;
    engine.observe(&At(|| Ok(tick)), |_, slot| slot.low() > id)
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
    assert_eq!((size_of::<CacheLine<AtomicU64>>(), align_of::<CacheLine<AtomicU64>>()), (128, 128));
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
        assert_eq!(draw(&engine, 5, u32::MAX), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
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
            // The other thread's two sequences follow those of the refused call, which are skipped.
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
fn an_observed_add_is_not_given_back() {
    let mut engine = &engine(Policy::Wait);
    draw(engine, 5, 3).unwrap();
    // Between the add and the reading of the clock, which is behind, an ID of the add is observed.
    let readings = Cell::new(0);
    let clock = At(|| {
        readings.set(readings.get() + 1);
        if readings.get() == 2 {
            observe(engine, 5, 4).unwrap();
        }
        Ok(4)
    });
    assert!(engine.try_block(&clock, many(4)).is_err());
    assert_eq!(draw(engine, 5, 1).unwrap().first, 7);
}

#[test]
fn adds_that_may_be_given_back_are_not_trusted() {
    let ratchet = Policy::Ratchet { allowance: Ticks::new(2) };
    for (policy, want, is_observed, next) in [
        (Policy::Wait, 4, true, Some((5, 8))),
        (Policy::Wait, 6, true, None),
        // The add has used up the tick, and what follows it is in the next.
        (Policy::Wait, 7, false, Some((5, 3))),
        (ratchet, 7, true, Some((6, 0))),
    ] {
        let engine = engine(policy);
        draw(&engine, 5, 3).unwrap();
        let add = engine.draw(many(want));
        assert!(engine.start_giving_back(add.word));
        assert_eq!(observe(&engine, 5, 4).is_ok(), is_observed, "{want} under {policy}");
        engine.take_back(add);
        engine.give_backs.fetch_sub(1, Ordering::Release);
        let found = draw(&engine, 5, 1).ok().map(|block| (block.tick, block.first));
        assert_eq!(found, next, "{want} under {policy}");
    }
}

#[test]
fn raising_lowers_and_reopens_nothing() {
    let engine = engine(Policy::Wait);
    draw(&engine, 5, 3).unwrap();
    let before = word(&engine);
    for new in [before, before.with_sequence(1)] {
        assert!(!engine.raise(before, new));
    }
    engine.close();
    assert!(!engine.raise(before, Word::new(9, false, 1)));
    assert_eq!(word(&engine).bits(), before.closed().bits());
}

#[test]
fn observing_caches_ticks_that_it_enters() {
    let policy = Policy::Ratchet { allowance: Ticks::new(2) };
    let rules = toggling(policy, StartRule::Lowest, &Window::ALL);
    let engine = Shared::new(rules, Window::ALL, &Snapshot::at(tick(5), 3)).unwrap();
    // A cache is written once, by the thread that enters the tick, and only if a sequence is left.
    for (tick, sequence, is_cached) in [(5, 4, false), (6, 4, true), (7, 255, false)] {
        observe(&engine, tick, sequence).unwrap();
        let cached = engine.cache.at(At::<fn() -> _>::time(tick));
        assert_eq!(cached.is_some(), is_cached, "{sequence} of {tick}");
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
        let cached = engine.cache.at(At::<fn() -> _>::time(engine.load().tick().unwrap().get()));
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
