//! Times as people type them.

use core::str::FromStr;
use std::{env, fs};

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Unit, ZonedDateTime};
use tickid_core::{RangeError, UnixTime, counted};

use crate::failure::Failure;
use crate::message::{say, shown};

const FORM: &str = "milliseconds since 1970, RFC 3339 (2024-01-01T00:00:00Z), a date \
                    (2024-01-01), a date and time (2024-01-01 12:30), now, today, yesterday, tomorrow, '2h ago' or \
                    'in 3 days'";

/// A time as it was typed, which may depend on the present one and on a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct When(String);

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Whether it is valid depends on neither, except at the ends of time.
        resolve(text, &Timestamp::UNIX_EPOCH.to_zoned_datetime(TimeZone::UTC))?;
        Ok(Self(text.to_owned()))
    }
}

impl When {
    /// Returns the time. Dates start, and relative times count, in the zone of `now`.
    pub(crate) fn resolve(&self, now: &ZonedDateTime) -> Result<UnixTime, Failure> {
        let time = resolve(&self.0, now)
            .map_err(|error| Failure::Usage(format!("'{}': {error}", shown(&self.0))))?;
        if is_odd(&self.0) {
            say(&format!("'{}' counts milliseconds since 1970: {time}", self.0.trim()));
        }
        Ok(time)
    }
}

/// Returns the present time in a zone: one for all times of a command, or `today` could be two days
/// after `yesterday`.
pub(crate) fn now(zone: TimeZone) -> ZonedDateTime {
    Timestamp::now().to_zoned_datetime(zone)
}

/// Parses the name of a zone: `UTC`, `local`, or as in the IANA database.
pub(crate) fn zone(text: &str) -> Result<TimeZone, String> {
    match text {
        "utc" | "UTC" | "Z" => Ok(TimeZone::UTC),
        "local" => local_zone(),
        name => TimeZone::get(name)
            .map_err(|_| "no zone of this name; UTC, local, or one as in Europe/Berlin".into()),
    }
}

/// Returns the zone of this machine, or the one that `$TZ` names. One that cannot be read is an
/// error, because times in UTC would look like local ones.
fn local_zone() -> Result<TimeZone, String> {
    /// Where systems name their zone. One without it is in UTC, as containers are.
    const LOCALTIME: &str = "/etc/localtime";

    if let Ok(zone) = TimeZone::try_system() {
        return Ok(zone);
    }
    match env::var_os("TZ").filter(|name| !name.is_empty()) {
        Some(name) => {
            let name = shown(name.as_encoded_bytes());
            Err(format!("$TZ is '{name}', and no zone of that name is known here"))
        }
        // A link to a file that is missing is not the same as no link.
        None if cfg!(unix) && fs::symlink_metadata(LOCALTIME).is_err() => Ok(TimeZone::UTC),
        None => Err("the zone of this machine cannot be read; name one as in Europe/Berlin".into()),
    }
}

fn resolve(text: &str, now: &ZonedDateTime) -> Result<UnixTime, String> {
    let text = text.trim();
    // A number is always a count of milliseconds, so that scripts can rely on it, even one that
    // looks like a year. It is read with more bits than times have, because the error then names
    // the range.
    if let Ok(millis) = text.parse::<i128>() {
        return of_millis(millis);
    }
    let start_of = |days: i64| {
        // Days do not all start at 00:00, and do not all have 24 hours: zones change their clocks
        // at night, some of them at midnight.
        let day = now.checked_add(days.days()).and_then(|day| day.start_of_day());
        day.map(|day| day.timestamp()).map_err(|error| error.to_string())
    };
    let time = match text.to_ascii_lowercase().as_str() {
        "now" => now.timestamp(),
        "today" => start_of(0)?,
        "yesterday" => start_of(-1)?,
        "tomorrow" => start_of(1)?,
        _ => absolute(text, now)
            .or_else(|| relative(text, now))
            .ok_or_else(|| format!("not {FORM}"))?,
    };
    UnixTime::try_from(time).map_err(|error| error.to_string())
}

