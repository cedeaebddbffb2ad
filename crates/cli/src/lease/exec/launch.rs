//! The stage between the supervisor and the program: binds its own life to the supervisor's, then becomes the
//! program.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use crate::failure::Failure;
use crate::lease::args::LaunchArguments;
use crate::lease::exec::wake::unblock_signals;

/// As `env` has them.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

pub(in crate::lease) fn launch(arguments: &LaunchArguments) -> Result<ExitCode, Failure> {
    set_pdeathsig(Signal::SIGKILL).map_err(Failure::supervision)?;
    // It may have died before that.
    if getppid() != Pid::from_raw(arguments.supervisor) {
        return Err(Failure::Usage("lease launch is for lease exec to call".into()));
    }
    unblock_signals().map_err(Failure::supervision)?;
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err(Failure::Usage("no program".into()));
    };
    let error = Command::new(program).args(rest).exec();
    anstream::eprintln!("tickid: cannot run {}: {error}", program.display());
    Ok(ExitCode::from(match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_RUNNABLE,
    }))
}
