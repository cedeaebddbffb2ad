//! Eight threads on one generator: every ID is issued once, whatever the clock does.

#![cfg(feature = "std")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::cell::RefCell;
use core::num::NonZeroU32;
use core::ops::Range;
use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use core::time::Duration;
use std::thread;

use tickid_nanoflake::core::{
    Clock, ClockError, Error, ErrorKind, ManualClock, Scheme as _, Tick, Ticks,
};
use tickid_nanoflake::{
    Builder, Epoch, Generator, GeneratorId, Nanoflake, NanoflakeId, Policy, UnixTime, Window,
};

const THREADS: u64 = 8;
const NODE: GeneratorId = match GeneratorId::from_datacenter_worker(21, 10) {
    Ok(node) => node,
    Err(_) => GeneratorId::MIN,
};
const LAYOUT: Nanoflake = Nanoflake { epoch: Epoch::DISCORD };

/// Pseudo-random numbers that are the same in every run (SplitMix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    fn within(&mut self, range: Range<i64>) -> i64 {
        range.start + self.below(range.start.abs_diff(range.end)).cast_signed()
    }
}

/// Runs `work` on eight threads, each with its own dice, and gives what each returns.
fn on_threads<T: Send>(work: impl Fn(Dice) -> T + Sync) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let threads = (0..THREADS).map(|seed| scope.spawn(move || work(Dice(seed))));
        let threads: Vec<_> = threads.collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap());
        results.collect()
    })
}

fn assert_increasing(ids: &[NanoflakeId], previous: Option<NanoflakeId>) {
    let mut previous = previous;
    for &id in ids {
        assert!(previous < Some(id), "{id} after {previous:?}");
        previous = Some(id);
    }
}

fn assert_distinct(threads: Vec<Vec<NanoflakeId>>) {
    let mut all = threads.concat();
    all.sort_unstable();
    for pair in all.windows(2) {
        assert_ne!(pair[0], pair[1], "issued twice");
    }
}

#[test]
fn eight_threads_that_draw_a_million_ids_each_draw_eight_million_ids() {
    const EACH: usize = 1_000_000;

    let start = UnixTime::from_millis(1_700_000_000_000).unwrap();
    let clock = ManualClock::new(start);
    let builder = Builder::new(NODE).layout(LAYOUT).clock(&clock);
    let generator = builder.build().unwrap();
    let threads = on_threads(|mut dice| {
        let mut ids = Vec::with_capacity(EACH);
        while ids.len() < EACH {
            let room = EACH - ids.len();
            let len = usize::try_from(1 + dice.below(5_000)).unwrap().min(room);
            match dice.below(3) {
                0 => ids.extend((0..len).map(|_| generator.generate().unwrap())),
                1 => {
                    let old = ids.len();
                    ids.resize(old + len, NanoflakeId::MIN);
                    generator.fill(&mut ids[old..]).unwrap();
                }
                _ => {
                    let want = NonZeroU32::new(u32::try_from(len).unwrap()).unwrap();
                    ids.extend(generator.block(want).unwrap());
                }
            }
        }
        assert_eq!(ids.len(), EACH);
        assert!(ids.iter().all(|id| id.generator() == NODE));
        assert_increasing(&ids, None);
        ids
    });
    assert_distinct(threads);
    // It waited rather than go past the 4,096 of a millisecond.
    let least = 8 * EACH as u64 / 4_096;
    assert!(clock.slept() >= Duration::from_millis(least - 1));
}

/// A clock that the threads of a test move, and that notes what each of them reads.
struct Scripted {
    micros: AtomicI64,
    /// Where to go on after a leap to where no ID can be.
    present: AtomicI64,
    slept: AtomicU64,
}

