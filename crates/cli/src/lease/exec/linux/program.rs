//! The program, as the process group that it has to itself, and its share of the terminal.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

use super::descendants::reap_orphans;
use super::launch::Launch;
use crate::failure::Failure;
use crate::store::STORE_VARIABLE;

/// The state of the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Running,
    /// Stopped by a signal that requests it.
    Stopped(Signal),
    Ended,
}

/// A program that was started, with everything it starts in its process group. Dropping it kills
/// them.
#[derive(Debug)]
pub(super) struct Program {
    leader: Pid,
    terminal: Option<File>,
    has_terminal: bool,
}

impl Program {
    /// Starts the program by way of [`launch`](super::launch::launch). Variables without a value
    /// are removed from its environment.
    pub(super) fn start(
        command: &[OsString],
        environment: &[(&str, Option<String>)],
    ) -> Result<Self, Failure> {
        // Not the path that this program was started from: there may be another version by now.
        let mut stage = Command::new("/proc/self/exe");
        stage.arg0("tickid").args(Launch::arguments(command)).process_group(0);
        // It may hold a password, which the program has no use for.
        stage.env_remove(STORE_VARIABLE);
        for (name, value) in environment {
            match value {
                Some(value) => stage.env(name, value),
                None => stage.env_remove(name),
            };
        }
        let child = stage.spawn().map_err(Failure::Supervise)?;
        let leader = i32::try_from(child.id()).map_err(|_| nix::Error::EOVERFLOW);
        let leader = Pid::from_raw(leader?);
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok();
        Ok(Self { leader, terminal, has_terminal: false })
    }

    /// Sends a signal to the program and the processes it started.
    pub(super) fn signal(&self, signal: Signal) -> nix::Result<()> {
        match killpg(self.leader, signal) {
            // SIGCHLD will report a program that ended a moment ago.
            Err(nix::Error::ESRCH | nix::Error::EPERM) => Ok(()),
            result => result,
        }
    }

    /// Returns the state of the program, and reaps orphans that this process has for children.
    pub(super) fn state(&self) -> nix::Result<State> {
        reap_orphans(self.leader)?;
        let ask = |flags| waitid(Id::Pid(self.leader), flags | WaitPidFlag::WNOHANG);
        // Left a zombie, so that its number still names its group.
        match ask(WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)? {
            WaitStatus::Exited(..) | WaitStatus::Signaled(..) => return Ok(State::Ended),
            _ => {}
        }
        match ask(WaitPidFlag::WSTOPPED)? {
            WaitStatus::Stopped(_, signal) => Ok(State::Stopped(signal)),
            _ => Ok(State::Running),
        }
    }

    /// Returns the exit status of a program that has ended, as a shell has it. The rest of its
    /// group is killed, since the lease is not kept any more.
    pub(super) fn status(self) -> nix::Result<u8> {
        let status = waitid(Id::Pid(self.leader), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
        match status {
            WaitStatus::Exited(_, code) => u8::try_from(code).map_err(|_| nix::Error::EINVAL),
            WaitStatus::Signaled(_, signal, _) => Ok(of_signal(signal)),
            _ => Err(nix::Error::EINVAL),
        }
    }

    /// Handles a stop of the program, by Ctrl-Z or because it needs the terminal: gives it the
    /// terminal if that is ours, and else stops this process group as well, so that the shell gets
    /// the terminal back. Returns when the program may go on.
    pub(super) fn stopped(&mut self, by: Signal) -> nix::Result<bool> {
        let wants_terminal = matches!(by, Signal::SIGTTIN | Signal::SIGTTOU);
        if self.terminal.is_none() || !(wants_terminal || by == Signal::SIGTSTP) {
            return Ok(false);
        }
        if !(wants_terminal && self.give_terminal()?) {
            let had_terminal = self.has_terminal;
            self.take_terminal_back()?;
            stop_as_well()?;
            if wants_terminal || had_terminal {
                self.give_terminal()?;
            }
        }
        Ok(true)
    }

    /// Gives it the terminal if this process owns it.
    fn give_terminal(&mut self) -> nix::Result<bool> {
        let Some(terminal) = &self.terminal else { return Ok(false) };
        let is_ours = tcgetpgrp(terminal)? == getpgrp();
        if is_ours {
            tcsetpgrp(terminal, self.leader)?;
            self.has_terminal = true;
        }
        Ok(is_ours)
    }

    fn take_terminal_back(&mut self) -> nix::Result<()> {
        match &self.terminal {
            Some(terminal) if core::mem::take(&mut self.has_terminal) => {
                tcsetpgrp(terminal, getpgrp())
            }
            _ => Ok(()),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Nothing can be done about either.
        let _ = self.signal(Signal::SIGKILL);
        let _ = self.take_terminal_back();
        let _ = waitid(Id::Pid(self.leader), WaitPidFlag::WEXITED);
    }
}

/// Returns the exit status of a process that a signal killed.
pub(super) fn of_signal(signal: Signal) -> u8 {
    // They are numbered up to 31 (64 in real time).
    u8::try_from(128 + signal as i32).unwrap_or(u8::MAX)
}

/// Stops this process and its group, until they are continued. Without a shell that could continue
/// them, the system does not stop them.
pub(super) fn stop_as_well() -> nix::Result<()> {
    let stop = SigSet::from(Signal::SIGTSTP);
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    stop.thread_unblock()?;
    stop.thread_block()
}
