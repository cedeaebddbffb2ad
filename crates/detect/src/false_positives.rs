//! Texts that are common for other reasons than being an ID.

/// The most consonants in a row that words have.
const MAX_CONSONANTS: usize = 4;

/// Reports whether the letters of a text read like words: they have vowels, and any digits stand
/// together in one place.
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

/// Reports whether decimal digits are a date and a time of day, as in `20240115123045` and with
/// milliseconds.
pub(crate) fn is_date(digits: &[u8]) -> bool {
    let number = |from: usize, to: usize| -> Option<u32> {
        str::from_utf8(digits.get(from..to)?).ok()?.parse().ok()
    };
    let in_range = |from: usize, to: usize, range: core::ops::RangeInclusive<u32>| {
        number(from, to).is_some_and(|number| range.contains(&number))
    };
    matches!(digits.len(), 14 | 17)
        && in_range(0, 4, 1_970..=2_099)
        && in_range(4, 6, 1..=12)
        && in_range(6, 8, 1..=31)
        && in_range(8, 10, 0..=23)
        && in_range(10, 12, 0..=59)
        && in_range(12, 14, 0..=59)
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
        ] {
            assert!(is_wordlike(text.as_bytes()), "{text}");
        }
        for text in
            ["0u375nxqh5cq", "bppc0m3ju134", "brpk4q72xwf2m63l", "3x5kq2m9d7w1", "bxqkvmtz12rw", ""]
        {
            assert_eq!(is_wordlike(text.as_bytes()), text.is_empty(), "{text}");
        }
    }

    #[test]
    fn dates_have_months_and_hours() {
        for digits in ["20240115123045", "20240115123045123"] {
            assert!(is_date(digits.as_bytes()), "{digits}");
        }
        for digits in ["20241315123045", "20240115243045", "2024011512304", "19000115123045", "0"] {
            assert!(!is_date(digits.as_bytes()), "{digits}");
        }
    }
}
