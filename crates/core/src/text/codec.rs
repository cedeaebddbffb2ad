use core::marker::PhantomData;

use crate::text::{Alphabet, Level, ParseErrorKind, Text, kernels};

/// An alphabet as a type, so that what is compiled for it knows its characters.
pub trait Base {
    /// Its characters.
    const ALPHABET: Alphabet;
}

/// A text form of `CHARS` characters: what is written, how it is read, and how fast.
///
/// Every way to write gives the same text, every way to read the same value or the same error. The
/// portable ones are the specification; the others are what a target or a processor has beyond them.
///
/// For scheme crates, which have a type for each of their forms. Implemented by [`InBase`] and
/// [`base36::Twelve`](crate::text::base36::Twelve).
pub trait Codec<const CHARS: usize> {
    /// What is written: bytes, or an integer.
    type Bits: Copy + Default;

    /// Writes, in plain Rust.
    fn encode_portable(bits: &Self::Bits) -> [u8; CHARS];

    /// Reads, in plain Rust.
    ///
    /// # Errors
    /// What is wrong with the text, and where.
    fn decode_portable(text: &[u8; CHARS]) -> Result<Self::Bits, ParseErrorKind>;

    /// Writes, as fast as what the target is compiled for allows.
    fn encode(bits: &Self::Bits) -> [u8; CHARS];

    /// Reads, as fast as what the target is compiled for allows.
    ///
    /// # Errors
    /// As [`decode_portable`](Self::decode_portable).
    fn decode(text: &[u8; CHARS]) -> Result<Self::Bits, ParseErrorKind>;

    /// Writes as many as the level has a way for, from the first on, and says how many.
    #[doc(hidden)]
    fn encode_many(level: Level, bits: &[Self::Bits], texts: &mut [[u8; CHARS]]) -> usize;

    /// Reads as many as the level has a way for, from the first on, and says how many: all of them
    /// valid, and the next perhaps not.
    #[doc(hidden)]
    fn decode_many(level: Level, texts: &[[u8; CHARS]], bits: &mut [Self::Bits]) -> usize;

    /// Writes one text.
    #[inline]
    #[must_use]
    fn text(bits: &Self::Bits) -> Text<CHARS> {
        Text::full(Self::encode(bits))
    }

    /// Reads one text, of whatever length.
    ///
    /// # Errors
    /// [`ParseErrorKind::Length`] for another length than `CHARS`, else as [`decode`](Self::decode).
    #[inline]
    fn parse(text: &[u8]) -> Result<Self::Bits, ParseErrorKind> {
        match text.try_into() {
            Ok(text) => Self::decode(text),
            Err(_) => Err(ParseErrorKind::Length { found: text.len(), min: CHARS, max: CHARS }),
        }
    }
}

/// `BYTES` bytes as `CHARS` characters of the alphabet of `S`.
#[derive(Debug)]
pub struct InBase<S, const BYTES: usize, const CHARS: usize>(PhantomData<S>);

impl<S: Base, const BYTES: usize, const CHARS: usize> InBase<S, BYTES, CHARS> {
    const HAS_ENCODE: bool = kernels::has_encode(S::ALPHABET.bits(), BYTES, CHARS);
    const HAS_DECODE: bool = kernels::has_decode(S::ALPHABET.bits(), BYTES, CHARS);
}

impl<S: Base, const BYTES: usize, const CHARS: usize> Codec<CHARS> for InBase<S, BYTES, CHARS>
where
    [u8; BYTES]: Default,
{
    type Bits = [u8; BYTES];

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

    fn encode_many(level: Level, ids: &[[u8; BYTES]], texts: &mut [[u8; CHARS]]) -> usize {
        kernels::encode_many::<S, BYTES, CHARS>(level, ids, texts)
    }

    fn decode_many(level: Level, texts: &[[u8; CHARS]], ids: &mut [[u8; BYTES]]) -> usize {
        kernels::decode_many::<S, BYTES, CHARS>(level, texts, ids)
    }
}
