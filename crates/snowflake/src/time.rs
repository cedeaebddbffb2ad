//! The times of IDs, which depend on the layout, and the IDs of times.

use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{IntoUnixTime, RangeError, Scheme as _, Tick, UnixTime};

use crate::id::SnowflakeId;
use crate::layout::Snowflake;
use crate::order::Order;

impl<O: Order> Snowflake<O> {
    /// Returns the start of the tick of `id`. The result is right only if `id` was issued under
    /// this layout, which cannot be checked.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// let time = Snowflake::DISCORD.unix_time(id);
    /// assert_eq!(time.to_string(), "2016-04-30T11:18:25.796Z");
    /// ```
    #[must_use]
    pub fn unix_time(&self, id: SnowflakeId) -> UnixTime {
        self.scale().time_of(self.timestamp_of(id))
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
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// let time: Timestamp = Snowflake::DISCORD.time_as(id)?;
    /// assert_eq!(time.as_millisecond(), 1_462_015_105_796);
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(&self, id: SnowflakeId) -> Result<T, T::Error> {
        T::try_from(self.unix_time(id))
    }

    /// Returns the lowest ID that shows `time` or a later one. Start a range scan with it.
    ///
    /// The half-open range from `min_at(since)` to `min_at(until)` holds the IDs that show a time
    /// from `since` to just before `until`. An ID shows the start of its tick
    /// ([`unix_time`](Self::unix_time)), so a `since` within a tick starts at the next one. With
    /// ticks of an hour, for example, that is up to an hour later.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after the start of the last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, UnixTime};
    ///
    /// let min = Snowflake::DISCORD.min_at(UnixTime::from_millis(1_462_015_105_796)?)?;
    /// assert_eq!(min.get(), 41_944_705_796 << 22);
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub fn min_at(&self, time: impl IntoUnixTime) -> Result<SnowflakeId, RangeError> {
        self.first_tick_from(time.into_unix_time()?).map(|tick| self.lowest(tick))
    }

    /// Returns the highest ID that shows `time` or an earlier one. End a range scan with it,
    /// inclusively.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after its last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, UnixTime};
    ///
    /// let max = Snowflake::DISCORD.max_at(UnixTime::from_millis(1_462_015_105_796)?)?;
    /// assert_eq!(max.get(), (41_944_705_797 << 22) - 1);
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub fn max_at(&self, time: impl IntoUnixTime) -> Result<SnowflakeId, RangeError> {
        self.tick_at(time.into_unix_time()?).map(|tick| self.highest(tick))
    }

    /// Returns the range of all IDs that show a time within `times`, or `None` if there are none.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// layout and open ends, so it suits times that users enter. If you scan day by day with
    /// half-open ranges, every ID lies in exactly one of them.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId, UnixTime};
    ///
    /// // Discord's first millisecond was in 2015; the user asked for all since 2000.
    /// let since = UnixTime::from_millis(946_684_800_000)?;
    /// let until = UnixTime::from_millis(1_462_015_105_796)?;
    /// let keys = Snowflake::DISCORD.range(since..=until).unwrap();
    /// assert_eq!(keys, SnowflakeId::MIN..=Snowflake::DISCORD.max_at(until)?);
    /// assert_eq!(Snowflake::DISCORD.range(..since), None);
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        &self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<SnowflakeId>> {
        let (first, last) = self.ticks_in_range(times)?.into_inner();
        Some(self.lowest(first)..=self.highest(last))
    }

    /// `tick` must fit the layout.
    fn lowest(&self, tick: Tick<Self>) -> SnowflakeId {
        SnowflakeId::new(tick.get() << self.timestamp_shift())
    }

    /// `tick` must fit the layout.
    fn highest(&self, tick: Tick<Self>) -> SnowflakeId {
        let below = (1 << self.timestamp_shift()) - 1;
        SnowflakeId::new(self.lowest(tick).get() | below)
    }
}
