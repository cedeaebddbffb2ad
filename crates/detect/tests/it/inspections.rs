//! Serialized inspections have the values that the IDs' own types report.

use proptest::prelude::*;
use serde_json::{Value, json};
use tickid_convert::foreign::Mastodon;
use tickid_convert::{AnyId, Kind, Settings, ToParts as _};
use tickid_core::{ManualClock, UnixTime};
use tickid_detect::{Detector, Doubt, Form, Format, Identifier, Inspection, detect};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{Drift, GlobalId, LocalId};
use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
use tickid_scru64::{NodeIdSize, Scru64Id};
use tickid_sno::SnoId;
use tickid_snowflake::{Preset, SnowflakeId};
use tickid_testkit::config;

/// Returns an inspection of an ID in the form of its scheme with this name.
fn inspected(id: impl Into<Identifier>, name: &str, settings: &Settings) -> Inspection<'static> {
    let id = id.into();
    let kind = id.scheme_id().map_or(Kind::KuidGlobal, |id| id.kind());
    Inspection::new(id, "", settings).in_form(Form::named(kind, name).unwrap()).unwrap()
}

fn written(id: impl Into<Identifier>, settings: &Settings) -> Value {
    serde_json::to_value(Inspection::new(id.into(), "", settings)).unwrap()
}

fn of(id: impl Into<AnyId>, settings: &Settings) -> Value {
    written(id.into(), settings)
}

/// The members of every object, of a format without node and sequence.
fn general(scheme: &str, text: &str, bytes: &[u8], time: UnixTime) -> Value {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let millis = time.as_millis();
    let has_date = (-62_167_219_200_000..253_402_300_800_000).contains(&millis);
    json!({
        "scheme": scheme,
        "text": text,
        "hex": hex,
        "unix_ms": millis,
        "time": has_date.then(|| format!("{time:.3}")),
        "node": null,
        "sequence": null,
        "confidence": null,
    })
}

fn with(mut object: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("no object: {more}") };
    object.as_object_mut().unwrap().extend(more);
    object
}

fn kuid_fields(local: LocalId) -> Value {
    json!({
        "a": local.mega_seconds(),
        "b": local.seconds(),
        "c": local.micro_seconds(),
        "sequence": local.sequence(),
    })
}

