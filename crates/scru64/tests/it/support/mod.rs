//! Helpers shared by several test files.

use tickid_scru64::tickid_core::Plain;
use tickid_scru64::{NodeSpec, Scru64, Scru64Id, UnixTime};
use tickid_testkit::Parts;

/// Generators of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject(pub(crate) NodeSpec);

impl Subject {
    pub(crate) fn of(node: &str) -> Self {
        Self(node.parse().unwrap())
    }
}

/// A node whose size leaves 4,096 counters.
impl Default for Subject {
    fn default() -> Self {
        Self::of("0xb00/12")
    }
}

impl tickid_testkit::Subject for Subject {
    type Scheme = Scru64;
    type Variant = Plain;
    type Id = Scru64Id;

    fn settings(&self) -> Scru64 {
        Scru64
    }

    fn node(&self) -> NodeSpec {
        self.0
    }

    fn start(&self) -> UnixTime {
        UnixTime::from_micros(1_700_000_000_000_000)
    }

    fn blank(&self) -> Scru64Id {
        Scru64Id::MIN
    }

    fn parts(&self, id: Scru64Id) -> Parts {
        let sequence = id.counter(self.0.node_id_size());
        Parts { tick: id.timestamp(), toggle: false, sequence }
    }

    fn is_of(&self, id: Scru64Id, Plain: Plain) -> bool {
        id.node_id(self.0.node_id_size()) == self.0.node_id()
    }
}
