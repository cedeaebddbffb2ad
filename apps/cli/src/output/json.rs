//! Objects of JSON, one per line, of names and values that need no escape.
//!
//! `serde_json` looks for characters to escape in each byte of each name and value, which took a
//! quarter of all time. Names need none here, and values are looked at in one go. What is no plain
//! text or integer is still left to it.

use core::fmt::Display;
use std::io::Write as _;

use serde::ser::{Error as _, Impossible, Serialize, SerializeMap, Serializer};
use serde_json::Error;

/// An object that is written to a buffer.
pub(crate) struct JsonMap<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> JsonMap<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }
}

impl SerializeMap for JsonMap<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: ?Sized + Serialize>(&mut self, key: &T) -> Result<(), Error> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        key.serialize(Scalar { out: self.out, is_name: true })
    }

    fn serialize_value<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        value.serialize(Scalar { out: self.out, is_name: false })
    }

    fn end(self) -> Result<(), Error> {
        self.out.push(b'}');
        Ok(())
    }
}

/// The name or the value of a member.
struct Scalar<'a> {
    out: &'a mut Vec<u8>,
    is_name: bool,
}

/// Reports whether a text has no character that JSON escapes.
fn is_plain(text: &[u8]) -> bool {
    text.iter().fold(true, |is, byte| is & (*byte >= b' ') & (*byte != b'"') & (*byte != b'\\'))
}

/// Leaves values of these types to `serde_json`.
macro_rules! left {
    ($($method:ident($Type:ty);)+) => {
        $(fn $method(self, value: $Type) -> Result<(), Error> {
            serde_json::to_writer(self.out, &value)
        })+
    };
}

/// The error for a value that no member has.
fn no_scalar<T>() -> Result<T, Error> {
    Err(Error::custom("a member is no text, number or null"))
}

impl Serializer for Scalar<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        debug_assert!(!self.is_name || is_plain(text.as_bytes()), "the name {text}");
        if !self.is_name && !is_plain(text.as_bytes()) {
            return serde_json::to_writer(self.out, text);
        }
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
        Ok(())
    }

    fn collect_str<T: ?Sized + Display>(self, value: &T) -> Result<(), Error> {
        let start = self.out.len();
        self.out.push(b'"');
        write!(self.out, "{value}").map_err(Error::io)?;
        if is_plain(&self.out[start + 1..]) {
            self.out.push(b'"');
            return Ok(());
        }
        self.out.truncate(start);
        serde_json::to_writer(self.out, &value.to_string())
    }

    fn serialize_i64(self, number: i64) -> Result<(), Error> {
        self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        Ok(())
    }

    fn serialize_u64(self, number: u64) -> Result<(), Error> {
        self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.out.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    left! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.serialize_none()
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        no_scalar()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        no_scalar()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Error> {
        no_scalar()
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        no_scalar()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        no_scalar()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        no_scalar()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        no_scalar()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        no_scalar()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        no_scalar()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        no_scalar()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        no_scalar()
    }
}

#[cfg(test)]
mod tests {
    use tickid_convert::Settings;
    use tickid_detect::{Format, Inspection, detect};

    use super::*;

    /// Writes the members to an object.
    fn written(members: &[(&str, &serde_json::Value)]) -> String {
        let mut out = Vec::new();
        let mut map = JsonMap::new(&mut out);
        for (name, value) in members {
            // As scalars, of which a value of serde_json's is one.
            map.serialize_entry(name, value).unwrap();
        }
        map.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_as_serde_json_writes_them() {
        let long = "a".repeat(100);
        for text in ["", "a", "\"", "\\", "a\"b", "\u{1f}", "\n", "\u{7f}", "größe", "  ", &long]
        {
            let value = serde_json::Value::from(text);
            assert_eq!(written(&[("text", &value)]), format!("{{\"text\":{value}}}"));
            let mut out = Vec::new();
            Scalar { out: &mut out, is_name: false }.collect_str(text).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
        let values = [
            i64::MIN.into(),
            (-1).into(),
            0.into(),
            u64::MAX.into(),
            true.into(),
            1.5.into(),
            serde_json::Value::Null,
        ];
        for value in values {
            let expected = format!("{{\"a\":{value},\"b\":{value}}}");
            assert_eq!(written(&[("a", &value), ("b", &value)]), expected);
        }
        let mut out = Vec::new();
        let list = JsonMap::new(&mut out).serialize_value(&[1, 2]);
        assert!(list.unwrap_err().to_string().contains("no text, number or null"));
    }

    /// Of each format, so that no name or value of one is written otherwise.
    #[test]
    fn inspections_are_as_serde_json_writes_them() {
        let mut formats = Vec::new();
        for text in [
            "0u375nxqh5cq",
            "1541815603606036480",
            "175928847299117063",
            "85899362520678400",
            ".5.tXVEf8n8vPN.0",
            "brpk4q72xwf2m63l",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "0ujtsYcgvSTl8PAuAdqWYSMnLOv",
            "9m4e2mr0ui3e8a215n4g",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
            "4e6f2160-a0ff-89a0-a840-cc0001c70745",
            "c232ab00-9414-11ec-b3c8-9f6bdeced846",
            "user_01j1hzw2p7es59rpw0qfqnr7bc",
            "507f1f77bcf86cd799439011",
            "3jzfcijpj2z2a",
            "DCxKq0ZSWd9",
            "0SAP8B87801C2",
            "1763353455",
        ] {
            let settings = Settings::default();
            let found = detect(text.as_bytes(), &settings, None);
            for one in found.iter() {
                let inspection = Inspection::of(one, text, &settings);
                let mut out = Vec::new();
                let mut map = JsonMap::new(&mut out);
                inspection.serialize_members(&mut map).unwrap();
                map.end().unwrap();
                let expected = serde_json::to_string(&inspection).unwrap();
                assert_eq!(String::from_utf8(out).unwrap(), expected);
                formats.push(one.format());
            }
        }
        // Twitter's are Nanoflakes, and no layout is given.
        let missing = Format::ALL.iter().filter(|format| !formats.contains(format));
        assert!(missing.eq(&[Format::Snowflake, Format::Twitter]));
    }
}
