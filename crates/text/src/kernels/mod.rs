//! The inner loops of the codecs in vector instructions. The portable code ([`Alphabet`] and
//! [`base36`]) defines the results, and a kernel either agrees with it or declines.
//!
//! A single ID is converted with the instructions that the target is compiled for, because that
//! takes less time than a call to a better kernel would. Slices use the best [`SimdLevel`] that the
//! processor has.
//!
//! [`Alphabet`]: crate::Alphabet
//! [`base36`]: crate::base36

mod level;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[allow(
    unsafe_code,
    reason = "vector instructions that the target may lack, or that take pointers"
)]
mod x86_64;

pub use self::level::SimdLevel;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
pub(crate) use self::x86_64::*;

/// The kernels of other targets, which decline everything.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
mod none {
    use super::SimdLevel;
    use crate::StaticAlphabet;

    pub(crate) const ONE_BASE36: bool = false;

    macro_rules! declines {
        ($($name:ident[$($generics:tt)*]($($argument:ty),+) -> $result:ty = $none:expr;)+) => {$(
            pub(crate) const fn $name<$($generics)*>($(_: $argument),+) -> $result {
                $none
            }
        )+};
    }
    declines! {
        has_encode[](u32, usize, usize) -> bool = false;
        has_decode[](u32, usize, usize) -> bool = false;
        encode[S: StaticAlphabet, const B: usize, const C: usize](&[u8; B]) -> [u8; C] = [0; C];
        decode[S: StaticAlphabet, const B: usize, const C: usize](&[u8; C]) -> Option<[u8; B]> = None;
        encode_base36[](u64) -> [u8; 12] = [0; 12];
        decode_base36[](&[u8; 12]) -> Option<u64> = None;
        encode_many[S: StaticAlphabet, const B: usize, const C: usize](
            SimdLevel, &[[u8; B]], &mut [[u8; C]]
        ) -> usize = 0;
        decode_many[S: StaticAlphabet, const B: usize, const C: usize](
            SimdLevel, &[[u8; C]], &mut [[u8; B]]
        ) -> usize = 0;
        encode_base36_many[](SimdLevel, &[u64], &mut [[u8; 12]]) -> usize = 0;
        decode_base36_many[](SimdLevel, &[[u8; 12]], &mut [u64]) -> usize = 0;
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
pub(crate) use self::none::*;

#[cfg(test)]
mod tests {
    use core::array::from_fn;
    use core::fmt::Debug;
    use core::iter::zip;

    use super::SimdLevel;
    use crate::base36::TwelveDigits;
    use crate::{Alphabet, AlphabetCodec, Codec, StaticAlphabet};

    /// The step between wrong bytes. Under Miri, a few bytes must be enough.
    const STEP: usize = if cfg!(miri) { 51 } else { 1 };

    /// More than twice what the widest kernel takes at a time.
    const LEN: usize = 18;

    struct Base32;
    struct Base64;

    impl StaticAlphabet for Base32 {
        const ALPHABET: Alphabet =
            Alphabet::new("23456789abcdefghijklmnopqrstuvwx", "base32").unwrap();
    }

    impl StaticAlphabet for Base64 {
        // These are not in the order of the characters.
        const ALPHABET: Alphabet = Alphabet::new(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            "base64",
        )
        .unwrap();
    }

    /// Returns all zeros, all ones, and others.
    fn bytes<const BYTES: usize>() -> [[u8; BYTES]; LEN] {
        let byte = |item: usize, i: usize| (item * (37 + i * i) + 101 * i) % 256;
        from_fn(|item| match item {
            0 => [0; BYTES],
            1 => [u8::MAX; BYTES],
            _ => from_fn(|i| u8::try_from(byte(item, i)).unwrap()),
        })
    }

    /// Asserts that all methods agree with the portable ones; `[Avx2, Avx512]` convert `at_a_time`
    /// each.
    fn check<C: Codec<N>, const N: usize>(bits: [C::Value; LEN], at_a_time: [usize; 2])
    where
        C::Value: Debug + PartialEq,
    {
        let texts = bits.map(|bits| C::encode_portable(&bits));
        for (bits, text) in zip(&bits, &texts) {
            assert_eq!(C::encode(bits), *text);
        }
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let group = match level {
                SimdLevel::Portable | SimdLevel::Compiled => 0,
                SimdLevel::Avx2 => at_a_time[0],
                SimdLevel::Avx512 => at_a_time[1],
            };
            let mut written = [[b'?'; N]; LEN];
            let done = C::encode_many(level, &bits, &mut written);
            assert_eq!(written[..done], texts[..done], "{level:?}");
            // The last ones may be left for lack of room behind them.
            assert_eq!(done > LEN - 4, group > 0, "{level:?}: {done}");
            // A wrong byte, or another valid one, at any place in the tenth item.
            let wrong = |at| (0..=u8::MAX).step_by(STEP).map(move |byte| (at, byte));
            for (at, byte) in (0..N).flat_map(wrong) {
                let mut texts = texts;
                texts[9][at] = byte;
                let tenth = C::decode_portable(&texts[9]);
                assert_eq!(C::decode(&texts[9]), tenth, "{byte} at {at}");
                let mut read = [C::Value::default(); LEN];
                let done = C::decode_many(level, &texts, &mut read);
                match (tenth, group) {
                    (_, 0) => assert_eq!(done, 0, "{level:?}"),
                    (Ok(_), _) => assert!(done > LEN - 4, "{level:?}: {done}, {byte} at {at}"),
                    (Err(_), _) => assert_eq!(done, 9 / group * group, "{byte} at {at}"),
                }
                for (i, read) in read[..done].iter().enumerate() {
                    assert_eq!(Ok(read), if i == 9 { tenth.as_ref() } else { Ok(&bits[i]) });
                }
            }
        }
    }

    #[test]
    fn base32_equals_portable() {
        check::<AlphabetCodec<Base32, 10, 16>, 16>(bytes(), [2, 4]);
    }

    #[test]
    fn base64_equals_portable() {
        check::<AlphabetCodec<Base64, 12, 16>, 16>(bytes(), [2, 4]);
        check::<AlphabetCodec<Base64, 8, 11>, 11>(bytes(), [2, 4]);
    }

    #[test]
    fn base36_equals_portable() {
        const TWELVE: u64 = 36u64.pow(12);
        // A division that is slightly off shows first at multiples of powers.
        let values = from_fn(|item| match u32::try_from(item).unwrap() {
            0 => 0,
            power @ 1..=5 => 36u64.pow(2 * power),
            power @ 6..=11 => 36u64.pow(2 * (power - 5)) - 1,
            item @ 12..=14 => u64::from(item - 11) * 11 * 36u64.pow(6),
            item => u64::from(item).wrapping_mul(0x9E37_79B9_7F4A_7C15) % TWELVE,
        });
        check::<TwelveDigits, 12>(values, [2, 8]);
    }

    #[test]
    fn other_sizes_are_left_to_portable() {
        check::<AlphabetCodec<Base64, 16, 22>, 22>(bytes(), [0, 0]);
        check::<AlphabetCodec<Base32, 5, 8>, 8>(bytes(), [0, 0]);
    }
}
