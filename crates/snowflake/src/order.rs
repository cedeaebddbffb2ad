//! The order of node and sequence, as types.

use core::fmt::Debug;
use core::hash::Hash;

/// The order of node and sequence in the bits below the time. [`NodeAboveSequence`] and
/// [`SequenceAboveNode`] implement it. It is a type, because as a value it would slow every ID
/// down.
pub trait Order: Copy + Eq + Hash + Debug + Send + Sync + sealed::Sealed + 'static {
    /// Set if the node is in the lowest bits.
    const IS_NODE_LOWEST: bool;
}

/// Time, node, sequence, as in Twitter's Snowflakes. IDs of one tick sort by node, and those of one
/// generator are consecutive integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeAboveSequence;

/// Time, sequence, node, as in Sonyflakes. IDs of one tick sort by sequence, so those of all
/// generators are interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceAboveNode;

impl Order for NodeAboveSequence {
    const IS_NODE_LOWEST: bool = false;
}

impl Order for SequenceAboveNode {
    const IS_NODE_LOWEST: bool = true;
}

mod sealed {
    #[allow(unnameable_types, reason = "sealed: there are two orders")]
    pub trait Sealed {}

    impl Sealed for super::NodeAboveSequence {}
    impl Sealed for super::SequenceAboveNode {}
}
