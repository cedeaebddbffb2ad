//! The schemes as the command uses them: one file each, with how its IDs are read from text and
//! reported on.

pub(crate) mod kuid;
pub(crate) mod nanoflake;
mod scru64;
mod sno;
pub(crate) mod uuid;

use tickid_convert::{Candidate, Form, Reading, detect};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use tickid_text::ParseError;

use crate::describe::Describe as _;
use crate::options::{Layouts, Scheme};
use crate::report::Facts;

pub(crate) const ALL: [Scheme; 4] = [Scheme::Scru64, Scheme::Sno, Scheme::Kuid, Scheme::Nanoflake];

/// Reads `text` as an ID of `scheme`.
pub(crate) fn read(scheme: Scheme, text: &[u8], layouts: &Layouts) -> Result<Reading, ParseError> {
    match scheme {
        Scheme::Scru64 => Scru64Id::parse_bytes(text).map(Reading::Scru64),
        Scheme::Nanoflake => nanoflake::read(text, &layouts.nanoflake),
        Scheme::Kuid => kuid::read(text, &layouts.kuid),
        Scheme::Sno => SnoId::parse_bytes(text).map(Reading::Sno),
    }
}

/// Reads `text` as an integer, hexadecimal digits or bytes of `scheme`.
#[cold]
pub(crate) fn other_form(
    scheme: Scheme,
    text: &[u8],
    layouts: &tickid_convert::Layouts,
) -> Option<Reading> {
    let found = detect(text, layouts, None);
    let is_it =
        |one: &&Candidate| Scheme::of(one.format()) == Some(scheme) && one.form() != Form::Text;
    found.iter().find(is_it).map(Candidate::reading)
}

/// Reports whether a reading of a text is the one that the options ask for: kuid's alphabets and
/// Nanoflake's numbers are never guessed.
pub(crate) fn is_asked_for(reading: &Reading, text: &[u8], layouts: &Layouts) -> bool {
    match *reading {
        Reading::Nanoflake(_, found) => found == nanoflake::text_of(text, &layouts.nanoflake),
        Reading::KuidLocal(_, found)
        | Reading::KuidGlobal(_, found)
        | Reading::KuidWide(_, found) => found == layouts.kuid.alphabet(),
        _ => true,
    }
}

