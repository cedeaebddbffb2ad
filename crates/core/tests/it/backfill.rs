//! IDs for times that have passed, beside a model that looks for the next free slot.

use std::collections::HashSet;

use tickid_core::example::{Node, Seconds, Toggling};
use tickid_core::{
    Backfill, BackfillError, BuildError, Builder, Fixed, Lowest, ManualClock, Policy, RandomStart,
    Scheme, Sequence, SequenceBounds, Snapshot, Tick, UnixTime, Window,
};
use tickid_testkit::Dice;

const PRESENT: u64 = 1_000;

fn seconds(seconds: i64) -> UnixTime {
    UnixTime::from_micros(seconds * 1_000_000)
}

fn builder<S: Scheme<Node = Node> + Default>(floor: u64, ceiling: u64) -> Builder<S, ManualClock> {
    let clock = ManualClock::new(seconds(i64::try_from(PRESENT).unwrap()));
    let window = Window::new(Tick::new(floor).unwrap(), ceiling).unwrap();
    Builder::seeded_of(S::default(), Node(7), 42).window(window).clock(clock)
}

/// Tick and sequence of an ID.
fn slot(id: u64) -> (u64, u32) {
    (id >> 17, u32::try_from(id & 0xff).unwrap())
}

/// The first slot after the last one, of those that a time may have.
#[derive(Debug)]
struct Model {
    window: (u64, u64),
    bounds: (u32, u32),
    spill: u64,
    starts: RandomStart,
    last: Option<(u64, u32)>,
    last_time: i64,
}

impl Model {
    fn next(&mut self, time: i64) -> Option<(u64, u32)> {
        let own = u64::try_from(time.div_euclid(1_000_000)).ok()?;
        if time < self.last_time || !(self.window.0..self.window.1).contains(&own) {
            return None;
        }
        let (lowest, last) = self.bounds;
        let bounds = SequenceBounds::new(lowest, last);
        let ticks = (own..=own + self.spill).filter(|tick| *tick < self.window.1);
        let mut slots = ticks.flat_map(|tick| {
            (self.starts.start(tick, bounds)..=last).map(move |sequence| (tick, sequence))
        });
        let next = slots.find(|slot| self.last.is_none_or(|last| *slot > last))?;
        (self.last, self.last_time) = (Some(next), time);
        Some(next)
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "shown if the test fails")]
fn every_time_gets_the_next_free_slot() {
    let mut dice = Dice::new(0x5eed);
    let (mut issued, mut refused) = (0, 0);
    for round in 0..400 {
        let floor = dice.below(50);
        let window = (floor, floor + 1 + dice.below(60));
        let lowest = dice.count(100);
        let bounds = (lowest, lowest + dice.count(12));
        let (spill, seed) = (dice.below(4), dice.below(1 << 40));
        let starts = RandomStart::new(seed).with_guard_bits(dice.count(3) - 1);
        let (last, last_time) = (None, i64::MIN);
        let mut model = Model { window, bounds, spill, starts, last, last_time };
        let start = |snapshot| -> Backfill<Seconds> {
            let builder = builder(window.0, window.1).sequence(starts).restore(snapshot);
            let backfill = builder.bounds(SequenceBounds::new(bounds.0, bounds.1)).build_backfill();
            backfill.unwrap().spill(spill)
        };
        let mut backfill = start(Snapshot::EMPTY);
        let mut time = i64::try_from(floor * 1_000_000).unwrap() - 1_000_000;
        for _ in 0..200 {
            time += [0, 0, 1, 500_000, 1_000_000, 3_000_000, -1, -2_500_000]
                [usize::try_from(dice.below(8)).unwrap()];
            if dice.below(20) == 0 {
                // Another run continues. It does not know the time, but the slot.
                backfill = start(backfill.snapshot());
                model.last_time = i64::MIN;
            }
            let expected = model.next(time);
            let found = backfill.generate(UnixTime::from_micros(time));
            match (found, expected) {
                (Ok(id), Some(expected)) => {
                    assert_eq!(slot(id), expected, "{round}: {time} {model:?}");
                    issued += 1;
                }
                (Err(_), None) => refused += 1,
                (found, expected) => panic!("{round}: {found:?} {expected:?} {time} {model:?}"),
            }
        }
    }
    println!("{issued} {refused}");
    assert!(issued > 10_000 && refused > 10_000);
}

#[test]
fn refusals_name_the_time_and_change_nothing() {
    let mut backfill = builder::<Seconds>(100, 200).build_backfill().unwrap();
    let first = backfill.generate(seconds(150)).unwrap();
    let errors = [
        (149, "1970-01-01T00:02:29Z is before 1970-01-01T00:02:30Z, and times ascend"),
        (
            200,
            "1970-01-01T00:03:20Z is outside of the window, which is from \
             1970-01-01T00:01:40Z to before 1970-01-01T00:03:20Z",
        ),
    ];
    for (time, message) in errors {
        assert_eq!(backfill.generate(seconds(time)).unwrap_err().to_string(), message);
    }
    assert_eq!(backfill.generate(seconds(150)), Ok(first + 1), "a refused time is not the last");
    let mut backfill = builder::<Seconds>(100, 200).build_backfill().unwrap();
    let error = backfill.generate(seconds(99)).unwrap_err();
    assert!(matches!(error, BackfillError::Window { .. }), "{error}");
    let error = backfill.generate(seconds(-1)).unwrap_err();
    assert!(matches!(error, BackfillError::Range(_)), "{error}");
}

