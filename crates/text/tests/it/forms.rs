//! The schemes' text forms, and other implementations of them.

use core::fmt::Debug;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::NO_PAD;
use proptest::prelude::*;
use tickid_text::base36::TwelveDigits;
use tickid_text::{Alphabet, AlphabetCodec, Codec, StaticAlphabet};

const SNO: &str = "23456789abcdefghijklmnopqrstuvwx";
const SORTABLE: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A form under test.
pub(crate) trait Form<const N: usize> {
    type Value: Copy + Debug + Default + PartialEq;
    type Codec: Codec<N, Value = Self::Value>;

    fn any() -> BoxedStrategy<Self::Value>;

    /// Writes the value with an independent implementation.
    fn reference(bits: &Self::Value) -> String;

    /// Reads a text with that implementation.
    fn read_by_others(text: &[u8; N]) -> Option<Self::Value>;

    /// Returns all bits zero, all bits one, and a value in between.
    fn samples() -> [Self::Value; 3];
}

pub(crate) struct Base32;
pub(crate) struct Sortable;
pub(crate) struct Url;

macro_rules! base {
    ($base:ident: $symbols:ident) => {
        impl StaticAlphabet for $base {
            const ALPHABET: Alphabet = match Alphabet::new($symbols, "others") {
                Some(alphabet) => alphabet,
                None => panic!("not an alphabet"),
            };
        }
    };
}
base!(Base32: SNO);
base!(Sortable: SORTABLE);
base!(Url: URL);

macro_rules! form {
    ($form:ident: $base:ty, $bytes:literal bytes, $chars:literal characters, $others:expr) => {
        pub(crate) struct $form;

        impl $form {
            fn others() -> &'static Others {
                static OTHERS: LazyLock<Others> = LazyLock::new(|| $others);
                &OTHERS
            }
        }

        impl Form<$chars> for $form {
            type Value = [u8; $bytes];
            type Codec = AlphabetCodec<$base, $bytes, $chars>;

            fn any() -> BoxedStrategy<[u8; $bytes]> {
                any::<[u8; $bytes]>().boxed()
            }

            fn reference(bytes: &[u8; $bytes]) -> String {
                Self::others().encode(bytes)
            }

            fn read_by_others(text: &[u8; $chars]) -> Option<[u8; $bytes]> {
                Self::others().decode(text)?.try_into().ok()
            }

            fn samples() -> [[u8; $bytes]; 3] {
                let mut mixed = [0; $bytes];
                for (i, byte) in mixed.iter_mut().enumerate() {
                    *byte = u8::try_from(i * 37 % 256).unwrap() ^ 0x5a;
                }
                [[0; $bytes], [0xff; $bytes], mixed]
            }
        }
    };
}
form!(Sno: Base32, 10 bytes, 16 characters, Others::base32(SNO));
form!(Global: Sortable, 12 bytes, 16 characters, Others::base64(SORTABLE));
form!(UrlGlobal: Url, 12 bytes, 16 characters, Others::base64(URL));
form!(Local: Sortable, 8 bytes, 11 characters, Others::base64(SORTABLE));
form!(UrlLocal: Url, 8 bytes, 11 characters, Others::base64(URL));
form!(Wide: Sortable, 16 bytes, 22 characters, Others::base64(SORTABLE));

/// Libraries with the same alphabets. Both are strict: each value has one text.
enum Others {
    DataEncoding(data_encoding::Encoding),
    Base64(Box<GeneralPurpose>),
}

impl Others {
    fn base32(symbols: &str) -> Self {
        let mut specification = data_encoding::Specification::new();
        specification.symbols.push_str(symbols);
        Self::DataEncoding(specification.encoding().unwrap())
    }

    fn base64(symbols: &str) -> Self {
        let alphabet = base64::alphabet::Alphabet::new(symbols).unwrap();
        Self::Base64(Box::new(GeneralPurpose::new(&alphabet, NO_PAD)))
    }

    fn encode(&self, bytes: &[u8]) -> String {
        match self {
            Self::DataEncoding(encoding) => encoding.encode(bytes),
            Self::Base64(engine) => engine.encode(bytes),
        }
    }

    fn decode(&self, text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::DataEncoding(encoding) => encoding.decode(text).ok(),
            Self::Base64(engine) => engine.decode(text).ok(),
        }
    }
}

impl Form<12> for TwelveDigits {
    type Value = u64;
    type Codec = Self;

    fn any() -> BoxedStrategy<u64> {
        (0..36u64.pow(12)).boxed()
    }

    fn reference(value: &u64) -> String {
        format!("{:0>12}", in_base_36((*value).into()))
    }

    fn read_by_others(text: &[u8; 12]) -> Option<u64> {
        text.iter().try_fold(0, |value, &byte| {
            Some(value * 36 + u64::from(char::from(byte).to_digit(36)?))
        })
    }

    fn samples() -> [u64; 3] {
        [0, 36u64.pow(12) - 1, 0x1234_5678_9abc_def0]
    }
}

/// Writes a number in Base36, digit by digit.
pub(crate) fn in_base_36(mut value: u128) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(u32::try_from(value % 36).unwrap(), 36).unwrap());
        value /= 36;
        if value == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}
