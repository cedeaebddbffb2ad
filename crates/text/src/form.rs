//! The texts of an ID type as rows of a table.

use crate::{ParseError, Text};

/// The most characters that a text of an ID may have. The longest so far is that of a kuid of 128
/// bits, with 22.
pub const MAX_LEN: usize = 24;

/// The facts about one text form of an ID type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name in options and data, for example `base36`. Forms of several ID types with the same
    /// name are written by the same rule.
    pub name: &'static str,
    /// The name in a sentence, for example `Nanoflake in Base36`.
    pub title: &'static str,
    /// What all of these texts have in common, for example `12 digits of Base36`.
    pub features: &'static str,
    /// The characters.
    pub characters: Characters,
    /// The number of characters of the shortest and of the longest text.
    pub lens: (usize, usize),
    /// Set if the text is the decimal digits of the ID's integer, which every format of integers
    /// writes, so that the text says nothing about its format.
    pub is_integer: bool,
    /// Set if the texts sort as the IDs do.
    pub sorts: bool,
}

impl Facts {
    /// Reports whether a text has the length and the characters of this form.
    #[inline]
    #[must_use]
    pub const fn fits(&self, len: usize, characters: Characters) -> bool {
        self.lens.0 <= len && len <= self.lens.1 && characters.are_in(self.characters)
    }
}

/// One text form of the ID type `I`: its facts and its functions. Every ID type has a table of
/// them, `FORMS`, whose first row is the canonical text.
///
/// Code that knows the ID type calls its methods, which are faster than these.
#[derive(Clone, Copy, Debug)]
pub struct FormOf<I> {
    /// The facts.
    pub form: Facts,
    /// Reads a text.
    pub parse: fn(&[u8]) -> Result<I, ParseError>,
    /// Writes a text.
    pub write: fn(I) -> Text<MAX_LEN>,
}

/// A set of ASCII characters.
///
/// # Examples
/// ```
/// use tickid_text::form::Characters;
///
/// const BASE36: Characters = Characters::of_one_case("0123456789abcdefghijklmnopqrstuvwxyz");
/// assert!(Characters::used_in(b"0u375nxqh5cq").are_in(BASE36));
/// assert!(!Characters::used_in(b"0u375nxqh5cQ").are_in(BASE36));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Characters {
    set: u128,
    /// Set if upper-case letters stand for lower-case ones, as long as all are.
    is_of_one_case: bool,
}

/// The bit of everything that is not ASCII.
const OTHER: u32 = 127;

impl Characters {
    /// The decimal digits.
    pub const DECIMAL: Self = Self::of("0123456789");
    /// The digits of Base36, in either case.
    pub const BASE36: Self = Self::of_one_case("0123456789abcdefghijklmnopqrstuvwxyz");

    /// Reports whether upper and lower case are different characters.
    #[must_use]
    pub const fn has_case(self) -> bool {
        !self.is_of_one_case
    }

    /// Returns the set of these characters.
    #[must_use]
    pub const fn of(characters: &str) -> Self {
        Self::used_in(characters.as_bytes())
    }

    /// Returns the set of these characters in lower case, all of which may be in upper case.
    #[must_use]
    pub const fn of_one_case(characters: &str) -> Self {
        Self { is_of_one_case: true, ..Self::of(characters) }
    }

    /// Returns the characters of a text.
    #[inline]
    #[must_use]
    pub const fn used_in(text: &[u8]) -> Self {
        // Two words, because a shift of 128 bits takes several instructions.
        let (mut low, mut high, mut other, mut at) = (0_u64, 0_u64, 0, 0);
        while at < text.len() {
            let byte = text[at];
            let bit = 1 << (byte & 63);
            let is_high = ((byte >> 6 & 1) as u64).wrapping_neg();
            low |= bit & !is_high;
            high |= bit & is_high;
            other |= byte;
            at += 1;
        }
        let other = if other.is_ascii() { 0 } else { 1 << OTHER };
        let set = (high as u128) << 64 | low as u128 | other;
        Self { set, is_of_one_case: false }
    }

    /// Reports whether all characters of a text are in `form`.
    #[inline]
    #[must_use]
    pub const fn are_in(self, form: Self) -> bool {
        // `A` to `Z` are 32 places below `a` to `z`.
        const UPPER: u128 = ((1 << 26) - 1) << b'A';
        let is_upper = form.is_of_one_case && self.set & (UPPER << 32) == 0;
        let set = if is_upper { self.set & !UPPER | (self.set & UPPER) << 32 } else { self.set };
        set & !form.set == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_in_sets() {
        let base36 = |text: &str| Characters::of(text).are_in(Characters::BASE36);
        assert!(["", "09az", "09AZ", "Q"].into_iter().all(base36));
        assert!(!["aZ", "a-", "A_", "é", "\u{7f}", "@"].into_iter().any(base36));
        assert!(!Characters::of("a").are_in(Characters::of("A")));
    }
}
