//! Text forms of fixed-size integers and bytes: Base36, Crockford's Base32, decimal, and alphabets
//! of 16, 32 or 64 characters.
//!
//! The text forms of all tickid schemes are built from these parts. For example, sno's IDs are 10
//! bytes in an alphabet of 32 characters, and SCRU64's are integers in 12 digits of Base36. The
//! parts have no notion of IDs and do not depend on the other crates of the project, so they suit
//! any short identifier:
//!
//! | item | contents |
//! |---|---|
//! | [`Text`] | a short ASCII string on the stack |
//! | [`Alphabet`] | bytes as text, 4, 5 or 6 bits per character; `const fn` |
//! | [`base36`] | integers in Base36, of a fixed length or as short as possible |
//! | [`decimal`] | integers in decimal; `const fn` |
//! | [`crockford`] | integers in 13 characters of Crockford's Base32; `const fn` |
//! | [`form`] | the texts of an ID type as a table |
//! | [`Codec`] | one fixed-length text form: [`AlphabetCodec`] or [`base36::TwelveDigits`] |
//! | [`ParseError`] | the reason a text was rejected, with byte and position |
//!
//! To write or read a value now and then, or in a constant, call [`Alphabet`] or a function of
//! [`base36`], [`decimal`] and [`crockford`]. If a form is used millions of times a second, make it
//! a [`Codec`], because the compiler then specializes the code to it. On x86-64 a codec also uses
//! SSE2, which every such processor has. It never differs from the portable code in a value or an
//! error, since [`Alphabet`] and [`base36::decode`] define the result.
//!
//! Reading is strict, which means that it rejects a text that writing would not produce. If it
//! accepted several texts for one value, two keys in a cache or an index could mean the same ID.
//! There are three exceptions. Base36 and Crockford's Base32 are read in either case. Crockford's
//! Base32 also reads the letters `I`, `L` and `O` as the digits that they look like. And the
//! functions of [`base36`] accept leading zeros, because its padded and its shortest text differ in
//! them, and read an empty text as 0. Nothing allocates.
//!
//! The crate does not encode data of variable length, write padding characters or line breaks, or
//! skip white space. For these, use a general Base64 or Base32 library instead.
//!
//! # Examples
//! ```
//! use tickid_text::{Alphabet, AlphabetCodec, Codec, StaticAlphabet};
//!
//! struct Hex;
//!
//! impl StaticAlphabet for Hex {
//!     const ALPHABET: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
//!         Some(alphabet) => alphabet,
//!         None => panic!("sixteen distinct characters"),
//!     };
//! }
//!
//! /// Four bytes as eight hexadecimal digits.
//! type Word = AlphabetCodec<Hex, 4, 8>;
//!
//! assert_eq!(Word::text(&[0xca, 0xfe, 0xba, 0xbe]), "cafebabe");
//! assert_eq!(Word::parse(b"cafebabe"), Ok([0xca, 0xfe, 0xba, 0xbe]));
//! let error = Word::parse(b"cafebabE").unwrap_err();
//! let error = tickid_text::ParseError::new("word", error);
//! assert_eq!(error.to_string(), "not a word: 'E' at position 7 is none of 0-9, a-f");
//! ```
//!
//! # Features
//! | feature | default | effect |
//! |---|---|---|
//! | `alloc` | yes | `String` from [`Text`] |
//!
//! Without it, the crate needs neither an allocator nor an operating system.

#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod alphabet;
pub mod base36;
mod codec;
pub mod crockford;
pub mod decimal;
mod error;
pub mod form;
mod kernels;
mod lanes;
mod text;

pub use self::alphabet::Alphabet;
pub use self::codec::{AlphabetCodec, Codec, StaticAlphabet};
pub use self::error::{ParseError, ParseErrorKind, parsed};
pub use self::text::Text;

