//! The times of IDs, and the IDs of times.

use core::ops::{RangeBounds, RangeInclusive};

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

    /// Returns the start of the ID's tick, which is the time that the ID shows.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_scru64::scru64!("0u375nxqh5cq");
    /// assert_eq!(id.unix_time().as_millis(), 6_557_084_606 * 256);
    /// ```
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        // The time fits: there are at most 2^38.04 ticks of 2^17.97 microseconds.
        Scru64::SCALE.time_of(self.timestamp())
    }

    /// Returns [`unix_time`](Self::unix_time) as a time type of a different library, for example
    /// `jiff`'s `Timestamp` (with the core's feature `jiff_1`) or `chrono`'s `DateTime<Utc>` (with
    /// `chrono_0_4`).
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range. This does not happen with `jiff` and
    /// `chrono`, because their range contains all times of these IDs.
    ///
    /// # Examples
    /// ```
    /// use jiff::Timestamp;
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let time: Timestamp = id.time_as()?;
    /// assert_eq!(time.as_millisecond(), 1_678_613_659_136);
    /// assert!((Scru64Id::min_at(time)?..=Scru64Id::max_at(time)?).contains(&id));
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self) -> Result<T, T::Error> {
        T::try_from(self.unix_time())
    }

    /// Returns the lowest ID that shows `time` or a later one. Start a range scan with it.
    ///
    /// The half-open range from `min_at(since)` to `min_at(until)` holds the IDs that show a time
    /// from `since` to just before `until`. An ID shows the start of its tick
    /// ([`unix_time`](Self::unix_time)) and not the moment at which it was issued. For example, if
    /// `since` lies within a tick, that tick is left out, so IDs issued up to 256 ms after `since`
    /// may be missing.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the start of the last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // All IDs of a day, of all generators.
    /// let day = UnixTime::from_millis(1_678_579_200_000)?;
    /// let next_day = UnixTime::from_millis(1_678_665_600_000)?;
    /// let range = Scru64Id::min_at(day)?..Scru64Id::min_at(next_day)?;
    /// assert!(range.contains(&"0u375nxqh5cq".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Scru64.first_tick_from(time.into_unix_time()?).map(Self::lowest)
    }

    /// Returns the highest ID that shows `time` or an earlier one. End a range scan with it,
    /// inclusively.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the last tick.
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
        Scru64.tick_at(time.into_unix_time()?).map(Self::highest)
    }

    /// Returns the range of all IDs that show a time within `times`, or `None` if there are none.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format and open ends, so it suits times that users enter. If you scan day by day with
    /// half-open ranges, every ID lies in exactly one of them.
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // "From" was left empty in a form, and "until" is now.
    /// let keys = Scru64Id::range(..SystemTime::now()).unwrap();
    /// assert!(keys.contains(&"0u375nxqh5cq".parse()?));
    /// assert_eq!(keys.start(), &Scru64Id::MIN);
    ///
    /// // No IDs are from before 1970.
    /// assert_eq!(Scru64Id::range(..UnixTime::EPOCH), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<Self>> {
        let (first, last) = Scru64.ticks_in_range(times)?.into_inner();
        Some(Self::lowest(first)..=Self::highest(last))
    }

    const fn lowest(tick: Tick<Scru64>) -> Self {
        Self::assemble(tick.get(), 0)
    }

    const fn highest(tick: Tick<Scru64>) -> Self {
        Self::assemble(tick.get(), Self::MAX_NODE_CTR)
    }
}

impl Scru64 {
    /// Returns the start of an ID's tick, as [`Scru64Id::unix_time`] does.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// assert_eq!(Scru64.unix_time(id), id.unix_time());
    /// ```
    #[must_use]
    pub const fn unix_time(self, id: Scru64Id) -> UnixTime {
        id.unix_time()
    }

    /// Returns the lowest ID that shows `time` or a later one; see [`Scru64Id::min_at`].
    ///
    /// # Errors
    /// As [`Scru64Id::min_at`].
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64, UnixTime};
    ///
    /// let time = UnixTime::from_millis(256)?;
    /// let (lowest, highest) = (Scru64.min_at(time)?, Scru64.max_at(time)?);
    /// assert!(lowest < highest && lowest.timestamp() == highest.timestamp());
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::min_at(time)
    }

    /// Returns the highest ID that shows `time` or an earlier one; see [`Scru64Id::max_at`].
    ///
    /// # Errors
    /// As [`Scru64Id::max_at`].
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<Scru64Id, RangeError> {
        Scru64Id::max_at(time)
    }

    /// Returns the range of all IDs that show a time within `times`; see [`Scru64Id::range`].
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let since = Scru64.range(id.unix_time()..);
    /// assert!(since.is_some_and(|range| range.contains(&id)));
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<Scru64Id>> {
        Scru64Id::range(times)
    }
}
