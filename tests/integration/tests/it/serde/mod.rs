//! IDs in human-readable and in binary formats, by themselves and in the forms that `with` selects.

mod numbers;

use core::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tickid_core::external::Representations;
use tickid_integration::{any, for_each_id};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::{SnoId, sno};
use tickid_snowflake::SnowflakeId;

/// All forms of an ID, present and missing.
#[derive(Serialize)]
#[serde(bound = "T: Id")]
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
    #[serde(with = "tickid_sno::serde_as_bytes::option")]
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

const SCRU64: u64 = 110_009_624_767_914_842;

#[test]
fn ids_are_texts_and_binaries() {
    fn are<T: Id, B: Serialize>(binary: impl Fn(T) -> B) {
        for id in [T::MIN, T::MAX].into_iter().chain(any(14).take(20)) {
            let (text, binary) = (id.to_string(), binary(id));
            assert_eq!(serde_json::to_value(id).unwrap(), json!(text));
            let error = serde_json::from_value::<T>(json!(binary)).unwrap_err().to_string();
            assert!(error.contains("expected the text of an ID"), "{error}");
            assert_eq!(postcard::to_stdvec(&id).unwrap(), postcard::to_stdvec(&binary).unwrap());
            assert_eq!(bcs::to_bytes(&id).unwrap(), bcs::to_bytes(&binary).unwrap());
            assert!(rmp_serde::from_slice::<T>(&rmp_serde::to_vec(&text).unwrap()).is_err());
        }
        let error = serde_json::from_str::<T>("\"!\"").unwrap_err().to_string();
        assert!(error.starts_with("not a "), "{error}");
    }
    are(Scru64Id::get);
    are(NanoflakeId::get);
    are(LocalId::get);
    are(SnowflakeId::get);
    are(GlobalId::to_bytes);
    are(WideGlobalId::to_bytes);
    are(SnoId::to_bytes);

    let node = tickid_kuid::Node::new(7);
    assert_eq!(serde_json::to_value(node).unwrap(), json!("00000007"));
    assert_eq!(bcs::to_bytes(&node).unwrap(), bcs::to_bytes(&7_u32).unwrap());
    comes_back(&node, &[Json, Bcs]);

    for error in [
        bcs::from_bytes::<Scru64Id>(&[0xff; 8]).unwrap_err(),
        bcs::from_bytes::<NanoflakeId>(&[0xff; 8]).unwrap_err(),
    ] {
        assert!(error.to_string().contains(" is outside of 0..="), "{error}");
    }
}

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

/// MongoDB's driver inserts by one serializer, and filters are made by the other.
#[test]
fn bson_has_one_form_for_inserts_and_filters() {
    fn has_one_form<T: Id>() {
        for id in [T::MIN, T::MAX].into_iter().chain(any(15).take(20)) {
            let inserted = bson::to_vec(&plain::Field { id }).unwrap();
            let inserted: bson::Document = bson::from_slice(&inserted).unwrap();
            assert_eq!(inserted, bson::doc! { "id": id.to_string() });
            assert_eq!(inserted, bson::doc! { "id": bson::to_bson(&id).unwrap() });

            let bytes = bson::to_vec(&bytes::Field { id }).unwrap();
            let bytes: bson::Document = bson::from_slice(&bytes).unwrap();
            assert_eq!(bytes, bson::to_document(&bytes::Field { id }).unwrap());
        }
    }
    for_each_id!(has_one_form);

    let id = NanoflakeId::new(1_541_815_603_606_036_480).unwrap();
    let inserted = bson::to_vec(&integer::Field { id }).unwrap();
    let inserted: bson::Document = bson::from_slice(&inserted).unwrap();
    assert_eq!(inserted, bson::doc! { "id": i64::from(id) });
}

