//! The texts, numbers and times of an ID of any scheme.

use core::fmt;

use tickid_core::{RangeError, UnixTime};
use tickid_text::ParseError;

use super::{IdBytes, IdText, IdsVisitor};
use crate::error::ConvertError;
use crate::options::Settings;
use crate::parts::Parts;
use crate::schemes::SchemeId;
use crate::schemes::any_id::{AnyId, with_id};
use crate::schemes::kind::{Kind, with_type};
use crate::to_parts::ToParts;

impl AnyId {
    /// Reads the canonical text of a scheme's ID. Where the scheme is unknown, `tickid-detect`
    /// finds the likely ones.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID of the scheme.
    pub fn parse(kind: Kind, text: &[u8]) -> Result<Self, ParseError> {
        with_type!(kind, Id => Id::parse(text).map(Self::from))
    }

    /// Returns the ID whose bytes are this big-endian integer.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`Kind::max_number`].
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyId, Kind};
    ///
    /// let id = AnyId::from_u128(Kind::Scru64, 110_009_624_767_914_842)?;
    /// assert_eq!(id.to_string(), "0u375nxqh5cq");
    /// let error = AnyId::from_u128(Kind::Sno, 1 << 80).unwrap_err();
    /// assert!(error.to_string().starts_with("sno ID 1208925819614629174706176 is outside of"));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub fn from_u128(kind: Kind, number: u128) -> Result<Self, RangeError> {
        with_type!(kind, Id => Id::from_number(number).map(Self::from))
    }

    /// Returns the ID with these bytes, the highest first.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the number of bytes is not [`Kind::byte_len`], and for bytes
    /// above [`Kind::max_number`].
    pub fn from_bytes(kind: Kind, bytes: &[u8]) -> Result<Self, RangeError> {
        let len = kind.byte_len();
        if bytes.len() != len {
            let (found, len) = (i128::try_from(bytes.len()).unwrap_or(i128::MAX), len as i128);
            return Err(RangeError::new("number of bytes", found, len, len));
        }
        let number = bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte));
        Self::from_u128(kind, number)
    }

    /// Returns the canonical text.
    #[must_use]
    pub fn text(self) -> IdText {
        with_id!(self, id => id.encode().widen())
    }

    /// Calls a function that is generic over the ID types with this ID.
    pub fn visit<T: IdsVisitor>(self, visitor: T) -> T::Output {
        with_id!(self, id => visitor.visit(core::iter::once(id)))
    }

    /// Returns the bytes, the highest first.
    #[must_use]
    pub fn bytes(self) -> IdBytes {
        with_id!(self, id => IdBytes::new(SchemeId::bytes(id).as_ref()))
    }

    /// Returns the bytes as a big-endian integer with the scheme's number of
    /// [bytes](Kind::byte_len). It does not include the scheme, so keep that beside it.
    ///
    /// The integers of UUIDs from [`carry`](crate::carry) include it.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::AnyId;
    /// use tickid_sno::SnoId;
    ///
    /// let id = SnoId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
    /// assert_eq!(AnyId::from(id).to_u128(), 258);
    /// ```
    #[must_use]
    pub fn to_u128(self) -> u128 {
        with_id!(self, id => id.number())
    }

    /// Returns the start of the ID's tick. Even a kuid whose fields are not a valid time has one,
    /// although it has no [`parts`](ToParts::parts).
    #[must_use]
    pub fn unix_time(self, settings: &Settings) -> UnixTime {
        with_id!(self, id => SchemeId::unix_time(id, settings))
    }
}

impl ToParts for AnyId {
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        with_id!(self, id => id.parts(settings))
    }
}

/// Writes the scheme's canonical text.
impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_id!(self, id => id.fmt(f))
    }
}
