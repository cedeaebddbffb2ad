use core::fmt;
use core::time::Duration;

use tickid_core::{
    BuildError, Form, IntoUnixTime, LowestStart, Policy, RangeError, Scheme, SequenceBounds, Slot,
    Stem, Tick, TickScale, Ticks, UnixTime,
};

use crate::id::SnoId;
use crate::partition::Partition;

/// The sno scheme. Its IDs say everything about their time, so it holds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sno;

impl Sno {
    /// When timestamp 0 begins: 2010-01-01T00:00:00Z.
    pub const EPOCH: UnixTime = UnixTime::from_micros(1_262_304_000_000_000);

    const MICROS_PER_TICK: i64 = 4_000;

    /// The epoch in ticks since 1970, a whole number of them.
    const EPOCH_TICKS: i64 = {
        assert!(Self::EPOCH.as_micros() % Self::MICROS_PER_TICK == 0);
        Self::EPOCH.as_micros() / Self::MICROS_PER_TICK
    };

    /// The lowest ID of the tick during which `time` is; [`SnoId::min_at`].
    ///
    /// # Errors
    /// [`RangeError`] for a time before 2010 or after the last timestamp.
    pub fn min_at(self, time: impl IntoUnixTime) -> Result<SnoId, RangeError> {
        SnoId::min_at(time)
    }

    /// The highest ID of the tick during which `time` is; [`SnoId::max_at`].
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    pub fn max_at(self, time: impl IntoUnixTime) -> Result<SnoId, RangeError> {
        SnoId::max_at(time)
    }

    /// How many ticks after the epoch `time` is, rounded towards the past; negative before it.
    #[inline]
    pub(crate) const fn units(time: UnixTime) -> i64 {
        // Divided first, so that nothing overflows.
        time.as_micros().div_euclid(Self::MICROS_PER_TICK) - Self::EPOCH_TICKS
    }

    #[inline]
    pub(crate) fn tick(time: UnixTime) -> Result<Tick<Self>, RangeError> {
        let tick = u64::try_from(Self::units(time)).ok();
        tick.and_then(|tick| Tick::new(tick).ok()).ok_or_else(|| {
            let min = Self::EPOCH.as_micros().into();
            let end = Self::start_of(Self::MAX_TICK + 1).as_micros();
            let value = time.as_micros().into();
            RangeError::new("time in microseconds", value, min, i128::from(end) - 1)
        })
    }

    /// When the tick of a timestamp begins.
    pub(crate) const fn start_of(timestamp: u64) -> UnixTime {
        // 39 bits of ticks are 51 bits of microseconds, and so is the epoch.
        let micros = timestamp.cast_signed() * Self::MICROS_PER_TICK;
        UnixTime::from_micros(Self::EPOCH.as_micros() + micros)
    }

    /// The ends of `bounds`, if a generator may be confined to them.
    pub(crate) fn pool(bounds: SequenceBounds) -> Result<(u16, u16), BuildError> {
        let bounds = Self.check_bounds(&Partition::new(0), bounds)?;
        // Checked: no more than `MAX_SEQUENCE`.
        let end = |sequence: u32| u16::try_from(sequence).unwrap_or(u16::MAX);
        Ok((end(bounds.lowest()), end(bounds.last())))
    }
}

impl Scheme for Sno {
    const NAME: &'static str = "sno";
    const MAX_TICK: u64 = SnoId::MAX_TIMESTAMP;
    // The last tick is issued like any other, and the engine counts one more.
    const TICK_BITS: u32 = SnoId::TIMESTAMP_BITS + 1;
    const TOGGLE: bool = true;
    const MAX_SEQUENCE: u32 = u16::MAX as u32;
    const MIN_POOL: u32 = 4;

    type Node = Partition;
    type Form = Meta;
    type Sequence = LowestStart;

