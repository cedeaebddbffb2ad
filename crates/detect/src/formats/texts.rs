//! The digits of texts of other systems.
//!
//! The crate `uuid` reads UUIDs, but no crate suits these formats, because `ulid` 3.0 accepts texts
//! of 130 bits and cuts them off, and the crates for other formats need `std`.

use tickid_text::crockford::SYMBOLS;

/// The digits of a base that is a power of two.
#[derive(Debug)]
pub(crate) struct Digits {
    bits: usize,
    alphabet: &'static [u8],
    /// The value of each byte, and 255 for those that are not digits.
    values: [u8; 256],
}

/// Crockford's base 32 in either case: all letters but I, L, O and U.
pub(crate) static CROCKFORD: Digits = Digits::new(&SYMBOLS, &LOWER_SYMBOLS);
static LOWER_CROCKFORD: Digits = Digits::of(&LOWER_SYMBOLS);
static LOWER_SYMBOLS: [u8; 32] = {
    let mut lower = SYMBOLS;
    lower.make_ascii_lowercase();
    lower
};
/// The extended hexadecimal alphabet of RFC 4648, in lower case.
pub(crate) static BASE_32_HEX: Digits = Digits::of(b"0123456789abcdefghijklmnopqrstuv");
/// Base 32 in which texts sort like their numbers.
pub(crate) static BASE_32_SORTABLE: Digits = Digits::of(b"234567abcdefghijklmnopqrstuvwxyz");
/// The URL-safe alphabet of RFC 4648.
pub(crate) static BASE_64_URL: Digits =
    Digits::of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

impl Digits {
    const fn of(alphabet: &'static [u8]) -> Self {
        Self::new(alphabet, alphabet)
    }

    /// Creates digits that may be read in either of two alphabets, each in the order of values, and
    /// are written in the first.
    const fn new(alphabet: &'static [u8], other: &[u8]) -> Self {
        let mut values = [u8::MAX; 256];
        let mut value = 0;
        while value < alphabet.len() {
            #[allow(clippy::indexing_slicing, reason = "in a constant")]
            #[allow(clippy::cast_possible_truncation, reason = "at most 64")]
            {
                values[alphabet[value] as usize] = value as u8;
                values[other[value] as usize] = value as u8;
            }
            value += 1;
        }
        Self { bits: alphabet.len().ilog2() as usize, alphabet, values }
    }

    /// Returns the digits in the order of their values.
    pub(crate) const fn alphabet(&self) -> &'static [u8] {
        self.alphabet
    }

    /// Returns the bits of a digit.
    pub(crate) const fn bits(&self) -> usize {
        self.bits
    }

    /// Returns the value of a text of up to 128 bits, if all characters are digits.
    pub(crate) fn number(&self, text: &[u8]) -> Option<u128> {
        let (mut number, mut beyond, mut invalid) = (0_u128, 0, 0);
        for byte in text {
            let digit = self.values.get(usize::from(*byte)).copied().unwrap_or(u8::MAX);
            invalid |= digit & 0x80;
            beyond |= number >> (u128::BITS as usize - self.bits);
            number = number << self.bits | u128::from(digit & 0x7f);
        }
        (invalid == 0 && beyond == 0).then_some(number)
    }
}

/// Reads a TypeID, which is a prefix of lower-case letters and underscores, an underscore, and 26
/// digits as in a ULID but in lower case. The digits alone are read as well.
///
/// Returns the length of the prefix, and the UUID.
pub(crate) fn type_id(text: &[u8]) -> Option<(u8, u128)> {
    const MAX_PREFIX: usize = 63;
    let (rest, suffix) = text.split_last_chunk::<26>()?;
    let prefix = match rest {
        [] => rest,
        [prefix @ .., b'_'] if !prefix.is_empty() => prefix,
        _ => return None,
    };
    let is_letters = prefix.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
    let is_framed = prefix.first() == Some(&b'_') || prefix.last() == Some(&b'_');
    if !is_letters || is_framed || prefix.len() > MAX_PREFIX {
        return None;
    }
    Some((u8::try_from(prefix.len()).ok()?, LOWER_CROCKFORD.number(suffix)?))
}

