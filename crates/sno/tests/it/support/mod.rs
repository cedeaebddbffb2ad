//! Helpers shared by several test files.

use core::num::NonZeroU32;

use tickid_sno::tickid_core::{Tick, Ticks};
use tickid_sno::{Meta, Partition, Policy, Sno, SnoId, UnixTime};
use tickid_testkit::Parts;

pub(crate) const PARTITION: Partition = Partition::new(0xCAFE);

pub(crate) const MICROS_PER_TICK: i64 = 4_000;

/// Returns the start of the tick `units`. Negative ticks are before 2010.
pub(crate) fn at(units: i64) -> UnixTime {
    UnixTime::from_micros(Sno::EPOCH.as_micros() + units * MICROS_PER_TICK)
}

/// Returns the time `micros` after the start of the tick `units`.
pub(crate) fn within(units: i64, micros: i64) -> UnixTime {
    UnixTime::from_micros(at(units).as_micros() + micros)
}

pub(crate) fn tick(units: u64) -> Tick<Sno> {
    Tick::new(units).unwrap()
}

pub(crate) const fn ratchet(allowance: u64) -> Policy<Sno> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

pub(crate) fn many(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// Generators of [`PARTITION`] that issue IDs with these metabytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject(&'static [Meta]);

impl Subject {
    pub(crate) const OF_ONE_METABYTE: Self = Self(&[Meta(0)]);
    pub(crate) const OF_THREE_METABYTES: Self = Self(&[Meta(0), Meta(24), Meta(255)]);
}

impl tickid_testkit::Subject for Subject {
    type Scheme = Sno;
    type Variant = Meta;
    type Id = SnoId;

    fn settings(&self) -> Sno {
        Sno
    }

    fn node(&self) -> Partition {
        PARTITION
    }

    fn start(&self) -> UnixTime {
        within(10_000, 0)
    }

    fn forms(&self) -> Vec<Meta> {
        self.0.to_vec()
    }

    fn blank(&self) -> SnoId {
        SnoId::ZERO
    }

    fn parts(&self, id: SnoId) -> Parts {
        Parts { tick: id.timestamp(), toggle: id.toggle(), sequence: id.sequence().into() }
    }

    fn is_of(&self, id: SnoId, meta: Meta) -> bool {
        id.partition() == PARTITION && id.meta() == meta.0
    }

    /// Compares IDs. Those with different metabytes in one tick are exempt, because the byte comes
    /// before the sequence.
    fn increases(&self, id: SnoId, next: SnoId) -> bool {
        let is_excepted = id.timestamp() == next.timestamp() && id.meta() != next.meta();
        is_excepted || id < next
    }
}
