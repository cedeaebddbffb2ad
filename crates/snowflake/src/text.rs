//! The text of layouts, for example `39x10ms/8s/16n@1409529600000`. It has the fields from the
//! highest to the lowest, then the epoch.

use core::fmt;
use core::str::FromStr;
use core::time::Duration;

use tickid_core::UnixTime;

use crate::any::AnySnowflake;
use crate::layout::{LayoutError, Snowflake, Widths};
use crate::order::{NodeAboveSequence, Order, SequenceAboveNode};

/// The field that says that the layout fills 64 bits.
const UNSIGNED: &str = "unsigned";

/// Writes the canonical text, for example `39x10ms/8s/16n@1409529600000` for 39 bits of 10 ms, 8
/// bits of sequence, 16 of node, and an epoch in milliseconds since 1970. Layouts of 64 bits have
/// `/unsigned` before the epoch. Realms of leases record this text.
///
/// # Examples
/// ```
/// use tickid_snowflake::Snowflake;
///
/// assert_eq!(Snowflake::TWITTER.to_string(), "41x1ms/10n/12s@1288834974657");
/// assert_eq!(Snowflake::DISCORD.to_string(), "42x1ms/10n/12s/unsigned@1420070400000");
/// ```
impl<O: Order> fmt::Display for Snowflake<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Widths { time, node, sequence, is_unsigned, .. } = self.widths();
        let (unit, name) = match self.micros_per_tick() {
            unit if unit.is_multiple_of(1_000_000) => (unit / 1_000_000, "s"),
            unit if unit.is_multiple_of(1_000) => (unit / 1_000, "ms"),
            unit => (unit, "us"),
        };
        write!(f, "{time}x{unit}{name}/")?;
        if O::IS_NODE_LOWEST {
            write!(f, "{sequence}s/{node}n")?;
        } else {
            write!(f, "{node}n/{sequence}s")?;
        }
        if is_unsigned {
            write!(f, "/{UNSIGNED}")?;
        }
        write!(f, "@{}", self.epoch_millis())
    }
}

/// Reads the text that [`Display`](fmt::Display) writes. It can also have a different unit for the
/// same time (`1000ms` for `1s`), and as the epoch a date (`@2014-09-01`, at midnight UTC) or a time as
/// in RFC 3339 (`@2014-09-01T12:30:00Z`, `@2014-09-01T14:30:00+02:00`).
///
/// # Errors
/// Returns a [`LayoutError`] that names the place where the form is wrong, or the field whose value
/// is out of range. For the other order it is [`LayoutError::Order`]. [`AnySnowflake`] reads both.
impl<O: Order> FromStr for Snowflake<O> {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let (widths, is_node_lowest) = parse(text)?;
        if is_node_lowest == O::IS_NODE_LOWEST {
            Self::new(widths)
        } else {
            Err(LayoutError::Order)
        }
    }
}

/// Reads the text of a layout in either order. It does not read the names of presets, which
/// [`AnySnowflake::read`] does.
impl FromStr for AnySnowflake {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let (widths, is_node_lowest) = parse(text)?;
        Ok(if is_node_lowest {
            Snowflake::<SequenceAboveNode>::new(widths)?.into()
        } else {
            Snowflake::<NodeAboveSequence>::new(widths)?.into()
        })
    }
}

