//! Integers as 13 characters of Crockford's Base32, which sort as the numbers do.
//!
//! This is the form in which TSIDs are written. It lacks `U` and the letters that are easily
//! mistaken for digits, which avoids mistakes when people copy it. The value is right-aligned,
//! unlike the bytes in an [`Alphabet`](crate::Alphabet), so the text begins with zeros if the
//! number is small.

use crate::{ParseErrorKind, Text};

/// The number of characters that 64 bits need.
pub const LEN: usize = 13;
/// The digits in the order of their values, in upper case.
pub const SYMBOLS: [u8; 32] = *b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const EXPECTED: &str = "0-9, A-Z (no U)";
const INVALID: u8 = 0xff;

/// The value of each byte, in either case. `I`, `L` and `O` have the values of the digits they look
/// like.
const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut value = 0;
    while value < SYMBOLS.len() {
        let symbol = SYMBOLS[value];
        #[allow(clippy::cast_possible_truncation, reason = "31 at most")]
        let number = value as u8;
        values[symbol as usize] = number;
        values[symbol.to_ascii_lowercase() as usize] = number;
        value += 1;
    }
    values[b'I' as usize] = 1;
    values[b'i' as usize] = 1;
    values[b'L' as usize] = 1;
    values[b'l' as usize] = 1;
    values[b'O' as usize] = 0;
    values[b'o' as usize] = 0;
    values
};

/// Returns all 13 digits of `value`, in upper case.
///
/// # Examples
/// ```
/// use tickid_text::crockford;
///
/// assert_eq!(crockford::encode(36), "0000000000014");
/// ```
#[must_use]
pub const fn encode(value: u64) -> Text<LEN> {
    let mut text = [b'0'; LEN];
    let (mut rest, mut position) = (value, LEN);
    while position > 0 {
        position -= 1;
        text[position] = SYMBOLS[(rest & 31) as usize];
        rest >>= 5;
    }
    Text::full(text)
}

/// Reads 13 characters in either case. `I` and `L` are read as `1`, and `O` as `0`.
///
/// # Errors
/// Returns [`ParseErrorKind::Length`] for any other length, [`ParseErrorKind::Character`] for the
/// first byte without a value, and [`ParseErrorKind::TooLarge`] above 2^64 - 1.
///
/// # Examples
/// ```
/// use tickid_text::crockford;
///
/// assert_eq!(crockford::decode(b"000000000001a"), Ok(42));
/// assert!(crockford::decode(b"G000000000000").is_err());
/// ```
pub const fn decode(text: &[u8]) -> Result<u64, ParseErrorKind> {
    if text.len() != LEN {
        return Err(ParseErrorKind::Length { found: text.len(), min: LEN, max: LEN });
    }
    let (mut number, mut position) = (0_u128, 0);
    while position < LEN {
        let byte = text[position];
        let value = VALUES[byte as usize];
        if value == INVALID {
            return Err(ParseErrorKind::Character { byte, position, expected: EXPECTED });
        }
        number = number << 5 | value as u128;
        position += 1;
    }
    ParseErrorKind::at_most(number, u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        for shift in 0..64 {
            for number in [1 << shift, u64::MAX >> shift, 0x0123_4567_89ab_cdef >> shift] {
                let text = encode(number);
                assert_eq!(decode(text.as_bytes()), Ok(number), "{text}");
                assert_eq!(decode(text.to_ascii_lowercase().as_bytes()), Ok(number), "{text}");
            }
        }
    }

    #[test]
    fn look_alikes_are_read() {
        assert_eq!(decode(b"oOiIlL0000000"), decode(b"0011110000000"));
    }

    #[test]
    fn other_texts_are_errors() {
        let length = |found| Err(ParseErrorKind::Length { found, min: 13, max: 13 });
        assert_eq!((decode(b""), decode(&[b'0'; 14])), (length(0), length(14)));
        for byte in *b"Uu-@[`{\xff" {
            let mut text = [b'0'; LEN];
            text[7] = byte;
            let error = ParseErrorKind::Character { byte, position: 7, expected: EXPECTED };
            assert_eq!(decode(&text), Err(error));
        }
        let error = decode(b"G000000000000").unwrap_err();
        let expected = ParseErrorKind::TooLarge { value: 1 << 64, max: u64::MAX.into() };
        assert_eq!(error, expected);
    }
}
