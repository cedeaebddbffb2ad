//! The ID: its bits, its integer and its texts.

use tickid_core::{Field, RangeError};
use tickid_text::form::{Characters, Facts, FormOf};
use tickid_text::{ParseError, ParseErrorKind, Text, base36, decimal};

use crate::node::GeneratorId;

/// The digits that can start an unpadded text of more than one digit.
const EXPECTED_FIRST: &str = "1-9, a-z, A-Z (zeros lead only in the form of 13 digits)";

/// The name in messages.
const WHAT: &str = "Nanoflake ID";

/// A Nanoflake ID, which is a signed 64-bit integer that is not negative.
///
/// IDs order by time, then by generator and sequence. Their integers, bytes and [padded
/// text](Self::encode_padded) sort in the same order. Unpadded Base36, which is the canonical text,
/// and decimal do **not**, because they have no fixed length. For example, the ID `z` (35) is below
/// the ID `10` (36), but as text it comes after it.
///
/// An ID does not contain its epoch, so its time is computed by
/// [`Nanoflake::unix_time`](crate::Nanoflake::unix_time), and not by a method of the ID.
///
/// # Examples
/// ```
/// use tickid_nanoflake::NanoflakeId;
///
/// let id: NanoflakeId = "bppc0m3ju134".parse()?;
/// assert_eq!(i64::from(id), 1_541_815_603_606_036_480);
/// assert_eq!(id.timestamp(), 367_597_485_448);
/// assert_eq!(id.generator().get(), 378);
/// assert_eq!(id.sequence(), 0);
/// assert_eq!(id.encode_padded(), "0bppc0m3ju134");
/// assert_eq!(id.encode_decimal(), "1541815603606036480");
/// # Ok::<(), tickid_nanoflake::ParseError>(())
/// ```
///
/// # Spec
/// Nanoflakes, "A Nanoflake" and "Encoding of Nanoflakes".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct NanoflakeId(i64);

const _: () = assert!(
    NanoflakeId::TIMESTAMP_BITS + GeneratorId::BITS + NanoflakeId::SEQUENCE_BITS == 63,
    "the fields must fill all bits but the sign"
);

