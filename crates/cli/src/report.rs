//! What there is to say about one ID, and how it is written as JSON.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use tickid_core::UnixTime;

/// One ID, taken apart. Made to be filled again and again without allocating.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) scheme: &'static str,
    pub(crate) text: String,
    /// Big-endian.
    pub(crate) bytes: Vec<u8>,
    pub(crate) time: Option<UnixTime>,
    /// The scheme's own fields, in the order in which they are printed.
    pub(crate) fields: Vec<Field>,
    /// Names and widths of the bit fields, from the high end of the bytes.
    pub(crate) bits: Vec<(&'static str, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Number(i64),
    /// An integer that JavaScript would round: a string in JSON.
    BigNumber(u64),
    /// That many hexadecimal digits.
    Hex(u64, usize),
    Word(&'static str),
}

impl Report {
    /// Forgets the last ID.
    pub(crate) fn start(&mut self, scheme: &'static str, time: UnixTime, bytes: &[u8]) {
        self.scheme = scheme;
        self.time = Some(time);
        self.text.clear();
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.fields.clear();
        self.bits.clear();
    }

    pub(crate) fn field(&mut self, name: &'static str, value: Value) {
        self.fields.push(Field { name, value });
    }

    pub(crate) fn number(&mut self, name: &'static str, value: impl Into<i64>) {
        self.field(name, Value::Number(value.into()));
    }

    fn unix_ms(&self) -> Option<i64> {
        self.time.map(UnixTime::as_millis)
    }

    pub(crate) fn hex(&self) -> Hex<'_> {
        Hex(&self.bytes)
    }

    pub(crate) fn rfc3339(&self) -> Option<Rfc3339> {
        Rfc3339::new(self.time?)
    }

    /// Appends the report as a line of JSON.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        // Writing to memory can't fail, and nothing in a report refuses to be serialised.
        let written = serde_json::to_writer(&mut *out, self);
        debug_assert!(written.is_ok());
        out.push(b'\n');
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("scheme", self.scheme)?;
        map.serialize_entry("text", &self.text)?;
        map.serialize_entry("hex", &AsString(self.hex()))?;
        map.serialize_entry("unix_ms", &self.unix_ms())?;
        map.serialize_entry("time", &self.rfc3339().map(AsString))?;
        for Field { name, value } in &self.fields {
            match value {
                Value::Number(number) => map.serialize_entry(name, number)?,
                Value::Word(word) => map.serialize_entry(name, word)?,
                text @ (Value::BigNumber(_) | Value::Hex(..)) => {
                    map.serialize_entry(name, &AsString(text))?;
                }
            }
        }
        map.end()
    }
}

impl core::fmt::Display for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Self::Number(number) => number.fmt(f),
            Self::BigNumber(number) => number.fmt(f),
            Self::Hex(number, digits) => write!(f, "{number:0digits$x}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// What displays as it is to be quoted.
struct AsString<T>(T);

impl<T: core::fmt::Display> Serialize for AsString<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A time in UTC with milliseconds, as in `2024-02-29T12:34:56.789Z`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc3339(jiff::civil::DateTime);

impl Rfc3339 {
    /// `None` outside of the years 0 to 9999, for which RFC 3339 has no form.
    pub(crate) fn new(time: UnixTime) -> Option<Self> {
        let whole_millis = time.as_millis().checked_mul(1_000)?;
        let since_1970 = jiff::SignedDuration::from_micros(whole_millis);
        let unix_epoch = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
        let date = unix_epoch.checked_add(since_1970).ok()?;
        (date.year() >= 0).then_some(Self(date))
    }
}

impl core::fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:.3}Z", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_end_with_the_year_9999() {
        let shown = |micros| Rfc3339::new(UnixTime::from_micros(micros)).map(|t| t.to_string());
        assert_eq!(shown(0).unwrap(), "1970-01-01T00:00:00.000Z");
        assert_eq!(shown(-1).unwrap(), "1969-12-31T23:59:59.999Z");
        assert_eq!(shown(1_709_210_096_789_999).unwrap(), "2024-02-29T12:34:56.789Z");
        assert_eq!(shown(253_402_300_799_999_000).unwrap(), "9999-12-31T23:59:59.999Z");
        assert_eq!(shown(253_402_300_800_000_000), None);
        assert_eq!(shown(-62_167_219_200_000_000).unwrap(), "0000-01-01T00:00:00.000Z");
        assert_eq!(shown(-62_167_219_200_000_001), None);
        assert_eq!(shown(i64::MAX), None);
        assert_eq!(shown(i64::MIN), None);
    }

    #[test]
    fn json_keeps_the_order_and_quotes_what_javascript_would_round() {
        let mut report = Report::default();
        report.start("test", UnixTime::from_micros(1_500), &[0xca, 0xfe]);
        report.text.push_str("abc");
        report.number("small", 7);
        report.field("big", Value::BigNumber(u64::MAX));
        report.field("node", Value::Hex(0x2a, 8));
        report.field("kind", Value::Word("local"));
        let mut json = Vec::new();
        report.write_json(&mut json);
        assert_eq!(
            String::from_utf8(json).unwrap(),
            "{\"scheme\":\"test\",\"text\":\"abc\",\"hex\":\"cafe\",\"unix_ms\":1,\
             \"time\":\"1970-01-01T00:00:00.001Z\",\"small\":7,\"big\":\"18446744073709551615\",\
             \"node\":\"0000002a\",\"kind\":\"local\"}\n"
        );
    }
}