/// Reads `json` as one form of an ID, and returns the error.
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
fn errors_have_the_reason() {
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
    assert!(text.starts_with("not a sno ID: 1 byte long, not 16"), "{text}");
    let short = error!(SnoId, "tickid_sno::serde_as_bytes", [1, 2]);
    assert_eq!(short, "invalid length 2, expected 10 bytes of a sno ID");
    let long = error!(GlobalId, "tickid_kuid::serde_as_bytes", [0; 13]);
    assert_eq!(long, "invalid length 13, expected 12 bytes of a kuid global ID");
    let above = error!(Scru64Id, "tickid_scru64::serde_as_bytes", [0xff; 8]);
    assert_eq!(above, format!("SCRU64 integer {} is outside of 0..={max}", u64::MAX));
    let local = error!(LocalId, "tickid_kuid::serde_as_integer", -1);
    assert!(local.starts_with("invalid value: integer `-1`, expected u64"), "{local}");
    let wide = error!(WideGlobalId, "tickid_kuid::serde_as_string", u128::MAX.to_string() + "0");
    assert!(wide.contains("from 0 to 340282366920938463463374607431768211455"), "{wide}");
}

/// An ID in every position, in one form.
macro_rules! positions {
    ($module:ident $(, $with:literal, $option:literal)?) => {
        mod $module {
            use super::*;

            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(bound = "T: Id")]
            pub struct Field<T> {
                $(#[serde(with = $with)])?
                pub id: T,
            }

            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(bound = "T: Id")]
            pub struct Maybe<T> {
                $(#[serde(with = $option)])?
                #[serde(default)]
                pub id: Option<T>,
            }

            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(bound = "T: Id")]
            pub struct Flattened<T> {
                pub name: String,
                #[serde(flatten)]
                pub rest: Field<T>,
            }

            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(untagged, bound = "T: Id")]
            pub enum Untagged<T> {
                Other { name: String },
                Id {
                    $(#[serde(with = $with)])?
                    id: T,
                },
            }

            #[derive(Debug, PartialEq, Serialize, Deserialize)]
            #[serde(tag = "kind", bound = "T: Id")]
            pub enum Tagged<T> {
                Other { name: String },
                Id {
                    $(#[serde(with = $with)])?
                    id: T,
                },
            }

            /// The positions that serde does not buffer.
            pub fn direct<T: Id>(id: T, formats: &[Format]) {
                comes_back(&Field { id }, formats);
                comes_back(&Maybe { id: Some(id) }, formats);
            }

            /// A missing option, which TOML leaves out.
            pub fn missing<T: Id>(formats: &[Format]) {
                comes_back(&Maybe::<T> { id: None }, formats);
            }

            /// The positions that serde buffers.
            pub fn buffered<T: Id>(id: T, formats: &[Format]) {
                comes_back(&Flattened { name: "a".to_owned(), rest: Field { id } }, formats);
                comes_back(&Untagged::Id { id }, formats);
                comes_back(&Tagged::Id { id }, formats);
            }
        }
    };
}
positions!(plain);
positions!(integer, "tickid_sno::serde_as_integer", "tickid_sno::serde_as_integer::option");
positions!(string, "tickid_sno::serde_as_string", "tickid_sno::serde_as_string::option");
positions!(text, "tickid_sno::serde_as_text", "tickid_sno::serde_as_text::option");
positions!(bytes, "tickid_sno::serde_as_bytes", "tickid_sno::serde_as_bytes::option");

trait Id:
    Representations<Integer: Serialize + DeserializeOwned>
    + Serialize
    + DeserializeOwned
    + PartialEq
    + Ord
{
}
impl<T> Id for T where
    T: Representations<Integer: Serialize + DeserializeOwned>
        + Serialize
        + DeserializeOwned
        + PartialEq
        + Ord
{
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Json,
    Toml,
    /// It quotes texts that look like numbers.
    Yaml,
    Cbor,
    MessagePack,
    MessagePackNamed,
    Postcard,
    /// Like bincode it writes no types and no names.
    Bcs,
    /// By the serializer for bytes, as MongoDB's driver inserts.
    Bson,
    /// By the serializer for values.
    BsonValue,
}

