//! A clock that follows a script.

use core::fmt;
use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use core::time::Duration;

use tickid_core::{Clock, ClockError, UnixTime};

use crate::clock::{DICE, READ};
use crate::dice::Dice;

/// The move of a clock before a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Shows the same time again.
    Stand,
    /// Moves ahead or back, by microseconds.
    Leap(i64),
    /// Shows this many microseconds since 1970.
    Show(i64),
    /// Shows this time like [`Show`](Self::Show), but the next leap starts where this one did.
    Astray(i64),
}

/// A clock that a function moves before each reading, which is the worst moment because other
/// threads draw meanwhile. By itself it advances only while a thread sleeps.
pub struct Scripted {
    micros: AtomicI64,
    /// The time that it leaps from.
    present: AtomicI64,
    slept: AtomicU64,
    script: Box<dyn Fn(&mut Dice) -> Turn + Send + Sync>,
}

impl Scripted {
    /// Creates a clock that shows `start` until it is moved.
    pub fn new(
        start: UnixTime,
        script: impl Fn(&mut Dice) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let micros = start.as_micros();
        Self {
            micros: AtomicI64::new(micros),
            present: AtomicI64::new(micros),
            slept: AtomicU64::new(0),
            script: Box::new(script),
        }
    }

    fn turn(&self, dice: &mut Dice) -> i64 {
        let to = match (self.script)(dice) {
            Turn::Stand => return self.micros.load(Ordering::Acquire),
            Turn::Leap(by) => self.present.fetch_add(by, Ordering::AcqRel) + by,
            Turn::Show(to) => {
                self.present.store(to, Ordering::Release);
                to
            }
            Turn::Astray(to) => to,
        };
        self.micros.store(to, Ordering::Release);
        to
    }
}

impl Clock for Scripted {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let mut dice = DICE.get();
        let micros = self.turn(&mut dice);
        DICE.set(dice);
        READ.with_borrow_mut(|read| read.push(micros));
        Ok(UnixTime::from_micros(micros))
    }

    fn sleep(&self, duration: Duration) {
        let micros = u64::try_from(duration.as_micros()).unwrap().max(1);
        self.slept.fetch_add(micros, Ordering::AcqRel);
        let now = self.present.fetch_add(micros.cast_signed(), Ordering::AcqRel);
        self.micros.store(now + micros.cast_signed(), Ordering::Release);
    }

    /// The total time that threads have slept.
    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.slept.load(Ordering::Acquire))
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("micros", &self.micros).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{forget, readings};

    #[test]
    fn notes_the_readings_and_leaps() {
        let turns = [Turn::Leap(5), Turn::Astray(i64::MIN), Turn::Stand, Turn::Leap(-2)];
        let next = AtomicU64::new(0);
        let clock = Scripted::new(UnixTime::from_micros(100), move |_| {
            turns[usize::try_from(next.fetch_add(1, Ordering::SeqCst)).unwrap()]
        });
        forget();
        for micros in [105, i64::MIN, i64::MIN, 103] {
            assert_eq!(clock.now(), Ok(UnixTime::from_micros(micros)));
        }
        let read: Vec<i64> = readings().iter().map(|time| time.as_micros()).collect();
        assert_eq!(read, [105, i64::MIN, i64::MIN, 103]);
        forget();
        assert_eq!(readings(), []);
    }

    #[test]
    fn runs_on_while_somebody_sleeps() {
        let clock = Scripted::new(UnixTime::from_micros(100), |_| Turn::Stand);
        clock.sleep(Duration::from_micros(7));
        assert_eq!(clock.now(), Ok(UnixTime::from_micros(107)));
        assert_eq!(clock.monotonic(), Duration::from_micros(7));
    }
}
