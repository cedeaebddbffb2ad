//! Conversions between values and characters, sixteen at a time.
//!
//! An alphabet is a few runs of consecutive characters, such as `2-9` and `a-x`. Within a run, a
//! character is its value plus the run's offset, so a conversion adds the first run's offset to
//! every byte and, for each later run, the difference to the bytes that lie in it or above. This
//! takes one comparison, one mask and one addition per run, and no table.

use core::arch::x86_64::*;

use crate::StaticAlphabet;

/// Returns `lanes + change` where the bytes of `mask` are -1, and `lanes` where they are 0.
#[inline]
#[target_feature(enable = "sse2")]
fn add_where(lanes: __m128i, mask: __m128i, change: u8) -> __m128i {
    match change {
        1 => _mm_sub_epi8(lanes, mask),
        0xff => _mm_add_epi8(lanes, mask),
        _ => _mm_add_epi8(lanes, _mm_and_si128(mask, _mm_set1_epi8(change.cast_signed()))),
    }
}

/// Returns values as characters. Within a run, a character is its value plus an offset, and
/// each run changes the previous run's offset.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn symbols<S: StaticAlphabet>(values: __m128i) -> __m128i {
    let runs = const { &S::ALPHABET.runs };
    let mut symbols = _mm_add_epi8(values, _mm_set1_epi8(runs[0].symbol.cast_signed()));
    let mut i = 1;
    while i < const { S::ALPHABET.run_count } {
        let change = runs[i].offset().wrapping_sub(runs[i - 1].offset());
        let from_here =
            _mm_cmpgt_epi8(values, _mm_set1_epi8(runs[i].value.wrapping_sub(1).cast_signed()));
        symbols = add_where(symbols, from_here, change);
        i += 1;
    }
    symbols
}

/// Returns characters as values, and -1 for each character in the alphabet or else 0. Bytes
/// above 127 are negative, so they are below every bound.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn values<S: StaticAlphabet>(symbols: __m128i) -> (__m128i, __m128i) {
    let runs = const { &S::ALPHABET.runs_by_symbol };
    let above = |bound: u8| _mm_cmpgt_epi8(symbols, _mm_set1_epi8(bound.cast_signed()));
    // Within a run a value differs from its character by an offset. Each run adds the change of
    // that offset to all characters from its first one on.
    let mut values = _mm_sub_epi8(symbols, _mm_set1_epi8(runs[0].offset().cast_signed()));
    // A character that passed an odd number of the runs' ends is within a run.
    let mut within = _mm_xor_si128(symbols, symbols);
    let mut i = 0;
    while i < const { S::ALPHABET.run_count } {
        let run = runs[i];
        let from_here = above(run.symbol.wrapping_sub(1));
        if i > 0 {
            let change = runs[i - 1].offset().wrapping_sub(run.offset());
            values = add_where(values, from_here, change);
        }
        let inside = if run.len == 1 {
            _mm_cmpeq_epi8(symbols, _mm_set1_epi8(run.symbol.cast_signed()))
        } else {
            _mm_xor_si128(from_here, above(run.symbol + (run.len - 1)))
        };
        within = _mm_xor_si128(within, inside);
        i += 1;
    }
    (values, within)
}

/// Returns numbers below 36^4 as four digits each.
///
/// A number plus a half, divided by 1,296, is at least 1/2592 away from the next integer,
/// and in `f32` it is less than 1/6000 off, so truncating it gives the quotient. (A test
/// checks all of them.)
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn base36_symbols(fours: __m128i) -> __m128i {
    let half_more = _mm_add_ps(_mm_cvtepi32_ps(fours), _mm_set1_ps(0.5));
    let quotients = _mm_cvttps_epi32(_mm_mul_ps(half_more, _mm_set1_ps(1.0 / 1_296.0)));
    // Each lane holds two words: the quotient, and below it the number. 1,296 times the
    // quotient is subtracted from the number. The high bits that do not fit into a word
    // cancel out.
    let words = _mm_or_si128(quotients, _mm_slli_epi32::<16>(fours));
    let above = _mm_slli_epi32::<16>(words);
    let twos = _mm_sub_epi16(words, _mm_mullo_epi16(above, _mm_set1_epi16(1_296)));
    // The same is done again to split words into bytes. Below 1,296, 1,821 / 2^16 is close
    // enough to 1 / 36.
    let tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(1_821));
    let spread = _mm_slli_epi16::<8>(twos);
    let digits = _mm_sub_epi16(spread, _mm_mullo_epi16(tens, _mm_set1_epi16(36 * 256 - 1)));
    let letters = _mm_cmpgt_epi8(digits, _mm_set1_epi8(9));
    add_where(_mm_add_epi8(digits, _mm_set1_epi8(b'0'.cast_signed())), letters, b'a' - 10 - b'0')
}

/// Returns digits, in either case, as values, and -1 for each digit or else 0.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn base36_values(symbols: __m128i) -> (__m128i, __m128i) {
    let decimal = _mm_sub_epi8(symbols, _mm_set1_epi8(b'0'.cast_signed()));
    let is_decimal = _mm_cmpeq_epi8(_mm_min_epu8(decimal, _mm_set1_epi8(9)), decimal);
    let lower = _mm_or_si128(symbols, _mm_set1_epi8(0x20));
    let letter = _mm_sub_epi8(lower, _mm_set1_epi8(b'a'.cast_signed()));
    let is_letter = _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter);
    let letter = _mm_add_epi8(letter, _mm_set1_epi8(10));
    let values =
        _mm_or_si128(_mm_and_si128(is_decimal, decimal), _mm_andnot_si128(is_decimal, letter));
    (values, _mm_or_si128(is_decimal, is_letter))
}
