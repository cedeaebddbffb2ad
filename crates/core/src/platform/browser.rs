//! Browsers (`wasm32-unknown-unknown`), where the standard library cannot read the clock.

#[cfg(not(feature = "web"))]
compile_error!(
    "`std` needs the feature `web` on this target, and a browser; leave it out elsewhere"
);

use std::time::SystemTime;

pub(crate) use web_time::Instant;

/// False, so threads spin while they wait, for as long as one of their clocks moves.
pub(crate) const CAN_SLEEP: bool = false;

pub(crate) const SYSTEM_TIMES: (i64, i64) = (0, i64::MAX);

pub(crate) fn wall_time() -> Option<SystemTime> {
    let since_1970 = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH).ok()?;
    std::time::UNIX_EPOCH.checked_add(since_1970)
}
