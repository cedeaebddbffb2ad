//! The scheme: its ticks, its bits, its policy and the metabyte.

use core::fmt;

use tickid_core::{
    BuildError, Observable, Policy, Prefix, Scheme, SequenceBounds, Slot, Tick, TickScale,
    UnixTime, Variant,
};

use crate::id::SnoId;
use crate::partition::Partition;

/// The sno scheme. It holds nothing, because the epoch and the tick are fixed, so an ID alone
/// determines its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sno;

impl Sno {
    /// The start of timestamp 0, 2010-01-01T00:00:00Z.
    pub const EPOCH: UnixTime = UnixTime::from_micros(1_262_304_000_000_000);

    pub(crate) const SCALE: TickScale = TickScale::every(Self::EPOCH, 4_000);
}

/// Returns the ends of `bounds` if a generator may be confined to them.
pub(crate) fn pool(bounds: SequenceBounds) -> Result<(u16, u16), BuildError> {
    let bounds = Sno.check_bounds(&Partition::new(0), bounds)?;
    // Both ends are at most `MAX_SEQUENCE`, as just checked.
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

    fn write_settings(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    fn node_bits(&self) -> Option<u32> {
        Some(u16::BITS)
    }

    fn prefix(&self, node: &Partition, tick: Tick<Self>, toggle: bool) -> Prefix {
        SnoId::assemble(tick.get(), toggle, 0, *node, 0).prefix()
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::TickTock
    }
}

/// The metabyte of an ID, which the caller chooses for each ID. It is 0 by default.
///
/// The byte has no built-in meaning. It can hold the kind of a record, for example, so that a
/// program can distinguish orders from invoices by their IDs alone. It comes before the sequence,
/// so **IDs of different metabytes in one tick are distinct but not in order**. For example, an ID
/// with metabyte 24 sorts after an ID with metabyte 0 that is issued later in the same tick.
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
/// A bare number is not a metabyte, and the compiler says what is:
///
/// ```compile_fail,E0277
/// use tickid_sno::{LocalGenerator, Partition};
///
/// let mut generator = LocalGenerator::new(Partition::new(7))?;
/// let _ = generator.with(24); // use `Meta(24)`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// sno, "Metabyte".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta(pub u8);

/// The least variant is metabyte 0, because IDs of all other metabytes then follow an observed ID
/// as well.
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
    use super::*;

    #[test]
    fn default_policy_is_tick_tock() {
        assert_eq!(Sno.default_policy(), Policy::TickTock);
        const { assert!(!Sno::RANDOM_START) };
    }
}