use Format::{
    Bcs, Bson, BsonValue, Cbor, Json, MessagePack, MessagePackNamed, Postcard, Toml, Yaml,
};

const ALL: [Format; 10] =
    [Json, Toml, Yaml, Cbor, MessagePack, MessagePackNamed, Postcard, Bcs, Bson, BsonValue];
/// The formats that describe their values, which serde needs to buffer them.
const DESCRIBING: [Format; 7] = [Json, Toml, Yaml, Cbor, MessagePackNamed, Bson, BsonValue];
/// The formats whose integers are signed and have 64 bits.
const SIGNED: [Format; 3] = [Toml, Bson, BsonValue];

/// Asserts that `value` survives writing and reading in each of `formats`.
fn comes_back<V: Serialize + DeserializeOwned + PartialEq + Debug>(value: &V, formats: &[Format]) {
    for format in formats {
        let read: Result<V, String> = match format {
            Json => serde_json::from_str(&serde_json::to_string(value).unwrap()).map_err(says),
            Toml => toml::from_str(&toml::to_string(value).unwrap()).map_err(says),
            Yaml => serde_norway::from_str(&serde_norway::to_string(value).unwrap()).map_err(says),
            Cbor => {
                let mut cbor = Vec::new();
                ciborium::into_writer(value, &mut cbor).unwrap();
                ciborium::from_reader(&*cbor).map_err(says)
            }
            MessagePack => rmp_serde::from_slice(&rmp_serde::to_vec(value).unwrap()).map_err(says),
            MessagePackNamed => {
                rmp_serde::from_slice(&rmp_serde::to_vec_named(value).unwrap()).map_err(says)
            }
            Postcard => postcard::from_bytes(&postcard::to_stdvec(value).unwrap()).map_err(says),
            Bcs => bcs::from_bytes(&bcs::to_bytes(value).unwrap()).map_err(says),
            Bson => bson::from_slice(&bson::to_vec(value).unwrap()).map_err(says),
            BsonValue => bson::from_bson(bson::to_bson(value).unwrap()).map_err(says),
        };
        assert_eq!(read.as_ref(), Ok(value), "{format:?} {}", core::any::type_name::<V>());
    }
}

fn says(error: impl core::fmt::Display) -> String {
    error.to_string()
}

/// YAML has no byte strings.
fn without_yaml(formats: &[Format]) -> Vec<Format> {
    formats.iter().copied().filter(|format| *format != Yaml).collect()
}

