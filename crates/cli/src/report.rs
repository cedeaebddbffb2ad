//! The facts about one ID, and their form in JSON.

use core::fmt::{self, Write as _};

use tickid_convert::{Candidate, Layouts, Plausibility, Reading};
use tickid_core::UnixTime;
use uuid::Uuid;

use crate::json::{Object, TWO_DIGITS};

/// A receiver of the facts about an ID, in the order in which they are shown.
///
/// A [`JsonLine`] writes them at once, which takes half of the time that the way by a [`Report`]
/// does.
pub(crate) trait Facts {
    /// Takes what every ID has. `bytes` are big-endian.
    fn start(
        &mut self,
        scheme: &'static str,
        text: impl FnOnce(&mut Vec<u8>),
        bytes: &[u8],
        time: Option<UnixTime>,
    );

    /// Takes one of the scheme's own fields.
    fn field(&mut self, name: &'static str, value: Value);

    /// Takes names and widths of bit fields, from the high end of the bytes.
    fn bits(&mut self, widths: &[(&'static str, u32)]);

    /// Takes a number as a field.
    #[inline(always)]
    fn number(&mut self, name: &'static str, value: impl Into<i64>) {
        self.field(name, Value::Number(value.into()));
    }
}

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
    Hex(u128, usize),
    Word(&'static str),
}

impl Report {
    pub(crate) fn hex(&self) -> Hex<'_> {
        Hex(&self.bytes)
    }
}

/// Forgets the last ID when another starts.
impl Facts for Report {
    fn start(
        &mut self,
        scheme: &'static str,
        text: impl FnOnce(&mut Vec<u8>),
        bytes: &[u8],
        time: Option<UnixTime>,
    ) {
        self.scheme = scheme;
        self.time = time;
        self.text.clear();
        text(&mut self.text);
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.fields.clear();
        self.bits.clear();
    }

    fn field(&mut self, name: &'static str, value: Value) {
        self.fields.push((name, value));
    }

    fn bits(&mut self, widths: &[(&'static str, u32)]) {
        self.bits.extend_from_slice(widths);
    }
}

/// A line of JSON about one ID, written as the facts arrive. To be [closed](Self::close).
#[derive(Debug)]
pub(crate) struct JsonLine<'a> {
    object: Object<'a>,
    times: &'a mut TimeMembers,
    pub(crate) time: Option<UnixTime>,
}

impl<'a> JsonLine<'a> {
    #[inline]
    pub(crate) fn open(out: &'a mut Vec<u8>, times: &'a mut TimeMembers) -> Self {
        Self { object: Object::open(out), times, time: None }
    }

    /// Writes a string without anything that JSON escapes, as a further member.
    pub(crate) fn string(&mut self, name: &str, value: &str) {
        self.object.string(name, value.as_bytes());
    }

    #[inline]
    pub(crate) fn close(self) {
        self.object.close_line();
    }
}

impl Facts for JsonLine<'_> {
    #[inline(always)]
    fn start(
        &mut self,
        scheme: &'static str,
        text: impl FnOnce(&mut Vec<u8>),
        bytes: &[u8],
        time: Option<UnixTime>,
    ) {
        let object = &mut self.object;
        object.string("scheme", scheme.as_bytes());
        object.string_by("text", text);
        object.string("hex", Hex(bytes).digits(&mut [0; _]));
        object.append(self.times.of(time));
        self.time = time;
    }

    #[inline(always)]
    fn field(&mut self, name: &'static str, value: Value) {
        match value {
            Value::Number(number) => self.object.number(name, number),
            Value::BigNumber(number) => {
                self.object.string(name, itoa::Buffer::new().format(number).as_bytes());
            }
            Value::Hex(number, len) => {
                let bytes = number.to_be_bytes();
                self.object.string(name, Hex::low(&bytes, len).digits(&mut [0; _]));
            }
            Value::Word(word) => self.object.string(name, word.as_bytes()),
        }
    }

    /// Lines have none.
    #[inline(always)]
    fn bits(&mut self, _: &[(&'static str, u32)]) {}
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

/// Writes a time as all objects have it.
pub(crate) fn write_time(time: Option<UnixTime>, object: &mut Object<'_>) {
    match time {
        Some(time) => object.number("unix_ms", time.as_millis()),
        None => object.null("unix_ms"),
    }
    match time.and_then(date_time) {
        Some(date) => object.string("time", &date.0),
        None => object.null("time"),
    }
}

/// The members about a time. An ID often has the time of the one before it, for which they are not
/// written again.
#[derive(Debug, Default)]
pub(crate) struct TimeMembers {
    time: Option<UnixTime>,
    /// Empty if there was no ID.
    part: Vec<u8>,
}

impl TimeMembers {
    #[inline]
    fn of(&mut self, time: Option<UnixTime>) -> &[u8] {
        if self.time != time || self.part.is_empty() {
            self.part.clear();
            write_time(time, &mut Object::part(&mut self.part));
            self.time = time;
        }
        &self.part
    }
}

/// A time in RFC 3339 with milliseconds, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateTime([u8; 24]);

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.0))
    }
}

/// Returns a time in RFC 3339 with milliseconds, in UTC. `None` outside of the years 0 to 9999, for
/// which RFC 3339 has no form.
///
/// Written without a library's formatting, on which `inspect --json` would spend most of its time.
#[inline]
pub(crate) fn date_time(time: UnixTime) -> Option<DateTime> {
    const DAY: i64 = 86_400_000;
    const FIRST: i64 = -62_167_219_200_000;
    const LAST: i64 = 253_402_300_799_999;
    let millis = time.as_millis();
    if !(FIRST..=LAST).contains(&millis) {
        return None;
    }
    // Neither is negative within these years, and both have 32 bits, with which it is faster.
    let days = u32::try_from((millis - FIRST) / DAY).ok()? + DAYS_BEFORE_0;
    let of_day = u32::try_from((millis - FIRST) % DAY).ok()?;
    let (year, month, day) = date(days);
    let (seconds, millis) = (of_day / 1_000, of_day % 1_000);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut pair = |place: usize, number: u32| {
        text[place..place + 2].copy_from_slice(&TWO_DIGITS[number as usize]);
    };
    pair(0, year / 100);
    pair(2, year % 100);
    pair(5, month);
    pair(8, day);
    pair(11, seconds / 3_600);
    pair(14, seconds / 60 % 60);
    pair(17, seconds % 60);
    pair(20, millis / 10);
    text[22] = TWO_DIGITS[millis as usize % 10][1];
    Some(DateTime(text))
}

/// The days from the 1st of March of the year -400 to the 1st of January of the year 0.
const DAYS_BEFORE_0: u32 = DAYS_IN_CYCLE - 60;
/// The days of 400 years of the Gregorian calendar, which then begins again.
const DAYS_IN_CYCLE: u32 = 146_097;

/// Returns year, month and day. Years begin in March here, so that leap days end them.
const fn date(days: u32) -> (u32, u32, u32) {
    let (cycle, day) = (days / DAYS_IN_CYCLE, days % DAYS_IN_CYCLE);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // The months from March on have 153 days in each five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * cycle + year + next - 400, month, day)
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

/// Takes apart a reading of a format that is none of the four schemes'.
pub(crate) fn describe_foreign(
    candidate: &Candidate,
    text: &[u8],
    layouts: &Layouts,
    facts: &mut impl Facts,
) {
    let reading = candidate.reading();
    let bytes = reading.bytes();
    let write_text = |out: &mut Vec<u8>| match reading {
        Reading::Uuid(uuid) => {
            let mut room = Uuid::encode_buffer();
            out.extend_from_slice(uuid.hyphenated().encode_lower(&mut room).as_bytes());
        }
        // A literal of bytes is not its text.
        Reading::ObjectId(_) => out.extend_from_slice(Hex(&bytes).digits(&mut [0; _])),
        // The text of other formats was read, or it is the integer.
        _ => out.extend_from_slice(text),
    };
    facts.start(candidate.format().key(), write_text, &bytes, candidate.time());
    bit_fields(&reading, layouts, facts);
}

/// Passes the bit fields of a reading on.
pub(crate) fn bit_fields(reading: &Reading, layouts: &Layouts, facts: &mut impl Facts) {
    const EXACT_BITS: u32 = 53;
    for field in reading.fields(layouts) {
        facts.bits(&[(field.name(), field.bits())]);
        if field.name() == "unused" {
            continue;
        }
        // A UUID's node is a MAC address, which is written in hexadecimal.
        let is_address = (field.name(), field.bits()) == ("node", 48);
        let is_number = field.bits() <= EXACT_BITS && !is_address;
        let number = i64::try_from(field.value()).ok().filter(|_| is_number);
        let value = match number {
            Some(number) => Value::Number(number),
            None => Value::Hex(field.value(), field.bits().div_ceil(8) as usize),
        };
        facts.field(field.name(), value);
    }
}

/// Returns the name of a reading, with the time that the ID then has.
pub(crate) fn named(candidate: &Candidate) -> String {
    match candidate.time() {
        Some(time) => format!("{} ({time})", candidate.reading()),
        None => candidate.reading().to_string(),
    }
}

/// As many as the largest ID has, a KSUID.
const MAX_HEX_DIGITS: usize = 40;

/// At most 20 bytes as lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

/// The digits of each byte.
const PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

impl<'a> Hex<'a> {
    /// Returns the last `len` of `bytes`.
    pub(crate) fn low(bytes: &'a [u8], len: usize) -> Self {
        Self(&bytes[bytes.len() - len..])
    }

    /// Writes the digits to `room`.
    #[inline]
    pub(crate) fn digits<'r>(&self, room: &'r mut [u8; MAX_HEX_DIGITS]) -> &'r [u8] {
        let pairs = room.as_chunks_mut().0.iter_mut();
        for (pair, byte) in pairs.zip(self.0) {
            *pair = PAIRS[usize::from(*byte)];
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
        let shown = |micros| date_time(UnixTime::from_micros(micros)).map(|date| date.to_string());
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
    fn dates_are_those_of_the_calendar() {
        let mut time = -62_167_219_200_i64;
        while time < 253_402_300_800 {
            let expected = jiff::Timestamp::from_second(time).unwrap();
            let written = date_time(UnixTime::from_millis(time * 1_000).unwrap()).unwrap();
            assert_eq!(written.to_string(), format!("{expected:.3}"));
            // About every 100 days, at all times of the day.
            time += 8_640_007;
        }
    }

    #[test]
    fn each_time_is_written() {
        let mut times = TimeMembers::default();
        for time in [None, Some(0), Some(999), Some(1_000), Some(1_000), None, Some(1_000)] {
            let time = time.map(UnixTime::from_micros);
            let mut expected = Vec::new();
            write_time(time, &mut Object::part(&mut expected));
            assert_eq!(times.of(time), expected, "{time:?}");
        }
    }

    #[test]
    fn json_quotes_large_integers() {
        let mut json = Vec::new();
        let mut times = TimeMembers::default();
        let mut line = JsonLine::open(&mut json, &mut times);
        let text = |out: &mut Vec<u8>| out.extend_from_slice(b"abc");
        line.start("test", text, &[0xca, 0xfe], Some(UnixTime::from_micros(1_500)));
        line.number("small", 7);
        line.field("big", Value::BigNumber(u64::MAX));
        line.field("node", Value::Hex(0x2a, 4));
        line.field("kind", Value::Word("local"));
        line.close();
        assert_eq!(
            String::from_utf8(json).unwrap(),
            "{\"scheme\":\"test\",\"text\":\"abc\",\"hex\":\"cafe\",\"unix_ms\":1,\
             \"time\":\"1970-01-01T00:00:00.001Z\",\"small\":7,\"big\":\"18446744073709551615\",\
             \"node\":\"0000002a\",\"kind\":\"local\"}\n"
        );
    }
}
