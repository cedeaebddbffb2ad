//! Single cases, in which one thing happens to a clock whose rate is known.

use super::super::{NOBODY, Version};
use super::*;

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
    let prepared = shared.load_version().without_line(Version::PREPARED);
    shared.version.store(prepared.0, Ordering::Relaxed);
    shared.holder.store(NOBODY - 1, Ordering::Relaxed);
    machine.act(&Action::Step(1_000 * MILLISECOND.cast_signed()));
    assert!(machine.until_line(AFTER_EVENT).is_some());
    machine.act(&Action::Burst(1_000, MILLISECOND / 10));
    assert_eq!(shared.holder.load(Ordering::Relaxed), NOBODY);
    machine.assert_sound();
}
