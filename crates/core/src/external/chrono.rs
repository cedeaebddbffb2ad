//! Times of the `chrono` library.

use chrono::{DateTime, TimeZone, Utc};

use crate::range::RangeError;
use crate::time::UnixTime;

/// # Errors
/// Returns a [`RangeError`] outside of
/// [`DateTime::<Utc>::MIN_UTC`]..=[`DateTime::<Utc>::MAX_UTC`], which are about the years -262,143
/// to 262,142.
impl TryFrom<UnixTime> for DateTime<Utc> {
    type Error = RangeError;

    fn try_from(time: UnixTime) -> Result<Self, RangeError> {
        Self::from_timestamp_micros(time.as_micros()).ok_or_else(|| {
            let (min, max) = (Self::MIN_UTC.timestamp_micros(), Self::MAX_UTC.timestamp_micros());
            let micros = time.as_micros().into();
            RangeError::of_time(micros, min.into(), max.into())
        })
    }
}

/// Rounds towards the past, to whole microseconds. A leap second is the second after it, as in Unix
/// time. It does not fail: [`UnixTime`] has all of `chrono`'s range.
impl<Z: TimeZone> TryFrom<DateTime<Z>> for UnixTime {
    type Error = RangeError;

    fn try_from(time: DateTime<Z>) -> Result<Self, RangeError> {
        Ok(Self::from_micros(time.timestamp_micros()))
    }
}

#[cfg(test)]
mod tests {
    use chrono::FixedOffset;

    use super::*;

    #[test]
    fn times_round_down() {
        for (nanos, micros) in
            [(0, 0), (1_999, 1), (-1, -1), (-1_000, -1), (-1_001, -2), (-1_000_000_001, -1_000_001)]
        {
            let time = DateTime::from_timestamp_nanos(nanos);
            let unix_time = UnixTime::from_micros(micros);
            assert_eq!(UnixTime::try_from(time), Ok(unix_time), "{nanos} ns");
            let back = DateTime::try_from(unix_time).unwrap();
            assert_eq!(back.timestamp_nanos_opt(), Some(micros * 1_000));
        }
    }

    #[test]
    fn every_time_zone_is_fine() {
        let zone = FixedOffset::east_opt(5 * 3_600).unwrap();
        let time = DateTime::from_timestamp_nanos(1_700_000_000_123_456_789).with_timezone(&zone);
        assert_eq!(UnixTime::try_from(time), Ok(UnixTime::from_micros(1_700_000_000_123_456)));
    }

    #[test]
    fn both_ends_of_its_range_fit() {
        for time in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC] {
            let unix_time = UnixTime::try_from(time).unwrap();
            assert_eq!(unix_time.as_micros().div_euclid(1_000_000), time.timestamp());
        }
    }

    #[test]
    fn errors_name_time_and_range() {
        let min = DateTime::<Utc>::MIN_UTC.timestamp_micros();
        let max = DateTime::<Utc>::MAX_UTC.timestamp_micros();
        for (micros, fits) in [(min, true), (min - 1, false), (max, true), (max + 1, false)] {
            match DateTime::<Utc>::try_from(UnixTime::from_micros(micros)) {
                Ok(_) => assert!(fits, "{micros}"),
                Err(error) => {
                    assert!(!fits, "{micros}");
                    assert_eq!(error.value(), micros.into());
                    assert_eq!((error.min(), error.max()), (min.into(), max.into()));
                }
            }
        }
    }
}
