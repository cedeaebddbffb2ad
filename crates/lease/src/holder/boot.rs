//! The time since the machine was started, suspends included.

use core::time::Duration;

/// Returns the time since some fixed moment. It never steps, and counts suspends.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    // Neither part is ever negative on this clock.
    let (secs, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(secs.unwrap_or(0), nanos.unwrap_or(0))
}

/// Returns the time since some fixed moment. It never steps. On systems where it does not count
/// suspends, a renewal after one comes late.
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

    /// A time namespace sets the time since the machine's start forward, as a suspend does. The
    /// test is skipped where no namespace can be created.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_suspend_counts() {
        use core::time::Duration;
        use std::ffi::OsStr;
        use std::io::{self, Write as _};
        use std::process::Command;

        const CHILD: &str = "TICKID_SHOW_BOOT_TIME";
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        if std::env::var_os(CHILD).is_some() {
            writeln!(io::stdout(), "boot time: {}", super::now().as_secs()).unwrap();
            return;
        }
        let in_a_namespace = |program: &OsStr| {
            let mut command = Command::new("unshare");
            let ahead = DAY.as_secs().to_string();
            command
                .args(["--map-root-user", "--time", "--boottime", &ahead, "--fork"])
                .arg(program);
            command
        };
        if !in_a_namespace("true".as_ref()).output().is_ok_and(|output| output.status.success()) {
            // Past the test harness, which captures other output.
            let _ = writeln!(io::stderr(), "skipped: no time namespace");
            return;
        }
        let before = super::now();
        let mut child = in_a_namespace(std::env::current_exe().unwrap().as_os_str());
        child
            .args(["--exact", "holder::boot::tests::a_suspend_counts", "--nocapture"])
            .env(CHILD, "1");
        let text = String::from_utf8(child.output().unwrap().stdout).unwrap();
        let (_, shown) = text.split_once("boot time: ").unwrap();
        let secs: u64 = shown.lines().next().unwrap().parse().unwrap();
        assert!(Duration::from_secs(secs + 1) > before + DAY, "{secs} s after {before:?}");
    }
}
