//! The text form.

use tickid_text::{Alphabet, AlphabetCodec, StaticAlphabet};

/// The number of bytes of an ID.
pub(crate) const LEN: usize = 10;
/// The length of its text.
pub(crate) const TEXT_LEN: usize = 16;

/// sno's base32.
#[derive(Debug)]
pub(crate) struct Base32;

/// The alphabet, which is in ASCII order so that text sorts as the bytes do.
impl StaticAlphabet for Base32 {
    const ALPHABET: Alphabet = match Alphabet::new("23456789abcdefghijklmnopqrstuvwx", "2-9, a-x") {
        Some(alphabet) => alphabet,
        None => panic!("32 distinct characters"),
    };
}

/// The only form there is.
pub(crate) type Canonical = AlphabetCodec<Base32, LEN, TEXT_LEN>;
