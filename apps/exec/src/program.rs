//! The program, as the process group that it has to itself, and its share of the terminal.

use core::cell::Cell;
use core::time::Duration;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use nix::sys::signal::{SigSet, Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, getpgid, getpgrp, tcgetpgrp, tcsetpgrp};
use tickid_core::UnixTime;

use crate::descendants::reap_orphans;
use crate::error::Error;
use crate::keeper::{Keeper, KeeperOrder, Pipes, Report, ready};
use crate::plan::Plan;
use crate::window::ClockTimes;

/// A change of the program's state.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProgramChange {
    /// Stopped by a signal that requests it.
    Stopped(Signal),
    /// It has left this process behind, and perhaps more.
    Left(Pid),
    /// The keeper kills it, since its time was over.
    Overdue,
    /// It has ended with its group, with this exit status as a shell has it.
    Ended(u8),
    /// After [`Program::kill`], no descendant is left either.
    Gone,
    None,
}

/// A program that was started, with everything it starts in its process group. Dropping it kills
/// all of them.
#[derive(Debug)]
pub(super) struct Program {
    /// Its parent.
    keeper: Pid,
    leader: Pid,
    pipes: Pipes,
    /// The times when the keeper kills it.
    kill_at: (Duration, UnixTime),
    terminal: Option<File>,
    has_terminal: bool,
    /// Set between a stop and its [`resume`](Self::resume).
    is_held: bool,
    /// Set once the message about a process that cannot be signalled has been printed.
    is_refused: Cell<bool>,
    /// Set if the keeper ends by itself.
    is_over: bool,
    say: fn(&str),
}

impl Program {
    /// Starts the program by way of a [`Keeper`], which kills it at these times, a `margin` before
    /// its window ends. Variables without a value are removed from its environment.
    pub(super) fn start(
        plan: &Plan,
        environment: &[(&str, Option<String>)],
        kill_at: (Duration, UnixTime),
        margin: Duration,
    ) -> Result<Self, Error> {
        let (mut pipes, ends) = Pipes::new().map_err(Error::Supervise)?;
        // Written into the pipe before its reader exists, so that the keeper never runs without
        // knowing when to kill. This process may be stopped right after the start.
        if let Some(control) = &pipes.control {
            KeeperOrder::KillAt(kill_at.0, kill_at.1).write(control);
        }
        // The path that this program was started from may have another version by now.
        let mut stage = Command::new("/proc/self/exe");
        // In a group of its own, the keeper is not reached by Ctrl-C, which the terminal sends to
        // the whole group of this process.
        stage.arg0("tickid").args(Keeper::arguments(&ends, margin, &plan.command)).process_group(0);
        // The program inherits the environment by way of both stages. These variables may hold
        // passwords, which it has no use for.
        for name in &plan.hidden {
            stage.env_remove(name);
        }
        for (name, value) in environment {
            match value {
                Some(value) => stage.env(name, value),
                None => stage.env_remove(name),
            };
        }
        let keeper = stage.spawn().map_err(Error::Supervise)?;
        // While this process holds the keeper's ends, reading the reports would wait forever for a
        // keeper that was killed.
        drop(ends);
        let keeper = i32::try_from(keeper.id()).map_err(|_| nix::Error::EOVERFLOW)?;
        let keeper = Pid::from_raw(keeper);
        // Nothing can be signalled before the program's process ID is known.
        let first = first_report(&mut pipes, keeper, kill_at).map_err(Error::Supervise)?;
        let Report::Started(leader) = first else {
            return Err(Error::Supervise(unexpected(first)));
        };
        // Fails in a service or in cron, which have no controlling terminal. The program is never
        // moved to the foreground then.
        let terminal = File::options().read(true).write(true).open("/dev/tty").ok();
        Ok(Self {
            keeper,
            leader,
            pipes,
            kill_at,
            terminal,
            has_terminal: false,
            is_held: false,
            is_refused: Cell::new(false),
            is_over: false,
            say: plan.say,
        })
    }

