//! Two schemes to read and to test with: the least there is to say about a scheme, and the same
//! with a toggle bit.

use core::fmt;
use core::time::Duration;

use crate::block::{Slot, Stem};
use crate::error::RangeError;
use crate::node::NodeId;
use crate::policy::Policy;
use crate::scale::TickScale;
pub use crate::scheme::Plain;
use crate::scheme::{Form, Scheme};
use crate::sequence::{LowestStart, SequenceBounds};
use crate::tick::{Tick, Ticks};
use crate::time::UnixTime;

/// 32 bits of seconds since 1970, 8 bits of node, 8 bits of sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seconds;

/// [`Seconds`] with a toggle bit below the seconds, and a pool of at least four sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toggling;

/// Any byte is a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub u8);

impl NodeId for Node {
    fn bits(&self) -> u32 {
        8
    }

    fn value(&self) -> u64 {
        self.0.into()
    }

    fn from_bits(bits: u32, value: u64) -> Result<Self, RangeError> {
        if bits != u8::BITS {
            return Err(RangeError::new("node bits", bits.into(), 8, 8));
        }
        let node = u8::try_from(value);
        node.map(Self).map_err(|_| RangeError::new("node", value.into(), 0, u8::MAX.into()))
    }
}

macro_rules! seconds {
    ($scheme:ident, $name:literal, $toggle:literal, $min_pool:literal, $policy:expr) => {
        impl Form<$scheme> for Plain {
            /// IDs are plain integers here.
            type Id = u64;

            #[inline]
            fn id(self, _: &$scheme, slot: Slot<$scheme>) -> u64 {
                slot.tail()
            }
        }

        impl Scheme for $scheme {
            const NAME: &'static str = $name;
            const MAX_TICK: u64 = u32::MAX as u64;
            const TICK_BITS: u32 = 33;
            const TOGGLE: bool = $toggle;
            const MAX_SEQUENCE: u32 = 255;
            const MIN_POOL: u32 = $min_pool;

            type Node = Node;
            type Form = Plain;
            type Sequence = LowestStart;

            #[inline]
            fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
                let (micros, max) = (time.as_micros(), i128::from(u32::MAX) * 1_000_000 + 999_999);
                u64::try_from(micros)
                    .ok()
                    .and_then(|micros| Tick::new(micros / 1_000_000).ok())
                    .ok_or(RangeError::new("time in microseconds", micros.into(), 0, max))
            }

            fn time_of(&self, tick: Tick<Self>) -> UnixTime {
                // 32 bits of seconds are 52 bits of microseconds.
                UnixTime::from_micros(tick.get().cast_signed() * 1_000_000)
            }

            fn scale(&self) -> TickScale {
                TickScale::every(UnixTime::EPOCH, 1_000_000)
            }

            fn write_layout(&self, _: &mut dyn fmt::Write) -> fmt::Result {
                Ok(())
            }

            fn stem(&self, node: &Node, tick: Tick<Self>, toggle: bool) -> Stem {
                let time = tick.get() << 1 | u64::from(toggle);
                Stem::new(0, time << 16 | node.value() << 8)
            }

            fn ticks_in(&self, duration: Duration) -> Ticks<Self> {
                Ticks::new(duration.as_secs())
            }

            fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
                SequenceBounds::new(0, Self::MAX_SEQUENCE)
            }

            fn default_policy(&self) -> Policy<Self> {
                $policy
            }

            fn default_sequence(&self, _: u64) -> LowestStart {
                LowestStart
            }
        }
    };
}
seconds!(Seconds, "seconds", false, 1, Policy::Wait);
seconds!(Toggling, "toggling", true, 4, Policy::TickTock);
