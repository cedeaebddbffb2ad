//! Vector clocks through serde. The IDs are tested in `integration`.

use tickid_kuid::vector_clock::Entry;
use tickid_kuid::{LocalId, Node, VectorClock, local_id};

const LOCAL: LocalId = local_id!(".5.tXbhdV.3");

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
