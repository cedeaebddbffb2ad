//! A node of any scheme and any size, with its text and its order.

#[cfg(feature = "alloc")]
use alloc::{format, string::String};
use core::cmp::Ordering;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use crate::counted::counted;
use crate::node::NodeId;
use crate::pad::pad;
use crate::range::RangeError;

/// A node of any scheme and any size, which is a value and its number of bits. Code that does not
/// know the scheme at compile time uses it, and so do leases.
///
/// If the node has as many bits as the scheme's field for it, it names the field's value, and has
/// all sequences of a tick. If it has more bits, it names a *share*, which is the part of the
/// sequences whose leading bits are the node's further bits. For example, sno has 65,536 nodes of
/// 16 bits, but 131,072 of 17 bits, each with half of a node's sequences.
/// [`Scheme::split_node`](crate::Scheme::split_node) has the rule. Two generators whose nodes are
/// not [prefix-related](Self::is_prefix_related) never issue equal IDs that carry the node.
///
/// Its text is the value, a slash and the number of bits, as in `42/8`. Nodes sort by their bits
/// from the most significant one on, and a prefix comes before the nodes that start with it.
///
/// # Examples
/// ```
/// use tickid_core::AnyNode;
/// use tickid_core::example::Node;
///
/// let node = AnyNode::new(42, 8)?;
/// assert_eq!((node.to_string(), "42/8".parse()), ("42/8".to_owned(), Ok(node)));
/// assert_eq!(AnyNode::of(&Node(7))?.to_string(), "7/8");
/// assert!(AnyNode::new(256, 8).is_err());
///
/// let (hot, cold): (AnyNode, AnyNode) = ("2/2".parse()?, "42/6".parse()?);
/// assert!(hot.is_prefix_related(cold)); // 101010 starts with 10
/// assert!(!hot.is_prefix_related("63/6".parse()?));
/// assert!(hot < cold);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AnyNode {
    bits: u32,
    value: u64,
}

impl AnyNode {
    /// The maximum number of bits of a node.
    pub const MAX_BITS: u32 = 63;
    /// The empty node, for IDs that carry none (kuid's local ones).
    pub const NONE: Self = Self { bits: 0, value: 0 };

    /// Creates the node `value` of `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for more than [`MAX_BITS`](Self::MAX_BITS) bits, and for a value
    /// that needs more than `bits`.
    pub const fn new(value: u64, bits: u32) -> Result<Self, RangeError> {
        if bits > Self::MAX_BITS {
            return Err(RangeError::new("node bits", bits as i128, 0, Self::MAX_BITS as i128));
        }
        let max = (1 << bits) - 1;
        if value > max {
            return Err(RangeError::new("node", value as i128, 0, max as i128));
        }
        Ok(Self { bits, value })
    }

    /// Converts a scheme's node.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new).
    pub fn of(node: &impl NodeId) -> Result<Self, RangeError> {
        Self::new(node.value(), node.bits())
    }

    /// Returns the number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the value.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// Reports whether one node is a prefix of the other, which means that their IDs could be
    /// equal. For example, `5/3` and `11/4` are related, because 5 is 101 and 11 is 1011 in binary.
    #[must_use]
    pub const fn is_prefix_related(self, other: Self) -> bool {
        let (short, long) = if self.bits <= other.bits { (self, other) } else { (other, self) };
        long.value >> (long.bits - short.bits) == short.value
    }

    /// Returns the values of [`MAX_BITS`](Self::MAX_BITS) bits that start with this node. The spans
    /// of two nodes overlap only if the nodes are prefix-related, so a database can compare nodes
    /// of all sizes by two numbers each.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::AnyNode;
    ///
    /// let (low, high) = AnyNode::new(1, 1)?.span().into_inner();
    /// assert_eq!((low, high), (1 << 62, (1 << 63) - 1));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn span(self) -> RangeInclusive<u64> {
        let shift = Self::MAX_BITS - self.bits;
        self.value << shift..=((self.value + 1) << shift) - 1
    }

    /// Returns the nodes that are a prefix of this one, shorter ones first. Their IDs could equal
    /// this node's, so a pool of leases that has one of them refuses this one.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::AnyNode;
    ///
    /// let prefixes: Vec<_> = AnyNode::new(6, 3)?.prefixes().map(|node| node.to_string()).collect();
    /// assert_eq!(prefixes, ["0/0", "1/1", "3/2"]);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub fn prefixes(self) -> impl Iterator<Item = Self> {
        (0..self.bits).map(move |bits| Self { bits, value: self.value >> (self.bits - bits) })
    }

    /// Returns a text of 18 hexadecimal digits that sorts as the node does, for keys and indexes.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn sort_key(self) -> String {
        format!("{:016x}{:02x}", self.span().start(), self.bits)
    }

    /// Parses a text that [`sort_key`](Self::sort_key) has written. Returns `None` for any other
    /// text.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::AnyNode;
    ///
    /// let node = AnyNode::new(42, 8)?;
    /// assert_eq!(AnyNode::from_sort_key(&node.sort_key()), Some(node));
    /// assert_eq!(AnyNode::from_sort_key("42/8"), None);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn from_sort_key(key: &str) -> Option<Self> {
        let (start, bits) = key.split_at_checked(16)?;
        let bits = u32::from_str_radix(bits, 16).ok()?;
        let shift = Self::MAX_BITS.checked_sub(bits)?;
        let start =
            u64::from_str_radix(start, 16).ok().filter(|start| start >> Self::MAX_BITS == 0)?;
        let node = Self { bits, value: start >> shift };
        (node.sort_key() == key).then_some(node)
    }
}

