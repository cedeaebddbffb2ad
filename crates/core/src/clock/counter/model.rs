//! The counter clock in simulated histories: steps and slews of the wall clock, suspends, jumps of
//! the counter and changes of its speed, pauses in which any of these happen, and threads that are
//! held up at any reading while others read, too.
//!
//! Nothing here depends on the machine's clocks. A held-up thread is simulated by a call during
//! which other calls run from start to end.
//!
//! `finds_what_is_planted` plants the faults that the parameters or the world's clocks allow. These
//! faults were planted by hand in the sources, and found:
//!
//! - `next` takes 0 for the floor, or a line starts at the wall clock: back.
//! - `look` returns the wall clock without the floor, or ignores a line that is being made: back.
//! - `look` does not note that the wall clock was set back: off.
//! - `is_set_back` compares with the anchor only, and not with the time passed: off.
//! - `wait_or_cancel` cancels nothing: hangs.
//! - A line that was cancelled is published anyway: back.
//! - A line does not run slower while it is ahead: off.
//! - `measure` forgets that the last rate's own error may hide a change of speed: off.
//! - A holder that a `fork` left behind stays: no line.
//!
//! One fault was not found because a call that is held up ends after those that run in the
//! meantime: `look` does not check the version again after reading the wall clock.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::string::String;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::anchor::{LIMITS, MICROSECOND, MILLISECOND, Parameters, proportion};
use super::{Clocks, CounterState};

/// The error without events.
const STEADY: u64 = 20 * MICROSECOND;
/// The length of a line.
const LINE: u64 = 2 * MILLISECOND;
/// The time that the error may be larger after an event.
const AFTER_EVENT: u64 = 10 * MILLISECOND;
/// The same when the counter's speed changed.
const AFTER_CHANGE: u64 = 20 * MILLISECOND;

/// The duration of a reading of any clock: 25 ns.
const READING: u64 = MICROSECOND / 40;
/// The number of fraction bits of fixed-point values.
const FRACTION: u32 = 20;
/// Counter ticks per time at 3 GHz.
const SPEED: u128 = (3_000 << FRACTION) / MICROSECOND as u128;

#[derive(Clone, Debug)]
enum Action {
    Advance(u64),
    Step(i64),
    /// In parts per million.
    Slew(i64),
    /// The counter runs on, stops, or restarts.
    Suspend(u64, Meanwhile),
    /// The counter runs at this many thousandths of 3 GHz.
    Speed(u64),
    Jump(i64),
    Read,
    /// This many readings, with this much time between them.
    Burst(u32, u64),
    /// A reading during which these actions hold a thread up, one list after each clock that it
    /// reads.
    Held(Vec<Vec<Self>>),
}

#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    RunsOn,
    Stops,
    BeginsAnew,
}

/// An event after which the error may be larger.
struct Disturbance {
    time: u64,
    error: u64,
    lasts: u64,
    is_back: bool,
}

/// A change of the counter's speed.
#[derive(Clone, Copy)]
struct SpeedChange {
    time: u64,
    /// The time in use until then.
    used: u64,
    /// The speed before.
    before: u128,
    /// Set if the counter had another event within the last [`AFTER_CHANGE`] in use. The two may
    /// cancel each other out over a pause, so a pause does not count.
    is_followed: bool,
}

/// The state of all clocks, and the readings taken.
struct SimulatedMachine {
    /// The time that the machine and the raw clock have run; suspends do not count.
    now: Cell<u64>,
    /// The time in use at the last reading: without pauses in which no thread reads the clock,
    /// beyond the length of a line.
    used: Cell<u64>,
    /// The time of the last reading.
    read_at: Cell<u64>,
    /// Fixed-point.
    wall: Cell<u128>,
    /// Fixed-point.
    counter: Cell<u128>,
    /// Fixed-point.
    speed: Cell<u128>,
    ppm: Cell<i64>,
    events: RefCell<Vec<Disturbance>>,
    changes: RefCell<Vec<SpeedChange>>,
    /// The time in use at the counter's last event.
    counter_event: Cell<Option<u64>>,
    /// The range of the wall clock during each call that has started, the innermost last.
    calls: RefCell<Vec<(u64, u64)>>,
    holds: RefCell<VecDeque<Vec<Action>>>,
    /// The highest time that a call has returned, and when that call started.
    highest: Cell<(u64, u64)>,
    clock: RefCell<Option<Rc<CounterState<Rc<Self>>>>>,
    failure: RefCell<Option<(Promise, String)>>,
    /// A fault: the raw clock is stepped and slewed like the wall clock.
    is_raw_the_wall: bool,
}

