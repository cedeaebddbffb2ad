//! The alphabets of the text forms.

use tickid_text::{Alphabet, AlphabetCodec, StaticAlphabet};

/// The alphabet of today's Erlang library, in ASCII order: text sorts as the bytes do.
#[derive(Debug)]
pub(crate) struct Sortable;

impl StaticAlphabet for Sortable {
    const ALPHABET: Alphabet = match Alphabet::new(
        ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
        "'.', 0-9, A-Z, '_', a-z",
    ) {
        Some(alphabet) => alphabet,
        None => panic!("64 distinct characters"),
    };
}

/// Base64 for URLs (RFC 4648, section 5), without padding, as the Erlang library's document shows it.
#[derive(Debug)]
pub(crate) struct Url;

impl StaticAlphabet for Url {
    const ALPHABET: Alphabet = match Alphabet::new(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
        "A-Z, a-z, 0-9, '-', '_'",
    ) {
        Some(alphabet) => alphabet,
        None => panic!("64 distinct characters"),
    };
}

/// The canonical form of so many bytes, in so many characters.
pub(crate) type Canonical<const BYTES: usize, const CHARS: usize> =
    AlphabetCodec<Sortable, BYTES, CHARS>;

/// The form for URLs.
pub(crate) type ForUrls<const BYTES: usize, const CHARS: usize> = AlphabetCodec<Url, BYTES, CHARS>;

/// For node fingerprints.
pub(crate) const HEX: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
    Some(alphabet) => alphabet,
    None => panic!("16 distinct characters"),
};

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use tickid_testkit::levels;
    use tickid_testkit::vectors::{Value, bytes, list, load, string};
    use tickid_text::Codec;

    use super::*;

    #[test]
    fn the_sortable_alphabet_is_in_ascii_order() {
        let symbol = |value: u8| Sortable::ALPHABET.encode::<1, 2>(&[value << 2]).as_bytes()[0];
        assert!((0..63).all(|value| symbol(value) < symbol(value + 1)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes an interpreter hours")]
    fn every_level_writes_and_reads_what_is_recorded() {
        let file = load("kuid.json");
        let local = list(&file, "local", 152);
        write_and_read::<Canonical<8, 11>, _, _>(local, "d64");
        write_and_read::<ForUrls<8, 11>, _, _>(local, "base64url");
        let global = list(&file, "global", 150);
        write_and_read::<Canonical<12, 16>, _, _>(global, "d64");
        write_and_read::<ForUrls<12, 16>, _, _>(global, "base64url");
    }

    fn write_and_read<
        C: Codec<CHARS, Value = [u8; BYTES]>,
        const BYTES: usize,
        const CHARS: usize,
    >(
        entries: &[Value],
        form: &str,
    ) {
        let entries = entries.iter();
        let recorded: Vec<_> = entries.map(|id| (bytes(id, "bytes"), string(id, form))).collect();
        levels::write_and_read::<C, CHARS>(&recorded);
    }
}
