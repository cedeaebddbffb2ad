//! Decimal digits, without sign, padding or leading zeros.
//!
//! The texts do not sort as the numbers do, because `10` comes before `9`. So use them where people
//! expect a number, and a padded form for keys.

use crate::{ParseErrorKind, Text};

/// The characters that [`ParseErrorKind::Character`] reports as expected, unless a zero leads.
pub const EXPECTED: &str = "0-9";

/// The same where a zero leads.
const EXPECTED_FIRST: &str = "1-9 (no leading zeros)";

/// The number of digits of `u64::MAX`.
const MAX_LEN: usize = 20;

/// 10^8 and 10^16: numbers are written and read eight digits at a time.
const E8: u64 = 100_000_000;
const E16: u64 = E8 * E8;
/// `'0'` in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Writes as few digits as `value` needs, but at least one.
///
/// # Examples
/// ```
/// assert_eq!(tickid_text::decimal::encode(18_446_744_073_709_551_615), "18446744073709551615");
/// ```
#[inline]
#[must_use]
pub const fn encode(value: u64) -> Text<MAX_LEN> {
    let (high, low) = (value / E16, value % E16);
    let words = [eight_digits(high), eight_digits(low / E8), eight_digits(low % E8)];
    let mut digits = [0; MAX_LEN];
    let (first, others) = digits.split_at_mut(4);
    let (second, third) = others.split_at_mut(8);
    first.copy_from_slice((words[0] | ZEROS).to_le_bytes().split_at(4).1);
    second.copy_from_slice(&(words[1] | ZEROS).to_le_bytes());
    third.copy_from_slice(&(words[2] | ZEROS).to_le_bytes());
    let start = match words {
        [0, 0, 0] => MAX_LEN - 1,
        [0, 0, word] => 12 + leading_zeros(word),
        [0, word, _] => 4 + leading_zeros(word),
        [word, ..] => leading_zeros(word) - 4,
    };
    Text::from_end(digits, start)
}

/// Returns the digits of a number below 10^8, one a byte, the first one lowest.
const fn eight_digits(value: u64) -> u64 {
    // Halves the digits of each lane three times. The factors are 1/100 and 1/10 in fixed point,
    // exact for all numbers of a lane.
    let fours = ((value % 10_000) << 32) | (value / 10_000);
    let hundreds = ((fours * 5_243) >> 19) & 0x7f_0000_007f;
    let twos = ((fours - 100 * hundreds) << 16) | hundreds;
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    ((twos - 10 * tens) << 8) | tens
}

/// Returns the number of zeros that the digits of a word start with.
const fn leading_zeros(word: u64) -> usize {
    (word.trailing_zeros() / 8) as usize
}

/// Reads a number of at most `max`. Leading zeros are an error, because `042` and `42` would be two
/// texts of one number.
///
/// # Errors
/// Returns the first of these errors that applies. It is [`ParseErrorKind::Length`] for no digit or
/// more than 20, [`ParseErrorKind::Character`] for a leading zero or the first byte that is not a
/// digit, or [`ParseErrorKind::TooLarge`].
///
/// # Examples
/// ```
/// use tickid_text::decimal;
///
/// assert_eq!(decimal::decode(b"42", 100), Ok(42));
/// assert!(decimal::decode(b"042", 100).is_err()); // a leading zero
/// assert!(decimal::decode(b"101", 100).is_err()); // too large
/// ```
#[inline]
pub const fn decode(text: &[u8], max: u64) -> Result<u64, ParseErrorKind> {
    if text.is_empty() || text.len() > MAX_LEN {
        return Err(ParseErrorKind::Length { found: text.len(), min: 1, max: MAX_LEN });
    }
    if text[0] == b'0' && text.len() > 1 {
        return Err(leading_zero());
    }
    let (mut value, mut rest) = (0, text);
    // Eight digits at a time, in one register.
    while let Some((chunk, others)) = rest.split_first_chunk() {
        let Some(number) = number_of(*chunk) else { return Err(first_other(text)) };
        (value, rest) = (value * E8 + number, others);
    }
    // At most 16 digits are read, and at most 7 are left.
    let (mut last, mut scale) = (0_u64, 1_u64);
    while let [byte, others @ ..] = rest {
        if !byte.is_ascii_digit() {
            return Err(first_other(text));
        }
        last = last * 10 + (*byte - b'0') as u64;
        (scale, rest) = (scale * 10, others);
    }
    ParseErrorKind::at_most(value as u128 * scale as u128 + last as u128, max)
}

