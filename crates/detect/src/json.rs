//! Inspections as maps: with serde, and as JSON.

use core::fmt::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use tickid_convert::Bits;

use crate::confidence::{Confidence, Doubt};
use crate::inspection::{IdHex, Inspection, MemberValue, of_setting};

/// The names of members that formats may have themselves.
const NODE: &str = "node";
const SEQUENCE: &str = "sequence";

/// The value of a member of the map.
enum Entry<'a> {
    Null,
    /// Without a character that JSON has an escape for.
    Text(&'a str),
    /// Any text, as a program gave it.
    Given(&'a str),
    Number(i64),
    Unsigned(u64),
    Displayed(&'a dyn fmt::Display),
}

impl<'a> From<Option<&'a str>> for Entry<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Null, Self::Text)
    }
}

impl From<Option<Bits>> for Entry<'_> {
    fn from(bits: Option<Bits>) -> Self {
        bits.map_or(Self::Null, |bits| Self::Unsigned(bits.value()))
    }
}

impl Inspection<'_> {
    /// Writes the inspection as a JSON object, in pieces, as serde_json does. It is faster, because
    /// the names of members need no escapes.
    ///
    /// # Examples
    /// ```
    /// let found = tickid_detect::inspect("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    /// let first = found.first().ok_or("no known format")?;
    /// let mut json = Vec::new();
    /// first.write_json(|piece| json.extend_from_slice(piece));
    /// assert_eq!(json, serde_json::to_vec(&first)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_json(&self, out: impl FnMut(&[u8])) {
        let mut out = Pieces(out);
        let mut start: &[u8] = b"{\"";
        let Ok(()) = self.for_each_entry(|name, entry| {
            out.0(start);
            start = b",\"";
            out.0(name.as_bytes());
            out.0(b"\":");
            entry.write_json(&mut out);
            Ok::<(), core::convert::Infallible>(())
        });
        out.0(b"}");
    }

    /// Calls a function with each member of the map.
    #[inline]
    fn for_each_entry<E>(
        &self,
        mut call: impl FnMut(&'static str, Entry<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        call("scheme", Entry::Text(self.format().key()))?;
        call("text", Entry::Given(self.text()))?;
        self.with_hex(|hex| call("hex", Entry::Text(hex)))?;
        // Both or neither, so that a program that finds one can rely on the other.
        match (self.unix_time(), self.date_time()) {
            (Some(time), Some(date_time)) => {
                call("unix_ms", Entry::Number(time.as_millis()))?;
                call("time", Entry::Displayed(&date_time))?;
            }
            _ => {
                call("unix_ms", Entry::Null)?;
                call("time", Entry::Null)?;
            }
        }
        if let Some(integer) = self.integer() {
            call("int", Entry::Text(tickid_text::decimal::encode(integer).as_str()))?;
        }
        for setting in self.settings().iter() {
            let member = of_setting(setting);
            with_value(member.value, |value| call(member.name, value))?;
        }
        // The names that all formats have are written once.
        let (mut has_node, mut has_sequence) = (false, false);
        for member in self.field_members() {
            with_value(member.value, |value| call(member.name, value))?;
            has_node |= member.name == NODE;
            has_sequence |= member.name == SEQUENCE;
        }
        if !has_node || !has_sequence {
            let (node, sequence) = self.node_and_sequence();
            if !has_node {
                call(NODE, node.into())?;
            }
            if !has_sequence {
                call(SEQUENCE, sequence.into())?;
            }
        }
        if self.is_carried() {
            call("carried_in", Entry::Text("uuid"))?;
        }
        call("confidence", self.confidence().map(Confidence::name).into())?;
        if let Some(reason) = self.reason() {
            call("reason", Entry::Text(reason))?;
        }
        if let Some(doubt) = self.doubt() {
            call("doubt", Entry::Text(Doubt::reason(doubt)))?;
        }
        Ok(())
    }
}

