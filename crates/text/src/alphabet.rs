//! Bytes as text, in an alphabet of 16, 32 or 64 characters.

use crate::{ParseErrorKind, Text, lanes};

const INVALID: u8 = 0xff;

/// The maximum number of runs of consecutive characters in an alphabet.
pub(super) const MAX_RUNS: usize = 8;

/// An alphabet of 16, 32 or 64 ASCII characters, worth 4, 5 or 6 bits each.
///
/// Bytes are written most significant bit first, and the last character is padded with zero bits.
/// Reading is strict, so it accepts only text that writing produces. In particular, it
/// distinguishes upper and lower case. If the characters are in ASCII order, texts sort as the
/// bytes do, which is worth having for keys in a database. For example, `0-9a-f` has this order,
/// and the usual alphabet of Base64 does not.
///
/// # Examples
/// ```
/// use tickid_text::Alphabet;
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
    pub(super) runs: [Run; MAX_RUNS],
    /// The same runs in the order of their characters, except for the unused ones.
    #[allow(dead_code, reason = "for the kernels, which not every target has")]
    pub(super) runs_by_symbol: [Run; MAX_RUNS],
    #[allow(dead_code, reason = "for the kernels, which not every target has")]
    pub(super) run_count: usize,
    /// The value of each byte, or [`INVALID`] if it has none.
    pub(super) values: [u8; 256],
    expected: &'static str,
}

/// Consecutive values that are written as consecutive characters. An unused run is empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) value: u8,
    pub(super) symbol: u8,
    pub(super) len: u8,
}

impl Run {
    /// Returns the difference between a character and its value, modulo 256.
    pub(super) const fn offset(self) -> u8 {
        self.symbol.wrapping_sub(self.value)
    }
}

impl Alphabet {
    /// Creates an alphabet of `symbols` in the order of their values. Errors describe them as
    /// `expected`, for example `"0-9, a-f"`, since a list of 64 characters is hard to read.
    ///
    /// Returns `None` unless they are 16, 32 or 64 distinct ASCII characters in at most 8 runs of
    /// consecutive ones. The limit on runs is there because writing takes a step for each of them.
    /// The alphabet of Base64 has 5.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Alphabet;
    ///
    /// assert!(Alphabet::new("0123456789abcdef", "0-9, a-f").is_some());
    /// assert!(Alphabet::new("0123456789abcdee", "0-9, a-f").is_none()); // one comes twice
    /// ```
    #[must_use]
    pub const fn new(symbols: &'static str, expected: &'static str) -> Option<Self> {
        let symbols = symbols.as_bytes();
        if !matches!(symbols.len(), 16 | 32 | 64) {
            return None;
        }
        // A table from bytes to values for single characters, and runs of consecutive characters
        // for lanes: Base64's are `-`, `0-9`, `A-Z`, `_` and `a-z`.
        let mut values = [INVALID; 256];
        let mut runs = [Run { value: 0, symbol: 0, len: 0 }; MAX_RUNS];
        let (mut run, mut value) = (0, 0);
        while (value as usize) < symbols.len() {
            let symbol = symbols[value as usize];
            if !symbol.is_ascii() || values[symbol as usize] != INVALID {
                return None;
            }
            values[symbol as usize] = value;
            // A gap in the order of ASCII begins a run.
            if value > 0 && symbol != symbols[value as usize - 1] + 1 {
                run += 1;
            }
            if run == MAX_RUNS {
                return None;
            }
            if runs[run].len == 0 {
                runs[run] = Run { value, symbol, len: 0 };
            }
            runs[run].len += 1;
            value += 1;
        }
        let (bits, run_count) = (symbols.len().ilog2(), run + 1);
        let runs_by_symbol = by_symbol(runs, run_count);
        Some(Self { bits, runs, runs_by_symbol, run_count, values, expected })
    }

    /// Returns the number of bits in a character: 4, 5 or 6.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Alphabet;
    ///
    /// let hex = Alphabet::new("0123456789abcdef", "0-9, a-f");
    /// assert_eq!(hex.map(|hex| hex.bits()), Some(4));
    /// ```
    #[inline]
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Writes `bytes`, which are at most 16. `CHARS` must be the number of characters that they
    /// take, which is `BYTES * 8 / bits`, rounded up. For example, 8 bytes take 16 characters of 4
    /// bits, and 11 of 6 bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Alphabet;
    ///
    /// let hex = Alphabet::new("0123456789abcdef", "0-9, a-f").expect("16 distinct characters");
    /// assert_eq!(hex.encode::<2, 4>(&[0xca, 0xfe]), "cafe");
    /// ```
    #[inline]
    #[must_use]
    pub const fn encode<const BYTES: usize, const CHARS: usize>(
        &self,
        bytes: &[u8; BYTES],
    ) -> Text<CHARS> {
        Text::full(self.encode_array(bytes))
    }

