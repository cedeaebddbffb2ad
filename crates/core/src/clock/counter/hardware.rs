//! The clocks of the machine, which are the time-stamp counter and two clocks of the kernel.
//!
//! `unsafe` is allowed here for two instructions and one system call.
#![allow(unsafe_code, reason = "reading the counter and the raw clock have no safe functions")]

use core::arch::x86_64::{_mm_lfence, _rdtsc};
use std::string::String;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use super::anchor::{FRACTION_BITS, MICROSECOND, MILLISECOND};
use super::clocks::Clocks;

/// The clocks of this machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hardware;

impl Clocks for Hardware {
    #[inline]
    fn counter(&self) -> u64 {
        fence();
        self.early_counter()
    }

    #[inline]
    fn early_counter(&self) -> u64 {
        // SAFETY: every x86-64 processor has the instruction; it touches no memory.
        unsafe { _rdtsc() }
    }

    fn wall(&self) -> Option<u64> {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        // Orders the thread's next actions after the reading.
        fence();
        let whole = since_1970.as_secs().checked_mul(1_000 * MILLISECOND)?;
        let time = whole + u64::from(since_1970.subsec_nanos()) * MICROSECOND / 1_000;
        // Half of the range is left, so that no line runs past its end.
        (time < u64::MAX / 2).then_some(time)
    }

    fn raw(&self) -> u64 {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the time is written to a variable of ours.
        let status = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &raw mut time) };
        // The clock exists since Linux 2.6.28. Without it no time passes, so no rate is measured.
        if status != 0 {
            return 0;
        }
        let (seconds, nanos) = (time.tv_sec.cast_unsigned(), time.tv_nsec.cast_unsigned());
        seconds.wrapping_mul(1_000 * MILLISECOND) + (nanos << FRACTION_BITS) / 1_000
    }
}

/// Waits until all earlier instructions are done, before any later one starts.
#[inline]
fn fence() {
    // SAFETY: every x86-64 processor has the instruction; it touches no memory.
    unsafe { _mm_lfence() }
}

/// Reports whether the kernel keeps time by the counter, which it does only after finding it
/// invariant and the same on all processors. Miri has no counter.
pub(super) fn counter_is_steady() -> bool {
    static IS_STEADY: OnceLock<bool> = OnceLock::new();
    *IS_STEADY.get_or_init(|| {
        let source = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let is_tsc = |name: String| name.trim_end() == "tsc";
        !cfg!(miri) && std::fs::read_to_string(source).is_ok_and(is_tsc)
    })
}