proptest! {
    #![proptest_config(config(8))]

    #[test]
    fn scru64_members(value in 0..=Scru64Id::MAX.get(), size in 1u8..=23) {
        let id = Scru64Id::new(value).unwrap();
        let general = general("scru64", &id.to_string(), &value.to_be_bytes(), id.unix_time());
        let general = with(general, json!({
            "int": value.to_string(),
            "timestamp": id.timestamp(),
            "node_ctr": id.node_ctr(),
        }));
        prop_assert_eq!(of(id, &Settings::default()), general.clone());
        let size = NodeIdSize::new(size).unwrap();
        let settings = Settings { node_size: Some(size), ..Settings::default() };
        let (node, counter) = (id.node_id(size), id.counter(size));
        let split = match id.parts(&settings) {
            Ok(_) => {
                json!({ "node_id": node, "counter": counter, "node": node, "sequence": counter })
            }
            // Of a reserved time.
            Err(_) => json!({ "node_id": node, "counter": counter }),
        };
        prop_assert_eq!(of(id, &settings), with(general, split));
    }

    #[test]
    fn nanoflake_members(value in 0..=i64::MAX, epoch in 0_i64..1_700_000_000_000) {
        let id = NanoflakeId::new(value).unwrap();
        let epoch = Epoch::from_unix_millis(epoch).unwrap();
        let settings = Settings { epoch, ..Settings::default() };
        let time = Nanoflake { epoch }.unix_time(id);
        let fields = json!({
            "int": value.to_string(),
            "epoch_ms": epoch.as_unix_millis(),
            "timestamp": id.timestamp(),
            "generator": id.generator().get(),
            "node": id.generator().get(),
            "datacenter": id.generator().datacenter(),
            "worker": id.generator().worker(),
            "sequence": id.sequence(),
        });
        let base36 = general("nanoflake", &id.to_string(), &value.to_be_bytes(), time);
        prop_assert_eq!(of(id, &settings), with(base36, fields.clone()));
        let decimal = general("nanoflake", &value.to_string(), &value.to_be_bytes(), time);
        let identifier = inspected(AnyId::from(id), "decimal", &settings);
        prop_assert_eq!(serde_json::to_value(identifier).unwrap(), with(decimal, fields));
    }

    #[test]
    fn local_kuid_members(value: u64) {
        let id = LocalId::new(value);
        let object = general("kuid", &id.to_string(), &value.to_be_bytes(), id.unix_time());
        let object = with(object, kuid_fields(id));
        let more = json!({ "kind": "local", "int": value.to_string() });
        prop_assert_eq!(of(id, &Settings::default()), with(object, more));
    }

    #[test]
    fn global_kuid_members(bytes: [u8; 12], wide: [u8; 16], drift in 5u8..=10) {
        let drift = Drift::new(drift).unwrap();
        let settings = Settings { drift, ..Settings::default() };
        let id = GlobalId::from_bytes(bytes);
        let object = general("kuid", &id.to_string(), &bytes, id.unix_time(drift));
        let object = with(object, kuid_fields(id.to_local(drift)));
        prop_assert_eq!(of(id, &settings), with(object, json!({
            "kind": "global",
            "node": format!("{:08x}", id.node(drift).get()),
            "drift": drift.get(),
        })));
        let id = WideGlobalId::from_bytes(wide);
        let text = id.encode_url();
        let object = general("kuid", &text, &wide, id.unix_time(drift));
        let object = with(object, kuid_fields(id.to_local(drift)));
        let found = serde_json::to_value(inspected(Identifier::KuidWide(id), "url", &settings)).unwrap();
        prop_assert_eq!(found, with(object, json!({
            "kind": "global",
            "node": format!("{:016x}", id.node(drift)),
            "drift": drift.get(),
        })));
    }

    #[test]
    fn sno_members(bytes: [u8; 10]) {
        let id = SnoId::from_bytes(bytes);
        let object = general("sno", &id.to_string(), &bytes, id.unix_time());
        prop_assert_eq!(of(id, &Settings::default()), with(object, json!({
            "timestamp": id.timestamp(),
            "toggle": u8::from(id.toggle()),
            "meta": id.meta(),
            "partition": id.partition().get(),
            "node": id.partition().get(),
            "sequence": id.sequence(),
        })));
    }

    #[test]
    fn foreign_members(number: u64) {
        let presets = Preset::ALL.iter().map(|preset| {
            let id = SnowflakeId::new(number & preset.layout().max_id().get());
            Identifier::Preset(*preset, id)
        });
        for id in presets.chain([Identifier::Mastodon(Mastodon(number))]) {
            let object = written(id, &Settings::default());
            let number = id.integer().unwrap();
            prop_assert_eq!(&object["scheme"], id.format().key());
            prop_assert_eq!(&object["int"], &number.to_string());
            let time = id.unix_time(&Settings::default()).unwrap();
            prop_assert_eq!(object["unix_ms"].as_i64(), Some(time.as_millis()));
            let parts = id.parts(&Settings::default()).unwrap();
            prop_assert_eq!(&object["node"], &json!(parts.node().map(|node| node.value())));
            prop_assert_eq!(&object["sequence"], parts.sequence().value());
            let inspection = Inspection::new(id, "", &Settings::default());
            prop_assert_eq!(inspection.text(), number.to_string());
            let both = (inspection.node(), inspection.sequence());
            prop_assert_eq!(both, (parts.node(), Some(parts.sequence())));
            // The fields put together again are the number.
            let fields = id.fields(&Settings::default());
            let whole = fields.iter().fold(0, |whole: u64, field| {
                let value = object.get(field.name()).and_then(Value::as_u64).unwrap_or(0);
                whole << field.bits() | value
            });
            prop_assert_eq!(whole, number);
        }
    }
}

