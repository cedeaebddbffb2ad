use core::cmp::Ordering;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use tickid_core::{NodeId, RangeError};

/// A node as stores keep it: a value in so many bits, of any scheme.
///
/// Its text is the value, a slash and the bits, as in `42/8`. Nodes sort by where their values stand
/// when all are written from the most significant bit on, shorter ones first.
///
/// # Examples
/// ```
/// use tickid_lease::Node;
///
/// let (hot, cold): (Node, Node) = ("2/2".parse()?, "42/6".parse()?);
/// assert!(hot.is_prefix_related(cold)); // 10 begins 101010
/// assert!(!hot.is_prefix_related("63/6".parse()?));
/// # Ok::<(), tickid_lease::NodeTextError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    bits: u32,
    value: u64,
}

impl Node {
    /// The most bits a node can have.
    pub const MAX_BITS: u32 = 63;
    /// The node of IDs that have none (kuid's local ones): no bits at all.
    pub const NONE: Self = Self { bits: 0, value: 0 };

    /// The node `value` in `bits` bits.
    ///
    /// # Errors
    /// [`RangeError`] for more than [`MAX_BITS`](Self::MAX_BITS) and for a value that needs more bits.
    pub const fn new(bits: u32, value: u64) -> Result<Self, RangeError> {
        if bits > Self::MAX_BITS {
            return Err(RangeError::new("node bits", bits as i128, 0, Self::MAX_BITS as i128));
        }
        let max = (1 << bits) - 1;
        if value > max {
            return Err(RangeError::new("node", value as i128, 0, max as i128));
        }
        Ok(Self { bits, value })
    }

    /// A scheme's node.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(node: &impl NodeId) -> Result<Self, RangeError> {
        Self::new(node.bits(), node.value())
    }

    /// How many bits it has.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Its value.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// Whether one of the two begins with the other, or is the other: then their IDs can be equal.
    #[must_use]
    pub const fn is_prefix_related(self, other: Self) -> bool {
        let (short, long) = if self.bits <= other.bits { (self, other) } else { (other, self) };
        long.value >> (long.bits - short.bits) == short.value
    }

    /// Where the node stands on a line of 2^63 places: its own place and those of all that begin
    /// with it.
    pub(crate) const fn span(self) -> RangeInclusive<u64> {
        let shift = Self::MAX_BITS - self.bits;
        self.value << shift..=((self.value + 1) << shift) - 1
    }

    /// The node of `bits` bits that this one begins with; itself for no fewer bits than it has.
    pub(crate) const fn prefix(self, bits: u32) -> Self {
        if bits < self.bits { Self { bits, value: self.value >> (self.bits - bits) } } else { self }
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

/// Why a text is no node and no pool of nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTextError {
    /// It has not the form.
    #[error("{text:?} is not of the form {form}")]
    Form {
        /// The text.
        text: String,
        /// What it should look like.
        form: &'static str,
    },
    /// A number is out of range.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The nodes make no pool.
    #[error(transparent)]
    Pool(#[from] crate::pool::PoolError),
}

/// The number that `text` spells in decimal digits, and nothing else.
pub(crate) fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

impl FromStr for Node {
    type Err = NodeTextError;

    fn from_str(text: &str) -> Result<Self, NodeTextError> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(value, bits)| Some((number(bits)?, number(value)?)));
        let (bits, value) = numbers.ok_or_else(|| NodeTextError::Form {
            text: text.to_owned(),
            form: "VALUE/BITS, as in 42/8",
        })?;
        Ok(Self::new(bits, value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(bits: u32, value: u64) -> Node {
        Node::new(bits, value).unwrap()
    }

    #[test]
    fn prefixes_are_related_and_nothing_else_is() {
        let cases = [
            ((0, 0), (5, 17), true),
            ((3, 5), (3, 5), true),
            ((3, 5), (3, 4), false),
            ((3, 5), (6, 40), true),
            ((3, 5), (6, 47), true),
            ((3, 5), (6, 48), false),
            ((3, 5), (6, 39), false),
            ((63, u64::MAX >> 1), (1, 1), true),
        ];
        for ((bits, value), (other_bits, other), is_related) in cases {
            let (one, other) = (node(bits, value), node(other_bits, other));
            assert_eq!(one.is_prefix_related(other), is_related, "{one} and {other}");
            assert_eq!(other.is_prefix_related(one), is_related, "{other} and {one}");
            let (a, b) = (one.span(), other.span());
            assert_eq!(a.contains(b.start()) || b.contains(a.start()), is_related);
        }
    }

    #[test]
    fn text_comes_back_and_nothing_else_goes_in() {
        for one in [node(0, 0), node(8, 42), node(63, u64::MAX >> 1)] {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        for text in ["", "42", "42/", "/8", "+42/8", "42/8/8", "256/8", "0/64", "1/0", " 1/8"] {
            assert!(text.parse::<Node>().is_err(), "{text}");
        }
        let error = "256/8".parse::<Node>().unwrap_err();
        assert_eq!(error.to_string(), "node 256 is outside of 0..=255");
    }
}
