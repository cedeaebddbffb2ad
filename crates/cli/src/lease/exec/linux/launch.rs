//! The stage between the supervisor and the program: binds its own life to the supervisor's, then
//! becomes the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{self, Command, ExitCode};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use super::wake::unblock_signals;
use crate::failure::Failure;
use crate::message::{say_error, shown};

/// The first argument of this stage. It is no part of the documented command line, so that neither
/// help nor completions have it.
const STAGE: &str = "lease-exec-launch";

/// As `env` has them.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

/// The arguments of this stage.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The process to end with.
    supervisor: Option<i32>,
    command: Vec<OsString>,
}

impl Launch {
    /// Returns the arguments of this process, if it is this stage.
    pub(crate) fn of_this_process() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        arguments.next().filter(|stage| stage == STAGE)?;
        let supervisor = arguments.next().and_then(|id| id.to_str()?.parse().ok());
        Some(Self { supervisor, command: arguments.collect() })
    }

    /// Returns the command line of a process that ends with this one and becomes that program.
    pub(super) fn arguments(command: &[OsString]) -> impl Iterator<Item = OsString> {
        [STAGE.into(), process::id().to_string().into()].into_iter().chain(command.iter().cloned())
    }
}

pub(crate) fn launch(launch: &Launch) -> Result<ExitCode, Failure> {
    set_pdeathsig(Signal::SIGKILL)?;
    // It may have died before that.
    if launch.supervisor.map(Pid::from_raw) != Some(getppid()) {
        return Err(Failure::Usage(format!("{STAGE} is for lease exec to call")));
    }
    unblock_signals()?;
    let [program, rest @ ..] = launch.command.as_slice() else {
        return Err(Failure::Usage("no program".into()));
    };
    let error = Command::new(program).args(rest).exec();
    let program = shown(program.as_encoded_bytes());
    say_error(&format!("cannot run '{program}': {error}"), None);
    Ok(ExitCode::from(match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_RUNNABLE,
    }))
}
