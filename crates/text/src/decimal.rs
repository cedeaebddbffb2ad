//! Decimal digits, without sign, padding or leading zeros. The texts do not sort as the numbers do.

use crate::{ParseErrorKind, Text};

/// The characters that [`ParseErrorKind::Character`] reports as expected.
pub const EXPECTED: &str = "0-9 (no leading zero)";

/// The number of digits of `u64::MAX`.
const MAX_LEN: usize = 20;

/// Writes as few digits as `value` needs, at least one.
///
/// # Examples
/// ```
/// assert_eq!(tickid_text::decimal::encode(18_446_744_073_709_551_615), "18446744073709551615");
/// ```
#[must_use]
pub const fn encode(mut value: u64) -> Text<MAX_LEN> {
    let mut digits = [b'0'; MAX_LEN];
    let mut start = MAX_LEN;
    loop {
        start -= 1;
        #[allow(clippy::cast_possible_truncation, reason = "below 10")]
        let digit = (value % 10) as u8;
        digits[start] += digit;
        value /= 10;
        if value == 0 {
            return Text::from_end(digits, start);
        }
    }
}

/// Reads a number of at most `max`.
///
/// # Errors
/// Returns [`ParseErrorKind::Length`] for no digit or more than 20, or else
/// [`ParseErrorKind::Character`] for a leading zero or the first byte that is not a digit, or else
/// [`ParseErrorKind::TooLarge`].
///
/// # Examples
/// ```
/// use tickid_text::decimal;
///
/// assert_eq!(decimal::decode(b"42", 100), Ok(42));
/// assert!(decimal::decode(b"042", 100).is_err()); // a leading zero
/// assert!(decimal::decode(b"101", 100).is_err()); // too large
/// ```
pub const fn decode(text: &[u8], max: u64) -> Result<u64, ParseErrorKind> {
    if text.is_empty() || text.len() > MAX_LEN {
        return Err(ParseErrorKind::Length { found: text.len(), min: 1, max: MAX_LEN });
    }
    let mut value: u128 = 0;
    let mut position = 0;
    while position < text.len() {
        let byte = text[position];
        let leading_zero = byte == b'0' && position == 0 && text.len() > 1;
        if !byte.is_ascii_digit() || leading_zero {
            return Err(ParseErrorKind::Character { byte, position, expected: EXPECTED });
        }
        // 20 digits fit.
        value = value * 10 + (byte - b'0') as u128;
        position += 1;
    }
    ParseErrorKind::at_most(value, max)
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn agrees_with_std() {
        for value in [0, 1, 9, 10, 99, 12_345_678_901, u64::MAX - 1, u64::MAX] {
            assert_eq!(encode(value).as_str(), value.to_string());
            assert_eq!(decode(value.to_string().as_bytes(), u64::MAX), Ok(value));
        }
    }

    #[test]
    fn only_canonical_text_is_read() {
        let wrong =
            |byte, position| Err(ParseErrorKind::Character { byte, position, expected: EXPECTED });
        let length = |found| Err(ParseErrorKind::Length { found, min: 1, max: 20 });
        assert_eq!(decode(b"", 9), length(0));
        assert_eq!(decode(&[b'1'; 21], 9), length(21));
        assert_eq!(decode(b"+1", 9), wrong(b'+', 0));
        assert_eq!(decode(b"01", 9), wrong(b'0', 0));
        assert_eq!(decode(b"1_0", 9), wrong(b'_', 1));
        assert_eq!(decode(b"10", 9), Err(ParseErrorKind::TooLarge { value: 10, max: 9 }));
        let above = ParseErrorKind::TooLarge { value: 1 << 64, max: u64::MAX.into() };
        assert_eq!(decode(b"18446744073709551616", u64::MAX), Err(above));
    }
}
