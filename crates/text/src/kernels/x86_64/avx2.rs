//! Kernels for two IDs at a time, one in each half of a register because shuffles do not cross the
//! halves. [The module above](super) explains the steps.
//!
//! Each ID is read and written as 16 bytes. The bytes beyond it belong to its neighbours, so those
//! that are read are ignored, and those that are written are overwritten later. The last ID is
//! therefore left to other code.

use core::arch::x86_64::*;
use core::ptr;

use super::lanes::lanes;
use super::sse2::{fours, join_fours};
use super::tables::{below, byte_places, pair_factors, pair_places, stray_bits};
use crate::StaticAlphabet;

lanes! {
    "avx2", __m256i;
    _mm256_set1_epi8 _mm256_set1_epi16 _mm256_set1_ps
    _mm256_and_si256 _mm256_andnot_si256 _mm256_or_si256 _mm256_xor_si256
    _mm256_add_epi8 _mm256_sub_epi8 _mm256_cmpgt_epi8 _mm256_cmpeq_epi8 _mm256_min_epu8
    _mm256_sub_epi16 _mm256_mullo_epi16 _mm256_mulhi_epu16 _mm256_slli_epi16
    _mm256_slli_epi32 _mm256_cvtepi32_ps _mm256_add_ps _mm256_mul_ps _mm256_cvttps_epi32
}

#[target_feature(enable = "avx2")]
pub(super) fn encode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    ids: &[[u8; BYTES]],
    texts: &mut [[u8; CHARS]],
) -> usize {
    let bits = const { S::ALPHABET.bits() };
    let places = twice(const { &pair_places::<BYTES>(S::ALPHABET.bits()) });
    let factors = twice(const { &pair_factors(S::ALPHABET.bits()) });
    let mut done = 0;
    while let (Some(a), Some(b)) = (window(ids, done), window(ids, done + 1)) {
        // AVX2 has no shift with a different count for each word, so a multiplication by a power of
        // two takes its place. It leaves two values at the top of each word.
        let pairs = _mm256_mullo_epi16(_mm256_shuffle_epi8(both(a, b), places), factors);
        let values = if bits == 5 {
            let second = _mm256_and_si256(_mm256_slli_epi16::<2>(pairs), _mm256_set1_epi16(0x1f00));
            _mm256_or_si256(_mm256_srli_epi16::<11>(pairs), second)
        } else {
            let second = _mm256_and_si256(_mm256_slli_epi16::<4>(pairs), _mm256_set1_epi16(0x3f00));
            _mm256_or_si256(_mm256_srli_epi16::<10>(pairs), second)
        };
        if !put(texts, done, symbols::<S>(values)) {
            break;
        }
        done += 2;
    }
    done
}

#[target_feature(enable = "avx2")]
pub(super) fn decode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    texts: &[[u8; CHARS]],
    ids: &mut [[u8; BYTES]],
) -> usize {
    let bits = const { S::ALPHABET.bits() };
    let ours = twice(const { &below(CHARS) });
    let stray = twice(const { &stray_bits::<BYTES, CHARS>(S::ALPHABET.bits()) });
    let places = twice(const { &byte_places::<BYTES>(S::ALPHABET.bits()) });
    let pair_factors = _mm256_set1_epi16(if bits == 5 { 0x0120 } else { 0x0140 });
    let mut done = 0;
    while let (Some(a), Some(b)) = (window(texts, done), window(texts, done + 1)) {
        let (values, within) = values::<S>(both(a, b));
        let values = _mm256_and_si256(values, ours);
        let stray = _mm256_and_si256(values, stray);
        let wrong = _mm256_or_si256(_mm256_andnot_si256(within, ours), stray);
        if _mm256_testz_si256(wrong, wrong) == 0 {
            break;
        }
        // In a word, the low byte is the first value, so it is multiplied by 2^bits and the other
        // by 1. The same is then done with two words of twice as many bits.
        let twos = _mm256_maddubs_epi16(values, pair_factors);
        let fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 1 << (2 * bits)));
        let packed = if bits == 5 {
            // 20 bits are not whole bytes, so the low lane's go above the high lane's, 40 together.
            let first = _mm256_srli_epi64::<12>(_mm256_slli_epi64::<32>(fours));
            _mm256_or_si256(first, _mm256_srli_epi64::<32>(fours))
        } else {
            fours
        };
        if !put(ids, done, _mm256_shuffle_epi8(packed, places)) {
            break;
        }
        done += 2;
    }
    done
}

