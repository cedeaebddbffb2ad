//! Kernels for one ID at a time, with SSE2, which every x86-64 processor has.
//!
//! SSE2 has neither a byte shuffle nor a multiply-add of bytes, so it does some steps of [the
//! module above](super) differently. Shifts in general registers bring bytes into place, halving
//! spreads 6-bit values (48 bits to two of 24, to four of 12, to eight of 6), and shifts join bytes
//! to words.

use core::arch::x86_64::*;
use core::ptr;

use super::lanes::{base36_symbols, base36_values, symbols, values};
use crate::StaticAlphabet;

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn encode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    bytes: &[u8; BYTES],
) -> [u8; CHARS] {
    let values = if let (5, Some(bytes)) = (const { S::ALPHABET.bits() }, bytes.first_chunk()) {
        fives(bytes)
    } else {
        sixes(bytes)
    };
    leading(symbols::<S>(values))
}

/// Returns 10 bytes as 16 values of 5 bits.
#[inline]
#[target_feature(enable = "sse2")]
fn fives(bytes: &[u8; 10]) -> __m128i {
    // Reads two pieces, because arrays are moved in these pieces, and a read across what was just
    // written in pieces is slow.
    let (head, tail) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let head = u64::from_le_bytes(*head);
    let tail = tail.first_chunk().map_or(0, |tail| u64::from(u16::from_le_bytes(*tail)));
    // The last eight bytes.
    let last = (head & !0xffff | tail).rotate_right(16);
    // Ten bits, or two values, start at bits 0, 2, 4, 6 of the bytes 0, 1, 2, 3 and 5, 6, 7, 8, so
    // each of those bytes goes before the next one in big-endian words.
    const LOW: u64 = 0xffff_ffff;
    let bytes = head & LOW | last << 8 & !LOW;
    let next_bytes = head >> 8 & LOW | last & !LOW;
    let words = _mm_unpacklo_epi8(
        _mm_cvtsi64_si128(next_bytes.cast_signed()),
        _mm_cvtsi64_si128(bytes.cast_signed()),
    );
    // The factors shift them to the top, and the bits above them out.
    let tens = _mm_mullo_epi16(words, _mm_setr_epi16(1, 4, 16, 64, 1, 4, 16, 64));
    let second = _mm_and_si128(_mm_slli_epi16::<2>(tens), _mm_set1_epi16(0x1f00));
    _mm_or_si128(_mm_srli_epi16::<11>(tens), second)
}

/// Returns 12 bytes, or fewer padded with zeros, as 16 values of 6 bits.
#[inline]
#[target_feature(enable = "sse2")]
fn sixes<const BYTES: usize>(bytes: &[u8; BYTES]) -> __m128i {
    // Reads two pieces, as above.
    let (head, tail) = bytes.split_first_chunk().unwrap_or((&[0; 8], &[]));
    let head = u64::from_be_bytes(*head);
    let tail = tail.first_chunk().map_or(0, |tail| u32::from_be_bytes(*tail));
    // Each half takes 48 bits, or 8 values. Each step puts the first half of what there is below
    // the other half.
    let last = (head & 0xffff) << 32 | u64::from(tail);
    let all = _mm_set_epi64x(last.cast_signed(), (head >> 16).cast_signed());
    let low = _mm_and_si128(_mm_slli_epi64::<32>(all), _mm_set1_epi64x(0xff_ffff << 32));
    let fours = _mm_or_si128(_mm_srli_epi64::<24>(all), low);
    let low = _mm_and_si128(_mm_slli_epi32::<16>(fours), _mm_set1_epi32(0xfff << 16));
    let twos = _mm_or_si128(_mm_srli_epi32::<12>(fours), low);
    let low = _mm_and_si128(_mm_slli_epi16::<8>(twos), _mm_set1_epi16(0x3f << 8));
    _mm_or_si128(_mm_srli_epi16::<6>(twos), low)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn decode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    text: &[u8; CHARS],
) -> Option<[u8; BYTES]> {
    let zero = const { S::ALPHABET.runs[0].symbol };
    let (values, within) = values::<S>(padded(text, zero));
    if _mm_movemask_epi8(within) != 0xffff {
        return None;
    }
    // Each step doubles the bits in a lane, with the first half above the other.
    let bits = const { S::ALPHABET.bits().cast_signed() };
    let second = _mm_srli_epi16::<8>(values);
    let twos = if bits == 5 {
        let first = _mm_and_si128(_mm_slli_epi16::<5>(values), _mm_set1_epi16(0x1f << 5));
        _mm_or_si128(first, second)
    } else {
        let first = _mm_and_si128(_mm_slli_epi16::<6>(values), _mm_set1_epi16(0x3f << 6));
        _mm_or_si128(first, second)
    };
    let fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 1 << (2 * bits)));
    // 8 values in the low 40 or 48 bits of each half.
    let first = _mm_slli_epi64::<32>(fours);
    let first = if bits == 5 { _mm_srli_epi64::<12>(first) } else { _mm_srli_epi64::<8>(first) };
    let (first, second) = halves(_mm_or_si128(first, _mm_srli_epi64::<32>(fours)));
    // 16 values from the highest bit on, in two words.
    let high = first << (64 - 8 * bits) | second >> (16 * bits - 64);
    let low = second << (128 - 16 * bits);
    if low << (8 * (BYTES - 8)) != 0 {
        return None;
    }
    let mut bytes = [0; BYTES];
    let (eight, rest) = bytes.split_first_chunk_mut()?;
    *eight = high.to_be_bytes();
    rest.copy_from_slice(low.to_be_bytes().get(..BYTES - 8)?);
    Some(bytes)
}

