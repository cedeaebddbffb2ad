//! A node: a number and its size in bits.

use core::cmp::Ordering;
use core::fmt;
use core::ops::RangeInclusive;

use tickid_core::{NodeId, RangeError};

/// A node ID of any scheme, as stores keep it: a value of a number of bits.
///
/// Its text is the value, a slash and the bits, as in `42/8`. Nodes sort by their bits from the
/// most significant one on, a prefix before the nodes that start with it.
///
/// # Examples
/// ```
/// use tickid_lease::Node;
/// use tickid_sno::Partition;
///
/// let node = Node::new(42, 8)?;
/// assert_eq!((node.to_string(), "42/8".parse()), ("42/8".to_owned(), Ok(node)));
/// assert_eq!(Node::of(&Partition::new(258))?.to_string(), "258/16");
/// assert!(Node::new(256, 8).is_err());
///
/// let (hot, cold): (Node, Node) = ("2/2".parse()?, "42/6".parse()?);
/// assert!(hot.is_prefix_related(cold)); // 101010 starts with 10
/// assert!(!hot.is_prefix_related("63/6".parse()?));
/// assert!(hot.sort_key() < cold.sort_key());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    bits: u32,
    value: u64,
}

impl Node {
    /// The largest number of bits of a node.
    pub const MAX_BITS: u32 = 63;
    /// The empty node, of IDs that carry none (kuid's local ones).
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
    /// As [`new`](Self::new).
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

    /// Reports whether one node is a prefix of the other, so that their IDs could be equal.
    #[must_use]
    pub const fn is_prefix_related(self, other: Self) -> bool {
        let (short, long) = if self.bits <= other.bits { (self, other) } else { (other, self) };
        long.value >> (long.bits - short.bits) == short.value
    }

    /// Returns the values of 63 bits that start with this node.
    pub(crate) const fn span(self) -> RangeInclusive<u64> {
        let shift = Self::MAX_BITS - self.bits;
        self.value << shift..=((self.value + 1) << shift) - 1
    }

    /// Returns the nodes that are a prefix of this one, shorter ones first.
    pub(crate) fn prefixes(self) -> impl Iterator<Item = Self> {
        (0..self.bits).map(move |bits| Self { bits, value: self.value >> (self.bits - bits) })
    }

    /// Returns a text of 18 hexadecimal digits that sorts as the node does: for keys and indexes.
    #[must_use]
    pub fn sort_key(self) -> String {
        format!("{:016x}{:02x}", self.span().start(), self.bits)
    }

    /// Parses a text of [`sort_key`](Self::sort_key). Any other text is `None`.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::Node;
    ///
    /// let node = Node::new(42, 8)?;
    /// assert_eq!(Node::from_sort_key(&node.sort_key()), Some(node));
    /// assert_eq!(Node::from_sort_key("42/8"), None);
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
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

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.span().start(), self.bits).cmp(&(other.span().start(), other.bits))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.value, self.bits)
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node((value, bits): (u64, u32)) -> Node {
        Node::new(value, bits).unwrap()
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
    fn sort_keys_sort_as_nodes_do() {
        let nodes = [(0, 0), (0, 1), (0, 8), (127, 8), (1, 1), (128, 8), (256, 9), (1 << 62, 63)];
        let nodes = nodes.map(node);
        for (one, other) in nodes.iter().flat_map(|one| nodes.iter().map(move |two| (*one, *two))) {
            assert_eq!(one.sort_key().cmp(&other.sort_key()), one.cmp(&other), "{one}, {other}");
        }
    }
}