#[test]
fn spilled_ids_stay_in_reach_and_in_the_window() {
    let mut backfill = builder::<Seconds>(100, 103).build_backfill().unwrap().spill(5);
    let ids: Vec<u64> = (0..768).map(|_| backfill.generate(seconds(100)).unwrap()).collect();
    assert!(ids.is_sorted() && slot(ids[767]) == (102, 255));
    let error = backfill.generate(seconds(100)).unwrap_err();
    assert!(matches!(error, BackfillError::UsedUp { tick: 100, spill: 2, .. }), "{error}");
}

#[test]
fn a_later_snapshot_refuses_earlier_times() {
    let snapshot = Snapshot::at(Tick::new(150).unwrap(), 7);
    let backfill = builder::<Seconds>(100, 200).restore(snapshot).build_backfill();
    let mut backfill = backfill.unwrap().spill(3);
    let error = backfill.generate(seconds(146)).unwrap_err();
    assert!(matches!(error, BackfillError::Descending { .. }), "{error}");
    assert_eq!(slot(backfill.generate(seconds(147)).unwrap()), (150, 7));
}

#[test]
fn snapshots_beyond_the_bounds_are_refused() {
    let snapshot = |next| Snapshot::at(Tick::new(150).unwrap(), next);
    let of = |next| {
        let builder = builder::<Seconds>(100, 200).bounds(SequenceBounds::new(4, 9));
        builder.restore(snapshot(next)).build_backfill()
    };
    assert!(of(4).is_ok() && of(10).is_ok());
    for next in [3, 11] {
        assert!(matches!(of(next), Err(BuildError::Restore(_))), "{next}");
        // Whether or not the sequence counts.
        let snapshot = Snapshot::at(Tick::<Toggling>::new(150).unwrap(), next);
        let builder = builder(100, 200).bounds(SequenceBounds::new(4, 9));
        let toggled = builder.restore(snapshot.with_drifts(1, None)).build_backfill();
        assert!(matches!(toggled, Err(BuildError::Restore(_))), "{next}");
    }
}

#[test]
fn windows_end_before_the_present() {
    let until = |ceiling| builder::<Seconds>(1, ceiling).build_backfill().map(drop);
    assert_eq!(until(PRESENT), Ok(()));
    let error = BuildError::NotPast { ceiling: PRESENT + 1, present: PRESENT };
    assert_eq!(until(PRESENT + 1), Err(error));
    let clock = ManualClock::new(seconds(i64::try_from(PRESENT).unwrap()));
    let without = Builder::seeded_of(Seconds, Node(7), 42).clock(clock).build_backfill();
    assert!(matches!(without, Err(BuildError::NotPast { .. })), "a window is needed");
    // Before the epoch, no tick is over.
    let clock = ManualClock::new(seconds(-1));
    let before = builder::<Seconds>(0, 1).clock(clock).build_backfill().map(drop);
    assert_eq!(before, Err(BuildError::NotPast { ceiling: 1, present: 0 }));
}

#[test]
fn ticks_of_the_other_toggle_are_left() {
    let at = |tick| Tick::<Toggling>::new(tick).unwrap();
    let snapshot = Snapshot::at(at(120), 7).with_drifts(1, Some(at(150)));
    let backfill = builder::<Toggling>(100, 200).restore(snapshot).build_backfill();
    let mut backfill = backfill.unwrap();
    assert!(backfill.generate(seconds(150)).is_err());
    backfill.generate(seconds(151)).unwrap();
    let snapshot = backfill.snapshot();
    assert_eq!((snapshot.drifts, snapshot.tick), (2, Some(at(151))), "the toggle is off");
    assert_eq!(snapshot.other_past, Some(at(120)), "as far as it was used with the toggle set");
}

/// The sequence of a snapshot says how far its tick was used under one toggle.
#[test]
fn sequences_count_only_in_ticks_without_the_toggle() {
    let at = |tick| Tick::<Toggling>::new(tick).unwrap();
    for (drifts, other_past, expected) in [
        (0, None, (120, 7)),
        (2, Some(119), (120, 7)),
        (2, Some(120), (121, 0)),
        (2, Some(121), (122, 0)),
        (1, None, (121, 0)),
        (1, Some(119), (121, 0)),
        (1, Some(120), (121, 0)),
        (u32::MAX, Some(130), (131, 0)),
    ] {
        let snapshot = Snapshot::at(at(120), 7).with_drifts(drifts, other_past.map(at));
        let backfill = builder::<Toggling>(100, 200).restore(snapshot).build_backfill();
        let mut backfill = backfill.unwrap().spill(100);
        let id = backfill.generate(seconds(119)).unwrap();
        assert_eq!((slot(id), id >> 16 & 1), (expected, 0), "{drifts} {other_past:?}");
    }
    // Without an ID under its own toggle, a snapshot has no sequence.
    for (drifts, toggled) in [(0, Some(at(120))), (2, Some(at(120))), (1, None), (3, None)] {
        let snapshot = Snapshot::EMPTY.with_drifts(drifts, Some(at(120)));
        let backfill = builder::<Toggling>(100, 200).restore(snapshot).build_backfill();
        let mut backfill = backfill.unwrap().spill(1);
        assert_eq!(slot(backfill.generate(seconds(120)).unwrap()), (121, 0));
        let snapshot = backfill.snapshot();
        assert_eq!((snapshot.drifts, snapshot.other_past), (drifts.next_multiple_of(2), toggled));
    }
}

