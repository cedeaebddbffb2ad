//! Nodes made from their bits, as leases make them.

use core::fmt::Debug;
use core::ops::RangeInclusive;

use tickid_core::NodeId;

/// Asserts that nodes with one of these numbers of bits are made from that number and a value, and
/// return both. Any other number or value must be an error that names the value and the range.
///
/// # Panics
/// If a check fails.
pub fn are_made_of_their_bits<N: NodeId + Debug>(bits: RangeInclusive<u32>) {
    let too_many = [u64::BITS + 1, u32::from(u8::MAX) + bits.start() + 1, u32::MAX];
    for count in (0..=u64::BITS).chain(too_many) {
        let max = 1_u64.checked_shl(count).map_or(u64::MAX, |end| end - 1);
        // Some are zero once they are cut to 16 or 32 bits.
        let cut = [1 << 16, 1 << 32, 1 << 40];
        let ends = [0, 1, max / 2, max, max.saturating_add(1), u64::MAX];
        for value in ends.into_iter().chain(cut) {
            match N::from_value(value, count) {
                Ok(node) => {
                    assert!(bits.contains(&count) && value <= max, "{node:?}");
                    assert_eq!((node.bits(), node.value()), (count, value), "{node:?}");
                }
                Err(error) if bits.contains(&count) => {
                    assert!(value > max, "{error}");
                    let found = (error.value(), error.min(), error.max());
                    assert_eq!(found, (value.into(), 0, max.into()), "{error}");
                }
                Err(error) => {
                    let found = (error.value(), error.min(), error.max());
                    let [low, high] = [*bits.start(), *bits.end()].map(i128::from);
                    assert_eq!(found, (count.into(), low, high), "{error}");
                }
            }
        }
    }
}
