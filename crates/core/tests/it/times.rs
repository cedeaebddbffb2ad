//! The text of times, compared with `jiff`'s.

use jiff::Timestamp;
use proptest::prelude::*;
use tickid_core::UnixTime;

/// Returns microseconds that `jiff` has a timestamp for.
fn in_range_of_jiff() -> impl Strategy<Value = i64> {
    let (min, max) = (Timestamp::MIN.as_microsecond(), Timestamp::MAX.as_microsecond());
    prop_oneof![min..=max, (min / 1_000..=max / 1_000).prop_map(|millis| millis * 1_000), -5i64..5]
}

/// Returns the text without the year, and the year.
fn parts(micros: i64) -> (String, i64) {
    let text = UnixTime::from_micros(micros).to_string();
    let (year, rest) = text.split_at(text.rfind("-").unwrap() - 3);
    (rest.to_owned(), year.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn jiff_reads_the_text(micros in in_range_of_jiff()) {
        let text = UnixTime::from_micros(micros).to_string();
        let read: Timestamp = text.parse().unwrap();
        prop_assert_eq!(read.as_nanosecond(), i128::from(micros) * 1_000, "{}", text);
    }

    #[test]
    fn text_equals_jiffs(micros in in_range_of_jiff()) {
        let decimals = match micros {
            _ if micros % 1_000_000 == 0 => 0,
            _ if micros % 1_000 == 0 => 3,
            _ => 6,
        };
        let jiff = Timestamp::from_nanosecond(i128::from(micros) * 1_000).unwrap();
        // `jiff` writes year 0 and later years without a sign, and so does this crate.
        let expected = format!("{jiff:.decimals$}");
        prop_assert_eq!(UnixTime::from_micros(micros).to_string(), expected);
    }

    /// The calendar repeats every 400 years, so a property of the years of `jiff` holds for all
    /// years.
    #[test]
    fn text_repeats_every_400_years(micros in i64::MIN..=i64::MAX - ERA) {
        let ((text, year), (later, later_year)) = (parts(micros), parts(micros + ERA));
        prop_assert_eq!(text, later);
        prop_assert_eq!(later_year, year + 400);
    }
}

/// 146,097 days.
const ERA: i64 = 146_097 * 86_400_000_000;

#[test]
fn days_of_400_years_equal_jiffs() {
    for day in 0..146_097 {
        let micros = (day - 719_528) * 86_400_000_000; // from 0000-01-01 on
        let jiff = Timestamp::from_nanosecond(i128::from(micros) * 1_000).unwrap();
        assert_eq!(UnixTime::from_micros(micros).to_string(), jiff.to_string());
    }
}

#[test]
fn long_years_have_sign_and_six() {
    for (micros, text) in [
        (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        (253_402_300_800_000_000, "+010000-01-01T00:00:00Z"),
        (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
        (-62_167_219_200_001_000, "-000001-12-31T23:59:59.999Z"),
        (i64::MIN, "-290308-12-21T19:59:05.224192Z"),
        (i64::MAX, "+294247-01-10T04:00:54.775807Z"),
    ] {
        assert_eq!(UnixTime::from_micros(micros).to_string(), text, "{micros} µs");
    }
}
