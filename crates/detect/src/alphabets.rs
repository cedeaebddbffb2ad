//! The characters of a text, which exclude most formats before any is read.

/// The alphabets of formats that have all characters of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alphabets(u16);

impl Alphabets {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const DECIMAL: Self = Self(1);
    /// In upper or lower case, as the next two.
    pub(crate) const HEX: Self = Self(1 << 1);
    /// Base62 has the same characters.
    pub(crate) const BASE36: Self = Self(1 << 2);
    pub(crate) const SNO: Self = Self(1 << 3);
    pub(crate) const KUID_SORTABLE: Self = Self(1 << 4);
    pub(crate) const KUID_URL: Self = Self(1 << 5);
    /// All characters but upper-case letters.
    pub(crate) const NO_UPPER: Self = Self(1 << 6);
    /// All characters but lower-case letters.
    pub(crate) const NO_LOWER: Self = Self(1 << 7);

    /// Returns the alphabets of a text.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Self {
        let of = |byte: &u8| OF_BYTES.get(usize::from(*byte)).copied().unwrap_or(0);
        Self(text.iter().fold(u16::MAX, |all, byte| all & of(byte)))
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

    #[inline]
    pub(crate) const fn are_sno(self) -> bool {
        self.are(Self::SNO)
    }

    #[inline]
    pub(crate) const fn are_kuid(self) -> bool {
        self.are(Self::KUID_SORTABLE)
    }

    #[inline]
    pub(crate) const fn are_url(self) -> bool {
        self.are(Self::KUID_URL)
    }

    /// Reports whether all letters are of one case.
    #[inline]
    pub(crate) const fn are_of_one_case(self) -> bool {
        self.0 & (Self::NO_UPPER.0 | Self::NO_LOWER.0) != 0
    }
}

/// The alphabets of each byte.
static OF_BYTES: [u16; 256] = {
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
                | only(matches!(letter, b'2'..=b'9' | b'a'..=b'x'), Alphabets::SNO)
                | only(
                    is_letter_or_digit || matches!(letter, b'.' | b'_'),
                    Alphabets::KUID_SORTABLE,
                )
                | only(is_letter_or_digit || matches!(letter, b'-' | b'_'), Alphabets::KUID_URL)
                | only(!letter.is_ascii_uppercase(), Alphabets::NO_UPPER)
                | only(!letter.is_ascii_lowercase(), Alphabets::NO_LOWER);
        }
        byte += 1;
    }
    all
};

const fn only(is_in: bool, alphabet: Alphabets) -> u16 {
    if is_in { alphabet.0 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_in_alphabets() {
        let all = [
            (Alphabets::DECIMAL, "d"),
            (Alphabets::HEX, "h"),
            (Alphabets::BASE36, "b"),
            (Alphabets::SNO, "s"),
            (Alphabets::KUID_SORTABLE, "k"),
            (Alphabets::KUID_URL, "u"),
        ];
        for (text, expected) in [
            ("0123456789", "dhbku"),
            ("23456789", "dhbsku"),
            ("0aF", "hbku"),
            ("gjkmnpqrst", "bsku"),
            ("wx", "bsku"),
            ("ILOU", "bku"),
            ("l", "bsku"),
            ("Zz", "bku"),
            ("_", "ku"),
            (".", "k"),
            ("-", "u"),
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
