//! Base36, whose digits are `0` to `9` and then `a` to `z`, most significant first.
//!
//! Numbers are written in lower case and read in either case, with any number of leading zeros. A
//! `u64` needs up to 13 digits. Texts of one length sort as the numbers do, so write keys with
//! [`encode_padded`]. The shortest text is for people, because `10` sorts before `z` although it is
//! the larger number.

use core::iter::zip;

use crate::{Codec, ParseErrorKind, Text, kernels};

pub(super) const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The characters that [`ParseErrorKind::Character`] reports as expected.
pub const EXPECTED: &str = "0-9, a-z, A-Z";

/// All pairs of digits, so that a division by 1,296 yields two digits at a time.
static PAIRS: [[u8; 2]; 36 * 36] = {
    let mut pairs = [[0; 2]; 36 * 36];
    let mut i = 0;
    while i < pairs.len() {
        pairs[i] = [DIGITS[i / 36], DIGITS[i % 36]];
        i += 1;
    }
    pairs
};

/// Returns the digits of a number below 1,296. In WebAssembly, code takes less space than the table.
#[inline]
const fn pair(number: u64) -> [u8; 2] {
    #[allow(clippy::cast_possible_truncation, reason = "below 1,296")]
    let number = number as usize;
    if cfg!(target_family = "wasm") {
        [DIGITS[number / 36], DIGITS[number % 36]]
    } else {
        PAIRS[number]
    }
}

const INVALID: u8 = 0xff;

/// The value of each byte, or [`INVALID`] if it has none.
pub(super) const VALUES: [u8; 256] = {
    let mut values = [INVALID; 256];
    let mut i = 0;
    while i < 36 {
        #[allow(clippy::cast_possible_truncation, reason = "below 36")]
        let value = i as u8;
        values[DIGITS[i] as usize] = value;
        values[DIGITS[i].to_ascii_uppercase() as usize] = value;
        i += 1;
    }
    values
};

/// 36^12, the lowest number that does not fit into twelve digits.
const TWELVE_DIGITS_END: u64 = 36u64.pow(12);

/// The codec of exactly twelve digits, for numbers below 36^12, as SCRU64's IDs are. If a number is
/// higher, only its last twelve digits are written, so check the range first.
#[derive(Debug)]
pub struct TwelveDigits;

impl TwelveDigits {
    /// Reads twelve digits in a constant. It is slower than [`parse`](Codec::parse), because a
    /// constant function cannot use vector instructions, but otherwise the same.
    ///
    /// # Errors
    /// Returns a [`ParseErrorKind`] for any other length, or for the first byte that is not a
    /// digit.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::ParseErrorKind;
    /// use tickid_text::base36::TwelveDigits;
    ///
    /// const NUMBER: Result<u64, ParseErrorKind> = TwelveDigits::parse_const(b"00000000000z");
    /// assert_eq!(NUMBER, Ok(35));
    /// ```
    pub const fn parse_const(text: &[u8]) -> Result<u64, ParseErrorKind> {
        match text.len() {
            12 => decode(text, u64::MAX),
            found => Err(ParseErrorKind::Length { found, min: 12, max: 12 }),
        }
    }
}

impl Codec<12> for TwelveDigits {
    type Value = u64;

    #[inline]
    fn encode_portable(&value: &u64) -> [u8; 12] {
        digits(value)
    }

    #[inline]
    fn decode_portable(text: &[u8; 12]) -> Result<u64, ParseErrorKind> {
        decode(text, u64::MAX)
    }

    #[inline]
    fn encode(&value: &u64) -> [u8; 12] {
        if kernels::ONE_BASE36 && value < TWELVE_DIGITS_END {
            kernels::encode_base36(value)
        } else {
            digits(value)
        }
    }

    #[inline]
    fn decode(text: &[u8; 12]) -> Result<u64, ParseErrorKind> {
        if kernels::ONE_BASE36 {
            match kernels::decode_base36(text) {
                Some(value) => Ok(value),
                None => Err(first_error(text)),
            }
        } else {
            Self::decode_portable(text)
        }
    }
}

/// Writes all thirteen digits of `value`, padded with zeros. These texts sort as the numbers do.
///
/// # Examples
/// ```
/// assert_eq!(tickid_text::base36::encode_padded(35), "000000000000z");
/// ```
#[inline]
#[must_use]
pub fn encode_padded(value: u64) -> Text<13> {
    Text::full(thirteen(value))
}

/// Writes as few digits as `value` needs, but at least one. These texts do not sort as the numbers
/// do.
///
/// # Examples
/// ```
/// assert_eq!(tickid_text::base36::encode_shortest(36), "10");
/// assert_eq!(tickid_text::base36::encode_shortest(0), "0");
/// ```
#[inline]
#[must_use]
pub fn encode_shortest(value: u64) -> Text<13> {
    let digits = thirteen(value);
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    Text::from_end(digits, zeros.min(12))
}

#[inline]
fn thirteen(value: u64) -> [u8; 13] {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = TwelveDigits::encode(&(value % TWELVE_DIGITS_END));
    [DIGITS[(value / TWELVE_DIGITS_END) as usize], a, b, c, d, e, f, g, h, i, j, k, l]
}

