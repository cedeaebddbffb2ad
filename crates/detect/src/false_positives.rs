//! Common texts that look like IDs but are not.

use core::ops::RangeInclusive;

use crate::alphabets::Alphabets;
use crate::confidence::Doubt;
use crate::literal;

/// The largest number of consonants in a row in a word.
const MAX_CONSONANTS: usize = 4;

/// Reports whether the letters of a text read like words, which have vowels and whose digits, if
/// any, stand together in one place.
///
/// Of random lower-case letters and digits, about one in twenty texts of 12 characters does.
pub(crate) fn is_wordlike(text: &[u8]) -> bool {
    let (mut runs, mut consonants, mut vowels, mut letters) = (0, 0, 0, 0);
    let mut was_digit = false;
    for byte in text {
        let is_digit = byte.is_ascii_digit();
        runs += usize::from(is_digit && !was_digit);
        was_digit = is_digit;
        if !byte.is_ascii_alphabetic() {
            consonants = 0;
            continue;
        }
        letters += 1;
        if matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y') {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
            if consonants > MAX_CONSONANTS && runs > 0 {
                return false;
            }
        }
    }
    // Without a digit there is no ID; acronyms and words of other languages have few vowels.
    runs == 0 || (runs == 1 && letters >= 3 && vowels * 5 >= letters)
}

/// Reports whether a text has the shape of a word or of a name in code, which is `Xxxx`, `xxxxXxxx`
/// or `XxxxXxxx` with parts of two letters or more, and perhaps a digit at its end.
///
/// Of random characters of Base64, behind a capital and a small letter, at most one in 200 texts of
/// 11 characters does. With three parts it would be one in 60.
pub(crate) fn is_word(text: &[u8]) -> bool {
    let ([letters @ .., b'0'..=b'9'] | letters) = text;
    let [first, rest @ ..] = letters else { return false };
    let are_small = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_lowercase);
    let capital = rest.iter().position(u8::is_ascii_uppercase);
    match capital.and_then(|place| rest.split_at_checked(place)) {
        Some((one, [_, other @ ..])) => {
            first.is_ascii_alphabetic() && are_small(one) && are_small(other)
        }
        _ => first.is_ascii_uppercase() && are_small(rest),
    }
}

/// Reports whether no two letters of a text stand side by side, and it has two of them. So the steps
/// of a path in a picture are written, as in `162v549h202v` of an SVG, and sizes (`1440x900x60`).
///
/// Of random hexadecimal digits, one text in sixteen to six is.
pub(crate) fn is_path(text: &[u8]) -> bool {
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let are_apart = text.windows(2).all(|pair| !pair.iter().all(u8::is_ascii_alphabetic));
    letters >= 2 && are_apart
}

/// Reports whether the letters of a text are those of the steps of a path. So the IDs of sno, which
/// have single letters between many digits if node and sequence are small, are rarely taken for one.
pub(crate) fn are_steps(text: &[u8]) -> bool {
    text.iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .all(|letter| b"achlmqstv".contains(letter))
}

/// Reports whether a text is a number and its unit, as in `18446744073709551615seconds`.
pub(crate) fn has_unit(text: &[u8]) -> bool {
    const DIGITS: usize = 10;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = text.get(digits..).unwrap_or_default();
    digits >= DIGITS && !unit.is_empty() && unit.iter().all(u8::is_ascii_lowercase)
}

/// Reports whether decimal digits are a date and a time of day, as in `20240115123045` and with
/// milliseconds.
pub(crate) fn is_date(digits: &[u8]) -> bool {
    matches!(digits.len(), 14 | 17)
        && is_day(digits, 1_970..=2_099)
        && in_range(digits, 8, 2, 0..=23)
        && in_range(digits, 10, 2, 0..=59)
        && in_range(digits, 12, 2, 0..=59)
}

