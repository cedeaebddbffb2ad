//! The schemes' forms of text, and what others make of the same bits.

use core::fmt::Debug;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::{NO_PAD, URL_SAFE_NO_PAD};
use proptest::prelude::*;
use tickid_core::text::base36::Twelve;
use tickid_core::text::{Alphabet, Base, Codec, InBase};

const SNO: &str = "23456789abcdefghijklmnopqrstuvwx";
const SORTABLE: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A form under test.
pub(crate) trait Form<const N: usize> {
    type Bits: Copy + Debug + Default + PartialEq;
    type Codec: Codec<N, Bits = Self::Bits>;

    fn any() -> BoxedStrategy<Self::Bits>;

    /// What an independent implementation writes.
    fn reference(bits: &Self::Bits) -> String;

    /// All bits zero, all bits one, and something between.
    fn samples() -> [Self::Bits; 3];
}

pub(crate) struct Base32;
pub(crate) struct Sortable;
pub(crate) struct Url;

macro_rules! base {
    ($base:ident: $symbols:ident) => {
        impl Base for $base {
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
    ($form:ident: $base:ty, $bytes:literal bytes, $chars:literal characters, $reference:expr) => {
        pub(crate) struct $form;

        impl Form<$chars> for $form {
            type Bits = [u8; $bytes];
            type Codec = InBase<$base, $bytes, $chars>;

            fn any() -> BoxedStrategy<[u8; $bytes]> {
                any::<[u8; $bytes]>().boxed()
            }

            fn reference(bytes: &[u8; $bytes]) -> String {
                $reference(bytes)
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
form!(Sno: Base32, 10 bytes, 16 characters, by_data_encoding);
form!(Global: Sortable, 12 bytes, 16 characters, by_base64);
form!(UrlGlobal: Url, 12 bytes, 16 characters, |bytes| URL_SAFE_NO_PAD.encode(bytes));
form!(Local: Sortable, 8 bytes, 11 characters, by_base64);
form!(UrlLocal: Url, 8 bytes, 11 characters, |bytes| URL_SAFE_NO_PAD.encode(bytes));
form!(Wide: Sortable, 16 bytes, 22 characters, by_base64);

fn by_data_encoding(bytes: &[u8; 10]) -> String {
    let mut specification = data_encoding::Specification::new();
    specification.symbols.push_str(SNO);
    specification.encoding().unwrap().encode(bytes)
}

fn by_base64<const N: usize>(bytes: &[u8; N]) -> String {
    let alphabet = base64::alphabet::Alphabet::new(SORTABLE).unwrap();
    GeneralPurpose::new(&alphabet, NO_PAD).encode(bytes)
}

impl Form<12> for Twelve {
    type Bits = u64;
    type Codec = Self;

    fn any() -> BoxedStrategy<u64> {
        (0..36u64.pow(12)).boxed()
    }

    fn reference(value: &u64) -> String {
        format!("{:0>12}", in_base_36((*value).into()))
    }

    fn samples() -> [u64; 3] {
        [0, 36u64.pow(12) - 1, 0x1234_5678_9abc_def0]
    }
}

/// By the book.
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
