//! The methods that use vector instructions agree with the portable ones in texts, values and
//! errors, and both with other implementations.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod base36;
mod forms;

use core::fmt::Debug;

use forms::{Form, Global, Local, Sno, UrlGlobal, UrlLocal, Wide};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tickid_text::base36::TwelveDigits;
use tickid_text::{Codec, ParseErrorKind};

/// Asserts that a text is read as by the portable code, into the same value or the same error.
fn assert_reads_alike<C: Codec<N>, const N: usize>(text: &[u8; N])
where
    C::Value: Debug + PartialEq,
{
    assert_eq!(C::decode(text), C::decode_portable(text), "{text:?}");
    assert_eq!(C::parse(text), C::decode_portable(text), "{text:?}");
}

/// Asserts that a value is written as by another implementation, and read back.
fn writes_and_reads<F: Form<N>, const N: usize>(bits: &F::Value)
where
    F::Value: Debug + PartialEq,
{
    let expected = F::reference(bits);
    assert_eq!(F::Codec::text(bits), expected.as_str());
    assert_eq!(F::Codec::encode_portable(bits), expected.as_bytes());
    assert_eq!(F::Codec::parse(expected.as_bytes()).as_ref(), Ok(bits));
    assert_eq!(F::Codec::decode_portable(&F::Codec::encode(bits)).as_ref(), Ok(bits));
}

/// Returns a text with `bytes` from `at` on.
fn with_bytes<const N: usize>(mut text: [u8; N], at: usize, bytes: &[u8]) -> [u8; N] {
    text[at..][..bytes.len()].copy_from_slice(bytes);
    text
}

fn every_wrong_byte_is_located<F: Form<N>, const N: usize>()
where
    F::Value: Debug + PartialEq,
{
    for bits in F::samples() {
        let text = F::Codec::encode_portable(&bits);
        for at in 0..N {
            for byte in 0..=u8::MAX {
                let text = with_bytes(text, at, &[byte]);
                assert_reads_alike::<F::Codec, N>(&text);
                // Both find the position by one function, so they would agree on a wrong one.
                let read = F::Codec::decode_portable(&text);
                assert_eq!(read.ok(), F::read_by_others(&text), "{byte} at {at}");
                let named = read.err().map(|kind| match kind {
                    ParseErrorKind::Character { byte, position, .. }
                    | ParseErrorKind::StrayBits { byte, position } => (byte, position),
                    ParseErrorKind::Length { .. } | ParseErrorKind::TooLarge { .. } => {
                        panic!("{kind:?}")
                    }
                    _ => panic!("{kind:?}"),
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
        // Also in the last two characters, which may have stray bits.
        for at in [usize::from(pair / 7) % (N - 1), N - 2] {
            assert_reads_alike::<F::Codec, N>(&with_bytes(text, at, &pair.to_be_bytes()));
        }
    }
}

fn every_pair_of_bytes_in_place<F: Form<N>, const N: usize>() {
    for bits in F::samples() {
        let sample = F::Codec::encode_portable(&bits);
        let mut valid = 0;
        for at in 0..N - 1 {
            for pair in 0..=u16::MAX {
                let text = with_bytes(sample, at, &pair.to_be_bytes());
                let read = F::Codec::decode_portable(&text).ok();
                assert_eq!(read, F::read_by_others(&text), "{text:?}");
                valid += u32::from(read.is_some());
            }
        }
        assert!(valid > 100, "{valid} of them are texts");
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

/// Returns texts of which up to three bytes are wrong.
fn texts<F: Form<N>, const N: usize>() -> impl Strategy<Value = [u8; N]>
where
    F::Value: Debug,
{
    let wrong = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (F::any(), wrong).prop_map(|(bits, wrong)| {
        let text = F::Codec::encode_portable(&bits);
        wrong.iter().fold(text, |text, (at, byte)| with_bytes(text, at.index(N), &[*byte]))
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
            fn other_lengths_are_no_texts() {
                super::other_lengths_are_no_texts::<$form, $chars>();
            }

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn any_value_is_written_and_read(bits in <$form as Form<$chars>>::any()) {
                    writes_and_reads::<$form, $chars>(&bits);
                }

                #[test]
                fn any_text_reads_as_portable(text in texts::<$form, $chars>()) {
                    assert_reads_alike::<<$form as Form<$chars>>::Codec, $chars>(&text);
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
