//! Ranges of times in the formats of other systems: their ends read back as their times.

use proptest::prelude::*;
use tickid_convert::Settings;
use tickid_core::UnixTime;
use tickid_detect::{Identifier, Inspection, TimeOrdered, detect};
use tickid_testkit::config;

fn format(name: &str) -> TimeOrdered {
    TimeOrdered::all().find(|one| one.name() == name).unwrap()
}

fn text(id: Identifier) -> String {
    Inspection::new(id, "", &Settings::default()).text().to_owned()
}

fn time(id: Identifier) -> Option<UnixTime> {
    id.unix_time(&Settings::default())
}

fn bytes(id: Identifier) -> Vec<u8> {
    id.bytes().to_vec()
}

/// Returns the times that the range of a format begins with and ends with.
fn span(format: TimeOrdered) -> [i128; 2] {
    let error = format.max_at(UnixTime::MIN).unwrap_err();
    [error.min(), error.max()]
}

/// Digits that were computed apart from this crate.
#[test]
fn ends_of_a_moment_are_known() {
    let new_year = UnixTime::from_millis(1_704_067_200_000).unwrap();
    for (name, min, max) in [
        ("uuid-v7", "018cc251-f400-7000-8000-000000000000", "018cc251-f400-7fff-bfff-ffffffffffff"),
        ("mastodon", "111677748019200000", "111677748019265535"),
        ("ulid", "01HK153X000000000000000000", "01HK153X00ZZZZZZZZZZZZZZZZ"),
        ("ksuid", "2aKVLJsgFDYVPFpxqUcVnfna1tQ", "2aKVLRfkHQorUjVjaePeaYupjVX"),
        ("xid", "cm901000000000000000", "cm90107vvvvvvvvvvvvg"),
        ("objectid", "659200800000000000000000", "65920080ffffffffffffffff"),
        ("tid", "3khuwc44c2222", "3khuwc44c22zz"),
        ("tiktok", "7318912894186291200", "7318912894190485503"),
        ("unique-rowid", "930600714240000000", "930600714240032767"),
    ] {
        let ends = [format(name).min_at(new_year), format(name).max_at(new_year)];
        assert_eq!(ends.map(|end| text(end.unwrap())), [min, max], "{name}");
    }
    // Its times started later, and have two fields.
    let time = UnixTime::from_millis(1_767_225_600_007).unwrap();
    let ends = [format("nextcloud").min_at(time), format("nextcloud").max_at(time)];
    let [min, max] = ["34139836071804928", "34139836075999231"];
    assert_eq!(ends.map(|end| text(end.unwrap())), [min, max]);
    // Its texts do not sort, and the integers are those of the preset.
    assert!(TimeOrdered::all().all(|one| one.name() != "instagram-code"));
}

#[test]
fn texts_of_ends_are_detected_as_them() {
    // After the epoch of each.
    let new_year = UnixTime::from_millis(1_767_225_600_000).unwrap();
    for format in TimeOrdered::all() {
        for end in [format.min_at(new_year), format.max_at(new_year)] {
            let end = end.unwrap();
            let found = detect(text(end).as_bytes(), &Settings::default(), None);
            assert!(found.iter().any(|one| one.identifier() == end), "{end:?}");
            assert_eq!(time(end), Some(new_year), "{end:?}");
        }
    }
}

proptest! {
    #![proptest_config(config(1))]

    /// The ID above the highest of a moment, and the one below the lowest, show other times.
    #[test]
    fn neighbours_of_ends_lie_outside(part in 0.0..1.0_f64, near in -70_000_i64..70_000) {
        for format in TimeOrdered::all() {
            let [first, last] = span(format).map(|micros| i64::try_from(micros).unwrap());
            #[allow(clippy::cast_precision_loss, reason = "any time will do")]
            #[allow(clippy::cast_possible_truncation, reason = "any time will do")]
            let moment = (first as f64 + (last - first) as f64 * part) as i64;
            let moment = UnixTime::from_micros(moment.saturating_add(near).clamp(first, last));
            let max = format.max_at(moment).unwrap();
            // The tick that contains the moment.
            let start = time(max).unwrap();
            prop_assert!(start <= moment);
            let min = format.min_at(start).unwrap();
            prop_assert_eq!(time(min), Some(start));
            prop_assert!(bytes(min) <= bytes(max));
            // A moment within the tick shows none of its IDs any more.
            if start < moment && let Ok(next) = format.min_at(moment) {
                prop_assert!(time(next).unwrap() > moment && bytes(next) > bytes(max));
            }
            // The neighbours, of which UUIDs of version 7 have none without another version.
            let before = UnixTime::from_micros(start.as_micros() - 1);
            match format.max_at(before) {
                Ok(before) => {
                    prop_assert!(time(before).unwrap() < start && bytes(before) < bytes(min));
                    prop_assert!(text(before) < text(min) || text(before).len() < text(min).len());
                    if format.name() != "uuid-v7" {
                        prop_assert_eq!(successor(before), bytes(min));
                    }
                }
                Err(_) => prop_assert_eq!(start.as_micros(), first),
            }
            prop_assert!(text(min) <= text(max) || text(min).len() < text(max).len());
        }
    }
}

/// Returns the bytes of the number after an ID's.
fn successor(id: Identifier) -> Vec<u8> {
    let mut sum = bytes(id);
    let mut carry = 1;
    for byte in sum.iter_mut().rev() {
        let (to, overflows) = byte.overflowing_add(carry);
        (*byte, carry) = (to, overflows.into());
    }
    sum
}

#[test]
fn times_outside_of_a_format_are_refused() {
    for (name, first, last_start, last) in [
        ("uuid-v7", "1970-01-01T00:00:00Z", "+010889-08-02T05:31:50.655Z", 281_474_976_710_655_999),
        (
            "mastodon",
            "1970-01-01T00:00:00Z",
            "+010889-08-02T05:31:50.655Z",
            281_474_976_710_655_999,
        ),
        ("ksuid", "2014-05-13T16:53:20Z", "2150-06-19T23:21:35Z", 5_694_967_295_999_999),
        ("objectid", "1970-01-01T00:00:00Z", "2106-02-07T06:28:15Z", 4_294_967_295_999_999),
        (
            "unique-rowid",
            "2015-01-01T00:00:00Z",
            "2104-03-13T02:56:07.106550Z",
            4_234_820_167_106_559_i64,
        ),
        (
            "nextcloud",
            "2025-10-01T00:00:00Z",
            "2093-10-19T03:14:07.999Z",
            3_906_760_447_999_999_i64,
        ),
    ] {
        let format = format(name);
        let first_of = span(format)[0];
        assert_eq!(span(format)[1], i128::from(last), "{name}");
        let at = |micros: i128| UnixTime::from_micros(i64::try_from(micros).unwrap());
        // Every moment of the last tick has IDs, but none starts after it.
        assert!(format.max_at(at(last.into())).is_ok() && format.min_at(at(first_of)).is_ok());
        let late = format.min_at(at(last.into())).unwrap_err();
        assert!(format.min_at(at(late.max())).is_ok());
        assert_eq!(
            late.to_string().rsplit_once(" is outside of ").unwrap().1,
            format!("{first} to {last_start}")
        );
        for time in [at(first_of - 1), UnixTime::MIN] {
            assert!(format.min_at(time).is_err() && format.max_at(time).is_err(), "{name}");
        }
        for time in [at(i128::from(last) + 1), UnixTime::MAX] {
            let error = format.max_at(time).unwrap_err();
            assert_eq!(error.value(), time.as_micros().into(), "{name}");
            assert!(format.min_at(time).is_err(), "{name}");
        }
    }
}
