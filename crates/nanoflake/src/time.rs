//! The times of IDs, which depend on the epoch, and the IDs of times.

use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{IntoUnixTime, RangeError, Scheme as _, Tick, UnixTime};

use crate::id::NanoflakeId;
use crate::node::GeneratorId;
use crate::scheme::Nanoflake;

impl NanoflakeId {
    /// Returns the timestamp as a tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let id = NanoflakeId::new(175_928_847_299_117_063)?;
    /// assert_eq!(id.tick().get(), id.timestamp());
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub fn tick(self) -> Tick<Nanoflake> {
        // Every ID's timestamp is in range.
        Tick::new(self.timestamp()).unwrap_or(Tick::MAX)
    }

    const fn lowest(tick: Tick<Nanoflake>) -> Self {
        Self::assemble(tick.get(), GeneratorId::MIN, 0)
    }

    const fn highest(tick: Tick<Nanoflake>) -> Self {
        Self::assemble(tick.get(), GeneratorId::MAX, (1 << Self::SEQUENCE_BITS) - 1)
    }
}

impl Nanoflake {
    /// Returns the start of the millisecond of `id`. The result is right only if `id` was issued
    /// under this epoch, which cannot be checked.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
    ///
    /// let id = NanoflakeId::new(175_928_847_299_117_063)?;
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// assert_eq!(discord.unix_time(id).to_string(), "2016-04-30T11:18:25.796Z");
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub const fn unix_time(self, id: NanoflakeId) -> UnixTime {
        self.epoch.time_of(id.timestamp())
    }

    /// Returns [`unix_time`](Self::unix_time) as a time type of a different library, for example
    /// `jiff`'s `Timestamp` (with the core's feature `jiff_1`) or `chrono`'s `DateTime<Utc>` (with
    /// `chrono_0_4`).
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range. With `jiff` and `chrono` this takes
    /// an epoch thousands of years from now.
    ///
    /// # Examples
    /// ```
    /// use jiff::Timestamp;
    /// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// let id = NanoflakeId::new(175_928_847_299_117_063)?;
    /// let time: Timestamp = discord.time_as(id)?;
    /// assert_eq!(time.as_millisecond(), 1_462_015_105_796);
    /// assert!((discord.min_at(time)?..=discord.max_at(time)?).contains(&id));
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self, id: NanoflakeId) -> Result<T, T::Error> {
        T::try_from(self.unix_time(id))
    }

    /// Returns the lowest ID that shows `time` or a later one. Start a range scan with it.
    ///
    /// The half-open range from `min_at(since)` to `min_at(until)` holds the IDs that show a time
    /// from `since` to just before `until`. An ID shows the start of its millisecond
    /// ([`unix_time`](Self::unix_time)), so a `since` between two milliseconds starts at the later
    /// one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after the start of its last
    /// millisecond.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Epoch, Nanoflake, UnixTime};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// let min = discord.min_at(UnixTime::from_millis(1_462_015_105_796)?)?;
    /// assert_eq!(min.timestamp(), 41_944_705_796);
    /// assert_eq!((min.generator().get(), min.sequence()), (0, 0));
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<NanoflakeId, RangeError> {
        self.first_tick_from(time.into_unix_time()?).map(NanoflakeId::lowest)
    }

    /// Returns the highest ID that shows `time` or an earlier one. End a range scan with it,
    /// inclusively.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after its last millisecond.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Epoch, Nanoflake, UnixTime};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// let max = discord.max_at(UnixTime::from_millis(1_462_015_105_796)?)?;
    /// assert_eq!(max.timestamp(), 41_944_705_796);
    /// assert_eq!((max.generator().get(), max.sequence()), (1_023, 4_095));
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<NanoflakeId, RangeError> {
        self.tick_at(time.into_unix_time()?).map(NanoflakeId::highest)
    }

    /// Returns the range of all IDs that show a time within `times`, or `None` if there are none.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format and open ends, so it suits times that users enter. If you scan day by day with
    /// half-open ranges, every ID lies in exactly one of them.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId, UnixTime};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// // Discord's first millisecond was in 2015; the user asked for all since 2000.
    /// let since = UnixTime::from_millis(946_684_800_000)?;
    /// let until = UnixTime::from_millis(1_462_015_105_796)?;
    /// let keys = discord.range(since..=until).unwrap();
    /// assert_eq!(keys, NanoflakeId::MIN..=discord.max_at(until)?);
    /// assert_eq!(discord.range(..since), None);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<NanoflakeId>> {
        let (first, last) = self.ticks_in_range(times)?.into_inner();
        Some(NanoflakeId::lowest(first)..=NanoflakeId::highest(last))
    }
}