/// The digits of base 62.
pub(crate) const BASE_62: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Reads digits of base 62, `0-9A-Za-z`, of at most 160 bits.
pub(crate) fn base_62(text: &[u8]) -> Option<[u8; 20]> {
    // 160 bits, the highest first.
    let mut number = [0_u32; 5];
    for byte in text {
        let mut carry: u64 = match byte {
            b'0'..=b'9' => byte - b'0',
            b'A'..=b'Z' => byte - b'A' + 10,
            b'a'..=b'z' => byte - b'a' + 36,
            _ => return None,
        }
        .into();
        for limb in number.iter_mut().rev() {
            let product = u64::from(*limb) * 62 + carry;
            #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
            {
                *limb = product as u32;
            }
            carry = product >> u32::BITS;
        }
        if carry != 0 {
            return None;
        }
    }
    let mut bytes = [0; 20];
    for (four, limb) in bytes.as_chunks_mut().0.iter_mut().zip(number) {
        *four = limb.to_be_bytes();
    }
    Some(bytes)
}

/// Divides a number of which each byte is a digit of base 256, the highest first, by up to 256.
///
/// Returns the remainder.
pub(crate) fn divide(number: &mut [u8], by: usize) -> usize {
    let mut rest = 0;
    for byte in number {
        let all = rest << 8 | usize::from(*byte);
        let quotient = all.checked_div(by).unwrap_or(0);
        // A remainder is less than what divides, so that the quotient fits a byte.
        *byte = u8::try_from(quotient).unwrap_or(u8::MAX);
        rest = all - quotient * by;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_numbers_of_128_bits() {
        for (digits, text, number) in [
            (&CROCKFORD, "10", Some(32)),
            (&CROCKFORD, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", Some(u128::MAX)),
            (&CROCKFORD, "7zzzzzzzzzzzzzzzzzzzzzzzzz", Some(u128::MAX)),
            (&CROCKFORD, "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", None), // 129 bits
            (&CROCKFORD, "1I", None),
            (&CROCKFORD, "u1", None),
            (&LOWER_CROCKFORD, "1z", Some(63)),
            (&LOWER_CROCKFORD, "1Z", None),
            (&BASE_32_HEX, "1v", Some(63)),
            (&BASE_32_HEX, "1w", None),
            (&BASE_32_SORTABLE, "3z", Some(63)),
            (&BASE_32_SORTABLE, "31", None),
            (&BASE_64_URL, "B_", Some(127)),
            (&BASE_64_URL, "B.", None),
            (&BASE_64_URL, "", Some(0)),
        ] {
            assert_eq!(digits.number(text.as_bytes()), number, "{text}");
        }
    }

    #[test]
    fn base_62_has_160_bits() {
        let seconds = |text: &str| {
            base_62(text.as_bytes()).map(|bytes| u32::from_be_bytes(*bytes.first_chunk().unwrap()))
        };
        // The example of the KSUID project's page: 107608047 seconds after the epoch.
        assert_eq!(seconds("0ujtsYcgvSTl8PAuAdqWYSMnLOv"), Some(107_608_047));
        assert_eq!(base_62(b"aWgEPTl1tmebfsQzFP4bxwgy80V"), Some([255; 20]));
        for text in [
            "aWgEPTl1tmebfsQzFP4bxwgy80W", // 2^160
            "zzzzzzzzzzzzzzzzzzzzzzzzzzz",
            "0ujtsYcgvSTl8PAuAdqWYSMnLO-",
        ] {
            assert_eq!(base_62(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn type_ids_hold_a_uuid_behind_a_prefix() {
        // The example of the TypeID specification.
        let uuid = 0x0190_63fc_1ba6_7e31_8e4e_4f2f_6b8a_3d2b_u128;
        let mut digits = [0_u8; 26];
        for (place, digit) in digits.iter_mut().rev().enumerate() {
            let value = usize::try_from(uuid >> (5 * place) & 31).unwrap();
            *digit = LOWER_SYMBOLS[value];
        }
        let suffix = str::from_utf8(&digits).unwrap();
        for (prefix, len) in [("", 0), ("user_", 4), ("a_b_", 3)] {
            let text = std::format!("{prefix}{suffix}");
            assert_eq!(type_id(text.as_bytes()), Some((len, uuid)), "{text}");
        }
        for prefix in ["_", "__", "_a_", "a__", "User_", "a1_", "a"] {
            let text = std::format!("{prefix}{suffix}");
            assert_eq!(type_id(text.as_bytes()), None, "{text}");
        }
        let upper = suffix.to_ascii_uppercase();
        assert_eq!(type_id(upper.as_bytes()), None);
    }
}
