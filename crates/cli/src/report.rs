//! The facts about one ID, and their form in JSON.

use core::fmt::{self, Write as _};

use jiff::civil::{DateTime, date};
use jiff::fmt::temporal::DateTimePrinter;
use tickid_convert::{Candidate, Plausibility};
use tickid_core::UnixTime;

use crate::json::Object;

/// One ID, taken apart. Made to be filled again and again without allocating.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) scheme: &'static str,
    pub(crate) text: Vec<u8>,
    /// Big-endian.
    pub(crate) bytes: Vec<u8>,
    pub(crate) time: Option<UnixTime>,
    /// The scheme's own fields, in the order in which they are printed.
    pub(crate) fields: Vec<(&'static str, Value)>,
    /// Names and widths of the bit fields, from the high end of the bytes.
    pub(crate) bits: Vec<(&'static str, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Number(i64),
    /// An integer that JavaScript would round: a string in JSON.
    BigNumber(u64),
    /// That many low bytes, as hexadecimal digits.
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
        self.fields.push((name, value));
    }

    pub(crate) fn number(&mut self, name: &'static str, value: impl Into<i64>) {
        self.field(name, Value::Number(value.into()));
    }

    pub(crate) fn hex(&self) -> Hex<'_> {
        Hex(&self.bytes)
    }

    /// Appends the report as a line of JSON.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        let mut object = Object::open(out);
        object.string("scheme", self.scheme.as_bytes());
        object.string("text", &self.text);
        object.string("hex", self.hex().digits(&mut [0; _]));
        write_time(self.time, &mut object);
        for &(name, value) in &self.fields {
            match value {
                Value::Number(number) => object.number(name, number),
                Value::BigNumber(number) => {
                    object.string(name, itoa::Buffer::new().format(number).as_bytes());
                }
                Value::Hex(number, len) => {
                    object.string(name, Hex::low(&number.to_be_bytes(), len).digits(&mut [0; _]));
                }
                Value::Word(word) => object.string(name, word.as_bytes()),
            }
        }
        object.close();
        out.push(b'\n');
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Number(number) => number.fmt(f),
            Self::BigNumber(number) => number.fmt(f),
            Self::Hex(number, len) => Hex::low(&number.to_be_bytes(), len).fmt(f),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// Returns a time in UTC, of which JSON has the milliseconds (`{:.3}Z`). `None` outside of the
/// years 0 to 9999, for which RFC 3339 has no form.
pub(crate) fn date_time(time: UnixTime) -> Option<DateTime> {
    let since_1970 = jiff::SignedDuration::from_millis(time.as_millis());
    let date = date(1970, 1, 1).at(0, 0, 0, 0).checked_add(since_1970).ok()?;
    (date.year() >= 0).then_some(date)
}

/// Writes a time as all objects have it.
pub(crate) fn write_time(time: Option<UnixTime>, object: &mut Object<'_>) {
    match time {
        Some(time) => object.number("unix_ms", time.as_millis()),
        None => object.null("unix_ms"),
    }
    match time.and_then(date_time) {
        Some(date) => object.written("time", |out| {
            // Writing to memory can't fail.
            let _ = DateTimePrinter::new().precision(Some(3)).print_datetime(&date, &mut *out);
            out.push(b'Z');
        }),
        None => object.null("time"),
    }
}

/// Returns the name of a plausibility, as all objects have it.
pub(crate) const fn plausibility_name(plausibility: Plausibility) -> &'static str {
    match plausibility {
        Plausibility::Likely => "likely",
        Plausibility::Unlikely => "unlikely",
        Plausibility::NeverIssued => "never-issued",
        _ => "unknown",
    }
}

/// Returns the name of a reading, with the time that the ID then has.
pub(crate) fn named(candidate: &Candidate) -> String {
    match candidate.time() {
        Some(time) => format!("{} ({time})", candidate.reading()),
        None => candidate.reading().to_string(),
    }
}

/// As many as the largest ID has.
const MAX_HEX_DIGITS: usize = 32;

/// At most 16 bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl<'a> Hex<'a> {
    /// Returns the last `len` of `bytes`.
    pub(crate) fn low(bytes: &'a [u8], len: usize) -> Self {
        Self(&bytes[bytes.len() - len..])
    }

    /// Writes the digits to `room`.
    pub(crate) fn digits<'r>(&self, room: &'r mut [u8; MAX_HEX_DIGITS]) -> &'r [u8] {
        let pairs = room.as_chunks_mut().0.iter_mut();
        for (pair, byte) in pairs.zip(self.0) {
            *pair = [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]);
        }
        &room[..2 * self.0.len()]
    }
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.digits(&mut [0; _]).iter().try_for_each(|&digit| f.write_char(digit.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_with_the_year_9999() {
        let shown =
            |micros| date_time(UnixTime::from_micros(micros)).map(|date| format!("{date:.3}Z"));
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
    fn json_quotes_large_integers() {
        let mut report = Report::default();
        report.start("test", UnixTime::from_micros(1_500), &[0xca, 0xfe]);
        report.text.extend_from_slice(b"abc");
        report.number("small", 7);
        report.field("big", Value::BigNumber(u64::MAX));
        report.field("node", Value::Hex(0x2a, 4));
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
