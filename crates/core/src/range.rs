//! The error of a number outside of its range.

use core::convert::Infallible;

/// A number outside of its permitted range.
///
/// Nothing is ever wrapped or truncated to fit; this error names the value and the range instead.
///
/// # Examples
/// ```
/// use tickid_core::{Tick, example::Seconds};
///
/// let error = Tick::<Seconds>::new(1 << 32).unwrap_err();
/// assert_eq!((error.value(), error.min(), error.max()), (1 << 32, 0, (1 << 32) - 1));
/// assert!(error.to_string().ends_with("4294967296 is outside of 0..=4294967295"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{what} {value} is outside of {min}..={max}")]
pub struct RangeError {
    what: &'static str,
    value: i128,
    min: i128,
    max: i128,
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
        Self { what, value, min, max }
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
        self.what
    }

    /// Returns the offending value.
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

/// Lets generic code convert with `TryFrom` implementations that cannot fail.
impl From<Infallible> for RangeError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
