//! All methods that write or read a text agree with the portable ones in texts, values and errors.
//!
//! Each level is forced in turn. Standard error lists the levels that the processor has and lacks.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod base36;
mod forms;

use core::fmt::Debug;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use forms::{Form, Global, Local, Sno, UrlGlobal, UrlLocal, Wide};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tickid_text::base36::TwelveDigits;
use tickid_text::{Codec, ParseError, ParseErrorKind, SimdLevel, SliceError, slices};

/// The kind of ID that errors name.
const WHAT: &str = "test ID";

/// The levels that this processor has. Prints them once, past the test harness, which would capture
/// them, because skipped levels must be visible and `cargo xtask verify memcheck` reads the list.
fn levels() -> impl Iterator<Item = SimdLevel> {
    static LEVELS: LazyLock<Vec<SimdLevel>> = LazyLock::new(|| {
        let (here, skipped): (Vec<_>, Vec<_>) =
            SimdLevel::ALL.into_iter().partition(|level| level.is_available());
        let mut stderr = io::stderr();
        let _ = writeln!(stderr, "at levels {here:?}");
        if !skipped.is_empty() {
            let _ = writeln!(stderr, "skipped: this processor has no {skipped:?}");
        }
        here
    });
    LEVELS.iter().copied()
}

/// Writes `bits` at `level` into a vector without room behind it.
fn encode<C: Codec<N>, const N: usize>(level: SimdLevel, bits: &[C::Value]) -> Vec<[u8; N]> {
    let mut texts = vec![[b'?'; N]; bits.len()];
    let encoded = slices::encode_at::<C, _, N>(level, bits, &mut texts, |bits| bits);
    encoded.expect("a level that is available").unwrap();
    texts
}

/// Reads `texts` at `level` over values of `before`, and returns the result and the values.
fn decode<C: Codec<N>, const N: usize>(
    level: SimdLevel,
    texts: &[[u8; N]],
    before: C::Value,
) -> (Result<(), SliceError>, Vec<C::Value>) {
    let mut bits = vec![before; texts.len()];
    let decoded = slices::decode_at::<C, _, N>(level, texts, &mut bits, |bits| bits);
    (decoded.expect("a level that is available"), bits)
}

/// Reads each text with the portable code, and combines the results as for slices.
fn decode_one_by_one<C: Codec<N>, const N: usize>(
    texts: &[[u8; N]],
    before: C::Value,
) -> (Result<(), SliceError>, Vec<C::Value>) {
    let mut bits = vec![before; texts.len()];
    for (index, text) in texts.iter().enumerate() {
        match C::decode_portable(text) {
            Ok(decoded) => bits[index] = decoded,
            Err(kind) => {
                let error = ParseError::new(WHAT, kind);
                return (Err(SliceError::Text { index, error }), bits);
            }
        }
    }
    (Ok(()), bits)
}

/// Asserts that every level reads `texts` as the portable code does.
fn assert_reads_alike<C: Codec<N>, const N: usize>(texts: &[[u8; N]], before: C::Value)
where
    C::Value: Debug + PartialEq,
{
    let expected = decode_one_by_one::<C, N>(texts, before);
    for level in levels() {
        assert_eq!(decode::<C, N>(level, texts, before), expected, "{level:?} of {texts:?}");
    }
    for text in texts {
        assert_eq!(C::decode(text), C::decode_portable(text), "{text:?}");
        assert_eq!(C::parse(text), C::decode_portable(text), "{text:?}");
    }
}

/// Returns eight texts, as many as the widest kernel reads together, with `bytes` from `at` on in
/// the one at `index`.
fn with_bytes<const N: usize>(
    text: [u8; N],
    index: usize,
    at: usize,
    bytes: &[u8],
) -> [[u8; N]; 8] {
    let mut texts = [text; 8];
    texts[index][at..][..bytes.len()].copy_from_slice(bytes);
    texts
}

