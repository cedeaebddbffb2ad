//! The alphabets of the text forms.

use tickid_text::{Alphabet, AlphabetCodec, StaticAlphabet};

/// The alphabet of today's Erlang library, which is in ASCII order so that text sorts as the bytes
/// do.
#[derive(Debug)]
pub(crate) struct Sortable;

pub(crate) const SORTABLE: &str =
    ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

impl StaticAlphabet for Sortable {
    const ALPHABET: Alphabet = match Alphabet::new(SORTABLE, "'.', 0-9, A-Z, '_', a-z") {
        Some(alphabet) => alphabet,
        None => panic!("64 distinct characters"),
    };
}

/// Base64 for URLs (RFC 4648, section 5), without padding, as in the Erlang library's
/// documentation.
#[derive(Debug)]
pub(crate) struct Url;

pub(crate) const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl StaticAlphabet for Url {
    const ALPHABET: Alphabet = match Alphabet::new(URL, "A-Z, a-z, 0-9, '-', '_'") {
        Some(alphabet) => alphabet,
        None => panic!("64 distinct characters"),
    };
}

/// The canonical form of `BYTES` bytes in `CHARS` characters.
pub(crate) type Canonical<const BYTES: usize, const CHARS: usize> =
    AlphabetCodec<Sortable, BYTES, CHARS>;

/// The form for URLs.
pub(crate) type ForUrls<const BYTES: usize, const CHARS: usize> = AlphabetCodec<Url, BYTES, CHARS>;

/// For node fingerprints.
pub(crate) const HEX: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
    Some(alphabet) => alphabet,
    None => panic!("16 distinct characters"),
};

/// Implements the two texts of an ID. The canonical one uses
/// [`impl_codec`](tickid_text::impl_codec), and the other is for URLs.
macro_rules! impl_texts {
    (
        $id:ident $(in $module:ident)?: $what:literal, $title:literal, $bytes:literal bytes,
        $chars:literal, from $from:path, to $to:path, $errors:literal, $sample:literal
    ) => {
        tickid_text::impl_codec! {
            tickid_kuid::$id $(in $module)?: $what, crate::codec::Canonical<$bytes, { $id::TEXT_LEN }>,
            from $from, to $to,
            const |text| <crate::codec::Sortable as tickid_text::StaticAlphabet>::ALPHABET
                .decode::<$bytes, { $id::TEXT_LEN }>(text),
            #[doc = concat!("Parses ", $chars, " characters of `.0-9A-Z_a-z`, which sort as the IDs do.")]
            /// This is Erlang's `uid:decode64`.
            ///
            /// # Errors
            /// Returns a [`ParseError`](crate::ParseError) for any other length and for the first
            /// byte that is not in the alphabet.
            #[doc = $errors]
            $sample
        }

        impl $id {
            /// The text forms, the canonical one first.
            pub const FORMS: &'static [tickid_text::form::FormOf<Self>] = &[
                tickid_text::form::FormOf {
                    form: tickid_text::form::Facts {
                        name: "sortable",
                        title: $title,
                        features: concat!($chars, " characters of .0-9A-Z_a-z"),
                        characters: tickid_text::form::Characters::of(crate::codec::SORTABLE),
                        lens: ($id::TEXT_LEN, $id::TEXT_LEN),
                        is_integer: false,
                        sorts: true,
                    },
                    parse: Self::parse_bytes,
                    write: |id| id.encode().widen(),
                },
                tickid_text::form::FormOf {
                    form: tickid_text::form::Facts {
                        name: "url",
                        title: concat!($title, " in URL-safe Base64"),
                        features: concat!($chars, " characters of A-Za-z0-9-_"),
                        characters: tickid_text::form::Characters::of(crate::codec::URL),
                        lens: ($id::TEXT_LEN, $id::TEXT_LEN),
                        is_integer: false,
                        sorts: false,
                    },
                    parse: Self::parse_url,
                    write: |id| id.encode_url().widen(),
                },
            ];

            #[doc = concat!("Parses URL-safe Base64: ", $chars, " characters without padding.")]
            ///
            /// Use it only for text from [`encode_url`](Self::encode_url) or an old Erlang library.
            /// Most texts are valid in both alphabets and mean different IDs in them, and nothing
            /// in the text shows which alphabet it is in.
            ///
            /// # Errors
            /// As [`parse_bytes`](Self::parse_bytes), for the other alphabet.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($id), ";")]
            ///
            #[doc = concat!("let id: ", stringify!($id), " = \"", $sample, "\".parse()?;")]
            #[doc = concat!("assert_eq!(", stringify!($id), "::parse_url(id.encode_url().as_bytes()), Ok(id));")]
            /// // In the other alphabet the same characters are another ID, or none.
            #[doc = concat!("assert_ne!(", stringify!($id), "::parse_bytes(id.encode_url().as_bytes()), Ok(id));")]
            /// # Ok::<(), tickid_kuid::ParseError>(())
            /// ```
            #[inline]
            pub fn parse_url(text: &[u8]) -> Result<Self, tickid_text::ParseError> {
                use tickid_text::Codec as _;

                let bytes = crate::codec::ForUrls::<$bytes, { $id::TEXT_LEN }>::parse(text);
                bytes.map($from).map_err(|kind| tickid_text::ParseError::new($what, kind))
            }

            #[doc = concat!("Returns the ID in URL-safe Base64 without padding: ", $chars, " characters, which do")]
            /// **not** sort as the IDs do.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use tickid_kuid::", $(stringify!($module), "::",)? stringify!($id), " as Id;")]
            ///
            /// let text = Id::MAX.encode_url();
            /// assert_eq!(Id::parse_url(text.as_bytes()), Ok(Id::MAX));
            /// ```
            #[inline]
            #[must_use]
            pub fn encode_url(self) -> tickid_text::Text<{ $id::TEXT_LEN }> {
                <crate::codec::ForUrls<$bytes, { $id::TEXT_LEN }> as tickid_text::Codec<_>>::text(&$to(self))
            }
        }
    };
}
pub(crate) use impl_texts;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sortable_alphabet_is_ascending() {
        let symbol = |value: u8| Sortable::ALPHABET.encode::<1, 2>(&[value << 2]).as_bytes()[0];
        assert!((0..63).all(|value| symbol(value) < symbol(value + 1)));
    }
}
