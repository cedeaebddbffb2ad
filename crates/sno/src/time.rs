//! The times of IDs, and the IDs of times.

use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{IntoUnixTime, RangeError, Scheme as _, Tick, UnixTime};

use crate::id::SnoId;
use crate::partition::Partition;
use crate::scheme::Sno;

impl SnoId {
    /// Returns the timestamp as a tick.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_sno::sno!("brpk4q72xwf2m63l");
    /// assert_eq!(id.tick().get(), id.timestamp());
    /// ```
    #[must_use]
    pub fn tick(self) -> Tick<Sno> {
        // 39 bits are in range.
        Tick::new(self.timestamp()).unwrap_or(Tick::MAX)
    }

    /// Returns the start of the ID's tick, which is the time that the ID shows.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_sno::sno!("brpk4q72xwf2m63l");
    /// assert_eq!(id.unix_time().to_string(), "2031-05-08T23:03:34.976Z");
    /// ```
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        Sno::SCALE.time_of(self.timestamp())
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
    /// use chrono::{DateTime, Utc};
    /// use tickid_sno::{SnoId, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// let time: DateTime<Utc> = id.time_as()?;
    /// assert_eq!(time.timestamp_millis(), 1_936_047_814_976);
    /// assert!((SnoId::min_at(time)?..=SnoId::max_at(time)?).contains(&id));
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self) -> Result<T, T::Error> {
        T::try_from(self.unix_time())
    }

    /// Returns the lowest ID that shows `time` or a later one, over all values of tick-tock bit,
    /// metabyte and partition. Start a range scan with it.
    ///
    /// The half-open range from `min_at(since)` to `min_at(until)` holds the IDs that show a time
    /// from `since` to just before `until`. An ID shows the start of its tick
    /// ([`unix_time`](Self::unix_time)), so a `since` within a tick starts at the next one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 2010 or after the start of the last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, UnixTime, sno};
    ///
    /// // All IDs of a second, of all generators and metabytes.
    /// let since = UnixTime::from_millis(1_936_047_814_000)?;
    /// let until = UnixTime::from_millis(1_936_047_815_000)?;
    /// let range = SnoId::min_at(since)?..SnoId::min_at(until)?;
    /// assert!(range.contains(&sno!("brpk4q72xwf2m63l")));
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub fn min_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Sno.first_tick_from(time.into_unix_time()?).map(Self::lowest)
    }

    /// Returns the highest ID that shows `time` or an earlier one, over all values of tick-tock
    /// bit, metabyte and partition. End a range scan with it, inclusively.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 2010 or after the last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// let max = SnoId::max_at(id.unix_time())?;
    /// assert_eq!((max.tick(), max.meta(), max.sequence()), (id.tick(), 255, 65_535));
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub fn max_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Sno.tick_at(time.into_unix_time()?).map(Self::highest)
    }

    /// Returns the range of all IDs that show a time within `times`, or `None` if there are none.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format and open ends, so it suits times that users enter. If you scan day by day with
    /// half-open ranges, every ID lies in exactly one of them.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, UnixTime, sno};
    ///
    /// // The user asked for all from 1970 to 2031; the first sno ID is from 2010.
    /// let until = UnixTime::from_millis(1_936_047_814_976)?;
    /// let keys = SnoId::range(UnixTime::EPOCH..=until).unwrap();
    /// assert_eq!(keys, SnoId::MIN..=SnoId::max_at(until)?);
    /// assert!(keys.contains(&sno!("brpk4q72xwf2m63l")));
    /// assert_eq!(SnoId::range(..UnixTime::EPOCH), None);
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<Self>> {
        let (first, last) = Sno.ticks_in_range(times)?.into_inner();
        Some(Self::lowest(first)..=Self::highest(last))
    }

    const fn lowest(tick: Tick<Sno>) -> Self {
        Self::assemble(tick.get(), false, 0, Partition::new(0), 0)
    }

    const fn highest(tick: Tick<Sno>) -> Self {
        Self::assemble(tick.get(), true, u8::MAX, Partition::new(u16::MAX), u16::MAX)
    }
}

impl Sno {
    /// Returns the start of an ID's tick, as [`SnoId::unix_time`] does.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Sno, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(Sno.unix_time(id), id.unix_time());
    /// ```
    #[must_use]
    pub const fn unix_time(self, id: SnoId) -> UnixTime {
        id.unix_time()
    }

    /// Returns the lowest ID that shows `time` or a later one; see [`SnoId::min_at`].
    ///
    /// # Errors
    /// As [`SnoId::min_at`].
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Sno, UnixTime};
    ///
    /// let time = UnixTime::from_millis(1_700_000_000_000)?;
    /// let (lowest, highest) = (Sno.min_at(time)?, Sno.max_at(time)?);
    /// assert!(lowest < highest && lowest.timestamp() == highest.timestamp());
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<SnoId, RangeError> {
        SnoId::min_at(time)
    }

    /// Returns the highest ID that shows `time` or an earlier one; see [`SnoId::max_at`].
    ///
    /// # Errors
    /// As [`SnoId::max_at`].
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<SnoId, RangeError> {
        SnoId::max_at(time)
    }

    /// Returns the range of all IDs that show a time within `times`; see [`SnoId::range`].
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Sno, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// let since = Sno.range(id.unix_time()..);
    /// assert!(since.is_some_and(|range| range.contains(&id)));
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<SnoId>> {
        SnoId::range(times)
    }
}
