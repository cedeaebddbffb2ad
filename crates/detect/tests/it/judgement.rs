//! Each rule of judgement, with two texts that differ in what the rule looks at.

use tickid_convert::Settings;
use tickid_core::UnixTime;
use tickid_detect::{Doubt, Form, Format, Reading, detect};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_testkit::Dice;

/// 2026-11-22, in milliseconds.
const NOW: i64 = 1_795_348_800_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
const DISCORD: i64 = 1_420_070_400_000;
const TWITTER: i64 = 1_288_834_974_657;

/// Returns the doubt at the reading as a format; that of decimal Nanoflakes is Twitter's.
fn doubt_under(settings: &Settings, text: &str, format: Format) -> Option<Doubt> {
    let now = UnixTime::from_millis(NOW).unwrap();
    let found = detect(text.as_bytes(), settings, Some(now));
    let one = found.iter().find(|one| one.format() == format);
    one.unwrap_or_else(|| panic!("{text} is not read as {format}")).doubt()
}

fn doubt(text: &str, format: Format) -> Option<Doubt> {
    doubt_under(&Settings::default(), text, format)
}

/// Returns a Snowflake of 22 low bits.
fn snowflake(epoch: i64, millis: i64, low: i64) -> String {
    ((millis - epoch) << 22 | low).to_string()
}

/// Returns Discord's ID of 2019, which has 18 digits.
fn discord(worker: i64, process: i64, increment: i64) -> String {
    snowflake(DISCORD, 1_560_000_000_000, worker << 17 | process << 12 | increment)
}

/// Returns Discord's ID of an age, which has 19 digits.
fn young(age: i64, worker: i64, process: i64, increment: i64) -> String {
    snowflake(DISCORD, NOW - age, worker << 17 | process << 12 | increment)
}

/// Returns Twitter's ID of an age.
fn twitter(age: i64, worker: i64, sequence: i64) -> String {
    snowflake(TWITTER, NOW - age, worker << 12 | sequence)
}

/// Returns the least number from `start` on whose low 22 bits are these.
fn from(start: u64, low: u64) -> String {
    (((start >> 22) + 1) << 22 | low).to_string()
}

