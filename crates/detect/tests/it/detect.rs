//! Every format that a text fits is found, likeliest first, with the reason.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tickid_convert::{
    AnyId, ConvertError, Kind, Options, Settings, TextForm, ToParts as _, carry, convert,
};
use tickid_core::UnixTime;
use tickid_detect::{
    Confidence, Doubt, Form, Format, Identifier, Inspection, Reading, Readings, detect, trimmed,
};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::{Epoch, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_snowflake::{Preset, SnowflakeId};
use tickid_testkit::vectors::{array, field, load};
use tickid_testkit::{Dice, config};

use crate::false_alarms::months;

const NOW: UnixTime = UnixTime::from_micros(1_750_000_000_000_000); // 2025-06-15

/// Returns an ID and the form of its scheme with this name.
fn in_form(id: impl Into<AnyId>, name: &str) -> (Identifier, Form) {
    let id = id.into();
    (Identifier::Scheme(id), Form::named(id.kind(), name).unwrap())
}

fn wide_in(id: WideGlobalId, name: &str) -> (Identifier, Form) {
    (Identifier::KuidWide(id), Form::named(Kind::KuidGlobal, name).unwrap())
}

fn found(text: &str) -> Readings {
    detect(text.as_bytes(), &Settings::default(), Some(NOW))
}

fn is_certain(found: &Readings) -> bool {
    found.first().is_some_and(|one| one.confidence() == Confidence::Certain)
}

fn scheme(id: impl Into<AnyId>) -> Identifier {
    Identifier::from(id.into())
}

fn names(text: &str) -> Vec<String> {
    found(text).iter().map(|one| one.name().to_string()).collect()
}

#[test]
fn todays_texts_are_first() {
    for (text, names_of) in [
        ("0u375nxqh5cq", vec!["SCRU64"]), // no Nanoflake: it leads with a zero
        ("bppc0m3ju134", vec!["Nanoflake in Base36", "SCRU64"]),
        (
            "1541815603606036480",
            vec![
                "Nanoflake in decimal",
                "Unix time in nanoseconds",
                "Instagram ID",
                "Baidu UID",
                // Of unlikely times.
                "Discord Snowflake",
                "CockroachDB row ID",
                "pgEdge snowflake",
                "Sonyflake",
                "Sonyflake 2",
                "Snowflake since 1970",
                "TikTok ID",
                "SCRU64",
                "Mastodon ID",
                "kuid local",
                // Of 1,000 milliseconds or more.
                "Nextcloud ID",
            ],
        ),
        (".5.tXVEf8n8vPN.0", vec!["kuid global"]),
        ("AGA5igPrJzJ7aYAB", vec!["kuid global in URL-safe Base64", "kuid global"]),
        ("brpk4q72xwf2m63l", vec!["sno", "kuid global in URL-safe Base64", "kuid global"]),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", vec!["ULID"]),
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", vec!["KSUID"]),
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", vec!["UUID of version 7"]),
        ("919108f7-52d1-4320-9bac-f847db4148a8", vec!["UUID of version 4"]),
        ("{919108F7-52D1-4320-9BAC-F847DB4148A8}", vec!["UUID of version 4"]),
        ("00000000-0000-0000-0000-000000000000", vec!["nil UUID"]),
        ("not an ID", vec![]),
        ("", vec![]),
    ] {
        let mut all = names(text);
        if text.len() == 16 && all.len() == 3 {
            // Two that are about as far from today.
            all[1..].sort_by_key(|name| !name.contains("URL"));
        }
        assert_eq!(all, names_of, "{text:?}");
    }
}

#[test]
fn one_plausible_time_is_clear() {
    for (text, is_clear) in [
        ("0u375nxqh5cq", true),        // the only one
        ("bppc0m3ju134", true),        // the other is of the year 2715
        ("1541815603606036480", true), // Twitter's; a sequence of 0 is no accident
        ("113882101964472591", false), // of 2025-01-24 for Mastodon and as SCRU64
        ("not an ID", false),
    ] {
        assert_eq!(found(text).is_clear(), is_clear, "{text}");
    }
    let unknown = detect(b"bppc0m3ju134", &Settings::default(), None);
    assert!(!unknown.is_clear() && unknown.len() == 2, "without a clock nothing is");
}

#[test]
fn times_are_judged_by_now() {
    let at = |millis: i64| {
        let id = NanoflakeId::new((millis - Epoch::TWITTER.as_unix_millis()) << 22).unwrap();
        let text = id.encode_padded();
        let found = detect(text.as_bytes(), &Settings::default(), Some(NOW));
        let one = found.iter().find(|one| one.identifier() == scheme(id));
        let one = one.unwrap();
        assert_eq!(one.unix_time().unwrap().as_millis(), millis);
        one.confidence()
    };
    let (now, day) = (NOW.as_millis(), 86_400_000);
    assert_eq!(at(now), Confidence::Likely);
    assert_eq!(at(now + 30 * day), Confidence::Likely);
    assert_eq!(at(now + 30 * day + 1), Confidence::Possible);
    assert_eq!(at(now - 13 * 31_556_952_000), Confidence::Likely);
    let reserved = found("000000000000");
    assert_eq!(reserved.first().unwrap().doubt(), Some(Doubt::NeverIssued));
    let wide = WideGlobalId::from_bytes([255; 16]);
    for (text, id) in
        [("zzzzzzzzzzw", scheme(LocalId::MAX)), (&*wide.to_string(), Identifier::KuidWide(wide))]
    {
        let found = found(text);
        let kuid = found.iter().find(|one| one.identifier() == id);
        assert_eq!(kuid.unwrap().doubt(), Some(Doubt::NeverIssued), "{text}");
    }
    let v4 = found("919108f7-52d1-4320-9bac-f847db4148a8");
    assert_eq!(v4.first().unwrap().confidence(), Confidence::Certain);
}

/// Returns a ULID of a time in milliseconds.
fn ulid(millis: u64) -> String {
    let symbols = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let time = (0..10).rev().map(|digit| symbols[(millis >> (5 * digit) & 31) as usize] as char);
    time.chain("TSV4RRFFQ69G5FAV".chars()).collect()
}

/// Returns the confidence and the doubt of the reading as that format.
fn judged(text: &str, format: Format, now: Option<UnixTime>) -> (Confidence, Option<Doubt>) {
    let found = detect(text.as_bytes(), &Settings::default(), now);
    let one = found.iter().find(|one| one.format() == format).unwrap();
    (one.confidence(), one.doubt())
}

#[test]
fn likely_times_end_to_the_millisecond() {
    let now = NOW.as_millis().cast_unsigned();
    let (days, years) = (30 * 86_400_000, 30 * 31_556_952_000);
    let certain = (Confidence::Certain, None);
    let doubted = (Confidence::Possible, Some(Doubt::Time));
    for (millis, expected) in [
        (now + days + 1, doubted),
        (now + days, certain),
        (now, certain),
        (now - years, certain),
        (now - years - 1, doubted),
    ] {
        assert_eq!(judged(&ulid(millis), Format::Ulid, Some(NOW)), expected, "{millis}");
    }
    // MongoDB is of 2009.
    let first = 1_230_768_000_u64;
    for (seconds, is_doubted) in [(first - 1, true), (first, false)] {
        let text = format!("{seconds:08x}bcf86cd799439011");
        let (_, doubt) = judged(&text, Format::ObjectId, Some(NOW));
        assert_eq!(doubt == Some(Doubt::Time), is_doubted, "{text}: {doubt:?}");
    }
}

#[test]
fn first_day_of_a_given_layout_is_doubted() {
    let snowflake = "41x1ms/10n/12s@2025-01-01".parse().unwrap();
    let settings = Settings { snowflake, ..Settings::default() };
    let day = 86_400_000_u64;
    for (millis, is_doubted) in [(day - 1, true), (day, false)] {
        let text = (millis << 22 | 1).to_string();
        let found = detect(text.as_bytes(), &settings, Some(NOW));
        let is_snowflake =
            |one: &&Reading| matches!(one.identifier(), Identifier::Scheme(AnyId::Snowflake(_)));
        let doubt = found.iter().find(is_snowflake).unwrap().doubt();
        assert_eq!(doubt == Some(Doubt::Time), is_doubted, "{text}: {doubt:?}");
    }
}

#[test]
fn no_time_is_likely_without_a_clock() {
    for (text, format, doubt) in [
        (&*ulid(1_700_000_000_000), Format::Ulid, Some(Doubt::NoClock)),
        ("0u375nxqh5cq", Format::Scru64, Some(Doubt::NoClock)),
        ("c232ab00941411ecb3c89f6bdeced846", Format::Uuid, Some(Doubt::NoClock)),
        // The hyphens say enough.
        ("c232ab00-9414-11ec-b3c8-9f6bdeced846", Format::Uuid, None),
        // It has no time.
        ("919108f7-52d1-4320-9bac-f847db4148a8", Format::Uuid, None),
        ("000000000000", Format::Scru64, Some(Doubt::NeverIssued)),
    ] {
        assert_eq!(judged(text, format, None).1, doubt, "{text}");
    }
    // The mark of an ID in a UUID says enough.
    let id = AnyId::Scru64("0u375nxqh5cq".parse().unwrap());
    let text = carry::to_uuid(id).to_string();
    let found = detect(text.as_bytes(), &Settings::default(), None);
    let carried = found.iter().find(|one| matches!(one.identifier(), Identifier::Carried(_)));
    assert_eq!(carried.map(Reading::doubt), Some(None));
}

#[test]
fn doubted_readings_come_last() {
    let rank = |one: &Reading| match one.doubt() {
        None => 0,
        Some(Doubt::NeverIssued) => 2,
        Some(_) => 1,
    };
    let mut most = 0;
    for text in [
        "1541815603606036480",
        "zzzzzzzzzzw",
        "000000000000",
        "2222222222222222",
        "4e6f2160-a0ff-89a0-a840-cc0001c70745",
        "bppc0m3ju134",
        "aaaaaaaa55aaaaaa",
        "brpk4q72xwf2m63l",
    ] {
        let found = found(text);
        let ranks: Vec<u8> = found.iter().map(rank).collect();
        assert!(ranks.is_sorted(), "{text}: {ranks:?}");
        most = most.max(ranks.last().copied().unwrap_or(0));
        assert_eq!(found.first(), found.iter().next(), "{text}");
        assert_eq!(found.likely().count(), ranks.iter().filter(|&&rank| rank == 0).count());
        assert_eq!(found.is_clear(), found.likely().count() == 1, "{text}");
        assert!(found.iter().copied().eq(found), "{text}");
        assert_eq!((found.len(), found.is_empty()), (ranks.len(), false), "{text}");
    }
    assert_eq!(most, 2, "nothing that is never issued");
}

#[test]
fn an_id_in_a_uuid_is_as_certain() {
    let found = found("4e6f2160-a0ff-89a0-a840-cc0001c70745");
    let likely: Vec<_> = found.likely().map(|one| (one.identifier(), one.confidence())).collect();
    assert!(likely.iter().all(|(_, confidence)| *confidence == Confidence::Certain), "{likely:?}");
    assert!(likely.iter().any(|(id, _)| matches!(id, Identifier::Uuid(_))), "{likely:?}");
    assert!(likely.iter().any(|(id, _)| matches!(id, Identifier::Carried(_))), "{likely:?}");
}

#[test]
fn reasons_are_the_features_of_the_format() {
    for (text, format, reason) in [
        ("0u375nxqh5cq", Format::Scru64, "12 digits of Base36"),
        ("175928847299117063", Format::Discord, "a decimal integer of up to 64 bits"),
        ("175928847299117063", Format::Sonyflake, "a decimal integer of up to 63 bits"),
        ("00000000-0000-0000-0000-000000000000", Format::Uuid, "only zeros"),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff", Format::Uuid, "only ones"),
        (
            "919108f7-52d1-4320-9bac-f847db4148a8",
            Format::Uuid,
            "32 hexadecimal digits, as UUIDs are written",
        ),
    ] {
        let found = found(text);
        let one = found.iter().find(|one| one.format() == format).unwrap();
        assert_eq!(one.reason(), reason, "{text}");
    }
}

#[test]
fn integers_are_ids_of_up_to_64_bits() {
    let settings = Settings::default();
    for (text, format, integer) in [
        ("0u375nxqh5cq", Format::Scru64, Some(110_009_624_767_914_842)),
        ("1741816012345", Format::UnixTime, Some(1_741_816_012_345)),
        // A sno ID has 80 bits, of which these are 1.
        ("2222222222222223", Format::Sno, None),
        ("zzzzzzzzzzzzzzzzzzzzzw", Format::Kuid, None),
    ] {
        let found = detect(text.as_bytes(), &settings, Some(NOW));
        let one = found.iter().find(|one| one.format() == format).unwrap();
        assert_eq!(one.identifier().integer(), integer, "{text}");
    }
}

#[test]
fn confidence_and_doubt_are_words() {
    let all = [Confidence::Certain, Confidence::Likely, Confidence::Possible];
    assert!(all.is_sorted());
    assert_eq!(all.map(Confidence::name), ["certain", "likely", "possible"]);
    assert_eq!(
        format!("{:<9}|{:>8}|", Confidence::Likely, Confidence::Certain),
        "likely   | certain|"
    );
    let doubt = Doubt::Words;
    assert_eq!(format!("{doubt:>21}|"), "  it reads like words|");
}

#[test]
fn early_times_need_long_texts() {
    let unlikely = |text: &str, name: &str, settings: &Settings| {
        let found = detect(text.as_bytes(), settings, Some(NOW));
        let one = found.iter().find(|one| one.name().to_string() == name).unwrap();
        one.confidence() == Confidence::Possible
    };
    let twitter = Settings::default();
    for (text, name) in [
        ("xx", "Nanoflake in Base36"),
        ("implausib", "Nanoflake in Base36"),
        ("12345", "Nanoflake in decimal"),
        ("12345", "Discord Snowflake"),
        ("12345", "Instagram ID"),
        ("2222222222222222", "sno"),
        ("000000000000000000000000000", "KSUID"),
    ] {
        assert!(unlikely(text, name, &twitter), "{text}");
    }
    let discord = Settings { epoch: Epoch::DISCORD, ..twitter };
    assert!(unlikely("12345", "Twitter Snowflake", &discord));
    assert!(unlikely("xx", "Nanoflake in Base36", &discord));

    let day = 86_400_000;
    // Of an epoch that was chosen, a day; of Twitter's, nothing wrote Base36 in the first year.
    for (epoch, millis, is_unlikely) in [
        (Epoch::DISCORD, 0, true),
        (Epoch::DISCORD, day - 1, true),
        (Epoch::DISCORD, day, false),
        (Epoch::TWITTER, 363 * day, true),
        (Epoch::TWITTER, 364 * day, false),
    ] {
        let id = NanoflakeId::new(millis << 22 | 4_194_303).unwrap();
        let text = id.encode_padded();
        let settings = Settings { epoch, ..twitter };
        assert_eq!(unlikely(&text, "Nanoflake in Base36", &settings), is_unlikely, "{text}");
    }
    for (millis, is_unlikely) in [(0, true), (day - 1, true), (day, false)] {
        let time = UnixTime::from_millis(1_262_304_000_000 + millis).unwrap();
        let text = SnoId::max_at(time).unwrap().to_string();
        assert_eq!(unlikely(&text, "sno", &twitter), is_unlikely, "{text}");
    }
}

/// Some of each month, in which the first characters differ, and those that the original made.
/// Nanoflakes are padded to 13 characters as well, but in lower case.
#[test]
fn tsids_are_read_in_upper_case() {
    let likely = |text: &str, now: UnixTime| {
        let found = detect(text.as_bytes(), &Settings::default(), Some(now));
        found.likely().map(|one| (one.format(), one.reason())).collect::<Vec<_>>()
    };
    let tsid = [(Format::Tsid, "13 upper-case digits of Crockford's base 32")];
    let is_tsid = |text: &str, now| likely(text, now).iter().any(|(it, _)| *it == Format::Tsid);
    let mut dice = Dice::new(31);
    let mut nanoflakes = 0;
    for now in months() {
        for _ in 0..20 {
            // Of the last years, but not of the first weeks of the epoch.
            let ms = now.as_millis() - i64::try_from(dice.below(20 << 30)).unwrap();
            let time = UnixTime::from_millis(ms.max(1_590_000_000_000)).unwrap();
            let low = dice.below(1 << 22);
            let id = Preset::Tsid.layout().min_at(time).unwrap().get() | low;
            let text = SnowflakeId::new(id).encode_crockford().to_string();
            if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                assert_eq!(likely(&text, now), tsid, "{text} at {now}");
            }
            assert!(!is_tsid(&text.to_ascii_lowercase(), now), "{text}");
            // Of a small sequence, since others are only possible.
            let id = Preset::Twitter.layout().min_at(time).unwrap().get() | low & 0x3f_f007;
            let text = NanoflakeId::new(id.cast_signed()).unwrap().encode_padded().to_string();
            nanoflakes +=
                usize::from(likely(&text, now).iter().any(|(it, _)| *it == Format::Nanoflake));
            assert!(!is_tsid(&text, now), "{text}");
        }
    }
    assert!(nanoflakes > 120 * 20 * 9 / 10, "{nanoflakes}");
    for text in [
        "0049301234567", // Of digits alone
        "0A6B40D6E3A60", // Of hexadecimal digits
        "0K6JV0Q6E3A6",
        "0K6JV0Q6E3AIL", // Crockford leaves these out
        "0K6JV0Q6E3AOU",
        "0k6jv0q6e3a6p",
        "0K6JV0Q6E3a6P",
    ] {
        assert!(!is_tsid(text, NOW), "{text}");
    }
    let (recorded, mut made) = (load("snowflake/tsid.json"), 0);
    for row in array(field(&recorded, "ids")) {
        let [_, millis, .., text] = array(row) else { panic!("{row}") };
        let (millis, text) = (millis.as_i64().unwrap(), text.as_str().unwrap());
        if millis == 1_795_456_258_106 {
            assert_eq!(likely(text, UnixTime::from_millis(millis).unwrap()), tsid, "{text}");
            made += 1;
        }
    }
    assert_eq!(made, 3);
}