#[test]
fn every_position_round_trips() {
    use std::collections::BTreeMap;

    fn comes_back_everywhere<T: Id>() {
        for id in [T::MIN, T::MAX].into_iter().chain(any(11).take(20)) {
            plain::direct(id, &ALL);
            string::direct(id, &ALL);
            text::direct(id, &ALL);
            bytes::direct(id, &without_yaml(&ALL));
            plain::buffered(id, &DESCRIBING);
            string::buffered(id, &DESCRIBING);
            text::buffered(id, &DESCRIBING);
            bytes::buffered(id, &without_yaml(&DESCRIBING));
            // As a key, also of a map that serde buffers.
            let map = BTreeMap::from([(id, 1)]);
            comes_back(&map, &ALL);
            comes_back(&Keys { name: "a".to_owned(), map }, &ALL);
        }
        plain::missing::<T>(&ALL);
        integer::missing::<T>(&ALL);
        string::missing::<T>(&ALL);
        text::missing::<T>(&ALL);
        bytes::missing::<T>(&ALL);
    }
    for_each_id!(comes_back_everywhere);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Id")]
struct Keys<T: Ord> {
    name: String,
    map: std::collections::BTreeMap<T, i32>,
}

#[test]
fn integers_round_trip() {
    fn of_64_bits<T: Id>() {
        for id in [T::MIN, T::MAX].into_iter().chain(any(12).take(20)) {
            let bytes: T::Bytes = id.into();
            let fits_signed = bytes.as_ref()[0] < 0x80;
            let fits = |format: &Format| fits_signed || !SIGNED.contains(format);
            let keep =
                |formats: &[Format]| -> Vec<_> { formats.iter().copied().filter(fits).collect() };
            integer::direct(id, &keep(&ALL));
            integer::buffered(id, &keep(&DESCRIBING));
        }
    }
    of_64_bits::<Scru64Id>();
    of_64_bits::<NanoflakeId>();
    of_64_bits::<LocalId>();
    of_64_bits::<SnowflakeId>();

    fn of_128_bits<T: Id>() {
        let wide: Vec<_> = ALL.into_iter().filter(|format| !SIGNED.contains(format)).collect();
        for id in [T::MIN, T::MAX].into_iter().chain(any(13).take(20)) {
            integer::direct(id, &wide);
        }
        // serde cannot buffer them: an error, and not another ID.
        let id = integer::Tagged::Id { id: T::MAX };
        let json = serde_json::to_string(&id).unwrap();
        assert!(serde_json::from_str::<integer::Tagged<T>>(&json).is_err());
    }
    of_128_bits::<GlobalId>();
    of_128_bits::<WideGlobalId>();
    of_128_bits::<SnoId>();
}

#[test]
fn other_lengths_are_refused() {
    fn refused<T: Id>(longer: &[u8]) {
        for bytes in [longer, &longer[..longer.len() - 2]] {
            let packed = rmp_serde::to_vec(bytes).unwrap();
            assert!(rmp_serde::from_slice::<T>(&packed).is_err(), "{bytes:?}");
            let mut cbor = Vec::new();
            ciborium::into_writer(bytes, &mut cbor).unwrap();
            assert!(ciborium::from_reader::<T, _>(&*cbor).is_err(), "{bytes:?}");
            let json = json!({ "id": bytes });
            assert!(serde_json::from_value::<bytes::Field<T>>(json).is_err(), "{bytes:?}");
        }
    }
    refused::<SnoId>(&[1; 11]);
    refused::<GlobalId>(&[1; 13]);
    refused::<WideGlobalId>(&[1; 17]);
    let packed = rmp_serde::to_vec(&[1u8; 3][..]).unwrap();
    assert!(rmp_serde::from_slice::<tickid_sno::Partition>(&packed).is_err());
}

#[test]
fn bytes_are_not_read_from_strings() {
    let json = json!({ "id": "0123456789" });
    let error = serde_json::from_value::<bytes::Field<SnoId>>(json.clone()).unwrap_err();
    assert!(error.to_string().contains("invalid type: string"), "{error}");
    let error = serde_json::from_str::<bytes::Field<SnoId>>(&json.to_string()).unwrap_err();
    assert!(error.to_string().contains("invalid type: string"), "{error}");
    let buffered = json!({ "kind": "Id", "id": "0123456789" });
    assert!(serde_json::from_value::<bytes::Tagged<SnoId>>(buffered).is_err());
}

#[test]
fn node_specs_round_trip() {
    use tickid_scru64::NodeSpec;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Settings<T> {
        node: T,
    }
    for text in ["42/8", "0u2r85hm2pt3/16"] {
        let settings = Settings { node: text.parse::<NodeSpec>().unwrap() };
        comes_back(&settings, &ALL);
        let original = Settings { node: text.parse::<scru64::generator::NodeSpec>().unwrap() };
        assert_eq!(
            serde_json::to_string(&settings).unwrap(),
            serde_json::to_string(&original).unwrap()
        );
        assert_eq!(
            postcard::to_stdvec(&settings).unwrap(),
            postcard::to_stdvec(&original).unwrap()
        );
    }
    assert!(serde_json::from_str::<Settings<NodeSpec>>(r#"{"node":"300/8"}"#).is_err());
}