fn every_level_writes_and_reads_all<F: Form<N>, const N: usize>(bits: &[F::Value])
where
    F::Value: Debug + PartialEq,
{
    let expected: Vec<_> = bits.iter().map(F::reference).collect();
    for level in levels() {
        let texts = encode::<F::Codec, N>(level, bits);
        let as_text = |text: &[u8; N]| String::from_utf8(text.to_vec()).unwrap();
        assert_eq!(texts.iter().map(as_text).collect::<Vec<_>>(), expected, "{level:?}");
        let (decoded, read) = decode::<F::Codec, N>(level, &texts, F::Value::default());
        assert_eq!((decoded, read.as_slice()), (Ok(()), bits), "{level:?}");
    }
    for (bits, expected) in bits.iter().zip(expected) {
        assert_eq!(F::Codec::text(bits), expected.as_str());
        assert_eq!(F::Codec::parse(expected.as_bytes()).as_ref(), Ok(bits));
    }
}

fn every_wrong_byte_is_located<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    for bits in F::samples() {
        let text = F::Codec::encode_portable(&bits);
        for at in 0..N {
            for byte in 0..=u8::MAX {
                let index = (at + usize::from(byte)) % 8;
                let texts = with_bytes(text, index, at, &[byte]);
                assert_reads_alike::<F::Codec, N>(&texts, F::Value::default());
                // All levels find the position by one function, so they would agree on a wrong one.
                let read = F::Codec::decode_portable(&texts[index]);
                assert_eq!(read.ok(), F::read_by_others(&texts[index]), "{byte} at {at}");
                let named = read.err().map(|kind| match kind {
                    ParseErrorKind::Character { byte, position, .. }
                    | ParseErrorKind::StrayBits { byte, position } => (byte, position),
                    other => panic!("{other:?}"),
                });
                assert!(named.is_none_or(|named| named == (byte, at)), "{named:?} at {at}");
            }
        }
    }
}

fn every_pair_of_bytes_reads_alike<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    let text = F::Codec::encode_portable(&F::samples()[0]);
    for pair in 0..=u16::MAX {
        let (index, at) = (usize::from(pair) % 8, usize::from(pair / 7) % (N - 1));
        let texts = with_bytes(text, index, at, &pair.to_be_bytes());
        assert_reads_alike::<F::Codec, N>(&texts, F::Value::default());
    }
    // The last two characters may have stray bits.
    for pair in 0..=u16::MAX {
        let texts = with_bytes(text, usize::from(pair) % 8, N - 2, &pair.to_be_bytes());
        assert_reads_alike::<F::Codec, N>(&texts, F::Value::default());
    }
}

fn every_pair_of_bytes_in_place<F: Form<N>, const N: usize>() {
    for bits in F::samples() {
        let sample = F::Codec::encode_portable(&bits);
        let mut valid = 0;
        for at in 0..N - 1 {
            for pair in 0..=u16::MAX {
                let mut text = sample;
                text[at..][..2].copy_from_slice(&pair.to_be_bytes());
                let read = F::Codec::decode_portable(&text).ok();
                assert_eq!(read, F::read_by_others(&text), "{text:?}");
                valid += u32::from(read.is_some());
            }
        }
        assert!(valid > 100, "{valid} of them are texts");
    }
}

fn every_length_is_converted<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    let samples = F::samples();
    let bits: Vec<_> = samples.iter().copied().cycle().take(150).collect();
    for len in 0..bits.len() {
        every_level_writes_and_reads_all::<F, N>(&bits[..len]);
    }
}

/// Returns the number of IDs that a level converts at a time, or 0 if it has no kernel for slices.
fn at_a_time<const N: usize>(level: SimdLevel) -> usize {
    match level {
        // Only the schemes' forms have kernels.
        _ if N > 16 => 0,
        SimdLevel::Avx2 => 2,
        SimdLevel::Avx512 if N == 12 => 8,
        SimdLevel::Avx512 => 4,
        _ => 0,
    }
}

