//! The original's JSON of snapshots.
//!
//! It is written by hand, because `serde_derive` takes longer to compile than this crate, and a
//! program with serde may not need it otherwise.

use core::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::GeneratorSnapshot;

/// Implements both directions for the fields, in the order of formats that write no names.
macro_rules! fields {
    ($($field:ident: $name:literal,)*) => {
        const FIELDS: &[&str] = &[$($name),*];

        impl Serialize for GeneratorSnapshot {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut fields = serializer.serialize_struct(NAME, FIELDS.len())?;
                $(fields.serialize_field($name, &self.$field)?;)*
                fields.end()
            }
        }

        impl<'de> Visitor<'de> for SnapshotVisitor {
            type Value = GeneratorSnapshot;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a snapshot of a sno generator")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                $(let mut $field = None;)*
                while let Some(FieldName(name)) = map.next_key()? {
                    match name {
                        $($name if $field.is_some() => return Err(A::Error::duplicate_field($name)),
                        $name => $field = Some(map.next_value()?),)*
                        // `FieldName` has no other.
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(GeneratorSnapshot {
                    $($field: $field.ok_or_else(|| A::Error::missing_field($name))?,)*
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut found = 0..;
                Ok(GeneratorSnapshot {
                    $($field: {
                        let len = found.next().unwrap_or_default();
                        let value = seq.next_element()?;
                        value.ok_or_else(|| A::Error::invalid_length(len, &self))?
                    },)*
                })
            }
        }
    };
}

fields! {
    partition: "partition",
    sequence_min: "sequenceMin",
    sequence_max: "sequenceMax",
    sequence: "sequence",
    now: "now",
    wall_hi: "wallHi",
    wall_safe: "wallSafe",
    drifts: "drifts",
}

/// The name of the struct, for formats that write it.
const NAME: &str = "GeneratorSnapshot";

struct SnapshotVisitor;

impl<'de> Deserialize<'de> for GeneratorSnapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(NAME, FIELDS, SnapshotVisitor)
    }
}

/// One of [`FIELDS`].
struct FieldName(&'static str);

impl<'de> Deserialize<'de> for FieldName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldVisitor;

        impl Visitor<'_> for FieldVisitor {
            type Value = FieldName;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field of a snapshot")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<FieldName, E> {
                let field = FIELDS.iter().find(|field| **field == name);
                field.map(|field| FieldName(field)).ok_or_else(|| E::unknown_field(name, FIELDS))
            }

            // Some formats write names as bytes, or number the fields.
            fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<FieldName, E> {
                let text = core::str::from_utf8(name);
                let text = text.map_err(|_| E::invalid_value(Unexpected::Bytes(name), &self))?;
                self.visit_str(text)
            }

            fn visit_u64<E: Error>(self, place: u64) -> Result<FieldName, E> {
                let field = usize::try_from(place).ok().and_then(|place| FIELDS.get(place));
                let unexpected = || E::invalid_value(Unexpected::Unsigned(place), &self);
                field.map(|field| FieldName(field)).ok_or_else(unexpected)
            }
        }

        deserializer.deserialize_identifier(FieldVisitor)
    }
}
