//! Clocks: where the time comes from.
//!
//! | clock | error | held by the test |
//! |---|---|---|
//! | `SystemClock` | none | `reads_what_the_system_says` |
//! | `CounterClock` | 20 microseconds, more after a jump | `stays_within_its_bounds_whatever_happens` |
//! | `ManualClock` | none: it shows what it is told | its example |

#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
mod counter;
#[cfg(target_has_atomic = "64")]
mod manual;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod process;
#[cfg(all(
    feature = "std",
    any(feature = "web", not(all(target_family = "wasm", target_os = "unknown")))
))]
mod system;

#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
pub use self::counter::CounterClock;
#[cfg(target_has_atomic = "64")]
pub use self::manual::ManualClock;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub use self::process::ProcessClock;
#[cfg(all(
    feature = "std",
    any(feature = "web", not(all(target_family = "wasm", target_os = "unknown")))
))]
pub use self::system::SystemClock;

/// The clock of a generator that was not given another one, the same for all schemes: the cheapest that is true
/// to the wall clock within 20 microseconds.
#[cfg(all(feature = "std", target_arch = "x86_64", target_os = "linux"))]
pub type DefaultClock = CounterClock;

/// The clock of a generator that was not given another one: the cheapest that is true to the wall.
#[cfg(all(
    feature = "std",
    not(all(target_arch = "x86_64", target_os = "linux")),
    any(feature = "web", not(all(target_family = "wasm", target_os = "unknown")))
))]
pub type DefaultClock = SystemClock;

/// There is no wall clock here, so every generator has to be [given](crate::Builder::clock) one.
#[cfg(not(all(
    feature = "std",
    any(feature = "web", not(all(target_family = "wasm", target_os = "unknown")))
)))]
pub type DefaultClock = NoClock;

/// What a [`Builder`](crate::Builder) has where there is no wall clock until it is given a clock.
/// Deliberately not a [`Clock`].
#[cfg(not(all(
    feature = "std",
    any(feature = "web", not(all(target_family = "wasm", target_os = "unknown")))
)))]
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

#[cfg(feature = "std")]
use core::time::Duration;

use crate::error::ClockError;
use crate::time::UnixTime;

/// A source of wall-clock time.
///
/// A clock may stand still, jump and repeat itself: generators are correct under any clock. It
/// should not return less than another thread has already read from it, unless the wall clock was
/// set back, and state by how much a reading may differ from the wall clock. [`SystemClock`] is
/// exact; `CounterClock` lists its error for each kind of event.
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
    /// The time now.
    ///
    /// # Errors
    /// [`ClockError`] when there is no telling.
    fn now(&self) -> Result<UnixTime, ClockError>;

    /// The time now or a moment (less than a microsecond) before the call, where that is cheaper:
    /// the reading need not wait for what the thread did just before. Generators now_relaxed first
    /// and take another look when it matters.
    ///
    /// # Errors
    /// As [`now`](Self::now).
    #[inline]
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        self.now()
    }

    /// Waits for `duration` or less; who waits looks at the time again. Generators call it when they
    /// have to wait, for at most 50 milliseconds at a time.
    ///
    /// Unless overridden it puts the thread to sleep for all but the last 60 microseconds, by about
    /// which sleepers wake late, and returns at once for less.
    #[cfg(feature = "std")]
    fn sleep(&self, duration: Duration) {
        const LATENESS: Duration = Duration::from_micros(60);
        match duration.checked_sub(LATENESS) {
            // Browsers cannot put a thread to sleep: it spins.
            Some(most)
                if !most.is_zero()
                    && cfg!(not(all(target_family = "wasm", target_os = "unknown"))) =>
            {
                std::thread::sleep(most);
            }
            _ => core::hint::spin_loop(),
        }
    }

    /// Time passed since some fixed moment, whatever the wall clock does. Generators measure
    /// [`max_wait`](crate::Builder::max_wait) by it.
    #[cfg(feature = "std")]
    fn monotonic(&self) -> Duration {
        #[cfg(all(feature = "web", all(target_family = "wasm", target_os = "unknown")))]
        use web_time::Instant;

        #[cfg(not(all(feature = "web", all(target_family = "wasm", target_os = "unknown"))))]
        use std::time::Instant;

        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
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