#[test]
fn common_texts_are_at_most_possible() {
    for (text, doubt) in [
        ("information", Doubt::Time),
        ("implausibly", Doubt::Time),
        ("activities12", Doubt::Words),
        ("bookmarklets", Doubt::Words),
        ("a483e72f1b00", Doubt::HexDigits),
        ("4111111111111111", Doubt::Time),
        ("5555555555554444", Doubt::Digits),
        ("20240115123045123", Doubt::Date),
        ("15c2a7d9be3f6084", Doubt::Unexplained),
        ("d41d8cd98f005204a9800998ecf8427e", Doubt::Unexplained),
    ] {
        let found = found(text);
        let ids = || found.iter().filter(|one| one.format() != Format::UnixTime);
        assert!(ids().all(|one| one.confidence() == Confidence::Possible), "{text}: {found:?}");
        assert!(ids().any(|one| one.doubt() == Some(doubt)), "{text}: {found:?}");
    }
    assert!(found("InforMation1").is_empty(), "of both cases");
}

#[test]
fn unix_times_are_read_as_such() {
    for (text, name) in [
        ("1741816012", "Unix time in seconds"),
        ("1741816012345", "Unix time in milliseconds"),
        ("1741816012345678", "Unix time in microseconds"),
        ("1741816012345678901", "Unix time in nanoseconds"),
    ] {
        let found = found(text);
        let first = found.first().unwrap();
        assert_eq!(first.name().to_string(), name);
        assert_eq!(first.confidence(), Confidence::Likely);
        assert_eq!(first.unix_time().unwrap().as_millis() / 1_000, 1_741_816_012, "{text}");
        let written = Inspection::new(first.identifier(), "", &Settings::default());
        assert_eq!(written.text(), text);
        // In nanoseconds it is about as well an ID of X's.
        assert_eq!(found.is_clear(), text.len() < 19, "{text}: {found:?}");
    }
    assert_eq!(judged("1700000000000", Format::UnixTime, Some(NOW)).1, None, "a round one");
    assert!(names("1841816012").is_empty() || names("1841816012")[0] != "Unix time in seconds");
}

