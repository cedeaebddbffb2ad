//! Representations of IDs for serde's `with`, in every format alike.
//!
//! They are for fields only. serde applies `with` to a whole field, so the keys of a map are always
//! in the plain form.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::external::Representations;
use crate::external::serde::form::{Buffer, not_a_text, read_exactly};

/// Refuses what formats such as CSV and YAML make of unquoted texts.
macro_rules! refuse_unquoted {
    () => {
        fn visit_u64<E: de::Error>(self, value: u64) -> Result<T, E> {
            Err(not_a_text(Unexpected::Unsigned(value)))
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<T, E> {
            Err(not_a_text(Unexpected::Signed(value)))
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<T, E> {
            Err(not_a_text(Unexpected::Float(value)))
        }

        fn visit_bool<E: de::Error>(self, value: bool) -> Result<T, E> {
            Err(not_a_text(Unexpected::Bool(value)))
        }
    };
}

/// The two functions that serde's `with` calls, for IDs and, in `option`, for optional IDs.
macro_rules! with_module {
    ($(#[$doc:meta])* $name:ident, $form:ident: $($bound:tt)*) => {
        $(#[$doc])*
        pub mod $name {
            use super::*;

            /// Writes `id`.
            ///
            /// # Errors
            /// Returns the error of the serializer.
            pub fn serialize<T: Representations<$($bound)*>, S: Serializer>(
                id: &T,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $form(*id).serialize(serializer)
            }

            /// Reads an ID.
            ///
            /// # Errors
            /// Returns the deserializer's error, or the reason why the value read is not an ID.
            pub fn deserialize<'de, T: Representations<$($bound)*>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<T, D::Error> {
                $form::deserialize(deserializer).map(|form| form.0)
            }

            /// The same for an `Option`. Add `#[serde(default)]` if the field may be left out,
            /// because serde's `with` would otherwise require it.
            pub mod option {
                use super::*;

                /// Writes the ID, or `None`.
                ///
                /// # Errors
                /// Returns the error of the serializer.
                pub fn serialize<T: Representations<$($bound)*>, S: Serializer>(
                    id: &Option<T>,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    id.map($form).serialize(serializer)
                }

                /// Reads an ID, or `None`.
                ///
                /// # Errors
                /// Returns the deserializer's error, or the reason why the value read is not an ID.
                pub fn deserialize<'de, T: Representations<$($bound)*>, D: Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Option<T>, D::Error> {
                    let form = Option::<$form<T>>::deserialize(deserializer)?;
                    Ok(form.map(|form| form.0))
                }
            }
        }
    };
}

with_module! {
    /// For serde's `with`. The ID is written as its integer, also in human-readable formats.
    ///
    /// JavaScript rounds integers above 2^53, so use `serde_as_string` if it may read them.
    ///
    /// serde cannot buffer integers of 128 bits. Therefore, sno's IDs and kuid's global IDs return
    /// errors in fields that are flattened and in enums that are untagged or internally tagged.
    as_integer, Integer: Integer: Serialize + for<'any> Deserialize<'any>
}

with_module! {
    /// For serde's `with`. The ID is written as a string of its integer in decimal, for readers
    /// that cannot hold large integers, such as JavaScript.
    ///
    /// Signs and leading zeros are errors, so that every ID has one text.
    as_string, Decimal:
}

with_module! {
    /// For serde's `with`. The ID is written as its canonical text, also in binary formats.
    as_text, Text:
}

with_module! {
    /// For serde's `with`. The ID is written as a byte string, big-endian. Formats without byte
    /// strings, such as JSON, hold a list of numbers.
    as_bytes, Bytes:
}

struct Integer<T>(T);

impl<T: Representations<Integer: Serialize>> Serialize for Integer<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let integer: T::Integer = self.0.into();
        integer.serialize(serializer)
    }
}

impl<'de, T: Representations<Integer: Deserialize<'de>>> Deserialize<'de> for Integer<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let integer = T::Integer::deserialize(deserializer)?;
        T::try_from(integer).map(Self).map_err(de::Error::custom)
    }
}

struct Decimal<T>(T);

impl<T: Representations> Serialize for Decimal<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let integer: T::Integer = self.0.into();
        serializer.collect_str(&integer)
    }
}

impl<'de, T: Representations> Deserialize<'de> for Decimal<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_str(deserializer, DecimalVisitor(PhantomData)).map(Self)
    }
}

struct DecimalVisitor<T>(PhantomData<T>);

impl<T: Representations> Visitor<'_> for DecimalVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max): (T::Integer, T::Integer) = (T::MIN.into(), T::MAX.into());
        write!(f, "a string of decimal digits from {min} to {max}")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        let is_canonical = text.bytes().all(|byte| byte.is_ascii_digit())
            && (text.len() == 1 || !text.starts_with('0'));
        let integer = text.parse::<T::Integer>().ok().filter(|_| is_canonical);
        integer
            .and_then(|integer| T::try_from(integer).ok())
            .ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }

    refuse_unquoted!();
}

struct Text<T>(T);

impl<T: Representations> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de, T: Representations> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer).map(Self)
    }
}

/// Reads a string and parses it.
///
/// # Errors
/// Returns the error of the deserializer, which holds the parser's message if the string is not an
/// ID.
#[doc(hidden)]
pub fn deserialize_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    read_str(deserializer, TextVisitor(PhantomData))
}

/// Reads a string. From a buffer, it reads any type of value, so that `visitor` can say why a
/// number is refused.
fn read_str<'de, D: Deserializer<'de>, V: Visitor<'de>>(
    deserializer: D,
    visitor: V,
) -> Result<V::Value, D::Error> {
    match Buffer::of::<D>() {
        Some(_) => deserializer.deserialize_any(visitor),
        None => deserializer.deserialize_str(visitor),
    }
}

struct TextVisitor<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of an ID")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    refuse_unquoted!();
}

struct Bytes<T>(T);

impl<T: Representations> Serialize for Bytes<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: T::Bytes = self.0.into();
        serializer.serialize_bytes(bytes.as_ref())
    }
}

impl<'de, T: Representations> Deserialize<'de> for Bytes<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = BytesVisitor(PhantomData);
        if deserializer.is_human_readable() {
            // `deserialize_bytes` would accept a JSON string and return its bytes.
            deserializer.deserialize_any(visitor).map(Self)
        } else {
            deserializer.deserialize_bytes(visitor).map(Self)
        }
    }
}

struct BytesVisitor<T>(PhantomData<T>);

impl<'de, T: Representations> Visitor<'de> for BytesVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of a {}", T::Bytes::default().as_ref().len(), T::NAME)
    }

    fn visit_bytes<E: de::Error>(self, found: &[u8]) -> Result<T, E> {
        let mut bytes = T::Bytes::default();
        if found.len() != bytes.as_ref().len() {
            return Err(E::invalid_length(found.len(), &self));
        }
        bytes.as_mut().copy_from_slice(found);
        T::try_from(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, found: A) -> Result<T, A::Error> {
        let mut bytes = T::Bytes::default();
        read_exactly(bytes.as_mut(), found, &self)?;
        T::try_from(bytes).map_err(de::Error::custom)
    }
}
