//! Inspections as maps, with serde.

use core::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use tickid_convert::Bits;
use tickid_core::UnixTime;

use crate::confidence::Confidence;
use crate::inspection::{IdHex, Inspection, MemberValue, date_time};

/// The names of members that formats may have themselves.
const NODE: &str = "node";
const SEQUENCE: &str = "sequence";

impl Inspection<'_> {
    /// Serializes the members into a map that may have further ones, such as the number of a line.
    ///
    /// # Errors
    /// Returns the serializer's error.
    pub fn serialize_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("scheme", self.format().key())?;
        map.serialize_entry("text", self.text())?;
        self.with_hex(|hex| map.serialize_entry("hex", hex))?;
        let time = self.unix_time();
        map.serialize_entry("unix_ms", &time.map(UnixTime::as_millis))?;
        map.serialize_entry("time", &time.and_then(date_time).map(Displayed))?;
        if let Some(integer) = self.integer() {
            map.serialize_entry("int", tickid_text::decimal::encode(integer).as_str())?;
        }
        // The names that all formats have are written once.
        let (mut has_node, mut has_sequence) = (false, false);
        // Not `members`, whose iterator is moved with all fields in it.
        let fields = self.fields();
        let of_fields = fields.iter().filter_map(|field| self.of_field(field));
        for member in self.of_settings().chain(of_fields) {
            map.serialize_entry(member.name, &member.value)?;
            has_node |= member.name == NODE;
            has_sequence |= member.name == SEQUENCE;
        }
        if !has_node || !has_sequence {
            let (node, sequence) = self.node_and_sequence();
            if !has_node {
                map.serialize_entry(NODE, &node.map(Bits::value))?;
            }
            if !has_sequence {
                map.serialize_entry(SEQUENCE, &sequence.map(Bits::value))?;
            }
        }
        if self.is_carried() {
            map.serialize_entry("carried_in", "uuid")?;
        }
        map.serialize_entry("confidence", &self.confidence().map(Confidence::name))?;
        if let Some(reason) = self.reason() {
            map.serialize_entry("reason", reason)?;
        }
        if let Some(doubt) = self.doubt() {
            map.serialize_entry("doubt", doubt.reason())?;
        }
        Ok(())
    }
}

impl Serialize for Inspection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_members(&mut map)?;
        map.end()
    }
}

impl Serialize for MemberValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Number(number) => serializer.serialize_i64(number),
            Self::Word(word) => serializer.serialize_str(word),
            Self::Hex(number, len) => {
                let bytes = number.to_be_bytes();
                let low = bytes.get(bytes.len().saturating_sub(len)..).unwrap_or_default();
                serializer.serialize_str(IdHex::new(low).as_str())
            }
        }
    }
}

/// A value that is serialized as it is displayed.
pub(crate) struct Displayed<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Displayed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
