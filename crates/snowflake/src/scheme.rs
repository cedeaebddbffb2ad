//! Snowflakes as a scheme: the ticks, the bits and the policy of a layout.

use core::fmt;

use tickid_core::{
    BuildError, Clock, Observable, Plain, Policy, Prefix, RangeError, Scheme, SequenceBounds, Slot,
    Tick, TickScale, Variant,
};

use crate::id::SnowflakeId;
use crate::layout::Snowflake;
use crate::node::Node;
use crate::order::Order;

/// The constants fit the widest layout, and each layout has its own limits below them.
impl<O: Order> Scheme for Snowflake<O> {
    const NAME: &'static str = "snowflake";
    const MAX_TICK: u64 = (1 << Self::MAX_TIME_BITS) - 1;
    /// One tick of the longest time is left out, so that the engine's word needs no more bits than
    /// the time has.
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const MAX_SEQUENCE: u32 = (1 << Self::MAX_SEQUENCE_BITS) - 1;

    type Node = Node;
    type Variant = Plain;

    #[inline]
    fn scale(&self) -> TickScale {
        TickScale::every(self.epoch(), self.micros_per_tick())
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{self}")
    }

    fn node_bits(&self) -> Option<u32> {
        Some(Self::node_bits(self))
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, _: bool) -> Prefix {
        self.prefix_at(*node, tick.get())
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    #[inline]
    fn max_tick(&self) -> u64 {
        self.max_timestamp()
    }

    #[inline]
    fn last_tick(&self) -> u64 {
        self.max_timestamp().min(Self::LAST_TICK)
    }

    fn check_node(&self, node: &Node) -> Result<(), RangeError> {
        self.check_node_bits(node)
    }

    fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
        SequenceBounds::new(0, self.max_sequence())
    }

    fn check_start(&self, clock: &impl Clock) -> Result<(), BuildError> {
        let (epoch, now) = (self.epoch(), clock.now()?);
        if epoch <= now { Ok(()) } else { Err(BuildError::Epoch { epoch, now }) }
    }
}

impl<O: Order> Snowflake<O> {
    /// Returns the bits that the IDs of a node in a tick share, where the engine counts in the
    /// lowest bits.
    pub(crate) fn prefix_at(&self, node: Node, tick: u64) -> Prefix {
        let node = u64::from(node.get());
        Prefix::new(
            0,
            if O::IS_NODE_LOWEST {
                // The node waits above the time until `id` rotates it down.
                node.rotate_right(self.node_bits()) | tick << self.sequence_bits()
            } else {
                tick << self.timestamp_shift() | node << self.sequence_bits()
            },
        )
    }
}

impl<O: Order> Observable<Snowflake<O>> for Plain {
    const LEAST: Self = Self;
}

impl<O: Order> Variant<Snowflake<O>> for Plain {
    type Id = SnowflakeId;

    #[inline]
    fn id(self, scheme: &Snowflake<O>, slot: Slot<Snowflake<O>>) -> SnowflakeId {
        SnowflakeId::new(if O::IS_NODE_LOWEST {
            slot.low().rotate_left(scheme.node_bits())
        } else {
            slot.low()
        })
    }

    #[inline]
    fn fill(self, scheme: &Snowflake<O>, first: Slot<Snowflake<O>>, out: &mut [SnowflakeId]) {
        // Adding one to the sequence in its place is faster than rotating each ID.
        let step = if O::IS_NODE_LOWEST { 1 << scheme.node_bits() } else { 1 };
        let mut bits = self.id(scheme, first).get();
        for id in out {
            *id = SnowflakeId::new(bits);
            bits = bits.wrapping_add(step);
        }
    }
}
