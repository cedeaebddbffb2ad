//! `tickid lease exec`: runs a program with a leased node, and no longer than its lease holds.

mod arguments;
#[cfg(target_os = "linux")]
mod launch;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod renewal;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod wake;
#[cfg(target_os = "linux")]
mod window;

pub(super) use self::arguments::ExecArguments;
#[cfg(target_os = "linux")]
pub(crate) use self::launch::{Launch, launch};
#[cfg(target_os = "linux")]
pub(super) use self::supervisor::exec;

/// Elsewhere nothing ends a program together with its supervisor.
#[cfg(not(target_os = "linux"))]
pub(super) fn exec(_: &ExecArguments) -> Result<std::process::ExitCode, crate::failure::Failure> {
    Err(crate::failure::Failure::Usage(
        "lease exec needs Linux: other systems can't end a program whose supervisor has died"
            .into(),
    ))
}
