//! The start of Nanoflake time.

use tickid_core::{RangeError, UnixTime};

use crate::id::NanoflakeId;

/// The start of timestamp 0. It can be any whole millisecond, also before 1970, for which
/// [`UnixTime`] can represent all 2^41 timestamps.
///
/// Use the same epoch in all generators and readers of a system, because an ID does not contain it.
/// For example, an ID of Discord's epoch that is read with Twitter's shows a time that is four
/// years too early.
///
/// # Examples
/// ```
/// use tickid_nanoflake::Epoch;
///
/// let epoch = Epoch::from_unix_millis(1_577_836_800_000)?; // 2020-01-01
/// assert!(epoch > Epoch::DISCORD);
/// assert_eq!(Epoch::default(), Epoch::TWITTER);
/// # Ok::<(), tickid_nanoflake::RangeError>(())
/// ```
///
/// # Spec
/// Nanoflakes, "A Nanoflake" and "Ensuring Uniqueness".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch {
    unix_millis: i64,
}

impl Epoch {
    /// Twitter's epoch, 2010-11-04T01:42:54.657Z, which is the default.
    pub const TWITTER: Self = Self { unix_millis: 1_288_834_974_657 };
    /// Discord's epoch, 2015-01-01T00:00:00Z.
    pub const DISCORD: Self = Self { unix_millis: 1_420_070_400_000 };
    /// The Unix epoch, 1970-01-01T00:00:00Z. Its last timestamp is in the year 2039, so prefer a
    /// later epoch for a new system.
    pub const UNIX: Self = Self { unix_millis: 0 };
    /// The earliest epoch, which is [`UnixTime::MIN`] in whole milliseconds.
    pub const MIN: Self = Self { unix_millis: i64::MIN / 1_000 };
    /// The latest epoch. Its last timestamp is [`UnixTime::MAX`] in whole milliseconds.
    pub const MAX: Self =
        Self { unix_millis: i64::MAX / 1_000 - NanoflakeId::MAX_TIMESTAMP.cast_signed() };

    /// Returns the epoch `unix_millis` milliseconds after 1970-01-01T00:00:00Z, or before it if
    /// negative.
    ///
    /// The epoch may lie in the future, but a generator cannot be [built](crate::Builder::build)
    /// before it has come.
    ///
    /// # Errors
    /// Returns a [`RangeError`] outside of [`MIN`](Self::MIN)..=[`MAX`](Self::MAX).
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::Epoch;
    ///
    /// let epoch = Epoch::from_unix_millis(1_704_067_200_000)?; // 2024
    /// assert_eq!(epoch.unix_time().to_string(), "2024-01-01T00:00:00Z");
    /// assert!(Epoch::from_unix_millis(i64::MAX).is_err());
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn from_unix_millis(unix_millis: i64) -> Result<Self, RangeError> {
        if Self::MIN.unix_millis <= unix_millis && unix_millis <= Self::MAX.unix_millis {
            Ok(Self { unix_millis })
        } else {
            Err(RangeError::new(
                "epoch in milliseconds",
                unix_millis as i128,
                Self::MIN.unix_millis as i128,
                Self::MAX.unix_millis as i128,
            ))
        }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_nanoflake::Epoch::TWITTER.as_unix_millis(), 1_288_834_974_657);
    /// ```
    #[must_use]
    pub const fn as_unix_millis(self) -> i64 {
        self.unix_millis
    }

    /// Returns the time of timestamp 0.
    ///
    /// # Examples
    /// ```
    /// let epoch = tickid_nanoflake::Epoch::DISCORD.unix_time();
    /// assert_eq!(epoch.to_string(), "2015-01-01T00:00:00Z");
    /// ```
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        self.time_of(0)
    }

    /// Returns the start of `timestamp`, which must fit an ID.
    pub(crate) const fn time_of(self, timestamp: u64) -> UnixTime {
        debug_assert!(timestamp <= NanoflakeId::MAX_TIMESTAMP);
        // The range of epochs is such that no timestamp runs over.
        UnixTime::from_micros((self.unix_millis + timestamp.cast_signed()) * 1_000)
    }
}

/// [`TWITTER`](Self::TWITTER), so that IDs are read as Snowflakes usually are.
impl Default for Epoch {
    fn default() -> Self {
        Self::TWITTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_timestamps_are_times() {
        for epoch in [Epoch::MIN, Epoch::UNIX, Epoch::MAX] {
            let millis = epoch.as_unix_millis();
            assert_eq!(epoch.unix_time(), UnixTime::from_millis(millis).unwrap());
            let last = millis + NanoflakeId::MAX_TIMESTAMP.cast_signed();
            let expected = UnixTime::from_millis(last).unwrap();
            assert_eq!(epoch.time_of(NanoflakeId::MAX_TIMESTAMP), expected);
        }
    }

    #[test]
    fn other_epochs_are_errors() {
        let (min, max) = (Epoch::MIN.as_unix_millis(), Epoch::MAX.as_unix_millis());
        assert!(UnixTime::from_millis(min - 1).is_err());
        assert!(UnixTime::from_millis(max + 1 + (1 << 41) - 1).is_err());
        for outside in [i64::MIN, min - 1, max + 1, i64::MAX] {
            let error = Epoch::from_unix_millis(outside).unwrap_err();
            let named = (error.value(), error.min(), error.max());
            assert_eq!(named, (outside.into(), min.into(), max.into()));
        }
        assert_eq!(Epoch::from_unix_millis(min), Ok(Epoch::MIN));
        assert_eq!(Epoch::from_unix_millis(max), Ok(Epoch::MAX));
    }
}
