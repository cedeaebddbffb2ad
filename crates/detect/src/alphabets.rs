//! The characters of a text, which exclude most formats before any is read.

use tickid_convert::{Kind, TextForm};
use tickid_text::form::{Characters, Facts};

/// The alphabets of formats that have all characters of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alphabets(u32);

impl Alphabets {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const DECIMAL: Self = Self(1);
    /// In upper or lower case, as the next two.
    pub(crate) const HEX: Self = Self(1 << 1);
    /// Base62 has the same characters.
    pub(crate) const BASE36: Self = Self(1 << 2);
    /// All characters but upper-case letters.
    pub(crate) const NO_UPPER: Self = Self(1 << 3);
    /// All characters but lower-case letters.
    pub(crate) const NO_LOWER: Self = Self(1 << 4);

    /// Returns the alphabets of a text.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Self {
        let of = |byte: &u8| OF_BYTES.get(usize::from(*byte)).copied().unwrap_or(0);
        Self(text.iter().fold(u32::MAX, |all, byte| all & of(byte)))
    }

    /// Reports whether all characters are in an alphabet.
    #[inline]
    pub(crate) const fn are(self, alphabet: Self) -> bool {
        self.0 & alphabet.0 != 0
    }

    /// Reports whether all characters are digits of Base36, in either case, and not in both.
    #[inline]
    pub(crate) const fn are_base36(self) -> bool {
        self.are(Self::BASE36) && self.are_of_one_case()
    }

    #[inline]
    pub(crate) const fn are_decimal(self) -> bool {
        self.are(Self::DECIMAL)
    }

    /// Returns the alphabet of the first form of a scheme, whose other forms have the next ones.
    pub(crate) const fn of_forms(kind: Kind) -> u8 {
        let (mut first, mut at) = (FORMS, 0);
        while Kind::ALL[at] as u8 != kind as u8 {
            first += TextForm::count(Kind::ALL[at]);
            at += 1;
        }
        first
    }

    /// Reports whether a text of these characters fits a form, whose alphabet has this number.
    #[inline]
    pub(crate) const fn fit(self, alphabet: u8, form: &Facts, len: usize) -> bool {
        form.lens.0 <= len
            && len <= form.lens.1
            && self.0 >> alphabet & 1 != 0
            && (form.characters.has_case() || self.are_of_one_case())
    }

    /// Reports whether all letters are of one case.
    #[inline]
    pub(crate) const fn are_of_one_case(self) -> bool {
        self.0 & (Self::NO_UPPER.0 | Self::NO_LOWER.0) != 0
    }
}

/// The number of the first alphabet of a text form. Those before it are constants above.
const FORMS: u8 = 5;

/// The alphabets of each byte.
static OF_BYTES: [u32; 256] = {
    let mut all = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[allow(clippy::cast_possible_truncation, reason = "below 256")]
        let letter = byte as u8;
        let is_letter_or_digit = letter.is_ascii_alphanumeric();
        #[allow(clippy::indexing_slicing, reason = "in a constant")]
        {
            all[byte] = only(letter.is_ascii_digit(), Alphabets::DECIMAL)
                | only(letter.is_ascii_hexdigit(), Alphabets::HEX)
                | only(is_letter_or_digit, Alphabets::BASE36)
                | only(!letter.is_ascii_uppercase(), Alphabets::NO_UPPER)
                | only(!letter.is_ascii_lowercase(), Alphabets::NO_LOWER);
        }
        let mut kind = 0;
        while kind < Kind::ALL.len() {
            let (first, mut row) = (Alphabets::of_forms(Kind::ALL[kind]), 0);
            while let Some(form) = TextForm::at(Kind::ALL[kind], row) {
                if Characters::used_in(&[letter]).are_in(form.facts().characters) {
                    all[byte] |= 1 << (first + row);
                }
                row += 1;
            }
            kind += 1;
        }
        byte += 1;
    }
    all
};

const fn only(is_in: bool, alphabet: Alphabets) -> u32 {
    if is_in { alphabet.0 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_alphabets() {
        let all = [(Alphabets::DECIMAL, "d"), (Alphabets::HEX, "h"), (Alphabets::BASE36, "b")];
        for (text, expected) in [
            ("0123456789", "dhb"),
            ("23456789", "dhb"),
            ("0aF", "hb"),
            ("gjkmnpqrst", "b"),
            ("wx", "b"),
            ("ILOU", "b"),
            ("l", "b"),
            ("Zz", "b"),
            ("_", ""),
            (".", ""),
            ("-", ""),
            (".-", ""),
            ("{", ""),
            ("é", ""),
        ] {
            let found = Alphabets::of(text.as_bytes());
            let names = all.iter().filter(|(alphabet, _)| found.are(*alphabet));
            let is_mixed = text.bytes().any(|byte| byte.is_ascii_uppercase())
                && text.bytes().any(|byte| byte.is_ascii_lowercase());
            assert_eq!(found.are_of_one_case(), !is_mixed, "{text}");
            assert_eq!(names.map(|(_, name)| *name).collect::<std::string::String>(), expected);
        }
    }
}
