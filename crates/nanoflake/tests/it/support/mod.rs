//! Helpers shared by several test files.

use tickid_nanoflake::tickid_core::Plain;
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId, UnixTime};
use tickid_testkit::Parts;

pub(crate) const NODE: GeneratorId = match GeneratorId::from_datacenter_worker(21, 10) {
    Ok(node) => node,
    Err(_) => GeneratorId::MIN,
};
pub(crate) const LAYOUT: Nanoflake = Nanoflake { epoch: Epoch::DISCORD };

/// Generators of [`NODE`] with an epoch other than the default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject;

impl tickid_testkit::Subject for Subject {
    type Scheme = Nanoflake;
    type Variant = Plain;
    type Id = NanoflakeId;

    fn settings(&self) -> Nanoflake {
        LAYOUT
    }

    fn node(&self) -> GeneratorId {
        NODE
    }

    fn start(&self) -> UnixTime {
        UnixTime::from_micros(1_700_000_000_000_000)
    }

    fn blank(&self) -> NanoflakeId {
        NanoflakeId::MIN
    }

    fn parts(&self, id: NanoflakeId) -> Parts {
        Parts { tick: id.timestamp(), toggle: false, sequence: id.sequence().into() }
    }

    fn is_of(&self, id: NanoflakeId, Plain: Plain) -> bool {
        id.generator() == NODE
    }
}
