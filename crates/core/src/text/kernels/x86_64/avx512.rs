//! Four IDs at a time (eight of SCRU64's integers), with AVX-512 F, BW, DQ, IFMA and VBMI, which have an
//! instruction for every step: bytes to any place, bits from any place, a look into a table.

use core::arch::x86_64::*;
use core::ptr;

use super::tables::{
    SAME, ascii_values, byte_places, eight_places, four_times, stray_bits, symbols, value_shifts,
};
use crate::text::{Base, base36};

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn encode<S: Base, const BYTES: usize, const CHARS: usize>(
    ids: &[[u8; BYTES]],
    texts: &mut [[u8; CHARS]],
) -> usize {
    let (places, present) = const { eight_places::<BYTES>(S::ALPHABET.bits()) };
    let places = load(&places);
    let shifts = load(&const { value_shifts(S::ALPHABET.bits()) });
    let table = load(&const { symbols::<S>() });
    let together = load(&const { four_times(SAME, CHARS, 16) });
    let groups = ids.as_chunks().0.iter().zip(texts.as_chunks_mut().0);
    let mut done = 0;
    for (ids, texts) in groups {
        let eights = _mm512_maskz_permutexvar_epi8(present, places, load_four(ids));
        // With the next bits above each value, which the table does not look at.
        let values = _mm512_multishift_epi64_epi8(shifts, eights);
        let symbols = _mm512_permutexvar_epi8(values, table);
        let symbols =
            if CHARS == 16 { symbols } else { _mm512_permutexvar_epi8(together, symbols) };
        store_four(texts, symbols);
        done += 4;
    }
    done
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn decode<S: Base, const BYTES: usize, const CHARS: usize>(
    texts: &[[u8; CHARS]],
    ids: &mut [[u8; BYTES]],
) -> usize {
    let bits = const { S::ALPHABET.bits() };
    let (low, high) = const { ascii_values(&S::ALPHABET.values) };
    let (low, high) = (load(&low), load(&high));
    let stray = load_four(&const { [stray_bits::<BYTES, CHARS>(S::ALPHABET.bits()); 4] });
    let apart = load(&const { four_times(SAME, 16, CHARS) });
    let together = load(&const { four_times(byte_places::<BYTES>(S::ALPHABET.bits()), BYTES, 16) });
    let pair_factors = _mm512_set1_epi16(if bits == 5 { 0x0120 } else { 0x0140 });
    let mut done = 0;
    for (texts, ids) in texts.as_chunks().0.iter().zip(ids.as_chunks_mut().0) {
        let symbols = load_four(texts);
        let symbols = if CHARS == 16 { symbols } else { _mm512_permutexvar_epi8(apart, symbols) };
        let Some(values) = look_up::<CHARS>(symbols, low, high) else { break };
        if _mm512_test_epi8_mask(values, stray) != 0 {
            break;
        }
        let twos = _mm512_maddubs_epi16(values, pair_factors);
        let fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(1 << 16 | 1 << (2 * bits)));
        let packed = if bits == 5 {
            let first = _mm512_srli_epi64::<12>(_mm512_slli_epi64::<32>(fours));
            _mm512_or_si512(first, _mm512_srli_epi64::<32>(fours))
        } else {
            fours
        };
        store_four(ids, _mm512_permutexvar_epi8(together, packed));
        done += 4;
    }
    done
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512ifma,avx512vbmi")]
pub(super) fn encode_base36(values: &[u64], texts: &mut [[u8; 12]]) -> usize {
    const FOUR: i64 = 36i64.pow(4);
    const EIGHT: i64 = 36i64.pow(8);
    // 36^8 and 36^4 without their powers of two divide by multiplying: with these, the quotient's high
    // 52 bits are exact, as the reciprocal is less than 1 / 2^77 (2^64) times the divisor off, and the
    // dividend is below 2^47 (2^34).
    const THREE_16: i64 = 36i64.pow(8) >> 16;
    const THREE_8: i64 = 36i64.pow(4) >> 8;
    const BY_EIGHT: i64 = reciprocal(77, THREE_16);
    const BY_FOUR: i64 = reciprocal(64, THREE_8);
    let zero = _mm512_setzero_si512();
    let digits = load(&const { digit_table() });
    let (first_64, last_32) =
        (load(&const { of_even_and_odd(0) }), load(&const { of_even_and_odd(64) }));
    let mut done = 0;
    for (values, texts) in values.as_chunks().0.iter().zip(texts.as_chunks_mut::<8>().0) {
        let values = load_integers(values);
        let dividend = _mm512_srli_epi64::<16>(values);
        let first = _mm512_madd52hi_epu64(zero, dividend, _mm512_set1_epi64(BY_EIGHT));
        let first = _mm512_srli_epi64::<25>(first);
        let rest = _mm512_sub_epi64(values, _mm512_mullo_epi64(first, _mm512_set1_epi64(EIGHT)));
        let dividend = _mm512_srli_epi64::<8>(rest);
        let second = _mm512_madd52hi_epu64(zero, dividend, _mm512_set1_epi64(BY_FOUR));
        let second = _mm512_srli_epi64::<12>(second);
        let last = _mm512_sub_epi64(rest, _mm512_mul_epu32(second, _mm512_set1_epi64(FOUR)));
        let two = _mm512_or_si512(first, _mm512_slli_epi64::<32>(second));
        let even = twelve_digits(_mm512_unpacklo_epi64(two, last), digits);
        let odd = twelve_digits(_mm512_unpackhi_epi64(two, last), digits);
        // 96 bytes. (To write three quarters of a register twice takes three times as long.)
        if let Some((first, rest)) = texts.as_flattened_mut().split_first_chunk_mut() {
            store(first, _mm512_permutex2var_epi8(even, first_64, odd));
            if let Some(rest) = rest.first_chunk_mut() {
                let rest_of_them = _mm512_permutex2var_epi8(even, last_32, odd);
                store_half(rest, _mm512_castsi512_si256(rest_of_them));
            }
        }
        done += 8;
    }
    done
}

/// Three numbers of four digits to each 16 bytes, as characters; how, is told in `lanes`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn twelve_digits(fours: __m512i, table: __m512i) -> __m512i {
    let half_more = _mm512_add_ps(_mm512_cvtepi32_ps(fours), _mm512_set1_ps(0.5));
    let quotients = _mm512_cvttps_epi32(_mm512_mul_ps(half_more, _mm512_set1_ps(1.0 / 1_296.0)));
    let words = _mm512_or_si512(quotients, _mm512_slli_epi32::<16>(fours));
    let above = _mm512_slli_epi32::<16>(words);
    let twos = _mm512_sub_epi16(words, _mm512_mullo_epi16(above, _mm512_set1_epi16(1_296)));
    let tens = _mm512_mulhi_epu16(twos, _mm512_set1_epi16(1_821));
    let factor = _mm512_set1_epi16(36 * 256 - 1);
    let digits = _mm512_sub_epi16(_mm512_slli_epi16::<8>(twos), _mm512_mullo_epi16(tens, factor));
    _mm512_permutexvar_epi8(digits, table)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vbmi")]
pub(super) fn decode_base36(texts: &[[u8; 12]], values: &mut [u64]) -> usize {
    const FOUR: i64 = 36i64.pow(4);
    let (low, high) = const { ascii_values(&base36::VALUES) };
    let (low, high) = (load(&low), load(&high));
    let apart = load(&const { four_times(SAME, 16, 12) });
    let even = load_integers(&[0, 2, 4, 6, 8, 10, 12, 14]);
    let odd = load_integers(&[1, 3, 5, 7, 9, 11, 13, 15]);
    let fours = |texts| {
        let symbols = _mm512_permutexvar_epi8(apart, load_four(texts));
        let values = look_up::<12>(symbols, low, high)?;
        let twos = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x0124));
        Some(_mm512_madd_epi16(twos, _mm512_set1_epi32(1 << 16 | 1_296)))
    };
    let mut done = 0;
    for (texts, values) in texts.as_chunks::<8>().0.iter().zip(values.as_chunks_mut().0) {
        let [first, second] = texts.as_chunks().0 else { break };
        let (Some(first), Some(second)) = (fours(first), fours(second)) else { break };
        let eights = _mm512_permutex2var_epi64(first, even, second);
        let last = _mm512_permutex2var_epi64(first, odd, second);
        // The first four digits are in the low half, the second in the high one.
        let first = _mm512_mul_epu32(eights, _mm512_set1_epi64(FOUR));
        let eights = _mm512_add_epi64(first, _mm512_srli_epi64::<32>(eights));
        let all = _mm512_mullo_epi64(eights, _mm512_set1_epi64(FOUR));
        store_integers(values, _mm512_add_epi64(all, last));
        done += 8;
    }
    done
}

