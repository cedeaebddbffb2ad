//! The scheme: its ticks, its bits and its policy.

use core::fmt;
use core::time::Duration;

use tickid_core::{
    Observable, Plain, Policy, Prefix, Scheme, SequenceBounds, Slot, Snapshot, Tick, TickScale,
    UnixTime, Variant,
};

use crate::id::Scru64Id;
use crate::node::NodeSpec;

/// The SCRU64 scheme. It holds nothing, because the epoch and the tick are fixed, so an ID alone
/// determines its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scru64;

impl Scru64 {
    pub(crate) const SCALE: TickScale = TickScale::every(UnixTime::EPOCH, 256_000);

    /// The clock rollback that a generator tolerates before it stalls. In 10 seconds there are 39
    /// whole ticks.
    pub const DEFAULT_ALLOWANCE: Duration = Duration::from_secs(10);
}

impl Scheme for Scru64 {
    const NAME: &'static str = "scru64";
    const MAX_TICK: u64 = Scru64Id::MAX_TIMESTAMP;
    const MAX_SEQUENCE: u32 = (1 << 23) - 1;
    // The first and the last timestamp are reserved.
    const FIRST_TICK: u64 = 1;
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const RANDOM_START: bool = true;

    type Node = NodeSpec;
    type Variant = Plain;

    #[inline]
    fn scale(&self) -> TickScale {
        Self::SCALE
    }

    fn write_settings(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    /// There is no common size, because each node spec states its own.
    fn node_bits(&self) -> Option<u32> {
        None
    }

    fn prefix(&self, node: &NodeSpec, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(0, Scru64Id::assemble(tick.get(), node.node_part()).get())
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Ratchet { allowance: self.ticks_in(Self::DEFAULT_ALLOWANCE) }
    }

    fn sequence_bounds(&self, node: &NodeSpec) -> SequenceBounds {
        SequenceBounds::new(0, node.node_id_size().max_counter())
    }

    /// One bit for node IDs of 20 bits and more, as the original has it, because without it a
    /// random start would often leave none of so few counters.
    fn guard_bits(&self, node: &NodeSpec) -> u32 {
        u32::from(node.node_id_size().get() >= 20)
    }

    fn resume(&self, node: &NodeSpec) -> Snapshot<Self> {
        match node.node_prev() {
            Some(prev) => Snapshot::at(prev.tick(), prev.counter(node.node_id_size()) + 1),
            None => Snapshot::EMPTY,
        }
    }
}

impl Observable<Scru64> for Plain {
    const LEAST: Self = Self;
}

impl Variant<Scru64> for Plain {
    type Id = Scru64Id;

    #[inline]
    fn id(self, _: &Scru64, slot: Slot<Scru64>) -> Scru64Id {
        Scru64Id::from_bits(slot.low())
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::Ticks;

    use super::*;

    #[test]
    fn default_allowance_is_39_ticks() {
        let ratchet = Policy::Ratchet { allowance: Ticks::new(39) };
        assert_eq!(Scru64.default_policy(), ratchet);
    }
}