std::thread_local! {
    /// The timestamps of all readings in range that this thread made during its present call.
    static READ: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

impl Scripted {
    const START: i64 = 1_700_000_000_000_000;
    /// Further than the script gets in small steps: about three years.
    const YEARS: u64 = 100_000_000_000_000;

    const fn new() -> Self {
        Self {
            micros: AtomicI64::new(Self::START),
            present: AtomicI64::new(Self::START),
            slept: AtomicU64::new(0),
        }
    }

    /// Does what wall clocks do, at the worst moment: while others draw.
    fn act(&self, dice: &mut Dice) {
        let shown = self.micros.load(Ordering::Acquire);
        let now = match Self::START.abs_diff(shown) {
            0..Self::YEARS => shown,
            _ => self.present.load(Ordering::Acquire),
        };
        self.present.store(now, Ordering::Release);
        let micros = match dice.below(100) {
            // Stands still.
            0..30 => return,
            // Runs on.
            30..75 => now + dice.within(0..2_000),
            // Steps back and forth.
            75..83 => now - dice.within(0..3_000),
            83..88 => now + dice.within(0..20_000),
            88..93 => now - dice.within(0..20_000),
            // Leaps.
            93 => now + dice.within(0..500_000),
            94 => now - dice.within(0..500_000),
            // Repeats what it has shown before.
            95 | 96 => Self::START + dice.within(0..200_000),
            // Leaps to where no ID can be.
            97 => LAYOUT.epoch.unix_time().as_micros() - 1,
            98 => LAYOUT.unix_time(NanoflakeId::MAX).as_micros() + 1_000,
            _ => i64::MIN,
        };
        self.micros.store(micros, Ordering::Release);
    }
}

impl Clock for Scripted {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let time = UnixTime::from_micros(self.micros.load(Ordering::Acquire));
        if let Ok(tick) = LAYOUT.tick_at(time) {
            READ.with_borrow_mut(|read| read.push(tick.get().cast_signed()));
        }
        Ok(time)
    }

    fn sleep(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap().max(1);
        self.slept.fetch_add(micros, Ordering::AcqRel);
        self.micros.fetch_add(micros.cast_signed(), Ordering::AcqRel);
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.slept.load(Ordering::Acquire))
    }
}

/// What a thread met with, so that a storm that turns out to be none fails.
#[derive(Debug, Default)]
struct Seen {
    rollback: u64,
    exhausted: u64,
    window: u64,
    clock: u64,
    /// IDs ahead of the clock.
    ahead: u64,
}

impl Seen {
    fn refusal(&mut self, error: &Error) {
        match error.kind() {
            ErrorKind::Rollback => self.rollback += 1,
            ErrorKind::Exhausted => self.exhausted += 1,
            ErrorKind::Window => self.window += 1,
            ErrorKind::Clock(ClockError::OutOfRange { .. }) => self.clock += 1,
            kind => panic!("refused for {kind:?}"),
        }
    }

    fn add(&mut self, other: &Self) {
        self.rollback += other.rollback;
        self.exhausted += other.exhausted;
        self.window += other.window;
        self.clock += other.clock;
        self.ahead += other.ahead;
    }
}

/// The first kinds of call of [`draw`] read the clock for one block only, the others for several.
const KINDS: Range<u64> = 0..20;
const OF_ONE_BLOCK: Range<u64> = 0..18;

/// One call. Its IDs go to the end of `ids`.
fn draw(
    generator: &Generator<&Scripted>,
    kind: u64,
    len: u64,
    ids: &mut Vec<NanoflakeId>,
) -> Result<(), Error> {
    let want = NonZeroU32::new(u32::try_from(len).unwrap()).unwrap();
    match kind {
        0..8 => ids.push(generator.try_generate()?),
        8..16 => ids.push(generator.generate()?),
        16 => ids.extend(generator.try_block(want)?),
        17 => ids.extend(generator.block(want)?),
        18 => {
            let mut room = vec![NanoflakeId::MIN; usize::try_from(len).unwrap()];
            ids.extend_from_slice(generator.try_fill(&mut room)?);
        }
        _ => {
            let mut room = vec![NanoflakeId::MIN; usize::try_from(len).unwrap()];
            let filled = generator.fill(&mut room);
            let written = filled.map_or_else(|error| error.written, |()| room.len());
            ids.extend_from_slice(&room[..written]);
            return filled.map_err(|error| error.source);
        }
    }
    Ok(())
}

