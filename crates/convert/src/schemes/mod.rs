//! The four schemes as formats: the fields of their IDs and their assembly.

pub(crate) mod kuid;
mod nanoflake;
mod scru64;
mod sno;

use tickid_core::{Scheme, UnixTime};

use crate::error::ConvertError;

/// Returns the number of the tick of a time, which `scheme` must have.
#[inline]
fn held<S: Scheme>(scheme: S, tick: i64, time: UnixTime) -> Result<u64, ConvertError> {
    match u64::try_from(tick) {
        Ok(tick) if tick <= S::MAX_TICK => Ok(tick),
        _ => Err(out_of_range(scheme, time)),
    }
}

#[cold]
fn out_of_range<S: Scheme>(scheme: S, time: UnixTime) -> ConvertError {
    match scheme.tick_at(time) {
        Err(error) => ConvertError::Time(error),
        // The scheme and its ticks here number alike.
        Ok(tick) => {
            let (value, max) = (tick.get().into(), S::MAX_TICK.into());
            ConvertError::Time(tickid_core::RangeError::new("tick", value, 0, max))
        }
    }
}
