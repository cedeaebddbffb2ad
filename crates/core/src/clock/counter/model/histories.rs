//! Random histories, and the faults that they find.

use alloc::vec::Vec;
use core::cell::Cell;
use std::string::String;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::*;

/// From 2^`least` to 2^`most`, each power of two as often as the next.
fn size(least: u32, most: u32) -> impl Strategy<Value = u64> {
    (least..most).prop_flat_map(|power| (1_u64 << power)..(2 << power))
}

fn either_way(size: impl Strategy<Value = u64>) -> impl Strategy<Value = i64> {
    (size, any::<bool>()).prop_map(|(size, is_back)| {
        let size = size.cast_signed();
        if is_back { -size } else { size }
    })
}

/// Returns the events that happen to clocks.
fn happening() -> impl Strategy<Value = Action> {
    let meanwhile =
        prop_oneof![Just(Meanwhile::RunsOn), Just(Meanwhile::Stops), Just(Meanwhile::BeginsAnew)];
    prop_oneof![
        // From 0.25 us to 0.3 s.
        6 => size(6, 26).prop_map(Action::Advance),
        // To a day and a half, either way.
        4 => either_way(size(8, 45)).prop_map(Action::Step),
        2 => prop_oneof![-100_000..=100_000_i64, -500..=500_i64].prop_map(Action::Slew),
        1 => (size(8, 40), meanwhile).prop_map(|(time, meanwhile)| Action::Suspend(time, meanwhile)),
        // From half to twice as fast as before.
        2 => (708..=1_414_u64).prop_map(Action::Speed),
        // Hardly.
        1 => (990..=1_010_u64).prop_map(Action::Speed),
        1 => either_way(size(8, 40)).prop_map(Action::Jump),
    ]
}

fn holds() -> impl Strategy<Value = Vec<Vec<Action>>> {
    let action = prop_oneof![
        3 => happening(),
        3 => Just(Action::Read),
        // Until a line is over.
        1 => size(16, 20).prop_map(Action::Advance),
    ];
    let hold = prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(action, 1..4)];
    prop::collection::vec(hold, 1..16)
}

/// Returns pauses in which no thread reads the clock: up to two hours, with an event up to 0.3 s
/// before the end, and as many readings afterwards as tell whether the rate is used and right.
fn pause() -> impl Strategy<Value = [Action; 5]> {
    (size(20, 40), happening(), size(6, 26), 1..4_u32, size(6, 19)).prop_map(
        |(before, event, after, number, gap)| {
            let read = Action::Burst(number, gap);
            [Action::Read, Action::Advance(before), event, Action::Advance(after), read]
        },
    )
}

fn history() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        2 => happening(),
        2 => holds().prop_map(Action::Held),
        // Up to 60 readings, at most 15 ms apart; and as many as let the clock learn its rate.
        2 => (1..60_u32, size(6, 22)).prop_map(|(number, gap)| Action::Burst(number, gap)),
        1 => (size(14, 18)).prop_map(|gap| Action::Burst(60, gap)),
    ];
    let actions = prop_oneof![
        3 => action.prop_map(|action| Vec::from([action])),
        1 => pause().prop_map(Vec::from),
    ];
    prop::collection::vec(actions, 1..40).prop_map(|actions| actions.concat())
}

/// A clock with other parameters, or on a machine with other clocks.
#[derive(Clone, Copy)]
struct ClockUnderTest {
    limits: Parameters,
    is_raw_the_wall: bool,
}

const SOUND: ClockUnderTest = ClockUnderTest { limits: LIMITS, is_raw_the_wall: false };

impl ClockUnderTest {
    /// Replays a history and returns the first promise broken.
    fn go_through(self, history: &[Action]) -> Option<(Promise, String)> {
        let machine = SimulatedMachine::new(self.limits, self.is_raw_the_wall);
        for action in history {
            machine.act(action);
        }
        // The machine and its clock hold references to each other.
        *machine.clock.borrow_mut() = None;
        machine.failure.take()
    }