/// Takes an ID apart; `false` for a reading that is no ID of the schemes.
#[inline]
pub(crate) fn describe(reading: &Reading, layouts: &Layouts, facts: &mut impl Facts) -> bool {
    match *reading {
        Reading::Scru64(id) => id.describe(&layouts.scru64, facts),
        Reading::Nanoflake(id, text) => id.describe(&layouts.nanoflake.in_text(text), facts),
        Reading::KuidLocal(id, _) => id.describe(&layouts.kuid, facts),
        Reading::KuidGlobal(id, _) => id.describe(&layouts.kuid, facts),
        Reading::KuidWide(id, _) => id.describe(&layouts.kuid, facts),
        Reading::Sno(id) => id.describe(&(), facts),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use tickid_core::UnixTime;
    use tickid_kuid::{Drift, GlobalId, LocalId, WideGlobalId};
    use tickid_nanoflake::{Nanoflake, NanoflakeId};
    use tickid_scru64::{NodeIdSize, Scru64Id};
    use tickid_sno::SnoId;
    use tickid_testkit::config;

    use crate::describe::Describe;
    use crate::options::{KuidOptions, NanoflakeOptions, Scru64Options};
    use crate::report::{JsonLine, TimeMembers};

    /// Returns the line that is written about `id`, as another parser reads it.
    fn written<I: Describe>(id: I, layout: &I::Layout) -> Value {
        let mut line = Vec::new();
        let mut times = TimeMembers::default();
        let mut facts = JsonLine::open(&mut line, &mut times);
        id.describe(layout, &mut facts);
        facts.close();
        assert_eq!(line.pop(), Some(b'\n'));
        serde_json::from_slice(&line).unwrap()
    }

    /// Returns the members that every object begins with.
    fn expected(scheme: &str, text: &str, bytes: &[u8], time: UnixTime) -> Value {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let since_1970 = jiff::SignedDuration::from_millis(time.as_millis());
        let unix_epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
        let date = unix_epoch.checked_add(since_1970).ok().filter(|date| date.year() >= 0);
        json!({
            "scheme": scheme,
            "text": text,
            "hex": hex,
            "unix_ms": time.as_millis(),
            "time": date.map(|date| format!("{date:.3}Z")),
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
        fn scru64_json_parses(value in 0..=Scru64Id::MAX.get(), size in 1u8..=23) {
            let id = Scru64Id::new(value).unwrap();
            let size = NodeIdSize::new(size).unwrap();
            let general = expected("scru64", &id.to_string(), &value.to_be_bytes(), id.unix_time());
            let general = with(general, json!({
                "int": value.to_string(),
                "timestamp": id.timestamp(),
                "node_ctr": id.node_ctr(),
            }));
            prop_assert_eq!(written(id, &Scru64Options { node_size: None }), general.clone());
            let split = json!({ "node_id": id.node_id(size), "counter": id.counter(size) });
            prop_assert_eq!(
                written(id, &Scru64Options { node_size: Some(size) }),
                with(general, split)
            );
        }

        #[test]
        fn nanoflake_json_parses(value in 0..=i64::MAX) {
            let id = NanoflakeId::new(value).unwrap();
            let layout = NanoflakeOptions::default();
            let epoch = layout.epoch();
            let time = Nanoflake { epoch }.unix_time(id);
            let object = expected("nanoflake", &id.to_string(), &value.to_be_bytes(), time);
            prop_assert_eq!(written(id, &layout), with(object, json!({
                "int": value.to_string(),
                "epoch_ms": epoch.as_unix_millis(),
                "timestamp": id.timestamp(),
                "generator": id.generator().get(),
                "datacenter": id.generator().datacenter(),
                "worker": id.generator().worker(),
                "sequence": id.sequence(),
            })));
        }

        #[test]
        fn local_kuid_json_parses(value: u64) {
            let id = LocalId::new(value);
            let object = expected("kuid", &id.to_string(), &value.to_be_bytes(), id.unix_time());
            let object = with(object, kuid_fields(id));
            prop_assert_eq!(
                written(id, &KuidOptions::default()),
                with(object, json!({ "kind": "local" }))
            );
        }

        #[test]
        fn global_kuid_json_parses(bytes: [u8; 12], drift in 5u8..=10) {
            let id = GlobalId::from_bytes(bytes);
            let drift = Drift::new(drift).unwrap();
            let object = expected("kuid", &id.to_string(), &bytes, id.unix_time(drift));
            let object = with(object, kuid_fields(id.to_local(drift)));
            let layout = KuidOptions { drift: Some(drift), ..KuidOptions::default() };
            prop_assert_eq!(written(id, &layout), with(object, json!({
                "kind": "global",
                "node": format!("{:08x}", id.node(drift).get()),
                "drift": drift.get(),
            })));
        }

        #[test]
        fn wide_kuid_json_parses(bytes: [u8; 16], drift in 5u8..=10) {
            let id = WideGlobalId::from_bytes(bytes);
            let drift = Drift::new(drift).unwrap();
            let object = expected("kuid", &id.to_string(), &bytes, id.unix_time(drift));
            let object = with(object, kuid_fields(id.to_local(drift)));
            let layout = KuidOptions { drift: Some(drift), ..KuidOptions::default() };
            prop_assert_eq!(written(id, &layout), with(object, json!({
                "kind": "global",
                "node": format!("{:016x}", id.node(drift)),
                "drift": drift.get(),
            })));
        }

        #[test]
        fn sno_json_parses(bytes: [u8; 10]) {
            let id = SnoId::from_bytes(bytes);
            let object = expected("sno", &id.to_string(), &bytes, id.unix_time());
            prop_assert_eq!(written(id, &()), with(object, json!({
                "timestamp": id.timestamp(),
                "toggle": u8::from(id.toggle()),
                "meta": id.meta(),
                "partition": id.partition().get(),
                "sequence": id.sequence(),
            })));
        }
    }
}