#[test]
fn examples_of_documents_are_likely() {
    for (text, name) in [
        ("aaaaaaaa55aaaaaa", "sno"),
        ("brpk4q72xwf2m63l", "sno"),
        ("0u375nxqh5cq", "SCRU64"),
        ("0u2r85hm2pt3", "SCRU64"),
        ("bppc0m3ju134", "Nanoflake in Base36"),
        (".5.tXVEf8n8vPN.0", "kuid global"),
        ("AGA5igPrJzJ7aYAB", "kuid global in URL-safe Base64"),
        ("175928847299117063", "Discord Snowflake"),
        ("9m4e2mr0ui3e8a215n4g", "Xid"),
        ("507f1f77bcf86cd799439011", "ObjectId"),
    ] {
        let found = found(text);
        assert!(found.likely().any(|one| one.name().to_string() == name), "{text}");
    }
}

/// JavaScript rounds integers of more than 53 bits.
#[test]
fn wide_fields_are_hexadecimal() {
    let text = ".Ozx3ls4SZTmNNTKNVszVF";
    let found = found(text);
    let wide = found.iter().find(|one| one.format() == Format::Kuid).unwrap();
    let json = serde_json::to_value(Inspection::of(wide, text, &Settings::default())).unwrap();
    assert_eq!((&json["node"], &json["a"]), (&"1e057647b2618795".into(), &6_655.into()));
    assert_eq!(json["confidence"], "possible");
}

