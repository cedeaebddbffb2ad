//! The IDs of times at the ends of a format.

use core::fmt::Debug;

use tickid_core::{RangeError, UnixTime};

/// Asserts that the lowest and the highest ID of a time are exact at both ends of a format: its
/// first microsecond, the start of its last tick, its last microsecond. Errors name the range.
///
/// # Panics
/// If a check fails.
pub fn end_with_the_format<I: Debug + PartialEq>(
    [lowest, highest]: [I; 2],
    [first, start, last]: [i128; 3],
    min_at: impl Fn(UnixTime) -> Result<I, RangeError>,
    max_at: impl Fn(UnixTime) -> Result<I, RangeError>,
) {
    // The last tick of a format may reach beyond the end of time.
    let at = |micros| i64::try_from(micros).map_or(UnixTime::MAX, UnixTime::from_micros);
    assert_eq!((min_at(at(first)), max_at(at(last))), (Ok(lowest), Ok(highest)));
    for micros in [i64::MIN.into(), first - 1, start, start + 1, last + 1, i64::MAX.into()] {
        if i64::try_from(micros).is_err() {
            continue;
        }
        for (found, last) in [(min_at(at(micros)), start), (max_at(at(micros)), last)] {
            let error = RangeError::of_time(micros, first, last);
            let is_outside = !(first..=last).contains(&micros);
            assert_eq!(found.err(), is_outside.then_some(error), "{micros}");
        }
    }
}