/// Returns the widths in a text, unchecked, and whether the node is lowest.
fn parse(text: &str) -> Result<(Widths, bool), LayoutError> {
    // For example `41x1ms/10n/12s@1288834974657`, or with the node lowest, `39x10ms/8s/16n@…`.
    let mut cursor = Cursor { text, position: 0 };
    let time = cursor.width("the bits of the time, as in 41x1ms")?;
    cursor.expect("x", "'x' and the unit of the time")?;
    let unit = cursor.unit()?;
    cursor.expect("/", "'/' and the next field")?;
    let first = cursor.width("bits of node or sequence, as in 10n")?;
    let is_node_lowest = match cursor.take_any(&["s", "n"]) {
        Some("s") => true,
        Some(_) => false,
        None => return Err(cursor.missing("'n' for a node or 's' for a sequence")),
    };
    cursor.expect("/", "'/' and the next field")?;
    // The two fields are different ones, so the second letter is known.
    let second = cursor.width("bits of node or sequence, as in 12s")?;
    let (name, expected) =
        if is_node_lowest { ("n", "'n', for the node") } else { ("s", "'s', for the sequence") };
    cursor.expect(name, expected)?;
    let is_unsigned = cursor.take_any(&["/"]).is_some();
    if is_unsigned {
        cursor.expect(UNSIGNED, "'unsigned'")?;
    }
    cursor.expect("@", "'@' and the epoch")?;
    let epoch = cursor.epoch()?;
    // A text that goes on is an error at its first further character, and not cut.
    if !cursor.rest().is_empty() {
        return Err(cursor.missing("the end"));
    }
    let (sequence, node) = if is_node_lowest { (first, second) } else { (second, first) };
    Ok((Widths { unit, epoch, time, node, sequence, is_unsigned }, is_node_lowest))
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or_default()
    }

    #[cold]
    const fn missing(&self, expected: &'static str) -> LayoutError {
        LayoutError::Text { position: self.position, expected }
    }

    /// Reads the first of `words` that comes next.
    fn take_any(&mut self, words: &[&'static str]) -> Option<&'static str> {
        let word = words.iter().find(|word| self.rest().starts_with(**word))?;
        self.position += word.len();
        Some(word)
    }

    fn expect(&mut self, word: &'static str, expected: &'static str) -> Result<(), LayoutError> {
        self.take_any(&[word]).map(|_| ()).ok_or_else(|| self.missing(expected))
    }

    /// Reads a number.
    fn digits(&mut self, expected: &'static str) -> Result<u64, LayoutError> {
        let rest = self.rest();
        let len = rest.bytes().take_while(u8::is_ascii_digit).count();
        let digits = rest.get(..len).unwrap_or_default();
        let number = digits.parse().map_err(|_| self.missing(expected))?;
        self.position += len;
        Ok(number)
    }

    fn width(&mut self, expected: &'static str) -> Result<u32, LayoutError> {
        let bits = self.digits(expected)?;
        // A width of more than 32 bits is out of range, too.
        Ok(u32::try_from(bits).unwrap_or(u32::MAX))
    }

    fn unit(&mut self) -> Result<Duration, LayoutError> {
        let expected = "the unit of the time, such as 10ms";
        let count = self.digits(expected)?;
        let micros = match self.take_any(&["us", "ms", "s"]) {
            Some("us") => 1,
            Some("ms") => 1_000,
            Some(_) => 1_000_000,
            None => return Err(self.missing("'us', 'ms' or 's'")),
        };
        Ok(Duration::from_micros(count.saturating_mul(micros)))
    }

    fn epoch(&mut self) -> Result<UnixTime, LayoutError> {
        let start = self.position;
        let expected = "the epoch in milliseconds since 1970, or a date such as 2014-09-01 or \
                        2014-09-01T12:30:00Z";
        let is_negative = self.take_any(&["-"]).is_some();
        let number = self.digits(expected)?;
        if !is_negative && self.take_any(&["-"]).is_some() {
            self.position = start;
            return self.date(expected);
        }
        let millis = if is_negative {
            0_i64.checked_sub_unsigned(number)
        } else {
            i64::try_from(number).ok()
        };
        let time = millis.and_then(|millis| UnixTime::from_millis(millis).ok());
        time.ok_or(LayoutError::Text { position: start, expected })
    }

    /// Reads a date of the Gregorian calendar with a year of four digits.
    fn date(&mut self, expected: &'static str) -> Result<UnixTime, LayoutError> {
        let wrong = self.missing(expected);
        let number = |from, len| {
            let digits = self.rest().get(from..from + len)?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<i64>().ok())?
        };
        let separators = [self.rest().get(4..5), self.rest().get(7..8)];
        let date = (number(0, 4), number(5, 2), number(8, 2));
        let ((Some(year), Some(month), Some(day)), [Some("-"), Some("-")]) = (date, separators)
        else {
            return Err(wrong);
        };
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=12).contains(&month) || !(1..=days).contains(&day) {
            return Err(wrong);
        }
        self.position += "2014-09-01".len();
        // Years are counted from March here, so that the leap day is the last of its year.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        // Days since 0000-03-01, which is 719,468 days before 1970.
        let since = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1;
        let millis = (since - 719_468) * 86_400_000 + self.time_of_day()?;
        UnixTime::from_millis(millis).map_err(LayoutError::Field)
    }

    /// Reads the time of day behind a date, as milliseconds in UTC. Without one the day starts.
    fn time_of_day(&mut self) -> Result<i64, LayoutError> {
        if self.take_any(&["T"]).is_none() {
            return Ok(0);
        }
        let seconds = self.clock(&[24, 60, 60], "a time such as 12:30:00Z or 12:30:00+02:00")?;
        let mut millis = 0;
        if self.take_any(&["."]).is_some() {
            let expected = "up to three digits of milliseconds";
            let len = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            let unit = match len {
                1 => 100,
                2 => 10,
                3 => 1,
                _ => return Err(self.missing(expected)),
            };
            millis = unit * i64::try_from(self.digits(expected)?).unwrap_or_default();
        }
        let expected = "'Z', for UTC, or an offset such as +02:00";
        let offset = match self.take_any(&["Z", "+", "-"]) {
            Some("Z") => 0,
            Some("+") => self.clock(&[24, 60], expected)? * 60,
            Some(_) => self.clock(&[24, 60], expected)? * -60,
            None => return Err(self.missing(expected)),
        };
        Ok((seconds - offset) * 1_000 + millis)
    }

    /// Reads numbers of two digits with colons between them, each below its end, and returns them
    /// in units of the last.
    fn clock(&mut self, ends: &[i64], expected: &'static str) -> Result<i64, LayoutError> {
        let mut time = 0;
        for (place, end) in ends.iter().enumerate() {
            if place > 0 {
                self.expect(":", expected)?;
            }
            let digits = self.rest().get(..2).filter(|it| it.bytes().all(|it| it.is_ascii_digit()));
            let number: Option<i64> = digits.and_then(|digits| digits.parse().ok());
            let number = number.filter(|number| number < end);
            time = time * 60 + number.ok_or_else(|| self.missing(expected))?;
            self.position += 2;
        }
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    fn any(text: &str) -> Result<AnySnowflake, LayoutError> {
        text.parse()
    }

    #[test]
    fn dates_and_times_are_epochs() {
        for (date, millis) in [
            ("1970-01-01", 0_i64),
            ("1969-12-31", -86_400_000),
            ("2014-09-01", 1_409_529_600_000),
            ("2000-02-29", 951_782_400_000),
            ("2024-03-01", 1_709_251_200_000),
            ("0000-03-01", -719_468 * 86_400_000),
            ("0000-01-01", -719_528 * 86_400_000),
            ("0000-02-29", -719_469 * 86_400_000),
            ("9999-12-31", 2_932_896 * 86_400_000),
            ("2020-02-20T02:20:02Z", 1_582_165_202_000),
            ("2020-02-20T00:00:00Z", 1_582_156_800_000),
            ("1969-12-31T23:59:59.999Z", -1),
            ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T00:00:00.25Z", 250),
            ("2020-02-20T02:20:02+02:00", 1_582_158_002_000),
            ("1970-01-01T00:00:00.5-23:59", 86_340_500),
        ] {
            let by_date = any(&std::format!("41x1ms/10n/12s@{date}")).unwrap();
            assert_eq!(by_date.to_string(), std::format!("41x1ms/10n/12s@{millis}"));
        }
    }

    /// `UnixTime` counts days for itself.
    #[test]
    fn dates_are_those_of_times() {
        let day = |date: &str| {
            let layout = any(&std::format!("41x1ms/10n/12s@{date}")).unwrap();
            layout.widths().epoch.as_micros().div_euclid(86_400_000_000)
        };
        // All months, with and without a leap day, around the years that make exceptions.
        for first in ["1896-01-01", "1996-01-01", "2096-01-01", "2396-01-01"].map(day) {
            for number in first..first + 3_000 {
                let time = UnixTime::from_micros(number * 86_400_000_000).to_string();
                assert_eq!(day(time.get(..10).unwrap()), number, "{time}");
            }
        }
    }

    #[test]
    fn days_end_with_their_month() {
        for (month, last) in (1..).zip([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
            for year in [1900, 2023, 2100] {
                let date = |day| any(&std::format!("41x1ms/10n/12s@{year}-{month:02}-{day:02}"));
                assert!(date(1).is_ok() && date(last).is_ok(), "{year}-{month}");
                for day in [0, last + 1, 32, 99] {
                    assert!(
                        matches!(date(day), Err(LayoutError::Text { position: 15, .. })),
                        "{year}-{month}-{day}"
                    );
                }
            }
        }
        for (year, is_leap) in [(1900, false), (2000, true), (2024, true), (2100, false)] {
            let leap_day = any(&std::format!("41x1ms/10n/12s@{year}-02-29"));
            assert_eq!(leap_day.is_ok(), is_leap, "{year}");
        }
    }

    #[test]
    fn other_texts_name_the_place() {
        for (text, position) in [
            ("", 0),
            ("twitter", 0),
            ("41", 2),
            ("41x", 3),
            ("41x1", 4),
            ("41x1min/10n/12s@0", 4),
            ("41x1ms", 6),
            ("41x1ms/10", 9),
            ("41x1ms/10w/12s@0", 9),
            ("41x1ms/10n/12n@0", 13),
            ("41x1ms/10s/12s@0", 13),
            ("41x1ms/10n/12s", 14),
            ("41x1ms/10n/12s/signed@0", 15),
            ("41x1ms/10n/12s@", 15),
            ("41x1ms/10n/12s@+5", 15),
            ("41x1ms/10n/12s@99999999999999999", 15),
            ("41x1ms/10n/12s@2014-9-1", 15),
            ("41x1ms/10n/12s@2023-02-29", 15),
            ("41x1ms/10n/12s@2023-13-01", 15),
            ("41x1ms/10n/12s@2023-00-01", 15),
            ("41x1ms/10n/12s@2023-+9-01", 15),
            ("41x1ms/10n/12s@2023-09-+1", 15),
            ("41x1ms/10n/12s@2023-09x01", 15),
            ("41x1ms/10n/12s@20230-9-01", 15),
            ("41x1ms/10n/12s@-", 16),
            ("41x1ms/10n/12s@-9223372036854775809", 15),
            ("41x1ms/10n/12s@-2014-09-01", 20),
            ("41x1ms/10n/12s@18446744073709551615", 15),
            ("41x1ms/10n/12s@0 ", 16),
            ("41x1ms/10n/12s@2014-09-01T", 26),
            ("41x1ms/10n/12s@2014-09-01T24:00:00Z", 26),
            ("41x1ms/10n/12s@2014-09-01T2:20:02Z", 26),
            ("41x1ms/10n/12s@2014-09-01T00:00", 31),
            ("41x1ms/10n/12s@2014-09-01T00:60:00Z", 29),
            ("41x1ms/10n/12s@2014-09-01T00:00:60Z", 32),
            ("41x1ms/10n/12s@2014-09-01T00:00:00", 34),
            ("41x1ms/10n/12s@2014-09-01T00:00:00.Z", 35),
            ("41x1ms/10n/12s@2014-09-01T00:00:00.0001Z", 35),
            ("41x1ms/10n/12s@2014-09-01T00:00:00+24:00", 35),
            ("41x1ms/10n/12s@2014-09-01T00:00:00+01", 37),
            ("41x1ms/10n/12s@2014-09-01T00:00:00-01:60", 38),
            ("41x1ms/10n/12s@2014-09-01T00:00:00+01:00:00", 40),
            ("41x1ms/10n/12s@2014-09-01 00:00:00Z", 25),
            ("41x1ms/10n/12s@2014-09-01T00:00:é", 32),
        ] {
            let error = any(text).unwrap_err();
            assert!(
                matches!(error, LayoutError::Text { position: at, .. } if at == position),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn units_are_shown_in_the_largest() {
        for (text, shown) in [
            ("31x3600s/10n/12s@0", "31x3600s/10n/12s@0"),
            ("31x1000ms/10n/12s@0", "31x1s/10n/12s@0"),
            ("31x1500ms/10n/12s@-7", "31x1500ms/10n/12s@-7"),
            ("31x10000us/12s/10n@5", "31x10ms/12s/10n@5"),
            ("31x1024us/10n/12s@0", "31x1024us/10n/12s@0"),
            ("43x1ms/3n/18s/unsigned@0", "43x1ms/3n/18s/unsigned@0"),
        ] {
            assert_eq!(any(text).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn other_values_name_the_field() {
        for (text, message) in [
            ("44x1ms/1n/1s@0", "time bits 44 is outside of 8..=43"),
            ("7x1ms/1n/1s@0", "time bits 7 is outside of 8..=43"),
            ("99999999999x1ms/1n/1s@0", "time bits 4294967295 is outside of 8..=43"),
            // 41 and 10 in the low 32 bits.
            ("4294967337x1ms/10n/12s@0", "time bits 4294967295 is outside of 8..=43"),
            ("41x1ms/4294967306n/12s@0", "node bits 4294967295 is outside of 0..=22"),
            ("41x1ms/23n/1s@0", "node bits 23 is outside of 0..=22"),
            ("41x1ms/1n/19s@0", "sequence bits 19 is outside of 1..=18"),
            ("41x1ms/1n/0s@0", "sequence bits 0 is outside of 1..=18"),
            ("42x1ms/10n/12s@0", "sum of bits 64 is outside of 9..=63"),
            ("43x1ms/10n/12s/unsigned@0", "sum of bits 65 is outside of 64..=64"),
            ("41x1ms/10n/12s/unsigned@0", "sum of bits 63 is outside of 64..=64"),
            ("43x3600s/1n/1s@0", "time bits 43 is outside of 8..=32"),
            (
                "41x99us/10n/12s@0",
                "the unit 99µs is not a whole number of microseconds from 100 µs to 1 h",
            ),
            // A multiple of 2^61, and one, which times 1,000 is 1,000 in 64 bits.
            (
                "41x2305843009213693953ms/10n/12s@0",
                "the unit 18446744073709.551615s is not a whole number of microseconds from 100 µs \
                 to 1 h",
            ),
        ] {
            assert_eq!(any(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
