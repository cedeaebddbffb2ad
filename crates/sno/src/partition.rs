//! The partition, which is the node.

use core::fmt;

/// A partition: 16 bits that distinguish generators. Every value is valid.
///
/// The original writes it as two bytes, most significant first; [`from_bytes`](Self::from_bytes)
/// and [`to_bytes`](Self::to_bytes) do so too.
///
/// # Examples
/// ```
/// use tickid_sno::Partition;
///
/// let partition = Partition::from_bytes([b'A', 10]);
/// assert_eq!(partition, Partition::new(0x41_0a));
/// assert_eq!(partition.to_string(), "16650");
/// ```
///
/// # Spec
/// sno, "Partitions".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Partition(u16);

impl Partition {
    /// Returns the partition with this number.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::new(258).get(), 258);
    /// ```
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// Returns the partition of these two bytes, most significant first.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::from_bytes([1, 2]).get(), 258);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 2]) -> Self {
        Self(u16::from_be_bytes(bytes))
    }

    /// Returns the two bytes, most significant first.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::Partition::new(258).to_bytes(), [1, 2]);
    /// ```
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 2] {
        self.0.to_be_bytes()
    }

    /// Returns a random partition, by the operating system's random numbers.
    ///
    /// Two generators with random partitions have the same one with a probability of 1 in 65,536,
    /// of a hundred generators some two with 7 in 100. IDs are unique only if no two generators
    /// that run at the same time have the same partition.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`](tickid_core::BuildError::Seed) if the operating system has no
    /// random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Generator, Partition};
    ///
    /// let generator = Generator::new(Partition::random()?)?;
    /// assert_eq!(generator.generate()?.partition(), generator.node());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn random() -> Result<Self, tickid_core::BuildError> {
        tickid_core::external::random_bytes().map(Self::from_bytes)
    }
}

tickid_core::impl_node_id!(Partition: "partition", u16::BITS);

/// The number, in decimal digits.
impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

tickid_core::impl_conversions! { Partition:
    from u16 = Partition::new;
    from [u8; 2] = Partition::from_bytes;
    into u16 = Partition::get;
    into [u8; 2] = Partition::to_bytes;
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn random_partitions_differ() {
        let partitions = [(); 8].map(|()| Partition::random().unwrap());
        // The chance of eight equal ones is 2^-112.
        assert_ne!(partitions, [partitions[0]; 8]);
    }
}