#[test]
fn times_of_other_years_are_null() {
    // Of the year 35198, which RFC 3339 cannot write, but an integer can.
    let object = of(LocalId::MAX, &Settings::default());
    let millis = LocalId::MAX.unix_time().as_millis();
    assert_eq!((&object["time"], &object["unix_ms"]), (&Value::Null, &millis.into()));
    let no_time = "919108f7-52d1-4320-9bac-f847db4148a8";
    let found = detect(no_time.as_bytes(), &Settings::default(), None);
    let inspection = Inspection::of(found.first().unwrap(), no_time, &Settings::default());
    let object = serde_json::to_value(inspection).unwrap();
    assert_eq!((&object["time"], &object["unix_ms"]), (&Value::Null, &Value::Null));
    assert_eq!(object["confidence"], "certain");
}

/// Versions 1 and 6 count from 1582, and the epochs of layouts may be before 1970.
#[test]
fn times_before_1970_are_read() {
    let inspected = |text: &str, settings: &Settings| {
        let found = detect(text.as_bytes(), settings, None);
        let inspection = Inspection::of(found.first().unwrap(), text, settings);
        let micros = inspection.unix_time().unwrap().as_micros();
        (micros, serde_json::to_value(inspection).unwrap()["time"].clone())
    };
    let settings = Settings::default();
    for (text, micros, time) in [
        (
            "bf2eb110-d788-1003-aa59-ce1e9e293641",
            -12_111_152_074_683_570,
            "1586-03-19T15:05:25.316Z",
        ),
        ("12e8a980-1dd2-11b2-aa59-ce1e9e293641", -1_000_000, "1969-12-31T23:59:59.000Z"),
        ("1b21dd21-2e8a-6980-aa59-ce1e9e293641", -1_000_000, "1969-12-31T23:59:59.000Z"),
        ("13814000-1dd2-11b2-aa59-ce1e9e293641", 0, "1970-01-01T00:00:00.000Z"),
        (
            "00000000-0000-1000-8000-000000000000",
            -12_219_292_800_000_000,
            "1582-10-15T00:00:00.000Z",
        ),
        (
            "ffffffff-ffff-1fff-bfff-ffffffffffff",
            103_072_857_660_684_697,
            "5236-03-31T21:21:00.684Z",
        ),
    ] {
        assert_eq!(inspected(text, &settings), (micros, time.into()), "{text}");
    }
    let snowflake = "41x1ms/10n/12s@1960-01-01".parse().unwrap();
    let settings = Settings { snowflake, ..settings };
    let id = Identifier::from(AnyId::from(SnowflakeId::new(1_000 << 22)));
    let object = written(id, &settings);
    assert_eq!(object["unix_ms"], -315_619_199_000_i64);
    assert_eq!(object["time"], "1960-01-01T00:00:01.000Z");
}

/// The TID is the example of its page. The video is from an article on TikTok, and its page has the
/// time 1595988377. The others follow the arithmetic of CockroachDB's source and of an article on
/// Instagram.
#[test]
fn formats_that_are_only_read_have_their_fields() {
    let row_id = ((1_700_000_000_123_450_i64 - 1_420_070_400_000_000) / 10) << 15 | 3;
    for (text, format, millis, fields) in [
        (
            "3jzfcijpj2z2a",
            "tid",
            1_688_137_381_887_i64,
            json!({"timestamp": 1_688_137_381_887_007_i64, "clock_id": 6}),
        ),
        (
            "6854717870488702213",
            "tiktok",
            1_595_988_373_872,
            json!({"timestamp": 1_595_988_373, "milliseconds": 872, "node": 4, "counter": 3_333}),
        ),
        (
            &*row_id.to_string(),
            "unique-rowid",
            1_700_000_000_123,
            json!({"timestamp": 27_992_960_012_345_i64, "node": 3}),
        ),
        // 157 days after the epoch, 678 ms.
        (
            &*(13_564_800_u64 << 32 | 678 << 22 | 300 << 13 | 1 << 12 | 7).to_string(),
            "nextcloud",
            1_772_841_600_678,
            json!({"timestamp": 13_564_800, "milliseconds": 678, "server": 300, "cli": 1,
                "sequence": 7}),
        ),
        (
            "DCxKq0ZSWd9",
            "instagram-code",
            1_732_481_610_251,
            json!({"int": "3508632507640276861", "shard": 4_697, "sequence": 893}),
        ),
    ] {
        let found = detect(text.as_bytes(), &Settings::default(), None);
        let one = found.iter().find(|one| one.format().key() == format).unwrap();
        let object = serde_json::to_value(Inspection::of(one, text, &Settings::default())).unwrap();
        assert_eq!((&object["text"], &object["unix_ms"]), (&text.into(), &millis.into()), "{text}");
        for (name, value) in fields.as_object().unwrap() {
            assert_eq!(&object[name], value, "{text}: {name}");
        }
    }
    // Digits that are too large, or of another alphabet.
    for text in ["k222222222222", "3jzfcijpj2z2A", "13jzfcijpj2z2", "jzfcijpj2z2a"] {
        let found = detect(text.as_bytes(), &Settings::default(), None);
        assert!(found.iter().all(|one| one.format() != Format::Tid), "{text}");
    }
}

