//! The tables of the wide kernels, computed at compile time.
//!
//! Shapes that [`has_encode`](super::has_encode) rejects must compile, too, but are never run.

use crate::StaticAlphabet;

/// Makes a table of bytes, which every value must fit.
macro_rules! table {
    ($len:literal, $i:ident => $value:expr) => {{
        let mut table = [0; $len];
        let mut $i = 0;
        while $i < $len {
            #[allow(clippy::cast_possible_truncation, reason = "every value fits")]
            #[allow(trivial_numeric_casts, reason = "some are bytes")]
            let value = $value as u8;
            table[$i] = value;
            $i += 1;
        }
        table
    }};
}
pub(super) use table;

/// The place that makes a byte shuffle write zero.
const NOWHERE: u8 = 0x80;

/// Returns the places of the two bytes of an ID that hold each pair of values, the less significant
/// one first.
pub(super) const fn pair_places<const BYTES: usize>(bits: u32) -> [u8; 16] {
    table!(16, i => place(i / 2 * 2 * bits as usize / 8 + 1 - i % 2, BYTES))
}

const fn place(byte: usize, bytes: usize) -> u8 {
    #[allow(clippy::cast_possible_truncation, reason = "at most 16")]
    if byte < bytes { byte as u8 } else { NOWHERE }
}

/// Returns the factors, as words, that move the highest bit of each pair to the highest bit of its
/// two bytes.
pub(super) const fn pair_factors(bits: u32) -> [u8; 16] {
    table!(16, i => if i % 2 == 0 { 1_u8 << (i * bits as usize % 8) } else { 0 })
}

/// Returns -1 for the first `count` of 16 bytes, and 0 for the others.
pub(super) const fn below(count: usize) -> [u8; 16] {
    table!(16, i => if i < count { 0xff_u8 } else { 0 })
}

/// Returns the bits of each value that are beyond the last byte of an ID.
pub(super) const fn stray_bits<const BYTES: usize, const CHARS: usize>(bits: u32) -> [u8; 16] {
    let mut stray = [0; 16];
    let spare = (CHARS * bits as usize).saturating_sub(8 * BYTES);
    if CHARS <= 16 && spare < 8 {
        stray[CHARS - 1] = (1 << spare) - 1;
    }
    stray
}

/// Returns the place of each byte of an ID after every 4 (of 6 bits) or 8 (of 5 bits) values were
/// joined to one number of 24 or 40 bits, in 4 or 8 bytes, the least significant one first.
pub(super) const fn byte_places<const BYTES: usize>(bits: u32) -> [u8; 16] {
    let (stride, used) = if bits == 5 { (8, 5) } else { (4, 3) };
    table!(16, i => place(i / used * stride + used - 1 - i % used, if i < BYTES { 16 } else { 0 }))
}

/// Returns `places` four times, in 16 bytes each, for items of `from` bytes moved to items of `to`
/// bytes.
pub(super) const fn four_times(places: [u8; 16], to: usize, from: usize) -> [u8; 64] {
    table!(64, i => if i < 4 * to && to <= 16 {
        i / to * from + (places[i % to] & 0x0f) as usize
    } else {
        0
    })
}

/// The places that leave every byte where it is.
pub(super) const SAME: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Returns the places, in four IDs, of the bytes that hold each eight values, as 64-bit numbers
/// with the least significant byte first, and a mask of the bytes that exist.
pub(super) const fn eight_places<const BYTES: usize>(bits: u32) -> ([u8; 64], u64) {
    let (mut places, mut present) = ([0; 64], 0);
    let mut i = 0;
    while i < 64 {
        let (id, half, byte) = (i / 16, i / 8 % 2, i % 8);
        if byte < bits as usize {
            let place = half * bits as usize + bits as usize - 1 - byte;
            if place < BYTES {
                #[allow(clippy::cast_possible_truncation, reason = "below 64")]
                let place = (id * BYTES + place) as u8;
                places[i] = place;
                present |= 1 << i;
            }
        }
        i += 1;
    }
    (places, present)
}

/// Returns the first bit of each of eight values, the highest value first.
pub(super) const fn value_shifts(bits: u32) -> [u8; 64] {
    table!(64, i => (7 - i % 8) * bits as usize)
}

/// Returns the character of each value. If there are fewer than 64, they repeat.
pub(super) const fn symbols<S: StaticAlphabet>() -> [u8; 64] {
    let mut symbols = [0; 64];
    let mut i = 0;
    while i < 128 {
        let value = S::ALPHABET.values[i];
        let mut at = value as usize;
        while at < 64 {
            #[allow(clippy::cast_possible_truncation, reason = "below 128")]
            let symbol = i as u8;
            symbols[at] = symbol;
            at += 1 << S::ALPHABET.bits();
        }
        i += 1;
    }
    symbols
}

/// Returns the value of each ASCII character, in two halves of 64. [`NOWHERE`] and above stand for
/// no value.
pub(super) const fn ascii_values(values: &[u8; 256]) -> ([u8; 64], [u8; 64]) {
    (table!(64, i => values[i]), table!(64, i => values[64 + i]))
}
