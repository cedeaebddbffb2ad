use core::fmt;

use tickid_core::{
    BuildError, Observable, Policy, Prefix, Scheme, SequenceBounds, Slot, Tick, TickScale,
    UnixTime, Variant,
};

use crate::id::SnoId;
use crate::partition::Partition;

/// The sno scheme. Its IDs determine their time by themselves, so it holds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sno;

impl Sno {
    /// The start of timestamp 0: 2010-01-01T00:00:00Z.
    pub const EPOCH: UnixTime = UnixTime::from_micros(1_262_304_000_000_000);

    pub(crate) const SCALE: TickScale = TickScale::every(Self::EPOCH, 4_000);
}

/// Returns the ends of `bounds` if a generator may be confined to them.
pub(crate) fn pool(bounds: SequenceBounds) -> Result<(u16, u16), BuildError> {
    let bounds = Sno.check_bounds(&Partition::new(0), bounds)?;
    // Checked: no more than `MAX_SEQUENCE`.
    let end = |sequence: u32| u16::try_from(sequence).unwrap_or(u16::MAX);
    Ok((end(bounds.lowest()), end(bounds.last())))
}

impl Scheme for Sno {
    const NAME: &'static str = "sno";
    const MAX_TICK: u64 = SnoId::MAX_TIMESTAMP;
    const MAX_SEQUENCE: u32 = u16::MAX as u32;
    const TOGGLE: bool = true;
    const MIN_POOL: u32 = 4;

    type Node = Partition;
    type Variant = Meta;

    #[inline]
    fn scale(&self) -> TickScale {
        Self::SCALE
    }

    fn write_layout(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    fn prefix(&self, node: &Partition, tick: Tick<Self>, toggle: bool) -> Prefix {
        SnoId::assemble(tick.get(), toggle, 0, *node, 0).prefix()
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::TickTock
    }
}

/// The metabyte of an ID, which the caller chooses for each ID; 0 by default.
///
/// The byte has no built-in meaning. It comes before the sequence, so **IDs of different metabytes
/// in one tick are distinct but not in order**.
///
/// # Examples
/// ```
/// use tickid_sno::{LocalGenerator, Meta, Partition};
///
/// let mut generator = LocalGenerator::new(Partition::new(7))?;
/// assert_eq!(generator.generate()?.meta(), 0);
/// assert_eq!(generator.with(Meta(24)).generate()?.meta(), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// sno, "Metabyte".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta(pub u8);

/// Those of metabyte 0, so that an observed ID is followed under every metabyte.
impl Observable<Sno> for Meta {
    const LEAST: Self = Self(0);
}

impl Variant<Sno> for Meta {
    type Id = SnoId;

    #[inline]
    fn id(self, _: &Sno, slot: Slot<Sno>) -> SnoId {
        SnoId::from_head(slot.high(), self.0, slot.low())
    }

    #[inline]
    fn fill(self, _: &Sno, first: Slot<Sno>, out: &mut [SnoId]) {
        SnoId::fill_from_head(first.high(), self.0, first.low(), out);
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use tickid_core::RangeError;

    use super::*;

    #[test]
    fn default_policy_is_tick_tock() {
        assert_eq!(Sno.default_policy(), Policy::TickTock);
        const { assert!(!Sno::RANDOM_START) };
    }

    #[test]
    fn ticks_are_4_ms_since_2010() {
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
    fn durations_are_whole_ticks() {
        let ticks = |micros| Sno.ticks_in(Duration::from_micros(micros)).get();
        assert_eq!((ticks(3_999), ticks(4_000), ticks(7_999)), (0, 1, 1));
        assert_eq!(Sno.ticks_in(Duration::MAX).get(), u64::MAX);
    }

    #[test]
    fn bounds_hold_four_sequences() {
        let check = |one, other| pool(SequenceBounds::new(one, other));
        assert_eq!(check(0, 65_535), Ok((0, 65_535)));
        assert_eq!(check(13, 10), Ok((10, 13)));
        let error = BuildError::Pool { lowest: 10, last: 12, pool: 3, min: 4 };
        assert_eq!(check(10, 12), Err(error));
        let bound = RangeError::new("sequence bound", 65_536, 0, 65_535);
        assert_eq!(check(0, 65_536), Err(BuildError::SequenceBound(bound)));
    }
}
