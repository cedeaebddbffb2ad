//! Shared code of the benchmarks: the generators measured, their clocks, and the loops.
//!
//! # Keeping the clock out of the measurement
//! - *Manual* clocks stand still for a batch of calls and then advance by one tick, so that no
//!   scheme runs out of IDs and no clock costs more than one load. Ours and the peers' clocks move
//!   alike.
//! - *Wall* clocks are each library's default. If a format has fewer IDs per tick than a loop can
//!   draw (all but ferroid's, ULID and UUID), the loop draws bursts of 1,024, the time until the
//!   next burst is not counted, and the name ends in `below-cap`. `generate/saturated` measures the
//!   rate at the cap.

pub mod figures;
pub mod peers;
pub mod subject;
pub mod texts;
pub mod timing;

use std::time::Duration;

use criterion::Criterion;
use tickid_core::UnixTime;

/// 2026-01-01T00:00:00Z, the start of manual clocks.
pub const START: UnixTime = UnixTime::from_micros(START_MILLIS.cast_signed() * 1_000);
/// The same in milliseconds.
pub const START_MILLIS: u64 = 1_767_225_600_000;

/// A value alone on its cache line (or two lines, because they are fetched in pairs), for data that
/// threads share. A manual clock next to a generator's state would make each as slow as the other.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Alone<T>(pub T);

/// Returns criterion with the default measuring times; the command line can change them.
#[must_use]
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(50)
        // Only medians are shown, and resampling took as long as measuring.
        .nresamples(2_000)
}
