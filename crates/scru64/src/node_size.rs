//! The number of bits that a node takes.

use tickid_core::RangeError;

/// The number of bits of the node ID and the counter together.
pub(crate) const NODE_CTR_BITS: u32 = 24;

/// The number of bits of the node ID, 1 to 23 of the 24 that it shares with the counter.
///
/// Each further bit doubles the number of nodes and halves the IDs of a tick. For example, 8 bits
/// give 256 nodes with 65,536 IDs per tick each, and 23 bits give 8,388,608 nodes with two. Sizes
/// can be mixed in a realm if no node is a prefix of a different one. For example, `0/1` and `1/2`
/// cannot be mixed, because `1/2` is the upper half of `0/1`.
///
/// # Examples
/// ```
/// use tickid_scru64::NodeIdSize;
///
/// let size = NodeIdSize::new(8)?;
/// assert_eq!((size.max_node_id(), size.counter_bits(), size.max_counter()), (255, 16, 65_535));
/// assert!(NodeIdSize::new(24).is_err()); // nothing would be left to the counter
/// # Ok::<(), tickid_scru64::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIdSize(u8);

impl NodeIdSize {
    /// One bit, which is enough for two nodes.
    pub const MIN: Self = Self(1);
    /// 23 bits, which leave one bit to the counter, so that there are only two IDs per tick.
    pub const MAX: Self = Self(23);

    /// Returns a size of `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] outside of 1..=23.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::NodeIdSize;
    ///
    /// assert_eq!(NodeIdSize::new(8)?.get(), 8);
    /// assert!(NodeIdSize::new(24).is_err()); // no bit would be left for the counter
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub const fn new(bits: u8) -> Result<Self, RangeError> {
        if Self::MIN.0 <= bits && bits <= Self::MAX.0 {
            Ok(Self(bits))
        } else {
            let (min, max) = (Self::MIN.0 as i128, Self::MAX.0 as i128);
            Err(RangeError::new("node ID size in bits", bits as i128, min, max))
        }
    }

    /// Returns the number of bits.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the number of bits of the counter.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::NodeIdSize::new(8)?.counter_bits(), 16);
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn counter_bits(self) -> u32 {
        NODE_CTR_BITS - self.0 as u32
    }

    /// Returns the highest counter.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::NodeIdSize::new(8)?.max_counter(), 65_535);
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn max_counter(self) -> u32 {
        (1 << self.counter_bits()) - 1
    }

    /// Returns the highest node ID.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::NodeIdSize::new(8)?.max_node_id(), 255);
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn max_node_id(self) -> u32 {
        (1 << self.0) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Scru64Id;
    use crate::node::NodeSpec;

    #[test]
    fn every_size_splits_24_bits() {
        for bits in 1..=23 {
            let size = NodeIdSize::new(bits).unwrap();
            assert_eq!(u32::from(bits) + size.counter_bits(), 24);
            let highest = NodeSpec::with_node_id(size.max_node_id(), size).unwrap();
            assert_eq!(highest.node_part() | size.max_counter(), Scru64Id::MAX_NODE_CTR);
            assert!(NodeSpec::with_node_id(size.max_node_id() + 1, size).is_err());
        }
        for bits in [0, 24, 255] {
            assert_eq!(NodeIdSize::new(bits).unwrap_err().value(), i128::from(bits));
        }
    }
}
