//! Columns of integers: those of IDs agree on their format, and others on none.

use tickid_convert::{AnyId, Settings, Uuid};
use tickid_core::{Clock, ClockError, ManualClock, UnixTime};
use tickid_detect::{Agreement, Confidence, Detector, Doubt, Format, Inspections, Reading};
use tickid_sno::SnoId;
use tickid_testkit::Dice;
use uuid::Variant;

/// 2025-11-24.
const NOW_MS: u64 = 1_764_000_000_000;
const DAY_MS: u64 = 86_400_000;

/// The number of columns of each kind.
const COLUMNS: usize = 200;

fn detector() -> Detector<ManualClock> {
    let now = UnixTime::from_millis(NOW_MS.cast_signed()).unwrap();
    Detector::new(Settings::default(), ManualClock::new(now))
}

fn agreement(column: &[u64]) -> Agreement {
    let texts: Vec<String> = column.iter().map(u64::to_string).collect();
    detector().agreement(texts.iter().map(String::as_bytes))
}

/// A kind of columns: its name, and ten numbers.
type NumberKind = (&'static str, Box<dyn FnMut(&mut Dice) -> [u64; 10]>);

/// A system: its epoch, and an ID of a time in milliseconds and of random bits.
type System = (Format, u64, fn(u64, u64) -> u64);

const SYSTEMS: [System; 6] = [
    // Twitter's.
    (Format::Nanoflake, 1_288_834_974_657, |ms, bits| ms << 22 | bits & 0x3f_ffff),
    (Format::Discord, 1_420_070_400_000, |ms, bits| ms << 22 | bits & 0x3f_ffff),
    (Format::Instagram, 1_314_220_021_721, |ms, bits| ms << 23 | bits & 0x7f_ffff),
    (Format::Mastodon, 0, |ms, bits| ms << 16 | bits & 0xffff),
    (Format::Scru64, 0, |ms, bits| (ms >> 8) << 24 | bits & 0xff_ffff),
    (Format::Sonyflake, 1_409_529_600_000, |ms, bits| (ms / 10) << 24 | bits & 0xff_ffff),
];

/// Returns IDs of the days that start at a time, with random bits below it.
fn ids(dice: &mut Dice, (_, epoch, make): System, first: u64, days: u64, lines: usize) -> Vec<u64> {
    let mut id = || make(first + dice.below(DAY_MS * days) - epoch, dice.below(1 << 24));
    (0..lines).map(|_| id()).collect()
}

/// Random bits are the hardest case: with numbered nodes and sequences from 0 on, three lines do.
#[test]
fn ten_ids_of_a_year_agree() {
    let mut dice = Dice::new(7);
    for system in SYSTEMS {
        for days in [365, 36] {
            let agreed = (0..COLUMNS).filter(|_| {
                // Of the last 900 days, in which all of them were in use.
                let first = NOW_MS - DAY_MS * (days + dice.below(900 - days));
                agreement(&ids(&mut dice, system, first, days, 10)).has(system.0)
            });
            let (agreed, format) = (agreed.count(), system.0);
            // Behind one digit that a year of Sonyflakes has in common, the others look random.
            let least = if format == Format::Sonyflake { 140 } else { 180 };
            assert!(agreed >= least, "{format}, {days} days: {agreed} of {COLUMNS}");
        }
    }
}

/// Systems with usual fields: small nodes, except Twitter's, and small sequences.
const USUAL: [System; 4] = [
    (Format::Nanoflake, 1_288_834_974_657, |ms, bits| ms << 22 | bits & 0x3f_f00f),
    (Format::Discord, 1_420_070_400_000, |ms, bits| ms << 22 | bits & 0x0e_300f),
    (Format::UnixEpoch, 0, |ms, bits| ms << 22 | bits & 0x00_f00f),
    // In units of 10 µs.
    (Format::RowId, 1_420_070_400_000, |ms, bits| (ms * 100 + (bits >> 4) % 100) << 15 | bits & 7),
];

/// A kind of columns: its name, its format, and its numbers from a time on.
type ColumnKind = (&'static str, Format, fn(&mut Dice, u64) -> Vec<u64>);

/// The formats that others explained better, by digits that are the same for all lines.
const DEMOTED: [ColumnKind; 8] = [
    ("rows of a node", Format::RowId, |dice, first| row_ids(dice, first, DAY_MS * 29, |_| 1)),
    ("rows of three nodes", Format::RowId, |dice, first| {
        row_ids(dice, first, DAY_MS, |dice| 1 + dice.below(3))
    }),
    ("rows of many instances", Format::RowId, |dice, first| {
        row_ids(dice, first, DAY_MS * 29, |dice| 40 + dice.below(300))
    }),
    ("rows of a statement", Format::RowId, |dice, first| row_ids(dice, first, 1, |_| 3)),
    ("videos", Format::TikTok, |dice, first| {
        // TikTok's times of three years ago are also those of Snowflakes since 1970.
        let seconds = first / 1_000 - 86_400 * 900;
        let mut id = || {
            let seconds = seconds + dice.below(86_400);
            seconds << 32 | dice.below(1_000) << 22 | dice.below(1 << 22)
        };
        (0..10).map(|_| id()).collect()
    }),
    ("a node of SCRU64", Format::Scru64, |dice, first| {
        let node = dice.below(256) << 16;
        let mut id = || ((first + dice.below(DAY_MS)) >> 8) << 24 | node | dice.below(1 << 16);
        (0..10).map(|_| id()).collect()
    }),
    ("a second of SCRU64", Format::Scru64, |dice, first| {
        let node_ctr = dice.below(256) << 16 | dice.below(1 << 15);
        (0..10).map(|line| ((first + line * 100) >> 8) << 24 | (node_ctr + line)).collect()
    }),
    ("a tick of Sonyflakes", Format::SonyflakeV2, |dice, first| {
        let (units, machine) = ((first - 1_735_689_600_000) / 10, dice.below(1 << 16));
        (0..14).map(|line| units << 24 | line << 16 | machine).collect()
    }),
];

/// Returns ten row IDs of a time.
fn row_ids(dice: &mut Dice, first: u64, span: u64, node: fn(&mut Dice) -> u64) -> Vec<u64> {
    let units = |ms: u64| (ms - 1_420_070_400_000) * 100;
    let mut id = || (units(first + dice.below(span)) + dice.below(100)) << 15 | node(dice);
    (0..10).map(|_| id()).collect()
}

/// TikTok's IDs have milliseconds below the seconds, so 1,024 of them are a second. Those since 1970
/// look like them, of a year before, if none of their milliseconds is above 999 there.
#[test]
fn videos_are_named_behind_snowflakes_since_1970() {
    let (mut dice, detector) = (Dice::new(31), detector());
    // Of ByteDance's programs, ClickHouse and LinkedIn. Those of two years ago have likely times as
    // both.
    let tiktok = |ms: u64, low: u64| (ms / 1_000) << 32 | (ms % 1_000) << 22 | low;
    let first = |dice: &mut Dice| NOW_MS - DAY_MS * (600 + dice.below(300));
    let shown = |column: &[u64]| -> Vec<Vec<Format>> {
        let texts: Vec<String> = column.iter().map(u64::to_string).collect();
        let mut agreement = detector.agreement(texts.iter().take(10).map(String::as_bytes));
        let mut likely = |text: &String| {
            let mut found = detector.inspect(text);
            found.agree(&mut agreement);
            found.readings().likely().map(Reading::format).collect()
        };
        texts.iter().map(&mut likely).collect()
    };
    let [both, alone] = [&[Format::UnixEpoch, Format::TikTok][..], &[Format::UnixEpoch]];
    let (mut named, mut not_named) = (0, 0);
    for _ in 0..COLUMNS / 2 {
        let start = first(&mut dice);
        let mut low = || dice.below(4) << 12 | dice.below(16);
        let videos: Vec<u64> =
            (0..10).map(|line| tiktok(start + line * 12_345_678, low())).collect();
        assert_eq!(shown(&videos), vec![both; 10], "{videos:?}");
        // One line with 1,000 milliseconds or more says that they are none.
        let mut others = videos.clone();
        others[7] = others[7] >> 32 << 32 | 1_000 << 22 | 1 << 12;
        assert_eq!(shown(&others), vec![alone; 10], "{others:?}");
        // And so it does behind the lines that decide.
        let longer = [&videos[..], &others[7..8], &videos[..1]].concat();
        let shown_of_longer = shown(&longer);
        assert_eq!(shown_of_longer[..10], vec![both; 10], "{longer:?}");
        assert_eq!(shown_of_longer[10..], vec![alone; 2], "{longer:?}");
        // Snowflakes since 1970 stay what they are.
        for lines in [10, 100] {
            let time = NOW_MS - DAY_MS * dice.below(900);
            let mut id = || (time - dice.below(DAY_MS)) << 22 | 5 << 12 | dice.below(8);
            let column: Vec<u64> = (0..lines).map(|_| id()).collect();
            let shown = shown(&column);
            assert!(shown.iter().all(|all| all[0] == Format::UnixEpoch), "{column:?}");
            let is_both = shown[0] == both;
            let fits = column[..10].iter().all(|id| id >> 22 & 1_023 < 1_000);
            assert_eq!(is_both, fits, "{column:?}");
            (named, not_named) = (named + usize::from(fits), not_named + usize::from(!fits));
        }
    }
    assert!(named > 100 && not_named > 20, "{named} and {not_named}");
}

/// What a column says of ten lines must not hide what they are.
#[test]
fn right_formats_are_not_demoted() {
    let (mut dice, detector) = (Dice::new(21), detector());
    for (name, format, column) in DEMOTED {
        let (mut other, mut unlikely, mut told) = (0, 0, 0);
        for _ in 0..COLUMNS {
            let first = NOW_MS - DAY_MS * (30 + dice.below(200));
            let column = column(&mut dice, first);
            let mut agreement = agreement(&column);
            other += usize::from(!agreement.is_none() && !agreement.has(format));
            for text in column.iter().map(u64::to_string) {
                let mut found = detector.inspect(&text);
                let is_it = |one: &Reading| one.format() == format;
                let alone = found.readings().likely().any(is_it);
                found.agree(&mut agreement);
                let is_likely = found.readings().likely().any(is_it);
                unlikely += usize::from(!is_likely);
                told += usize::from(alone && !is_likely);
            }
        }
        assert!(other * 50 <= COLUMNS, "{name}: {other} of {COLUMNS} are others");
        assert_eq!(told, 0, "{name} were likely by themselves");
        // One in eight columns of videos is too early for any agreement.
        let most = if format == Format::TikTok { 20 } else { 5 };
        let all = COLUMNS * 10;
        assert!(unlikely * 100 <= all * most, "{name}: {unlikely} of {all} are not likely");
    }
}

/// Whatever its bits are, a format stays that most lines are likely of.
#[test]
fn formats_of_most_lines_stay() {
    let (mut dice, detector, mut decided) = (Dice::new(22), detector(), 0);
    for system in SYSTEMS.into_iter().chain(USUAL) {
        for days in [1, 30, 365] {
            for _ in 0..COLUMNS / 10 {
                let first = NOW_MS - DAY_MS * (days + dice.below(900 - days));
                let column = ids(&mut dice, system, first, days, 10);
                let texts: Vec<String> = column.iter().map(u64::to_string).collect();
                let agreement = agreement(&column);
                let found: Vec<_> = texts.iter().map(|text| detector.inspect(text)).collect();
                for format in Format::ALL {
                    let is_likely = |found: &&Inspections<'_>| {
                        found.readings().likely().any(|one| one.format() == *format)
                    };
                    let likely = found.iter().filter(is_likely).count();
                    if likely > 5 && *format != Format::UnixTime && !agreement.is_none() {
                        assert!(agreement.has(*format), "{format} of {column:?}");
                        decided += 1;
                    }
                }
            }
        }
    }
    assert!(decided > COLUMNS, "{decided}");
}

/// By itself, each is Discord's of 2015. A server and a kind of command that are the same in all
/// lines are those of one worker and process of Discord's, and few columns have only one.
#[test]
fn columns_of_nextcloud_are_told_from_discord() {
    let (mut dice, epoch) = (Dice::new(24), 1_759_276_800_000);
    let now = NOW_MS + DAY_MS * 365;
    let detector = Detector::new(
        Settings::default(),
        ManualClock::new(UnixTime::from_millis(now.cast_signed()).unwrap()),
    );
    let mut first = [0, 0];
    for _ in 0..COLUMNS {
        let (server, cli) = (dice.below(1 << 9), dice.below(2));
        let start = now - DAY_MS * (30 + dice.below(200)) - epoch;
        let mut nextcloud = || {
            let ms = start + dice.below(DAY_MS * 30);
            let time = (ms / 1_000) << 32 | (ms % 1_000) << 22;
            time | server << 13 | cli << 12 | dice.below(4)
        };
        let nextcloud: Vec<u64> = (0..10).map(|_| nextcloud()).collect();
        // Of the same times, and of several workers.
        let discord = nextcloud.iter().map(|id| id >> 22 << 22 | dice.below(8) << 17 | 1 << 12);
        for (count, column) in first.iter_mut().zip([&nextcloud, &discord.collect()]) {
            let texts: Vec<String> = column.iter().map(u64::to_string).collect();
            let mut agreement = detector.agreement(texts.iter().map(String::as_bytes));
            for text in &texts {
                let mut found = detector.inspect(text);
                found.agree(&mut agreement);
                let first = found.first().map(|one| one.format());
                *count += usize::from(first == Some(Format::Nextcloud));
            }
        }
    }
    let [nextcloud, discord] = first.map(|count| count * 100 / (COLUMNS * 10));
    assert!(nextcloud >= 80 && discord == 0, "{first:?}");
}

/// Of one millisecond, each but the first is as probable as a number.
#[test]
fn three_ids_of_a_burst_agree() {
    let (mut dice, detector) = (Dice::new(23), detector());
    for _ in 0..COLUMNS {
        let ms = NOW_MS - dice.below(DAY_MS * 40) - 1_735_689_600_000;
        let first = ms << 12 | dice.below(8) << 6;
        let column = |start: u64| (start..start + 3).map(|line| first + line);
        let mut agreed = agreement(&column(0).collect::<Vec<_>>());
        assert!(agreed.has(Format::JsSafe), "{first}");
        for text in column(0).map(|number| number.to_string()) {
            let mut found = detector.inspect(&text);
            found.agree(&mut agreed);
            let first = found.readings().likely().map(Reading::format).next();
            assert_eq!(first, Some(Format::JsSafe), "{text}");
        }
        // Neither two of them, nor the same one three times.
        for few in [column(0).take(2).collect::<Vec<_>>(), vec![first; 3]] {
            assert!(!agreement(&few).has(Format::JsSafe), "{few:?}");
        }
        // Nor those in the middle, which are counted numbers as well.
        assert!(agreement(&column(20).collect::<Vec<_>>()).is_none(), "{first}");
    }
}

/// Whatever their times, because the fields speak for each of them.
#[test]
fn three_ids_of_usual_fields_agree() {
    let mut dice = Dice::new(8);
    for system in USUAL {
        let first = NOW_MS - DAY_MS * 3_000;
        let agreed = (0..COLUMNS)
            .filter(|_| agreement(&ids(&mut dice, system, first, 3_000, 3)).has(system.0))
            .count();
        assert!(agreed >= COLUMNS * 19 / 20, "{}: {agreed} of {COLUMNS}", system.0);
    }
}

/// Without a clock, no column agrees, and no line follows what others agreed on.
#[test]
fn without_a_clock_no_format_is_agreed_on() {
    struct Broken;
    impl Clock for Broken {
        fn now(&self) -> Result<UnixTime, ClockError> {
            Err(ClockError::Unreadable { reason: "broken" })
        }
    }
    let column = ids(&mut Dice::new(9), USUAL[1], NOW_MS - DAY_MS * 365, 300, 10);
    let texts: Vec<String> = column.iter().map(u64::to_string).collect();
    let broken = Detector::new(Settings::default(), Broken);
    assert!(broken.agreement(texts.iter().map(String::as_bytes)).is_none());
    let mut agreement = agreement(&column);
    assert!(agreement.has(Format::Discord));
    for text in texts {
        let mut found = broken.inspect(&text);
        found.agree(&mut agreement);
        let doubts: Vec<_> = found.readings().iter().map(Reading::doubt).collect();
        assert!(doubts.contains(&Some(Doubt::NoClock)) && !doubts.contains(&None), "{doubts:?}");
    }
}

/// What is out of use stays possible, and what most lines are by themselves stays likely.
#[test]
fn agreed_formats_may_be_out_of_use() {
    let mut dice = Dice::new(14);
    // Of half a day of 2023, one of many workers and a sequence. Each alone is likely TikTok's, of
    // the last days.
    let time = NOW_MS / 8_000 - 43_200;
    let mut id = || (time + dice.below(43_200)) << 35 | 3_000_001 << 13 | dice.below(1 << 13);
    let column: Vec<u64> = (0..10).map(|_| id()).collect();
    let mut agreement = agreement(&column);
    assert!(agreement.has(Format::Baidu));
    let detector = detector();
    for text in column.iter().map(u64::to_string) {
        let mut found = detector.inspect(&text);
        assert!(found.readings().likely().map(Reading::format).eq([Format::TikTok]), "{text}");
        found.agree(&mut agreement);
        let mut all = found.readings().iter().map(|one| (one.format(), one.doubt()));
        assert_eq!(all.next(), Some((Format::TikTok, None)), "{text}");
        assert_eq!(all.next(), Some((Format::Baidu, Some(Doubt::Retired))), "{text}");
        assert_eq!(found.readings().likely().count(), 1, "{text}");
    }
}

#[test]
fn columns_of_random_numbers_do_not_agree() {
    let mut dice = Dice::new(9);
    for digits in 15..=19_u32 {
        // Also those that share a number of digits.
        for shared in (0..digits - 2).step_by(3) {
            for lines in [10, 3] {
                let agreed = (0..COLUMNS).filter(|_| {
                    let unit = 10_u64.pow(digits - shared.max(1));
                    let head = 10_u64.pow(shared.max(1) - 1);
                    let mut head = || head + dice.below(8 * head);
                    let (all, heads) = (head(), [0; 10].map(|_| head()));
                    let heads = heads.map(|head| if shared == 0 { head } else { all });
                    let column = heads.map(|head| head * unit + dice.below(unit));
                    !agreement(&column[..lines]).is_none()
                });
                let (agreed, most) = (agreed.count(), if shared == 0 { 0 } else { COLUMNS / 20 });
                assert!(
                    agreed <= most,
                    "{digits} digits, {shared} shared, {lines} lines: {agreed}"
                );
            }
        }
    }
}

/// Numbers with a rule: ten of each.
#[test]
fn columns_of_other_numbers_do_not_agree() {
    let mut dice = Dice::new(10);
    let mut kinds: Vec<NumberKind> = Vec::new();
    let each = |dice: &mut Dice, number: &dyn Fn(&mut Dice) -> u64| [0; 10].map(|_| number(dice));
    let day = |dice: &mut Dice| 20_240_000 + (1 + dice.below(12)) * 100 + 1 + dice.below(28);
    let time = |dice: &mut Dice| dice.below(24) * 10_000 + dice.below(60) * 100 + dice.below(60);
    for power in [8, 10, 11] {
        kinds.push((
            "days and serials",
            Box::new(move |dice| {
                each(dice, &|dice| day(dice) * 10_u64.pow(power) + dice.below(10_u64.pow(power)))
            }),
        ));
    }
    for power in [2, 4, 5] {
        kinds.push((
            "days, times and serials",
            Box::new(move |dice| {
                let number = |dice: &mut Dice| {
                    (day(dice) * 1_000_000 + time(dice)) * 10_u64.pow(power)
                        + dice.below(10_u64.pow(power))
                };
                each(dice, &number)
            }),
        ));
    }
    for digits in [15, 17, 18, 19] {
        kinds.push((
            "consecutive numbers",
            Box::new(move |dice| {
                let first = 10_u64.pow(digits - 1) + dice.below(8 * 10_u64.pow(digits - 1));
                core::array::from_fn(|line| first + line as u64)
            }),
        ));
    }
    kinds.push((
        "cards of a bank",
        Box::new(move |dice| {
            let bank = (400_000 + dice.below(100_000)) * 10_000_000_000;
            each(dice, &|dice| bank + dice.below(10_000_000_000))
        }),
    ));
    kinds.push((
        "SIM cards of a country",
        Box::new(move |dice| {
            each(dice, &|dice| 8_949_000_000_000_000_000 + dice.below(1_000_000_000_000_000))
        }),
    ));
    kinds.push((
        "accounts of Steam",
        Box::new(move |dice| each(dice, &|dice| 76_561_197_960_265_728 + dice.below(1 << 31))),
    ));
    kinds.push((
        "accounts of Facebook",
        Box::new(move |dice| each(dice, &|dice| 100_000_000_000_000 + dice.below(99_999_999_999))),
    ));
    for (name, mut column) in kinds {
        let columns: Vec<[u64; 10]> = (0..COLUMNS).map(|_| column(&mut dice)).collect();
        let agreed = columns.iter().filter(|column| !agreement(&column[..]).is_none());
        let agreed = agreed.count();
        assert!(agreed <= COLUMNS / 20, "{name}: {agreed} of {COLUMNS}");
    }
}

#[test]
fn other_integers_end_the_agreement() {
    // Twitter's of 2024 would be Mastodon's of the far future, and one since 1970 also Discord's.
    let others = ["7396040452329177093", "1763353455622275372"];
    for (system, other) in [SYSTEMS[1], SYSTEMS[3]].into_iter().zip(others) {
        let column = ids(&mut Dice::new(13), system, NOW_MS - DAY_MS * 300, 200, 10);
        let agreement = agreement(&column);
        assert!(agreement.has(system.0));
        let ends = |text: &str| {
            let mut agreement = agreement;
            detector().inspect(text).agree(&mut agreement);
            agreement.is_none()
        };
        assert!(ends(other), "{other} in a column of {}", system.0);
        // A column of integers of 64 bits says nothing about texts, nor about a sno ID's 80 bits.
        let sno = AnyId::from("8rpk4q72xwf2m63l".parse::<SnoId>().unwrap()).to_u128().to_string();
        let own = column[0].to_string();
        for text in [&own[..], "NULL", "", "7", "0u375nxqh5cq", "8rpk4q72xwf2m63l", &sno] {
            assert!(!ends(text), "{text} in a column of {}", system.0);
        }
    }
}

/// Twitter's IDs of 2015 have times as Discord's as well, and others that are no integers have not.
#[test]
fn agreed_formats_come_first() {
    let mut dice = Dice::new(11);
    let column = ids(&mut dice, SYSTEMS[3], NOW_MS - DAY_MS * 300, 200, 10);
    let texts: Vec<String> = column.iter().map(u64::to_string).collect();
    let detector = detector();
    let mut agreement = detector.agreement(texts.iter().map(String::as_bytes));
    assert_eq!(agreement.lines(), 10);
    for text in &texts {
        let mut found = detector.inspect(text);
        found.agree(&mut agreement);
        let found = found.readings();
        let likely: Vec<Format> = found.likely().map(Reading::format).collect();
        assert!(likely.contains(&Format::Mastodon), "{likely:?}");
        assert!(likely.iter().all(|format| agreement.has(*format)), "{likely:?}");
        for one in found.iter().filter(|one| !agreement.has(one.format())) {
            assert_eq!(one.confidence(), Confidence::Possible, "{}", one.format());
            assert!(one.doubt().is_some());
        }
    }
    // A text of another kind is read as without a column, and so is a time that is none.
    for text in ["0u375nxqh5cq", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "1", "9999999999999999999"]
    {
        let alone = *detector.inspect(text).readings();
        let mut in_column = detector.inspect(text);
        in_column.agree(&mut agreement);
        assert!(alone.iter().eq(in_column.readings().iter()), "{text}");
    }
    assert!(Doubt::Unexplained.reason().contains("likelier"));
}

/// Each of Instagram's alone is only possible, and often behind other formats. Of the two that
/// agree, the times of the other are nearer to now.
#[test]
fn agreement_changes_the_order() {
    let mut dice = Dice::new(15);
    // Of one shard.
    let first = NOW_MS - 1_314_220_021_721 - DAY_MS * 2_550;
    let mut id = || (first + dice.below(DAY_MS * 30)) << 23 | 1_341 << 10 | dice.below(1 << 10);
    let column: Vec<u64> = (0..5).map(|_| id()).collect();
    let (detector, mut agreement) = (detector(), agreement(&column));
    let mut others = 0;
    for text in column.iter().map(u64::to_string) {
        let mut found = detector.inspect(&text);
        others +=
            u32::from(found.readings().first().map(Reading::format) != Some(Format::Instagram));
        found.agree(&mut agreement);
        let likely = found.readings().likely().map(Reading::format);
        assert!(likely.eq([Format::Instagram, Format::Nanoflake]), "{text}");
    }
    assert!(others > 0);
}

/// A line that is an ID by itself is not also one of the formats that fit the others.
#[test]
fn what_a_line_says_itself_stays() {
    let column = ids(&mut Dice::new(17), SYSTEMS[3], NOW_MS - DAY_MS * 2_000, 30, 10);
    let (detector, mut agreement) = (detector(), agreement(&column));
    assert!(agreement.has(Format::Mastodon) && agreement.has(Format::Discord));
    for text in column.iter().map(u64::to_string) {
        let alone = detector.inspect(&text);
        let mut in_column = alone.clone();
        in_column.agree(&mut agreement);
        for found in [alone, in_column] {
            let likely = found.readings().likely().map(Reading::format);
            assert!(likely.eq([Format::Mastodon]), "{text}");
        }
    }
}

/// Each alone is likely a time in nanoseconds, because its low bits are random.
#[test]
fn unix_times_do_not_hide_ids_of_a_column() {
    let mut dice = Dice::new(19);
    let first = ((NOW_MS - DAY_MS * 200) * 1_000_000) >> 22;
    let mut id = || (first + dice.below(DAY_MS * 30)) << 22 | dice.below(1 << 22);
    let column: Vec<u64> = (0..10).map(|_| id()).collect();
    let (detector, mut agreement) = (detector(), agreement(&column));
    for text in column.iter().map(u64::to_string) {
        let mut found = detector.inspect(&text);
        found.agree(&mut agreement);
        let likely: Vec<_> = found.readings().likely().map(Reading::format).collect();
        assert_eq!(likely[..2], [Format::UnixTime, Format::Nanoflake], "{text}");
    }
}

#[test]
fn unix_times_of_one_unit_agree() {
    let mut dice = Dice::new(18);
    let times: Vec<u64> = (0..10).map(|_| NOW_MS - dice.below(DAY_MS * 30)).collect();
    assert!(agreement(&times).has(Format::UnixTime));
    for mixed in [1, 9] {
        let mut times = times.clone();
        times.iter_mut().take(mixed).for_each(|time| *time /= 1_000);
        assert!(agreement(&times).is_none(), "{mixed} in seconds");
    }
}

#[test]
fn few_or_mixed_lines_do_not_agree() {
    let mut dice = Dice::new(12);
    let first = NOW_MS - DAY_MS * 100;
    let discord = ids(&mut dice, SYSTEMS[1], first, 30, 10);
    assert!(agreement(&discord).has(Format::Discord));
    assert!(agreement(&discord[..2]).is_none());
    assert!(agreement(&[]).is_none());
    let nine_digits: Vec<u64> = (0..10).map(|line| 176_335_345 + line * 1_000).collect();
    assert!(agreement(&nine_digits).is_none());
    let mastodon = ids(&mut dice, SYSTEMS[3], first, 30, 5);
    assert!(agreement(&[&discord[..5], &mastodon[..]].concat()).is_none());
    // Lines without an integer of the size of IDs are passed over.
    let texts: Vec<String> = discord.iter().map(u64::to_string).collect();
    let texts = ["id", "NULL", "", "7", "999999999", "0000000000000007"]
        .into_iter()
        .chain(texts.iter().map(String::as_str));
    let agreement = detector().agreement(texts.map(str::as_bytes));
    assert!(agreement.has(Format::Discord));
    assert_eq!(agreement.lines(), 10);
}

/// Returns random bits, with those of a UUID's version if one is given.
fn bits_of(dice: &mut Dice, version: Option<u128>) -> u128 {
    let mut byte = || u128::from(dice.below(1 << 32));
    let bits = (0..4).fold(0, |bits, _| bits << 32 | byte());
    match version {
        Some(version) => bits & !(0xf << 76 | 3 << 62) | version << 76 | 2 << 62,
        // With the variant of none.
        None => bits | 3 << 62,
    }
}

/// The forms of 16 bytes without hyphens.
const BARE: [fn(u128) -> String; 3] = [
    |bits| format!("{bits:032x}"),
    |bits| format!("{bits:032X}"),
    |bits| format!("{:?}", bits.to_be_bytes()),
];

/// Returns for each line whether it is likely a UUID, and first of all one.
fn uuids(texts: &[String]) -> Vec<bool> {
    let detector = detector();
    let mut agreement = detector.agreement(texts.iter().map(String::as_bytes));
    let mut is_uuid = |text: &String| {
        let mut found = detector.inspect(text);
        found.agree(&mut agreement);
        let first = found.readings().first().copied();
        first.is_some_and(|one| one.doubt().is_none() && one.format() == Format::Uuid)
    };
    texts.iter().map(&mut is_uuid).collect()
}

/// One hash in 64 has the bits of a version, but not three of three.
#[test]
fn uuids_without_hyphens_agree() {
    let mut dice = Dice::new(25);
    for (version, form) in (3..=5).flat_map(|version| BARE.map(|form| (version, form))) {
        let mut text = || form(bits_of(&mut dice, Some(version)));
        let column: Vec<String> = (0..12).map(|_| text()).collect();
        let other = form(bits_of(&mut Dice::new(26), None));
        for lines in [3, 10, 12] {
            assert_eq!(uuids(&column[..lines]), vec![true; lines], "{version}: {column:?}");
        }
        let agreement = detector().agreement(column.iter().map(String::as_bytes));
        assert_eq!((agreement.has(Format::Uuid), agreement.lines()), (true, 10));
        // One or two say what each does, and most UUIDs are of version 4.
        for lines in [1, 2] {
            assert_eq!(uuids(&column[..lines]), vec![version == 4; lines], "{version}: {column:?}");
        }
        // Beside other texts of 128 bits, also of another version, they may all be hashes.
        let next = Some(3 + (version + 1) % 3);
        for other in [other.clone(), form(bits_of(&mut Dice::new(27), next))] {
            for place in [0, 1, 9] {
                let mut mixed = column.clone();
                mixed[place].clone_from(&other);
                assert!(!uuids(&mixed).contains(&true), "{version}: {mixed:?}");
            }
        }
        // Behind the lines that decide, such a text ends the agreement.
        let mut mixed = column.clone();
        mixed[10] = other;
        let mut expected = vec![true; 12];
        (expected[10], expected[11]) = (false, version == 4);
        assert_eq!(uuids(&mixed), expected, "{version}: {mixed:?}");
        // Other texts say nothing.
        let mut mixed = column[..3].to_vec();
        mixed.insert(1, "NULL".to_owned());
        mixed.insert(2, "017f22e2-79b0-7cc3-98c4-dc0c0c07398f".to_owned());
        mixed.insert(3, "175928847299117063".to_owned());
        assert_eq!(uuids(&mixed), [true, false, true, false, true, true], "{version}: {mixed:?}");
        // A log is full of hashes.
        let log = column.join(" ");
        assert_eq!(detector().find(log.as_bytes()).count(), 0, "{log}");
    }
}

/// Returns the 16 bytes of a ULID of the last year, as a number.
fn ulid(dice: &mut Dice) -> u128 {
    let ms = u128::from(NOW_MS - dice.below(DAY_MS * 365));
    ms << 80 | bits_of(dice, None) >> 48
}

fn version_of(bits: u128) -> Option<usize> {
    let uuid = Uuid::from_u128(bits);
    (uuid.get_variant() == Variant::RFC4122 && matches!(uuid.get_version_num(), 1..=8))
        .then(|| uuid.get_version_num())
}

/// A column of UUIDs may hold ULIDs, of which one in eight has the bits of a version by chance.
#[test]
fn ulids_in_a_column_of_uuids_agree() {
    let (mut dice, detector) = (Dice::new(29), detector());
    let [lower, _, list] = BARE;
    let likely = |found: &Inspections<'_>| {
        found.readings().likely().map(Reading::format).collect::<Vec<_>>()
    };
    let (mut versions, mut alone) = (0, 0);
    for form in [|bits| Uuid::from_u128(bits).to_string(), lower, list] {
        for _ in 0..COLUMNS / 4 {
            let bits: Vec<u128> = (0..10).map(|_| ulid(&mut dice)).collect();
            let column: Vec<String> = bits.iter().map(|bits| form(*bits)).collect();
            let mut agreement = detector.agreement(column.iter().map(String::as_bytes));
            assert_eq!((agreement.has(Format::Ulid), agreement.lines()), (true, 10), "{column:?}");
            for (text, bits) in column.iter().zip(bits) {
                let (mut found, version) = (detector.inspect(text), version_of(bits));
                let first = found.first().unwrap();
                match version {
                    None => {
                        let confidence = first.confidence();
                        assert_eq!(confidence, Some(Confidence::Likely), "{text}");
                        assert_eq!(likely(&found), [Format::Ulid], "{text}");
                    }
                    // Of the same time.
                    Some(7) => {}
                    Some(_) if text.contains('-') => {
                        assert_eq!(likely(&found), [Format::Uuid, Format::Ulid], "{text}");
                        assert_eq!(first.confidence(), Some(Confidence::Likely), "{text}");
                        versions += 1;
                    }
                    Some(_) => alone += 1,
                }
                found.agree(&mut agreement);
                let expected = if version == Some(7) { Format::Uuid } else { Format::Ulid };
                assert_eq!(likely(&found), [expected], "{text} of {column:?}");
                let first = found.first().unwrap();
                let time = i64::try_from(bits >> 80).unwrap();
                assert_eq!(first.unix_time().unwrap().as_millis(), time, "{text}");
                if expected == Format::Ulid {
                    let ulid = detector.inspect(first.text());
                    assert_eq!(ulid.first().unwrap().identifier(), first.identifier(), "{text}");
                }
            }
            assert!(agreement.has(Format::Ulid));
            // A UUID that holds no such time ends the agreement.
            let other = "919108f7-52d1-4320-9bac-f847db4148a8";
            detector.inspect(other).agree(&mut agreement);
            assert!(agreement.is_none());
            // Some among UUIDs are what each is.
            let mut mixed: Vec<String> = (0..10).map(|_| other.to_owned()).collect();
            mixed[..4].clone_from_slice(&column[..4]);
            let agreement = detector.agreement(mixed.iter().map(String::as_bytes));
            assert!(!agreement.has(Format::Ulid), "{mixed:?}");
        }
    }
    assert!(versions > 20 && alone > 40, "{versions} and {alone}");
}