/// Calls a function with the value of a member.
#[inline]
fn with_value<T>(value: MemberValue, call: impl FnOnce(Entry<'_>) -> T) -> T {
    match value {
        MemberValue::Number(number) => call(Entry::Number(number)),
        MemberValue::Word(word) => call(Entry::Text(word)),
        MemberValue::Hex(number, len) => {
            let bytes = number.to_be_bytes();
            let low = bytes.get(bytes.len().saturating_sub(len)..).unwrap_or_default();
            call(Entry::Text(IdHex::new(low).as_str()))
        }
    }
}

impl Entry<'_> {
    #[inline]
    fn write_json(&self, out: &mut Pieces<impl FnMut(&[u8])>) {
        match *self {
            Self::Null => out.0(b"null"),
            Self::Text(text) => {
                debug_assert!(!text.bytes().any(is_special), "{text}");
                out.0(b"\"");
                out.0(text.as_bytes());
                out.0(b"\"");
            }
            Self::Given(text) => {
                out.0(b"\"");
                write_escaped(text, out);
                out.0(b"\"");
            }
            Self::Number(number) => {
                if number < 0 {
                    out.0(b"-");
                }
                write_number(number.unsigned_abs(), out);
            }
            Self::Unsigned(number) => write_number(number, out),
            Self::Displayed(value) => {
                // Pieces take everything.
                let _ = write!(out, "\"{value}\"");
            }
        }
    }
}

/// The pieces of a text, which go to a function.
struct Pieces<F>(F);

impl<F: FnMut(&[u8])> Write for Pieces<F> {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0(text.as_bytes());
        Ok(())
    }
}

/// Writes decimal digits. Most numbers here have few.
#[inline]
fn write_number(mut number: u64, out: &mut Pieces<impl FnMut(&[u8])>) {
    let mut digits = [b'0'; 20];
    let mut len = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
        len += 1;
        if number == 0 {
            break;
        }
    }
    out.0(digits.get(digits.len() - len..).unwrap_or_default());
}

/// Reports whether a byte has an escape in JSON.
const fn is_special(byte: u8) -> bool {
    matches!(byte, ..b' ' | b'"' | b'\\')
}

/// Writes a text with the escapes that it needs in JSON. Those of IDs need none.
#[inline]
fn write_escaped(text: &str, out: &mut Pieces<impl FnMut(&[u8])>) {
    // Without a way out, so that many bytes are compared at once.
    if !text.bytes().fold(false, |is_any, byte| is_any | is_special(byte)) {
        return out.0(text.as_bytes());
    }
    for character in text.chars() {
        // Pieces take everything.
        let _ = match character {
            '"' | '\\' => write!(out, "\\{character}"),
            '\0'..='\x1f' => write!(out, "\\u{:04x}", u32::from(character)),
            _ => out.write_char(character),
        };
    }
}

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Null => serializer.serialize_none(),
            Self::Text(text) | Self::Given(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_i64(number),
            Self::Unsigned(number) => serializer.serialize_u64(number),
            Self::Displayed(value) => serializer.collect_str(value),
        }
    }
}

impl Serialize for MemberValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_value(*self, |value| value.serialize(serializer))
    }
}

impl Serialize for Inspection<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.for_each_entry(|name, entry| map.serialize_entry(name, &entry))?;
        map.end()
    }
}

/// A value that is serialized as it is displayed.
pub(crate) struct Displayed<T>(pub(crate) T);

impl<T: fmt::Display> Serialize for Displayed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use tickid_convert::{Layouts, Uuid};

    use super::*;
    use crate::identifier::Identifier;

    /// Texts of IDs need no escapes, and those that a program gives may.
    #[test]
    fn json_is_that_of_serde() {
        for text in ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "a\"b\\c", "\0\u{1f}\u{7f}", "größe ", ""] {
            let id = Identifier::TypeId { uuid: Uuid::nil(), prefix_len: 0 };
            let inspection = Inspection::new(id, text, &Layouts::default());
            let mut json = Vec::new();
            inspection.write_json(|piece| json.extend_from_slice(piece));
            let found: serde_json::Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(found["text"], text);
            assert_eq!(found, serde_json::to_value(inspection).unwrap());
        }
    }
}