    /// Returns the promise that is broken in some history.
    fn broken(self) -> Option<Promise> {
        let config = Config { cases: 20_000, failure_persistence: None, ..Config::default() };
        let config = Config { max_shrink_iters: 0, ..config };
        let broken = Cell::new(None);
        // The same histories every time: a fault is found in all runs or in none.
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let result = runner.run(&history(), |history| match self.go_through(&history) {
            None => Ok(()),
            Some((promise, what)) => {
                broken.set(Some(promise));
                Err(TestCaseError::fail(what))
            }
        });
        assert_eq!(broken.get().is_some(), matches!(result, Err(TestError::Fail(..))));
        broken.get()
    }
}

proptest! {
    #![proptest_config(Config { cases: 2_000, ..Config::default() })]

    #[test]
    fn stays_within_its_bounds(history in history()) {
        let failure = SOUND.go_through(&history);
        let failure = failure.filter(|(promise, _)| *promise == Promise::Error);
        prop_assert!(failure.is_none(), "{failure:?}");
    }

    #[test]
    fn runs_back_only_with_the_wall(history in history()) {
        let failure = SOUND.go_through(&history);
        let failure = failure.filter(|(promise, _)| *promise == Promise::Order);
        prop_assert!(failure.is_none(), "{failure:?}");
    }
}

/// The counter is set back into the last line, and has run at two speeds since. No other call ended
/// meanwhile.
#[test]
fn jumps_beyond_changes_are_bounded() {
    let holds = [
        Vec::from([Action::Advance(51_872_859)]),
        Vec::from([Action::Speed(1_303), Action::Read]),
        Vec::from([Action::Advance(51_248_885)]),
        Vec::from([Action::Jump(-1_397_930_836), Action::Read]),
    ];
    let history = [Action::Burst(14, 127_973), Action::Held(Vec::from(holds))];
    assert_eq!(SOUND.go_through(&history), None);
}

/// The interval from an uncertain reading, here of 10 us, must be long before the rate can be
/// measured, and the counter's speed changes during that reading.
#[test]
fn unmeasured_rates_are_not_used_for_long() {
    let mut slow = [(); 6].map(|()| Vec::new());
    slow[3] = Vec::from([Action::Advance(10 * MILLISECOND)]);
    slow[5] = Vec::from([Action::Speed(975), Action::Advance(MICROSECOND * 99 / 10)]);
    let history = [
        Action::Burst(2, 11 * MILLISECOND),
        Action::Held(Vec::from(slow)),
        Action::Burst(21, MILLISECOND * 192 / 100),
    ];
    assert_eq!(SOUND.go_through(&history), None);
    let unbounded = ClockUnderTest { limits: Parameters { stale: u64::MAX, ..LIMITS }, ..SOUND };
    let broken = unbounded.go_through(&history).map(|(promise, _)| promise);
    assert_eq!(broken, Some(Promise::Error));
}

/// The error of a rate that was measured from an uncertain reading is the opposite of what a change
/// of speed adds up to, long before the end of a pause.
#[test]
fn uncertain_rates_hide_no_change() {
    let mut slow = [(); 5].map(|()| Vec::new());
    slow[4] = Vec::from([Action::Advance(9 * MICROSECOND)]);
    let history = [
        Action::Burst(1, 20 * MILLISECOND),
        Action::Held(Vec::from(slow)),
        Action::Advance(978 * MILLISECOND),
        Action::Speed(1_021),
        Action::Advance(22 * MILLISECOND),
        Action::Burst(2, LINE * 9 / 10),
    ];
    assert_eq!(SOUND.go_through(&history), None);
}

#[test]
fn finds_what_is_planted() {
    let with = |limits| ClockUnderTest { limits, ..SOUND };
    let by_the_wall = |limits| ClockUnderTest { limits, is_raw_the_wall: true };
    let planted = [
        ("a rate is used at its first measurement", with(Parameters { agreement: 1, ..LIMITS })),
        (
            "a pause need agree only in proportion",
            with(Parameters { tolerance: u64::MAX, ..LIMITS }),
        ),
        ("the rate survives a step", by_the_wall(Parameters { step: u64::MAX, ..LIMITS })),
        ("extrapolation has no bound", with(Parameters { period: 1_000 * MILLISECOND, ..LIMITS })),
        ("uncertain readings begin lines", with(Parameters { uncertainty: u64::MAX, ..LIMITS })),
    ];
    for (what, subject) in planted {
        assert!(subject.broken().is_some(), "not found: {what}");
    }
}
