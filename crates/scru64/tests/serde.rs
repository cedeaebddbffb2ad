//! IDs are text to formats for people and integers to formats for machines.

#![cfg(feature = "serde")]

use core::fmt::Display;

use serde::de::value::{Error, U64Deserializer};
use serde::de::{Deserializer, IntoDeserializer as _, Visitor};
use serde::ser::{Impossible, Serializer};
use serde::{Deserialize as _, Serialize};
use tickid_scru64::Scru64Id;

#[test]
fn json_holds_the_canonical_text() {
    let id = Scru64Id::new(110_009_624_767_914_842).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"0u375nxqh5cq\"");
    for text in ["\"0u375nxqh5cq\"", "\"0U375NXQH5CQ\""] {
        assert_eq!(serde_json::from_str::<Scru64Id>(text).unwrap(), id);
    }
}

#[test]
fn json_that_is_no_text_of_an_id_is_an_error_that_says_why() {
    let cases = [
        ("\"0u375nxqh5c\"", "11 bytes long, not 12"),
        ("\"0u375nxqh5c-\"", "'-' at position 11"),
        ("7", "the text of an ID"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<Scru64Id>(json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn binary_formats_hold_the_integer() {
    for id in [Scru64Id::MIN, Scru64Id::MAX] {
        assert_eq!(id.serialize(Binary).unwrap(), id.get());
        let input = BinaryInput(id.get());
        assert_eq!(Scru64Id::deserialize(input).unwrap(), id);
    }
    let error = Scru64Id::deserialize(BinaryInput(36_u64.pow(12))).unwrap_err();
    let expected = "SCRU64 integer 4738381338321616896 is outside of 0..=4738381338321616895";
    assert_eq!(error.to_string(), expected);
}

/// A binary format whose documents are one `u64`.
struct Binary;
struct BinaryInput(u64);

impl<'de> Deserializer<'de> for BinaryInput {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let integer: U64Deserializer<Error> = self.0.into_deserializer();
        integer.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

/// Methods of [`Binary`] for everything that is no `u64`.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$ok, Error> {
            Err(serde::ser::Error::custom(stringify!($method)))
        }
    )*};
}

impl Serializer for Binary {
    type Ok = u64;
    type Error = Error;
    type SerializeSeq = Impossible<u64, Error>;
    type SerializeTuple = Impossible<u64, Error>;
    type SerializeTupleStruct = Impossible<u64, Error>;
    type SerializeTupleVariant = Impossible<u64, Error>;
    type SerializeMap = Impossible<u64, Error>;
    type SerializeStruct = Impossible<u64, Error>;
    type SerializeStructVariant = Impossible<u64, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_u64(self, value: u64) -> Result<u64, Error> {
        Ok(value)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<u64, Error> {
        Err(serde::ser::Error::custom("some"))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: &T,
    ) -> Result<u64, Error> {
        Err(serde::ser::Error::custom(name))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<u64, Error> {
        Err(serde::ser::Error::custom(name))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<u64, Error> {
        Err(serde::ser::Error::custom(value))
    }

    refuse! {
        serialize_bool(bool) -> u64;
        serialize_i8(i8) -> u64;
        serialize_i16(i16) -> u64;
        serialize_i32(i32) -> u64;
        serialize_u8(u8) -> u64;
        serialize_u16(u16) -> u64;
        serialize_u32(u32) -> u64;
        serialize_i64(i64) -> u64;
        serialize_f32(f32) -> u64;
        serialize_f64(f64) -> u64;
        serialize_char(char) -> u64;
        serialize_str(&str) -> u64;
        serialize_bytes(&[u8]) -> u64;
        serialize_none() -> u64;
        serialize_unit() -> u64;
        serialize_unit_struct(&'static str) -> u64;
        serialize_unit_variant(&'static str, u32, &'static str) -> u64;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
