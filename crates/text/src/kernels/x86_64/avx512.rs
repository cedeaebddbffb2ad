//! Kernels for four IDs at a time (or eight of SCRU64's integers), with AVX-512 F, BW, DQ, IFMA and
//! VBMI, which have an instruction for every step:
//!
//! | instruction | step |
//! |---|---|
//! | `vpermb` (`permutexvar_epi8`) | bytes to any place; the characters of 64 values |
//! | `vpermi2b` (`permutex2var_epi8`) | the values of 128 characters; bytes of two registers |
//! | `vpmultishiftqb` | 8 bits from any place of 64, for each byte: spreads 8 values in one step |
//! | `vpmadd52` | the high or low 52 bits of a product: divides by a reciprocal |
//!
//! **Encode**: `vpermb` puts the 5 or 6 bytes of each eight values into a 64-bit lane, as a
//! big-endian number; `vpmultishiftqb` takes the bits of each value from it; `vpermb` looks the
//! characters up. **Decode** joins values as [AVX2](super::avx2) does. **Base36** splits numbers
//! into two of six digits, those into three of two digits, and those into digits.

use core::arch::x86_64::*;
use core::ptr;

use super::tables::{
    SAME, ascii_values, byte_places, eight_places, four_times, stray_bits, symbols, table,
    value_shifts,
};
use crate::{StaticAlphabet, base36};

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn encode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
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
        // The next bits lie above each value, but the table ignores them.
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
pub(super) fn decode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
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
        // As with AVX2, two values are joined to a word, four to 32 bits and, if they have 5 bits,
        // eight to 64.
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

#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn encode_base36(values: &[u64], texts: &mut [[u8; 12]]) -> usize {
    const SIX: i64 = 36i64.pow(6);
    // Division by 36^6, without its power of two, is a multiplication. The reciprocal is at most 1
    // / 2^71 too high and the dividend is below 2^50.1, so quotients are less than 1 / 2^20.9 too
    // high. The next integer is 1 / 3^12 away, which is more.
    const BY_SIX: i64 = reciprocal(71, SIX >> 12);
    let zero = _mm512_setzero_si512();
    let table = load(&const { digit_table() });
    let (first_64, last_32) =
        (load(&const { of_high_and_low(0) }), load(&const { of_high_and_low(64) }));
    let mut done = 0;
    for (values, texts) in values.as_chunks().0.iter().zip(texts.as_chunks_mut::<8>().0) {
        let values = load_integers(values);
        let dividend = _mm512_srli_epi64::<12>(values);
        let high = _mm512_madd52hi_epu64(zero, dividend, _mm512_set1_epi64(BY_SIX));
        let high = _mm512_srli_epi64::<19>(high);
        // This is right in the low 52 bits, which are more than the result has.
        let low = _mm512_madd52lo_epu64(values, high, _mm512_set1_epi64(-SIX));
        let (high, low) = (six_digits(high), six_digits(low));
        // These are 96 bytes. (Writing three quarters of a register twice would take three times as
        // long.)
        if let Some((first, rest)) = texts.as_flattened_mut().split_first_chunk_mut() {
            let first_of_them = _mm512_permutex2var_epi8(high, first_64, low);
            store(first, _mm512_permutexvar_epi8(first_of_them, table));
            if let Some(rest) = rest.first_chunk_mut() {
                let rest_of_them = _mm512_permutex2var_epi8(high, last_32, low);
                let rest_of_them = _mm512_permutexvar_epi8(rest_of_them, table);
                store_half(rest, _mm512_castsi512_si256(rest_of_them));
            }
        }
        done += 8;
    }
    done
}

