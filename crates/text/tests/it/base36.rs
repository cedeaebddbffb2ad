//! Properties that only Base36 has: divisions, and numbers of any length.

use proptest::prelude::*;
use tickid_text::Codec as _;
use tickid_text::base36::{self, TwelveDigits};

use crate::{config, forms};

/// SSE2 divides four digits in `f32`. Every digit is also tested at every place.
#[test]
#[cfg_attr(miri, ignore = "takes an interpreter hours")]
fn every_four_digits() {
    const FOUR: u64 = 36u64.pow(4);
    // Each number occurs once in each third.
    let values =
        (0..FOUR).map(|n| (n * FOUR + (n + FOUR / 3) % FOUR) * FOUR + (n + 2 * FOUR / 3) % FOUR);
    for value in values {
        let text = TwelveDigits::encode_portable(&value);
        assert_eq!(TwelveDigits::encode(&value), text);
        assert_eq!(TwelveDigits::decode(&text), Ok(value));
    }
}

/// A reciprocal that is too small or too large fails here first.
#[test]
#[cfg_attr(miri, ignore = "takes an interpreter hours")]
fn near_powers_8_and_4() {
    const FOUR: u64 = 36u64.pow(4);
    const REST: [u64; 5] = [0, 1, FOUR - 1, FOUR, FOUR * FOUR - 1];
    let first = (0..FOUR).step_by(89).chain([FOUR - 1]);
    let values = first
        .flat_map(|n| REST.into_iter().chain([n * FOUR]).map(move |rest| n * FOUR * FOUR + rest));
    for value in values {
        assert_eq!(TwelveDigits::encode(&value), TwelveDigits::encode_portable(&value));
    }
}

/// The same for the code that divides by other powers.
#[test]
#[cfg_attr(miri, ignore = "takes an interpreter hours")]
fn near_powers_6_and_2() {
    const TWO: u64 = 36u64.pow(2);
    const FOUR: u64 = TWO * TWO;
    const SIX: u64 = FOUR * TWO;
    let next_to = |n| [n * FOUR, n * FOUR + 1, n * FOUR + TWO - 1, (n + 1) * FOUR - 1];
    let values = (0..TWO)
        .flat_map(next_to)
        .flat_map(|six| [six * SIX, six * SIX + SIX - 1, (SIX - 1 - six) * SIX + six]);
    for value in values {
        assert_eq!(TwelveDigits::encode(&value), TwelveDigits::encode_portable(&value));
    }
}

#[test]
fn long_numbers_keep_twelve_digits() {
    const TWELVE: u64 = 36u64.pow(12);
    let cases = [
        (TWELVE - 1, *b"zzzzzzzzzzzz"),
        (TWELVE, *b"000000000000"),
        (TWELVE + 1, *b"000000000001"),
        (1 << 63, *b"y2p0ij32e8e8"),
        (u64::MAX, *b"w5e11264sgsf"),
    ];
    for (value, text) in cases {
        assert_eq!(TwelveDigits::encode(&value), text);
        assert_eq!(TwelveDigits::encode_portable(&value), text);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_length_reads_as_portable(
        text in "[0-9a-zA-Z]{0,13}|[ -~]{11,14}|[0-4][0-9a-zA-Z]{12}",
        max in any::<u64>(),
    ) {
        for max in [max, u64::MAX, i64::MAX.cast_unsigned(), 0] {
            let expected = base36::decode(text.as_bytes(), max);
            prop_assert_eq!(base36::parse(text.as_bytes(), max), expected);
        }
    }

    #[test]
    fn any_number_is_plain_arithmetic(value in any::<u64>(), shift in 0..64u32) {
        let value: u64 = value >> shift;
        let expected: String = forms::in_base_36(value.into());
        prop_assert_eq!(base36::encode_shortest(value).to_string(), expected.clone());
        prop_assert_eq!(base36::encode_padded(value).to_string(), format!("{expected:0>13}"));
        prop_assert_eq!(base36::parse(expected.as_bytes(), u64::MAX), Ok(value));
    }
}
