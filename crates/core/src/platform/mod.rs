//! The differences between browsers and all other systems, which no other module distinguishes.

use std::time::SystemTime;

pub(crate) use std::time::Instant;

/// True if a thread can be put to sleep.
pub(crate) const CAN_SLEEP: bool = true;

/// The first and the last time that `SystemTime` can hold, in microseconds since 1970.
pub(crate) const SYSTEM_TIMES: (i64, i64) = if cfg!(windows) {
    // 64 bits of 100 ns since 1601, the highest of them zero.
    let epoch = -11_644_473_600_000_000;
    (epoch, epoch + i64::MAX / 10)
} else {
    (i64::MIN, i64::MAX)
};

/// Reads the wall clock. Returns `None` for a time that does not fit.
#[inline]
pub(crate) fn wall_time() -> Option<SystemTime> {
    Some(SystemTime::now())
}