    /// Returns the characters of [`encode`](Self::encode).
    #[inline]
    pub(super) const fn encode_array<const BYTES: usize, const CHARS: usize>(
        &self,
        bytes: &[u8; BYTES],
    ) -> [u8; CHARS] {
        const { assert!(BYTES <= 16 && CHARS <= 32) };
        debug_assert!(CHARS == (BYTES * 8).div_ceil(self.bits as usize));
        let bits = left_aligned(bytes);
        // Eight characters at a time: 32, 40 or 48 bits, which fit a register after they are spread
        // to a byte each.
        let lane_bits = 8 * self.bits;
        let mut text = [0; CHARS];
        let (mut lane, mut written) = (0, 0);
        while written < CHARS {
            // The lane's bits at the low end.
            #[allow(clippy::cast_possible_truncation, reason = "48 bits at most")]
            let packed = (bits << (lane * lane_bits) >> (u128::BITS - lane_bits)) as u64;
            let symbols = self.symbols(lanes::spread(packed, self.bits)).to_be_bytes();
            lane += 1;
            match text.split_at_mut(written).1.first_chunk_mut() {
                Some(eight) => *eight = symbols,
                // The last characters are fewer than eight.
                None => {
                    let mut i = 0;
                    while written + i < CHARS {
                        text[written + i] = symbols[i];
                        i += 1;
                    }
                }
            }
            written += 8;
        }
        text
    }

    /// Returns eight values as eight characters. Within a run, a character is its value plus an
    /// offset, and each run changes the previous run's offset.
    #[inline]
    const fn symbols(&self, values: u64) -> u64 {
        let mut symbols = values;
        let (mut offset, mut i) = (0, 0);
        while i < MAX_RUNS && self.runs[i].len > 0 {
            let run = self.runs[i];
            let change = run.offset().wrapping_sub(offset);
            offset = offset.wrapping_add(change);
            symbols = lanes::add_where(symbols, lanes::at_least(values, run.value), change);
            i += 1;
        }
        symbols
    }

    /// Reads the bytes that `text` spells, which are at most 16.
    ///
    /// # Errors
    /// Returns the first of these errors that applies. It is [`ParseErrorKind::Length`] if the text
    /// is not `CHARS` characters long, [`ParseErrorKind::Character`] for the first byte that is not
    /// in the alphabet, or [`ParseErrorKind::StrayBits`] if the last character is not padded with
    /// zero bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::{Alphabet, ParseErrorKind};
    ///
    /// let hex = Alphabet::new("0123456789abcdef", "0-9, a-f").expect("16 distinct characters");
    /// assert_eq!(hex.decode::<2, 4>(b"cafe"), Ok([0xca, 0xfe]));
    /// let error = hex.decode::<2, 4>(b"CAFE").unwrap_err();
    /// assert!(matches!(error, ParseErrorKind::Character { byte: b'C', position: 0, .. }));
    /// ```
    #[inline]
    pub const fn decode<const BYTES: usize, const CHARS: usize>(
        &self,
        text: &[u8],
    ) -> Result<[u8; BYTES], ParseErrorKind> {
        const { assert!(BYTES <= 16 && CHARS <= 32) };
        debug_assert!(CHARS == (BYTES * 8).div_ceil(self.bits as usize));
        if text.len() != CHARS {
            return Err(ParseErrorKind::Length { found: text.len(), min: CHARS, max: CHARS });
        }
        // No branch is needed until the end, because bytes without a value leave more than six bits
        // in `seen`.
        let (mut bits, mut packed, mut seen) = (0u128, 0u64, 0);
        let lane_bits = 8 * self.bits;
        let (mut lane, mut read) = (0, 0);
        while read < CHARS {
            let shift = lane * lane_bits;
            packed = 0;
            let mut i = 0;
            while i < 8 {
                let value = if read < CHARS { self.values[text[read] as usize] } else { 0 };
                seen |= value;
                packed = packed << self.bits | value as u64;
                read += 1;
                i += 1;
            }
            bits |= (packed as u128) << (u128::BITS - lane_bits) >> shift;
            lane += 1;
        }
        // The bits of the last lane beyond the last byte.
        #[allow(clippy::cast_possible_truncation, reason = "16 at most")]
        let padding = lane * lane_bits - 8 * BYTES as u32;
        if seen > 0x3f || packed & ((1 << padding) - 1) != 0 {
            return Err(self.first_error(text));
        }
        Ok(leading_bytes(bits))
    }

