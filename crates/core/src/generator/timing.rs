//! A generator's clock, and how it waits by it.

use core::time::Duration;

#[cfg(feature = "std")]
use crate::generator::overflow::OverflowWatch;

/// The longest wait of one call, unless [`Builder::max_wait`](crate::Builder::max_wait) sets a
/// different one. It is one minute.
pub const DEFAULT_MAX_WAIT: Duration = Duration::from_secs(60);

/// A generator's clock and the settings of its waits.
#[derive(Debug, Default)]
pub(crate) struct Timing<C> {
    pub(crate) clock: C,
    pub(crate) max_wait: Option<Duration>,
    #[cfg(feature = "std")]
    pub(crate) overflow: OverflowWatch,
}

impl<C> Timing<C> {
    /// Replaces the clock.
    pub(crate) fn with_clock<D>(self, clock: D) -> Timing<D> {
        Timing {
            clock,
            max_wait: self.max_wait,
            #[cfg(feature = "std")]
            overflow: self.overflow,
        }
    }
}