/// Returns the number that eight digits spell.
const fn number_of(digits: [u8; 8]) -> Option<u64> {
    const HIGH_HALVES: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    let word = u64::from_le_bytes(digits);
    // Bytes from '0' to '?'; then those that stay there with 6 more. No byte carries into another.
    if word & HIGH_HALVES != ZEROS || (word + 0x0606_0606_0606_0606) & HIGH_HALVES != ZEROS {
        return None;
    }
    // Joins neighbouring lanes three times: the first digit is in the lowest byte.
    let twos = (word - ZEROS).wrapping_mul(10 << 8 | 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

/// Returns the error of a number with a leading zero, out of line so that others are read faster.
#[cold]
#[inline(never)]
const fn leading_zero() -> ParseErrorKind {
    ParseErrorKind::Character { byte: b'0', position: 0, expected: EXPECTED_FIRST }
}

/// Returns the error of the first byte that is not a digit.
#[cold]
#[inline(never)]
const fn first_other(text: &[u8]) -> ParseErrorKind {
    let mut position = 0;
    while text[position].is_ascii_digit() {
        position += 1;
    }
    ParseErrorKind::Character { byte: text[position], position, expected: EXPECTED }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn agrees_with_std() {
        let agrees = |value: u64| {
            let expected = value.to_string();
            assert_eq!(encode(value).as_str(), expected);
            assert_eq!(decode(expected.as_bytes(), u64::MAX), Ok(value));
        };
        // Every lane, and every number of digits.
        (0..=10_000).chain(u64::MAX - 100..=u64::MAX).for_each(agrees);
        for digits in 1..20 {
            let least = 10_u64.pow(digits);
            (least - 2..least + 2).for_each(agrees);
            for lane in 0..10_000 {
                agrees(lane * (least / 10_000).max(1));
            }
        }
        (0..64).for_each(|shift| agrees(0x9e37_79b9_7f4a_7c15 >> shift));
    }

    #[test]
    fn each_byte_is_checked() {
        for digits in [1, 7, 8, 9, 16, 19] {
            for position in 0..digits {
                for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                    let mut text = std::vec![b'1'; digits];
                    // A later one is not reported.
                    text[digits - 1] = b'x';
                    text[position] = byte;
                    let error = ParseErrorKind::Character { byte, position, expected: EXPECTED };
                    assert_eq!(decode(&text, u64::MAX), Err(error), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn only_canonical_text_is_read() {
        let wrong_of =
            |byte, position, expected| Err(ParseErrorKind::Character { byte, position, expected });
        let wrong = |byte, position| wrong_of(byte, position, EXPECTED);
        let length = |found| Err(ParseErrorKind::Length { found, min: 1, max: 20 });
        assert_eq!(decode(b"", 9), length(0));
        assert_eq!(decode(&[b'1'; 21], 9), length(21));
        assert_eq!(decode(b"+1", 9), wrong(b'+', 0));
        assert_eq!(decode(b"01", 9), wrong_of(b'0', 0, EXPECTED_FIRST));
        assert_eq!(decode(b"00", 9), wrong_of(b'0', 0, EXPECTED_FIRST));
        assert_eq!(decode(b"1_0", 9), wrong(b'_', 1));
        assert_eq!(decode(b"10", 9), Err(ParseErrorKind::TooLarge { value: 10, max: 9 }));
        let above = ParseErrorKind::TooLarge { value: 1 << 64, max: u64::MAX.into() };
        assert_eq!(decode(b"18446744073709551616", u64::MAX), Err(above));
    }
}