/// What the first `CHARS` of each 16 characters are worth, zero for the others; `None` if one of them
/// is worth nothing.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up<const CHARS: usize>(symbols: __m512i, low: __m512i, high: __m512i) -> Option<__m512i> {
    let ours = const { 0x0001_0001_0001_0001 * (first_of_64(CHARS) & 0xffff) };
    // By the low seven bits of each; the eighth is still to be seen.
    let values = _mm512_maskz_permutex2var_epi8(ours, low, symbols, high);
    let wrong = _mm512_movepi8_mask(_mm512_or_si512(values, symbols)) & ours;
    (wrong == 0).then_some(values)
}

/// 2^`bits` / `divisor`, rounded up. More than 52 bits, which the instruction does not take, don't compile.
const fn reciprocal(bits: u32, divisor: i64) -> i64 {
    let reciprocal = (1 << bits) / divisor as i128 + 1;
    assert!(reciprocal < 1 << 52);
    #[allow(clippy::cast_possible_truncation, reason = "52 bits")]
    {
        reciprocal as i64
    }
}

/// Where 64 bytes from `first` on of the texts of eight numbers are, when those with even numbers are in
/// one register, and those with odd ones in another.
const fn of_even_and_odd(first: usize) -> [u8; 64] {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 && first + i < 96 {
        let (id, byte) = ((first + i) / 12, (first + i) % 12);
        #[allow(clippy::cast_possible_truncation, reason = "below 128")]
        let place = (id % 2 * 64 + id / 2 * 16 + byte) as u8;
        places[i] = place;
        i += 1;
    }
    places
}