#[test]
fn every_rule_decides_between_two_texts() {
    use Doubt::{
        Date, Digits, HexDigits, NeverIssued, Number, OtherNumber, Retired, Time, Unexplained,
        Words,
    };
    use Format::{
        Baidu, Discord, InstagramCode, JsSafe, Mastodon, Nanoflake, Nextcloud, PgEdge, RowId,
        Scru64, Sno, Sonyflake, Tid, UnixEpoch, Xid,
    };

    let nanoflake = |sequence: i64| {
        let bits = (NOW - 3 * 365 * DAY - TWITTER) << 22 | 37 << 12 | sequence;
        NanoflakeId::new(bits).unwrap().encode().to_string()
    };
    let hex = |sequence: i64| format!("{:016x}", (NOW - 3 * 365 * DAY - TWITTER) << 22 | sequence);
    let baidu = |seconds: u64, worker: u64| (seconds << 35 | worker << 13).to_string();
    // Of the units of 4 ms since 2010, with the toggle, the metabyte, the partition and the
    // sequence.
    let sno = |millis: i64, low: u128| {
        let ticks = u128::try_from((millis - 1_262_304_000_000) / 4).unwrap();
        (ticks << 41 | low).to_string()
    };
    let (toggle, busy) = (1 << 40, 200 << 32 | 7_777 << 16 | 40_000);
    let scru64 = |millis: i64| ((millis / 256) << 24 | 1).to_string();
    let scru64_text = |millis: i64| {
        let id = Scru64Id::new(u64::try_from((millis / 256) << 24 | 1).unwrap()).unwrap();
        id.encode().to_string()
    };
    let sonyflake = |sequence: i64| {
        let units = (NOW - 10 * DAY - 1_409_529_600_000) / 10;
        (units << 24 | sequence << 16 | 7_777).to_string()
    };
    let row = |node: i64| (((NOW - 2 * 365 * DAY - DISCORD) * 100 + 77) << 15 | node).to_string();
    let nextcloud = |millis: i64| (20_000_000_i64 << 32 | millis << 22 | 300 << 13).to_string();
    let since_1970 = |node: i64| snowflake(0, NOW - 3 * 365 * DAY, node << 12 | 200);
    let new_years = [1_546_300_800_000, 1_640_995_200_000, 1_672_531_200_000];
    let [new_year_2019, new_year_2022, new_year_2023] = new_years;

    for (rule, format, (text, expected), (other, otherwise)) in [
        (
            "an ID saves two bits",
            Discord,
            (discord(7, 1, 62), None),
            (discord(7, 1, 63), Some(Number)),
        ),
        (
            "a number has the bits of its digits",
            Discord,
            (young(3 * 365 * DAY, 7, 1, 63), None),
            (discord(7, 1, 63), Some(Number)),
        ),
        (
            "a young ID has few ticks",
            Discord,
            (young(HOUR, 31, 31, 4_095), None),
            (young(3 * 365 * DAY, 31, 31, 4_095), Some(Number)),
        ),
        (
            "a later time has three bits more",
            PgEdge,
            (snowflake(new_year_2023, NOW + DAY, 1 << 12 | 126), None),
            (snowflake(new_year_2023, NOW + DAY, 1 << 12 | 127), Some(Number)),
        ),
        (
            "30 days ahead",
            Discord,
            (young(-30 * DAY, 0, 1, 0), None),
            (young(-30 * DAY - 1, 0, 1, 0), Some(Time)),
        ),
        (
            "workers and processes count from 0",
            Discord,
            (discord(1, 1, 126), None),
            (discord(9, 9, 126), Some(Number)),
        ),
        (
            "the first weeks of an epoch",
            Discord,
            (snowflake(DISCORD, DISCORD + 61 * DAY, 1), None),
            (snowflake(DISCORD, DISCORD + 59 * DAY, 1), Some(Time)),
        ),
        (
            "digits that start with a day",
            Discord,
            (from(202_413_010_000_000_000, 1 << 12 | 5), None),
            (from(202_403_010_000_000_000, 1 << 12 | 5), Some(Date)),
        ),
        (
            "digits that start with a day, the year last",
            Discord,
            (from(101_320_240_000_000_000, 1 << 12 | 5), None),
            (from(100_320_240_000_000_000, 1 << 12 | 5), Some(Date)),
        ),
        (
            "round numbers",
            Discord,
            (from(1_196_000_000_000_000_000, 1 << 12 | 5), None),
            ("1196000000000000000".to_owned(), Some(OtherNumber)),
        ),
        (
            "digits that are the same or count up",
            Discord,
            (from(1_111_111_111_111_111_111, 1 << 12 | 5), None),
            ("1111111111111111111".to_owned(), Some(OtherNumber)),
        ),
        (
            "powers of two",
            Discord,
            (((1_u64 << 59) + 17).to_string(), None),
            ((1_u64 << 59).to_string(), Some(OtherNumber)),
        ),
        (
            "the first integers that a double cannot hold, up to 2^53 + 16",
            Format::SonyflakeV2,
            ("9007199254741009".to_owned(), None),
            ("9007199254741008".to_owned(), Some(OtherNumber)),
        ),
        (
            "accounts of Steam",
            Discord,
            (from(76_550_000_000_000_000, 3), None),
            (from(76_561_197_960_265_728, 3), Some(OtherNumber)),
        ),
        (
            "accounts of Facebook",
            JsSafe,
            ("100165814943744".to_owned(), None),
            ("100065814943744".to_owned(), Some(OtherNumber)),
        ),
        (
            "citizens of China",
            Mastodon,
            ("110105199308029350".to_owned(), None),
            ("110105199308029357".to_owned(), Some(OtherNumber)),
        ),
        (
            "another ID is 256 times as probable",
            Nanoflake,
            (young(25 * DAY, 0, 0, 0), None),
            // 2^31 ms are 24.9 days.
            (young(24 * DAY, 0, 0, 0), Some(Unexplained)),
        ),
        (
            "SCRU64's integers count from 2022 on",
            Scru64,
            (scru64(new_year_2022 + DAY), None),
            (scru64(new_year_2022 - DAY), Some(Time)),
        ),
        (
            "SCRU64's texts do not",
            Scru64,
            (scru64_text(new_year_2022 - DAY), None),
            (scru64(new_year_2022 - DAY), Some(Time)),
        ),
        (
            "sno's integers count from 2019 on",
            Sno,
            (sno(new_year_2019 + DAY, 7), None),
            (sno(new_year_2019 - DAY, 7), Some(Time)),
        ),
        (
            "a toggle is rare",
            Sno,
            (sno(NOW - 365 * DAY, busy), None),
            (sno(NOW - 365 * DAY, toggle | busy), Some(Number)),
        ),
        (
            "Twitter's nodes count with all bits",
            Nanoflake,
            (twitter(2 * 365 * DAY, 0, 500), None),
            (twitter(2 * 365 * DAY, 0, 600), Some(Number)),
        ),
        (
            "nodes of formats that count them",
            UnixEpoch,
            (since_1970(1), None),
            (since_1970(1_000), Some(Number)),
        ),
        (
            "pgEdge has no node 0 any more",
            PgEdge,
            (snowflake(new_year_2023, NOW - 365 * DAY, 1 << 12), None),
            (snowflake(new_year_2023, NOW - 365 * DAY, 0), Some(Retired)),
        ),
        (
            "pgEdge's fields have this order since March 2024",
            PgEdge,
            (snowflake(new_year_2023, 1_711_756_800_000, 1 << 12), None),
            (snowflake(new_year_2023, 1_711_756_799_999, 1 << 12), Some(Time)),
        ),
        (
            "Nextcloud's milliseconds are below 1000",
            Nextcloud,
            (nextcloud(999), None),
            (nextcloud(1_000), Some(NeverIssued)),
        ),
        (
            "a low sequence of Sonyflake's",
            Sonyflake,
            (sonyflake(0), None),
            (sonyflake(77), Some(Number)),
        ),
        (
            "what is out of use is at most possible",
            UnixEpoch,
            (since_1970(1), None),
            (baidu(178_000_000, 3), Some(Unexplained)),
        ),
        (
            "what is out of use is explained, too",
            Baidu,
            (baidu(178_000_000, 3), Some(Retired)),
            (baidu(178_000_001, 3_000_001), Some(Number)),
        ),
        ("CockroachDB's node counts from 0", RowId, (row(3), None), (row(3_333), Some(Number))),
        (
            "digits alone are not hexadecimal",
            Scru64,
            ("0x0186252390256359".to_owned(), None),
            ("0186252390256359".to_owned(), Some(Digits)),
        ),
        (
            "only hexadecimal digits, of a format with others",
            Xid,
            ("ca8f1f77bcv86cd79940".to_owned(), None),
            ("ca8f1f77bcf86cd79940".to_owned(), Some(HexDigits)),
        ),
        (
            "a capitalized word",
            InstagramCode,
            // Of the last month. Codes are at most possible.
            ("DeZcr7p0QXn".to_owned(), Some(Unexplained)),
            ("Description".to_owned(), Some(Words)),
        ),
        (
            "a value of a database is rarely a hash",
            Nanoflake,
            (format!("\\x{}", hex(3_000)), None),
            (hex(3_000), Some(Unexplained)),
        ),
        (
            "an address behind 0x is likelier a hash",
            Nanoflake,
            (format!("0x{}", hex(3)), None),
            (format!("0x{}", hex(3_000)), Some(Unexplained)),
        ),
        (
            "a hash is as probable as random fields",
            Nanoflake,
            (hex(3), None),
            (hex(3_000), Some(Unexplained)),
        ),
        (
            "random letters and digits",
            Nanoflake,
            (nanoflake(500), None),
            (nanoflake(600), Some(Unexplained)),
        ),
    ] {
        assert_eq!(doubt(&text, format), expected, "{rule}: {text}");
        assert_eq!(doubt(&other, format), otherwise, "{rule}: {other}");
    }
    // The one has a time of three years in 64 bits, the other a sequence and a shard.
    assert_eq!(doubt("3lbvgjqmk2s2a", Tid), None);
    assert_eq!(doubt("DCxKq0ZSWd9", InstagramCode), Some(Unexplained));
}

