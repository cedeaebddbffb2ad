//! A minimal binary serde format, which is not human-readable and keeps its [`Document`]s in
//! memory.

use core::fmt::Display;

use serde::de::value::{Error, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::ser::{Impossible, Serialize, SerializeTuple, Serializer};

/// A number of a type that IDs are made of, or a tuple of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// One byte.
    U8(u8),
    /// 32 bits.
    U32(u32),
    /// 64 bits.
    U64(u64),
    /// 64 bits with a sign.
    I64(i64),
    /// A tuple. The format does not write its length.
    Tuple(Vec<Self>),
    /// Text, which is only read, by types that should reject it.
    Text(&'static str),
}

impl Document {
    /// A tuple of bytes.
    #[must_use]
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::Tuple(bytes.iter().copied().map(Self::U8).collect())
    }
}

/// Writes `value` in the binary format.
///
/// # Errors
/// Returns an error if `value` has a part that a [`Document`] cannot hold.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<Document, Error> {
    value.serialize(Writer)
}

/// Reads a value from `document`.
///
/// # Errors
/// Returns the errors of `T`, and an error if `T` leaves a part of the document unread.
pub fn read<T: for<'de> Deserialize<'de>>(document: Document) -> Result<T, Error> {
    T::deserialize(document)
}

impl<'de> Deserializer<'de> for Document {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::U8(value) => visitor.visit_u8(value),
            Self::U32(value) => visitor.visit_u32(value),
            Self::U64(value) => visitor.visit_u64(value),
            Self::I64(value) => visitor.visit_i64(value),
            Self::Text(text) => visitor.visit_str(text),
            Self::Tuple(elements) => {
                let mut elements = SeqDeserializer::new(elements.into_iter());
                let value = visitor.visit_seq(&mut elements)?;
                elements.end()?;
                Ok(value)
            }
        }
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

impl IntoDeserializer<'_> for Document {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Writer;

/// A tuple with as many elements as were announced.
struct Tuple {
    elements: Vec<Document>,
    len: usize,
}

impl SerializeTuple for Tuple {
    type Ok = Document;
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.elements.push(value.serialize(Writer)?);
        Ok(())
    }

    fn end(self) -> Result<Document, Error> {
        if self.elements.len() == self.len {
            Ok(Document::Tuple(self.elements))
        } else {
            refused("a tuple of another length")
        }
    }
}

fn refused<T>(what: impl Display) -> Result<T, Error> {
    Err(Error::custom(format_args!("not part of this format: {what}")))
}

/// Methods for everything that a document does not hold.
macro_rules! refuse {
    ($($method:ident $(<$t:ident>)? ($($argument:ty),*) -> $ok:ty;)*) => {$(
        fn $method$(<$t: Serialize + ?Sized>)?(self, $(_: $argument),*) -> Result<$ok, Error> {
            refused(stringify!($method))
        }
    )*};
}

impl Serializer for Writer {
    type Ok = Document;
    type Error = Error;
    type SerializeSeq = Impossible<Document, Error>;
    type SerializeTuple = Tuple;
    type SerializeTupleStruct = Impossible<Document, Error>;
    type SerializeTupleVariant = Impossible<Document, Error>;
    type SerializeMap = Impossible<Document, Error>;
    type SerializeStruct = Impossible<Document, Error>;
    type SerializeStructVariant = Impossible<Document, Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_u8(self, value: u8) -> Result<Document, Error> {
        Ok(Document::U8(value))
    }

    fn serialize_u32(self, value: u32) -> Result<Document, Error> {
        Ok(Document::U32(value))
    }

    fn serialize_u64(self, value: u64) -> Result<Document, Error> {
        Ok(Document::U64(value))
    }

    fn serialize_i64(self, value: i64) -> Result<Document, Error> {
        Ok(Document::I64(value))
    }

    fn serialize_tuple(self, len: usize) -> Result<Tuple, Error> {
        Ok(Tuple { elements: Vec::with_capacity(len), len })
    }

    refuse! {
        serialize_bool(bool) -> Document;
        serialize_i8(i8) -> Document;
        serialize_i16(i16) -> Document;
        serialize_i32(i32) -> Document;
        serialize_u16(u16) -> Document;
        serialize_f32(f32) -> Document;
        serialize_f64(f64) -> Document;
        serialize_char(char) -> Document;
        serialize_str(&str) -> Document;
        serialize_bytes(&[u8]) -> Document;
        serialize_none() -> Document;
        serialize_some<T>(&T) -> Document;
        serialize_unit() -> Document;
        serialize_unit_struct(&'static str) -> Document;
        serialize_unit_variant(&'static str, u32, &'static str) -> Document;
        serialize_newtype_struct<T>(&'static str, &T) -> Document;
        serialize_newtype_variant<T>(&'static str, u32, &'static str, &T) -> Document;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for (value, document) in [(7, Document::U64(7)), (u64::MAX, Document::U64(u64::MAX))] {
            assert_eq!(write(&value), Ok(document.clone()));
            assert_eq!(read(document), Ok(value));
        }
        assert_eq!(write(&-7_i64), Ok(Document::I64(-7)));
        assert_eq!(write(&[1_u8, 2, 3]), Ok(Document::bytes(&[1, 2, 3])));
        assert_eq!(read(Document::bytes(&[1, 2, 3])), Ok([1_u8, 2, 3]));
    }

    #[test]
    fn other_types_are_refused() {
        for bytes in [&[1, 2][..], &[1, 2, 3, 4]] {
            assert!(read::<[u8; 3]>(Document::bytes(bytes)).is_err());
        }
        assert!(write("text").is_err());
        assert!(write(&Some(1_u8)).is_err());
        assert!(write(&vec![1_u8]).is_err());
    }
}
