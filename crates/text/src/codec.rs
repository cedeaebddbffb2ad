//! Text forms of a fixed length as types.

use core::marker::PhantomData;

use crate::{Alphabet, ParseErrorKind, Text, kernels};

/// An [`Alphabet`] as a type, so that code can be specialized to its characters at compile time.
///
/// # Examples
/// ```
/// use tickid_text::{Alphabet, AlphabetCodec, Codec, StaticAlphabet};
///
/// struct Binary;
///
/// impl StaticAlphabet for Binary {
///     const ALPHABET: Alphabet = match Alphabet::new("0123456789abcdef", "0-9, a-f") {
///         Some(alphabet) => alphabet,
///         None => panic!("sixteen distinct characters"),
///     };
/// }
///
/// assert_eq!(AlphabetCodec::<Binary, 2, 4>::text(&[0xca, 0xfe]), "cafe");
/// ```
pub trait StaticAlphabet {
    /// The characters.
    const ALPHABET: Alphabet;
}

/// A text form of `CHARS` characters.
///
/// All methods that write produce the same text, and all methods that read return the same value or
/// the same error. The portable methods define the result. The others may use the vector
/// instructions that the target is compiled for, so they are the ones to call. The portable ones
/// are there to be compared with.
///
/// A scheme has one such type for each of its text forms, which is an [`AlphabetCodec`] or
/// [`base36::TwelveDigits`](crate::base36::TwelveDigits).
///
/// # Examples
/// ```
/// use tickid_text::Codec;
/// use tickid_text::base36::TwelveDigits;
///
/// assert_eq!(TwelveDigits::text(&35), "00000000000z");
/// assert_eq!(TwelveDigits::parse(b"00000000000z"), Ok(35));
/// ```
pub trait Codec<const CHARS: usize> {
    /// The value of a text, which is an array of bytes or an integer.
    type Value: Copy + Default;

    /// Writes one text in portable Rust.
    fn encode_portable(bits: &Self::Value) -> [u8; CHARS];

    /// Reads one text in portable Rust.
    ///
    /// # Errors
    /// Returns the first fault in the text, and its position.
    fn decode_portable(text: &[u8; CHARS]) -> Result<Self::Value, ParseErrorKind>;

    /// Writes one text, with the vector instructions that the target is compiled for, if it has
    /// any.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Codec;
    /// use tickid_text::base36::TwelveDigits;
    ///
    /// assert_eq!(TwelveDigits::encode(&36), *b"000000000010");
    /// assert_eq!(TwelveDigits::encode(&36), TwelveDigits::encode_portable(&36));
    /// ```
    fn encode(bits: &Self::Value) -> [u8; CHARS];

    /// Reads one text, with the vector instructions that the target is compiled for, if it has any.
    ///
    /// # Errors
    /// Returns the errors of [`decode_portable`](Self::decode_portable).
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Codec;
    /// use tickid_text::base36::TwelveDigits;
    ///
    /// assert_eq!(TwelveDigits::decode(b"000000000010"), Ok(36));
    /// assert!(TwelveDigits::decode(b"00000000001!").is_err());
    /// ```
    fn decode(text: &[u8; CHARS]) -> Result<Self::Value, ParseErrorKind>;

    /// Returns the text of a value as a [`Text`], which can be printed.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::Codec;
    /// use tickid_text::base36::TwelveDigits;
    ///
    /// assert_eq!(TwelveDigits::text(&36), "000000000010");
    /// ```
    #[inline]
    #[must_use]
    fn text(bits: &Self::Value) -> Text<CHARS> {
        Text::full(Self::encode(bits))
    }

    /// Reads a text of any length. Call this for text from outside, whose length is not known to be
    /// right.
    ///
    /// # Errors
    /// Returns [`ParseErrorKind::Length`] for a length other than `CHARS`, or else the errors of
    /// [`decode`](Self::decode).
    ///
    /// # Examples
    /// ```
    /// use tickid_text::base36::TwelveDigits;
    /// use tickid_text::{Codec, ParseErrorKind};
    ///
    /// assert_eq!(TwelveDigits::parse(b"000000000010"), Ok(36));
    /// let error = TwelveDigits::parse(b"10").unwrap_err();
    /// assert_eq!(error, ParseErrorKind::Length { found: 2, min: 12, max: 12 });
    /// ```
    #[inline]
    fn parse(text: &[u8]) -> Result<Self::Value, ParseErrorKind> {
        match text.try_into() {
            Ok(text) => Self::decode(text),
            Err(_) => Err(ParseErrorKind::Length { found: text.len(), min: CHARS, max: CHARS }),
        }
    }
}

/// The codec that writes `BYTES` bytes as `CHARS` characters of the alphabet `S`. For example,
/// `AlphabetCodec<Hex, 4, 8>` writes 4 bytes as 8 hexadecimal digits.
#[derive(Debug)]
pub struct AlphabetCodec<S, const BYTES: usize, const CHARS: usize>(PhantomData<S>);

impl<S: StaticAlphabet, const BYTES: usize, const CHARS: usize> AlphabetCodec<S, BYTES, CHARS> {
    const HAS_ENCODE: bool = kernels::has_encode(S::ALPHABET.bits(), BYTES, CHARS);
    const HAS_DECODE: bool = kernels::has_decode(S::ALPHABET.bits(), BYTES, CHARS);
}

impl<S: StaticAlphabet, const BYTES: usize, const CHARS: usize> Codec<CHARS>
    for AlphabetCodec<S, BYTES, CHARS>
where
    [u8; BYTES]: Default,
{
    type Value = [u8; BYTES];

    #[inline]
    fn encode_portable(bytes: &[u8; BYTES]) -> [u8; CHARS] {
        const { &S::ALPHABET }.encode_array(bytes)
    }

    #[inline]
    fn decode_portable(text: &[u8; CHARS]) -> Result<[u8; BYTES], ParseErrorKind> {
        const { &S::ALPHABET }.decode::<BYTES, CHARS>(text)
    }

    #[inline]
    fn encode(bytes: &[u8; BYTES]) -> [u8; CHARS] {
        if Self::HAS_ENCODE {
            kernels::encode::<S, BYTES, CHARS>(bytes)
        } else {
            Self::encode_portable(bytes)
        }
    }

    #[inline]
    fn decode(text: &[u8; CHARS]) -> Result<[u8; BYTES], ParseErrorKind> {
        if Self::HAS_DECODE {
            match kernels::decode::<S, BYTES, CHARS>(text) {
                Some(bytes) => Ok(bytes),
                None => Err(const { &S::ALPHABET }.first_error(text)),
            }
        } else {
            Self::decode_portable(text)
        }
    }
}
