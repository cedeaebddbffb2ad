//! Sleeping for almost a given time.
//!
//! Systems wake sleepers late, by some 60 microseconds on most machines and by more on some virtual
//! ones. A generator that overslept would leave the sequences of a tick unused, so sleeps end early
//! by the lateness seen before, and the caller spins for the rest.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use crate::platform;

/// The lateness of this process's sleeps, in nanoseconds. It is only a hint because concurrent
/// updates may get lost.
static LATENESS: AtomicU32 = AtomicU32::new(TYPICAL);

/// The lateness before the first sleep.
const TYPICAL: u32 = 60_000;

/// The longest time that a caller spins for one sleep. If sleeps are later than this, the machine
/// is overloaded, and spinning would make it worse.
const MAX: u32 = 200_000;

/// Sleeps for almost `duration`, or returns immediately if that is less than the lateness.
pub(super) fn almost(duration: Duration) {
    let lateness = LATENESS.load(Ordering::Relaxed);
    match duration.checked_sub(Duration::from_nanos(lateness.into())) {
        Some(most) if platform::CAN_SLEEP && !most.is_zero() => {
            let start = platform::Instant::now();
            std::thread::sleep(most);
            let late = start.elapsed().saturating_sub(most);
            LATENESS.store(updated(lateness, late), Ordering::Relaxed);
        }
        _ => core::hint::spin_loop(),
    }
}

/// Returns the lateness to expect after one sleep was `late`. It moves only a quarter of the way
/// there, so a single late sleep counts little.
fn updated(lateness: u32, late: Duration) -> u32 {
    let late = u32::try_from(late.as_nanos()).unwrap_or(MAX).min(MAX);
    lateness - lateness / 4 + late / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sleeps: u32, late: Duration) -> u32 {
        (0..sleeps).fold(TYPICAL, |lateness, _| updated(lateness, late))
    }

    #[test]
    fn follows_the_machine() {
        for micros in [0_u16, 20, 60, 140, 200] {
            let late = after(50, Duration::from_micros(micros.into()));
            assert!(late.abs_diff(u32::from(micros) * 1_000) < 10, "{micros}: {late}");
        }
    }

    #[test]
    fn one_late_sleep_counts_little() {
        assert!(after(1, Duration::from_secs(3)) <= TYPICAL + (MAX - TYPICAL) / 4 + 4);
    }

    #[test]
    fn never_exceeds_the_bound() {
        assert!(after(1_000, Duration::MAX) <= MAX);
    }
}