/// Machine 1 at its first sequence.
#[test]
fn fresh_sonyflakes_are_likely() {
    let units = (NOW.as_millis() - 1_409_529_600_000) / 10;
    for age in [0, 6_000, 360_000] {
        let text = ((units - age) << 24 | 1).to_string();
        let found = found(&text);
        let first = found.first().unwrap();
        assert_eq!(first.format(), Format::Sonyflake, "{text}: {found:?}");
    }
}

/// Letters with a number in one place, which are as well words with a year or a version.
#[test]
fn fresh_nanoflakes_outweigh_words() {
    let confidence = |millis| {
        let now = UnixTime::from_millis(millis).unwrap();
        let found = detect(b"g577nmiqmjuo", &Settings::default(), Some(now));
        let one = found.iter().find(|one| one.format() == Format::Nanoflake).unwrap();
        (one.confidence(), one.doubt())
    };
    let made = 1_795_465_055_009;
    assert_eq!(confidence(made), (Confidence::Likely, None));
    assert_eq!(confidence(made + 86_400_000), (Confidence::Likely, None));
    let words = found("version20245");
    assert!(words.iter().all(|one| one.doubt().is_some()), "{words:?}");
}

/// SCRU64 IDs start with a zero until 2034, and no Nanoflake does. A later one may also be a
/// Nanoflake of long ago: a small sequence says so, although the SCRU64 ID has the nearer time.
#[test]
fn later_base36_is_weighed_as_both_schemes() {
    let settings = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
    let now = UnixTime::from_millis(2_200_000_000_000).unwrap();
    for (text, first, other) in [
        ("1172rsv1mhoh", Format::Nanoflake, Format::Scru64),
        ("1172rsv1zzzz", Format::Scru64, Format::Nanoflake),
    ] {
        let found = detect(text.as_bytes(), &settings, Some(now));
        assert!(found.likely().map(Reading::format).eq([first, other]), "{text}: {found:?}");
    }
}