impl SimulatedMachine {
    fn new(limits: Parameters, is_raw_the_wall: bool) -> Rc<Self> {
        let machine = Rc::new(Self {
            now: Cell::new(1 << 50),
            used: Cell::new(0),
            read_at: Cell::new(1 << 50),
            wall: Cell::new(1 << (58 + FRACTION)),
            counter: Cell::new(1 << (45 + FRACTION)),
            speed: Cell::new(SPEED),
            ppm: Cell::new(0),
            events: RefCell::default(),
            changes: RefCell::default(),
            counter_event: Cell::default(),
            calls: RefCell::default(),
            holds: RefCell::default(),
            highest: Cell::default(),
            clock: RefCell::default(),
            failure: RefCell::default(),
            is_raw_the_wall,
        });
        *machine.clock.borrow_mut() = Some(Rc::new(CounterState::new(Rc::clone(&machine), limits)));
        machine
    }

    fn wall_time(&self) -> u64 {
        whole(self.wall.get())
    }

    fn advance(&self, time: u64) {
        self.now.set(self.now.get() + time);
        self.counter.set(self.counter.get() + u128::from(time) * self.speed.get());
        let ppm = u128::from((1_000_000 + self.ppm.get()).cast_unsigned());
        self.set_wall(self.wall.get() + ((u128::from(time) * ppm) << FRACTION) / 1_000_000);
    }

    fn set_wall(&self, wall: u128) {
        self.wall.set(wall);
        let wall = self.wall_time();
        for (first, last) in self.calls.borrow_mut().iter_mut() {
            (*first, *last) = ((*first).min(wall), (*last).max(wall));
        }
    }

    /// Returns the time in use until now.
    fn in_use(&self) -> u64 {
        self.used.get() + (self.now.get() - self.read_at.get()).min(LINE)
    }

    fn use_now(&self) {
        self.used.set(self.in_use());
        self.read_at.set(self.now.get());
    }

    /// Notes that something happened to the counter, and reports whether it follows another event
    /// so soon that the two may cancel each other out.
    fn counter_event(&self) -> bool {
        let used = self.in_use();
        let last = self.counter_event.replace(Some(used));
        let is_followed = last.is_some_and(|last| last + AFTER_CHANGE >= used);
        if is_followed {
            for change in self.changes.borrow_mut().iter_mut() {
                change.is_followed |= change.used + AFTER_CHANGE >= used;
            }
        }
        is_followed
    }

    fn event(&self, error: u64, lasts: u64, is_back: bool) {
        self.events.borrow_mut().push(Disturbance { time: self.now.get(), error, lasts, is_back });
    }

    fn act(&self, action: &Action) {
        match action {
            Action::Advance(time) => self.advance(*time),
            Action::Step(step) => {
                self.event(step.unsigned_abs(), AFTER_EVENT, *step < 0);
                let step = i128::from(*step) << FRACTION;
                self.set_wall(self.wall.get().checked_add_signed(step).unwrap());
            }
            Action::Slew(ppm) => {
                // The error of the slew that ends.
                let length = LINE + self.error_by_changes_since(self.now.get());
                self.event(slewed(self.ppm.get(), length), AFTER_EVENT, false);
                self.ppm.set(*ppm);
            }
            Action::Suspend(time, meanwhile) => {
                self.event(*time, AFTER_EVENT, false);
                if !matches!(meanwhile, Meanwhile::Stops) {
                    self.counter_event();
                }
                self.set_wall(self.wall.get() + (u128::from(*time) << FRACTION));
                match meanwhile {
                    Meanwhile::RunsOn => {
                        let passed = u128::from(*time) * self.speed.get();
                        self.counter.set(self.counter.get() + passed);
                    }
                    Meanwhile::Stops => {}
                    Meanwhile::BeginsAnew => {
                        self.event(LINE, AFTER_EVENT, false);
                        // The counter restarts at a value where it has not been before, since
                        // otherwise this would be a jump back.
                        let restarts = self.events.borrow().len() as u128;
                        self.counter.set(restarts << (36 + FRACTION));
                    }
                }
            }
            Action::Speed(thousandths) => {
                let before = self.speed.replace(SPEED * u128::from(*thousandths) / 1_000);
                let (time, used, is_followed) =
                    (self.now.get(), self.in_use(), self.counter_event());
                self.changes.borrow_mut().push(SpeedChange { time, used, before, is_followed });
            }
            Action::Jump(ticks) => {
                let is_back = *ticks < 0;
                // The counter may have come that far at any of its speeds.
                let slowest = *self.speeds_since(0).iter().min().unwrap();
                let ticks_fixed = u128::from(ticks.unsigned_abs()) << FRACTION;
                let jump = u64::try_from(ticks_fixed / u128::from(slowest)).unwrap();
                // If the counter is set back into the last line, it looks as if it had never left
                // it.
                let error = if is_back { jump.max(LINE) } else { LINE };
                let error = error + slewed(100_000, error);
                // It also looks as if nothing had happened since.
                let missed = self.error_since(self.now.get().saturating_sub(error));
                let error = if is_back { error + missed } else { error };
                self.event(error, AFTER_EVENT, is_back);
                self.counter_event();
                let ticks = i128::from(*ticks) << FRACTION;
                self.counter.set(self.counter.get().saturating_add_signed(ticks));
                // If some thread reads the clock now, the line is over for all. If none did, and
                // the counter passed its earlier value again, no thread could detect the jump.
                let holds = self.holds.take();
                self.read();
                self.holds.replace(holds);
            }
            Action::Read => self.read(),
            Action::Burst(number, gap) => {
                for _ in 0..*number {
                    self.read();
                    self.advance(*gap);
                }
            }
            Action::Held(holds) => {
                self.holds.borrow_mut().extend(holds.iter().cloned());
                self.read();
                self.holds.borrow_mut().clear();
            }
        }
    }

