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
/// time. It does not fail, because [`UnixTime`] covers all of `chrono`'s range.
impl<Z: TimeZone> TryFrom<DateTime<Z>> for UnixTime {
    type Error = RangeError;

    fn try_from(time: DateTime<Z>) -> Result<Self, RangeError> {
        Ok(Self::from_micros(time.timestamp_micros()))
    }
}

#[cfg(test)]
#[test]
fn times_convert() {
    let nanos = |time: &DateTime<Utc>| {
        i128::from(time.timestamp()) * 1_000_000_000 + i128::from(time.timestamp_subsec_nanos())
    };
    let ends = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
    super::tests::assert_converts(DateTime::from_timestamp_nanos, nanos, ends);
}
