//! Tests of eight threads on one generator, with a clock that stands still, leaps both ways and
//! repeats itself.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::thread;

use tickid_core::example::Toggling;
use tickid_core::{Builder, Clock, Error, ErrorKind, Generator, ManualClock, Policy};

use tickid_testkit::example::{
    NODE, assert_distinct, assert_increasing, assert_increasing_per_toggle, at, many, parts,
    ratchet, tick_at, window,
};
use tickid_testkit::threads::on_threads;
use tickid_testkit::{Dice, scaled};

fn calls() -> usize {
    scaled(25_000)
}

type Shared<'a> = Generator<Toggling, &'a ManualClock>;

fn shared(clock: &ManualClock, policy: Policy<Toggling>) -> Shared<'_> {
    // Each sleeping thread moves the clock, and so uses up the time of the others.
    let builder = Builder::seeded(NODE, 0).clock(clock).policy(policy);
    builder.max_wait(Duration::MAX).build().unwrap()
}

/// Sets the clock now and then: ahead a little more often than back, and to where it was.
fn turn(clock: &ManualClock, dice: &mut Dice) {
    if dice.below(64) != 0 {
        return;
    }
    let now = tick_at(clock.now().unwrap());
    match dice.below(16) {
        0..=6 => clock.advance(Duration::from_secs(1)),
        7..=8 => clock.advance(Duration::from_secs(10)),
        9..=11 => clock.set(at(now - 1)),
        12..=13 => clock.set(at(now - 4)),
        14 => clock.set(at(now - now % 8)),
        _ => clock.set(at(now + 8 - now % 8)),
    }
}

/// Makes one call of a method that does not wait.
fn try_draw(generator: &Shared<'_>, dice: &mut Dice, ids: &mut Vec<u64>) -> Result<(), Error> {
    match dice.below(4) {
        0 | 1 => ids.push(generator.try_generate()?),
        2 => ids.extend(generator.try_block(many(dice.count(16)))?),
        _ => ids.extend(&*generator.try_fill(&mut [0; 12])?),
    }
    Ok(())
}

/// Makes one call of a method that waits.
fn draw(generator: &Shared<'_>, dice: &mut Dice, ids: &mut Vec<u64>) -> Result<(), Error> {
    match dice.below(8) {
        0..=3 => ids.push(generator.generate()?),
        4 | 5 => ids.extend(generator.block(many(dice.count(8)))?),
        6 => {
            let mut out = [0; 6];
            generator.fill(&mut out).map_err(|error| error.source)?;
            ids.extend(out);
        }
        _ => return try_draw(generator, dice, ids),
    }
    Ok(())
}

/// Returns the IDs of each thread, drawn while all of them set the clock.
fn mixed(
    policy: Policy<Toggling>,
    draw: fn(&Shared<'_>, &mut Dice, &mut Vec<u64>) -> Result<(), Error>,
) -> Vec<Vec<u64>> {
    let clock = ManualClock::new(at(1_000_000));
    let generator = shared(&clock, policy);
    let ids = on_threads(|mut dice| {
        let mut ids = Vec::new();
        for _ in 0..calls() {
            turn(&clock, &mut dice);
            if let Err(error) = draw(&generator, &mut dice, &mut ids) {
                let kind = error.kind();
                assert!(matches!(kind, ErrorKind::Rollback | ErrorKind::Exhausted));
            }
        }
        ids
    });
    assert!(!generator.state().is_closed);
    ids
}

fn assert_unique_and_ordered(policy: Policy<Toggling>, threads: &[Vec<u64>]) {
    for ids in threads {
        assert_increasing_per_toggle(ids);
        if policy != Policy::TickTock {
            assert_increasing(ids);
        }
    }
    let all: Vec<u64> = threads.concat();
    assert!(all.len() > calls(), "only {} IDs to compare", all.len());
    assert_distinct(all);
}

macro_rules! mixed_calls {
    ($($name:ident: $policy:expr, $draw:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_unique_and_ordered($policy, &mixed($policy, $draw));
        }
    )*};
}
mixed_calls! {
    ratchet_is_unique: ratchet(2), try_draw;
    ratchet_of_zero_is_unique: ratchet(0), try_draw;
    wait_is_unique: Policy::Wait, try_draw;
    tick_tock_is_unique: Policy::TickTock, try_draw;
    blocking_ratchet_is_unique: ratchet(2), draw;
    blocking_wait_is_unique: Policy::Wait, draw;
    blocking_tick_tock_is_unique: Policy::TickTock, draw;
}

