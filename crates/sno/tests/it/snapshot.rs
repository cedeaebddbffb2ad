//! Snapshots: one generator continues from the state of another.

use std::collections::HashSet;

use crate::support::{MICROS_PER_TICK, PARTITION, at, tick};
use proptest::prelude::*;
use tickid_sno::tickid_core::{self, BuildError, ErrorKind, ManualClock, RangeError, StallReason};
use tickid_sno::{
    Generator, GeneratorSnapshot, LocalGenerator, Partition, SequenceBounds, Sno, SnoId, UnixTime,
    Window,
};
use tickid_testkit::config;

type Issued = tickid_core::Snapshot<Sno>;

const BOUNDS: SequenceBounds = SequenceBounds::new(10, 50);

fn snapshot(issued: Issued, now: i64) -> GeneratorSnapshot {
    GeneratorSnapshot::new(PARTITION, BOUNDS, &issued, at(now)).unwrap()
}

fn generator<'a>(
    snapshot: &GeneratorSnapshot,
    clock: &'a ManualClock,
) -> LocalGenerator<&'a ManualClock> {
    let builder = snapshot.builder().unwrap();
    builder.clock(clock).build_local().unwrap()
}

fn restored(snapshot: GeneratorSnapshot, now: i64) -> Result<(u64, bool, u16), ErrorKind> {
    let clock = ManualClock::new(at(now));
    let issued = generator(&snapshot, &clock).try_generate();
    issued.map(|id| (id.timestamp(), id.toggle(), id.sequence())).map_err(|error| error.kind())
}

#[test]
fn sequence_is_the_last_one_issued() {
    assert_eq!(snapshot(Issued::at(tick(100), 11), 100).sequence, 10);
    assert_eq!(snapshot(Issued::at(tick(100), 51), 100).sequence, 50);
    // The original reports `sequence_min` when the tick is over.
    assert_eq!(snapshot(Issued::at(tick(100), 51), 101).sequence, 50);
}

#[test]
fn new_generators_are_at_zero() {
    let new = snapshot(Issued::EMPTY, 77);
    let expected = GeneratorSnapshot {
        partition: PARTITION,
        sequence_min: 10,
        sequence_max: 50,
        sequence: 10,
        now: 77,
        ..GeneratorSnapshot::default()
    };
    assert_eq!(new, expected);
    assert_eq!(new.issued(), Ok(Issued::EMPTY));
}

#[test]
fn issued_ids_survive_round_trip() {
    let cases = [
        Issued::at(tick(100), 12),
        Issued::at(tick(100), 51),
        Issued::at(tick(100), 12).with_drifts(3, Some(tick(120))),
        Issued::at(tick(1 << 38), 12).with_drifts(u32::MAX, Some(tick((1 << 39) - 1))),
        Issued::EMPTY.with_drifts(2, None),
    ];
    for issued in cases {
        let now = issued.tick.map_or(5, |tick| tick.get().cast_signed());
        assert_eq!(snapshot(issued, now).issued(), Ok(issued));
    }
}

#[test]
fn zero_means_the_lowest_is_used() {
    let zero = GeneratorSnapshot { sequence: 0, ..snapshot(Issued::at(tick(100), 51), 100) };
    assert_eq!(restored(zero, 100), Ok((100, false, 11)));
}

#[test]
fn excess_sequence_means_used_up() {
    for sequence in [50, 51, 70, u32::MAX] {
        let exhausted = GeneratorSnapshot { sequence, ..snapshot(Issued::at(tick(100), 51), 100) };
        assert_eq!(restored(exhausted, 100), Err(ErrorKind::Stalled(StallReason::TickUsedUp)));
        assert_eq!(restored(exhausted, 101), Ok((101, false, 10)));
    }
}

/// The original reports `sequence_min` for a tick that is over. Restored after the clock is set
/// back to that tick, it issues the tick's IDs a second time.
#[test]
fn past_tick_is_used_up() {
    let theirs = GeneratorSnapshot { sequence: 10, ..snapshot(Issued::at(tick(100), 51), 101) };
    assert_eq!(restored(theirs, 100), Err(ErrorKind::Stalled(StallReason::TickUsedUp)));
    assert_eq!(restored(theirs, 101), Ok((101, false, 10)));
    // The sequence counts in the tick itself, or if the snapshot has no time.
    for now in [100, 0] {
        assert_eq!(restored(GeneratorSnapshot { now, ..theirs }, 100), Ok((100, false, 11)));
    }
}

