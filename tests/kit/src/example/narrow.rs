//! A scheme that leaves the engine hardly any room.

use core::fmt;

use tickid_core::example::{Node, Plain, Seconds};
use tickid_core::{Observable, Policy, Prefix, Scheme, Slot, Tick, TickScale, UnixTime, Variant};

/// `Toggling` with the narrowest guard that the engine accepts: 1,791 adds that are not taken back
/// reach the bit above it. A shared block has a single ID. The first and the last tick are
/// reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Narrow;

impl Observable<Narrow> for Plain {
    const LEAST: Self = Self;
}

impl Variant<Narrow> for Plain {
    type Id = u64;

    fn id(self, _: &Narrow, slot: Slot<Narrow>) -> u64 {
        slot.low()
    }
}

impl Scheme for Narrow {
    const NAME: &'static str = "narrow";
    const MAX_TICK: u64 = Seconds::MAX_TICK;
    const FIRST_TICK: u64 = 1;
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const TICK_BITS: u32 = 51;
    const TOGGLE: bool = true;
    const MAX_SEQUENCE: u32 = 255;

    type Node = Node;
    type Variant = Plain;

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, 1_000_000)
    }

    fn write_settings(&self, _: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    fn node_bits(&self) -> Option<u32> {
        Some(u8::BITS)
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, toggle: bool) -> Prefix {
        let time = tick.get() << 1 | u64::from(toggle);
        Prefix::new(0, time << 16 | u64::from(node.0) << 8)
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::TickTock
    }
}