    /// Returns the error of a text of the right length that does not decode.
    #[cold]
    #[inline(never)]
    pub(super) const fn first_error(&self, text: &[u8]) -> ParseErrorKind {
        let mut position = 0;
        while position < text.len() {
            let byte = text[position];
            if self.values[byte as usize] == INVALID {
                return ParseErrorKind::Character { byte, position, expected: self.expected };
            }
            position += 1;
        }
        let position = text.len() - 1;
        ParseErrorKind::StrayBits { byte: text[position], position }
    }
}

/// Returns the first `count` runs, in the order of their characters.
const fn by_symbol(mut runs: [Run; MAX_RUNS], count: usize) -> [Run; MAX_RUNS] {
    let mut sorted = 1;
    while sorted < count {
        let mut at = sorted;
        while at > 0 && runs[at].symbol < runs[at - 1].symbol {
            (runs[at - 1], runs[at]) = (runs[at], runs[at - 1]);
            at -= 1;
        }
        sorted += 1;
    }
    runs
}

/// Returns the bytes at the high end of 128 bits.
#[inline]
const fn left_aligned<const BYTES: usize>(bytes: &[u8; BYTES]) -> u128 {
    // Copies the first eight bytes together if there are that many. Compilers see through the rest.
    let (high, rest) = match bytes.split_first_chunk::<8>() {
        Some((first, rest)) => ((u64::from_be_bytes(*first) as u128) << 64, rest),
        None => (0, bytes.as_slice()),
    };
    let (mut low, mut i) = (0, BYTES - rest.len());
    while i < BYTES {
        low |= (bytes[i] as u128) << (120 - 8 * i);
        i += 1;
    }
    high | low
}

/// The reverse of [`left_aligned`].
#[inline]
const fn leading_bytes<const BYTES: usize>(bits: u128) -> [u8; BYTES] {
    let all = bits.to_be_bytes();
    let mut bytes = [0; BYTES];
    let mut i = 0;
    while i < BYTES {
        bytes[i] = all[i];
        i += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    #[test]
    fn alphabets_are_checked() {
        let scattered = "acegikmoqsuwyACEGIKMOQSUWY024689";
        let twice = "0123456789abcde0";
        let not_ascii = "0123456789abcdé";
        for symbols in ["", "a", "01", "0123456789abcdefg", twice, not_ascii, scattered] {
            assert!(Alphabet::new(symbols, "").is_none(), "{symbols:?}");
        }
        for (symbols, bits) in
            [("0123456789abcdef", 4), ("23456789abcdefghijklmnopqrstuvwx", 5), (BASE64, 6)]
        {
            let alphabet = Alphabet::new(symbols, "").map(|alphabet| alphabet.bits());
            assert_eq!(alphabet, Some(bits), "{symbols:?}");
        }
    }

    #[test]
    fn up_to_16_bytes_round_trip() {
        fn check<const BYTES: usize, const CHARS: usize>(text: &str) {
            let hex = Alphabet::new("0123456789abcdef", "hex").unwrap();
            let bytes: [u8; BYTES] =
                core::array::from_fn(|i| u8::try_from(0x0f * i + 0x0f).unwrap());
            assert_eq!(hex.encode::<BYTES, CHARS>(&bytes), text);
            assert_eq!(hex.decode::<BYTES, CHARS>(text.as_bytes()), Ok(bytes));
        }
        check::<1, 2>("0f");
        check::<4, 8>("0f1e2d3c");
        check::<8, 16>("0f1e2d3c4b5a6978");
        check::<9, 18>("0f1e2d3c4b5a697887");
        check::<16, 32>("0f1e2d3c4b5a69788796a5b4c3d2e1f0");
    }

    #[test]
    fn eight_runs_round_trip() {
        let alphabet = Alphabet::new("abdeghjkmnpqstvw", "eight pairs").unwrap();
        let bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
        assert_eq!(alphabet.encode::<8, 16>(&bytes), "abdeghjkmnpqstvw");
        assert_eq!(alphabet.decode::<8, 16>(b"abdeghjkmnpqstvw"), Ok(bytes));
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
    fn wrong_bytes_precede_stray_bits() {
        let base64 = Alphabet::new(BASE64, "base64").unwrap();
        let wrong =
            |byte, position| Err(ParseErrorKind::Character { byte, position, expected: "base64" });
        assert_eq!(base64.decode::<1, 2>(b"+/"), wrong(b'+', 0));
        assert_eq!(base64.decode::<1, 2>(b"_\xff"), wrong(0xff, 1));
        let length = ParseErrorKind::Length { found: 3, min: 2, max: 2 };
        assert_eq!(base64.decode::<1, 2>(b"!!!"), Err(length));
    }
}
