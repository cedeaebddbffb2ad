use core::fmt;
use core::ops::RangeInclusive;

use tickid_core::{
    BuildError, Clock, IntoUnixTime, Plain, Policy, Prefix, RangeError, Scheme, Slot, Tick,
    TickScale, UnixTime, Variant,
};

use crate::epoch::Epoch;
use crate::id::NanoflakeId;
use crate::node::GeneratorId;

/// The Nanoflake scheme: an epoch, which is needed to compute the time of an ID.
///
/// # Examples
/// ```
/// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId, UnixTime};
///
/// let discord = Nanoflake { epoch: Epoch::DISCORD };
/// let time = UnixTime::from_millis(1_462_015_105_796)?;
/// let (min, max) = (discord.min_at(time)?, discord.max_at(time)?);
/// let id = NanoflakeId::new(175_928_847_299_117_063)?;
/// assert!((min..=max).contains(&id));
/// assert_eq!(discord.unix_time(id), time);
///
/// // The same ID under another epoch is of another time.
/// assert_ne!(Nanoflake::default().unix_time(id), time);
/// # Ok::<(), tickid_nanoflake::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Nanoflake {
    /// The start of timestamp 0.
    pub epoch: Epoch,
}

impl Nanoflake {
    const MICROS_PER_TICK: u64 = 1_000;

    /// Returns the start of the millisecond of `id`, if `id` was issued under this epoch.
    #[must_use]
    pub const fn unix_time(self, id: NanoflakeId) -> UnixTime {
        self.epoch.time_of(id.timestamp())
    }

    /// Returns [`unix_time`](Self::unix_time) as a type of another library: `jiff`'s `Timestamp` or
    /// `chrono`'s `DateTime<Utc>`, with the feature of that name.
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range, which takes an epoch thousands of
    /// years from now.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::Timestamp;
    /// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// let id = NanoflakeId::new(175_928_847_299_117_063)?;
    /// let time: Timestamp = discord.time_as(id)?;
    /// assert_eq!(time.as_millisecond(), 1_462_015_105_796);
    /// assert!((discord.min_at(time)?..=discord.max_at(time)?).contains(&id));
    /// # }
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self, id: NanoflakeId) -> Result<T, T::Error> {
        T::try_from(self.unix_time(id))
    }

    /// Returns the lowest ID of the millisecond that contains `time`: the inclusive start of a
    /// range scan.
    ///
    /// # Errors
    /// Returns a [`RangeError`] (in microseconds) for a time before the epoch or after its last
    /// timestamp.
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<NanoflakeId, RangeError> {
        let tick = self.tick_at(time.into_unix_time()?)?;
        Ok(NanoflakeId::assemble(tick.get(), GeneratorId::MIN, 0))
    }

    /// Returns the highest ID of the millisecond that contains `time`: the inclusive end of a range
    /// scan.
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<NanoflakeId, RangeError> {
        let tick = self.tick_at(time.into_unix_time()?)?;
        let last = NanoflakeId::MAX_SEQUENCE.into();
        Ok(NanoflakeId::assemble(tick.get(), GeneratorId::MAX, last))
    }

    /// Returns the range of all IDs of the times from `start` to `end`, both included: a range scan
    /// over times that users enter. `None` if no ID has such a time.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format: the range is clamped to the times that IDs can have.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId, UnixTime};
    ///
    /// let discord = Nanoflake { epoch: Epoch::DISCORD };
    /// // Discord's first millisecond was in 2015; the user asked for all since 2000.
    /// let since = UnixTime::from_millis(946_684_800_000)?;
    /// let until = UnixTime::from_millis(1_462_015_105_796)?;
    /// let keys = discord.between(since, until).unwrap();
    /// assert_eq!(keys, NanoflakeId::MIN..=discord.max_at(until)?);
    /// assert_eq!(discord.between(UnixTime::MIN, since), None);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[must_use]
    pub fn between(
        self,
        start: impl IntoUnixTime,
        end: impl IntoUnixTime,
    ) -> Option<RangeInclusive<NanoflakeId>> {
        let (first, last) = self.ticks_between(start, end)?.into_inner();
        let highest = NanoflakeId::MAX_SEQUENCE.into();
        Some(
            NanoflakeId::assemble(first.get(), GeneratorId::MIN, 0)
                ..=NanoflakeId::assemble(last.get(), GeneratorId::MAX, highest),
        )
    }
}