/// Unique, ordered, bounded, in range, in the window: the first five promises of tickid's design.
fn weather_the_storm(policy: Policy<Nanoflake>) {
    const CALLS: u32 = 12_000;

    let most_ahead = match policy {
        Policy::Ratchet { allowance } => allowance.get().cast_signed() + 1,
        _ => 0,
    };
    let clock = Scripted::new();
    let start = UnixTime::from_micros(Scripted::START);
    let start = LAYOUT.tick_at(start).unwrap().get();
    let (floor, ceiling) = (start + 20, start + 60);
    let generator = Builder::new(NODE)
        .layout(LAYOUT)
        .clock(&clock)
        .policy(policy)
        .window(Window::new(Tick::new(floor).unwrap(), ceiling).unwrap())
        .max_wait(Duration::from_millis(30))
        .build()
        .unwrap();

    let threads = on_threads(|mut dice| {
        let mut ids: Vec<NanoflakeId> = Vec::new();
        let mut seen = Seen::default();
        for _ in 0..CALLS {
            if dice.below(3) == 0 {
                clock.act(&mut dice);
            }
            READ.with_borrow_mut(Vec::clear);
            let old = ids.len();
            let kind = dice.below(KINDS.end);
            let drawn = draw(&generator, kind, 1 + dice.below(2_000), &mut ids);
            // The ceiling only rises: an ID at or above it now was so when it was issued.
            let window = generator.state().window;
            assert_increasing(&ids[old..], old.checked_sub(1).map(|last| ids[last]));
            READ.with_borrow(|read| {
                // An ID is held against the last reading before it: that of its block.
                let read = match read.split_last() {
                    Some((last, _)) if OF_ONE_BLOCK.contains(&kind) => core::slice::from_ref(last),
                    _ => read,
                };
                for id in &ids[old..] {
                    assert_eq!(id.generator(), NODE);
                    assert!(window.contains(id.tick()), "{id} outside of {window}");
                    let timestamp = id.timestamp().cast_signed();
                    let bounded = |&now: &i64| (now..=now + most_ahead).contains(&timestamp);
                    assert!(read.iter().any(bounded), "{timestamp} at none of {read:?}");
                    seen.ahead += u64::from(read.iter().all(|&now| now < timestamp));
                }
            });
            if let Err(error) = drawn {
                seen.refusal(&error);
                // Somebody has to help, or nothing goes on.
                match error.kind() {
                    _ if dice.below(8) > 0 => {}
                    ErrorKind::Window => {
                        let now = READ.with_borrow(|read| read.last().copied());
                        let now = now.map_or(0, i64::cast_unsigned);
                        let ceiling = window.ceiling().max(now) + dice.below(40);
                        generator.widen(ceiling).unwrap();
                    }
                    _ => clock.sleep(error.retry_after().unwrap_or_default()),
                }
            }
        }
        (ids, seen)
    });

    let mut all = Seen::default();
    for (ids, seen) in &threads {
        assert!(ids.len() > 10_000, "only {} IDs", ids.len());
        all.add(seen);
    }
    let reached = [all.rollback, all.window, all.clock];
    assert!(reached.iter().all(|&count| count > 10), "{policy}: {all:?}");
    // A ratchet goes on where the others are exhausted.
    let (exhausted, ahead) = match policy {
        Policy::Ratchet { .. } => (0..1, 10..u64::MAX),
        _ => (10..u64::MAX, 0..1),
    };
    assert!(exhausted.contains(&all.exhausted), "{policy}: {all:?}");
    assert!(ahead.contains(&all.ahead), "{policy}: {all:?}");
    assert_distinct(threads.into_iter().map(|(ids, _)| ids).collect());
}

#[test]
fn a_wild_clock_breaks_no_promise_of_the_default_policy_which_is_to_wait() {
    assert_eq!(LAYOUT.default_policy(), Policy::Wait);
    weather_the_storm(LAYOUT.default_policy());
}

#[test]
fn a_wild_clock_breaks_no_promise_of_a_ratchet() {
    for allowance in [0, 7] {
        weather_the_storm(Policy::Ratchet { allowance: Ticks::new(allowance) });
    }
}

/// Eight threads that are refused all the time change nothing: neither the tick nor what comes after
/// it, although each of their calls adds to the generator's word before it looks at the clock.
#[test]
fn eight_threads_that_ask_in_vain_through_an_hour_of_rollback_get_nothing() {
    let start = UnixTime::from_micros(Scripted::START);
    let clock = ManualClock::new(start);
    let generator = Builder::new(NODE).layout(LAYOUT).clock(&clock).build().unwrap();
    let last = generator.try_generate().unwrap();
    let hour = Duration::from_secs(3_600);
    clock.set(start.checked_sub(hour).unwrap());
    on_threads(|mut dice| {
        for _ in 0..200_000 {
            let want = NonZeroU32::new(u32::try_from(1 + dice.below(10_000)).unwrap()).unwrap();
            let error = generator.try_block(want).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Rollback);
            // What the refused calls drew is dropped, and may be the rest of the last tick.
            let until = [hour, hour + Duration::from_millis(1)];
            assert!(until.map(Some).contains(&error.retry_after()), "{error}");
        }
    });
    assert_eq!(generator.state().snapshot.tick, Some(last.tick()));
    clock.set(UnixTime::from_micros(Scripted::START + 1_000));
    let next = generator.try_generate().unwrap();
    assert_eq!(next.timestamp(), last.timestamp() + 1);
    assert_eq!(next.sequence(), 0);
}
