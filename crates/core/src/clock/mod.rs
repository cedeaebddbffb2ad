//! Clocks, the sources of time.
//!
//! | clock | error | held by the test |
//! |---|---|---|
//! | `SystemClock` | none | `reads_the_system_time` |
//! | `CounterClock` | 20 microseconds, more after a jump | `stays_within_its_bounds` |
//! | `ProcessClock` | its inner clock's; fails in the child of a `fork` | `crates/lease/tests/fork.rs` |
//! | `ManualClock` | none: it shows the time it was set to | its example |

#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
mod counter;
#[cfg(target_has_atomic = "64")]
mod manual;
#[cfg(feature = "std")]
mod process;
#[cfg(feature = "std")]
mod sleep;
#[cfg(feature = "std")]
mod system;

#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
pub use self::counter::CounterClock;
#[cfg(target_has_atomic = "64")]
pub use self::manual::ManualClock;
#[cfg(feature = "std")]
pub use self::process::ProcessClock;
#[cfg(feature = "std")]
pub use self::system::SystemClock;

/// The clock that a builder uses unless you give it another. On x86-64 Linux it is the
/// [`CounterClock`], which follows the wall clock at half the price of reading it. It works in this
/// process only: in the child of a `fork` it fails, since the child would repeat its parent's IDs.
///
/// # Examples
/// ```
/// use tickid_core::{Clock, DefaultClock, SystemClock};
///
/// let clock = DefaultClock::default();
/// let now = clock.now()?;
/// // Within 20 microseconds, and the time between the readings.
/// assert!(SystemClock.now()?.saturating_since(now).as_secs() < 60);
/// # Ok::<(), tickid_core::ClockError>(())
/// ```
#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
pub type DefaultClock = ProcessClock<CounterClock>;

/// The clock that a builder uses unless you give it another. It is the system's clock, but works in
/// this process only: in the child of a `fork` it fails, since the child would repeat its parent's
/// IDs.
#[cfg(all(feature = "std", not(all(target_arch = "x86_64", target_os = "linux"))))]
pub type DefaultClock = ProcessClock<SystemClock>;

/// The clock that a builder uses unless you give it another. Without `std` there is no wall clock,
/// so you have to.
#[cfg(not(feature = "std"))]
pub type DefaultClock = NoClock;

/// A placeholder for the clock of a builder without `std` until it is
/// [given](crate::Builder::clock) one. It is deliberately not a [`Clock`], so that a forgotten
/// clock is a compile error.
#[cfg(not(feature = "std"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

#[cfg(feature = "std")]
use core::time::Duration;

use crate::error::ClockError;
#[cfg(feature = "std")]
use crate::platform;
use crate::time::UnixTime;

/// A source of wall-clock time. Implement it if you have a better one than the system's, or if
/// there is no operating system.
///
/// You cannot break a generator by a bad clock. It may stand still, jump back and forth, or repeat
/// itself, and no ID is issued twice. All that you pay is waiting, and wrong times in the IDs. One
/// thing is worth getting right: if one thread has read a time, no thread should read an earlier one
/// afterwards, unless the wall clock really was set back. To a generator, that is a rollback.
///
/// In the documentation of your clock, say how far a reading may be from the wall clock.
/// [`SystemClock`] is exact, and `CounterClock` has a table of its errors.
///
/// # Examples
/// ```
/// use tickid_core::{Clock, ClockError, Generator, UnixTime, example};
///
/// /// What a satellite receiver says.
/// struct Receiver;
///
/// impl Clock for Receiver {
///     fn now(&self) -> Result<UnixTime, ClockError> {
///         let micros = Some(1_700_000_000_000_000); // ask it
///         micros.map(UnixTime::from_micros).ok_or(ClockError::Unreadable { reason: "no signal" })
///     }
/// }
///
/// let generator =
///     Generator::<example::Seconds>::builder(example::Node(1)).clock(Receiver).build()?;
/// assert_eq!(generator.try_generate()? >> 17, 1_700_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Clock {
    /// Returns the current time.
    ///
    /// # Errors
    /// Returns a [`ClockError`] if the time is not available.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Clock, SystemClock, UnixTime};
    ///
    /// assert!(SystemClock.now()? > UnixTime::from_millis(1_700_000_000_000)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn now(&self) -> Result<UnixTime, ClockError>;

    /// Returns the current time, or one less than a microsecond old if that is cheaper. By default,
    /// it is [`now`](Self::now).
    ///
    /// An old reading can be cheaper because the processor need not first finish what the thread did
    /// before the call. Generators only use it to see that the current tick goes on, which is what
    /// happens for nearly every ID. Before they enter a tick or stall, they call `now`.
    ///
    /// # Errors
    /// Returns the errors of [`now`](Self::now).
    #[inline]
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        self.now()
    }

    /// Waits for at most `duration`. It may return early, because the caller reads the time again
    /// anyway. Generators call it when they have to wait, for up to 50 milliseconds at a time. If
    /// your clock simulates time, move it forward instead, and tests take no real time.
    ///
    /// Systems wake sleepers late, and a generator that oversleeps loses part of a tick. So the
    /// default sleeps a little less: it subtracts the time by which earlier sleeps in this process
    /// were late (60 microseconds at first, 200 at most). If nothing is left, or in a browser, where
    /// a thread cannot sleep, it returns immediately.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{Clock, ManualClock, UnixTime};
    ///
    /// let clock = ManualClock::new(UnixTime::EPOCH);
    /// clock.sleep(Duration::from_secs(1)); // takes no time: it moves the clock forward
    /// assert_eq!(clock.now(), Ok(UnixTime::from_micros(1_000_000)));
    /// ```
    #[cfg(feature = "std")]
    fn sleep(&self, duration: Duration) {
        sleep::almost(duration);
    }

    /// Returns the time since some fixed moment, independently of the wall clock. Generators
    /// measure [`max_wait`](crate::Builder::max_wait) by it: after the wall clock was set back by a
    /// year, a wait that is measured by that clock would take the year.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Clock, SystemClock};
    ///
    /// let start = SystemClock.monotonic();
    /// assert!(SystemClock.monotonic() >= start);
    /// ```
    #[cfg(feature = "std")]
    fn monotonic(&self) -> Duration {
        static START: std::sync::OnceLock<platform::Instant> = std::sync::OnceLock::new();
        START.get_or_init(platform::Instant::now).elapsed()
    }
}

macro_rules! delegate {
    ($(#[$attribute:meta])* $pointer:ty) => {
        $(#[$attribute])*
        impl<C: Clock + ?Sized> Clock for $pointer {
            #[inline]
            fn now(&self) -> Result<UnixTime, ClockError> {
                (**self).now()
            }

            #[inline]
            fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
                (**self).now_relaxed()
            }

            #[cfg(feature = "std")]
            fn sleep(&self, duration: Duration) {
                (**self).sleep(duration);
            }

            #[cfg(feature = "std")]
            fn monotonic(&self) -> Duration {
                (**self).monotonic()
            }
        }
    };
}
delegate!(&C);
delegate!(#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))] alloc::sync::Arc<C>);
