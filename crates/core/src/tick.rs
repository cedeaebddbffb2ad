//! Ticks, which are a scheme's own unit of time, in types that cannot be confused.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

/// A point in time in the ticks of scheme `S`, counted from the scheme's epoch.
///
/// It is in `0..=S::MAX_TICK`. The scheme defines the length of a tick and the start of tick 0, so
/// it also converts between times and ticks ([`Scheme::tick_at`](crate::Scheme::tick_at),
/// [`Scheme::time_of`](crate::Scheme::time_of)). For example, tick 100 of a scheme that counts
/// milliseconds is a tenth of a second after its epoch.
///
/// # Examples
/// ```
/// use tickid_core::{Scheme, Tick};
///
/// fn later<S: Scheme>(one: Tick<S>, other: Tick<S>) -> bool {
///     one > other
/// }
/// ```
///
/// Ticks of different schemes are different types, because tick 100 is a different time in each:
///
/// ```compile_fail,E0308
/// use tickid_core::{Scheme, Tick};
///
/// fn later<S: Scheme, T: Scheme>(one: Tick<S>, other: Tick<T>) -> bool {
///     one > other // two schemes: does not compile
/// }
/// ```
pub struct Tick<S>(u64, PhantomData<fn() -> S>);

impl<S> Tick<S> {
    /// Returns a tick whose caller has checked it against the scheme's range.
    pub(crate) const fn in_range(ticks: u64) -> Self {
        Self(ticks, PhantomData)
    }

    /// Returns the number of ticks since the scheme's epoch.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Tick, example::Seconds};
    ///
    /// assert_eq!(Tick::<Seconds>::new(7)?.get(), 7);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A number of whole ticks of scheme `S`, such as a rollback allowance.
///
/// ```
/// # use tickid_core::{Scheme, Ticks, example::Seconds};
/// use core::time::Duration;
///
/// // `Seconds` ticks once a second; a started tick is not a whole one.
/// let allowance = Seconds.ticks_in(Duration::from_millis(2_999));
/// assert_eq!(allowance, Ticks::new(2));
/// ```
///
/// They belong to a scheme, too, since ten ticks are 2.56 seconds in SCRU64 and 10 milliseconds in
/// Nanoflake:
///
/// ```
/// use tickid_core::{Policy, Scheme, Ticks};
///
/// fn ratchet<S: Scheme>(allowance: Ticks<S>) -> Policy<S> {
///     Policy::Ratchet { allowance }
/// }
/// ```
///
/// ```compile_fail,E0308
/// use tickid_core::{Policy, Scheme, Ticks};
///
/// fn ratchet<S: Scheme, T: Scheme>(allowance: Ticks<T>) -> Policy<S> {
///     Policy::Ratchet { allowance } // of another scheme: does not compile
/// }
/// ```
pub struct Ticks<S>(u64, PhantomData<fn() -> S>);

impl<S> Ticks<S> {
    /// No ticks at all.
    pub const ZERO: Self = Self::new(0);

    /// Creates a number of ticks. Any number is valid, but one beyond the scheme's range is never
    /// reached.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Ticks, example::Seconds};
    ///
    /// assert_eq!(Ticks::<Seconds>::new(u64::MAX).get(), u64::MAX);
    /// ```
    #[must_use]
    pub const fn new(count: u64) -> Self {
        Self(count, PhantomData)
    }

    /// Returns the number of ticks.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

// Written out because derives would require the traits of `S`, which is only a name here.
macro_rules! number_traits {
    ($($name:ident),*) => {$(
        impl<S> Clone for $name<S> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<S> Copy for $name<S> {}
        impl<S> PartialEq for $name<S> {
            fn eq(&self, other: &Self) -> bool {
                self.0 == other.0
            }
        }
        impl<S> Eq for $name<S> {}
        impl<S> PartialOrd for $name<S> {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }
        impl<S> Ord for $name<S> {
            fn cmp(&self, other: &Self) -> Ordering {
                self.0.cmp(&other.0)
            }
        }
        impl<S> Hash for $name<S> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }
        impl<S> fmt::Debug for $name<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }
        impl<S> fmt::Display for $name<S> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}
number_traits!(Tick, Ticks);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Seconds;
    use crate::scheme::Scheme as _;

    #[test]
    fn ticks_past_the_last_are_errors() {
        assert_eq!(Tick::new(Seconds::MAX_TICK), Ok(Tick::<Seconds>::MAX));
        let error = Tick::<Seconds>::new(Seconds::MAX_TICK + 1).unwrap_err();
        let range = (error.value(), error.min(), error.max());
        let max = i128::from(Seconds::MAX_TICK);
        assert_eq!(range, (max + 1, 0, max));
        assert!(Tick::<Seconds>::new(u64::MAX).is_err());
    }

    #[test]
    fn ticks_order_as_their_numbers() {
        let [low, high] = [3, 4].map(|tick| Tick::<Seconds>::new(tick).unwrap());
        assert!(low < high && Tick::MIN < low && high < Tick::MAX);
        assert_eq!(low.max(high).get(), 4);
    }

    #[test]
    fn tick_counts_are_unbounded() {
        assert_eq!(Ticks::<Seconds>::new(u64::MAX).get(), u64::MAX);
        assert_eq!(Ticks::<Seconds>::ZERO.get(), 0);
    }
}
