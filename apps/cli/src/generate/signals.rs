//! The signals that end the command, which first releases what it holds.

/// Calls `release` before SIGHUP, SIGINT or SIGTERM ends the process, on Linux. If there can be no
/// thread that waits for them, they end the process as usual. Call it before other threads are
/// started, which would receive the signals.
#[cfg(target_os = "linux")]
pub(super) fn before_the_end(release: impl FnOnce() + Send + 'static) {
    use std::thread;

    use nix::sys::signal::{SigSet, Signal, raise};

    let all = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter();
    let signals: SigSet = all.filter(|signal| !is_ignored(*signal)).collect();
    if signals.thread_block().is_err() {
        return;
    }
    let wait = move || {
        let Ok(signal) = signals.wait() else { return };
        // The next one ends the process even if the store does not answer.
        let _ = signals.thread_unblock();
        release();
        let _ = raise(signal);
    };
    if thread::Builder::new().name("tickid-signals".to_owned()).spawn(wait).is_err() {
        let _ = signals.thread_unblock();
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn before_the_end(_: impl FnOnce() + Send + 'static) {}

/// Reports whether the signal was ignored before this process started, as by `nohup`. While it is
/// blocked, it would arrive nevertheless.
#[cfg(target_os = "linux")]
fn is_ignored(signal: nix::sys::signal::Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal as i32 - 1) & 1 == 1)
}