/// `wallHi` 0 with the lowest sequence is a new generator, so a generator that has issued only that
/// ID in tick 0 has to overstate its progress.
#[test]
fn tick_0_is_not_a_new_generator() {
    let first = snapshot(Issued::at(tick(0), 11), 0);
    assert_eq!((first.wall_hi, first.sequence), (0, 11));
    assert_eq!(restored(first, 0), Ok((0, false, 12)));
    assert_eq!(restored(snapshot(Issued::EMPTY, 0), 0), Ok((0, false, 10)));
}

#[test]
fn inexpressible_states_round_up() {
    // The generator is in tick 100, but has issued nothing there.
    let untouched = snapshot(Issued::at(tick(100), 10), 100);
    assert_eq!(restored(untouched, 100), Ok((100, false, 11)));
    // Tick 0 cannot be the other bit's past because 0 means that it has no past.
    let past = snapshot(Issued::at(tick(100), 12).with_drifts(1, Some(tick(0))), 100);
    assert_eq!(past.wall_safe, 1);
    assert_eq!(restored(past, 0), Err(ErrorKind::Stalled(StallReason::ClockBehind)));
    assert_eq!(restored(past, 2), Ok((2, false, 10)));
}

#[test]
fn time_taken_may_be_anything() {
    for time in [UnixTime::MIN, at(-1), at(0), at(1 << 39), UnixTime::MAX] {
        let taken = GeneratorSnapshot::new(PARTITION, BOUNDS, &Issued::EMPTY, time).unwrap();
        let since_epoch = i128::from(time.as_micros()) - i128::from(at(0).as_micros());
        assert_eq!(i128::from(taken.now), since_epoch.div_euclid(MICROS_PER_TICK.into()));
    }
}

#[test]
fn errors_name_value_and_range() {
    let new =
        |bounds, next| GeneratorSnapshot::new(PARTITION, bounds, &Issued::at(tick(7), next), at(7));
    for next in [0, 9, 52, u32::MAX] {
        let error = RangeError::new("next sequence", next.into(), 10, 51);
        assert_eq!(new(BOUNDS, next), Err(BuildError::Restore(error)));
    }
    let error = RangeError::new("sequence bound", 65_536, 0, 65_535);
    let wide = SequenceBounds::new(65_536, 10);
    assert_eq!(new(wide, 10), Err(BuildError::SequenceBound(error)));
    // In these fields, 0 and 0 would mean all sequences.
    let nothing = BuildError::Pool { lowest: 0, last: 0, pool: 1, min: 4 };
    assert_eq!(new(SequenceBounds::new(0, 0), 0), Err(nothing));

    let good = snapshot(Issued::at(tick(100), 51), 100);
    let last = i64::try_from(SnoId::MAX_TIMESTAMP).unwrap();
    for wrong in [-1, last + 1, i64::MIN, i64::MAX] {
        let hi = GeneratorSnapshot { wall_hi: wrong, ..good };
        let safe = GeneratorSnapshot { wall_safe: wrong, ..good };
        for (snapshot, what) in [(hi, "snapshot wallHi"), (safe, "snapshot wallSafe")] {
            let error = snapshot.issued().unwrap_err();
            assert_eq!((error.what(), error.value()), (what, wrong.into()));
            assert_eq!((error.min(), error.max()), (0, last.into()));
            assert_eq!(snapshot.builder().unwrap_err(), BuildError::Restore(error));
        }
    }
    let error = GeneratorSnapshot { sequence: 9, ..good }.issued().unwrap_err();
    assert_eq!((error.value(), error.min(), error.max()), (9, 10, u32::MAX.into()));
}

#[test]
fn snapshot_must_be_in_window() {
    let good = snapshot(Issued::at(tick(100), 51), 100);
    let restore = |floor, ceiling| {
        let window = Window::new(tick(floor), ceiling).unwrap();
        let clock = ManualClock::new(at(100));
        good.builder().unwrap().window(window).clock(&clock).build_local().map(drop)
    };
    assert_eq!(restore(100, 101), Ok(()));
    for (floor, ceiling) in [(101, 200), (0, 100)] {
        assert!(matches!(restore(floor, ceiling), Err(BuildError::Restore(_))));
    }
}

/// Covers the recorded snapshots that no generator can be made from.
#[test]
fn extreme_snapshots_are_errors() {
    let maximum = GeneratorSnapshot {
        partition: Partition::new(u16::MAX),
        sequence_min: u16::MAX,
        sequence_max: u16::MAX,
        sequence: u32::MAX,
        now: i64::MAX,
        wall_hi: i64::MAX,
        wall_safe: i64::MAX,
        drifts: u32::MAX,
    };
    assert!(matches!(maximum.builder().unwrap_err(), BuildError::Pool { pool: 1, .. }));
    let negative = GeneratorSnapshot {
        sequence_max: u16::MAX,
        now: -1,
        wall_hi: -2,
        wall_safe: -3,
        ..GeneratorSnapshot::default()
    };
    let BuildError::Restore(error) = negative.builder().unwrap_err() else {
        panic!("not for its time");
    };
    assert_eq!((error.what(), error.value()), ("snapshot wallHi", -2));
}