    /// Sends a signal to the program and the processes of its group.
    pub(super) fn signal(&self, signal: Signal) -> nix::Result<()> {
        // The program's number is its own for as long as the keeper may not reap it.
        if self.pipes.control.is_none() {
            return Ok(());
        }
        let group = killpg(self.leader, signal);
        // The program may have joined another group.
        let has_left = getpgid(Some(self.leader)) != Ok(self.leader);
        let alone = if has_left { kill(self.leader, signal) } else { Ok(()) };
        for sent in [group, alone] {
            match sent {
                Ok(()) | Err(nix::Error::ESRCH) => {}
                Err(nix::Error::EPERM) => self.refused(self.leader),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sets the times when it is killed even if this process does not run then.
    pub(super) fn kill_at(&mut self, times: (Duration, UnixTime)) {
        if let (true, Some(control)) = (self.kill_at != times, &self.pipes.control) {
            KeeperOrder::KillAt(times.0, times.1).write(control);
            self.kill_at = times;
        }
    }

    /// Kills the program, and has the keeper kill all its descendants, wherever they are. Until
    /// they are gone this may be repeated, since the keeper may have been stopped meanwhile.
    pub(super) fn kill(&mut self) -> nix::Result<()> {
        self.signal(Signal::SIGKILL)?;
        end_all(&mut self.pipes, self.keeper)
    }

    /// Lets go of the processes that the program left behind.
    pub(super) fn let_go(mut self) {
        if let Some(control) = self.pipes.control.take() {
            KeeperOrder::LetGo.write(&control);
        }
        self.is_over = true;
    }

    /// Says that a process runs as a different user.
    fn refused(&self, process: Pid) {
        if !self.is_refused.replace(true) {
            (self.say)(&format!(
                "process {process} belongs to another user: this one cannot end it, and it may use \
                 the node beyond its window"
            ));
        }
    }

    /// The file that is readable after a change.
    pub(super) fn changes(&self) -> BorrowedFd<'_> {
        self.pipes.reports.as_fd()
    }

    /// Returns a change of the program's state, and waits for it.
    pub(super) fn change(&mut self) -> Result<ProgramChange, Error> {
        match Report::read(&mut self.pipes.reports).map_err(Error::Supervise)? {
            Report::Stopped(by) => Ok(ProgramChange::Stopped(by)),
            Report::Left(process) => Ok(ProgramChange::Left(process)),
            Report::Overdue => Ok(ProgramChange::Overdue),
            Report::Ended(status) => Ok(ProgramChange::Ended(status)),
            Report::Gone => {
                self.is_over = true;
                Ok(ProgramChange::Gone)
            }
            Report::Kept(process) => {
                self.refused(process);
                Ok(ProgramChange::None)
            }
            report @ (Report::Started(_) | Report::Failed(_)) => {
                Err(Error::Supervise(unexpected(report)))
            }
        }
    }

    /// Reaps orphans that this process has for children.
    pub(super) fn reap_orphans(&self) -> nix::Result<bool> {
        reap_orphans(self.keeper)
    }

    /// Handles a stop of the program, by Ctrl-Z or because it needs the terminal. If the terminal
    /// is ours, the program gets it. Otherwise this process group stops as well, so that the shell
    /// gets the terminal back. Returns when the program may be [resumed](Self::resume).
    pub(super) fn stopped(&mut self, by: Signal) -> nix::Result<()> {
        let wants_terminal = matches!(by, Signal::SIGTTIN | Signal::SIGTTOU);
        // A program that was stopped by SIGSTOP, for example, stays stopped until it gets SIGCONT.
        if self.terminal.is_none() || !(wants_terminal || by == Signal::SIGTSTP) {
            return Ok(());
        }
        // Ctrl-Z stops the program's group, but the shell waits for the group of this process. Once
        // `fg` has continued that, the program gets the terminal back.
        if !(wants_terminal && self.give_terminal()?) {
            let had_terminal = self.has_terminal;
            self.take_terminal_back()?;
            stop_as_well()?;
            if wants_terminal || had_terminal {
                self.give_terminal()?;
            }
        }
        self.is_held = true;
        Ok(())
    }

    /// Continues it after a stop that was [handled](Self::stopped).
    pub(super) fn resume(&mut self) -> nix::Result<()> {
        if core::mem::take(&mut self.is_held) { self.signal(Signal::SIGCONT) } else { Ok(()) }
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
        // Nothing can be done about failures.
        let _ = self.take_terminal_back();
        if !self.is_over {
            let _ = self.kill();
            while !self.is_over && !self.is_refused.get() {
                if self.change().is_err() {
                    // The keeper was killed. Its group is all that is known then.
                    let _ = killpg(self.leader, Signal::SIGKILL);
                    break;
                }
            }
        }
        if !self.is_refused.get() {
            let _ = waitid(Id::Pid(self.keeper), WaitPidFlag::WEXITED);
        }
    }
}

/// Has the keeper end what it has started, also if it was stopped.
fn end_all(pipes: &mut Pipes, keeper: Pid) -> nix::Result<()> {
    pipes.control = None;
    match kill(keeper, Signal::SIGCONT) {
        Ok(()) | Err(nix::Error::ESRCH) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Waits for the keeper's first report. A keeper that was stopped before that has started the
/// program all the same, so once the time to kill has come, it has to end it.
fn first_report(
    pipes: &mut Pipes,
    keeper: Pid,
    (boot, wall): (Duration, UnixTime),
) -> io::Result<Report> {
    /// A step of the wall clock and another stop are noticed within this time.
    const LONGEST: Duration = Duration::from_millis(500);
    loop {
        let now = ClockTimes::read()?;
        let by_wall = now.wall.map_or(Duration::ZERO, |now| wall.saturating_since(now));
        let mut left = boot.saturating_sub(now.boot).min(by_wall);
        if left.is_zero() {
            end_all(pipes, keeper)?;
            left = LONGEST;
        }
        if let [true] = ready([pipes.reports.as_fd()], Some(left.min(LONGEST)))? {
            return Report::read(&mut pipes.reports);
        }
    }
}

/// Returns the error of a report that ends the supervision.
fn unexpected(report: Report) -> io::Error {
    match report {
        Report::Failed(0) => io::ErrorKind::Other.into(),
        Report::Failed(errno) => io::Error::from_raw_os_error(errno),
        Report::Started(_)
        | Report::Stopped(_)
        | Report::Kept(_)
        | Report::Left(_)
        | Report::Overdue
        | Report::Ended(_)
        | Report::Gone => io::Error::other(format!("unexpected report: {report:?}")),
    }
}

/// Stops this process and its group, until they are continued. Without a shell that could continue
/// them, the system does not stop them.
pub(super) fn stop_as_well() -> nix::Result<()> {
    let stop = SigSet::from(Signal::SIGTSTP);
    kill(Pid::from_raw(0), Signal::SIGTSTP)?;
    stop.thread_unblock()?;
    stop.thread_block()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The supervisor knows nothing to kill yet, and would wait for ever.
    #[test]
    fn silent_keepers_are_continued() {
        let (mut pipes, ends) = Pipes::new().unwrap();
        let [_, reports] = ends;
        let mut keeper = Command::new("sh");
        keeper.args(["-c", r"kill -STOP $$; printf '\0\7\0\0\0'"]).stdout(reports);
        let mut keeper = keeper.spawn().unwrap();
        let id = Pid::from_raw(keeper.id().try_into().unwrap());
        let over = (Duration::ZERO, UnixTime::MAX);
        let report = first_report(&mut pipes, id, over).unwrap();
        assert_eq!(report, Report::Started(Pid::from_raw(7)));
        assert!(pipes.control.is_none());
        keeper.wait().unwrap();
    }
}