#[test]
fn detected_ids_are_shown_with_their_judgement() {
    let (settings, now) = (Settings::default(), UnixTime::from_millis(1_750_000_000_000).unwrap());
    for (text, doubt) in [("0u375nxqh5cq", None), ("information", Some(Doubt::Time))] {
        let found = detect(text.as_bytes(), &settings, Some(now));
        let first = found.first().unwrap();
        let inspection = Inspection::of(first, text, &settings);
        assert_eq!(inspection.confidence(), Some(first.confidence()), "{text}");
        assert_eq!(inspection.reason(), Some(first.reason()), "{text}");
        assert_eq!(inspection.doubt(), doubt, "{text}");
        let object = serde_json::to_value(inspection).unwrap();
        assert_eq!(object["confidence"], first.confidence().name(), "{text}");
        assert_eq!(object["reason"], first.reason(), "{text}");
        assert_eq!(object["doubt"].as_str(), doubt.map(Doubt::reason), "{text}");
    }
}

#[test]
fn members_are_found_by_name() {
    let discord = Identifier::Preset(Preset::Discord, SnowflakeId::new(7));
    for (id, names) in [
        // Its highest bit is unused, and the epoch is a setting.
        (
            AnyId::from(NanoflakeId::MAX).into(),
            "epoch_ms timestamp generator datacenter worker sequence",
        ),
        (discord, "timestamp worker process increment"),
    ] {
        let inspection = Inspection::new(id, "", &Settings::default());
        let members: Vec<_> = inspection.members().collect();
        let found: Vec<_> = members.iter().map(|member| member.name).collect();
        assert_eq!(found.join(" "), names);
        for member in members {
            assert_eq!(inspection.member(member.name), Some(member));
        }
        assert_eq!(inspection.member("unused"), None);
    }
}

#[test]
fn an_id_in_a_uuid_is_shown_as_itself() {
    let id: SnoId = "brpk4q72xwf2m63l".parse().unwrap();
    let uuid = tickid_convert::carry::to_uuid(id).to_string();
    let found = detect(uuid.as_bytes(), &Settings::default(), None);
    let inspection = Inspection::of(found.first().unwrap(), &uuid, &Settings::default());
    assert_eq!((inspection.format(), inspection.text()), (Format::Sno, "brpk4q72xwf2m63l"));
    assert_eq!(inspection.name().to_string(), "sno in a UUID");
    let object = serde_json::to_value(inspection).unwrap();
    assert_eq!((&object["carried_in"], &object["meta"]), (&"uuid".into(), &255.into()));
}

#[test]
fn decimal_nanoflakes_name_the_system() {
    for (epoch, name) in [
        (Epoch::TWITTER, "Nanoflake in decimal, or Twitter Snowflake"),
        (Epoch::DISCORD, "Nanoflake in decimal, or Discord Snowflake"),
        (Epoch::UNIX, "Nanoflake in decimal, or Snowflake since 1970"),
    ] {
        let settings = Settings { epoch, ..Settings::default() };
        let id = inspected(AnyId::from(NanoflakeId::MAX), "decimal", &settings);
        assert_eq!(id.name().to_string(), name);
    }
}