/// Sets the flag when dropped, also by a panic, so that its watchers stop.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Checks that, while another thread lets the clock run, the ticks of IDs lie between the clock
/// readings before and after the call, except for `ahead` ticks.
fn assert_drift(policy: Policy<Toggling>, ahead: u64) {
    let clock = ManualClock::new(at(1_000));
    let generator = shared(&clock, policy);
    let is_over = AtomicBool::new(false);
    let now = || tick_at(clock.now().unwrap());
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                clock.advance(Duration::from_millis(250));
                thread::yield_now();
            }
        });
        let _stop_it = SetOnDrop(&is_over);
        on_threads(|_| {
            for _ in 0..calls() / 8 {
                let before = now();
                let Ok(id) = generator.try_generate() else {
                    continue;
                };
                let (tick, after) = (parts(id).tick, now());
                let span = before..=after + ahead;
                assert!(span.contains(&tick), "{tick} outside of {span:?}");
            }
        });
    });
}

#[test]
fn wait_issues_observed_ticks() {
    assert_drift(Policy::Wait, 0);
}

#[test]
fn tick_tock_issues_observed_ticks() {
    assert_drift(Policy::TickTock, 0);
}

#[test]
fn ratchet_runs_ahead_by_one_more() {
    assert_drift(ratchet(2), 3);
}

#[test]
fn widening_ends_window_stalls() {
    let first = 1_000;
    let last = first + u64::try_from(scaled(300)).unwrap();
    let clock = ManualClock::new(at(first));
    let generator = Builder::<Toggling>::seeded(NODE, 0)
        .clock(&clock)
        .policy(Policy::Wait)
        .window(window(0, first))
        .build()
        .unwrap();
    // The ceiling that the first thread is about to allow, and the highest tick that any thread
    // has issued.
    let (announced, issued) = (AtomicU64::new(first), AtomicU64::new(0));
    let is_over = AtomicBool::new(false);
    let threads = thread::scope(|scope| {
        // Each tick of the clock lies outside of the window until it is widened.
        scope.spawn(|| {
            for ceiling in first + 1..=last {
                announced.store(ceiling, Ordering::SeqCst);
                generator.widen(ceiling).unwrap();
                while issued.load(Ordering::SeqCst) < ceiling - 1 && !is_over.load(Ordering::SeqCst)
                {
                    thread::yield_now();
                }
                clock.set(at(ceiling));
            }
            announced.store(u64::MAX, Ordering::SeqCst);
        });
        let _stop_it = SetOnDrop(&is_over);
        on_threads(|_| {
            let mut ids = Vec::new();
            while announced.load(Ordering::SeqCst) != u64::MAX {
                match generator.try_generate() {
                    Ok(id) => {
                        let tick = parts(id).tick;
                        assert!(tick < announced.load(Ordering::SeqCst));
                        issued.fetch_max(tick, Ordering::SeqCst);
                        ids.push(id);
                    }
                    Err(error) => {
                        let kind = error.kind();
                        assert!(matches!(kind, ErrorKind::Window | ErrorKind::Exhausted));
                        thread::yield_now();
                    }
                }
            }
            ids
        })
    });
    let all = threads.concat();
    assert!(all.iter().all(|&id| parts(id).tick < last));
    assert_distinct(all);
}
