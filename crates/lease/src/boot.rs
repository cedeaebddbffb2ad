//! The time since the machine was started, suspends included.

use core::time::Duration;

/// Time passed since some fixed moment. It never steps, and counts on while the machine is suspended.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    // Neither is ever negative on this clock.
    let (secs, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(secs.unwrap_or(0), nanos.unwrap_or(0))
}

/// Time passed since some fixed moment. It never steps; whether it counts on while the machine is
/// suspended is the system's affair. Where it does not, a renewal after a suspend comes late.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_goes_on() {
        let first = super::now();
        while super::now() == first {}
        assert!(super::now() > first);
    }
}
