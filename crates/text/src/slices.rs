//! Conversions between slices of IDs and texts, at the best [`SimdLevel`] that the processor has.

use core::iter::zip;

use thiserror::Error;

use crate::{Codec, ParseError, ParseErrorKind, SimdLevel};

/// The reason a slice was not written, or not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum SliceError {
    /// The slices have different lengths. Nothing was written.
    #[error("{input} go in, but there is room for {output}")]
    Length {
        /// The length of the input.
        input: usize,
        /// The length of the output.
        output: usize,
    },
    /// A text is not valid. The texts before it were read, and the output from its index on is
    /// unchanged.
    #[error("at index {index}: {error}")]
    Text {
        /// Its index, from 0.
        index: usize,
        /// The reason it was rejected.
        #[source]
        error: ParseError,
    },
}

impl SliceError {
    const fn unless_equal(input: usize, output: usize) -> Result<(), Self> {
        if input == output { Ok(()) } else { Err(Self::Length { input, output }) }
    }
}

/// The number of items converted at a time, which is large enough to amortise the overhead and
/// small enough to stay in the cache.
const CHUNK: usize = 64;

/// Writes the text of each of `ids` to the same index of `texts`; `bits` returns the value of an
/// ID.
///
/// # Errors
/// [`SliceError::Length`] if the slices have different lengths.
///
/// # Examples
/// ```
/// use tickid_text::base36::TwelveDigits;
/// use tickid_text::slices;
///
/// let mut texts = [[0; 12]; 2];
/// slices::encode::<TwelveDigits, u64, 12>(&[35, 36], &mut texts, |number| number)?;
/// assert_eq!(texts, [*b"00000000000z", *b"000000000010"]);
/// # Ok::<(), tickid_text::SliceError>(())
/// ```
#[inline]
pub fn encode<C: Codec<CHARS>, I: Copy, const CHARS: usize>(
    ids: &[I],
    texts: &mut [[u8; CHARS]],
    bits: impl Fn(I) -> C::Value,
) -> Result<(), SliceError> {
    encode_with::<C, _, CHARS>(SimdLevel::best(), ids, texts, bits)
}

/// Reads each of `texts` to the same index of `ids`, where `id` makes an ID from a value. Errors
/// name the kind of ID, `what`.
///
/// # Errors
/// Returns [`SliceError::Length`] if the slices have different lengths, or else
/// [`SliceError::Text`] for the first text that is not valid.
///
/// # Examples
/// ```
/// use tickid_text::base36::TwelveDigits;
/// use tickid_text::{SliceError, slices};
///
/// let mut numbers = [0; 2];
/// let texts = [*b"000000000010", *b"0000000000-1"];
/// let result = slices::decode::<TwelveDigits, u64, 12>(&texts, &mut numbers, "number", |n| n);
/// assert!(matches!(result, Err(SliceError::Text { index: 1, .. })));
/// assert_eq!(numbers, [36, 0]); // the numbers before the error are read
/// ```
#[inline]
pub fn decode<C: Codec<CHARS>, I, const CHARS: usize>(
    texts: &[[u8; CHARS]],
    ids: &mut [I],
    what: &'static str,
    id: impl Fn(C::Value) -> I,
) -> Result<(), SliceError> {
    decode_with::<C, _, CHARS>(SimdLevel::best(), texts, ids, what, id)
}

/// Runs [`encode`] at a chosen level, for tests. Returns `None` if the processor does not have it.
#[doc(hidden)]
pub fn encode_at<C: Codec<CHARS>, I: Copy, const CHARS: usize>(
    level: SimdLevel,
    ids: &[I],
    texts: &mut [[u8; CHARS]],
    bits: impl Fn(I) -> C::Value,
) -> Option<Result<(), SliceError>> {
    level.is_available().then(|| encode_with::<C, _, CHARS>(level, ids, texts, bits))
}

/// Runs [`decode`] of a "test ID" at a chosen level. Returns `None` if the processor does not have
/// it.
#[doc(hidden)]
pub fn decode_at<C: Codec<CHARS>, I, const CHARS: usize>(
    level: SimdLevel,
    texts: &[[u8; CHARS]],
    ids: &mut [I],
    id: impl Fn(C::Value) -> I,
) -> Option<Result<(), SliceError>> {
    level.is_available().then(|| decode_with::<C, _, CHARS>(level, texts, ids, "test ID", id))
}

fn encode_with<C: Codec<CHARS>, I: Copy, const CHARS: usize>(
    level: SimdLevel,
    ids: &[I],
    texts: &mut [[u8; CHARS]],
    bits: impl Fn(I) -> C::Value,
) -> Result<(), SliceError> {
    SliceError::unless_equal(ids.len(), texts.len())?;
    let mut buffer = [C::Value::default(); CHUNK];
    for (ids, texts) in zip(ids.chunks(CHUNK), texts.chunks_mut(CHUNK)) {
        for (bits_of, &id) in zip(&mut buffer, ids) {
            *bits_of = bits(id);
        }
        let buffer = buffer.get(..ids.len()).unwrap_or_default();
        let done = C::encode_many(level, buffer, texts);
        for (text, bits) in zip(texts, buffer).skip(done) {
            *text = match level {
                SimdLevel::Portable => C::encode_portable(bits),
                _ => C::encode(bits),
            };
        }
    }
    Ok(())
}