/// Texts that a level declines are converted one by one, so only this shows that it declines few.
fn levels_read_up_to_the_error<F: Form<N>, const N: usize>() {
    let [.., sample] = F::samples();
    let text = F::Codec::encode_portable(&sample);
    for (at, byte) in (0..N).flat_map(|at| (0..=u8::MAX).map(move |byte| (at, byte))) {
        let index = (at + usize::from(byte)) % 16;
        let mut texts = [text; 24];
        texts[index][at] = byte;
        let is_valid = F::Codec::decode_portable(&texts[index]).is_ok();
        for level in levels() {
            let done = F::Codec::decode_many(level, &texts, &mut [F::Value::default(); 24]);
            match at_a_time::<N>(level) {
                0 => assert_eq!(done, 0),
                // The last ones may be left for lack of room behind them.
                _ if is_valid => assert!(done > 20, "{level:?}: {done}, {byte} at {at}"),
                group => assert_eq!(done, index / group * group, "{level:?}: {byte} at {at}"),
            }
        }
    }
}

fn levels_stay_within_slices<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    let samples = F::samples();
    let bits: [_; 24] = core::array::from_fn(|i| samples[i % samples.len()]);
    let texts = bits.map(|bits| F::Codec::encode_portable(&bits));
    for level in levels() {
        for len in 0..=24 {
            let (mut written, mut read) = ([[b'?'; N]; 24], [F::Value::default(); 24]);
            let done = F::Codec::encode_many(level, &bits, &mut written[..len]);
            assert!(done <= len, "{level:?}: {done} of {len}");
            assert_eq!(&written[..done], &texts[..done], "{level:?}");
            assert_eq!(&written[len..], &[[b'?'; N]; 24][len..], "{level:?}");
            let done = F::Codec::decode_many(level, &texts, &mut read[..len]);
            assert!(done <= len, "{level:?}: {done} of {len}");
            assert_eq!(&read[..done], &bits[..done], "{level:?}");
        }
        let done = F::Codec::encode_many(level, &bits, &mut [[0; N]; 24]);
        match at_a_time::<N>(level) {
            0 => assert_eq!(done, 0),
            group => assert!(done > 20 && done % group == 0, "{level:?}: {done}"),
        }
    }
}

fn two_lengths_are_an_error<F: Form<N>, const N: usize>() {
    let bits = [F::Value::default(); 3];
    let mut texts = [[b'?'; N]; 2];
    for level in levels() {
        let encoded = slices::encode_at::<F::Codec, _, N>(level, &bits, &mut texts, |bits| bits);
        assert_eq!(encoded, Some(Err(SliceError::Length { input: 3, output: 2 })));
        assert_eq!(texts, [[b'?'; N]; 2], "nothing is written");
        let room = &mut bits.clone();
        let decoded = slices::decode_at::<F::Codec, _, N>(level, &texts, room, |bits| bits);
        assert_eq!(decoded, Some(Err(SliceError::Length { input: 2, output: 3 })));
    }
}

fn other_lengths_are_no_texts<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    let mut text = F::Codec::encode(&F::Value::default()).to_vec();
    text.extend_from_within(..);
    for len in (0..text.len()).filter(|&len| len != N) {
        let expected = ParseErrorKind::Length { found: len, min: N, max: N };
        assert_eq!(F::Codec::parse(&text[..len]), Err(expected));
    }
}

/// Returns texts, most of them valid.
fn texts<F: Form<N>, const N: usize>() -> impl Strategy<Value = Vec<[u8; N]>>
where
    F::Value: Debug,
{
    let wrong = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>());
    let wrong = prop::collection::vec(wrong, 0..4);
    (prop::collection::vec(F::any(), 1..200), wrong).prop_map(|(bits, wrong)| {
        let mut texts: Vec<[u8; N]> = bits.iter().map(F::Codec::encode_portable).collect();
        for (index, at, byte) in wrong {
            index.get_mut(&mut texts)[at.index(N)] = byte;
        }
        texts
    })
}

