//! The toy scheme's ID.

use tickid_core::{Field, RangeError, Slot};
use tickid_text::{ParseError, ParseErrorKind, Text, base36};

use crate::node::Desk;
use crate::scheme::Ticket;

/// A ticket: 40 bits of hundredths of a second, 8 bits of desk, 15 bits of number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(crate) struct TicketId(u64);

const _: () = assert!(TicketId::TIME_BITS + Desk::BITS + TicketId::NUMBER_BITS == 63);

impl TicketId {
    pub(crate) const MIN: Self = Self(0);
    pub(crate) const MAX: Self = Self(u64::MAX >> 1);
    pub(crate) const TIME_BITS: u32 = 40;
    pub(crate) const NUMBER_BITS: u32 = 15;
    pub(crate) const MAX_TIME: u64 = (1 << Self::TIME_BITS) - 1;
    pub(crate) const MAX_NUMBER: u32 = (1 << Self::NUMBER_BITS) - 1;
    pub(crate) const TEXT_LEN: usize = 13;
    /// The fields that the bits consist of, the highest first.
    pub(crate) const FIELDS: [Field; 4] = Field::row([
        ("unused", 1, "always 0"),
        ("time", Self::TIME_BITS, "hundredths of a second since the epoch"),
        ("desk", Desk::BITS, "distinguishes generators"),
        ("number", Self::NUMBER_BITS, "distinguishes the tickets of a tick"),
    ]);

    /// Returns the ID with this integer value.
    pub(crate) const fn new(value: u64) -> Result<Self, RangeError> {
        if value <= Self::MAX.0 {
            Ok(Self(value))
        } else {
            Err(RangeError::new("ticket", value as i128, 0, Self::MAX.0 as i128))
        }
    }

    /// Returns the ID of a time since the epoch, a desk and a number.
    pub(crate) fn from_parts(time: u64, desk: Desk, number: u32) -> Result<Self, RangeError> {
        for (what, value, max) in [
            ("ticket time", time, Self::MAX_TIME),
            ("ticket number", number.into(), Self::MAX_NUMBER.into()),
        ] {
            if value > max {
                return Err(RangeError::new(what, value.into(), 0, max.into()));
            }
        }
        Ok(Self::assemble(time, desk, number))
    }

    pub(crate) fn from_slot(slot: Slot<Ticket>) -> Self {
        Self(slot.low())
    }

    /// Returns the ID of parts that are in range.
    pub(crate) fn assemble(time: u64, desk: Desk, number: u32) -> Self {
        let desk = time << Desk::BITS | u64::from(desk.get());
        Self(desk << Self::NUMBER_BITS | u64::from(number))
    }

    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    pub(crate) fn time(self) -> u64 {
        self.0 >> (Desk::BITS + Self::NUMBER_BITS)
    }

    pub(crate) fn desk(self) -> Desk {
        Desk::from_low_bits(self.0 >> Self::NUMBER_BITS)
    }

    pub(crate) fn number(self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "masked to 15 bits")]
        {
            self.0 as u32 & Self::MAX_NUMBER
        }
    }

    /// Returns the canonical text: 13 digits of Base36 in lower case.
    pub(crate) fn encode(self) -> Text<{ Self::TEXT_LEN }> {
        base36::encode_padded(self.0)
    }

    /// Reads 13 digits of Base36 in either case.
    pub(crate) const fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
        let decoded = match text.len() {
            Self::TEXT_LEN => base36::decode(text, Self::MAX.0),
            found => {
                let (min, max) = (Self::TEXT_LEN, Self::TEXT_LEN);
                Err(ParseErrorKind::Length { found, min, max })
            }
        };
        match decoded {
            Ok(value) => Ok(Self(value)),
            Err(kind) => Err(ParseError::new("ticket", kind)),
        }
    }
}

tickid_text::impl_text!(TicketId);

impl TryFrom<u64> for TicketId {
    type Error = RangeError;

    fn try_from(value: u64) -> Result<Self, RangeError> {
        Self::new(value)
    }
}

/// A column's signed integer.
impl TryFrom<i64> for TicketId {
    type Error = RangeError;

    fn try_from(value: i64) -> Result<Self, RangeError> {
        let unsigned = u64::try_from(value).ok();
        let error = || RangeError::new("ticket", value.into(), 0, Self::MAX.0.into());
        unsigned.map(Self).ok_or_else(error)
    }
}

impl TryFrom<[u8; 8]> for TicketId {
    type Error = RangeError;

    fn try_from(bytes: [u8; 8]) -> Result<Self, RangeError> {
        Self::new(u64::from_be_bytes(bytes))
    }
}

impl From<TicketId> for u64 {
    fn from(id: TicketId) -> Self {
        id.0
    }
}

impl From<TicketId> for i64 {
    fn from(id: TicketId) -> Self {
        id.0.cast_signed()
    }
}

impl From<TicketId> for [u8; 8] {
    fn from(id: TicketId) -> Self {
        id.0.to_be_bytes()
    }
}
