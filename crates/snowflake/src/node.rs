//! The node: a number and its width.

use core::fmt;

use tickid_core::{NodeId, RangeError, pad};

/// The most bits of a node.
pub(crate) const MAX_BITS: u32 = 22;

/// The node that distinguishes generators, as a number and the bits that it takes in an ID.
///
/// No two generators of a system may have the same one at the same time, because they would issue
/// the same IDs. The layout sets the number of bits, and a generator whose layout has a different
/// number refuses the node. That catches, for example, a node that was configured for a different
/// system.
///
/// One may have it after another, but must not start before its clock is [past the other's last
/// ID][after].
///
/// [after]: https://example.org/tickid/blob/main/docs/choosing.md#one-process-after-another
///
/// # Examples
/// ```
/// use tickid_snowflake::{Node, Snowflake};
///
/// let node = Node::new(3, 10)?;
/// assert_eq!(Snowflake::TWITTER.node(3)?, node);
/// assert_eq!(node.to_string(), "3/10");
/// # Ok::<(), tickid_snowflake::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    bits: u8,
    value: u32,
}

impl Node {
    /// Returns the node with the number `value` in a layout whose nodes have `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for more bits than [a layout has](crate::Snowflake::MAX_NODE_BITS),
    /// and for a number that does not fit them.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Node;
    ///
    /// assert_eq!(Node::new(1_023, 10)?.get(), 1_023);
    /// assert!(Node::new(1_024, 10).is_err() && Node::new(0, 23).is_err());
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub const fn new(value: u32, bits: u32) -> Result<Self, RangeError> {
        if bits > MAX_BITS {
            return Err(RangeError::new("node bits", bits as i128, 0, MAX_BITS as i128));
        }
        let max = (1 << bits) - 1;
        if value > max {
            return Err(RangeError::new("node", value as i128, 0, max as i128));
        }
        Ok(Self::in_range(value, bits))
    }

    /// Returns a node whose caller has checked the value and the bits.
    #[allow(clippy::cast_possible_truncation, reason = "22 at most")]
    pub(crate) const fn in_range(value: u32, bits: u32) -> Self {
        Self { bits: bits as u8, value }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.value
    }

    /// Returns the number of bits that the node takes in an ID.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits as u32
    }
}

impl NodeId for Node {
    fn bits(&self) -> u32 {
        self.bits.into()
    }

    fn value(&self) -> u64 {
        self.value.into()
    }

    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError> {
        // A number above 32 bits is outside of any range.
        let number = u32::try_from(value).unwrap_or(u32::MAX);
        Self::new(number, bits).map_err(|error| match error.what() {
            "node" => RangeError::new("node", value.into(), error.min(), error.max()),
            _ => error,
        })
    }
}

/// Writes the number and the bits, for example `3/10`. Width and fill are honoured.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pad(f, |out| write!(out, "{}/{}", self.value, self.bits))
    }
}
