//! IDs and snapshots through serde, as text and as bytes.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde::{Deserialize, Serialize};
use serde_json::{from_str, to_string};
use tickid_sno::{Partition, Snapshot, SnoId, serde_zero_as_null, sno};

const ID: SnoId = sno!("brpk4q72xwf2m63l");

#[test]
fn ids_are_their_text_in_json_the_zero_id_too() {
    for (id, json) in [(ID, "\"brpk4q72xwf2m63l\""), (SnoId::ZERO, "\"2222222222222222\"")] {
        assert_eq!(to_string(&id).unwrap(), json);
        assert_eq!(from_str::<SnoId>(json).unwrap(), id);
    }
}

#[test]
fn what_is_no_id_is_an_error_that_says_why() {
    let error = from_str::<SnoId>("\"BRPK4Q72XWF2M63L\"").unwrap_err();
    let expected = "not a sno ID: 'B' at position 0 is none of 2-9, a-x";
    assert!(error.to_string().starts_with(expected), "{error}");
    for json in ["null", "7", "\"\"", "[78,111,33,96,160,255,154,10,16,51]"] {
        assert!(from_str::<SnoId>(json).is_err(), "{json}");
    }
}

#[test]
fn ids_are_ten_bytes_in_binary_formats() {
    let bytes = ID.serialize(binary::Writer).unwrap();
    assert_eq!(bytes, ID.to_bytes());
    let read = SnoId::deserialize(binary::Reader(&bytes)).unwrap();
    assert_eq!(read, ID);
    assert!(SnoId::deserialize(binary::Reader(&bytes[1..])).is_err());
}

#[test]
fn the_zero_id_is_null_where_it_is_asked_for() {
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
fn snapshots_have_exactly_the_original_fields() {
    let json = to_string(&Snapshot::default()).unwrap();
    let value: serde_json::Value = from_str(&json).unwrap();
    let object = value.as_object().unwrap();
    assert_eq!(object.len(), 8);
    for field in object.keys() {
        let mut lacking = object.clone();
        lacking.remove(field);
        let error = from_str::<Snapshot>(&to_string(&lacking).unwrap()).unwrap_err();
        assert!(error.to_string().contains(&format!("missing field `{field}`")), "{error}");
    }
    let more = json.replace('}', ",\"monoHi\":0}");
    let error = from_str::<Snapshot>(&more).unwrap_err();
    assert!(error.to_string().contains("unknown field `monoHi`"), "{error}");
    for (field, beyond) in [("sequenceMin", "65536"), ("sequence", "-1"), ("drifts", "4294967296")]
    {
        let beyond = json.replace(&format!("\"{field}\":0"), &format!("\"{field}\":{beyond}"));
        assert_ne!(beyond, json);
        assert!(from_str::<Snapshot>(&beyond).is_err(), "{beyond}");
    }
}

/// As little of a binary format as ten bytes take.
mod binary {
    use core::fmt::Display;

    use serde::de::value::{Error, SeqDeserializer};
    use serde::de::{Deserializer, Error as _, Visitor};
    use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

    pub(super) struct Writer;

    pub(super) struct Bytes(Vec<u8>);

    impl SerializeTuple for Bytes {
        type Ok = Vec<u8>;
        type Error = Error;

        fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
            self.0.append(&mut value.serialize(Writer)?);
            Ok(())
        }

        fn end(self) -> Result<Vec<u8>, Error> {
            Ok(self.0)
        }
    }

    fn no<T>(what: impl Display) -> Result<T, Error> {
        Err(Error::custom(format_args!("not expected: {what}")))
    }

    macro_rules! refuse {
        ($($method:ident($type:ty)),* $(,)?) => {$(
            fn $method(self, _: $type) -> Result<Vec<u8>, Error> {
                no(stringify!($method))
            }
        )*};
    }

    impl Serializer for Writer {
        type Ok = Vec<u8>;
        type Error = Error;
        type SerializeSeq = Impossible<Vec<u8>, Error>;
        type SerializeTuple = Bytes;
        type SerializeTupleStruct = Impossible<Vec<u8>, Error>;
        type SerializeTupleVariant = Impossible<Vec<u8>, Error>;
        type SerializeMap = Impossible<Vec<u8>, Error>;
        type SerializeStruct = Impossible<Vec<u8>, Error>;
        type SerializeStructVariant = Impossible<Vec<u8>, Error>;

        fn is_human_readable(&self) -> bool {
            false
        }

        fn serialize_u8(self, byte: u8) -> Result<Vec<u8>, Error> {
            Ok(vec![byte])
        }

        fn serialize_tuple(self, len: usize) -> Result<Bytes, Error> {
            Ok(Bytes(Vec::with_capacity(len)))
        }

        refuse!(
            serialize_bool(bool),
            serialize_i8(i8),
            serialize_i16(i16),
            serialize_i32(i32),
            serialize_i64(i64),
            serialize_u16(u16),
            serialize_u32(u32),
            serialize_u64(u64),
            serialize_f32(f32),
            serialize_f64(f64),
            serialize_char(char),
            serialize_str(&str),
            serialize_bytes(&[u8]),
            serialize_unit_struct(&'static str),
        );

        fn serialize_none(self) -> Result<Vec<u8>, Error> {
            no("none")
        }

        fn serialize_some<T: ?Sized + Serialize>(self, _: &T) -> Result<Vec<u8>, Error> {
            no("some")
        }

        fn serialize_unit(self) -> Result<Vec<u8>, Error> {
            no("unit")
        }

        fn serialize_unit_variant(
            self,
            name: &'static str,
            _: u32,
            _: &'static str,
        ) -> Result<Vec<u8>, Error> {
            no(name)
        }

        fn serialize_newtype_struct<T: ?Sized + Serialize>(
            self,
            name: &'static str,
            _: &T,
        ) -> Result<Vec<u8>, Error> {
            no(name)
        }

        fn serialize_newtype_variant<T: ?Sized + Serialize>(
            self,
            name: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<Vec<u8>, Error> {
            no(name)
        }

        fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
            no("sequence")
        }

        fn serialize_tuple_struct(
            self,
            name: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleStruct, Error> {
            no(name)
        }

        fn serialize_tuple_variant(
            self,
            name: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTupleVariant, Error> {
            no(name)
        }

        fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
            no("map")
        }

        fn serialize_struct(
            self,
            name: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStruct, Error> {
            no(name)
        }

        fn serialize_struct_variant(
            self,
            name: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeStructVariant, Error> {
            no(name)
        }
    }

    pub(super) struct Reader<'a>(pub(super) &'a [u8]);

    impl<'de> Deserializer<'de> for Reader<'_> {
        type Error = Error;

        fn is_human_readable(&self) -> bool {
            false
        }

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.visit_seq(SeqDeserializer::new(self.0.iter().copied()))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
            unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
            ignored_any
        }
    }
}
