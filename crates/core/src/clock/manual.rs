//! A clock that tests set.

use core::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use core::time::Duration;

use crate::clock::Clock;
use crate::error::ClockError;
use crate::time::UnixTime;

/// A clock for tests and simulations, which shows the time that it was set to, to the microsecond.
///
/// It stands still until it is [set](Self::set), [advanced](Self::advance) or slept on. Sleeping on
/// it moves it forward and returns immediately, so a generator's waits take no real time, and a
/// test of a stall of ten minutes ends at once. Pass a reference to the builder, as in
/// `.clock(&clock)`, to set the clock later.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_core::{Clock, ManualClock, UnixTime};
///
/// let clock = ManualClock::new(UnixTime::EPOCH);
/// clock.advance(Duration::from_secs(1));
/// assert_eq!(clock.now()?, UnixTime::from_micros(1_000_000));
/// clock.set(UnixTime::EPOCH); // back, as wall clocks do
/// assert_eq!(clock.now()?, UnixTime::EPOCH);
/// # Ok::<(), tickid_core::ClockError>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    micros: AtomicI64,
    slept: AtomicU64,
}

impl ManualClock {
    /// Creates a clock that shows `time`.
    #[must_use]
    pub const fn new(time: UnixTime) -> Self {
        Self { micros: AtomicI64::new(time.as_micros()), slept: AtomicU64::new(0) }
    }

    /// Sets the clock to `time`, which may be before or after its present time. Going back shows
    /// how a program copes with a clock rollback.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Clock, ManualClock, UnixTime};
    ///
    /// let clock = ManualClock::new(UnixTime::EPOCH);
    /// clock.set(UnixTime::from_micros(-1));
    /// assert_eq!(clock.now(), Ok(UnixTime::from_micros(-1)));
    /// ```
    pub fn set(&self, time: UnixTime) {
        self.micros.store(time.as_micros(), Ordering::Release);
    }

    /// Moves the clock forward by whole microseconds, at most to [`UnixTime::MAX`].
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{Clock, ManualClock, UnixTime};
    ///
    /// let clock = ManualClock::new(UnixTime::EPOCH);
    /// clock.advance(Duration::from_secs(1));
    /// assert_eq!(clock.now(), Ok(UnixTime::from_micros(1_000_000)));
    /// ```
    pub fn advance(&self, duration: Duration) {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        let forward = |now: i64| Some(now.saturating_add(micros));
        // The closure always returns a value, so this can't fail.
        #[allow(deprecated, reason = "its new name is younger than Rust 1.89")]
        let _ = self.micros.fetch_update(Ordering::AcqRel, Ordering::Acquire, forward);
    }

    /// Returns the total time that callers have slept on the clock, so that a test can check
    /// whether a call waited, and for how long.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{ManualClock, UnixTime};
    ///
    /// assert_eq!(ManualClock::new(UnixTime::EPOCH).slept(), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn slept(&self) -> Duration {
        Duration::from_micros(self.slept.load(Ordering::Acquire))
    }
}

impl Clock for ManualClock {
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        Ok(UnixTime::from_micros(self.micros.load(Ordering::Acquire)))
    }

    /// Moves the clock forward by `duration`, at least by a microsecond, so that a loop of sleeps
    /// always ends.
    #[cfg(feature = "std")]
    fn sleep(&self, duration: Duration) {
        let duration = duration.max(Duration::from_micros(1));
        let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.slept.fetch_add(micros, Ordering::AcqRel);
        self.advance(duration);
    }

    /// Returns the total time slept on this clock, so setting it does not count as waiting.
    #[cfg(feature = "std")]
    fn monotonic(&self) -> Duration {
        self.slept()
    }
}