    /// Makes a call and checks it against the clock's guarantees.
    fn read(&self) {
        if self.calls.borrow().len() == 4 {
            return;
        }
        let clock = Rc::clone(self.clock.borrow().as_ref().unwrap());
        let start = self.now.get();
        self.use_now();
        let (seen, seen_since) = self.highest.get();
        self.calls.borrow_mut().push((self.wall_time(), self.wall_time()));
        let time = clock.at(self.counter()).or_else(|| clock.look()).unwrap();
        let (first, last) = self.calls.borrow_mut().pop().unwrap();

        let error = self.error_since(start);
        if time < first.saturating_sub(error) || time > last + error {
            let off = if time < first { first - time } else { time - last };
            let what = format_args!("{} ns off instead of {}", nanos(off), nanos(error));
            self.fail(Promise::Error, what);
        }
        if time < seen && !self.was_set_back_since(seen_since) {
            self.fail(Promise::Order, format_args!("{} ns back", nanos(seen - time)));
        }
        let (highest, _) = self.highest.get();
        if time >= highest || time < seen {
            self.highest.set((time, start));
        }
    }

    /// Returns the largest error of a call that started at `start` and ends now.
    fn error_since(&self, start: u64) -> u64 {
        let events = self.events.borrow();
        let recent = events.iter().filter(|event| event.time + event.lasts >= start);
        let error = STEADY + slewed(self.ppm.get(), LINE) + self.error_by_changes_since(start);
        error + recent.map(|event| event.error).sum::<u64>()
    }

    /// Returns the error of a line that was started at one speed and is read at another, which is
    /// `f` times the first: |1 - 1/f| of its length. A slew goes unnoticed for that much longer,
    /// too.
    fn error_by_changes_since(&self, start: u64) -> u64 {
        let speeds = self.speeds_since(start);
        let mut most = 0;
        for (number, first) in speeds.iter().enumerate() {
            for second in &speeds[number + 1..] {
                let off = proportion(LINE, first.abs_diff(*second), *second);
                most = most.max(off + slewed(self.ppm.get(), off));
            }
        }
        most
    }

    /// Returns the counter's speeds that still have an effect, including the present one.
    fn speeds_since(&self, start: u64) -> Vec<u64> {
        let changes = self.changes.borrow();
        // The time in use at `start`, or a little later: calls may overlap.
        let used = self.in_use();
        let recent = changes.iter().filter(|change| {
            change.time + AFTER_CHANGE >= start
                || (change.is_followed && change.used + AFTER_CHANGE + LINE >= used)
        });
        let speeds = recent.map(|change| change.before).chain([self.speed.get()]);
        speeds.map(|speed| u64::try_from(speed).unwrap()).collect()
    }

    fn was_set_back_since(&self, start: u64) -> bool {
        let events = self.events.borrow();
        events.iter().any(|event| event.is_back && event.time + event.lasts >= start)
    }

    fn fail(&self, promise: Promise, what: core::fmt::Arguments<'_>) {
        let since = self.now.get() - (1 << 50);
        let failure = std::format!("{what}, after {} us", since / MICROSECOND);
        self.failure.borrow_mut().get_or_insert((promise, failure));
    }

