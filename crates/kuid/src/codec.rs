//! The alphabets of the text forms.

use tickid_core::text::Alphabet;

/// The alphabet of today's Erlang library, in ASCII order: text sorts as the bytes do.
pub(crate) const SORTABLE: Alphabet = match Alphabet::new(
    ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
    "'.', 0-9, A-Z, '_', a-z",
) {
    Some(alphabet) => alphabet,
    None => panic!("64 distinct characters"),
};

/// Base64 for URLs (RFC 4648, section 5), without padding, as the Erlang library's document shows it.
pub(crate) const URL: Alphabet = match Alphabet::new(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    "A-Z, a-z, 0-9, '-', '_'",
) {
    Some(alphabet) => alphabet,
    None => panic!("64 distinct characters"),
};

/// For node fingerprints.
pub(crate) const HEX: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
    Some(alphabet) => alphabet,
    None => panic!("16 distinct characters"),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sortable_alphabet_is_in_ascii_order() {
        let symbol = |value: u8| SORTABLE.encode::<1, 2>(&[value << 2]).as_bytes()[0];
        assert!((0..63).all(|value| symbol(value) < symbol(value + 1)));
    }
}
