//! What tells generators apart.

use core::fmt;

use crate::range::RangeError;

/// A node: what tells the IDs of two generators apart when their ticks and sequences are equal.
///
/// SCRU64 calls it node ID, Nanoflake generator ID, Erlang's uid node (as a fingerprint), sno
/// partition. Two generators with the same node and overlapping [windows](crate::Window) can issue
/// the same ID; giving nodes out is the caller's part.
pub trait NodeId: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// How many bits the node takes in an ID.
    fn bits(&self) -> u32;

    /// The node as a number below 2 to the power of [`bits`](Self::bits).
    fn value(&self) -> u64;

    /// The node of this value in so many bits: what [`bits`](Self::bits) and [`value`](Self::value)
    /// were of.
    ///
    /// # Errors
    /// [`RangeError`] for a number of bits that the scheme has no nodes of, and for a value that does
    /// not fit.
    fn from_bits(bits: u32, value: u64) -> Result<Self, RangeError>;
}
