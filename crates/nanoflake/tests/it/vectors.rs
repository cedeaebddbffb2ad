//! Every entry of `tests/vectors/nanoflake.json`, which records the behaviour of the original
//! implementation.

use std::sync::Arc;

use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake, NanoflakeId};
use tickid_testkit::vectors::{
    Value, big, field, has_fields, list, load, number, string, string_or_null,
};

fn nanoflake() -> Arc<Value> {
    load("nanoflake.json")
}

fn layout(entry: &Value) -> Nanoflake {
    let epoch = Epoch::from_unix_millis(number(entry, "epoch_ms")).unwrap();
    Nanoflake { epoch }
}

#[test]
fn whole_file_is_asserted() {
    let file = nanoflake();
    let lists = ["ids", "parse_base36", "published", "reference_constants"];
    has_fields(&file, &[lists.as_slice(), &["note", "source"]].concat());
    assert_eq!(
        string(&file, "source"),
        "nanoflakes-java 1.0 (commit de67b55), run on Java 17.0.15"
    );
}

#[test]
fn ids_are_as_recorded() {
    for entry in list(&nanoflake(), "ids", 165) {
        has_fields(
            entry,
            &[
                "epoch_ms",
                "value",
                "base36",
                "timestamp",
                "unix_ms",
                "datacenter",
                "worker",
                "generator",
                "sequence",
                // Asserted in `shift_is_22_as_documented`.
                "reference_timestamp",
                "reference_unix_ms",
            ],
        );
        let value: i64 = big(entry, "value");
        let id = NanoflakeId::new(value).unwrap();

        assert_eq!(id.timestamp(), number::<u64>(entry, "timestamp"));
        let generator = id.generator();
        assert_eq!(generator.get(), number::<u16>(entry, "generator"));
        assert_eq!(generator.datacenter(), number::<u8>(entry, "datacenter"));
        assert_eq!(generator.worker(), number::<u8>(entry, "worker"));
        assert_eq!(id.sequence(), number::<u16>(entry, "sequence"));
        let parts = NanoflakeId::from_parts(id.timestamp(), generator, id.sequence());
        assert_eq!(parts, Ok(id));

        let time = layout(entry).unix_time(id);
        assert_eq!(time.as_micros(), number::<i64>(entry, "unix_ms") * 1_000);
        let (min, max) = (layout(entry).min_at(time), layout(entry).max_at(time));
        assert!((min.unwrap()..=max.unwrap()).contains(&id));

        let base36 = string(entry, "base36");
        let padded = format!("{base36:0>13}");
        assert_eq!(id.encode(), base36);
        assert_eq!(id.to_string(), base36);
        assert_eq!(id.encode_padded(), padded.as_str());
        assert_eq!(base36.parse(), Ok(id));
        assert_eq!(base36.to_uppercase().parse(), Ok(id));
        assert_eq!(padded.parse(), Ok(id));
        assert_eq!(id.encode_decimal(), string(entry, "value"));
        assert_eq!(NanoflakeId::parse_decimal(string(entry, "value").as_bytes()), Ok(id));

        assert_eq!(i64::from(id), value);
        assert_eq!(u64::from(id), value.cast_unsigned());
        assert_eq!(NanoflakeId::try_from(value.cast_unsigned()), Ok(id));
        assert_eq!(id.to_be_bytes(), value.to_be_bytes());
        assert_eq!(NanoflakeId::from_be_bytes(value.to_be_bytes()), Ok(id));
    }
}

/// The document: "shifting the timestamp 22 bits". The original's reader drops two bits of it, and
/// its time runs at a quarter of the speed.
#[test]
fn shift_is_22_as_documented() {
    let file = nanoflake();
    let constants = field(&file, "reference_constants");
    let theirs = [
        ("TIMESTAMP_BITS", 14),
        ("GENERATOR_ID_BITS", 10),
        ("SEQUENCE_BITS", 12),
        ("MAX_GENERATOR_ID", 1023),
        ("MAX_SEQUENCE", 4095),
        ("GENERATOR_ID_SHIFT", 12),
        ("TIMESTAMP_SHIFT", 24),
    ];
    has_fields(constants, &theirs.map(|(name, _)| name));
    for (name, value) in theirs {
        assert_eq!(number::<u32>(constants, name), value, "{name}");
    }
    let same = [
        ("GENERATOR_ID_BITS", GeneratorId::BITS),
        ("SEQUENCE_BITS", NanoflakeId::SEQUENCE_BITS),
        ("MAX_GENERATOR_ID", GeneratorId::MAX.get().into()),
        ("MAX_SEQUENCE", NanoflakeId::MAX_SEQUENCE.into()),
        ("GENERATOR_ID_SHIFT", NanoflakeId::SEQUENCE_BITS),
    ];
    for (name, ours) in same {
        assert_eq!(number::<u32>(constants, name), ours, "{name}");
    }
    assert_eq!(NanoflakeId::TIMESTAMP_BITS, 41);
    let one = NanoflakeId::from_parts(1, GeneratorId::MIN, 0).unwrap();
    assert_eq!(one.get(), 1 << 22);

    let mut different = 0;
    for entry in list(&file, "ids", 165) {
        let id = NanoflakeId::new(big(entry, "value")).unwrap();
        let theirs: u64 = number(entry, "reference_timestamp");
        assert_eq!(theirs, id.timestamp() >> 2, "{entry}");
        let their_unix_ms =
            number::<i64>(entry, "epoch_ms") + number::<i64>(entry, "reference_timestamp");
        assert_eq!(number::<i64>(entry, "reference_unix_ms"), their_unix_ms);
        let our_unix_ms = layout(entry).unix_time(id).as_millis();
        assert_eq!(theirs != id.timestamp(), their_unix_ms != our_unix_ms);
        different += usize::from(theirs != id.timestamp());
    }
    // All that have a timestamp other than 0.
    assert_eq!(different, 131);
}