proptest! {
    #![proptest_config(config(4))]

    /// Holds for any clock readings before, between and after, down to the first ticks.
    #[test]
    fn successors_repeat_nothing(
        lives in prop::collection::vec(prop::collection::vec((0..8_i64, 1..4), 0..8), 2..6),
        taken_at in prop::collection::vec(0..8_i64, 6),
        lowest in prop::sample::select(vec![0_u32, 1, 7]),
    ) {
        let bounds = SequenceBounds::new(lowest, lowest + 3);
        let mut snapshot = GeneratorSnapshot::new(PARTITION, bounds, &Issued::EMPTY, at(0)).unwrap();
        let mut seen = HashSet::new();
        for (life, now) in lives.into_iter().zip(taken_at) {
            let clock = ManualClock::new(at(0));
            let mut generator = generator(&snapshot, &clock);
            for (units, calls) in life {
                clock.set(at(units));
                for id in (0..calls).map_while(|_| generator.try_generate().ok()) {
                    prop_assert!(seen.insert(id), "{id} twice, restored from {snapshot:?}");
                    prop_assert!(bounds.check(id.sequence().into()).is_ok());
                }
            }
            snapshot = GeneratorSnapshot::new(PARTITION, bounds, &generator.close(), at(now)).unwrap();
            #[cfg(feature = "serde")]
            {
                let json = serde_json::to_string(&snapshot).unwrap();
                prop_assert_eq!(serde_json::from_str::<GeneratorSnapshot>(&json).unwrap(), snapshot);
            }
        }
    }

    /// Any bits make either a generator or an error.
    #[test]
    fn snapshots_restore_or_are_errors(
        numbers in prop::array::uniform3(0..=u16::MAX),
        sequence in prop_oneof![any::<u32>(), 0..70_000_u32],
        times in prop::array::uniform3(prop_oneof![any::<i64>(), 0..200_i64]),
        drifts: u32,
        now in 0..200_i64,
    ) {
        let [partition, sequence_min, sequence_max] = numbers;
        let [taken, wall_hi, wall_safe] = times;
        let snapshot = GeneratorSnapshot {
            partition: Partition::new(partition),
            sequence_min,
            sequence_max,
            sequence,
            now: taken,
            wall_hi,
            wall_safe,
            drifts,
        };
        let clock = ManualClock::new(at(now));
        let built = snapshot.builder().and_then(|builder| builder.clock(&clock).build_local());
        if let Ok(mut generator) = built
            && let Ok(id) = generator.try_generate()
        {
            prop_assert!(snapshot.bounds().check(id.sequence().into()).is_ok());
            prop_assert_eq!(id.partition().get(), partition);
            prop_assert_eq!(id.timestamp(), now.unsigned_abs());
        }
    }
}

/// A clock that cannot be read.
struct Broken;

impl tickid_core::Clock for Broken {
    fn now(&self) -> Result<UnixTime, tickid_core::ClockError> {
        Err(tickid_core::ClockError::Unreadable { reason: "broken" })
    }
}

#[test]
fn one_call_copies_the_settings() {
    let clock = ManualClock::new(at(100));
    let builder = Generator::builder(PARTITION).bounds(BOUNDS);
    let generator = builder.clock(&clock).build().unwrap();
    let last = generator.try_generate().unwrap();
    clock.set(at(102));

    let expected = snapshot(Issued::at(tick(100), u32::from(last.sequence()) + 1), 102);
    assert_eq!(GeneratorSnapshot::of(&generator), Ok(expected));
    assert!(generator.try_generate().is_ok(), "the generator goes on");

    let closed = GeneratorSnapshot::closing(&generator).unwrap();
    assert_eq!(closed.wall_hi, 102);
    assert_eq!(generator.try_generate().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(GeneratorSnapshot::closing(&generator), Ok(closed));
}

#[test]
fn unreadable_clock_leaves_it_open() {
    let generator = Generator::builder(PARTITION).clock(Broken).build().unwrap();
    for taken in [GeneratorSnapshot::of(&generator), GeneratorSnapshot::closing(&generator)] {
        assert!(matches!(taken, Err(BuildError::Clock(_))), "{taken:?}");
    }
    assert!(!matches!(generator.try_generate().unwrap_err().kind(), ErrorKind::Closed));
}
