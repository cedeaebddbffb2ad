//! Exit statuses, as in a shell and as of `timeout`.

use nix::sys::signal::Signal;

/// The exit status if the program was stopped because it had no lease. `timeout` has the same.
pub(super) const NO_LEASE: u8 = 124;

/// Returns the exit status of a process that a signal killed.
pub(super) fn of_signal(signal: Signal) -> u8 {
    // Signals are numbered up to 31 (64 in real time).
    u8::try_from(128 + signal as i32).unwrap_or(u8::MAX)
}
