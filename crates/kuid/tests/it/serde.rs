//! IDs, nodes and vector clocks through serde: text in human-readable formats, and integers or
//! bytes in others.

use core::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tickid_kuid::vector_clock::Entry;
use tickid_kuid::{GlobalId, LocalId, Node, VectorClock, WideGlobalId, global_id, local_id};
use tickid_testkit::binary_serde::{Document, read, write};

const LOCAL: LocalId = local_id!(".5.tXbhdV.3");
const GLOBAL: GlobalId = global_id!(".5.tXVEf8n8vPN.0");

#[test]
fn text_in_human_readable_formats() {
    assert_json(LOCAL, r#"".5.tXbhdV.3""#);
    assert_json(GLOBAL, r#"".5.tXVEf8n8vPN.0""#);
    assert_json(WideGlobalId::MIN, r#""......................""#);
    assert_json(Node::phash("uid@127.0.0.1"), r#""03eb2732""#);
    let error = serde_json::from_str::<LocalId>(r#"".5.tXbhdV.""#).unwrap_err();
    assert!(error.to_string().contains("not a kuid local ID"), "{error}");
    assert!(serde_json::from_str::<LocalId>("27082559990628353").is_err());
}

#[test]
fn binary_has_integers_and_bytes() {
    let wide = WideGlobalId::from(0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10);
    assert_binary(LOCAL, Document::U64(0x0060_398a_7b69_8001));
    assert_eq!(LOCAL.get(), 0x0060_398a_7b69_8001);
    assert_binary(GLOBAL, Document::bytes(&GLOBAL.to_bytes()));
    assert_binary(wide, Document::Tuple((1..=16).map(Document::U8).collect()));
    assert_eq!(wide.to_bytes().to_vec(), (1..=16).collect::<Vec<_>>());
    assert_binary(Node::new(7), Document::U32(7));
    assert!(read::<LocalId>(Document::Text(".5.tXbhdV.3")).is_err());
}

fn assert_binary<T: Serialize + DeserializeOwned + PartialEq + Debug>(
    value: T,
    document: Document,
) {
    assert_eq!(write(&value).as_ref(), Ok(&document));
    assert_eq!(read(document), Ok(value));
}

#[test]
fn vector_clocks_are_lists() {
    let mut clock = VectorClock::new();
    clock.record("b@host".to_owned(), LOCAL);
    clock.record("a@host".to_owned(), LocalId::MIN);
    let json = r#"[["a@host","..........."],["b@host",".5.tXbhdV.3"]]"#;
    assert_eq!(serde_json::to_string(&clock).unwrap(), json);
    let again: VectorClock<String> = serde_json::from_str(json).unwrap();
    assert_eq!(again.entries(), clock.entries());
    for json in [r#"[["a@host"]]"#, r#"[["a@host","short"]]"#, r#""a@host""#] {
        assert!(serde_json::from_str::<VectorClock<String>>(json).is_err(), "{json}");
    }
    let error = serde_json::from_str::<VectorClock<String>>("7").unwrap_err().to_string();
    assert!(error.contains("expected a list of pairs of node and kuid local ID"), "{error}");
    let twice = r#"[["03eb2731","..........3"],["03eb2731","..........."]]"#;
    let clock: VectorClock = serde_json::from_str(twice).unwrap();
    let entry = Entry { node: Node::phash2("uid@127.0.0.1"), id: LocalId::new(1) };
    assert_eq!(clock.entries(), [entry]);
}

fn assert_json<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, json: &str) {
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
}