/// Reports whether digits start with a year of these, a month and a day.
fn is_day(digits: &[u8], years: RangeInclusive<u32>) -> bool {
    // Most numbers have another first digit, which is seen at once, or a sign.
    matches!(digits, [b'1' | b'2', ..])
        && in_range(digits, 0, 4, years)
        && in_range(digits, 4, 2, 1..=12)
        && in_range(digits, 6, 2, 1..=31)
}

/// Reports whether the `len` digits from `start` on are a number in a range.
fn in_range(digits: &[u8], start: usize, len: usize, range: RangeInclusive<u32>) -> bool {
    let digits = digits.get(start..).and_then(|digits| digits.get(..len));
    let value = |digit: &u8| u32::from(digit.wrapping_sub(b'0'));
    let number = |digits: &[u8]| digits.iter().fold(0, |number, digit| number * 10 + value(digit));
    digits.is_some_and(|digits| range.contains(&number(digits)))
}

/// The accounts of people on Steam, which are 32 bits behind a universe, a type and an instance of
/// 1.
const STEAM: RangeInclusive<&[u8]> = b"76561197960265728"..=b"76561202255233023";

/// The bits that it costs that a number is of a kind with a rule, which few are.
pub(crate) const KIND_BITS: u32 = 3;

/// Returns the bits that explain a decimal integer as something other than an ID, and what that is.
/// It may be any number with as many digits, or one of a kind that has a prefix, a date, a check
/// digit or a pattern. If the digits follow the rule of such a kind, that is the better
/// explanation, except of numbers that are too short for any ID. `value` is the number.
pub(crate) fn number(digits: &[u8], value: u128) -> (u32, Doubt) {
    /// Of a day in 50 years, of the months of 31 days.
    const DAY: u32 = 14;
    /// Of a citizen of China, who has one of 4,000 districts, a day of birth, three digits and a
    /// check.
    const CITIZEN: u32 = 12 + DAY + 1 + 10;
    let len = digits.len();
    let (bits, doubt) = match digits {
        _ if is_citizen(digits) => (CITIZEN, Doubt::OtherNumber),
        // As of 2024-03-01: 20240301 and 01032024.
        _ if is_day(digits, 1_990..=2_039) || is_day_first(digits) => {
            (DAY + of_digits(len.saturating_sub(8)), Doubt::Date)
        }
        // An account of Steam.
        _ if len == 17 && STEAM.contains(&digits) => (32, Doubt::OtherNumber),
        // One of Facebook.
        [b'1', b'0', b'0', b'0', ..] if len == 15 => (of_digits(11), Doubt::OtherNumber),
        _ => match bits_of_pattern(digits, value) {
            Some(bits) => (bits, Doubt::OtherNumber),
            None => return (of_digits(len), Doubt::Number),
        },
    };
    (bits + KIND_BITS, doubt)
}

/// Reports whether digits start with a day, a month and a year.
fn is_day_first(digits: &[u8]) -> bool {
    matches!(digits, [_, _, _, _, b'1' | b'2', ..])
        && in_range(digits, 4, 4, 1_990..=2_039)
        && in_range(digits, 2, 2, 1..=12)
        && in_range(digits, 0, 2, 1..=31)
}

/// Returns the bits of a number that people and programs write for its digits, and not as one of
/// many. Such numbers are round, have digits that count up or down or are the same, or are next to a
/// power of 2, as the first integers are that a double cannot hold.
fn bits_of_pattern(digits: &[u8], value: u128) -> Option<u32> {
    /// Of the number of zeros, which has any value up to 16.
    const ZEROS: u32 = 4;
    /// Of the first digit, and of the step from each to the next.
    const STEPS: u32 = 7;
    /// Of the exponent, and of how much less or more it is.
    const POWER: u32 = 11;
    /// The largest distance from a power of 2, up to which programs and tests count.
    const NEAR: u128 = 16;
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    if zeros > 3 {
        return Some(of_digits(digits.len() - zeros) + ZEROS);
    }
    // Modulo 10, so that 0 follows 9.
    let mut steps =
        digits.iter().zip(digits.iter().skip(1)).map(|(one, next)| (next + 10 - one) % 10);
    let first = steps.next()?;
    if steps.all(|step| step == first) {
        return Some(STEPS);
    }
    // The largest number with as many bits, which a power of 2 follows. Small ones are all near one.
    let largest =
        u128::MAX.checked_shr(value.leading_zeros()).filter(|largest| largest >> 16 != 0)?;
    let is_near = largest - value < NEAR || value - (largest >> 1) <= NEAR + 1;
    is_near.then_some(POWER)
}