#[target_feature(enable = "avx2")]
pub(super) fn encode_base36(values: &[u64], texts: &mut [[u8; 12]]) -> usize {
    let mut done = 0;
    for [a, b] in values.as_chunks().0 {
        let fours = _mm256_set_m128i(fours(*b), fours(*a));
        if !put(texts, done, base36_symbols(fours)) {
            break;
        }
        done += 2;
    }
    done
}

#[target_feature(enable = "avx2")]
pub(super) fn decode_base36(texts: &[[u8; 12]], values: &mut [u64]) -> usize {
    let ours = twice(const { &below(12) });
    let mut done = 0;
    for [first, second] in values.as_chunks_mut().0 {
        let (Some(a), Some(b)) = (window(texts, done), window(texts, done + 1)) else {
            break;
        };
        let (values, within) = base36_values(both(a, b));
        let wrong = _mm256_andnot_si256(within, ours);
        if _mm256_testz_si256(wrong, wrong) == 0 {
            break;
        }
        // The factors are 36 = 0x24 and 1, then 36^2 = 1,296 and 1.
        let values = _mm256_and_si256(values, ours);
        let twos = _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0124));
        let fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 1_296));
        let quarter = |quarter: i64| quarter.cast_unsigned();
        *first = join_fours(
            quarter(_mm256_extract_epi64::<0>(fours)),
            quarter(_mm256_extract_epi64::<1>(fours)),
        );
        *second = join_fours(
            quarter(_mm256_extract_epi64::<2>(fours)),
            quarter(_mm256_extract_epi64::<3>(fours)),
        );
        done += 2;
    }
    done
}

/// Returns 16 bytes from item `index` on, or `None` if there are fewer.
#[inline]
fn window<const N: usize>(items: &[[u8; N]], index: usize) -> Option<&[u8; 16]> {
    items.as_flattened().get(index * N..)?.first_chunk()
}

/// Writes the low half to item `index` and beyond, then the high half to the next item, or nothing
/// if there is not enough room.
#[inline]
#[target_feature(enable = "avx2")]
fn put<const N: usize>(items: &mut [[u8; N]], index: usize, lanes: __m256i) -> bool {
    let rest = items.as_flattened_mut().get_mut(index * N..).filter(|rest| rest.len() >= N + 16);
    let Some(rest) = rest else {
        return false;
    };
    if let Some(first) = rest.first_chunk_mut() {
        store(first, _mm256_castsi256_si128(lanes));
    }
    if let Some(second) = rest.get_mut(N..).and_then(<[u8]>::first_chunk_mut) {
        store(second, _mm256_extracti128_si256::<1>(lanes));
    }
    true
}

#[inline]
#[target_feature(enable = "avx2")]
fn both(low: &[u8; 16], high: &[u8; 16]) -> __m256i {
    _mm256_set_m128i(load(high), load(low))
}

/// Returns the same 16 bytes in both halves.
#[inline]
#[target_feature(enable = "avx2")]
fn twice(bytes: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(load(bytes))
}

#[inline]
#[target_feature(enable = "sse2")]
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: reads the 16 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm_loadu_si128(ptr::from_ref(bytes).cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store(bytes: &mut [u8; 16], lanes: __m128i) {
    // SAFETY: writes the 16 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm_storeu_si128(ptr::from_mut(bytes).cast(), lanes) }
}