impl NanoflakeId {
    /// The lowest value, 0.
    pub const MIN: Self = Self(0);
    /// The highest value, 2^63 - 1.
    pub const MAX: Self = Self(i64::MAX);
    /// The number of bits of the timestamp.
    pub const TIMESTAMP_BITS: u32 = 41;
    /// The number of bits of the sequence.
    pub const SEQUENCE_BITS: u32 = 12;
    /// The last timestamp that fits, in milliseconds since the epoch.
    pub const MAX_TIMESTAMP: u64 = (1 << Self::TIMESTAMP_BITS) - 1;
    /// The highest sequence, 4095.
    pub const MAX_SEQUENCE: u16 = (1 << Self::SEQUENCE_BITS) - 1;
    /// The length of the padded text, and of the longest unpadded one.
    pub const TEXT_LEN: usize = 13;
    /// The text forms, the canonical one first.
    pub const FORMS: &'static [FormOf<Self>] = &[
        FormOf {
            form: Facts {
                name: "base36",
                title: "Nanoflake in Base36",
                features: "up to 13 digits of Base36",
                characters: Characters::BASE36,
                lens: (1, Self::TEXT_LEN),
                is_integer: false,
                sorts: false,
            },
            parse: Self::parse_bytes,
            write: |id| id.encode().widen(),
        },
        FormOf {
            form: Facts {
                name: "decimal",
                title: "Nanoflake in decimal",
                features: "a decimal integer of up to 63 bits",
                characters: Characters::DECIMAL,
                lens: (1, 19),
                is_integer: true,
                sorts: false,
            },
            parse: Self::parse_decimal,
            write: |id| id.encode_decimal().widen(),
        },
    ];
    /// The fields that the bits consist of, the highest first.
    pub const FIELDS: [Field; 6] = [
        Field::new("unused", 0, 1, "always 0"),
        Field::new("timestamp", 1, Self::TIMESTAMP_BITS, "ms since the epoch"),
        Field::new("generator", 42, GeneratorId::BITS, "distinguishes generators").divided(),
        Field::new("datacenter", 42, 5, "the high half of the generator ID"),
        Field::new("worker", 47, 5, "the low half of the generator ID"),
        Field::new("sequence", 52, Self::SEQUENCE_BITS, "distinguishes the IDs of a tick"),
    ];

    /// The position of the timestamp's lowest bit.
    const TIMESTAMP_SHIFT: u32 = GeneratorId::BITS + Self::SEQUENCE_BITS;

    /// Returns the ID with this integer value.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a negative value.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// assert_eq!(NanoflakeId::new(36)?.to_string(), "10");
    /// assert!(NanoflakeId::new(-1).is_err());
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn new(value: i64) -> Result<Self, RangeError> {
        if value >= 0 { Ok(Self(value)) } else { Err(Self::out_of_range(value as i128)) }
    }

    fn from_unsigned(value: u64) -> Result<Self, RangeError> {
        i64::try_from(value).map(Self).map_err(|_| Self::out_of_range(value.into()))
    }

    #[cold]
    const fn out_of_range(value: i128) -> RangeError {
        RangeError::new("Nanoflake integer", value, 0, i64::MAX as i128)
    }

    /// Returns the ID of a timestamp (milliseconds since the epoch), a generator and a sequence.
    ///
    /// Use it to rebuild an ID from parts that were stored. New IDs come from a
    /// [`Generator`](crate::Generator), because this function cannot know which parts were used
    /// before.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`MAX_TIMESTAMP`](Self::MAX_TIMESTAMP) or
    /// [`MAX_SEQUENCE`](Self::MAX_SEQUENCE).
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{GeneratorId, NanoflakeId};
    ///
    /// let id = NanoflakeId::from_parts(41_944_705_796, GeneratorId::new(32)?, 7)?;
    /// assert_eq!(id.get(), 175_928_847_299_117_063);
    /// let error = NanoflakeId::from_parts(0, GeneratorId::MIN, 4_096).unwrap_err();
    /// assert_eq!(error.to_string(), "Nanoflake sequence 4096 is outside of 0..=4095");
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn from_parts(
        timestamp: u64,
        generator: GeneratorId,
        sequence: u16,
    ) -> Result<Self, RangeError> {
        if timestamp > Self::MAX_TIMESTAMP {
            let (value, max) = (timestamp as i128, Self::MAX_TIMESTAMP as i128);
            Err(RangeError::new("Nanoflake timestamp", value, 0, max))
        } else if sequence > Self::MAX_SEQUENCE {
            let (value, max) = (sequence as i128, Self::MAX_SEQUENCE as i128);
            Err(RangeError::new("Nanoflake sequence", value, 0, max))
        } else {
            Ok(Self::assemble(timestamp, generator, sequence as u32))
        }
    }

    /// Returns the ID of an integer that is in range.
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        debug_assert!(bits <= Self::MAX.0.cast_unsigned());
        Self(bits.cast_signed())
    }

    /// Builds an ID from parts that are in range.
    #[inline]
    pub(crate) const fn assemble(timestamp: u64, generator: GeneratorId, sequence: u32) -> Self {
        debug_assert!(timestamp <= Self::MAX_TIMESTAMP && sequence <= Self::MAX_SEQUENCE as u32);
        let value = timestamp << Self::TIMESTAMP_SHIFT
            | (generator.get() as u64) << Self::SEQUENCE_BITS
            | sequence as u64;
        Self(value.cast_signed())
    }

    /// Parses Base36 in either case. There are two forms:
    ///
    /// - *unpadded*, the canonical one, which is 1 to 13 digits without a leading `0`, or `0`
    ///   alone;
    /// - *padded*, which is exactly 13 digits.
    ///
    /// Any other text is an error, for example one with a sign, white space, a digit outside ASCII,
    /// or a single leading zero. For decimal see [`parse_decimal`](Self::parse_decimal).
    ///
    /// # Errors
    /// Returns the first of these that applies: [`ParseErrorKind::Length`] for no digit or more
    /// than 13, [`ParseErrorKind::Character`] for a leading zero or the first byte that is not a
    /// digit, [`ParseErrorKind::TooLarge`] above 2^63 - 1.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let id = NanoflakeId::parse_bytes(b"10")?;
    /// assert_eq!(id.get(), 36);
    /// assert_eq!(NanoflakeId::parse_bytes(b"0000000000010")?, id); // padded
    /// assert!(NanoflakeId::parse_bytes(b"010").is_err()); // neither form
    /// # Ok::<(), tickid_nanoflake::ParseError>(())
    /// ```
    #[inline]
    pub fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
        let shape = Self::check_shape(text);
        let decoded = shape.and_then(|()| base36::parse(text, Self::MAX.0.cast_unsigned()));
        Self::decoded(WHAT, decoded)
    }

    /// Parses text in a constant. At run time use [`parse_bytes`](Self::parse_bytes), which is
    /// faster and otherwise the same. For a literal there is [`nanoflake!`](crate::nanoflake),
    /// which does not compile if the literal is not an ID.
    ///
    /// # Errors
    /// As [`parse_bytes`](Self::parse_bytes).
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::{NanoflakeId, ParseError};
    ///
    /// const ID: Result<NanoflakeId, ParseError> = NanoflakeId::parse_const(b"10");
    /// assert_eq!(ID?.get(), 36);
    /// # Ok::<(), ParseError>(())
    /// ```
    pub const fn parse_const(text: &[u8]) -> Result<Self, ParseError> {
        let decoded = match Self::check_shape(text) {
            Ok(()) => base36::decode(text, Self::MAX.0.cast_unsigned()),
            Err(kind) => Err(kind),
        };
        Self::decoded(WHAT, decoded)
    }

    /// Checks that `text` has the length and the start of one of the two forms.
    #[inline]
    const fn check_shape(text: &[u8]) -> Result<(), ParseErrorKind> {
        match text {
            [b'0', _, ..] if text.len() < Self::TEXT_LEN => {
                Err(ParseErrorKind::Character { byte: b'0', position: 0, expected: EXPECTED_FIRST })
            }
            [_, ..] if text.len() <= Self::TEXT_LEN => Ok(()),
            _ => Err(ParseErrorKind::Length { found: text.len(), min: 1, max: Self::TEXT_LEN }),
        }
    }

    /// Parses a decimal number without sign or leading zeros (except `0` itself), as Snowflakes are
    /// usually written.
    ///
    /// It is separate from [`parse_bytes`](Self::parse_bytes) because a short decimal text is also
    /// Base36, where it means a different ID.
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other text and for numbers above 2^63 - 1.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let id = NanoflakeId::parse_decimal(b"175928847299117063")?;
    /// assert_eq!(id.encode_decimal(), "175928847299117063");
    /// // The same digits are another ID in Base36 where they fit it.
    /// assert_ne!(NanoflakeId::parse_decimal(b"1759"), "1759".parse());
    /// # Ok::<(), tickid_nanoflake::ParseError>(())
    /// ```
    pub const fn parse_decimal(text: &[u8]) -> Result<Self, ParseError> {
        let decoded = decimal::decode(text, Self::MAX.0.cast_unsigned());
        Self::decoded("decimal Nanoflake ID", decoded)
    }

    #[inline]
    const fn decoded(
        what: &'static str,
        decoded: Result<u64, ParseErrorKind>,
    ) -> Result<Self, ParseError> {
        match decoded {
            // The codec refuses values above `MAX`, so the sign bit is 0.
            Ok(value) => Ok(Self(value.cast_signed())),
            Err(kind) => Err(ParseError::new(what, kind)),
        }
    }

    /// Returns the canonical text, which is 1 to 13 digits of Base36 in lower case, without leading
    /// zeros. It does not sort as the IDs do, because its length varies.
    /// [`encode_padded`](Self::encode_padded) returns text that does.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// assert_eq!(NanoflakeId::new(36)?.encode(), "10");
    /// assert_eq!(NanoflakeId::MAX.encode(), "1y2p0ij32e8e7");
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn encode(self) -> Text<{ Self::TEXT_LEN }> {
        base36::encode_shortest(self.0.cast_unsigned())
    }

    /// Returns 13 digits of Base36 in lower case, padded with zeros, which sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let (low, high) = (NanoflakeId::new(35)?, NanoflakeId::new(36)?);
    /// assert_eq!(low.encode_padded(), "000000000000z");
    /// assert_eq!(high.encode_padded(), "0000000000010");
    /// assert_eq!([low.encode().as_str(), &high.encode()], ["z", "10"]); // the wrong way round
    /// assert_eq!("0000000000010".parse(), Ok(high));
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn encode_padded(self) -> Text<{ Self::TEXT_LEN }> {
        base36::encode_padded(self.0.cast_unsigned())
    }

    /// Returns 1 to 19 decimal digits, as Snowflakes are usually written. They do not sort as the
    /// IDs do, because their length varies.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let id = NanoflakeId::new(175_928_847_299_117_063)?;
    /// assert_eq!(id.encode_decimal(), "175928847299117063");
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn encode_decimal(self) -> Text<20> {
        decimal::encode(self.0.cast_unsigned())
    }

    /// Returns the integer value, never negative.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_nanoflake::NanoflakeId::new(36)?.get(), 36);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the integer in 8 bytes, big-endian, which sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_nanoflake::NanoflakeId::new(258)?;
    /// assert_eq!(id.to_be_bytes(), [0, 0, 0, 0, 0, 0, 1, 2]);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the ID with these 8 big-endian bytes.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the first bit, the sign, is set.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// assert_eq!(NanoflakeId::from_be_bytes([0, 0, 0, 0, 0, 0, 1, 2])?.get(), 258);
    /// assert!(NanoflakeId::from_be_bytes([0xff; 8]).is_err()); // negative
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    pub const fn from_be_bytes(bytes: [u8; 8]) -> Result<Self, RangeError> {
        Self::new(i64::from_be_bytes(bytes))
    }

    /// Returns the timestamp, in milliseconds since the epoch.
    /// [`Nanoflake::unix_time`](crate::Nanoflake::unix_time) adds the epoch to it.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// assert_eq!(NanoflakeId::new(175_928_847_299_117_063)?.timestamp(), 41_944_705_796);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn timestamp(self) -> u64 {
        self.0.cast_unsigned() >> Self::TIMESTAMP_SHIFT
    }

    /// Returns the generator that issued the ID, as one number or as datacenter and worker.
    ///
    /// # Examples
    /// ```
    /// use tickid_nanoflake::NanoflakeId;
    ///
    /// let generator = NanoflakeId::new(175_928_847_299_117_063)?.generator();
    /// assert_eq!((generator.get(), generator.datacenter(), generator.worker()), (32, 1, 0));
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn generator(self) -> GeneratorId {
        GeneratorId::from_low_bits(self.0 >> Self::SEQUENCE_BITS)
    }

    /// Returns the sequence, which distinguishes the IDs of one generator and millisecond.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_nanoflake::NanoflakeId::new(175_928_847_299_117_063)?.sequence(), 7);
    /// # Ok::<(), tickid_nanoflake::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn sequence(self) -> u16 {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "masked to 12 bits"
        )]
        {
            self.0 as u16 & Self::MAX_SEQUENCE
        }
    }
}

