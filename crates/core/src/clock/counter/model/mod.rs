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
//! - `measure` returns the wall clock without the floor, or ignores a line that is being made: back.
//! - `measure` does not note that the wall clock was set back: off.
//! - `is_set_back` compares with the anchor only, and not with the time passed: off.
//! - `wait_or_cancel` cancels nothing: hangs.
//! - A line that was cancelled is published anyway: back.
//! - A line does not run slower while it is ahead: off.
//! - `measure` forgets that the last rate's own error may hide a change of speed: off.
//! - A holder that a `fork` left behind stays: no line.
//!
//! One fault was not found because a call that is held up ends after those that run in the
//! meantime: `measure` does not check the version again after reading the wall clock.

mod cases;
mod histories;

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::string::String;

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

/// The promises of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Promise {
    Error,
    Order,
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
            // Large and different, so that a mix-up of two of the clocks shows.
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
                // The clock also misses all that happened since.
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
        // Calls nest: an event within a call may make another, as another thread would. They do so
        // at most four deep.
        if self.calls.borrow().len() == 4 {
            return;
        }
        let clock = Rc::clone(self.clock.borrow().as_ref().unwrap());
        let start = self.now.get();
        self.use_now();
        let (seen, seen_since) = self.highest.get();
        // The lowest and the highest time of the wall clock during the call. Events within it widen
        // the two.
        self.calls.borrow_mut().push((self.wall_time(), self.wall_time()));
        let time = clock.at(self.counter()).or_else(|| clock.measure()).unwrap();
        let (first, last) = self.calls.borrow_mut().pop().unwrap();

        let error = self.error_since(start);
        if time < first.saturating_sub(error) || time > last + error {
            let off = if time < first { first - time } else { time - last };
            let what = format_args!("{} ns off instead of {}", nanos(off), nanos(error));
            self.fail(Promise::Error, what);
        }
        // A time that was returned before this call began is not undercut, unless the wall clock
        // itself was set back.
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
