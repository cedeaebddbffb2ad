//! Two schemes to read and to test with. One is the shortest description of a scheme, and the other
//! is the same with a toggle bit.

use core::fmt;

use crate::node::NodeId;
use crate::policy::Policy;
use crate::scale::TickScale;
pub use crate::scheme::Plain;
use crate::scheme::{Observable, Scheme, Variant};
use crate::slot::{Prefix, Slot};
use crate::tick::Tick;
use crate::time::UnixTime;

/// A scheme with 32 bits of seconds since 1970, a zero bit, 8 bits of node and 8 bits of sequence,
/// as a plain `u64`. For example, sequence 3 of node 1 in second 100 is `100 << 17 | 1 << 8 | 3`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seconds;

/// [`Seconds`] with a toggle bit instead of the zero bit, tick-tock by default, and a pool of at
/// least four sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toggling;

/// A node, which can be any byte.
// Schemes without their own word for it call it a node, as kuid and this one do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub u8);

crate::impl_node_id!(Node: "node", u8::BITS);

macro_rules! seconds {
    ($scheme:ident, $name:literal, $toggle:literal, $pool:literal, $policy:expr) => {
        // As `Plain` is not hidden, `doc(hidden)` alone does not keep these two out of errors.
        #[diagnostic::do_not_recommend]
        impl Variant<$scheme> for Plain {
            /// The IDs are plain integers.
            type Id = u64;

            #[inline]
            fn id(self, _: &$scheme, slot: Slot<$scheme>) -> u64 {
                slot.low()
            }
        }

        #[diagnostic::do_not_recommend]
        impl Observable<$scheme> for Plain {
            const LEAST: Self = Self;
        }

        impl Scheme for $scheme {
            const NAME: &'static str = $name;
            const MAX_TICK: u64 = u32::MAX as u64;
            const MAX_SEQUENCE: u32 = 255;
            const TOGGLE: bool = $toggle;
            const MIN_POOL: u32 = $pool;

            type Node = Node;
            type Variant = Plain;

            #[inline]
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
                Prefix::new(0, time << 16 | node.value() << 8)
            }

            fn default_policy(&self) -> Policy<Self> {
                $policy
            }
        }
    };
}
seconds!(Seconds, "seconds", false, 1, Policy::Wait);
seconds!(Toggling, "toggling", true, 4, Policy::TickTock);