impl Ord for AnyNode {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.span().start(), self.bits).cmp(&(other.span().start(), other.bits))
    }
}

impl PartialOrd for AnyNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for AnyNode {
    type Err = ParseNodeError;

    fn from_str(text: &str) -> Result<Self, ParseNodeError> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(value, bits)| Some((number(value)?, number(bits)?)));
        let (value, bits) = numbers.ok_or(ParseNodeError::Form { len: text.len() })?;
        Ok(Self::new(value, bits)?)
    }
}

/// Parses a number of decimal digits without a sign.
fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

/// The value, a slash and the number of bits. Width and fill are honoured.
impl fmt::Display for AnyNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, |out| write!(out, "{}/{}", self.value, self.bits))
    }
}

impl fmt::Debug for AnyNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The reason a text is not an [`AnyNode`].
///
/// # Examples
/// ```
/// use tickid_core::{AnyNode, ParseNodeError};
///
/// let error = "300/8".parse::<AnyNode>().unwrap_err();
/// assert_eq!(error.to_string(), "node 300 is outside of 0..=255");
/// assert_eq!("300".parse::<AnyNode>(), Err(ParseNodeError::Form { len: 3 }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseNodeError {
    /// The text is not two numbers with a slash between them.
    #[error("a node is N/BITS, as in 42/8 (found {} without that form)", counted(*len, "byte"))]
    Form {
        /// The number of bytes of the text.
        len: usize,
    },
    /// The bits are above [`AnyNode::MAX_BITS`], or the value needs more bits than there are.
    #[error(transparent)]
    Range(#[from] RangeError),
}

crate::debug_error! {
    enum ParseNodeError { Form { len }, Range(error) }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use alloc::string::ToString as _;

    use super::*;

    fn node((value, bits): (u64, u32)) -> AnyNode {
        AnyNode::new(value, bits).unwrap()
    }

    #[test]
    fn only_prefixes_are_related() {
        let cases = [
            ((0, 0), (17, 5), true),
            ((5, 3), (5, 3), true),
            ((5, 3), (4, 3), false),
            ((5, 3), (40, 6), true),
            ((5, 3), (47, 6), true),
            ((5, 3), (48, 6), false),
            ((5, 3), (39, 6), false),
            ((u64::MAX >> 1, 63), (1, 1), true),
        ];
        for (one, other, is_related) in cases {
            let (one, other) = (node(one), node(other));
            assert_eq!(one.is_prefix_related(other), is_related, "{one} and {other}");
            assert_eq!(other.is_prefix_related(one), is_related, "{other} and {one}");
            let (a, b) = (one.span(), other.span());
            assert_eq!(a.contains(b.start()) || b.contains(a.start()), is_related);
        }
    }

    #[test]
    fn only_nodes_parse() {
        for (value, bits) in [(0, 0), (42, 8), (u64::MAX >> 1, 63)] {
            let one = node((value, bits));
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        for text in ["", "42", "42/", "/8", "+42/8", "42/8/8", "256/8", "0/64", "1/0", " 1/8"] {
            assert!(text.parse::<AnyNode>().is_err(), "{text}");
        }
        let error = "256/8".parse::<AnyNode>().unwrap_err();
        assert_eq!(error.to_string(), "node 256 is outside of 0..=255");
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn sort_keys_sort_as_nodes_do() {
        let nodes = [(0, 0), (0, 1), (0, 8), (127, 8), (1, 1), (128, 8), (256, 9), (1 << 62, 63)];
        let nodes = nodes.map(node);
        for (one, other) in nodes.iter().flat_map(|one| nodes.iter().map(move |two| (*one, *two))) {
            assert_eq!(one.sort_key().cmp(&other.sort_key()), one.cmp(&other), "{one}, {other}");
        }
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn only_sort_keys_are_nodes() {
        for one in [(0, 0), (0, 63), (42, 8), (127, 7), (1, 1), (u64::MAX >> 1, 63)].map(node) {
            assert_eq!(AnyNode::from_sort_key(&one.sort_key()), Some(one));
        }
        assert_eq!(node((42, 8)).sort_key(), "150000000000000008");
        for other in [
            "",
            "15000000000000000",
            "1500000000000000008",
            "150000000000000008 ",
            "150000000000000g08",
            "15000000000000000g",
            // The value has more bits than the length says, or than nodes have.
            "800000000000000008",
            "800000000000000000",
            // Some bits of the value are below the node's last.
            "150000000000000108",
            "000000000000000100",
            "000000000000000040",
            "0000000000000000ff",
            // Other ways to write the same number.
            "15000000000000000+8",
            "+50000000000000008",
            "1500000000000000+8",
            "3A000000000000000A",
            "3a000000000000000A",
            "150000000000000é8",
        ] {
            assert_eq!(AnyNode::from_sort_key(other), None, "{other}");
        }
    }
}