/// Parses a time that depends neither on the present one nor on a zone. Dates start in UTC.
pub(crate) fn fixed(text: &str) -> Result<UnixTime, String> {
    if let Ok(millis) = text.parse::<i128>() {
        return of_millis(millis);
    }
    let form =
        "neither milliseconds since 1970 nor a time as in 2024-01-01 or 2024-01-01T00:00:00Z";
    let time =
        absolute(text, &Timestamp::UNIX_EPOCH.to_zoned_datetime(TimeZone::UTC)).ok_or(form)?;
    UnixTime::try_from(time).map_err(|error| error.to_string())
}

/// Reports whether a number is likelier a year or a count of seconds than of milliseconds: it is of
/// the time before 1973, which has no IDs.
pub(crate) fn is_odd(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok_and(|millis| (1_000..100_000_000_000).contains(&millis))
}

fn of_millis(millis: i128) -> Result<UnixTime, String> {
    let time = i64::try_from(millis).ok().and_then(|millis| UnixTime::from_millis(millis).ok());
    let [min, max] = [UnixTime::MIN, UnixTime::MAX].map(|time| time.as_millis().into());
    time.ok_or_else(|| RangeError::new("time in milliseconds", millis, min, max).to_string())
}

fn absolute(text: &str, now: &ZonedDateTime) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    if let Ok(zoned) = text.parse::<ZonedDateTime>() {
        return Some(zoned.timestamp());
    }
    let civil: DateTime = text.parse().ok()?;
    Some(civil.to_zoned_datetime(now.time_zone().clone()).ok()?.timestamp())
}

fn relative(text: &str, now: &ZonedDateTime) -> Option<Timestamp> {
    let (span, is_future) = match text.strip_prefix("in ") {
        Some(span) => (span, true),
        None => (text, false),
    };
    // A duration alone is not a time.
    if !is_future && !span.ends_with("ago") {
        return None;
    }
    let span: Span = span.parse().ok()?;
    Some(now.checked_add(span).ok()?.timestamp())
}

/// Returns a time in a zone, and its age.
pub(crate) fn local(time: UnixTime, zone: &TimeZone, now: Option<UnixTime>) -> Option<String> {
    let time = Timestamp::from_millisecond(time.as_millis()).ok()?;
    let zoned = time.to_zoned_datetime(zone.clone());
    let shown = zoned.strftime("%Y-%m-%d %H:%M:%S %Z");
    let age = now.and_then(|now| Timestamp::from_millisecond(now.as_millis()).ok());
    let age = age.and_then(|now| age_of(time, now));
    Some(age.map_or_else(|| shown.to_string(), |age| format!("{shown}  {age}")))
}

/// Returns a time in a zone, in RFC 3339 with milliseconds. `None` outside of the years 0 to 9999.
pub(crate) fn rfc3339(time: UnixTime, zone: &TimeZone) -> Option<String> {
    let zoned = Timestamp::from_millisecond(time.as_millis()).ok()?.to_zoned_datetime(zone.clone());
    (zoned.year() >= 0).then(|| zoned.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string())
}

/// Returns a time in RFC 3339 with milliseconds, in UTC. `None` outside of the years 0 to 9999.
pub(crate) fn date_time(time: UnixTime) -> Option<String> {
    let year =
        Timestamp::from_millisecond(time.as_millis()).ok()?.to_zoned_datetime(TimeZone::UTC).year();
    (year >= 0).then(|| format!("{time:.3}"))
}

