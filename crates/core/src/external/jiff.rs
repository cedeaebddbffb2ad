//! Times of the `jiff` library.

use jiff::Timestamp;

use crate::range::RangeError;
use crate::time::UnixTime;

/// # Errors
/// Returns a [`RangeError`] outside of [`Timestamp::MIN`]..=[`Timestamp::MAX`], which are about the
/// years -9999 to 9999.
impl TryFrom<UnixTime> for Timestamp {
    type Error = RangeError;

    fn try_from(time: UnixTime) -> Result<Self, RangeError> {
        // `from_microsecond` refuses the fractions of the last second.
        Self::from_nanosecond(i128::from(time.as_micros()) * 1_000).map_err(|_| {
            let (min, max) = (Self::MIN.as_microsecond(), Self::MAX.as_microsecond());
            let micros = time.as_micros().into();
            RangeError::of_time(micros, min.into(), max.into())
        })
    }
}

/// Rounds towards the past, to whole microseconds. It does not fail, because [`UnixTime`] covers all
/// of `jiff`'s range.
impl TryFrom<Timestamp> for UnixTime {
    type Error = RangeError;

    fn try_from(time: Timestamp) -> Result<Self, RangeError> {
        // Which rounds towards 1970.
        let micros = time.as_microsecond();
        let is_cut = time.subsec_nanosecond() % 1_000 < 0;
        Ok(Self::from_micros(micros - i64::from(is_cut)))
    }
}

#[cfg(test)]
#[test]
fn times_convert() {
    crate::external::tests::assert_converts(
        |nanos| Timestamp::from_nanosecond(nanos.into()).unwrap(),
        |time| time.as_nanosecond(),
        [Timestamp::MIN, Timestamp::MAX],
    );
}
