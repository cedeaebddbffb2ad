//! The error for a number or a time outside of its range.

use core::convert::Infallible;
use core::fmt;

use crate::micros::Micros;

/// A number or a time outside of its permitted range.
///
/// Nothing is ever wrapped or truncated to fit, because an ID with a wrong field looks like any
/// other. This error names the value and the range instead, for example `node 300 is outside of
/// 0..=255`.
///
/// # Examples
/// ```
/// use tickid_core::{Tick, example::Seconds};
///
/// let error = Tick::<Seconds>::new(1 << 32).unwrap_err();
/// assert_eq!((error.value(), error.min(), error.max()), (1 << 32, 0, (1 << 32) - 1));
/// assert!(error.to_string().ends_with("4294967296 is outside of 0..=4294967295"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RangeError {
    what: What,
    value: i128,
    min: i128,
    max: i128,
}

crate::debug_error! {
    struct RangeError { what, value, min, max }
}

/// The name, or the fact that the values are times. It is as large as the name alone, since results
/// everywhere hold this error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum What {
    Number(&'static str),
    /// The values are microseconds since 1970.
    Time,
}

impl RangeError {
    /// Creates an error for a `value` of `what` outside of `min..=max`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::RangeError;
    ///
    /// let error = RangeError::new("port", 70_000, 0, 65_535);
    /// assert_eq!(error.to_string(), "port 70000 is outside of 0..=65535");
    /// ```
    #[must_use]
    pub const fn new(what: &'static str, value: i128, min: i128, max: i128) -> Self {
        Self { what: What::Number(what), value, min, max }
    }

    /// Creates an error for a time outside of `min..=max`, all three in microseconds since 1970.
    /// Its message has them as dates. They are `i128`, because the offending time may not fit
    /// [`UnixTime`](crate::UnixTime).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::RangeError;
    ///
    /// let error = RangeError::of_time(-1, 0, 253_402_300_799_999_999);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "time 1969-12-31T23:59:59.999999Z is outside of \
    ///      1970-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z"
    /// );
    /// assert_eq!((error.what(), error.value()), ("time", -1));
    /// ```
    #[must_use]
    pub const fn of_time(micros: i128, min: i128, max: i128) -> Self {
        Self { what: What::Time, value: micros, min, max }
    }

    /// Returns the name of the value, such as `"node"`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::RangeError;
    ///
    /// assert_eq!(RangeError::new("port", 70_000, 0, 65_535).what(), "port");
    /// ```
    #[must_use]
    pub const fn what(&self) -> &'static str {
        match self.what {
            What::Number(what) => what,
            What::Time => "time",
        }
    }

    /// Returns the offending value. A time is in microseconds since 1970.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::RangeError;
    ///
    /// let error = RangeError::new("port", 70_000, 0, 65_535);
    /// assert_eq!((error.value(), error.min(), error.max()), (70_000, 0, 65_535));
    /// ```
    #[must_use]
    pub const fn value(&self) -> i128 {
        self.value
    }

    /// Returns the lowest value allowed.
    #[must_use]
    pub const fn min(&self) -> i128 {
        self.min
    }

    /// Returns the highest value allowed.
    #[must_use]
    pub const fn max(&self) -> i128 {
        self.max
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, value, min, max } = *self;
        match what {
            What::Number(what) => write!(f, "{what} {value} is outside of {min}..={max}"),
            What::Time => {
                write!(f, "time {} is outside of {} to {}", Micros(value), Micros(min), Micros(max))
            }
        }
    }
}

impl core::error::Error for RangeError {}

/// Lets generic code convert with `TryFrom` implementations that cannot fail. Their error never
/// exists.
impl From<Infallible> for RangeError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
