//! Node IDs, which distinguish generators.

use core::fmt;

use crate::range::RangeError;

/// A node, which distinguishes the IDs of two generators that have the same tick and sequence.
///
/// SCRU64 calls it node ID, Nanoflake generator ID, Erlang's uid node (as a fingerprint), and sno
/// partition. Two generators with the same node and overlapping [windows](crate::Window) can issue
/// the same ID, and neither of them can notice it. Assigning nodes is therefore the caller's
/// responsibility, unless a [lease](https://docs.rs/tickid-lease) does it.
///
/// # Examples
/// ```
/// use tickid_core::NodeId;
/// use tickid_core::example::Node;
///
/// assert_eq!((Node(7).bits(), Node(7).value()), (8, 7));
/// assert_eq!(Node::from_value(7, 8), Ok(Node(7)));
/// ```
pub trait NodeId: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// Returns the number of bits that the node takes in an ID.
    fn bits(&self) -> u32;

    /// Returns the node as a number below 2 to the power of [`bits`](Self::bits).
    fn value(&self) -> u64;

    /// Returns the node with this [`value`](Self::value) and this number of [`bits`](Self::bits).
    /// Leases hold nodes in this form, because it is the same for all schemes.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the scheme has no nodes of that many bits, or if the value does
    /// not fit.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::NodeId;
    /// use tickid_core::example::Node;
    ///
    /// let error = Node::from_value(256, 8).unwrap_err();
    /// assert_eq!(error.to_string(), "node 256 is outside of 0..=255");
    /// assert!(Node::from_value(7, 16).is_err()); // nodes of this scheme have 8 bits
    /// ```
    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError>;
}

/// A node whose width is the same in every ID of its scheme, so that its number says it all.
/// Nanoflake, sno and kuid have such nodes. SCRU64 does not, because its nodes come in sizes, and
/// neither do Snowflakes, whose layout determines the width.
///
/// # Examples
/// ```
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{Generator, NumberedNode};
///
/// assert_eq!(Node::BITS, 8);
/// assert_eq!(Generator::<Seconds>::numbered(7)?.node(), Node(7));
/// # Ok::<(), tickid_core::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a number alone is not a node of this scheme, whose nodes have sizes",
    label = "not a node of one width",
    note = "pass the size as well: `Generator::new(\"42/8\".parse()?)` is SCRU64's node 42 in 8 bits"
)]
pub trait NumberedNode: NodeId {
    /// The number of bits that every node takes in an ID.
    const BITS: u32;
}