#[test]
fn named_texts_are_not_converted() {
    for (text, millis, kind) in [
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", Some(1_469_922_850_259), "ULID"),
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", Some(1_507_608_047_000), "KSUID"),
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", Some(1_645_557_742_000), "UUID"),
        ("c232ab00-9414-11ec-b3c8-9f6bdeced846", Some(1_645_557_742_000), "UUID"),
        ("919108f7-52d1-4320-9bac-f847db4148a8", None, "UUID"),
    ] {
        let one = found(text).into_iter().next().unwrap();
        assert_eq!(one.unix_time().map(UnixTime::as_millis), millis, "{text}");
        let error = convert::<SnoId>(one.identifier(), &Options::default()).unwrap_err();
        assert_eq!(error, ConvertError::NoFields { format: kind });
    }
}

#[test]
fn an_id_in_a_uuid_is_found_there() {
    let id = AnyId::from("brpk4q72xwf2m63l".parse::<SnoId>().unwrap());
    for uuid in [carry::to_uuid(id), carry::to_uuid_v7(id, &Settings::default()).unwrap()] {
        let found = found(&uuid.to_string());
        let readings: Vec<Identifier> = found.iter().map(|one| one.identifier()).collect();
        assert_eq!(readings.len(), 2);
        assert!(readings.contains(&Identifier::Carried(id)));
        assert!(readings.contains(&Identifier::Uuid(uuid)));
        assert_eq!(Identifier::Carried(id).scheme_id(), Some(id));
    }
}