    /// Reads a clock, which takes time, and after which the thread may be held up.
    fn reading(&self) {
        self.advance(READING);
        let hold = self.holds.borrow_mut().pop_front();
        for action in hold.into_iter().flatten() {
            self.act(&action);
        }
    }

    fn counter(&self) -> u64 {
        let counter = whole(self.counter.get());
        self.reading();
        counter
    }
}

fn whole(fixed: u128) -> u64 {
    u64::try_from(fixed >> FRACTION).unwrap()
}

fn slewed(ppm: i64, time: u64) -> u64 {
    time * ppm.unsigned_abs() / 1_000_000
}

fn nanos(time: u64) -> u64 {
    time.saturating_mul(1_000) / MICROSECOND
}

impl Clocks for Rc<SimulatedMachine> {
    fn counter(&self) -> u64 {
        SimulatedMachine::counter(self)
    }

    fn early_counter(&self) -> u64 {
        SimulatedMachine::counter(self)
    }

    fn wall(&self) -> Option<u64> {
        let wall = self.wall_time();
        self.reading();
        Some(wall)
    }

    fn raw(&self) -> u64 {
        let raw = if self.is_raw_the_wall { self.wall_time() } else { self.now.get() };
        self.reading();
        raw
    }
}

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

/// The promises of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    Error,
    Order,
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

/// Returns a clock that has measured the counter's rate.
fn learnt() -> Rc<SimulatedMachine> {
    let machine = SimulatedMachine::new(LIMITS, false);
    machine.until_line(AFTER_EVENT).unwrap();
    machine
}

impl SimulatedMachine {
    fn shared(&self) -> Rc<CounterState<Rc<Self>>> {
        Rc::clone(self.clock.borrow().as_ref().unwrap())
    }

    fn has_line(&self) -> bool {
        self.shared().at(whole(self.counter.get())).is_some()
    }

    /// Reads every 0.1 ms for at most `most`, and returns how long it took until there was a line.
    fn until_line(&self, most: u64) -> Option<u64> {
        let start = self.now.get();
        while self.now.get() < start + most {
            self.act(&Action::Burst(1, MILLISECOND / 10));
            if self.has_line() {
                return Some(self.now.get() - start);
            }
        }
        None
    }

    fn assert_sound(&self) {
        assert_eq!(self.failure.take(), None);
    }
}

#[test]
fn lines_start_when_two_agree() {
    let machine = SimulatedMachine::new(LIMITS, false);
    let took = machine.until_line(10 * MILLISECOND).unwrap();
    assert!((2 * MILLISECOND..3 * MILLISECOND).contains(&took), "{}", nanos(took));
    machine.assert_sound();
}

#[test]
fn steps_end_the_line() {
    for step in [600 * MICROSECOND, 1_000 * MILLISECOND, 86_400_000 * MILLISECOND] {
        for step in [step.cast_signed(), -step.cast_signed()] {
            let machine = learnt();
            machine.act(&Action::Step(step));
            machine.advance(LINE);
            machine.act(&Action::Read);
            assert!(!machine.has_line(), "{step}");
            machine.advance(MILLISECOND);
            machine.act(&Action::Read);
            assert!(!machine.has_line(), "{step}");
            assert!(machine.until_line(AFTER_EVENT).is_some(), "{step}");
            machine.assert_sound();
        }
    }
}

#[test]
fn early_steps_teach_nothing() {
    for seconds in [10, 3_600, 86_400] {
        let machine = SimulatedMachine::new(LIMITS, false);
        machine.act(&Action::Read);
        machine.advance(3 * MILLISECOND);
        machine.act(&Action::Step(seconds * 1_000 * MILLISECOND.cast_signed()));
        assert!(machine.until_line(AFTER_EVENT).is_some(), "{seconds}");
        machine.act(&Action::Burst(3_000, MILLISECOND / 10));
        machine.assert_sound();
    }
}

#[test]
fn changed_speed_is_learnt_again() {
    for thousandths in [500, 900, 990, 1_010, 1_100, 2_000] {
        let machine = learnt();
        machine.act(&Action::Speed(thousandths));
        machine.advance(2 * LINE);
        machine.act(&Action::Read);
        assert!(!machine.has_line(), "{thousandths}");
        assert!(machine.until_line(AFTER_EVENT).is_some(), "{thousandths}");
        machine.act(&Action::Burst(1_000, MILLISECOND / 10));
        machine.assert_sound();
    }
}

