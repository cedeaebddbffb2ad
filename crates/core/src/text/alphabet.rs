use crate::text::{ParseErrorKind, Text};

const INVALID: u8 = 0xff;

/// An alphabet of 2, 4, 8, 16, 32 or 64 ASCII characters, each worth as many bits.
///
/// Bytes are written most significant bit first; the last character is padded with zero bits. Reading
/// is strict: only what writing gives is accepted. With the characters in ASCII order, text sorts as
/// the bytes do.
///
/// # Examples
/// ```
/// use tickid_core::text::Alphabet;
///
/// const HEX: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
///     Some(alphabet) => alphabet,
///     None => panic!("sixteen distinct characters"),
/// };
/// assert_eq!(HEX.encode::<2, 4>(&[0xca, 0xfe]), "cafe");
/// assert_eq!(HEX.decode::<2, 4>(b"cafe"), Ok([0xca, 0xfe]));
/// ```
#[derive(Clone, Debug)]
pub struct Alphabet {
    bits: u32,
    symbols: [u8; 64],
    values: [u8; 256],
    expected: &'static str,
}

impl Alphabet {
    /// An alphabet of `symbols` in the order of their values; `expected` describes them in errors.
    /// `None` unless they are 2, 4, 8, 16, 32 or 64 distinct ASCII characters.
    #[must_use]
    pub const fn new(symbols: &'static str, expected: &'static str) -> Option<Self> {
        let given = symbols.as_bytes();
        if !given.len().is_power_of_two() || given.len() < 2 || given.len() > 64 {
            return None;
        }
        let mut symbols = [0; 64];
        let mut values = [INVALID; 256];
        let mut i = 0;
        while i < given.len() {
            if !given[i].is_ascii() || values[given[i] as usize] != INVALID {
                return None;
            }
            symbols[i] = given[i];
            #[allow(clippy::cast_possible_truncation, reason = "below 64")]
            let value = i as u8;
            values[given[i] as usize] = value;
            i += 1;
        }
        Some(Self { bits: given.len().ilog2(), symbols, values, expected })
    }

    /// The text of `bytes`. `CHARS` must be the number of characters they take.
    #[inline]
    #[must_use]
    pub const fn encode<const BYTES: usize, const CHARS: usize>(
        &self,
        bytes: &[u8; BYTES],
    ) -> Text<CHARS> {
        debug_assert!(CHARS == (BYTES * 8).div_ceil(self.bits as usize));
        let mask = (1 << self.bits) - 1;
        let mut text = [0; CHARS];
        // The low `held` bits of `buffer` are waiting to be written.
        let (mut buffer, mut held) = (0u32, 0);
        let (mut read, mut written) = (0, 0);
        while written < CHARS {
            if held < self.bits {
                let next = if read < BYTES { bytes[read] } else { 0 };
                buffer = buffer << 8 | next as u32;
                held += 8;
                read += 1;
            }
            held -= self.bits;
            text[written] = self.symbols[(buffer >> held & mask) as usize];
            written += 1;
        }
        Text::full(text)
    }

    /// The bytes that `text` spells.
    ///
    /// # Errors
    /// The first of these that applies: [`ParseErrorKind::Length`] when it is not `CHARS` characters
    /// long, [`ParseErrorKind::Character`] for the first byte that is not in the alphabet,
    /// [`ParseErrorKind::StrayBits`] when the last character is not padded with zero bits.
    #[inline]
    pub const fn decode<const BYTES: usize, const CHARS: usize>(
        &self,
        text: &[u8],
    ) -> Result<[u8; BYTES], ParseErrorKind> {
        debug_assert!(CHARS == (BYTES * 8).div_ceil(self.bits as usize));
        if text.len() != CHARS {
            return Err(ParseErrorKind::Length { found: text.len(), min: CHARS, max: CHARS });
        }
        let mut bytes = [0; BYTES];
        let (mut buffer, mut held) = (0u32, 0);
        let (mut read, mut written) = (0, 0);
        while read < CHARS {
            let value = self.values[text[read] as usize];
            if value == INVALID {
                let (byte, position) = (text[read], read);
                return Err(ParseErrorKind::Character { byte, position, expected: self.expected });
            }
            buffer = buffer << self.bits | value as u32;
            held += self.bits;
            read += 1;
            if held >= 8 && written < BYTES {
                held -= 8;
                bytes[written] = (buffer >> held & 0xff) as u8;
                written += 1;
            }
        }
        if buffer & ((1 << held) - 1) != 0 {
            let position = CHARS - 1;
            return Err(ParseErrorKind::StrayBits { byte: text[position], position });
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    #[test]
    fn only_distinct_ascii_characters_of_a_power_of_two_make_an_alphabet() {
        for symbols in ["", "a", "abc", "abca", "abcé", "0123456789abcdefg"] {
            assert!(Alphabet::new(symbols, "").is_none(), "{symbols:?}");
        }
        for symbols in ["01", "acgt", BASE64] {
            assert!(Alphabet::new(symbols, "").is_some(), "{symbols:?}");
        }
    }

    #[test]
    fn padding_bits_must_be_zero() {
        let base64 = Alphabet::new(BASE64, "base64").unwrap();
        assert_eq!(base64.encode::<1, 2>(&[0xff]), "_w");
        assert_eq!(base64.decode::<1, 2>(b"_w"), Ok([0xff]));
        for symbol in BASE64.bytes().filter(|symbol| !b"AQgw".contains(symbol)) {
            let stray = ParseErrorKind::StrayBits { byte: symbol, position: 1 };
            assert_eq!(base64.decode::<1, 2>(&[b'_', symbol]), Err(stray));
        }
    }

    #[test]
    fn the_first_wrong_byte_is_named_before_stray_bits() {
        let base64 = Alphabet::new(BASE64, "base64").unwrap();
        let wrong =
            |byte, position| Err(ParseErrorKind::Character { byte, position, expected: "base64" });
        assert_eq!(base64.decode::<1, 2>(b"+/"), wrong(b'+', 0));
        assert_eq!(base64.decode::<1, 2>(b"_\xff"), wrong(0xff, 1));
        let length = ParseErrorKind::Length { found: 3, min: 2, max: 2 };
        assert_eq!(base64.decode::<1, 2>(b"!!!"), Err(length));
    }
}
