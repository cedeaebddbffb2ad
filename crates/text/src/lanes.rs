//! Eight small numbers in one `u64`, a byte each, the first in the highest byte.
//!
//! One register converts eight characters. Numbers and characters are below 128, so the top bit of
//! each lane is free for the result of a comparison.

/// Returns `byte` in every lane.
#[inline]
pub(crate) const fn all(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// Returns the top bit of every lane that is at least `bound` (at most 128).
#[inline]
pub(crate) const fn at_least(lanes: u64, bound: u8) -> u64 {
    debug_assert!(lanes & all(0x80) == 0 && bound <= 0x80);
    (lanes + all(0x80 - bound)) & all(0x80)
}

/// Adds `change`, modulo 128, to the lanes whose top bit is set in `tops`, which has no other bits.
#[inline]
pub(crate) const fn add_where(lanes: u64, tops: u64, change: u8) -> u64 {
    (lanes + (tops >> 7) * (change & 0x7f) as u64) & all(0x7f)
}

/// Spreads the low 8 × `bits` bits of `packed` over the lanes, `bits` (4 to 6) to a lane, the
/// highest in the first.
#[inline]
pub(crate) const fn spread(packed: u64, bits: u32) -> u64 {
    // There are three steps: halves to 32 bits, quarters to 16, eighths to 8.
    let half = ones(4 * bits);
    let x = (packed & half) | ((packed & (half << (4 * bits))) << (32 - 4 * bits));
    let quarter = 0x0000_0001_0000_0001 * ones(2 * bits);
    let x = (x & quarter) | ((x & (quarter << (2 * bits))) << (16 - 2 * bits));
    let eighth = 0x0001_0001_0001_0001 * ones(bits);
    (x & eighth) | ((x & (eighth << bits)) << (8 - bits))
}

/// Returns the low `count` bits.
#[inline]
const fn ones(count: u32) -> u64 {
    (1 << count) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies `function` to each lane.
    fn each(lanes: u64, function: impl Fn(u8) -> u8) -> u64 {
        u64::from_be_bytes(lanes.to_be_bytes().map(function))
    }

    const SAMPLES: [u64; 5] =
        [0, all(0x7f), 0x0001_0203_1f20_7e7f, 0x7f00_7f00_7f00_7f00, 0x0102_0408_1020_4070];

    #[test]
    fn compares_each_lane() {
        for lanes in SAMPLES {
            for bound in 0..=0x80 {
                let expected = each(lanes, |lane| if lane >= bound { 0x80 } else { 0 });
                assert_eq!(at_least(lanes, bound), expected, "{lanes:016x} {bound}");
            }
        }
    }

    #[test]
    fn adds_to_some_lanes_only() {
        for lanes in SAMPLES {
            for change in 0..=u8::MAX {
                let tops = at_least(lanes, 0x20);
                let sum = |lane: u8| lane.wrapping_add(change) & 0x7f;
                let expected = each(lanes, |lane| if lane >= 0x20 { sum(lane) } else { lane });
                assert_eq!(add_where(lanes, tops, change), expected, "{lanes:016x} {change}");
            }
        }
    }

    #[test]
    fn spreads_every_bit_to_its_lane() {
        for bits in 4..=6 {
            for bit in 0..8 * bits {
                let lane: u64 = 1 << (bit % bits);
                let expected = lane << (8 * (bit / bits));
                assert_eq!(spread(1 << bit, bits), expected, "bit {bit} of {bits} to a lane");
            }
            assert_eq!(spread(ones(8 * bits), bits), all((1 << bits) - 1));
        }
    }
}