/// An option that names the epoch or the layout says more than the digits do.
#[test]
fn given_layouts_speak_for_integers() {
    let busy = snowflake(DISCORD, NOW - 3 * 365 * DAY, 1_000 << 12 | 3_000);
    assert_eq!(doubt(&busy, Format::Discord), Some(Doubt::Number));
    let settings = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
    assert_eq!(doubt_under(&settings, &busy, Format::Nanoflake), None);
    let snowflake = "41x1ms/10n/12s@2015-01-02".parse().unwrap();
    let settings = Settings { snowflake, ..Settings::default() };
    assert_eq!(doubt_under(&settings, &busy, Format::Snowflake), None);

    // Microseconds of 2025, and two days after the layout's epoch.
    let snowflake = "40x1ms/13n/10s@2025-01-01".parse().unwrap();
    let settings = Settings { snowflake, ..Settings::default() };
    let unix = Some(Doubt::UnixTime);
    assert_eq!(doubt_under(&settings, "1741816012345678", Format::Snowflake), unix);
    assert_eq!(doubt_under(&settings, "1741816012341249", Format::Snowflake), None);
}

/// The early IDs of the large systems have the times of Nextcloud's present ones, and Discord's of
/// 2015 those of pgEdge's. Their documents have some of these.
#[test]
fn early_ids_of_large_systems_are_first() {
    let mut dice = Dice::new(41);
    let mut likely = 0;
    for month in 0..61 {
        let now = UnixTime::from_millis(1_764_547_200_000 + month * 2_629_746_000).unwrap();
        let shown = |text: &str| {
            let found = detect(text.as_bytes(), &Settings::default(), Some(now));
            found.likely().map(Reading::format).collect::<Vec<_>>()
        };
        for text in ["80351110224678912", "175928847299117063"] {
            let shown = shown(text);
            let is_early = matches!(shown.first(), Some(Format::PgEdge | Format::Nextcloud));
            assert!(!is_early && shown.contains(&Format::Discord), "{text} at {now}: {shown:?}");
        }
        // Of all times that Nextcloud's have had.
        for _ in 0..200 {
            let age = i64::try_from(
                dice.below((now.as_millis() - 1_764_547_200_000).max(DAY).unsigned_abs()),
            )
            .unwrap();
            let seconds = (now.as_millis() - age) / 1_000 - 1_759_276_800;
            let low =
                i64::try_from(dice.below(1_000) << 22 | dice.below(1 << 10) << 12 | dice.below(4));
            let text = (seconds << 32 | low.unwrap()).to_string();
            let shown = shown(&text);
            let is_system = |format: &Format| {
                matches!(format, Format::Discord | Format::Nanoflake | Format::UnixEpoch)
            };
            likely += usize::from(shown.contains(&Format::Nextcloud));
            let is_hidden = shown.first() != Some(&Format::Nextcloud);
            assert!(is_hidden || !shown.iter().any(is_system), "{text} at {now}: {shown:?}");
        }
    }
    assert!(likely > 61 * 200 * 9 / 10, "{likely}");
}

