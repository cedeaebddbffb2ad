//! The kernels for x86-64, and how they work.
//!
//! # Alphabets of 32 and 64 characters
//!
//! An ID of 16 characters is 16 values of 5 bits (10 bytes, sno) or 6 bits (12 bytes, global kuid);
//! a local kuid is 11 of 6 bits, padded with zeros. With one value to a byte, additions and
//! comparisons ([`lanes`]) turn values into characters and back. The rest is moving bits between 8
//! to a byte and 5 or 6 to a byte.
//!
//! To **encode**, take two values, 10 or 12 bits, at a time. They lie in two neighbouring bytes:
//!
//! ```text
//! bytes of the ID     aaaaabbb bbcccccd ddddeeee ...
//! shuffle             aaaaabbbbbcccccd bbcccccdddddeeee ...   the two bytes of each pair, in words
//! multiply            aaaaabbbbb...... cccccddddd...... ...   by powers of two: shifts to the top
//! shift, mask, or     000bbbbb000aaaaa 000ddddd000ccccc ...   the first value in the low byte,
//!                                                             which memory has first
//! ```
//!
//! To **decode**, join neighbours, twice as many in each step, the first above the second:
//!
//! ```text
//! multiply-add bytes  2 values:  first * 2^5 + second, or first * 2^6 + second, in 16 bits
//! multiply-add words  4 values:  first * 2^10 + second, or first * 2^12 + second, in 32 bits
//! shift, or           8 values of 5 bits in 64 (four values of 6 bits are whole bytes already)
//! shuffle             the bytes, most significant first, without the gaps between the lanes
//! ```
//!
//! # Base36
//!
//! Twelve digits are three numbers of four digits, each below 36^4 = 1,679,616, in 32-bit lanes. To
//! write them, two divisions split the integer, then every lane is split into two numbers below
//! 36^2 in 16 bits, and each of those into two digits in bytes. To read them, neighbours are joined
//! as above, with the factors 36 and 36^2 in place of powers of two, and with 36^4 in general
//! registers. If there are 13 digits (Nanoflake), the first comes from a table, and the other
//! twelve are read and written this way.

mod lanes;
mod sse2;

use crate::StaticAlphabet;

/// `true` if there is a kernel for one Base36 number.
pub(crate) const ONE_BASE36: bool = true;

/// Reports whether [`encode`] has a kernel for this shape. It has one for each of the schemes'
/// shapes.
pub(crate) const fn has_encode(bits: u32, bytes: usize, chars: usize) -> bool {
    matches!((bits, bytes, chars), (5, 10, 16) | (6, 12, 16) | (6, 8, 11))
}

/// Reports whether [`decode`] has a kernel for this shape. It has none for eleven characters
/// because a table takes less time.
pub(crate) const fn has_decode(bits: u32, bytes: usize, chars: usize) -> bool {
    matches!((bits, bytes, chars), (5, 10, 16) | (6, 12, 16))
}

/// Returns the text of `bytes`, of a shape that [`has_encode`].
#[inline]
pub(crate) fn encode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    bytes: &[u8; BYTES],
) -> [u8; CHARS] {
    // SAFETY: this module is compiled for targets with SSE2 only.
    unsafe { sse2::encode::<S, BYTES, CHARS>(bytes) }
}

/// Returns the bytes of `text`, of a shape that [`has_decode`], or `None` if it is not valid.
#[inline]
pub(crate) fn decode<S: StaticAlphabet, const BYTES: usize, const CHARS: usize>(
    text: &[u8; CHARS],
) -> Option<[u8; BYTES]> {
    // SAFETY: this module is compiled for targets with SSE2 only.
    unsafe { sse2::decode::<S, BYTES, CHARS>(text) }
}

/// Returns the twelve digits of `value`, which is below 36^12.
#[inline]
pub(crate) fn encode_base36(value: u64) -> [u8; 12] {
    // SAFETY: this module is compiled for targets with SSE2 only.
    unsafe { sse2::encode_base36(value) }
}

/// Returns the number that `text` spells, or `None` if it is not valid.
#[inline]
pub(crate) fn decode_base36(text: &[u8; 12]) -> Option<u64> {
    // SAFETY: this module is compiled for targets with SSE2 only.
    unsafe { sse2::decode_base36(text) }
}
