use core::time::Duration;

use crate::clock::Clock;
use crate::error::ClockError;
use crate::fork::Process;
use crate::time::UnixTime;

/// A clock for one process: a child forked since cannot read it.
///
/// A generator whose clock cannot be read issues nothing, and neither do its handles. A generator
/// with this clock therefore never issues its parent's IDs in a child. Generators with leased nodes
/// and process-wide generators have it. For other generators, their owner decides whether the child
/// may continue instead of the parent.
///
/// It costs a comparison.
///
/// # Examples
/// ```
/// use tickid_core::{Generator, ProcessClock, SystemClock, example};
///
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
    /// Wraps `clock` for this process.
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

/// For the process that makes it.
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
