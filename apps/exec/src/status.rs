//! The exit status that stands for a signal.

use nix::sys::signal::Signal;

/// Returns the exit status of a process that a signal killed.
pub(super) fn of_signal(signal: Signal) -> u8 {
    // They are numbered up to 31 (64 in real time).
    u8::try_from(128 + signal as i32).unwrap_or(u8::MAX)
}
