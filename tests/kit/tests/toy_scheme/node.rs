//! The toy scheme's node.

use tickid_core::{NodeId, RangeError};

/// The desk that hands out tickets: any byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct Desk(u8);

impl Desk {
    pub(crate) const BITS: u32 = u8::BITS;

    pub(crate) const fn new(desk: u8) -> Self {
        Self(desk)
    }

    pub(crate) const fn get(self) -> u8 {
        self.0
    }

    /// The eight bits above the number of an ID.
    pub(crate) const fn from_low_bits(bits: u64) -> Self {
        Self(bits.to_le_bytes()[0])
    }
}

impl NodeId for Desk {
    fn bits(&self) -> u32 {
        Self::BITS
    }

    fn value(&self) -> u64 {
        self.0.into()
    }

    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError> {
        if bits != Self::BITS {
            return Err(RangeError::new("desk bits", bits.into(), 8, 8));
        }
        let desk = u8::try_from(value);
        desk.map(Self).map_err(|_| RangeError::new("desk", value.into(), 0, u8::MAX.into()))
    }
}