#[test]
fn names_say_the_form_of_an_id() {
    for (text, name) in [
        ("0u375nxqh5cq", "SCRU64"),
        ("110009624767914842", "SCRU64, integer"),
        ("0186d52bbe2a635a", "SCRU64, hexadecimal"),
        ("[1, 134, 213, 43, 190, 42, 99, 90]", "SCRU64, bytes"),
        ("{uid,{1539,625275,432128},1}", "kuid local, Erlang tuple"),
    ] {
        let settings = Settings::default();
        let found = detect(text.as_bytes(), &settings, None);
        let all = found.iter().map(|one| Inspection::of(one, text, &settings));
        let all: Vec<_> = all.map(|one| (one.name().to_string(), one)).collect();
        let (_, found) = all.iter().find(|(it, _)| it == name).unwrap_or_else(|| panic!("{all:?}"));
        // As for a text that was taken out of a literal.
        let same =
            Inspection::new(found.identifier(), "", &settings).in_form(found.form()).unwrap();
        assert_eq!(same.name().to_string(), name);
    }
}

#[test]
fn forms_are_those_of_the_format() {
    let forms = |text: &str, format: Format| {
        let settings = Settings::default();
        let found = detect(text.as_bytes(), &settings, None);
        let reading = found.iter().find(|one| one.format() == format).unwrap();
        let inspection = Inspection::of(reading, text, &settings);
        let forms = inspection.forms().map(|(name, text)| (name, text.to_string()));
        // The UUID that carries an ID has tests in `tickid_convert`.
        forms.filter(|(name, _)| *name != "in a UUID").collect::<Vec<_>>()
    };
    for (text, format, expected) in [
        (
            "1541815603606036480",
            Format::Nanoflake,
            &[
                ("canonical", "bppc0m3ju134"),
                ("int", "1541815603606036480"),
                ("hex", "1565a11f6217a000"),
            ][..],
        ),
        (
            "AGA5igPrJz-7aYAB",
            Format::Kuid,
            &[
                ("canonical", ".5.tXVEf8nyvPN.0"),
                ("url", "AGA5igPrJz-7aYAB"),
                ("int", "116328599505572698788560897"),
                ("hex", "0060398a03eb273fbb698001"),
                ("Erlang tuple", "{uid,<<3,235,39,63>>,{1539,625339,432128},1}"),
            ],
        ),
        (
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            Format::Ulid,
            &[
                ("int", "1777027686520646174104517696511196507"),
                ("hex", "01563e3ab5d3d6764c61efb99302bd5b"),
                ("as a UUID", "01563e3a-b5d3-d676-4c61-efb99302bd5b"),
            ],
        ),
        (
            "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            Format::Ksuid,
            &[("hex", "0669f7efb5a1cd34b5f99d1154fb6853345c9735")],
        ),
        (
            "user_01j1hzw2p7es59rpw0qfqnr7bc",
            Format::TypeId,
            &[
                ("int", "2078946829253956141813460472845573484"),
                ("hex", "019063fe0ac7764a9c5b80bbef5c1d6c"),
                ("as a UUID", "019063fe-0ac7-764a-9c5b-80bbef5c1d6c"),
            ],
        ),
    ] {
        let all = [("text", text)].into_iter().chain(expected.iter().copied());
        let all: Vec<_> = all.map(|(name, text)| (name, text.to_owned())).collect();
        assert_eq!(forms(text, format), all);
    }
}

/// The clock and a layout that change the readings reach each of them.
#[test]
fn detectors_inspect_all_readings_under_their_options() {
    let settings = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
    let to_json = |inspection: &Inspection<'_>| serde_json::to_string(inspection).unwrap();
    let texts = ["bppc0m3ju134", "175928847299117063", "0u375nxqh5cq", "information", "?"];
    let mut seen = Vec::new();
    for millis in [1_500_000_000_000, 1_900_000_000_000] {
        let now = UnixTime::from_millis(millis).unwrap();
        let detector = Detector::new(settings, ManualClock::new(now));
        for text in texts {
            let found = detector.inspect(text);
            let readings = detect(text.as_bytes(), &settings, Some(now));
            let expected: Vec<_> =
                readings.iter().map(|one| to_json(&Inspection::of(one, text, &settings))).collect();
            let inspections: Vec<_> = found.iter().map(|one| to_json(&one)).collect();
            assert_eq!(inspections, expected, "{text} at {now}");
            assert_eq!(found.first().map(|one| to_json(&one)).as_ref(), expected.first());
            seen.push(expected);
        }
    }
    let (early, late) = seen.split_at(texts.len());
    assert_ne!(early, late, "the clock makes no difference");
}
