//! A scheme that leaves the engine hardly any room.

use core::time::Duration;

use tickid_core::example::{Node, Seconds};
use tickid_core::{
    Form, LowestStart, Policy, RangeError, Scheme, SequenceBounds, Slot, Stem, Tick, TickScale,
    Ticks, UnixTime,
};

/// `Toggling` with the narrowest guard the engine takes: 1,791 adds that are not taken back reach
/// the bit above it. A shared block has one ID here. The first and the last tick are reserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Narrow;

/// The integers of the example schemes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NarrowForm;

impl Form<Narrow> for NarrowForm {
    type Id = u64;

    fn id(self, _: &Narrow, slot: Slot<Narrow>) -> u64 {
        slot.tail()
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
    type Form = NarrowForm;
    type Sequence = LowestStart;

    fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
        Tick::new(Seconds.tick_at(time)?.get())
    }

    fn time_of(&self, tick: Tick<Self>) -> UnixTime {
        UnixTime::from_micros(tick.get().cast_signed() * 1_000_000)
    }

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, 1_000_000)
    }

    fn stem(&self, node: &Node, tick: Tick<Self>, toggle: bool) -> Stem {
        let time = tick.get() << 1 | u64::from(toggle);
        Stem::new(0, time << 16 | u64::from(node.0) << 8)
    }

    fn ticks_in(&self, duration: Duration) -> Ticks<Self> {
        Ticks::new(duration.as_secs())
    }

    fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
        SequenceBounds::new(0, Self::MAX_SEQUENCE)
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::TickTock
    }

    fn default_sequence(&self, _: u64) -> LowestStart {
        LowestStart
    }
}
