//! Points in time, as every scheme understands them.

use core::fmt;
use core::time::Duration;

use crate::micros::Micros;
use crate::range::RangeError;

/// A point in time, in **microseconds** since 1970-01-01T00:00:00Z, negative before that.
///
/// It is the common unit of all schemes, whose ticks last from 100 µs to an hour. The range is all
/// of `i64`, which is about 292,000 years to either side. That covers the last SCRU64 timestamp
/// (year 4261), the last kuid (year 35198) and custom epochs before 1970. Leap seconds are not
/// counted, as in Unix time.
///
/// # Examples
/// ```
/// use tickid_core::UnixTime;
///
/// let time = UnixTime::from_millis(1_700_000_000_123)?;
/// assert_eq!(time.as_micros(), 1_700_000_000_123_000);
/// assert_eq!(UnixTime::from_micros(-1).as_millis(), -1); // rounds towards the past
/// # Ok::<(), tickid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct UnixTime(i64);

impl UnixTime {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);
    /// The earliest time, about 292,000 years before 1970.
    pub const MIN: Self = Self(i64::MIN);
    /// The latest time, about 292,000 years after 1970.
    pub const MAX: Self = Self(i64::MAX);

    /// Returns the time `micros` microseconds after the Unix epoch.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::UnixTime;
    ///
    /// assert_eq!(UnixTime::from_micros(1_500_000).to_string(), "1970-01-01T00:00:01.500Z");
    /// ```
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the time `millis` milliseconds after the Unix epoch.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the time lies outside [`MIN`](Self::MIN)..=[`MAX`](Self::MAX).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::UnixTime;
    ///
    /// assert_eq!(UnixTime::from_millis(1_500)?, UnixTime::from_micros(1_500_000));
    /// assert!(UnixTime::from_millis(i64::MAX).is_err());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub const fn from_millis(millis: i64) -> Result<Self, RangeError> {
        match millis.checked_mul(1_000) {
            Some(micros) => Ok(Self(micros)),
            None => Err(RangeError::of_time(
                millis as i128 * 1_000,
                (i64::MIN / 1_000 * 1_000) as i128,
                (i64::MAX / 1_000 * 1_000) as i128,
            )),
        }
    }

    /// Returns the microseconds since the Unix epoch.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::UnixTime;
    ///
    /// assert_eq!(UnixTime::from_millis(1_500)?.as_micros(), 1_500_000);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the whole milliseconds since the Unix epoch, rounded towards the past, so that times
    /// before 1970 are not moved forward.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::UnixTime;
    ///
    /// assert_eq!(UnixTime::from_micros(1_999).as_millis(), 1);
    /// assert_eq!(UnixTime::from_micros(-1).as_millis(), -1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the time that is `duration` later, or `None` if it would be after
    /// [`MAX`](Self::MAX).
    ///
    /// Whole microseconds count; the rest of `duration` is dropped.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::UnixTime;
    ///
    /// let second = Duration::from_secs(1);
    /// assert_eq!(UnixTime::EPOCH.checked_add(second), Some(UnixTime::from_micros(1_000_000)));
    /// assert_eq!(UnixTime::MAX.checked_add(second), None);
    /// ```
    #[must_use]
    pub const fn checked_add(self, duration: Duration) -> Option<Self> {
        match checked_micros(duration) {
            Some(micros) => match self.0.checked_add_unsigned(micros) {
                Some(sum) => Some(Self(sum)),
                None => None,
            },
            None => None,
        }
    }

    /// Returns the time that is `duration` earlier, or `None` if it would be before
    /// [`MIN`](Self::MIN).
    ///
    /// Whole microseconds count; the rest of `duration` is dropped.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::UnixTime;
    ///
    /// assert_eq!(UnixTime::MIN.checked_sub(Duration::from_secs(1)), None);
    /// ```
    #[must_use]
    pub const fn checked_sub(self, duration: Duration) -> Option<Self> {
        match checked_micros(duration) {
            Some(micros) => match self.0.checked_sub_unsigned(micros) {
                Some(difference) => Some(Self(difference)),
                None => None,
            },
            None => None,
        }
    }

    /// Returns the time passed since `earlier`, or zero if this time is not after it.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::UnixTime;
    ///
    /// let time = UnixTime::from_micros(5_000_000);
    /// assert_eq!(time.saturating_since(UnixTime::EPOCH), Duration::from_secs(5));
    /// assert_eq!(UnixTime::EPOCH.saturating_since(time), Duration::ZERO);
    /// ```
    #[must_use]
    pub const fn saturating_since(self, earlier: Self) -> Duration {
        if self.0 <= earlier.0 {
            Duration::ZERO
        } else {
            Duration::from_micros(self.0.abs_diff(earlier.0))
        }
    }
}

