//! The times of IDs, and the IDs of times.

use core::ops::RangeInclusive;

use tickid_core::{IntoUnixTime, RangeError, Scheme as _, Tick, UnixTime};

use crate::id::Scru64Id;
use crate::scheme::Scru64;

impl Scru64Id {
    /// Returns the timestamp as a tick.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_scru64::scru64!("0u375nxqh5cq");
    /// assert_eq!(id.tick().get(), id.timestamp());
    /// ```
    #[must_use]
    pub fn tick(self) -> Tick<Scru64> {
        // Every ID's timestamp is in range.
        Tick::new(self.timestamp()).unwrap_or(Tick::MAX)
    }

    /// Returns the start of the ID's tick.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_scru64::scru64!("0u375nxqh5cq");
    /// assert_eq!(id.unix_time().as_millis(), 6_557_084_606 * 256);
    /// ```
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        // At most 2^38.04 ticks of 2^17.97 microseconds.
        Scru64::SCALE.time_of(self.timestamp())
    }

    /// Returns [`unix_time`](Self::unix_time) as a type of another library: `jiff`'s `Timestamp` or
    /// `chrono`'s `DateTime<Utc>`, with the feature of that name.
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range. All times of these IDs are in the
    /// range of `jiff` and `chrono`.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::Timestamp;
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let time: Timestamp = id.time_as()?;
    /// assert_eq!(time.as_millisecond(), 1_678_613_659_136);
    /// assert!((Scru64Id::min_at(time)?..=Scru64Id::max_at(time)?).contains(&id));
    /// # }
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self) -> Result<T, T::Error> {
        T::try_from(self.unix_time())
    }

    /// Returns the lowest ID of the tick that contains `time`: the inclusive start of a range scan.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the last timestamp.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // All IDs of a day, of all generators.
    /// let day = UnixTime::from_millis(1_678_579_200_000)?;
    /// let night = UnixTime::from_millis(1_678_665_599_999)?;
    /// let range = Scru64Id::min_at(day)?..=Scru64Id::max_at(night)?;
    /// assert!(range.contains(&"0u375nxqh5cq".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Scru64.tick_at(time.into_unix_time()?).map(|tick| Self::assemble(tick.get(), 0))
    }

    /// Returns the highest ID of the tick that contains `time`: the inclusive end of a range scan.
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// assert!(Scru64Id::max_at(id.unix_time())? >= id);
    /// assert_eq!(Scru64Id::max_at(id.unix_time())?.timestamp(), id.timestamp());
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn max_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Scru64
            .tick_at(time.into_unix_time()?)
            .map(|tick| Self::assemble(tick.get(), Self::MAX_NODE_CTR))
    }

    /// Returns the range of all IDs of the times from `start` to `end`, both included: a range scan
    /// over times that users enter. `None` if no ID has such a time.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format: the range is clamped to the times that IDs can have.
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // "From" was left empty in a form, and "until" is now.
    /// let keys = Scru64Id::between(UnixTime::MIN, SystemTime::now()).unwrap();
    /// assert!(keys.contains(&"0u375nxqh5cq".parse()?));
    /// assert_eq!(keys.start(), &Scru64Id::MIN);
    ///
    /// // No IDs are from before 1970.
    /// assert_eq!(Scru64Id::between(UnixTime::MIN, UnixTime::from_micros(-1)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn between(
        start: impl IntoUnixTime,
        end: impl IntoUnixTime,
    ) -> Option<RangeInclusive<Self>> {
        let (first, last) = Scru64.ticks_between(start, end)?.into_inner();
        Some(Self::assemble(first.get(), 0)..=Self::assemble(last.get(), Self::MAX_NODE_CTR))
    }
}

impl Scru64 {
    /// Returns the lowest ID of the tick that contains `time`; see [`Scru64Id::min_at`].
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the last timestamp.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64, UnixTime};
    ///
    /// let time = UnixTime::from_millis(1_700_000_000_000)?;
    /// let (lowest, highest) = (Scru64.min_at(time)?, Scru64.max_at(time)?);
    /// assert!(lowest < highest && lowest.timestamp() == highest.timestamp());
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::min_at(time)
    }

    /// Returns the highest ID of the tick that contains `time`; see [`Scru64Id::max_at`].
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::max_at(time)
    }

    /// Returns the range of all IDs of the times from `start` to `end`, cut to those that IDs can
    /// have; [`Scru64Id::between`].
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64, UnixTime, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let since = Scru64.between(id.unix_time(), UnixTime::MAX);
    /// assert!(since.is_some_and(|range| range.contains(&id)));
    /// ```
    #[must_use]
    pub fn between(
        self,
        start: impl IntoUnixTime,
        end: impl IntoUnixTime,
    ) -> Option<RangeInclusive<Scru64Id>> {
        Scru64Id::between(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_the_ids_of_a_tick() {
        let time = UnixTime::from_micros(256_000 * 5);
        let (min, max) = (Scru64Id::min_at(time).unwrap(), Scru64Id::max_at(time).unwrap());
        assert_eq!((min.timestamp(), max.timestamp()), (5, 5));
        assert_eq!(min.get() - 1, Scru64Id::from_parts(4, Scru64Id::MAX_NODE_CTR).unwrap().get());
        assert_eq!(max.get() + 1, Scru64Id::from_parts(6, 0).unwrap().get());
        let before = UnixTime::from_micros(256_000 * 5 - 1);
        assert_eq!(Scru64Id::max_at(before).unwrap().get(), min.get() - 1);
    }

    #[test]
    fn time_errors_name_the_range() {
        for micros in [-1, i64::MIN, i64::MAX, 72_301_961_339_136_000] {
            let error = Scru64Id::min_at(UnixTime::from_micros(micros)).unwrap_err();
            assert_eq!(error.value(), i128::from(micros));
            assert_eq!((error.min(), error.max()), (0, 72_301_961_339_135_999));
        }
        let last = UnixTime::from_micros(72_301_961_339_135_999);
        assert_eq!(Scru64Id::max_at(last), Ok(Scru64Id::MAX));
    }
}
