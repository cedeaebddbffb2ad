//! Clocks that record the readings of each thread: a clock that its readers move, and a wrapper of
//! any other clock.

#[cfg(feature = "std")]
mod scripted;

use core::cell::{Cell, RefCell};
#[cfg(feature = "std")]
use core::time::Duration;

use tickid_core::{Clock, ClockError, UnixTime};

#[cfg(feature = "std")]
pub use self::scripted::{Scripted, Turn};
use crate::dice::Dice;

std::thread_local! {
    /// The dice that decide how this thread moves the clocks that it reads.
    static DICE: Cell<Dice> = const { Cell::new(Dice::new(u64::MAX)) };
    /// This thread's readings since it last forgot them, in microseconds.
    static READ: RefCell<Vec<i64>> = const { RefCell::new(Vec::new()) };
}

/// Makes this thread move clocks by `dice` from here on.
pub(crate) fn set_dice(dice: Dice) {
    DICE.set(dice);
}

/// Forgets the readings of this thread.
pub fn forget() {
    READ.with_borrow_mut(Vec::clear);
}

/// Returns this thread's readings since it last forgot them.
#[must_use]
pub fn readings() -> Vec<UnixTime> {
    READ.with_borrow(|read| read.iter().copied().map(UnixTime::from_micros).collect())
}

/// A clock of any kind, with a record of each thread's readings.
#[derive(Debug)]
pub struct Noted<C>(pub C);

impl<C> Noted<C> {
    fn note(reading: Result<UnixTime, ClockError>) -> Result<UnixTime, ClockError> {
        reading.inspect(|time| READ.with_borrow_mut(|read| read.push(time.as_micros())))
    }
}

impl<C: Clock> Clock for Noted<C> {
    fn now(&self) -> Result<UnixTime, ClockError> {
        Self::note(self.0.now())
    }

    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        Self::note(self.0.now_relaxed())
    }

    #[cfg(feature = "std")]
    fn sleep(&self, duration: Duration) {
        self.0.sleep(duration);
    }

    #[cfg(feature = "std")]
    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use tickid_core::ManualClock;

    use super::*;

    #[test]
    fn notes_the_readings() {
        let clock = Noted(ManualClock::new(UnixTime::from_micros(100)));
        forget();
        clock.now().unwrap();
        clock.sleep(Duration::from_micros(7));
        clock.now_relaxed().unwrap();
        assert_eq!(readings(), [100, 107].map(UnixTime::from_micros));
        assert_eq!(clock.monotonic(), Duration::from_micros(7));
    }
}
