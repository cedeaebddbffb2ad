//! What the benchmarks share: who is measured, on which clock, and how.
//!
//! # How a clock is made not to be what is measured
//! - *Manual* clocks stand still for a batch of calls and then move on by one tick, so that no scheme
//!   runs out of IDs and no clock costs more than one load. Ours and the peers' move alike.
//! - *Wall* clocks are what each library reads unless it is told otherwise. Where a format has fewer IDs
//!   per tick than a loop can draw (every one but ferroid's, ULID and UUID), the loop draws bursts of 1,024
//!   and the time until the next burst is not counted: names end in `below-cap`. What happens at
//!   the cap is `generate/saturated`.

pub mod figures;
pub mod peers;
pub mod subject;
pub mod texts;
pub mod timing;

use std::time::Duration;

use criterion::Criterion;
use tickid_core::UnixTime;

/// 2026-01-01T00:00:00Z, where manual clocks start.
pub const START: UnixTime = UnixTime::from_micros(START_MILLIS.cast_signed() * 1_000);
/// The same in milliseconds.
pub const START_MILLIS: u64 = 1_767_225_600_000;

/// Keeps what threads share in a cache line (two, as they are fetched in pairs) of its own: a manual
/// clock next to a generator's state would make the one as slow as the other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Alone<T>(pub T);

/// How long to measure unless the command line says otherwise.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(50)
}