/// Backfills and generators by clocks that go back take turns, each from the snapshot of the one
/// before.
#[test]
#[allow(clippy::print_stdout, reason = "shown if the test fails")]
fn no_id_repeats_in_a_relay_under_tick_tock() {
    let mut dice = Dice::new(0x7e1a);
    let (mut issued, mut flips) = (0, 0);
    for round in 0..300 {
        let (mut ids, mut snapshot) = (HashSet::new(), Snapshot::<Toggling>::EMPTY);
        for _ in 0..20 {
            let builder = builder::<Toggling>(100, 200).bounds(SequenceBounds::new(2, 5));
            let builder = builder.policy(Policy::TickTock).restore(snapshot);
            let mut now = snapshot.tick.map_or(100, Tick::get).cast_signed();
            if dice.below(3) == 0 {
                let mut backfill = builder.build_backfill().unwrap().spill(dice.below(3));
                for _ in 0..6 {
                    now += dice.below(2).cast_signed();
                    let id = backfill.generate(seconds(now));
                    assert!(id.is_err() || ids.insert(id.unwrap()), "{round}: {id:?} repeats");
                }
                snapshot = backfill.snapshot();
                continue;
            }
            let clock = ManualClock::new(seconds(now));
            let mut generator = builder.clock(&clock).build_local().unwrap();
            for _ in 0..12 {
                now = (now + dice.one_of(&[0, 0, 0, 1, 1, -1, -2])).clamp(100, 199);
                clock.set(seconds(now));
                let id = generator.try_generate();
                assert!(id.is_err() || ids.insert(id.unwrap()), "{round}: {id:?} repeats");
            }
            snapshot = generator.close();
        }
        issued += ids.len();
        flips += snapshot.drifts;
    }
    println!("{issued} IDs, {flips} flips");
    assert!(issued > 20_000 && flips > 3_000);
}

#[test]
fn resuming_never_goes_back() {
    let snapshot = |tick, next| Snapshot::at(Tick::new(tick).unwrap(), next);
    let fresh = || {
        let mut backfill = builder::<Seconds>(100, 200).build_backfill().unwrap();
        let ids: [_; 5] = [(); 5].map(|()| backfill.generate(seconds(150)).unwrap());
        assert_eq!(slot(ids[4]), (150, 4));
        backfill
    };
    for (resumed, expected) in [
        (Snapshot::EMPTY, (150, 5)),
        (snapshot(149, 200), (150, 5)),
        (snapshot(150, 0), (150, 5)),
        (snapshot(150, 5), (150, 5)),
        (snapshot(150, 9), (150, 9)),
        (snapshot(151, 3), (151, 3)),
    ] {
        let mut backfill = fresh().resume(resumed).unwrap().spill(1);
        assert_eq!(slot(backfill.generate(seconds(150)).unwrap()), expected, "{resumed:?}");
    }
    // Of two snapshots, each says more about one toggle.
    let at = |tick| Tick::<Toggling>::new(tick).unwrap();
    let [first, second] = [(2, 110), (4, 105)]
        .map(|(drifts, past)| Snapshot::at(at(120), 7).with_drifts(drifts, Some(at(past))));
    for [one, other] in [[first, second], [second, first]] {
        let backfill = builder::<Toggling>(100, 200).restore(one).build_backfill().unwrap();
        let resumed = backfill.resume(other).unwrap().snapshot();
        assert_eq!(resumed, Snapshot::at(at(120), 7).with_drifts(4, Some(at(110))));
    }
}

#[test]
fn starts_follow_their_rule() {
    let with = |rule: &dyn Fn(Builder<Seconds, ManualClock>) -> Builder<Seconds, ManualClock>| {
        let mut backfill = rule(builder(100, 200)).build_backfill().unwrap();
        backfill.generate(seconds(150)).map(|id| slot(id).1)
    };
    assert_eq!(with(&|builder| builder.sequence(Lowest)), Ok(0));
    assert_eq!(with(&|builder| builder.sequence(Fixed(9))), Ok(9));
    let outside = with(&|builder| builder.sequence(Fixed(9)).bounds(SequenceBounds::new(0, 8)));
    assert!(matches!(outside, Err(BackfillError::Range(_))), "{outside:?}");
}