/// UUIDs of version 8 may start with milliseconds, as those of `uuid6` do, and so do some that say
/// that they are of version 4. Of random ones, a few have such a time.
#[test]
fn uuids_in_a_column_stay_uuids() {
    let (mut dice, detector) = (Dice::new(31), detector());
    let [hyphens, lower] = [|bits| Uuid::from_u128(bits).to_string(), BARE[0]];
    for _ in 0..COLUMNS / 4 {
        for version in [4, 8] {
            let variant = |bits: u128| bits & !(0xf << 76 | 3 << 62) | version << 76 | 2 << 62;
            let timed: Vec<u128> = (0..10).map(|_| variant(ulid(&mut dice))).collect();
            let column: Vec<String> = timed.iter().copied().map(hyphens).collect();
            let mut agreement = detector.agreement(column.iter().map(String::as_bytes));
            assert!(!agreement.has(Format::Ulid), "{column:?}");
            for text in &column {
                let mut found = detector.inspect(text);
                found.agree(&mut agreement);
                let first = found.readings().first().unwrap();
                let is_it = (first.format(), first.confidence());
                assert_eq!(is_it, (Format::Uuid, Confidence::Certain), "{text}");
            }
            // One that can be nothing but a ULID ends it.
            let other = ulid(&mut dice) & !(0xf << 76);
            detector.inspect(&hyphens(other)).agree(&mut agreement);
            let mut found = detector.inspect(&column[0]);
            found.agree(&mut agreement);
            assert_eq!(found.readings().likely().count(), 2, "{}", column[0]);
            // Without hyphens, the version decides.
            let column: Vec<String> = timed.into_iter().map(lower).collect();
            let agreement = detector.agreement(column.iter().map(String::as_bytes));
            assert_eq!(
                (agreement.has(Format::Uuid), agreement.has(Format::Ulid)),
                (version == 4, false)
            );
        }
    }
}

