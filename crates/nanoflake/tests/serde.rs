//! IDs are text to formats for people and integers to formats for machines.

#![cfg(feature = "serde")]

use core::fmt::Display;

use serde::de::value::{Error, I64Deserializer};
use serde::de::{Deserializer, IntoDeserializer as _, Visitor};
use serde::ser::{Impossible, Serializer};
use serde::{Deserialize as _, Serialize};
use tickid_nanoflake::NanoflakeId;

#[test]
fn json_holds_the_canonical_text() {
    let id = NanoflakeId::new(1_541_815_603_606_036_480).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"bppc0m3ju134\"");
    for text in ["\"bppc0m3ju134\"", "\"0BPPC0M3JU134\""] {
        assert_eq!(serde_json::from_str::<NanoflakeId>(text).unwrap(), id);
    }
}

#[test]
fn json_that_is_no_text_of_an_id_is_an_error_that_says_why() {
    let cases = [
        ("\"00\"", "'0' at position 0"),
        ("\"1y2p0ij32e8e8\"", "is above 9223372036854775807"),
        ("7", "the text of an ID"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<NanoflakeId>(json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn binary_formats_hold_the_integer() {
    for value in [0, 1, 1_541_815_603_606_036_480, i64::MAX] {
        let id = NanoflakeId::new(value).unwrap();
        assert_eq!(id.serialize(Binary).unwrap(), value);
        assert_eq!(NanoflakeId::deserialize(BinaryInput(value)).unwrap(), id);
    }
    let error = NanoflakeId::deserialize(BinaryInput(-1)).unwrap_err();
    let expected = "Nanoflake integer -1 is outside of 0..=9223372036854775807";
    assert_eq!(error.to_string(), expected);
}

/// A binary format whose documents are one `i64`.
struct Binary;
struct BinaryInput(i64);

impl<'de> Deserializer<'de> for BinaryInput {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let integer: I64Deserializer<Error> = self.0.into_deserializer();
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

/// Methods of [`Binary`] for everything that is no `i64`.
macro_rules! refuse {
    ($($method:ident($($argument:ty),*) -> $ok:ty;)*) => {$(
        fn $method(self, $(_: $argument),*) -> Result<$ok, Error> {
            Err(serde::ser::Error::custom(stringify!($method)))
        }
    )*};
}

impl Serializer for Binary {
    type Ok = i64;
    type Error = Error;
    type SerializeSeq = Impossible<i64, Error>;
    type SerializeTuple = Impossible<i64, Error>;
    type SerializeTupleStruct = Impossible<i64, Error>;
    type SerializeTupleVariant = Impossible<i64, Error>;
    type SerializeMap = Impossible<i64, Error>;
    type SerializeStruct = Impossible<i64, Error>;
    type SerializeStructVariant = Impossible<i64, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_i64(self, value: i64) -> Result<i64, Error> {
        Ok(value)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<i64, Error> {
        Err(serde::ser::Error::custom("some"))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: &T,
    ) -> Result<i64, Error> {
        Err(serde::ser::Error::custom(name))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<i64, Error> {
        Err(serde::ser::Error::custom(name))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<i64, Error> {
        Err(serde::ser::Error::custom(value))
    }

    refuse! {
        serialize_bool(bool) -> i64;
        serialize_i8(i8) -> i64;
        serialize_i16(i16) -> i64;
        serialize_i32(i32) -> i64;
        serialize_u8(u8) -> i64;
        serialize_u16(u16) -> i64;
        serialize_u32(u32) -> i64;
        serialize_u64(u64) -> i64;
        serialize_f32(f32) -> i64;
        serialize_f64(f64) -> i64;
        serialize_char(char) -> i64;
        serialize_str(&str) -> i64;
        serialize_bytes(&[u8]) -> i64;
        serialize_none() -> i64;
        serialize_unit() -> i64;
        serialize_unit_struct(&'static str) -> i64;
        serialize_unit_variant(&'static str, u32, &'static str) -> i64;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