/// The first reading after a pause starts a line, and the longer the pause, the better the rate.
#[test]
fn pauses_keep_the_rate() {
    for ppm in [0, 500, -500] {
        let machine = learnt();
        machine.act(&Action::Slew(ppm));
        for millis in [10, 99, 101, 300, 1_000, 60_000, 3_600_000] {
            machine.advance(millis * MILLISECOND);
            machine.act(&Action::Read);
            assert!(machine.has_line(), "{millis} ms, {ppm} ppm");
        }
        machine.act(&Action::Burst(1_000, MILLISECOND / 10));
        machine.assert_sound();
    }
}

/// A program may never read the clock for two milliseconds in a row.
#[test]
fn pauses_teach_the_rate() {
    for millis in [2, 99, 101, 1_000, 3_600_000] {
        let machine = SimulatedMachine::new(LIMITS, false);
        let read = Action::Burst(1, millis * MILLISECOND);
        machine.act(&Action::Burst(2, millis * MILLISECOND));
        machine.act(&read);
        machine.act(&Action::Read);
        assert!(machine.has_line(), "{millis} ms");
        machine.assert_sound();
    }
}

#[test]
fn changes_in_a_pause_are_bounded() {
    let until_read = [0, 1, 5, 10, 15, 18, 19, 20, 21, 25, 30, 50, 100, 1_000, 100_000];
    let speeds = [500, 900, 980, 990, 994, 996, 1_004, 1_006, 1_010, 1_020, 1_100, 2_000];
    for (millis, thousandths) in until_read.iter().flat_map(|m| speeds.map(|s| (*m, s))) {
        for before in [1, 50, 300, 1_000, 100_000, 3_600_000] {
            let machine = learnt();
            machine.act(&Action::Burst(3, before * MILLISECOND));
            machine.act(&Action::Speed(thousandths));
            machine.advance(millis * MILLISECOND);
            machine.act(&Action::Burst(60, MILLISECOND / 3));
            assert!(machine.failure.borrow().is_none(), "{before} {millis} {thousandths}");
            machine.assert_sound();
        }
    }
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

/// A pause measures the mean speed, which two changes may leave as it was.
#[test]
fn changes_that_cancel_count_from_reading() {
    let machine = learnt();
    for thousandths in [1_100, 900] {
        machine.act(&Action::Speed(thousandths));
        machine.advance(50 * MILLISECOND);
    }
    machine.act(&Action::Read);
    assert!(machine.has_line(), "the changes cancel each other out");
    machine.act(&Action::Burst(200, LINE / 10));
    machine.assert_sound();
}

#[test]
fn paused_steps_back_are_noticed() {
    let machine = learnt();
    machine.act(&Action::Step(-30 * MILLISECOND.cast_signed()));
    // The wall clock is past the anchor again, but not past the end of its line.
    machine.advance(31 * MILLISECOND);
    machine.act(&Action::Read);
    machine.assert_sound();
}

#[test]
fn lines_end_after_two_ms() {
    let machine = learnt();
    machine.advance(LINE);
    assert!(!machine.has_line());
}

#[test]
fn stuck_writers_block_no_reader() {
    // After each of its readings, the thread is held up for 50 ms while the clock is stepped.
    for held_up_after in 0..8 {
        let machine = learnt();
        machine.advance(LINE);
        let hold = [
            Action::Burst(100, MILLISECOND / 5),
            Action::Step(-7_000 * MILLISECOND.cast_signed()),
            Action::Burst(100, MILLISECOND / 5),
        ];
        let mut holds: Vec<Vec<Action>> = std::vec![Vec::new(); held_up_after];
        holds.push(hold.to_vec());
        machine.act(&Action::Held(holds));
        assert!(machine.until_line(AFTER_EVENT).is_some());
        machine.assert_sound();
    }
}

#[test]
fn fork_while_anchoring_goes_on() {
    use core::sync::atomic::Ordering;

    let machine = learnt();
    let shared = machine.shared();
    // A thread of the parent, which the child does not have, was making a line.
    let prepared = shared.load_version().without_line(super::Version::PREPARED);
    shared.version.store(prepared.0, Ordering::Relaxed);
    shared.holder.store(super::NOBODY - 1, Ordering::Relaxed);
    machine.act(&Action::Step(1_000 * MILLISECOND.cast_signed()));
    assert!(machine.until_line(AFTER_EVENT).is_some());
    machine.act(&Action::Burst(1_000, MILLISECOND / 10));
    assert_eq!(shared.holder.load(Ordering::Relaxed), super::NOBODY);
    machine.assert_sound();
}