proptest! {
    #![proptest_config(config(4))]

    #[test]
    fn all_texts_of_ids_are_found(
        scru64 in 0..=Scru64Id::MAX.get(), nanoflake in 0..=i64::MAX, local: u64,
        global: [u8; 12], wide: [u8; 16], sno: [u8; 10],
    ) {
        let scru64 = Scru64Id::new(scru64).unwrap();
        let nanoflake = NanoflakeId::new(nanoflake).unwrap();
        let (local, global) = (LocalId::new(local), GlobalId::from_bytes(global));
        let (wide, sno) = (WideGlobalId::from_bytes(wide), SnoId::from_bytes(sno));
        for (text, reading) in [
            (scru64.to_string(), in_form(scru64, "text")),
            (nanoflake.to_string(), in_form(nanoflake, "base36")),
            (nanoflake.encode_padded().to_string(), in_form(nanoflake, "base36")),
            (nanoflake.encode_decimal().to_string(), in_form(nanoflake, "decimal")),
            (local.to_string(), in_form(local, "sortable")),
            (local.encode_url().to_string(), in_form(local, "url")),
            (global.to_string(), in_form(global, "sortable")),
            (global.encode_url().to_string(), in_form(global, "url")),
            (wide.to_string(), wide_in(wide, "sortable")),
            (wide.encode_url().to_string(), wide_in(wide, "url")),
            (sno.to_string(), in_form(sno, "text")),
        ] {
            let found = found(&text);
            prop_assert!(found.iter().any(|one| (one.identifier(), one.form()) == reading),
                "{text}: {found:?}");
        }
    }

    #[test]
    fn no_bytes_panic(text: Vec<u8>) {
        for one in detect(&text, &Settings::default(), Some(NOW)).iter() {
            let _ = one.identifier().parts(&Settings::default());
        }
    }

    /// A literal may be as long as another form of the bytes.
    #[test]
    fn literals_of_equal_bytes_are_read_alike(
        mut bytes in vec(prop_oneof![3 => b' '..=b'~', 1 => any::<u8>()], 16),
        len in select(&[8, 10, 12, 16][..]),
    ) {
        bytes.truncate(len);
        let readings = |text: &str| -> Vec<_> {
            found(text).iter().map(|one| (one.identifier(), one.form())).collect()
        };
        let list = readings(&format!("{bytes:?}"));
        prop_assert!(!list.is_empty());
        for quote in ['\'', '"'] {
            let literal = format!("b{quote}{}{quote}", bytes.escape_ascii());
            prop_assert_eq!(&readings(&literal), &list, "{}", literal);
        }
    }

    /// No candidate is dropped for lack of room: digits fit the most formats.
    #[test]
    fn candidates_have_reasons(text in "[0-9]{1,20}|[2-9a-x]{16}|[0-9A-Za-z._-]{0,30}") {
        for epoch in [Epoch::TWITTER, Epoch::DISCORD, Epoch::UNIX] {
            let settings = Settings { epoch, ..Settings::default() };
            let found = detect(text.as_bytes(), &settings, Some(NOW));
            prop_assert!(found.len() <= 24);
            prop_assert_eq!(found.iter().count(), found.len());
            prop_assert_eq!(found.is_clear(), found.likely().count() == 1);
            prop_assert!(found.iter().is_sorted_by_key(Reading::confidence));
            prop_assert!(found.iter().all(|one| !one.reason().is_empty()));
            // TSIDs are read by name only.
            if let Ok(number) = text.parse::<u64>() && !text.starts_with('0') {
                let fits = |preset: &&Preset| SnowflakeId::new(number) <= preset.layout().max_id();
                for preset in Preset::ALL.iter().filter(|it| **it != Preset::Tsid).filter(fits) {
                    let format: Format = preset.key().parse().unwrap();
                    let is_it = |one: &Reading| {
                        let also = one.identifier().also(one.form(), &settings);
                        one.format() == format || also == Some(format)
                    };
                    prop_assert!(found.iter().any(is_it), "{} as {}", text, format);
                }
            }
        }
    }
}