/// Returns the twelve digits of `value`, which is below 36^12.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn encode_base36(value: u64) -> [u8; 12] {
    leading(base36_symbols(fours(value)))
}

/// Returns the twelve digits of `value` as three numbers of four digits each, in order, and zero.
#[inline]
#[target_feature(enable = "sse2")]
fn fours(value: u64) -> __m128i {
    const FOUR: u64 = 36u64.pow(4);
    let (value, last) = (value / FOUR, value % FOUR);
    let (first, second) = (value / FOUR, value % FOUR);
    _mm_set_epi64x(last.cast_signed(), (first | second << 32).cast_signed())
}

/// Returns the number that `text` spells, or `None` if it is not valid.
#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn decode_base36(text: &[u8; 12]) -> Option<u64> {
    let (values, within) = base36_values(padded(text, b'0'));
    if _mm_movemask_epi8(within) != 0xffff {
        return None;
    }
    // Joins two digits to a word, by 36, and four to 32 bits, by 36^2. The rest is done in general
    // registers.
    let first = _mm_and_si128(values, _mm_set1_epi16(0xff));
    let second = _mm_srli_epi16::<8>(values);
    let twos = _mm_add_epi16(_mm_mullo_epi16(first, _mm_set1_epi16(36)), second);
    let fours = _mm_madd_epi16(twos, _mm_set1_epi32(1 << 16 | 1_296));
    let (eight, last) = halves(fours);
    Some(join_fours(eight, last))
}

/// Returns the number of three times four digits. Two of them are in the halves of `eight`, the
/// first in the low half.
#[inline]
const fn join_fours(eight: u64, last: u64) -> u64 {
    const FOUR: u64 = 36u64.pow(4);
    ((eight & 0xffff_ffff) * FOUR + (eight >> 32)) * FOUR + last
}

/// Returns the characters of `text`, up to 16, and `pad` for the others.
#[inline]
#[target_feature(enable = "sse2")]
fn padded<const CHARS: usize>(text: &[u8; CHARS], pad: u8) -> __m128i {
    let little_endian = |chunk: Option<&[u8; 8]>| chunk.map_or(0, |c| u64::from_le_bytes(*c));
    let (first, last) = (little_endian(text.first_chunk()), little_endian(text.last_chunk()));
    let second = if CHARS == 16 {
        last
    } else {
        // The last eight overlap with the first, and the room that the shift leaves is padding.
        let pads = u64::from_le_bytes([pad; 8]);
        last >> (8 * (16 - CHARS)) | pads << (8 * (CHARS - 8))
    };
    _mm_set_epi64x(second.cast_signed(), first.cast_signed())
}

/// Returns the low and the high half.
#[inline]
#[target_feature(enable = "sse2")]
fn halves(lanes: __m128i) -> (u64, u64) {
    let high = _mm_unpackhi_epi64(lanes, lanes);
    (_mm_cvtsi128_si64(lanes).cast_unsigned(), _mm_cvtsi128_si64(high).cast_unsigned())
}

/// Returns the first bytes, at most 16.
#[inline]
#[target_feature(enable = "sse2")]
fn leading<const N: usize>(lanes: __m128i) -> [u8; N] {
    let mut all = [0; 16];
    // SAFETY: writes the 16 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm_storeu_si128(ptr::from_mut(&mut all).cast(), lanes) };
    all.first_chunk().copied().unwrap_or([0; N])
}