const fn checked_micros(duration: Duration) -> Option<u64> {
    let micros = duration.as_micros();
    if micros <= u64::MAX as u128 {
        #[allow(clippy::cast_possible_truncation, reason = "compared on the line above")]
        Some(micros as u64)
    } else {
        None
    }
}

/// A type for points in time, so that functions take whichever a program has. These are
/// [`UnixTime`] itself, [`SystemTime`](std::time::SystemTime) with the feature `std`, and with the
/// features of their names `jiff`'s `Timestamp` and `chrono`'s `DateTime` of any zone. All but the
/// first are rounded towards the past, to whole microseconds.
///
/// Every type that converts to [`UnixTime`] by [`TryInto`] implements it, provided that the error
/// converts to a [`RangeError`]. To pass a time type of your own, implement `TryFrom<YourType>` for
/// `UnixTime`.
///
/// # Examples
/// ```
/// use tickid_core::{IntoUnixTime, RangeError, UnixTime};
///
/// fn milliseconds(time: impl IntoUnixTime) -> Result<i64, RangeError> {
///     time.into_unix_time().map(UnixTime::as_millis)
/// }
///
/// assert_eq!(milliseconds(UnixTime::from_micros(1_999)), Ok(1));
/// # #[cfg(feature = "std")]
/// assert_eq!(milliseconds(std::time::SystemTime::UNIX_EPOCH), Ok(0));
/// ```
pub trait IntoUnixTime {
    /// Returns the same time as a [`UnixTime`].
    ///
    /// # Errors
    /// Returns a [`RangeError`] (in microseconds) for a time that does not fit [`UnixTime`].
    fn into_unix_time(self) -> Result<UnixTime, RangeError>;
}

impl<T: TryInto<UnixTime, Error: Into<RangeError>>> IntoUnixTime for T {
    fn into_unix_time(self) -> Result<UnixTime, RangeError> {
        self.try_into().map_err(Into::into)
    }
}

/// Formats the time as RFC 3339 in UTC, with as many decimals as it needs (none, three or six). A
/// precision sets their number, so `{:.3}` always writes milliseconds. Width and fill are honoured.
///
/// Years outside of 0..=9999 have no form in RFC 3339, so they are written with a sign and six
/// digits, as in ISO 8601. Nothing is allocated.
///
/// # Examples
/// ```
/// use tickid_core::UnixTime;
///
/// let text = |micros| UnixTime::from_micros(micros).to_string();
/// assert_eq!(text(1_700_000_000_000_000), "2023-11-14T22:13:20Z");
/// assert_eq!(text(1_700_000_000_120_000), "2023-11-14T22:13:20.120Z");
/// assert_eq!(text(1_700_000_000_123_456), "2023-11-14T22:13:20.123456Z");
/// assert_eq!(text(i64::MAX), "+294247-01-10T04:00:54.775807Z");
/// assert_eq!(text(-62_167_219_200_000_001), "-000001-12-31T23:59:59.999999Z");
/// ```
impl fmt::Display for UnixTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Micros(self.0.into()).fmt(f)
    }
}

/// Rounds towards the past, to whole microseconds.
///
/// # Errors
/// Returns a [`RangeError`] for a time that does not fit, that is, one about 292,000 years from
/// now.
#[cfg(feature = "std")]
impl TryFrom<std::time::SystemTime> for UnixTime {
    type Error = RangeError;

    fn try_from(time: std::time::SystemTime) -> Result<Self, RangeError> {
        let micros = match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => {
                i128::from(after.as_secs()) * 1_000_000 + i128::from(after.subsec_micros())
            }
            Err(error) => {
                let before = error.duration();
                let micros = before.subsec_nanos().div_ceil(1_000);
                -(i128::from(before.as_secs()) * 1_000_000 + i128::from(micros))
            }
        };
        i64::try_from(micros)
            .map(Self)
            .map_err(|_| RangeError::of_time(micros, i64::MIN.into(), i64::MAX.into()))
    }
}

