//! `tickid lease exec`: runs a program with a leased node, and no longer than its lease holds.

mod arguments;
#[cfg(target_os = "linux")]
#[path = "../../../../../apps/exec/src/lib.rs"]
mod linux;

pub(crate) use self::arguments::ExecArguments;
#[cfg(target_os = "linux")]
pub(crate) use self::linux::{exec, stage};

/// Elsewhere a program cannot be ended together with its supervisor.
#[cfg(not(target_os = "linux"))]
pub(crate) fn exec(_: &ExecArguments) -> Result<std::process::ExitCode, crate::failure::Failure> {
    Err(crate::failure::Failure::Usage("lease exec needs Linux".into())
        .hinting("other systems cannot end a program whose supervisor has died"))
}