/// The sign is no digit of a date.
#[test]
fn negative_integers_are_judged() {
    for digits in 1..=20 {
        let text = format!("-{}", "2".repeat(digits));
        let now = UnixTime::from_millis(NOW).unwrap();
        let found = detect(text.as_bytes(), &Settings::default(), Some(now));
        assert!(found.iter().all(|one| one.doubt() != Some(Doubt::Date)), "{text}");
    }
}

/// A Unix time stands beside an ID that is about as probable, also if that is no better than a
/// number without a meaning. The first three are X's, of a high sequence.
#[test]
fn unix_times_hide_no_ids() {
    let now = UnixTime::from_millis(NOW).unwrap();
    for text in ["1610521604143693812", "1617617172955424949", "1285704473650888702"] {
        let found = detect(text.as_bytes(), &Settings::default(), Some(now));
        let shown = found.likely().map(Reading::format);
        assert!(shown.eq([Format::UnixTime, Format::Nanoflake]), "{text}: {found:?}");
    }
    let found = detect(b"1763353455622275372", &Settings::default(), Some(now));
    let shown: Vec<_> = found.likely().map(|one| (one.format(), one.unix_time())).collect();
    let time = |millis| Some(UnixTime::from_millis(millis).unwrap());
    assert!(shown.contains(&(Format::Nanoflake, time(1_709_251_200_000))), "{shown:?}");
    assert!(shown.iter().any(|(format, _)| *format == Format::UnixTime), "{shown:?}");
}

/// The ID of ClickHouse that was Baidu's, of 2023.
#[test]
fn snowflakes_since_1970_are_first() {
    let now = UnixTime::from_millis(NOW).unwrap();
    for (text, millis) in
        [("7412281402982404096", 1_767_225_600_000), ("7102577116159582209", 1_693_386_343_994)]
    {
        let found = detect(text.as_bytes(), &Settings::default(), Some(now));
        let first = found.first().unwrap();
        assert_eq!((first.format(), first.doubt()), (Format::UnixEpoch, None), "{text}");
        assert_eq!(first.unix_time().unwrap().as_millis(), millis, "{text}");
        assert!(first.identifier().scheme_id().is_none());
        assert_eq!(first.form(), Form::Own);
    }
}