/// Returns the time between two in its two largest units: `3 days 4 hours ago`.
fn age_of(time: Timestamp, now: Timestamp) -> Option<String> {
    let (earlier, later) = if time <= now { (time, now) } else { (now, time) };
    // In UTC, so that the age of an ID does not depend on where it is looked at. Months and years
    // have their lengths by the calendar.
    let span = later
        .to_zoned_datetime(TimeZone::UTC)
        .since((Unit::Year, &earlier.to_zoned_datetime(TimeZone::UTC)))
        .ok()?;
    let units = [
        (i64::from(span.get_years()), "year"),
        (span.get_months().into(), "month"),
        (span.get_days().into(), "day"),
        (span.get_hours().into(), "hour"),
        (span.get_minutes(), "minute"),
        (span.get_seconds(), "second"),
    ];
    let first = units.iter().position(|(count, _)| *count != 0);
    let Some(first) = first else { return Some("now".into()) };
    // Two neighbouring units, without those that are 0: "2 years" rather than "2 years 0 months",
    // and rather than "2 years 3 hours", which is no more precise.
    let words = units[first..]
        .iter()
        .take(2)
        .filter(|(count, _)| *count != 0)
        .map(|&(count, unit)| counted(count, unit).to_string());
    let words = words.collect::<Vec<_>>().join(" ");
    Some(if time <= now { format!("{words} ago") } else { format!("in {words}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, zone: TimeZone) -> Result<String, String> {
        let now = "2026-11-22T12:34:56.789Z".parse::<Timestamp>().unwrap().to_zoned_datetime(zone);
        let time = resolve(text, &now)?;
        Ok(Timestamp::from_millisecond(time.as_millis()).unwrap().to_string())
    }

    #[test]
    fn times_are_read_as_typed() {
        for (text, expected) in [
            ("0", "1970-01-01T00:00:00Z"),
            ("1704067200000", "2024-01-01T00:00:00Z"),
            ("2024-01-01", "2024-01-01T00:00:00Z"),
            ("2024-01-01T12:30", "2024-01-01T12:30:00Z"),
            ("2024-01-01 12:30:15", "2024-01-01T12:30:15Z"),
            ("2024-01-01T00:00:00+02:00", "2023-12-31T22:00:00Z"),
            ("2024-07-01T00:00[+02:00]", "2024-06-30T22:00:00Z"),
            ("now", "2026-11-22T12:34:56.789Z"),
            ("Today", "2026-11-22T00:00:00Z"),
            ("yesterday", "2026-11-21T00:00:00Z"),
            ("tomorrow", "2026-11-23T00:00:00Z"),
            ("2h ago", "2026-11-22T10:34:56.789Z"),
            ("90 minutes ago", "2026-11-22T11:04:56.789Z"),
            ("1 month ago", "2026-10-22T12:34:56.789Z"),
            ("in 3 days", "2026-11-25T12:34:56.789Z"),
        ] {
            assert_eq!(at(text, TimeZone::UTC).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "noon", "2h", "2024-13-01", "2024-02-30", "ago", "in", "1e12", "now-1"] {
            assert!(at(text, TimeZone::UTC).is_err(), "{text}: {:?}", at(text, TimeZone::UTC));
        }
    }

    #[test]
    fn days_start_in_the_zone() {
        // New York's, whether this machine has a database of zones or not.
        let zone = TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap();
        let day = |text| at(text, zone.clone()).unwrap();
        assert_eq!(day("2024-01-01"), "2024-01-01T05:00:00Z");
        assert_eq!(day("yesterday"), "2026-11-21T05:00:00Z");
        // The day on which the clocks go back has 25 hours.
        assert_eq!(day("2026-11-01"), "2026-11-01T04:00:00Z");
        assert_eq!(day("2026-11-02"), "2026-11-02T05:00:00Z");
        assert!(super::zone("Atlantis").is_err());
    }

    #[test]
    fn years_and_seconds_are_odd() {
        for text in ["2024", " 2024 ", "1704067200"] {
            assert!(is_odd(text), "{text}");
        }
        for text in ["0", "-2024", "1704067200000", "2024-01-01", "now"] {
            assert!(!is_odd(text), "{text}");
        }
    }

    #[test]
    fn ages_have_two_units() {
        let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
        for (time, expected) in [
            ("2026-11-22T12:00:00Z", "now"),
            ("2026-11-22T11:59:59Z", "1 second ago"),
            ("2026-11-22T10:30:00Z", "1 hour 30 minutes ago"),
            ("2024-11-22T12:00:00Z", "2 years ago"),
            ("2023-03-12T09:34:19Z", "3 years 8 months ago"),
            ("2026-11-24T13:00:00Z", "in 2 days 1 hour"),
        ] {
            assert_eq!(age_of(time.parse().unwrap(), now).as_deref(), Some(expected), "{time}");
        }
    }
}
