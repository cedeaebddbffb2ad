//! The inner loops of the codecs in vector instructions, for one ID at a time.
//!
//! The portable code ([`Alphabet`] and [`base36`]) defines the results, and a kernel either agrees
//! with it or declines. Only SSE2 is used, because every x86-64 processor has it. Wider
//! instructions would need a detection or an indirect call before each ID, which takes only a few
//! nanoseconds itself.
//!
//! [`Alphabet`]: crate::Alphabet
//! [`base36`]: crate::base36

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
#[allow(unsafe_code, reason = "vector instructions, some of which take pointers")]
mod x86_64;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
pub(crate) use self::x86_64::*;

/// The kernels of other targets, which decline everything.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
mod none {
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
    }
}
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
pub(crate) use self::none::*;

#[cfg(test)]
mod tests {
    use core::array::from_fn;
    use core::fmt::Debug;

    use crate::base36::TwelveDigits;
    use crate::{Alphabet, AlphabetCodec, Codec, StaticAlphabet};

    /// The step between wrong bytes. Under Miri, a few bytes must be enough.
    const STEP: usize = if cfg!(miri) { 51 } else { 1 };

    /// The number of values of each form.
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

    /// Asserts that the methods for one text agree with the portable ones, also for each byte at
    /// each place of a text.
    fn check<C: Codec<N>, const N: usize>(bits: [C::Value; LEN])
    where
        C::Value: Debug + PartialEq,
    {
        for bits in bits {
            let text = C::encode_portable(&bits);
            assert_eq!(C::encode(&bits), text);
            assert_eq!(C::decode(&text), Ok(bits));
        }
        let text = C::encode_portable(&bits[2]);
        let bytes = |at| (0..=u8::MAX).step_by(STEP).map(move |byte| (at, byte));
        for (at, byte) in (0..N).flat_map(bytes) {
            let mut text = text;
            text[at] = byte;
            assert_eq!(C::decode(&text), C::decode_portable(&text), "{byte} at {at}");
        }
    }

    #[test]
    fn base32_equals_portable() {
        check::<AlphabetCodec<Base32, 10, 16>, 16>(bytes());
    }

    #[test]
    fn base64_equals_portable() {
        check::<AlphabetCodec<Base64, 12, 16>, 16>(bytes());
        check::<AlphabetCodec<Base64, 8, 11>, 11>(bytes());
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
        check::<TwelveDigits, 12>(values);
    }

    #[test]
    fn other_sizes_are_left_to_portable() {
        check::<AlphabetCodec<Base64, 16, 22>, 22>(bytes());
        check::<AlphabetCodec<Base32, 5, 8>, 8>(bytes());
    }
}
