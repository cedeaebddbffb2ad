//! `tickid lease exec` on Linux, which ends a program together with its supervisor.

mod descendants;
mod keeper;
mod launch;
mod leases;
mod program;
mod renewal;
mod supervisor;
mod wake;
mod window;

use std::process::ExitCode;

use self::keeper::Keeper;
use self::launch::{Launch, launch};
pub(crate) use self::supervisor::exec;
use crate::failure::Failure;

/// Runs the stage that this process is, if a supervisor or a keeper has started it.
pub(crate) fn stage() -> Option<Result<ExitCode, Failure>> {
    let keeper = Keeper::of_this_process().map(|keeper| keeper.run());
    keeper.or_else(|| Launch::of_this_process().map(|stage| launch(&stage)))
}
