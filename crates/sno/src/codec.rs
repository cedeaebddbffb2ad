//! The text form.

use tickid_text::{Alphabet, AlphabetCodec, StaticAlphabet};

/// The number of bytes of an ID.
pub(crate) const LEN: usize = 10;
/// The length of its text.
pub(crate) const TEXT_LEN: usize = 16;

/// sno's base32.
#[derive(Debug)]
pub(crate) struct Base32;

/// The alphabet in ASCII order, so that text sorts as the bytes do.
impl StaticAlphabet for Base32 {
    const ALPHABET: Alphabet = match Alphabet::new("23456789abcdefghijklmnopqrstuvwx", "2-9, a-x") {
        Some(alphabet) => alphabet,
        None => panic!("32 distinct characters"),
    };
}

/// The only form there is.
pub(crate) type Canonical = AlphabetCodec<Base32, LEN, TEXT_LEN>;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use tickid_testkit::levels;
    use tickid_testkit::vectors::{bytes, list, load, string};

    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "takes an interpreter hours")]
    fn levels_agree_with_recordings() {
        let file = load("sno.json");
        let ids = list(&file, "ids", 205).iter();
        let recorded: Vec<_> = ids.map(|id| (bytes(id, "bytes"), string(id, "text"))).collect();
        levels::write_and_read::<Canonical, _>(&recorded);
    }
}
