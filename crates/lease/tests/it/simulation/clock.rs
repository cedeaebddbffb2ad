//! Simulated clocks, which drift and step.

use core::fmt;
use core::sync::atomic::{AtomicI64, Ordering};
use std::sync::Mutex;

use tickid_core::{Clock, ClockError, UnixTime};

/// A holder's clock. A hook can run at the end of a reading, for events that happen while a thread
/// sleeps before its next one.
pub(crate) struct HookedClock {
    micros: AtomicI64,
    hook: Mutex<Option<Hook>>,
}

struct Hook {
    /// The number of readings to let pass.
    after: u32,
    run: Box<dyn FnOnce() + Send>,
}

impl HookedClock {
    pub(crate) fn new(micros: i64) -> Self {
        Self { micros: micros.into(), hook: Mutex::new(None) }
    }

    pub(crate) fn micros(&self) -> i64 {
        self.micros.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, micros: i64) {
        self.micros.store(micros, Ordering::Relaxed);
    }

    /// Runs `run` during the reading after the next `after`, once its time is taken.
    pub(crate) fn hook(&self, after: u32, run: impl FnOnce() + Send + 'static) {
        *self.hook.lock().unwrap() = Some(Hook { after, run: Box::new(run) });
    }

    /// Removes the hook, and returns whether it had not run.
    pub(crate) fn unhook(&self) -> bool {
        self.hook.lock().unwrap().take().is_some()
    }
}

impl Clock for HookedClock {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let time = UnixTime::from_micros(self.micros());
        let mut hook = self.hook.lock().unwrap();
        match &mut *hook {
            Some(Hook { after: 0, .. }) => {
                let due = hook.take();
                drop(hook);
                if let Some(due) = due {
                    (due.run)();
                }
            }
            Some(waiting) => waiting.after -= 1,
            None => {}
        }
        Ok(time)
    }
}

impl fmt::Debug for HookedClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} µs", self.micros())
    }
}
