//! A scheme whose widths are chosen at run time.

use core::fmt;

use tickid_core::example::Plain;
use tickid_core::{
    NodeId, Observable, Policy, Prefix, RangeError, Scheme, SequenceBounds, Slot, Tick, TickScale,
    UnixTime, Variant,
};

/// Time, node and sequence of any widths, from the high bits to the low ones, or with the node
/// below the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Widths {
    pub(crate) micros_per_tick: u64,
    pub(crate) time: u32,
    pub(crate) node: u32,
    pub(crate) sequence: u32,
    pub(crate) is_node_lowest: bool,
    /// The number of highest sequences that no ID has.
    pub(crate) unused: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) bits: u32,
    pub(crate) value: u64,
}

impl NodeId for Node {
    fn bits(&self) -> u32 {
        self.bits
    }

    fn value(&self) -> u64 {
        self.value
    }

    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError> {
        Ok(Self { bits, value })
    }
}

impl Scheme for Widths {
    const NAME: &'static str = "widths";
    const MAX_TICK: u64 = (1 << 43) - 1;
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const MAX_SEQUENCE: u32 = (1 << 18) - 1;

    type Node = Node;
    type Variant = Plain;

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, self.micros_per_tick)
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}/{}/{}-{}", self.time, self.node, self.sequence, self.unused)
    }

    fn node_bits(&self) -> Option<u32> {
        Some(self.node)
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(
            0,
            if self.is_node_lowest {
                // The engine counts in the lowest bits, so `id` rotates the node down.
                node.value.rotate_right(self.node) | tick.get() << self.sequence
            } else {
                (tick.get() << self.node | node.value) << self.sequence
            },
        )
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    fn max_tick(&self) -> u64 {
        (1 << self.time) - 1
    }

    fn last_tick(&self) -> u64 {
        self.max_tick().min(Self::LAST_TICK)
    }

    fn check_node(&self, node: &Node) -> Result<(), RangeError> {
        if node.bits == self.node {
            return Ok(());
        }
        let bits = self.node.into();
        Err(RangeError::new("node bits", node.bits.into(), bits, bits))
    }

    fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
        SequenceBounds::new(0, (1 << self.sequence) - 1 - self.unused)
    }
}

impl Variant<Widths> for Plain {
    type Id = u64;

    fn id(self, layout: &Widths, slot: Slot<Widths>) -> u64 {
        slot.low().rotate_left(if layout.is_node_lowest { layout.node } else { 0 })
    }
}

impl Observable<Widths> for Plain {
    const LEAST: Self = Self;
}

impl Widths {
    pub(crate) const fn node(&self, value: u64) -> Node {
        Node { bits: self.node, value }
    }
}