/// Returns the bits of a text of characters without a meaning.
pub(crate) fn without_meaning(text: &[u8], alphabets: Alphabets) -> u32 {
    if alphabets.are_decimal() {
        return number(text, literal::integer(text).unwrap_or(0)).0;
    }
    // The binary logarithms of 16, 36 and 64, in hundredths.
    let bits = if alphabets.are(Alphabets::HEX) {
        400
    } else if alphabets.are_base36() {
        517
    } else {
        600
    };
    u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_mul(bits) / 100
}

/// Returns the bits of an integer without a meaning that was not written in decimal.
pub(crate) fn of_number(value: u128) -> u32 {
    of_digits(value.checked_ilog10().unwrap_or(0) as usize + 1)
}

/// Returns the binary logarithm, rounded down, of the number of integers of so many digits.
fn of_digits(len: usize) -> u32 {
    // log2(10) and log2(10/9), in thousandths: the first digit is not 0.
    u32::try_from(len).unwrap_or(u32::MAX).saturating_mul(3_322).saturating_sub(152) / 1_000
}

/// Reports whether 18 digits have the day of birth and the check digit (ISO 7064, mod 11-2) of a
/// Chinese citizen's number.
fn is_citizen(digits: &[u8]) -> bool {
    digits.len() == 18
        && digits.get(6..14).is_some_and(|day| is_day(day, 1_900..=2_039))
        && digits.iter().fold(0, |sum, digit| sum * 2 + u32::from(digit - b'0')) % 11 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_number_are_wordlike() {
        for text in [
            "information",
            "implausibly",
            "rhythm",
            "version2024",
            "base64encode",
            "chapter12",
            "INFORMATION",
            "snake_case_name",
            "john1984smith",
            "2024lengthy",
            "catchphrase12",
            "",
        ] {
            assert!(is_wordlike(text.as_bytes()), "{text}");
        }
        for text in [
            "0u375nxqh5cq",
            "bppc0m3ju134",
            "brpk4q72xwf2m63l",
            "3x5kq2m9d7w1",
            "bxqkvmtz12rw",
            "aei2024rhtmpo", // five consonants in a row
        ] {
            assert!(!is_wordlike(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn paths_and_units_have_a_shape() {
        for (text, is_it) in [
            ("162v549h202v", true),
            ("495h524v495h243v", true),
            ("1440x900x60", true),
            ("a1b", true),
            ("a12345678901", false),
            ("123456789012", false),
            ("0u375nxqh5cq", false),
            ("a1bb", false),
        ] {
            assert_eq!(is_path(text.as_bytes()), is_it, "{text}");
        }
        // An example of sno's own.
        assert!(are_steps(b"495h524v495h243v") && !are_steps(b"9q8q28b6522i6222"));
        for (text, is_it) in [
            ("18446744073709551615seconds", true),
            ("1844674407s", true),
            ("184467440s", false),
            ("18446744073709551615", false),
            ("18446744073709551615Seconds", false),
            ("1844674407s1", false),
        ] {
            assert_eq!(has_unit(text.as_bytes()), is_it, "{text}");
        }
    }

    #[test]
    fn words_and_names_have_a_shape() {
        for text in ["Description", "Description2", "getDescribe", "GetDescribe", "Ab", "aaBb7"] {
            assert!(is_word(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "7",
            "A",
            "A7",
            "description", // Of one case: another rule
            "DESCRIPTION",
            "Description12",
            "getUserById",
            "aDescribe",
            "ABcd",
            "DescribE",
            "Descri-tion",
            "7escription",
            "De3cription",
        ] {
            assert!(!is_word(text.as_bytes()), "{text}");
        }
    }

    /// The characters after the first two are random, but those change every 25 days.
    #[test]
    fn few_codes_of_any_month_are_words() {
        use tickid_snowflake::Preset;

        // The worst month has one word in 226 codes.
        const CODES: u64 = 50_000;
        const MONTH_MS: u64 = 2_629_746_000;
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let epoch = Preset::Instagram.layout().widths().epoch.as_millis().cast_unsigned();
        // SplitMix64.
        let mut state = 0x1457_a6a3_u64;
        let mut below = |end: u64| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (bits ^ (bits >> 31)) % end
        };
        // Since 2021.
        for month in 0..120 {
            let first = 1_609_459_200_000 + month * MONTH_MS - epoch;
            let mut code = || {
                let id = (first + below(MONTH_MS)) << 23 | below(1 << 23);
                let digit = |place: usize| digits[(id >> (60 - 6 * place) & 63) as usize];
                core::array::from_fn::<u8, 11, _>(digit)
            };
            let words = (0..CODES).filter(|_| is_word(&code())).count() as u64;
            assert!(words * 200 <= CODES, "{words} of {CODES} in month {month}");
        }
    }

    #[test]
    fn numbers_have_the_bits_of_their_kind() {
        for (digits, bits) in [
            ("9", (3, Doubt::Number)),
            ("15345678901234567", (56, Doubt::Number)),
            ("153456789012345678", (59, Doubt::Number)),
            ("1534567890123456789", (62, Doubt::Number)),
            ("1234567890123456789", (10, Doubt::OtherNumber)),
            ("98765432109876543", (10, Doubt::OtherNumber)),
            ("777777777777777777", (10, Doubt::OtherNumber)),
            ("777777777777777778", (59, Doubt::Number)),
            ("576460752303423471", (59, Doubt::Number)), // 2^59 - 17
            ("576460752303423472", (14, Doubt::OtherNumber)),
            ("576460752303423488", (14, Doubt::OtherNumber)),
            ("576460752303423504", (14, Doubt::OtherNumber)),
            ("576460752303423505", (59, Doubt::Number)), // 2^59 + 17
            ("9007199254740993", (14, Doubt::OtherNumber)), // 2^53 + 1
            ("18446744073709551615", (14, Doubt::OtherNumber)),
            ("1534567890123450000", (56, Doubt::OtherNumber)),
            ("1534567890123451000", (62, Doubt::Number)),
            ("1500000000000000000", (13, Doubt::OtherNumber)),
            ("010320240000001234", (50, Doubt::Date)),
            ("202403011200001234", (50, Doubt::Date)),
            ("202413011200001234", (59, Doubt::Number)),
            ("20240301", (17, Doubt::Date)),
            ("76561198083829201", (35, Doubt::OtherNumber)),
            ("76561200010646869", (35, Doubt::OtherNumber)),
            ("76561197960265727", (56, Doubt::Number)),
            ("76561202255233024", (56, Doubt::Number)),
            ("100012345678901", (39, Doubt::OtherNumber)),
            ("100112345678901", (49, Doubt::Number)),
            ("440301199003070019", (40, Doubt::OtherNumber)),
            ("440301199003070018", (59, Doubt::Number)),
            ("440301199013070019", (59, Doubt::Number)),
        ] {
            let value = digits.parse().unwrap();
            assert_eq!(number(digits.as_bytes(), value), bits, "{digits}");
        }
    }

    #[test]
    fn dates_have_months_and_hours() {
        for digits in ["20240115123045", "20240115123045123"] {
            assert!(is_date(digits.as_bytes()), "{digits}");
        }
        for digits in [
            "20241315123045",
            "20240115243045",
            "2024011512304",
            "19000115123045",
            "-2024011512304",
            "0",
        ] {
            assert!(!is_date(digits.as_bytes()), "{digits}");
        }
    }
}
