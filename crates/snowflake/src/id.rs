//! The ID, which is 64 bits, and its texts. The meaning of the bits is in `layout.rs`.

use tickid_text::form::{Characters, Facts, FormOf};
use tickid_text::{ParseError, ParseErrorKind, Text, crockford, decimal};

/// A Snowflake of 64 bits, whose meaning depends on a [layout](crate::Snowflake).
///
/// IDs of one layout order by time, and their integers, bytes and [Crockford
/// text](Self::encode_crockford) sort in the same order. Decimal, which is the canonical text, does
/// **not** sort, because it has no fixed length. For example, 9 comes after 10 as text.
///
/// Every integer is an ID. An ID does not contain its layout, so the time, the node and the
/// sequence are read by methods of the layout, for example
/// [`Snowflake::unix_time`](crate::Snowflake::unix_time). As a signed integer, and so in a `BIGINT`
/// column, an ID has the same bits. IDs of 64 bits are therefore negative there once the highest
/// bit is set, and sort before the others.
///
/// # Examples
/// ```
/// use tickid_snowflake::{Snowflake, SnowflakeId};
///
/// let id: SnowflakeId = "175928847299117063".parse()?;
/// assert_eq!(Snowflake::DISCORD.unix_time(id).to_string(), "2016-04-30T11:18:25.796Z");
/// assert_eq!(id.encode_crockford(), "04W86BB0G4007");
/// assert_eq!(format!("{id:#x}"), "0x271065ac1020007");
/// # Ok::<(), tickid_snowflake::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct SnowflakeId(u64);

impl SnowflakeId {
    /// The lowest value, 0.
    pub const MIN: Self = Self(0);
    /// The highest value, 2^64 - 1.
    pub const MAX: Self = Self(u64::MAX);
    /// The length of the longest decimal text.
    pub const TEXT_LEN: usize = 20;
    /// The length of the Crockford text.
    pub const CROCKFORD_LEN: usize = crockford::LEN;
    /// The text forms, of which there is one. TSIDs' Crockford text is not among them, because no
    /// other Snowflakes are written so.
    pub const FORMS: &'static [FormOf<Self>] = &[FormOf {
        form: Facts {
            name: "decimal",
            title: "Snowflake",
            features: "a decimal integer of up to 64 bits",
            characters: Characters::DECIMAL,
            lens: (1, Self::TEXT_LEN),
            is_integer: true,
            sorts: false,
        },
        parse: Self::parse_bytes,
        write: |id| id.encode().widen(),
    }];

    /// Returns the ID with this integer value.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::SnowflakeId;
    ///
    /// const ID: SnowflakeId = SnowflakeId::new(36);
    /// assert_eq!(ID.to_string(), "36");
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// Parses a decimal number without sign or leading zeros (except `0` itself).
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other text and for numbers above 2^64 - 1.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::SnowflakeId;
    ///
    /// assert_eq!(SnowflakeId::parse_bytes(b"36")?.get(), 36);
    /// assert!(SnowflakeId::parse_bytes(b"036").is_err());
    /// # Ok::<(), tickid_snowflake::ParseError>(())
    /// ```
    #[inline]
    pub const fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
        Self::decoded("Snowflake", decimal::decode(text, u64::MAX))
    }

    /// Parses 13 characters of Crockford's Base32, in either case, as TSIDs are written. `I` and
    /// `L` are read as `1`, and `O` as `0`.
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other length or character, and for numbers above 2^64 - 1,
    /// which start with `G` or higher.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::SnowflakeId;
    ///
    /// let id = SnowflakeId::parse_crockford(b"04w86bb0g4007")?;
    /// assert_eq!(id.get(), 175_928_847_299_117_063);
    /// assert!(SnowflakeId::parse_crockford(b"G000000000000").is_err());
    /// # Ok::<(), tickid_snowflake::ParseError>(())
    /// ```
    pub const fn parse_crockford(text: &[u8]) -> Result<Self, ParseError> {
        Self::decoded("Snowflake in Crockford's Base32", crockford::decode(text))
    }

    #[inline]
    const fn decoded(
        what: &'static str,
        decoded: Result<u64, ParseErrorKind>,
    ) -> Result<Self, ParseError> {
        match decoded {
            Ok(value) => Ok(Self(value)),
            Err(kind) => Err(ParseError::new(what, kind)),
        }
    }

    /// Returns the canonical text, which is 1 to 20 decimal digits. They do not sort as the IDs do,
    /// because their number varies.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_snowflake::SnowflakeId::MAX.encode(), "18446744073709551615");
    /// ```
    #[inline]
    #[must_use]
    pub const fn encode(self) -> Text<{ Self::TEXT_LEN }> {
        decimal::encode(self.0)
    }

    /// Returns 13 characters of Crockford's Base32, as TSIDs are written. They sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::SnowflakeId;
    ///
    /// assert_eq!(SnowflakeId::new(36).encode_crockford(), "0000000000014");
    /// assert_eq!(SnowflakeId::MAX.encode_crockford(), "FZZZZZZZZZZZZ");
    /// ```
    #[inline]
    #[must_use]
    pub const fn encode_crockford(self) -> Text<{ Self::CROCKFORD_LEN }> {
        crockford::encode(self.0)
    }

    /// Returns the integer value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the integer in 8 bytes, big-endian, which sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_snowflake::SnowflakeId::new(258);
    /// assert_eq!(id.to_be_bytes(), [0, 0, 0, 0, 0, 0, 1, 2]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the ID with these 8 big-endian bytes.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::SnowflakeId;
    ///
    /// assert_eq!(SnowflakeId::from_be_bytes([0, 0, 0, 0, 0, 0, 1, 2]).get(), 258);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_be_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }
}

tickid_text::impl_text!(SnowflakeId);

tickid_core::impl_conversions! { SnowflakeId:
    from u64 = SnowflakeId::new;
    /// Returns the ID with the same bits, so that a signed column can hold IDs of 64 bits.
    from i64 = |bits: i64| SnowflakeId(bits.cast_unsigned());
    from [u8; 8] = SnowflakeId::from_be_bytes;
    into u64 = SnowflakeId::get;
    /// Returns the same bits, which are negative if the highest is set.
    into i64 = |id: SnowflakeId| id.0.cast_signed();
    into [u8; 8] = SnowflakeId::to_be_bytes;
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<SnowflakeId>(), 8);
    }

    #[test]
    fn signed_integers_have_the_same_bits() {
        for (id, signed) in [(0, 0), (1 << 63, i64::MIN), (u64::MAX, -1)] {
            assert_eq!(i64::from(SnowflakeId::new(id)), signed);
            assert_eq!(SnowflakeId::from(signed).get(), id);
        }
    }

    #[test]
    fn parse_errors_name_the_place() {
        let cases = [
            ("", "not a Snowflake: 0 bytes long, not 1 to 20"),
            ("07", "not a Snowflake: '0' at position 0 is none of 1-9 (no leading zeros)"),
            (
                "18446744073709551616",
                "the number 18446744073709551616 is above 18446744073709551615",
            ),
        ];
        for (text, expected) in cases {
            let message = SnowflakeId::parse_bytes(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