/// Implements the text traits of an ID type through its `encode` and `parse_bytes`. They are
/// `Display` and `Debug`, which both print the text, `FromStr` and `TryFrom<&str>`.
///
/// `encode(&self)` must return a [`Text`], and `parse_bytes(&[u8])` a `Result<Self, ParseError>`.
/// `Debug` prints the text because a list of IDs in a log or a failed assertion is easier to read
/// that way.
///
/// # Examples
/// ```
/// use tickid_text::{ParseError, Text, decimal};
///
/// #[derive(Clone, Copy, PartialEq)]
/// struct Number(u64);
///
/// impl Number {
///     fn encode(&self) -> Text<20> {
///         decimal::encode(self.0)
///     }
///
///     fn parse_bytes(text: &[u8]) -> Result<Self, ParseError> {
///         let number = decimal::decode(text, u64::MAX).map(Self);
///         number.map_err(|kind| ParseError::new("number", kind))
///     }
/// }
/// tickid_text::impl_text!(Number);
///
/// assert_eq!("42".parse(), Ok(Number(42)));
/// assert_eq!(Number(42).to_string(), "42");
/// assert!("042".parse::<Number>().is_err());
/// ```
#[macro_export]
macro_rules! impl_text {
    ($id:ty) => {
        /// Writes the canonical text, and honours width and fill.
        impl ::core::fmt::Display for $id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.encode(), f)
            }
        }

        /// Writes the canonical text like `Display`.
        impl ::core::fmt::Debug for $id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }

        impl ::core::str::FromStr for $id {
            type Err = $crate::ParseError;

            #[inline]
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse_bytes(text.as_bytes())
            }
        }

        impl ::core::convert::TryFrom<&str> for $id {
            type Error = $crate::ParseError;

            #[inline]
            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::parse_bytes(text.as_bytes())
            }
        }
    };
}

/// Implements the text of an ID type through a [`Codec`]. These are the methods `parse_bytes`,
/// `parse_const` and `encode`, and through [`impl_text`], the traits.
///
/// `in $module` says in which module of the crate the type is, if not at its root. `$from` and `$to`
/// are constant functions that convert the codec's value to an ID and back.
/// `$decode` is a constant expression for the value of `$text`, because a codec cannot be called in
/// a constant. `$sample` is the text of some ID for the examples.
#[macro_export]
macro_rules! impl_codec {
    (
        $crate_name:ident::$id:ident $(in $module:ident)?: $what:literal, $codec:ty, from $from:path, to $to:path,
        const |$text:ident| $decode:expr,
        $(#[$doc:meta])+
        $sample:literal
    ) => {
        impl $id {
            $(#[$doc])+
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use ", stringify!($crate_name), "::", $(stringify!($module), "::",)? stringify!($id), " as Id;")]
            ///
            #[doc = concat!("let id = Id::parse_bytes(b\"", $sample, "\")?;")]
            #[doc = concat!("assert_eq!(id.to_string(), \"", $sample, "\");")]
            /// assert!(Id::parse_bytes(b"no ID").is_err());
            #[doc = concat!("# Ok::<(), ", stringify!($crate_name), "::ParseError>(())")]
            /// ```
            #[inline]
            pub fn parse_bytes(text: &[u8]) -> Result<Self, $crate::ParseError> {
                match <$codec as $crate::Codec<{ $id::TEXT_LEN }>>::parse(text) {
                    Ok(value) => Ok($from(value)),
                    Err(kind) => Err($crate::ParseError::new($what, kind)),
                }
            }

            /// Parses a text in a constant. It is slower than [`parse_bytes`](Self::parse_bytes),
            /// since a constant function cannot use vector instructions, but otherwise the same.
            /// For literals there is a macro, which needs no `match`.
            ///
            /// # Errors
            /// Returns the errors of [`parse_bytes`](Self::parse_bytes).
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use ", stringify!($crate_name), "::", $(stringify!($module), "::",)? stringify!($id), " as Id;")]
            ///
            #[doc = concat!("const ID: Id = match Id::parse_const(b\"", $sample, "\") {")]
            ///     Ok(id) => id,
            ///     Err(_) => panic!("not an ID"),
            /// };
            #[doc = concat!("assert_eq!(ID.to_string(), \"", $sample, "\");")]
            /// ```
            pub const fn parse_const($text: &[u8]) -> Result<Self, $crate::ParseError> {
                match $decode {
                    Ok(value) => Ok($from(value)),
                    Err(kind) => Err($crate::ParseError::new($what, kind)),
                }
            }

            /// Returns the canonical text. It is on the stack, so this does not allocate.
            ///
            /// # Examples
            /// ```
            #[doc = concat!("use ", stringify!($crate_name), "::", $(stringify!($module), "::",)? stringify!($id), " as Id;")]
            ///
            #[doc = concat!("let id: Id = \"", $sample, "\".parse()?;")]
            #[doc = concat!("assert_eq!(id.encode(), \"", $sample, "\");")]
            #[doc = concat!("# Ok::<(), ", stringify!($crate_name), "::ParseError>(())")]
            /// ```
            #[inline]
            #[must_use]
            pub fn encode(self) -> $crate::Text<{ $id::TEXT_LEN }> {
                <$codec as $crate::Codec<{ $id::TEXT_LEN }>>::text(&$to(self))
            }
        }

        $crate::impl_text!($id);
    };
}
