//! The stage between the keeper and the program. It binds its own life to the keeper's, as far as
//! the kernel does that, and then becomes the program.

use core::convert::Infallible;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::{self, Command};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{Pid, getppid};

use crate::error::Error;

/// The first argument of this stage. It is not part of the documented command line, so that neither
/// help nor completions have it.
const STAGE: &str = "lease-exec-launch";

/// The arguments of this stage.
#[derive(Debug)]
pub(crate) struct Launch {
    /// The process to end with.
    keeper: Option<i32>,
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
        let blocked = arguments.next().and_then(|list| {
            list.to_str()?.split_terminator(',').map(|number| number.parse().ok()).collect()
        });
        Some(Self { keeper, blocked: blocked.unwrap_or_default(), command: arguments.collect() })
    }

    /// Returns the command line of a process that ends with this one and becomes that program,
    /// with these signals blocked.
    pub(super) fn arguments(
        blocked: &SigSet,
        command: &[OsString],
    ) -> impl Iterator<Item = OsString> {
        let blocked: String = blocked.iter().map(|signal| format!("{},", signal as i32)).collect();
        [STAGE.into(), process::id().to_string().into(), blocked.into()]
            .into_iter()
            .chain(command.iter().cloned())
    }
}

/// Becomes the program. Returns the reason why it did not.
pub(crate) fn launch(launch: &Launch) -> Result<Infallible, Error> {
    set_pdeathsig(Signal::SIGKILL)?;
    // It may have died before that.
    if launch.keeper.map(Pid::from_raw) != Some(getppid()) {
        return Err(Error::Stage(STAGE));
    }
    // A process keeps its signal mask through `exec`, so what the supervisor and the keeper have
    // blocked is unblocked, and what was blocked before them stays so.
    let blocked = launch.blocked.iter().map(|number| Signal::try_from(*number));
    let blocked: SigSet = blocked.collect::<nix::Result<Vec<_>>>()?.into_iter().collect();
    let unblocked = Signal::iterator().filter(|signal| !blocked.contains(*signal));
    unblocked.collect::<SigSet>().thread_unblock()?;
    let [program, rest @ ..] = launch.command.as_slice() else {
        return Err(Error::Stage(STAGE));
    };
    let reason = Command::new(program).args(rest).exec();
    Err(Error::Run { program: program.clone(), reason })
}