#[test]
fn all_forms_of_an_id_are_read() {
    let scru64 = "0u375nxqh5cq".parse::<Scru64Id>().unwrap();
    for (text, form) in [
        ("0u375nxqh5cq", Form::canonical(Kind::Scru64)),
        ("110009624767914842", Form::Int),
        ("0186d52bbe2a635a", Form::Hex),
        ("\\x0186d52bbe2a635a", Form::Hex),
        ("b'\\x01\\x86\\xd5+\\xbe*cZ'", Form::Bytes),
        ("<<1,134,213,43,190,42,99,90>>", Form::Bytes),
    ] {
        let found = found(text);
        let mut forms = found.iter().filter(|one| one.identifier() == scheme(scru64));
        assert_eq!(forms.next().map(Reading::form), Some(form), "{text}");
    }
    // As a signed column shows an unsigned value.
    let signed = found("-1");
    assert!(signed.iter().any(|one| one.identifier() == scheme(LocalId::MAX)));
}

/// A UUID has more than 96 bits, except for a time of 1970.
#[test]
fn large_integers_are_read_by_their_size() {
    let uuid = 0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f_u128;
    for (number, expected) in [
        (uuid, &["UUID of version 7", "kuid global of 128 bits"][..]),
        (1 << 96, &["kuid global of 128 bits"]),
        (uuid >> 38, &["kuid global"]),
        (uuid >> 48, &["sno", "kuid global"]),
    ] {
        assert_eq!(names(&number.to_string()), expected, "{number:#x}");
    }
}

/// Hashes and the IDs of traces have as many digits, of which one in 64 has the bits of a version. So
/// a UUID needs a likely time, or to be of version 4, as most are.
#[test]
fn uuids_without_hyphens_are_weighed() {
    for (text, doubt) in [
        ("c232ab00941411ecb3c89f6bdeced846", None), // of version 1
        ("1ec9414232ab6b00b3c89f6bdeced846", None), // 6
        ("017f22e279b07cc398c4dc0c0c07398f", None), // 7
        ("919108f752d143209bacf847db4148a8", None), // 4
        ("919108f752d133209bacf847db4148a8", Some(Doubt::Unexplained)), // 3
        ("919108f752d153209bacf847db4148a8", Some(Doubt::Unexplained)), // 5
    ] {
        assert_eq!(judged(text, Format::Uuid, Some(NOW)).1, doubt, "{text}");
    }
}

/// Behind a prefix, a UUID of another version is a TypeID as well.
#[test]
fn type_ids_of_other_versions_have_prefixes() {
    let has = |text: &str| found(text).iter().any(|one| one.format() == Format::TypeId);
    for (digits, is_seven) in
        [("01j1hzw2p7es59rpw0qfqnr7bc", true), ("4hj64feymghjg9qb7r8zdmaj58", false)]
    {
        assert_eq!(has(digits), is_seven, "{digits}");
        assert!(has(&format!("user_{digits}")), "{digits}");
    }
}

#[test]
fn texts_of_up_to_160_bytes_are_read() {
    for (len, is_read) in [(160, true), (161, false)] {
        let list = format!("[{}1, 134, 213, 43, 190, 42, 99, 90]", " ".repeat(len - 34));
        assert_eq!((list.len(), !found(&list).is_empty()), (len, is_read));
    }
}

/// The example of the library's page; the node is hashed from its name.
#[test]
fn tuples_of_erlang_are_certain() {
    for (text, id) in [
        ("{uid,{1539,625275,432128},1}", scheme(".5.tXbhdV.3".parse::<LocalId>().unwrap())),
        (
            "{uid,'uid@127.0.0.1',{1539,625275,432128},1}",
            scheme(".5.tXVEf8n4vPN.0".parse::<GlobalId>().unwrap()),
        ),
    ] {
        let found = found(text);
        let first = found.first().unwrap();
        assert_eq!((first.identifier(), first.form()), (id, Form::Tuple), "{text}");
        assert_eq!((first.confidence(), found.len()), (Confidence::Certain, 1), "{text}");
        assert_eq!(trimmed(text.as_bytes()), text.as_bytes());
    }
}

#[test]
fn literals_are_told_from_digits() {
    let object_id = found(r"b'\x01\x02\x03abcdefghi'");
    let form_of = |found: &Readings, is: fn(Identifier) -> bool| {
        found.iter().find(|one| is(one.identifier())).map(Reading::form)
    };
    let form = form_of(&object_id, |reading| reading.format() == Format::ObjectId);
    assert_eq!(form, Some(Form::Bytes));
    let uuid = found(r"b'\x12\xa2\xb4A\n0A7\x89abcdefg'");
    let form = form_of(&uuid, |reading| matches!(reading, Identifier::Uuid(_)));
    assert_eq!(form, Some(Form::Bytes), "{uuid:?}");
}