/// A ULID in a UUID has a time from 2010 to a month ahead.
#[test]
fn few_uuids_look_like_ulids() {
    let (mut dice, detector) = (Dice::new(30), detector());
    let format = |ms: u64, rest: u128| {
        let text = Uuid::from_u128(u128::from(ms) << 80 | rest).to_string();
        let found = detector.inspect(&text);
        found.readings().likely().map(Reading::format).next()
    };
    // Without a version.
    let rest = 0xd676_4c61_efb9_9302_bd5b;
    let first_ms = 1_262_304_000_000;
    for (ms, expected) in [
        (first_ms - DAY_MS, Format::Uuid),
        (first_ms + DAY_MS, Format::Ulid),
        (NOW_MS, Format::Ulid),
        (NOW_MS + DAY_MS * 30, Format::Ulid),
        (NOW_MS + DAY_MS * 30 + 1, Format::Uuid),
    ] {
        assert_eq!(format(ms, rest), Some(expected), "{ms}");
    }
    // Nor do random bits, and no IDs are found in logs of them.
    let mut bits = || bits_of(&mut dice, None);
    let likely = (0..2_000).filter(|_| {
        let text = Uuid::from_u128(bits()).to_string();
        detector.inspect(&text).readings().likely().any(|one| one.format() == Format::Ulid)
    });
    let likely = likely.count();
    assert!((1..10).contains(&likely), "{likely}");
    let ulid = u128::from(NOW_MS) << 80 | rest;
    for (text, found) in [
        (Uuid::from_u128(ulid).to_string(), Some(Format::Ulid)),
        (format!("{ulid:032x}"), None),
        (format!("0x{ulid:032x}"), None),
        (ulid.to_string(), None),
    ] {
        let mut ids = detector.find(text.as_bytes());
        let first = ids.next().and_then(|(_, found)| Some(found.first()?.format()));
        assert_eq!(first, found, "{text}");
    }
    // Nor is a number of as many bits one.
    let number = detector.inspect(&ulid.to_string()).readings().iter().count();
    assert_eq!(number, 1, "a kuid with a wide node");
}

/// As trace IDs are.
#[test]
fn random_texts_of_a_column_are_no_uuids() {
    let mut dice = Dice::new(28);
    for form in BARE {
        for _ in 0..COLUMNS {
            let mut text = || form(bits_of(&mut dice, None) ^ u128::from(dice.below(2)) << 63);
            let column: Vec<String> = (0..10).map(|_| text()).collect();
            let agreement = detector().agreement(column.iter().map(String::as_bytes));
            assert!(agreement.is_none(), "{column:?}");
        }
    }
}

/// These fields are so small that two IDs would be evidence enough.
#[test]
fn two_lines_decide_nothing() {
    let (_, epoch, make) = USUAL[1];
    let column = [0, 40, 90].map(|days| make(NOW_MS - DAY_MS * days - epoch, 0));
    let two = agreement(&column[..2]);
    assert!(two.is_none());
    assert_eq!(two.lines(), 0);
    let three = agreement(&column);
    assert!(three.has(Format::Discord));
    assert_eq!(three.lines(), 3);
}