/// Returns a configuration for the same cases every time. A failure prints its input.
fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(0x7469_636B),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

macro_rules! forms {
    ($($form:ident: $chars:literal in $name:ident;)+) => {
        $(mod $name {
            use super::*;

            #[test]
            #[cfg_attr(miri, ignore = "takes an interpreter hours")]
            fn every_wrong_byte_is_located() {
                super::every_wrong_byte_is_located::<$form, $chars>();
            }

            #[test]
            #[cfg_attr(miri, ignore = "takes an interpreter hours")]
            fn every_pair_of_bytes_reads_alike() {
                super::every_pair_of_bytes_reads_alike::<$form, $chars>();
            }

            #[test]
            #[cfg_attr(miri, ignore = "takes an interpreter hours")]
            fn every_pair_of_bytes_in_place() {
                super::every_pair_of_bytes_in_place::<$form, $chars>();
            }

            #[test]
            #[cfg_attr(miri, ignore = "takes an interpreter hours")]
            fn every_length_is_converted() {
                super::every_length_is_converted::<$form, $chars>();
            }

            #[test]
            #[cfg_attr(miri, ignore = "takes an interpreter hours")]
            fn levels_read_up_to_the_error() {
                super::levels_read_up_to_the_error::<$form, $chars>();
            }

            #[test]
            fn levels_stay_within_slices() {
                super::levels_stay_within_slices::<$form, $chars>();
            }

            #[test]
            fn two_lengths_are_an_error() {
                super::two_lengths_are_an_error::<$form, $chars>();
            }

            #[test]
            fn other_lengths_are_no_texts() {
                super::other_lengths_are_no_texts::<$form, $chars>();
            }

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn levels_agree(
                    bits in prop::collection::vec(<$form as Form<$chars>>::any(), 0..200),
                ) {
                    every_level_writes_and_reads_all::<$form, $chars>(&bits);
                }

                #[test]
                fn levels_give_the_same_error(
                    texts in texts::<$form, $chars>(),
                    before in <$form as Form<$chars>>::any(),
                ) {
                    assert_reads_alike::<<$form as Form<$chars>>::Codec, $chars>(&texts, before);
                }
            }
        })+
    };
}

forms! {
    Sno: 16 in sno;
    Global: 16 in global;
    UrlGlobal: 16 in url_global;
    Local: 11 in local;
    UrlLocal: 11 in url_local;
    Wide: 22 in wide;
    TwelveDigits: 12 in scru64;
}

#[test]
fn best_level_is_highest_available() {
    assert_eq!(levels().last(), Some(SimdLevel::best()));
}

/// Without this, a test at such a level would test another level.
#[test]
fn unavailable_level_does_nothing() {
    for level in SimdLevel::ALL.into_iter().filter(|level| !level.is_available()) {
        let (texts, bits) = (&mut [[b'0'; 12]; 8], &mut [0; 8]);
        assert_eq!(slices::encode_at::<TwelveDigits, _, 12>(level, bits, texts, |bits| bits), None);
        let decoded = slices::decode_at::<TwelveDigits, _, 12>(level, texts, bits, |bits| bits);
        assert_eq!(decoded, None);
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[test]
fn availability_needs_all_features() {
    use std::is_x86_feature_detected as has;
    assert_eq!(SimdLevel::Avx2.is_available(), has!("avx2"));
    let avx512 = [
        has!("avx512f"),
        has!("avx512bw"),
        has!("avx512dq"),
        has!("avx512ifma"),
        has!("avx512vbmi"),
    ];
    assert_eq!(SimdLevel::Avx512.is_available(), avx512 == [true; 5]);
}
