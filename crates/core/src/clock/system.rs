//! The operating system's wall clock.

use crate::clock::Clock;
use crate::error::ClockError;
use crate::platform;
use crate::time::UnixTime;

/// The operating system's wall clock, read afresh for each call.
///
/// It is exact to the microsecond, as far as the system keeps it (`reads_the_system_time`), and
/// follows every step and slew immediately. Choose it over the [default clock](crate::DefaultClock)
/// if even 20 microseconds of error matter. On its own it does not notice forks, so a program that
/// forks wraps it in a [`ProcessClock`](crate::ProcessClock). On `wasm32-unknown-unknown` it is the
/// browser's clock, which is exact to the millisecond and needs the feature `web`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        platform::wall_time()
            .and_then(|time| UnixTime::try_from(time).ok())
            .ok_or(ClockError::Unreadable { reason: "more than 292,000 years from 1970" })
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn reads_the_system_time() {
        let before = UnixTime::try_from(SystemTime::now()).unwrap();
        let now = SystemClock.now().unwrap();
        let after = UnixTime::try_from(SystemTime::now()).unwrap();
        // This fails only if the system's clock is stepped during these three lines.
        assert!(before <= now && now <= after);
    }
}