    #[inline]
    fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
        Self::tick(time)
    }

    fn time_of(&self, tick: Tick<Self>) -> UnixTime {
        Self::start_of(tick.get())
    }

    fn scale(&self) -> TickScale {
        TickScale::every(Self::EPOCH, Self::MICROS_PER_TICK.unsigned_abs())
    }

    fn write_layout(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    fn stem(&self, node: &Partition, tick: Tick<Self>, toggle: bool) -> Stem {
        SnoId::assemble(tick.get(), toggle, 0, *node, 0).stem()
    }

    fn ticks_in(&self, duration: Duration) -> Ticks<Self> {
        let ticks = duration.as_micros() / u128::from(Self::MICROS_PER_TICK.unsigned_abs());
        Ticks::new(u64::try_from(ticks).unwrap_or(u64::MAX))
    }

    fn sequence_bounds(&self, _: &Partition) -> SequenceBounds {
        SequenceBounds::new(0, Self::MAX_SEQUENCE)
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::TickTock
    }

    fn default_sequence(&self, _: u64) -> LowestStart {
        LowestStart
    }
}

/// IDs with this metabyte: what a caller chooses for each ID, 0 unless he does.
///
/// The byte means whatever the caller wants it to. It comes before the sequence, so **IDs of different
/// metabytes in one tick are distinct but not in order**.
///
/// # Examples
/// ```
/// use tickid_sno::{LocalGenerator, Meta, Partition};
///
/// let mut generator = LocalGenerator::new(Partition::new(7))?;
/// assert_eq!(generator.generate()?.meta(), 0);
/// assert_eq!(generator.generate_as(Meta(24))?.meta(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// sno, "Metabyte".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta(pub u8);

impl Form<Sno> for Meta {
    type Id = SnoId;

    #[inline]
    fn id(self, _: &Sno, slot: Slot<Sno>) -> SnoId {
        SnoId::from_slot(slot, self.0)
    }

    #[inline]
    fn fill(self, _: &Sno, first: Slot<Sno>, out: &mut [SnoId]) {
        SnoId::fill_from_slot(first, self.0, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_tick_tock_from_the_lowest_sequence() {
        assert_eq!(Sno.default_policy(), Policy::TickTock);
        assert_eq!(Sno.default_sequence(7), LowestStart);
    }

    #[test]
    fn ticks_are_whole_4_milliseconds_since_2010() {
        let epoch = Sno::EPOCH.as_micros();
        for (micros, ticks) in [(0, 0), (3_999, 0), (4_000, 1), (7_999, 1)] {
            let time = UnixTime::from_micros(epoch + micros);
            assert_eq!(Sno.tick_at(time).unwrap().get(), ticks, "{micros} µs");
        }
        assert_eq!(Sno.time_of(Tick::MIN), Sno::EPOCH);
        let last = Sno.time_of(Tick::MAX);
        assert_eq!(last.as_millis(), 3_461_327_255_548);
        assert_eq!(Sno.tick_at(last), Ok(Tick::MAX));
    }

    #[test]
    fn units_round_towards_the_past_and_reach_all_times() {
        let epoch = Sno::EPOCH.as_micros();
        for (micros, units) in [(epoch, 0), (epoch - 1, -1), (epoch - 4_001, -2)] {
            assert_eq!(Sno::units(UnixTime::from_micros(micros)), units);
        }
        for time in [UnixTime::MIN, UnixTime::MAX] {
            let since_epoch = i128::from(time.as_micros()) - i128::from(epoch);
            let units = since_epoch.div_euclid(4_000);
            assert_eq!(i128::from(Sno::units(time)), units);
        }
    }

    #[test]
    fn durations_are_whole_ticks() {
        let ticks = |micros| Sno.ticks_in(Duration::from_micros(micros)).get();
        assert_eq!((ticks(3_999), ticks(4_000), ticks(7_999)), (0, 1, 1));
        assert_eq!(Sno.ticks_in(Duration::MAX).get(), u64::MAX);
    }

    #[test]
    fn bounds_hold_four_sequences_of_16_bits() {
        let check = |one, other| Sno::pool(SequenceBounds::new(one, other));
        assert_eq!(check(0, 65_535), Ok((0, 65_535)));
        assert_eq!(check(13, 10), Ok((10, 13)));
        let pool = BuildError::Pool { lowest: 10, last: 12, pool: 3, min: 4 };
        assert_eq!(check(10, 12), Err(pool));
        let bound = RangeError::new("sequence bound", 65_536, 0, 65_535);
        assert_eq!(check(0, 65_536), Err(BuildError::SequenceBound(bound)));
    }
}
