//! Random numbers from a seed.

use core::ops::Range;

/// A source of numbers that look random and are the same every time (SplitMix64).
#[derive(Clone, Copy, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates dice. Different seeds give different numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD129_0D3B_4A5C_9F51))
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % end
    }

    /// Returns a number in `range`.
    pub fn within(&mut self, range: Range<i64>) -> i64 {
        range.start + self.below(range.start.abs_diff(range.end)).cast_signed()
    }

    /// Returns a number from 1 to `most`.
    pub fn count(&mut self, most: u32) -> u32 {
        u32::try_from(self.below(most.into())).unwrap() + 1
    }

    /// Returns one of several values.
    pub fn one_of<T: Copy>(&mut self, several: &[T]) -> T {
        several[usize::try_from(self.below(several.len() as u64)).unwrap()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::new(7);
        let mut seen = [false; 6];
        for _ in 0..200 {
            seen[usize::try_from(dice.below(6)).unwrap()] = true;
            assert!((-3..2).contains(&dice.within(-3..2)));
            assert!((1..=4).contains(&dice.count(4)));
        }
        assert_eq!(seen, [true; 6]);
    }

    #[test]
    fn seeds_differ_and_repeat() {
        let rolls = |seed| {
            let mut dice = Dice::new(seed);
            [(); 4].map(|()| dice.below(1 << 40))
        };
        assert_eq!(rolls(3), rolls(3));
        assert_ne!(rolls(3), rolls(4));
    }
}