tickid_text::impl_text!(NanoflakeId);

tickid_core::impl_conversions! { NanoflakeId:
    try_from i64 = NanoflakeId::new;
    try_from u64 = NanoflakeId::from_unsigned;
    try_from [u8; 8] = NanoflakeId::from_be_bytes;
    into i64 = NanoflakeId::get;
    // The number is not negative.
    into u64 = |id: NanoflakeId| id.0.cast_unsigned();
    into [u8; 8] = NanoflakeId::to_be_bytes;
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<NanoflakeId>(), 8);
    }

    #[test]
    fn parse_errors_name_the_place() {
        let cases = [
            ("", "0 bytes long, not 1 to 13"),
            ("00000000000000", "14 bytes long, not 1 to 13"),
            ("0z", "'0' at position 0 is none of 1-9"),
            ("z-", "'-' at position 1 is none of 0-9, a-z, A-Z"),
            ("0000000000_", "'0' at position 0 is none of 1-9"),
            ("1y2p0ij32e8e8", "the number 9223372036854775808 is above 9223372036854775807"),
        ];
        for (text, expected) in cases {
            let message = NanoflakeId::parse_bytes(text.as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with("not a Nanoflake ID: "), "{text:?}: {message}");
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        let message = NanoflakeId::parse_decimal(b"9223372036854775808").unwrap_err().to_string();
        assert_eq!(
            message,
            "not a decimal Nanoflake ID: the number 9223372036854775808 is above 9223372036854775807"
        );
    }
}