#[test]
fn published_snowflakes_agree() {
    let file = nanoflake();
    let published = list(&file, "published", 2);
    let fields = ["what", "epoch_ms", "value", "unix_ms", "generator", "sequence"];
    has_fields(&published[0], &fields);
    let with_halves = [fields.as_slice(), &["datacenter", "worker"]].concat();
    has_fields(&published[1], &with_halves);
    for (entry, epoch) in published.iter().zip([Epoch::TWITTER, Epoch::DISCORD]) {
        assert_eq!(layout(entry), Nanoflake { epoch });
        let id = NanoflakeId::parse_decimal(string(entry, "value").as_bytes()).unwrap();
        let unix_ms = layout(entry).unix_time(id).as_millis();
        assert_eq!(unix_ms, number::<i64>(entry, "unix_ms"));
        assert_eq!(id.generator().get(), number::<u16>(entry, "generator"));
        assert_eq!(id.sequence(), number::<u16>(entry, "sequence"));
    }
    let discord = &published[1];
    let id = NanoflakeId::new(big(discord, "value")).unwrap();
    let halves = GeneratorId::from_datacenter_worker(
        number(discord, "datacenter"),
        number(discord, "worker"),
    );
    assert_eq!(Ok(id.generator()), halves);
    assert!(string(&published[0], "what").starts_with("Twitter/X"));
    assert!(string(discord, "what").starts_with("Discord"));
}

/// The original accepts everything that Java's radix-36 parser does. We accept only the unpadded
/// form and the form of 13 digits, so that no ID has three texts. Signs, other leading zeros and
/// digits outside ASCII are errors.
#[test]
fn noncanonical_base36_is_rejected() {
    /// The text of the error.
    type Wrong = &'static str;

    let leading_zero = "'0' at position 0 is none of 1-9, a-z, A-Z (zeros lead only";
    let ours: [(&str, Result<i64, Wrong>); 23] = [
        ("0", Ok(0)),
        ("1y2p0ij32e8e7", Ok(i64::MAX)),
        ("1Y2P0IJ32E8E7", Ok(i64::MAX)),
        ("1y2p0ij32e8e8", Err("the number 9223372036854775808 is above 9223372036854775807")),
        ("-1y2p0ij32e8e8", Err("14 bytes long, not 1 to 13")),
        ("-1", Err("'-' at position 0 is none of 0-9, a-z, A-Z")),
        ("+1", Err("'+' at position 0 is none of 0-9, a-z, A-Z")),
        ("0001", Err(leading_zero)),
        ("zz", Ok(1295)),
        ("ZZ", Ok(1295)),
        ("zZ", Ok(1295)),
        ("", Err("0 bytes long, not 1 to 13")),
        (" 1", Err("' ' at position 0 is none of 0-9, a-z, A-Z")),
        ("1 ", Err("' ' at position 1 is none of 0-9, a-z, A-Z")),
        ("1_000", Err("'_' at position 1 is none of 0-9, a-z, A-Z")),
        ("zzzzzzzzzzzzz", Err("the number 170581728179578208255 is above")),
        ("-0", Err("'-' at position 0 is none of 0-9, a-z, A-Z")),
        ("00000000000000000000001y2p0ij32e8e7", Err("35 bytes long, not 1 to 13")),
        ("\u{663}", Err("'\\xd9' at position 0 is none of 0-9, a-z, A-Z")),
        ("\u{ff11}", Err("'\\xef' at position 0 is none of 0-9, a-z, A-Z")),
        ("g.h", Err("'.' at position 1 is none of 0-9, a-z, A-Z")),
        ("-", Err("'-' at position 0 is none of 0-9, a-z, A-Z")),
        ("+", Err("'+' at position 0 is none of 0-9, a-z, A-Z")),
    ];
    let read_by_the_original_only = [
        "-1y2p0ij32e8e8",
        "-1",
        "+1",
        "0001",
        "-0",
        "00000000000000000000001y2p0ij32e8e7",
        "\u{663}",
        "\u{ff11}",
    ];
    let file = nanoflake();
    for (entry, (input, ours)) in list(&file, "parse_base36", 23).iter().zip(ours) {
        has_fields(entry, &["input", "value"]);
        assert_eq!(string(entry, "input"), input);
        let theirs = string_or_null(entry, "value").map(|value| value.parse::<i64>().unwrap());
        let parsed = input.parse::<NanoflakeId>();
        match ours {
            Ok(value) => {
                assert_eq!(parsed.unwrap().get(), value, "{input}");
                assert_eq!(theirs, Some(value), "{input}");
            }
            Err(wrong) => {
                let message = parsed.unwrap_err().to_string();
                let expected = format!("not a Nanoflake ID: {wrong}");
                assert!(message.starts_with(&expected), "{input}: {message}");
                let only_theirs = read_by_the_original_only.contains(&input);
                assert_eq!(theirs.is_some(), only_theirs, "{input}");
            }
        }
    }
}