const fn digit_table() -> [u8; 64] {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 36 {
        table[i] = base36::DIGITS[i];
        i += 1;
    }
    table
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: reads the 64 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm512_loadu_si512(ptr::from_ref(bytes).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(bytes: &mut [u8; 64], lanes: __m512i) {
    // SAFETY: writes the 64 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm512_storeu_si512(ptr::from_mut(bytes).cast(), lanes) };
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_half(bytes: &mut [u8; 32], lanes: __m256i) {
    // SAFETY: writes the 32 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm256_storeu_si256(ptr::from_mut(bytes).cast(), lanes) };
}

/// The bytes of all items, then zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_four<const N: usize>(items: &[[u8; N]; 4]) -> __m512i {
    let mask = const { first_of_64(4 * N) };
    // SAFETY: reads the 4 × N bytes behind the reference and no others: what is not in the mask is not
    // touched.
    unsafe { _mm512_maskz_loadu_epi8(mask, ptr::from_ref(items).cast()) }
}

/// Writes the first bytes to all items.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_four<const N: usize>(items: &mut [[u8; N]; 4], lanes: __m512i) {
    let mask = const { first_of_64(4 * N) };
    // SAFETY: writes the 4 × N bytes behind the reference and no others: what is not in the mask is not
    // touched.
    unsafe { _mm512_mask_storeu_epi8(ptr::from_mut(items).cast(), mask, lanes) };
}

/// A mask for the first `count` of 64 bytes; for none if there are more.
const fn first_of_64(count: usize) -> u64 {
    if count < 64 {
        (1 << count) - 1
    } else if count == 64 {
        u64::MAX
    } else {
        0
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_integers(integers: &[u64; 8]) -> __m512i {
    // SAFETY: reads the 64 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm512_loadu_si512(ptr::from_ref(integers).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_integers(integers: &mut [u64; 8], lanes: __m512i) {
    // SAFETY: writes the 64 bytes behind the reference; the instruction needs no alignment.
    unsafe { _mm512_storeu_si512(ptr::from_mut(integers).cast(), lanes) };
}