impl Scheme for Nanoflake {
    const NAME: &'static str = "nanoflake";
    const MAX_TICK: u64 = NanoflakeId::MAX_TIMESTAMP;
    const MAX_SEQUENCE: u32 = NanoflakeId::MAX_SEQUENCE as u32;

    type Node = GeneratorId;
    type Variant = Plain;

    #[inline]
    fn scale(&self) -> TickScale {
        TickScale::every(self.epoch.unix_time(), Self::MICROS_PER_TICK)
    }

    fn write_layout(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "epoch {}", self.epoch.as_unix_millis())
    }

    fn prefix(&self, node: &GeneratorId, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(0, NanoflakeId::assemble(tick.get(), *node, 0).get().unsigned_abs())
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    fn check_start(&self, clock: &impl Clock) -> Result<(), BuildError> {
        let (epoch, now) = (self.epoch.unix_time(), clock.now()?);
        if epoch <= now { Ok(()) } else { Err(BuildError::Epoch { epoch, now }) }
    }
}

impl Variant<Nanoflake> for Plain {
    type Id = NanoflakeId;

    #[inline]
    fn id(self, _: &Nanoflake, slot: Slot<Nanoflake>) -> NanoflakeId {
        NanoflakeId::from_slot(slot)
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tickid_core::Ticks;

    use super::*;

    const UNIX: Nanoflake = Nanoflake { epoch: Epoch::UNIX };

    #[test]
    fn ticks_are_milliseconds() {
        for (micros, ticks) in [(0, 0), (999, 0), (1_000, 1), (1_999, 1)] {
            let time = UnixTime::from_micros(micros);
            assert_eq!(UNIX.tick_at(time).unwrap().get(), ticks, "{micros} µs");
        }
        let epoch = Epoch::from_unix_millis(-5).unwrap();
        let before_1970 = Nanoflake { epoch };
        for (micros, ticks) in [(-5_000, 0), (-4_001, 0), (-4_000, 1), (-1, 4), (0, 5)] {
            let time = UnixTime::from_micros(micros);
            let tick = before_1970.tick_at(time).unwrap();
            assert_eq!(tick.get(), ticks, "{micros} µs");
        }
    }

    #[test]
    fn durations_are_milliseconds() {
        for (nanos, ticks) in [(0, 0), (999_999, 0), (1_000_000, 1), (u64::MAX, 18_446_744_073_709)]
        {
            assert_eq!(UNIX.ticks_in(Duration::from_nanos(nanos)), Ticks::new(ticks));
        }
        assert_eq!(UNIX.ticks_in(Duration::MAX), Ticks::new(u64::MAX));
    }

    #[test]
    fn time_errors_name_the_range() {
        for epoch in [Epoch::MIN, Epoch::UNIX, Epoch::DISCORD, Epoch::MAX] {
            let layout = Nanoflake { epoch };
            let first = i128::from(epoch.as_unix_millis()) * 1_000;
            let last = first + (1 << 41) * 1_000 - 1;
            for outside in [i64::MIN.into(), first - 1, last + 1, i64::MAX.into()] {
                let Ok(micros) = i64::try_from(outside) else {
                    continue;
                };
                if (first..=last).contains(&outside) {
                    continue;
                }
                let time = UnixTime::from_micros(micros);
                let error = layout.min_at(time).unwrap_err();
                assert_eq!(layout.max_at(time), Err(error));
                let named = (error.value(), error.min(), error.max());
                assert_eq!(named, (outside, first, last));
            }
        }
    }

    #[test]
    fn extreme_epochs_reach_the_ends() {
        let (first, last) = (Nanoflake { epoch: Epoch::MIN }, Nanoflake { epoch: Epoch::MAX });
        let min = UnixTime::from_millis(i64::MIN / 1_000).unwrap();
        assert_eq!(first.min_at(min), Ok(NanoflakeId::MIN));
        assert_eq!(last.max_at(UnixTime::MAX), Ok(NanoflakeId::MAX));
        assert_eq!(last.unix_time(NanoflakeId::MAX).as_millis(), i64::MAX / 1_000);
    }
}
