//! The forms in serde that only sno has: null, partitions, snapshots. The IDs are tested in
//! `integration`.

use serde::{Deserialize, Serialize};
use serde_json::{from_str, to_string};
use tickid_sno::{GeneratorSnapshot, Partition, SnoId, serde_zero_as_null, sno};

const ID: SnoId = sno!("brpk4q72xwf2m63l");

#[test]
fn zero_can_be_null() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nullable(#[serde(with = "serde_zero_as_null")] SnoId);

    for (id, json) in [(ID, "\"brpk4q72xwf2m63l\""), (SnoId::ZERO, "null")] {
        assert_eq!(to_string(&Nullable(id)).unwrap(), json);
        assert_eq!(from_str::<Nullable>(json).unwrap(), Nullable(id));
    }
    let spelled = from_str::<Nullable>("\"2222222222222222\"").unwrap();
    assert_eq!(spelled, Nullable(SnoId::ZERO));
    assert!(from_str::<Nullable>("\"null\"").is_err());
}

#[test]
fn partitions_are_two_bytes() {
    let partition = Partition::new(0x41_0a);
    assert_eq!(to_string(&partition).unwrap(), "[65,10]");
    assert_eq!(from_str::<Partition>("[65,10]").unwrap(), partition);
    for json in ["16650", "[65]", "[65,10,0]", "[65,256]", "\"A\""] {
        assert!(from_str::<Partition>(json).is_err(), "{json}");
    }
}

#[test]
fn snapshots_have_original_fields() {
    let json = to_string(&GeneratorSnapshot::default()).unwrap();
    let value: serde_json::Value = from_str(&json).unwrap();
    let object = value.as_object().unwrap();
    assert_eq!(object.len(), 8);
    for field in object.keys() {
        let mut lacking = object.clone();
        lacking.remove(field);
        let error = from_str::<GeneratorSnapshot>(&to_string(&lacking).unwrap()).unwrap_err();
        assert!(error.to_string().contains(&format!("missing field `{field}`")), "{error}");
    }
    let more = json.replace('}', ",\"monoHi\":0}");
    let error = from_str::<GeneratorSnapshot>(&more).unwrap_err();
    assert!(error.to_string().contains("unknown field `monoHi`"), "{error}");
    let twice = json.replace('}', ",\"now\":1}");
    let error = from_str::<GeneratorSnapshot>(&twice).unwrap_err();
    assert!(error.to_string().contains("duplicate field `now`"), "{error}");
    // As formats without names write it.
    let snapshot = GeneratorSnapshot { wall_hi: 6, drifts: 8, ..GeneratorSnapshot::default() };
    assert_eq!(from_str::<GeneratorSnapshot>("[[0,0],0,0,0,0,6,0,8]").unwrap(), snapshot);
    let error = from_str::<GeneratorSnapshot>("[[0,0],0]").unwrap_err().to_string();
    assert!(error.contains("length 2") && error.contains("a snapshot of a sno"), "{error}");
    for (field, beyond) in [("sequenceMin", "65536"), ("sequence", "-1"), ("drifts", "4294967296")]
    {
        let beyond = json.replace(&format!("\"{field}\":0"), &format!("\"{field}\":{beyond}"));
        assert_ne!(beyond, json);
        assert!(from_str::<GeneratorSnapshot>(&beyond).is_err(), "{beyond}");
    }
}