fn decode_with<C: Codec<CHARS>, I, const CHARS: usize>(
    level: SimdLevel,
    texts: &[[u8; CHARS]],
    ids: &mut [I],
    what: &'static str,
    id: impl Fn(C::Value) -> I,
) -> Result<(), SliceError> {
    SliceError::unless_equal(texts.len(), ids.len())?;
    let mut buffer = [C::Value::default(); CHUNK];
    let chunks = zip(texts.chunks(CHUNK), ids.chunks_mut(CHUNK));
    for (start, (texts, ids)) in zip((0..).step_by(CHUNK), chunks) {
        let buffer = buffer.get_mut(..texts.len()).unwrap_or_default();
        let read = decode_chunk::<C, CHARS>(level, texts, buffer);
        let valid = read.map_or_else(|(index, _)| index, |()| texts.len());
        for (place, &bits) in zip(ids, &*buffer).take(valid) {
            *place = id(bits);
        }
        read.map_err(|(index, kind)| {
            let error = ParseError::new(what, kind);
            SliceError::Text { index: start + index, error }
        })?;
    }
    Ok(())
}

/// Reads one chunk. The error holds the index of the first text that is not valid, and the reason.
#[inline]
fn decode_chunk<C: Codec<CHARS>, const CHARS: usize>(
    level: SimdLevel,
    texts: &[[u8; CHARS]],
    bits: &mut [C::Value],
) -> Result<(), (usize, ParseErrorKind)> {
    let done = C::decode_many(level, texts, bits);
    for (index, (text, bits)) in zip(texts, bits).enumerate().skip(done) {
        let decoded = match level {
            SimdLevel::Portable => C::decode_portable(text),
            _ => C::decode(text),
        };
        *bits = decoded.map_err(|kind| (index, kind))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes and reads a different letter by each method; `!` is never valid.
    struct Telltale;

    const NO_ID: ParseErrorKind = ParseErrorKind::StrayBits { byte: b'!', position: 0 };

    impl Codec<1> for Telltale {
        type Value = u8;

        fn encode_portable(_: &u8) -> [u8; 1] {
            *b"p"
        }

        fn decode_portable(_: &[u8; 1]) -> Result<u8, ParseErrorKind> {
            Ok(b'p')
        }

        fn encode(_: &u8) -> [u8; 1] {
            *b"c"
        }

        fn decode(text: &[u8; 1]) -> Result<u8, ParseErrorKind> {
            if text == b"!" { Err(NO_ID) } else { Ok(b'c') }
        }

        /// Writes as many of the first texts as the level allows, and leaves the others.
        fn encode_many(_: SimdLevel, _: &[u8], texts: &mut [[u8; 1]]) -> usize {
            texts[0] = *b"m";
            1
        }

        fn decode_many(_: SimdLevel, _: &[[u8; 1]], values: &mut [u8]) -> usize {
            values[0] = b'm';
            1
        }
    }

    /// Without this, nothing would be compared with the portable code.
    #[test]
    fn portable_level_stays_portable() {
        for (level, expected) in [(SimdLevel::Portable, *b"mpp"), (SimdLevel::Compiled, *b"mcc")] {
            let mut texts = [[0]; 3];
            let encoded = encode_at::<Telltale, _, 1>(level, &[0; 3], &mut texts, |value| value);
            assert_eq!(encoded, Some(Ok(())));
            assert_eq!(texts.as_flattened(), expected, "{level:?}");
            let mut values = [0; 3];
            let decoded = decode_at::<Telltale, _, 1>(level, &texts, &mut values, |value| value);
            assert_eq!(decoded, Some(Ok(())));
            assert_eq!(values, expected, "{level:?}");
        }
    }

    #[test]
    fn errors_have_the_whole_index() {
        for index in [1, CHUNK - 1, CHUNK + 3] {
            let (mut texts, mut values) = ([[0]; 2 * CHUNK], [0; 2 * CHUNK]);
            texts[index] = *b"!";
            let decoded = decode::<Telltale, _, 1>(&texts, &mut values, "test ID", |value| value);
            let error = ParseError::new("test ID", NO_ID);
            assert_eq!(decoded, Err(SliceError::Text { index, error }));
            assert_eq!((values[index - 1] > 0, values[index]), (true, 0));
        }
    }

    #[test]
    fn default_level_is_the_best() {
        let (mut texts, mut values) = ([[0]; 3], [0; 3]);
        assert_eq!(encode::<Telltale, _, 1>(&[0; 3], &mut texts, |value| value), Ok(()));
        assert_eq!(texts.as_flattened(), b"mcc");
        let decoded = decode::<Telltale, _, 1>(&texts, &mut values, "test ID", |value| value);
        assert_eq!((decoded, &values), (Ok(()), b"mcc"));
        let length = Err(SliceError::Length { input: 3, output: 2 });
        assert_eq!(encode::<Telltale, _, 1>(&[0; 3], &mut texts[..2], |value| value), length);
    }
}
