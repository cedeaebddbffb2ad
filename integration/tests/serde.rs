//! IDs in formats for people and for machines, by themselves and in the forms that `with` asks for.

use core::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::{SnoId, sno};

/// All forms of an ID, there and missing.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    bound = "T: Representations<Integer: Serialize + DeserializeOwned> + Serialize + DeserializeOwned"
)]
struct Fields<T> {
    plain: T,
    #[serde(with = "tickid_sno::serde_as_integer")]
    integer: T,
    #[serde(with = "tickid_sno::serde_as_string")]
    string: T,
    #[serde(with = "tickid_sno::serde_as_text")]
    text: T,
    #[serde(with = "tickid_sno::serde_as_bytes")]
    bytes: T,
    #[serde(with = "tickid_sno::serde_as_integer::option")]
    maybe_integer: Option<T>,
    #[serde(with = "tickid_sno::serde_as_string::option")]
    maybe_string: Option<T>,
    #[serde(with = "tickid_sno::serde_as_text::option")]
    maybe_text: Option<T>,
    #[serde(with = "tickid_sno::serde_as_bytes::option", default)]
    maybe_bytes: Option<T>,
}

impl<T: Copy> Fields<T> {
    fn new(id: T, maybe: Option<T>) -> Self {
        Self {
            plain: id,
            integer: id,
            string: id,
            text: id,
            bytes: id,
            maybe_integer: maybe,
            maybe_string: maybe,
            maybe_text: maybe,
            maybe_bytes: maybe,
        }
    }
}

#[test]
fn every_form_comes_back_from_every_format() {
    fn comes_back<T>()
    where
        T: Representations<Integer: Serialize + DeserializeOwned>
            + Serialize
            + DeserializeOwned
            + PartialEq,
    {
        for id in [T::MIN, T::MAX].into_iter().chain(any(9).take(50)) {
            for fields in [Fields::new(id, Some(id)), Fields::new(id, None)] {
                let json = serde_json::to_string(&fields).unwrap();
                assert_eq!(serde_json::from_str::<Fields<T>>(&json).unwrap(), fields);

                let mut cbor = Vec::new();
                ciborium::into_writer(&fields, &mut cbor).unwrap();
                assert_eq!(ciborium::from_reader::<Fields<T>, _>(&*cbor).unwrap(), fields);

                let message_pack = rmp_serde::to_vec(&fields).unwrap();
                assert_eq!(rmp_serde::from_slice::<Fields<T>>(&message_pack).unwrap(), fields);
            }
        }
    }
    for_each_id!(comes_back);
}

const SCRU64: u64 = 110_009_624_767_914_842;

#[test]
fn forms_in_json() {
    let id = Scru64Id::new(SCRU64).unwrap();
    let bytes = [1, 134, 213, 43, 190, 42, 99, 90];
    let expected = json!({
        "plain": "0u375nxqh5cq",
        "integer": SCRU64,
        "string": SCRU64.to_string(),
        "text": "0u375nxqh5cq",
        "bytes": bytes,
        "maybe_integer": SCRU64,
        "maybe_string": SCRU64.to_string(),
        "maybe_text": "0u375nxqh5cq",
        "maybe_bytes": bytes,
    });
    assert_eq!(serde_json::to_value(Fields::new(id, Some(id))).unwrap(), expected);

    let none = serde_json::to_value(Fields::new(id, None)).unwrap();
    for field in ["maybe_integer", "maybe_string", "maybe_text", "maybe_bytes"] {
        assert!(none[field].is_null(), "{field}");
    }
}

#[test]
fn forms_in_cbor() {
    use ciborium::Value;

    let id = sno!("brpk4q72xwf2m63l");
    let fields = Value::serialized(&Fields::new(id, Some(id))).unwrap();
    let field = |name: &str| {
        let mut fields = fields.as_map().unwrap().iter();
        fields.find(|(key, _)| key.as_text() == Some(name)).unwrap().1.clone()
    };
    let bytes = id.to_bytes().to_vec();
    assert_eq!(field("plain"), Value::Array(bytes.iter().map(|byte| Value::from(*byte)).collect()));
    assert_eq!(field("integer"), Value::from(u128::from(id)));
    assert_eq!(field("string"), Value::from(u128::from(id).to_string()));
    assert_eq!(field("text"), Value::from("brpk4q72xwf2m63l"));
    assert_eq!(field("bytes"), Value::Bytes(bytes.clone()));
    assert_eq!(field("maybe_bytes"), Value::Bytes(bytes));
}

/// Reads `json` as one form of an ID, and says why it is none.
macro_rules! error {
    ($id:ty, $with:literal, $json:expr) => {{
        #[derive(Debug, Deserialize)]
        struct Field {
            #[serde(with = $with)]
            #[allow(dead_code, reason = "it is never read, only attempted")]
            id: $id,
        }
        serde_json::from_value::<Field>(json!({ "id": $json })).unwrap_err().to_string()
    }};
}

#[test]
fn what_is_no_id_is_an_error_that_says_why() {
    let max = "4738381338321616895";
    let above = 4_738_381_338_321_616_896_u64;
    let out_of_range = format!("SCRU64 integer {above} is outside of 0..={max}");
    assert_eq!(error!(Scru64Id, "tickid_scru64::serde_as_integer", above), out_of_range);
    for text in [&above.to_string(), "007", "+7", "-7", "", "0u375nxqh5cq", " 7"] {
        let expected = format!(
            "invalid value: string {text:?}, expected a string of decimal digits from 0 to {max}"
        );
        assert_eq!(error!(Scru64Id, "tickid_scru64::serde_as_string", text), expected);
    }
    let integer = error!(NanoflakeId, "tickid_nanoflake::serde_as_integer", "7");
    assert!(integer.starts_with("invalid type: string \"7\", expected i64"), "{integer}");
    let text = error!(SnoId, "tickid_sno::serde_as_text", "2");
    assert!(text.starts_with("not a sno ID: 1 bytes long, not 16"), "{text}");
    let short = error!(SnoId, "tickid_sno::serde_as_bytes", [1, 2]);
    assert_eq!(short, "invalid length 2, expected 10 bytes of a sno ID");
    let long = error!(GlobalId, "tickid_kuid::serde_as_bytes", [0; 13]);
    assert!(long.starts_with("invalid length 13, expected fewer elements"), "{long}");
    let above = error!(Scru64Id, "tickid_scru64::serde_as_bytes", [0xff; 8]);
    assert_eq!(above, format!("SCRU64 integer {} is outside of 0..={max}", u64::MAX));
    let local = error!(LocalId, "tickid_kuid::serde_as_integer", -1);
    assert!(local.starts_with("invalid value: integer `-1`, expected u64"), "{local}");
    let wide = error!(WideGlobalId, "tickid_kuid::serde_as_string", u128::MAX.to_string() + "0");
    assert!(wide.contains("from 0 to 340282366920938463463374607431768211455"), "{wide}");
}
