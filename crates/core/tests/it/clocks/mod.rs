//! A clock that records its sleeps.

use core::fmt;
use core::time::Duration;
use std::sync::{Mutex, OnceLock};

use tickid_core::{Clock, ClockError, ManualClock, UnixTime};

/// A [`ManualClock`] that records every sleep, and calls a function at the end of each.
pub(crate) struct RecordingClock {
    /// The clock itself.
    pub(crate) hands: ManualClock,
    sleeps: Mutex<Vec<Duration>>,
    during_sleep: OnceLock<Box<dyn Fn(usize) + Send + Sync>>,
}

impl RecordingClock {
    /// Returns a clock that shows `time`.
    pub(crate) fn new(time: UnixTime) -> Self {
        Self {
            hands: ManualClock::new(time),
            sleeps: Mutex::default(),
            during_sleep: OnceLock::new(),
        }
    }

    /// Calls `act` at the end of every sleep with the number of sleeps so far, this one included.
    pub(crate) fn during_sleep(&self, act: impl Fn(usize) + Send + Sync + 'static) {
        assert!(self.during_sleep.set(Box::new(act)).is_ok(), "set twice");
    }

    /// Returns the sleeps so far.
    pub(crate) fn sleeps(&self) -> Vec<Duration> {
        self.sleeps.lock().unwrap().clone()
    }
}

impl Clock for RecordingClock {
    fn now(&self) -> Result<UnixTime, ClockError> {
        self.hands.now()
    }

    fn sleep(&self, duration: Duration) {
        let count = {
            let mut sleeps = self.sleeps.lock().unwrap();
            sleeps.push(duration);
            sleeps.len()
        };
        self.hands.sleep(duration);
        if let Some(act) = self.during_sleep.get() {
            act(count);
        }
    }

    fn monotonic(&self) -> Duration {
        self.hands.monotonic()
    }
}

impl fmt::Debug for RecordingClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingClock")
            .field("hands", &self.hands)
            .field("sleeps", &self.sleeps)
            .finish_non_exhaustive()
    }
}
