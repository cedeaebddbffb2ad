//! Eight threads on one generator.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicI64, Ordering};
use core::time::Duration;
use std::sync::Barrier;
use std::thread;

use support::{MICROS_PER_TICK, PARTITION, at, many, ratchet, tick, within};
use tickid_sno::core::{Clock, ClockError, Error, ErrorKind, ManualClock};
use tickid_sno::{Generator, Policy, SequenceBounds, Sno, SnoId, UnixTime, Window};

const THREADS: u64 = 8;
const ALLOWANCE: u64 = 250;

/// Runs `draw` on all threads at the same time, with a seed for each; returns what they drew.
fn on_all_threads(draw: impl Fn(u64) -> Vec<SnoId> + Sync) -> Vec<Vec<SnoId>> {
    let barrier = Barrier::new(usize::try_from(THREADS).unwrap());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|seed| {
                let (draw, barrier) = (&draw, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    draw(seed)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn assert_distinct(drawn: Vec<Vec<SnoId>>) {
    let mut ids = drawn.concat();
    // Stable, as it makes the most of runs that are in order already.
    ids.sort();
    let twice = ids.windows(2).find(|pair| pair[0] == pair[1]);
    let fields = twice.map(|ids| (ids[0].timestamp(), ids[0].toggle(), ids[0].sequence()));
    assert_eq!(fields, None, "issued twice");
}

fn is_increasing(ids: impl IntoIterator<Item = SnoId>) -> bool {
    ids.into_iter().is_sorted_by(|one, next| one < next)
}

/// One million for each thread, one by one, in slices and in blocks.
#[test]
fn eight_million_ids_are_distinct_and_each_threads_own_increase() {
    const EACH: usize = 1_000_000;
    let clock = ManualClock::new(at(1_000));
    let generator = Generator::builder(PARTITION).clock(&clock).build().unwrap();
    let drawn = on_all_threads(|seed| {
        let mut rng = Rng(seed);
        let mut ids = Vec::with_capacity(EACH);
        while ids.len() < EACH {
            let most = (EACH - ids.len()).min(500);
            let n = usize::try_from(rng.below(500)).unwrap().min(most - 1) + 1;
            match rng.below(4) {
                0 => {
                    let start = ids.len();
                    ids.resize(start + n, SnoId::ZERO);
                    generator.fill(&mut ids[start..]).unwrap();
                }
                1 => ids.extend(generator.block(many(n.try_into().unwrap())).unwrap()),
                _ => ids.extend((0..n).map(|_| generator.generate().unwrap())),
            }
        }
        ids
    });
    for ids in &drawn {
        assert_eq!(ids.len(), EACH);
        assert!(is_increasing(ids.iter().copied()));
    }
    // Eight million IDs take 123 ticks.
    let last = drawn.iter().filter_map(|ids| ids.last()).max().unwrap();
    assert!(last.timestamp() >= 1_122, "{}", last.timestamp());
    assert_distinct(drawn);
}

/// Stands still, creeps, leaps and steps back, while IDs are drawn from a window that widens.
#[test]
fn tick_tock_keeps_its_promises_under_a_wild_clock() {
    keeps_its_promises(Policy::TickTock);
}

#[test]
fn ratchet_keeps_its_promises_under_a_wild_clock() {
    keeps_its_promises(ratchet(ALLOWANCE));
}

#[test]
fn wait_keeps_its_promises_under_a_wild_clock() {
    keeps_its_promises(Policy::Wait);
}

fn keeps_its_promises(policy: Policy<Sno>) {
    const EACH: usize = 1_000_000;
    const FLOOR: u64 = 10_000;
    let bounds = SequenceBounds::new(1_000, 1_099);
    let clock = Script::new(within(9_990, 0), |rng| match rng.below(64) {
        0 => rng.between(-2_000, 5_000) * MICROS_PER_TICK,
        1..4 => -rng.between(0, 20 * MICROS_PER_TICK),
        4..16 => rng.between(0, 2 * MICROS_PER_TICK),
        _ => 0,
    });
    let window = Window::new(tick(FLOOR), FLOOR + 100).unwrap();
    let generator = Generator::builder(PARTITION)
        .clock(&clock)
        .policy(policy)
        .bounds(bounds)
        .window(window)
        .max_wait(Duration::from_millis(200))
        .build()
        .unwrap();
    let ceiling = || generator.state().window.ceiling();
    // How far an ID's time may be ahead of what the clock showed; an overflow may add one to it.
    let most_ahead = if policy == ratchet(ALLOWANCE) { ALLOWANCE + 1 } else { 0 };

    let drawn = on_all_threads(|seed| {
        Script::seed(seed);
        let mut rng = Rng(!seed);
        let mut ids = Vec::with_capacity(EACH + 64);
        while ids.len() < EACH {
            let n = u32::try_from(rng.below(64) + 1).unwrap();
            let start = ids.len();
            READINGS.with_borrow_mut(Vec::clear);
            let result = match rng.below(6) {
                0 => generator.try_generate().map(|id| ids.push(id)),
                1 => generator.generate().map(|id| ids.push(id)),
                2 => generator.try_block(many(n)).map(|block| ids.extend(block)),
                3 => generator.block(many(n)).map(|block| ids.extend(block)),
                4 => {
                    let mut out = [SnoId::ZERO; 64];
                    let result = generator.try_fill(&mut out[..n as usize]);
                    result.map(|written| ids.extend_from_slice(written))
                }
                _ => {
                    let mut out = [SnoId::ZERO; 64];
                    let filled = generator.fill(&mut out[..n as usize]);
                    let written = filled.map_or_else(|error| error.written, |()| n as usize);
                    ids.extend_from_slice(&out[..written]);
                    filled.map_err(|error| error.source)
                }
            };
            // Bounded drift: some reading during the call allows the ID.
            READINGS.with_borrow(|readings| {
                for id in &ids[start..] {
                    let allows = |&now: &u64| id.timestamp().wrapping_sub(now) <= most_ahead;
                    assert!(readings.iter().any(allows), "{} at {readings:?}", id.timestamp());
                }
            });
            // In the window, which only ever gets wider.
            let ceiling = ceiling();
            for id in &ids[start..] {
                assert!(
                    (FLOOR..ceiling).contains(&id.timestamp()),
                    "{} of {ceiling}",
                    id.timestamp()
                );
                assert!(bounds.check(id.sequence().into()).is_ok());
                assert_eq!((id.partition(), id.meta()), (PARTITION, 0));
            }
            if is_past_the_window(&result) {
                generator.widen(ceiling + 3_000).unwrap();
            }
        }
        ids
    });
    for ids in &drawn {
        if policy == Policy::TickTock {
            // Ordered, but for the regressions: under each bit.
            for toggle in [false, true] {
                assert!(is_increasing(ids.iter().copied().filter(|id| id.toggle() == toggle)));
            }
        } else {
            assert!(is_increasing(ids.iter().copied()));
            assert!(ids.iter().all(|id| !id.toggle()));
        }
    }
    // Or it would have been no more than a walk.
    let drifts = generator.state().snapshot.drifts;
    assert_eq!(drifts > 100, policy == Policy::TickTock, "{drifts} flips");
    assert!(ceiling() > FLOOR + 10_000, "the window ends at {}", ceiling());
    assert_distinct(drawn);
}

/// At the window's upper end, that is: at the lower one, waiting helps.
fn is_past_the_window(result: &Result<(), Error>) -> bool {
    result.is_err_and(|error| error.kind() == ErrorKind::Window && error.retry_after().is_none())
}

/// Back again and again, by less than it had gone forward, from all threads.
#[test]
fn tick_tock_is_unique_while_the_clock_is_set_back_repeatedly() {
    const EACH: usize = 1_000_000;
    let clock = Script::new(at(10_000), |rng| match rng.below(32) {
        0 => -rng.between(1, 3) * MICROS_PER_TICK,
        1..3 => rng.between(1, 4) * MICROS_PER_TICK,
        _ => 0,
    });
    let generator = Generator::builder(PARTITION).clock(&clock).build().unwrap();
    let drawn = on_all_threads(|seed| {
        Script::seed(seed);
        let ids = (0..EACH).map(|_| {
            READINGS.with_borrow_mut(Vec::clear);
            generator.generate().unwrap()
        });
        ids.collect()
    });
    for toggle in [false, true] {
        for ids in &drawn {
            assert!(is_increasing(ids.iter().copied().filter(|id| id.toggle() == toggle)));
        }
    }
    let drifts = generator.state().snapshot.drifts;
    assert!(drifts > 10_000, "only {drifts} flips");
    assert_distinct(drawn);
}

/// Every call adds to the sequence, even where none is left; that must not reach the tick above it.
#[test]
fn millions_of_calls_during_a_stall_leave_no_trace() {
    let clock = ManualClock::new(at(1_000));
    let generator = Generator::builder(PARTITION).clock(&clock).build().unwrap();
    let call_in_vain = |kind| {
        on_all_threads(|seed| {
            let n = many(if seed % 2 == 0 { 1 } else { u32::MAX });
            for _ in 0..250_000 {
                assert_eq!(generator.try_block(n).unwrap_err().kind(), kind);
                assert_eq!(generator.try_generate().unwrap_err().kind(), kind);
            }
            Vec::new()
        });
    };
    while generator.try_block(many(4_000)).is_ok() {}
    call_in_vain(ErrorKind::Exhausted);

    // Back under the other bit, and back once more.
    clock.set(at(990));
    let before = generator.try_generate().unwrap();
    clock.set(at(980));
    call_in_vain(ErrorKind::Rollback);

    clock.set(at(991));
    let after = generator.try_generate().unwrap();
    assert_eq!((after.timestamp(), after.toggle(), after.sequence()), (991, true, 0));
    assert!(before.toggle() && before < after);
    assert_eq!(generator.state().snapshot.drifts, 1);
}

/// A clock whose readers move it.
#[derive(Debug)]
struct Script {
    micros: AtomicI64,
    slept: AtomicI64,
    /// By how many microseconds a reading moves it first.
    step: fn(&mut Rng) -> i64,
}

thread_local! {
    static RNG: Cell<Rng> = const { Cell::new(Rng(0)) };
    /// What this thread has read, in ticks.
    static READINGS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl Script {
    fn new(start: UnixTime, step: fn(&mut Rng) -> i64) -> Self {
        Self { micros: AtomicI64::new(start.as_micros()), slept: AtomicI64::new(0), step }
    }

    /// Where this thread's moves start from.
    fn seed(seed: u64) {
        RNG.set(Rng(seed ^ 0x5EED));
    }

    fn advance(&self, micros: i64) -> i64 {
        self.micros.fetch_add(micros, Ordering::AcqRel) + micros
    }
}

impl Clock for Script {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let mut rng = RNG.get();
        let micros = match (self.step)(&mut rng) {
            0 => self.micros.load(Ordering::Acquire),
            step => self.advance(step),
        };
        RNG.set(rng);
        let ticks = (micros - Sno::EPOCH.as_micros()).div_euclid(MICROS_PER_TICK);
        READINGS.with_borrow_mut(|readings| readings.push(ticks.try_into().unwrap()));
        Ok(UnixTime::from_micros(micros))
    }

    fn sleep(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).unwrap().max(1);
        self.slept.fetch_add(micros, Ordering::AcqRel);
        self.advance(micros);
    }

    /// As of a thread that sleeps for all of them.
    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.slept.load(Ordering::Acquire).unsigned_abs())
    }
}

/// SplitMix64.
#[derive(Clone, Copy, Debug)]
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Both ends included.
    fn between(&mut self, first: i64, last: i64) -> i64 {
        let span = last.abs_diff(first) + 1;
        first + self.below(span).cast_signed()
    }
}
