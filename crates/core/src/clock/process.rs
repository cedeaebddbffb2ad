//! Clocks that notice that they are in the child of a fork.

use core::time::Duration;

use crate::clock::Clock;
use crate::error::ClockError;
use crate::fork::Process;
use crate::time::UnixTime;

/// A clock for a single process, which fails in a child forked later.
///
/// A child has a copy of its parent's generators and would issue the same IDs. But a generator
/// whose clock cannot be read issues nothing, and neither do its handles. With this clock, a
/// generator therefore works in the process that made it, and fails with [`ClockError::Forked`] in
/// all others.
///
/// The [default clock](crate::DefaultClock) is of this type, and so are the clocks of leased
/// generators. Other clocks do not notice forks. If you use one without wrapping it in this type,
/// make sure that only the parent or only the child continues.
///
/// The check is a single comparison per reading.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, ProcessClock, SystemClock, example};
///
/// // Each reading is a call of the system, which `DefaultClock` avoids on x86-64 Linux.
/// let clock = ProcessClock::new(SystemClock);
/// let generator = Generator::<example::Seconds>::builder(example::Node(1)).clock(clock).build()?;
/// generator.try_generate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ProcessClock<C> {
    home: Process,
    clock: C,
}

impl<C> ProcessClock<C> {
    /// Wraps `clock` for this process. A program that forks when it starts calls this afterwards.
    #[must_use]
    pub fn new(clock: C) -> Self {
        Self { home: Process::this(), clock }
    }

    /// Returns the wrapped clock.
    #[must_use]
    pub fn inner(&self) -> &C {
        &self.clock
    }
}

/// Creates a clock for the current process.
impl<C: Default> Default for ProcessClock<C> {
    fn default() -> Self {
        Self::new(C::default())
    }
}

impl<C: Clock> Clock for ProcessClock<C> {
    /// # Errors
    /// Returns [`ClockError::Forked`] in a child, and otherwise the error of the wrapped clock.
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        if self.home.is_this() { self.clock.now() } else { Err(ClockError::Forked) }
    }

    #[inline]
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        if self.home.is_this() { self.clock.now_relaxed() } else { Err(ClockError::Forked) }
    }

    fn sleep(&self, duration: Duration) {
        self.clock.sleep(duration);
    }

    fn monotonic(&self) -> Duration {
        self.clock.monotonic()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn it_reads_and_waits_by_its_inner_clock() {
        let clock = ProcessClock::new(ManualClock::new(UnixTime::EPOCH));
        let second = Duration::from_secs(1);
        clock.sleep(second);
        assert_eq!((clock.monotonic(), clock.inner().slept()), (second, second));
        let now = Ok(UnixTime::from_micros(1_000_000));
        assert_eq!((clock.now(), clock.now_relaxed()), (now, now));
    }

    /// Its waits have bounds in a child as well.
    #[test]
    fn in_another_process_only_its_time_fails() {
        let inner = ManualClock::new(UnixTime::EPOCH);
        let clock = ProcessClock { home: Process::another(), clock: inner };
        let forked = Err(ClockError::Forked);
        assert_eq!((clock.now(), clock.now_relaxed()), (forked, forked));
        clock.sleep(Duration::from_secs(1));
        assert_eq!(clock.monotonic(), Duration::from_secs(1));
    }
}