/// Returns the values of the six digits of numbers below 36^6, which are in the low 52 bits, in the
/// first six of each eight bytes. The others are unspecified.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512ifma")]
fn six_digits(numbers: __m512i) -> __m512i {
    const TWO: i64 = 36 * 36;
    // Both reciprocals are at most 1 / 2^52 too high and the numbers are below 2^31.1, so quotients
    // are less than 1 / 2^20.9 too high. The next integer is 1 / 36^4 away, which is more.
    const BY_TWO: i64 = reciprocal(52, TWO);
    const BY_FOUR: i64 = reciprocal(52, TWO * TWO);
    let zero = _mm512_setzero_si512();
    let by_two = _mm512_madd52hi_epu64(zero, numbers, _mm512_set1_epi64(BY_TWO));
    let by_four = _mm512_madd52hi_epu64(zero, numbers, _mm512_set1_epi64(BY_FOUR));
    // Two digits to a word, the first lowest: `by_four`, `by_two - TWO * by_four`, `numbers - TWO *
    // by_two`. The fourth gets the bits above the low 52.
    let pairs = _mm512_slli_epi64::<32>(numbers);
    let pairs = _mm512_madd52lo_epu64(pairs, by_two, _mm512_set1_epi64((1 << 16) - (TWO << 32)));
    let pairs = _mm512_madd52lo_epu64(pairs, by_four, _mm512_set1_epi64(1 - (TWO << 16)));
    // Splits words into bytes, as in `lanes`.
    let tens = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(1_821));
    let factor = _mm512_set1_epi16(36 * 256 - 1);
    _mm512_sub_epi16(_mm512_slli_epi16::<8>(pairs), _mm512_mullo_epi16(tens, factor))
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

/// Returns the values of the first `CHARS` of each 16 characters, and zero for the others, or
/// `None` if a character has no value.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up<const CHARS: usize>(symbols: __m512i, low: __m512i, high: __m512i) -> Option<__m512i> {
    let ours = const { 0x0001_0001_0001_0001 * (first_of_64(CHARS) & 0xffff) };
    // The lookup uses the low seven bits of each character, and the eighth is checked later.
    let values = _mm512_maskz_permutex2var_epi8(ours, low, symbols, high);
    let wrong = _mm512_movepi8_mask(_mm512_or_si512(values, symbols)) & ours;
    (wrong == 0).then_some(values)
}

/// Returns 2^`bits` / `divisor`, rounded up. A result of more than 52 bits, which the instruction
/// does not take, fails to compile.
const fn reciprocal(bits: u32, divisor: i64) -> i64 {
    let reciprocal = (1 << bits) / divisor as i128 + 1;
    assert!(reciprocal < 1 << 52);
    #[allow(clippy::cast_possible_truncation, reason = "52 bits")]
    {
        reciprocal as i64
    }
}

/// Returns the places of 64 bytes, from `first` on, of the texts of eight numbers: the first six of
/// each are in one register and the last six in another, in eight bytes each.
const fn of_high_and_low(first: usize) -> [u8; 64] {
    table!(64, i => match first + i {
        at @ 0..96 => at % 12 / 6 * 64 + at / 12 * 8 + at % 12 % 6,
        _ => 0,
    })
}

const fn digit_table() -> [u8; 64] {
    table!(64, i => if i < 36 { base36::DIGITS[i] } else { 0 })
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

/// Returns the bytes of all items, then zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_four<const N: usize>(items: &[[u8; N]; 4]) -> __m512i {
    let mask = const { first_of_64(4 * N) };
    // SAFETY: reads the 4 × N bytes behind the reference and no others: what is not in the mask is
    // not touched.
    unsafe { _mm512_maskz_loadu_epi8(mask, ptr::from_ref(items).cast()) }
}

/// Writes the first bytes to all items.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_four<const N: usize>(items: &mut [[u8; N]; 4], lanes: __m512i) {
    let mask = const { first_of_64(4 * N) };
    // SAFETY: writes the 4 × N bytes behind the reference and no others: what is not in the mask is
    // not touched.
    unsafe { _mm512_mask_storeu_epi8(ptr::from_mut(items).cast(), mask, lanes) };
}

/// Returns a mask for the first `count` of 64 bytes, or an empty mask if `count` is larger.
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