/// # Errors
/// Returns a [`RangeError`] (in microseconds) for a time that the platform's `SystemTime` cannot
/// hold. On Windows these are the times before 1601 and after 30828, and in browsers those before
/// 1970. Elsewhere every time fits.
#[cfg(feature = "std")]
impl TryFrom<UnixTime> for std::time::SystemTime {
    type Error = RangeError;

    fn try_from(time: UnixTime) -> Result<Self, RangeError> {
        let distance = Duration::from_micros(time.0.unsigned_abs());
        let converted = if time.0 < 0 {
            std::time::UNIX_EPOCH.checked_sub(distance)
        } else {
            std::time::UNIX_EPOCH.checked_add(distance)
        };
        converted.ok_or_else(|| {
            let (min, max) = crate::platform::SYSTEM_TIMES;
            RangeError::of_time(time.0.into(), min.into(), max.into())
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn milliseconds_round_down() {
        for (micros, millis) in [(0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2)]
        {
            assert_eq!(UnixTime::from_micros(micros).as_millis(), millis, "{micros} µs");
        }
    }

    #[test]
    fn milliseconds_out_of_range() {
        let error = UnixTime::from_millis(i64::MAX).unwrap_err();
        assert_eq!(error.value(), i128::from(i64::MAX) * 1_000);
        assert_eq!(error.max(), i128::from(i64::MAX / 1_000) * 1_000);
        let message = error.to_string();
        let expected =
            "time +292278994-08-17T07:12:55.807Z is outside of -290308-12-21T19:59:05.225Z";
        assert!(message.starts_with(expected), "{message}");
        assert!(UnixTime::from_millis(i64::MAX / 1_000).is_ok());
        assert!(UnixTime::from_millis(i64::MIN / 1_000).is_ok());
        assert!(UnixTime::from_millis(i64::MIN / 1_000 - 1).is_err());
    }

    #[test]
    fn overflowing_sums_are_none() {
        let micro = Duration::from_micros(1);
        assert_eq!(UnixTime::MAX.checked_add(micro), None);
        assert_eq!(UnixTime::MIN.checked_sub(micro), None);
        assert_eq!(UnixTime::EPOCH.checked_add(Duration::MAX), None);
        assert_eq!(UnixTime::MIN.checked_add(Duration::ZERO), Some(UnixTime::MIN));
        assert_eq!(UnixTime::EPOCH.checked_sub(micro), Some(UnixTime::from_micros(-1)));
    }

    #[test]
    fn since_saturates_at_zero() {
        assert_eq!(UnixTime::MAX.saturating_since(UnixTime::MIN).as_micros(), u128::from(u64::MAX));
        assert_eq!(UnixTime::MIN.saturating_since(UnixTime::MAX), Duration::ZERO);
    }

    #[cfg(feature = "std")]
    #[test]
    fn system_times_round_down() {
        let epoch = std::time::UNIX_EPOCH;
        let cases = [
            (epoch, 0),
            (epoch + Duration::from_nanos(1_999), 1),
            (epoch - Duration::from_nanos(1), -1),
            (epoch - Duration::from_nanos(1_000), -1),
            (epoch - Duration::from_nanos(1_001), -2),
            (epoch - Duration::new(1, 1), -1_000_001),
            (epoch + Duration::new(1_700_000_000, 123_456_789), 1_700_000_000_123_456),
        ];
        for (time, micros) in cases {
            assert_eq!(UnixTime::try_from(time), Ok(UnixTime::from_micros(micros)));
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn system_times_round_trip() {
        for micros in [0, -1, 1, -1_000_001, 1_700_000_000_123_456, i64::MIN, i64::MAX] {
            let time = UnixTime::from_micros(micros);
            match std::time::SystemTime::try_from(time) {
                Ok(system_time) => assert_eq!(UnixTime::try_from(system_time), Ok(time)),
                Err(error) => {
                    assert!(error.value() < error.min() || error.max() < error.value(), "{error}");
                }
            }
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn system_times_out_of_range() {
        let late = std::time::UNIX_EPOCH + Duration::from_secs(1 << 44);
        let error = UnixTime::try_from(late).unwrap_err();
        assert_eq!(error.value(), (1 << 44) * 1_000_000);
        assert_eq!(error.max(), i128::from(i64::MAX));
        let early = std::time::UNIX_EPOCH - Duration::from_secs(1 << 44);
        let error = UnixTime::try_from(early).unwrap_err();
        assert_eq!(error.value(), -(1 << 44) * 1_000_000);
        assert_eq!(error.min(), i128::from(i64::MIN));
    }
}
