//! The stage between the keeper and the program. It binds its own life to the keeper's, as far as
//! the kernel does that, and then becomes the program.

use core::time::Duration;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::{self, Command, ExitCode};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getppid};
use tickid_core::UnixTime;

use crate::error::Error;
use crate::status::NO_LEASE;
use crate::window::ClockTimes;

/// The first argument of this stage. It is not part of the documented command line, so that neither
/// help nor completions have it.
const STAGE: &str = "lease-exec-launch";

/// The arguments of this stage.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The process to end with.
    keeper: Option<i32>,
    /// The times from which on the program must not run.
    kill_at: Option<(Duration, UnixTime)>,
    /// The numbers of the signals that were blocked before the supervisor started.
    blocked: Vec<i32>,
    command: Vec<OsString>,
}

impl Launch {
    /// Returns the arguments of this process, if it is this stage.
    pub(crate) fn of_this_process() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        arguments.next().filter(|stage| stage == STAGE)?;
        let keeper = arguments.next().and_then(|id| id.to_str()?.parse().ok());
        let boot = arguments.next().and_then(|micros| micros.to_str()?.parse().ok());
        let wall = arguments.next().and_then(|micros| micros.to_str()?.parse().ok());
        let kill_at = boot.map(Duration::from_micros).zip(wall.map(UnixTime::from_micros));
        let blocked = arguments.next().and_then(|list| {
            list.to_str()?.split_terminator(',').map(|number| number.parse().ok()).collect()
        });
        Some(Self {
            keeper,
            kill_at,
            blocked: blocked.unwrap_or_default(),
            command: arguments.collect(),
        })
    }

    /// Returns the command line of a process that ends with this one and becomes that program,
    /// with these signals blocked, unless it is time to kill the program by then.
    pub(super) fn arguments(
        (boot, wall): (Duration, UnixTime),
        blocked: &SigSet,
        command: &[OsString],
    ) -> impl Iterator<Item = OsString> {
        let boot = u64::try_from(boot.as_micros()).unwrap_or(u64::MAX).to_string().into();
        let wall = wall.as_micros().to_string().into();
        let blocked: String = blocked.iter().map(|signal| format!("{},", signal as i32)).collect();
        [STAGE.into(), process::id().to_string().into(), boot, wall, blocked.into()]
            .into_iter()
            .chain(command.iter().cloned())
    }
}

/// Becomes the program, or returns its exit status, if its time was over before it began.
///
/// # Errors
/// Returns the reason why it did not become the program.
pub(crate) fn launch(launch: &Launch) -> Result<ExitCode, Error> {
    set_pdeathsig(Signal::SIGKILL)?;
    // The keeper may have died before that.
    if launch.keeper.map(Pid::from_raw) != Some(getppid()) {
        return Err(Error::Stage(STAGE));
    }
    // A process keeps its signal mask through `exec`, so what the supervisor and the keeper have
    // blocked is unblocked, and what was blocked before them stays so.
    let blocked = launch.blocked.iter().map(|number| Signal::try_from(*number));
    let blocked: SigSet = blocked.collect::<nix::Result<Vec<_>>>()?.into_iter().collect();
    let unblocked = Signal::iterator().filter(|signal| !blocked.contains(*signal));
    unblocked.collect::<SigSet>().thread_unblock()?;
    let ([program, rest @ ..], Some(kill_at)) = (launch.command.as_slice(), launch.kill_at) else {
        return Err(Error::Stage(STAGE));
    };
    // The last moment to notice that the keeper, or this process, was stopped until the window was
    // over. The program would run until the alarm has woken the keeper.
    if ClockTimes::read()?.has_reached(kill_at) {
        return Ok(ExitCode::from(NO_LEASE));
    }
    let reason = Command::new(program).args(rest).exec();
    Err(Error::Run { program: program.clone(), reason })
}
