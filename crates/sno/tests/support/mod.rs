//! What several test files share.

#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses its own part of it, and fails by panicking"
)]

use core::num::NonZeroU32;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;
use tickid_sno::core::{Tick, Ticks};
use tickid_sno::{Meta, Partition, Policy, Sno, SnoId, UnixTime};
use tickid_testkit::Parts;

pub(crate) const PARTITION: Partition = Partition::new(0xCAFE);

pub(crate) const MICROS_PER_TICK: i64 = 4_000;

/// When the tick of `units` begins. Negative ones are before 2010.
pub(crate) fn at(units: i64) -> UnixTime {
    UnixTime::from_micros(Sno::EPOCH.as_micros() + units * MICROS_PER_TICK)
}

/// `micros` after the tick of `units` begins.
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

/// The same cases every time, unless `PROPTEST_RNG_SEED` asks for others; `PROPTEST_CASES` for more.
pub(crate) fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig {
        failure_persistence: None,
        cases: config.cases * 4,
        rng_seed: match config.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0x73_6E_6F),
            given => given,
        },
        ..config
    }
}

/// Generators of [`PARTITION`] that are asked for IDs of three metabytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject;

impl tickid_testkit::Subject for Subject {
    type Scheme = Sno;
    type Form = Meta;
    type Id = SnoId;

    fn node(&self) -> Partition {
        PARTITION
    }

    fn start(&self) -> UnixTime {
        within(10_000, 0)
    }

    fn forms(&self) -> Vec<Meta> {
        [0, 24, 255].map(Meta).to_vec()
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

    /// But for IDs of different metabytes in one tick, where the byte comes before the sequence.
    fn increases(&self, id: SnoId, next: SnoId) -> bool {
        let is_excepted = id.timestamp() == next.timestamp() && id.meta() != next.meta();
        is_excepted || id < next
    }
}