#[test]
fn certain_are_only_texts_with_marks() {
    for (text, expected) in [
        ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", true),
        ("urn:uuid:919108f7-52d1-4320-9bac-f847db4148a8", true),
        ("00000000-0000-0000-0000-000000000000", true),
        ("4e6f2160-a0ff-89a0-a840-cc0001c70745", true), // a sno ID
        ("user_01j1hzw2p7es59rpw0qfqnr7bc", true),
        ("user_2pcvmm1w00e4hr28t5cy4tqkff", false), // of the year 4980; version 7 by accident
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", true),
        ("01arz3ndektsv4rrffq69g5fav", false), // or a TypeID's digits
        ("01fb55ab4ce0e88cd0e084d002", false), // a TypeID's digits, and none of them above f
        ("017f22e279b07cc398c4dc0c0c07398f", false),
        ("919108f7-52d1-f320-9bac-f847db4148a8", false), // no version
        ("0ujtsYcgvSTl8PAuAdqWYSMnLOv", false),
        ("0u375nxqh5cq", false),
        ("1541815603606036480", false),
        ("", false),
    ] {
        assert_eq!(is_certain(&found(text)), expected, "{text}: {:?}", found(text));
    }
}

#[test]
fn fields_cover_all_bits() {
    for text in [
        "0u375nxqh5cq",
        "bppc0m3ju134",
        "brpk4q72xwf2m63l",
        ".5.tXVEf8n8vPN.0",
        "175928847299117063",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
        "9m4e2mr0ui3e8a215n4g",
        "507f1f77bcf86cd799439011",
        "c232ab00-9414-11ec-b3c8-9f6bdeced846",
        "4e6f2160-a0ff-89a0-a840-cc0001c70745",
        "AGA5igPrJzJ7aYABAGA5ig",
    ] {
        for one in found(text) {
            let id = one.identifier();
            let fields = id.fields(&Settings::default());
            let whole = fields.iter().filter(|field| !field.is_divided());
            let mut spans: Vec<_> = whole.flat_map(|field| field.spans()).collect();
            spans.sort_by_key(|span| span.start);
            let end = spans.iter().fold(0, |end, span| {
                assert_eq!(span.start, end, "{text}: {fields:?}");
                end + span.bits
            });
            assert_eq!(usize::try_from(end).unwrap(), 8 * id.bytes().len(), "{text}");
        }
    }
}

#[test]
fn what_is_pasted_around_an_id_is_removed() {
    for pasted in [
        "x",
        " x\t",
        "\"x\"",
        "'x',",
        "`x`;",
        " \"x\" , ",
        "x\r\n",
        "(x)",
        "\u{a0}x\u{200b}",
        "\u{feff}\u{201c}x\u{201d}",
        "\u{ab} x \u{bb},",
        "\"order\": \"x\",",
        "\"id\":x",
        "ObjectId(\"x\")",
        "uuid.UUID('x'),",
        "'x",
        "=\"x\"",
        "=\"x\",",
    ] {
        assert_eq!(trimmed(pasted.as_bytes()), b"x", "{pasted:?}");
    }
    for plain in
        ["", "\"", "x\"", "b'x'", "{x}", "x)", "'x-y", "=x", "x-y(z)", "[1, 2]", "\u{201a}x"]
    {
        assert_eq!(trimmed(plain.as_bytes()), plain.as_bytes());
    }
    for (pasted, text) in [
        ("110009624767914842n", "110009624767914842"),
        ("(110009624767914842n)", "110009624767914842"),
        // The last digit of a SCRU64 ID, and no sign of JavaScript's large integers.
        ("01234567890n", "01234567890n"),
        ("(01234567890n)", "01234567890n"),
    ] {
        assert_eq!(trimmed(pasted.as_bytes()), text.as_bytes());
    }
    for (len, expected) in [(1_024, 1), (1_025, 1_025)] {
        let text = format!("x{}", ",".repeat(len - 1));
        assert_eq!(trimmed(text.as_bytes()).len(), expected);
    }
    // No ID has so much around it, and each layer takes time in proportion to all of them.
    let long = "\"".repeat(1_000_000);
    assert_eq!(trimmed(long.as_bytes()).len(), long.len());
}

/// TypeScript refuses a name that the package's types lack.
#[test]
fn npm_types_name_every_format_and_text() {
    let types = include_str!("../../../../apps/web/npm/index.d.ts");
    // The words in quotation marks of `export type NAME = 'one' | 'two';`.
    let words = |name: &str| {
        let start = format!("export type {name} =");
        let (_, rest) = types.split_once(&start).unwrap();
        let (union, _) = rest.split_once(';').unwrap();
        union.split('\'').skip(1).step_by(2).collect::<BTreeSet<_>>()
    };
    let formats = &words("Format") | &words("Foreign");
    assert_eq!(formats, Format::ALL.iter().map(|format| format.key()).collect());
    let texts = Kind::ALL.iter().flat_map(|kind| TextForm::all(*kind)).map(|form| form.name);
    assert_eq!(words("TextForm"), texts.collect());
}

#[test]
fn digits_fit_most_formats() {
    let unix = Settings { epoch: Epoch::UNIX, ..Settings::default() };
    for (digits, formats) in [("222222222222", 17), ("2222222222222222", 21)] {
        let found = detect(digits.as_bytes(), &unix, Some(NOW));
        assert_eq!(found.len(), formats, "{found:?}");
    }
}