/// Reads a number of at most `max`. It does the same as [`decode`], but is faster for twelve and
/// thirteen digits, which are what IDs have. `decode` is the one for constants.
///
/// # Errors
/// Returns the errors of [`decode`].
///
/// # Examples
/// ```
/// use tickid_text::base36;
///
/// assert_eq!(base36::parse(b"0000000000010", u64::MAX), Ok(36));
/// assert!(base36::parse(b"10", 35).is_err()); // too large
/// ```
#[inline]
pub fn parse(text: &[u8], max: u64) -> Result<u64, ParseErrorKind> {
    let (first, rest) = match text {
        [first, rest @ ..] if rest.len() == 12 => (VALUES[usize::from(*first)], rest),
        _ => (0, text),
    };
    let rest = rest.try_into().ok().and_then(|rest| TwelveDigits::decode(rest).ok());
    match rest {
        // Three times 36^12 fits, but 36^13 - 1 would not.
        Some(rest) if first < 3 && u64::from(first) * TWELVE_DIGITS_END + rest <= max => {
            Ok(u64::from(first) * TWELVE_DIGITS_END + rest)
        }
        _ => decode(text, max),
    }
}

const fn digits(mut value: u64) -> [u8; 12] {
    let mut digits = [0; 12];
    let mut end = digits.len();
    while end > 0 {
        let pair = pair(value % 1_296);
        value /= 1_296;
        digits[end - 1] = pair[1];
        digits[end - 2] = pair[0];
        end -= 2;
    }
    digits
}

/// Reads a number of at most `max`. Leading zeros are ignored, and an empty text is 0, so check the
/// length first if they should be errors.
///
/// # Errors
/// Returns [`ParseErrorKind::Character`] for the first byte that is not a digit, or else
/// [`ParseErrorKind::TooLarge`].
///
/// # Examples
/// ```
/// use tickid_text::{ParseErrorKind, base36};
///
/// const NUMBER: Result<u64, ParseErrorKind> = base36::decode(b"Zz", 1_295);
/// assert_eq!(NUMBER, Ok(1_295));
/// ```
#[inline]
pub const fn decode(text: &[u8], max: u64) -> Result<u64, ParseErrorKind> {
    // No branch is needed until the end, because bytes without a value leave more than six bits in
    // `seen`. Twelve digits can't overflow, so only the digits before the last twelve have to be
    // watched.
    let (mut value, mut seen) = (0u64, 0);
    let start = text.len().saturating_sub(12);
    let mut i = start;
    while i < text.len() {
        let digit = VALUES[text[i] as usize];
        seen |= digit;
        value = value.wrapping_mul(36).wrapping_add(digit as u64);
        i += 1;
    }
    // A thirteenth digit, as in padded Nanoflakes, counts 36^12 times.
    let first = if start == 1 { VALUES[text[0] as usize] } else { 0 };
    let wide = first as u128 * 36u128.pow(12) + value as u128;
    if start > 1 || (seen | first) > 0x3f || wide > max as u128 {
        return decode_long(text, max);
    }
    #[allow(clippy::cast_possible_truncation, reason = "compared with a u64 above")]
    Ok(wide as u64)
}

/// Returns the error of twelve characters that are not all digits.
#[cold]
#[inline(never)]
fn first_error(text: &[u8; 12]) -> ParseErrorKind {
    let wrong = zip(0.., text).find(|&(_, &byte)| VALUES[usize::from(byte)] == INVALID);
    let (position, &byte) = wrong.unwrap_or((0, &text[0]));
    ParseErrorKind::Character { byte, position, expected: EXPECTED }
}

/// Decodes a text whose number may overflow, or returns its error.
const fn decode_long(text: &[u8], max: u64) -> Result<u64, ParseErrorKind> {
    let (mut value, mut i) = (0u128, 0);
    while i < text.len() {
        let (byte, digit) = (text[i], VALUES[text[i] as usize]);
        if digit == INVALID {
            return Err(ParseErrorKind::Character { byte, position: i, expected: EXPECTED });
        }
        value = value.saturating_mul(36).saturating_add(digit as u128);
        i += 1;
    }
    ParseErrorKind::at_most(value, max)
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::*;

    #[test]
    fn shortest_has_no_leading_zeros() {
        let cases = [(0, "0"), (35, "z"), (36, "10"), (u64::MAX, "3w5e11264sgsf")];
        for (value, text) in cases {
            assert_eq!(encode_shortest(value).as_str(), text);
            assert_eq!(encode_padded(value).as_str(), format!("{text:0>13}"));
            assert_eq!(decode(text.as_bytes(), u64::MAX), Ok(value));
            assert_eq!(parse(text.as_bytes(), u64::MAX), Ok(value));
        }
    }

    #[test]
    fn excessive_numbers_are_named() {
        let too_large = |value, max| Err(ParseErrorKind::TooLarge { value, max });
        assert_eq!(decode(b"10", 35), too_large(36, 35));
        assert_eq!(decode(b"3w5e11264sgsg", u64::MAX), too_large(1 << 64, u64::MAX.into()));
        assert_eq!(decode(b"zzzzzzzzzzzzz", 7), too_large(36u128.pow(13) - 1, 7));
        // In 64 bits, this wraps to a small number.
        assert_eq!(
            decode(b"100000000000000", u64::MAX),
            too_large(36u128.pow(14), u64::MAX.into())
        );
        assert_eq!(decode(&[b'z'; 99], u64::MAX), too_large(u128::MAX, u64::MAX.into()));
    }

    #[test]
    fn the_first_wrong_byte_is_named() {
        for byte in 0..=u8::MAX {
            let found = decode(&[b'0', byte, b'!'], u64::MAX);
            let position = if byte.is_ascii_alphanumeric() { 2 } else { 1 };
            let byte = if position == 2 { b'!' } else { byte };
            let expected = ParseErrorKind::Character { byte, position, expected: EXPECTED };
            assert_eq!(found, Err(expected));
        }
    }
}
