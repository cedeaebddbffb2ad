//! The process between the supervisor and the program, which ends the program and everything that
//! it started when the supervisor is gone.
//!
//! It is their parent, so orphans become its children, wherever they went. A parent-death signal
//! alone would not do, because the kernel clears it when credentials change (`su`, `setpriv`, a
//! setuid program), and children do not inherit it.

use core::time::Duration;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::timerfd::TimerSetTimeFlags;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, close, dup, dup2_stderr, dup2_stdin, dup2_stdout};
use tickid_core::UnixTime;

use crate::control_group::ControlGroup;
use crate::descendants::{self, Killing, Left, reap_orphans};
use crate::error::Error;
use crate::launch::Launch;
use crate::status::of_signal;
use crate::wake::{Alarms, blocked};
use crate::window::ClockTimes;

/// The exit status of a program that could not be supervised. `env` and `timeout` exit with the
/// same status if they fail themselves.
pub const SUPERVISION: u8 = 125;

/// The first argument of this stage. It is not part of the documented command line, so that neither
/// help nor completions have it.
const STAGE: &str = "lease-exec-keep";

/// The signals that cannot be blocked.
const NOT_BLOCKED: [Signal; 2] = [Signal::SIGKILL, Signal::SIGSTOP];

/// The arguments of this stage.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// The numbers of its ends of the two pipes.
    control: Option<RawFd>,
    reports: Option<RawFd>,
    /// The time between the kill and the end of the window.
    margin: Option<Duration>,
    command: Vec<OsString>,
}

/// The supervisor's ends of the pipes to the keeper.
#[derive(Debug)]
pub(super) struct Pipes {
    /// The keeper kills the program and all its descendants once this is closed, which the
    /// supervisor's death does as well.
    pub(super) control: Option<PipeWriter>,
    pub(super) reports: PipeReader,
}

/// An order to the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeeperOrder {
    /// Kill the program and all its descendants once the machine has run for this time, or at this
    /// time of the wall clock, whichever is first. It replaces an earlier order.
    KillAt(Duration, UnixTime),
    /// Let go of the processes that the program, which has ended, has left behind. Without this
    /// order they are killed in the end as well.
    LetGo,
}

impl KeeperOrder {
    const LEN: usize = 17;

    /// Gives the order. It may be lost without harm, because the death of the keeper shows in the
    /// other pipe, and a keeper that has been stopped until the pipe was full kills the program
    /// when it continues.
    pub(super) fn write(self, mut out: &PipeWriter) {
        let (kind, boot, wall) = match self {
            Self::KillAt(boot, wall) => (0, boot, wall.as_micros()),
            Self::LetGo => (1, Duration::ZERO, 0),
        };
        let boot = u64::try_from(boot.as_micros()).unwrap_or(u64::MAX);
        let mut bytes = [kind; Self::LEN];
        bytes[1..9].copy_from_slice(&boot.to_le_bytes());
        bytes[9..].copy_from_slice(&wall.to_le_bytes());
        // In one write, which a pipe does not split.
        let _ = out.write_all(&bytes);
    }

    /// Reads the next order, or `None` if the supervisor has closed the pipe.
    fn read(pipe: &mut File) -> io::Result<Option<Self>> {
        let mut bytes = [0; Self::LEN];
        match pipe.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let [kind, a, b, c, d, e, f, g, h, wall @ ..] = bytes;
        let boot = Duration::from_micros(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
        let wall = UnixTime::from_micros(i64::from_le_bytes(wall));
        match kind {
            0 => Ok(Some(Self::KillAt(boot, wall))),
            1 => Ok(Some(Self::LetGo)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// A report of the keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The program was started as this process.
    Started(Pid),
    /// It was stopped by this signal.
    Stopped(Signal),
    /// A process that has to end belongs to a different user, and cannot be killed.
    Kept(Pid),
    /// The program has left this process behind, and perhaps more.
    Left(Pid),
    /// The time of the last [`KeeperOrder::KillAt`] has come.
    Overdue,
    /// The program has ended, and its group. Its status is as in a shell.
    Ended(u8),
    /// No descendant is left.
    Gone,
    /// The keeper failed, with this number of an error of the system.
    Failed(i32),
}

impl Report {
    /// Sends the report to the supervisor. If the supervisor is gone, the other pipe shows it.
    fn write(self, out: &mut File) {
        let (kind, value) = match self {
            Self::Started(id) => (0, id.as_raw()),
            Self::Stopped(by) => (1, by as i32),
            Self::Kept(id) => (2, id.as_raw()),
            Self::Ended(status) => (3, status.into()),
            Self::Gone => (4, 0),
            Self::Failed(errno) => (5, errno),
            Self::Left(id) => (6, id.as_raw()),
            Self::Overdue => (7, 0),
        };
        let [a, b, c, d] = value.to_le_bytes();
        // In one write, which a pipe does not split.
        let _ = out.write_all(&[kind, a, b, c, d]);
    }

    /// Reads the next report. If there is none, the keeper was killed, which is an error.
    pub(super) fn read(pipe: &mut PipeReader) -> io::Result<Self> {
        // The keeper is the only writer and reports before it ends, so an end of the pipe means
        // that it was killed.
        let mut bytes = [0; 5];
        pipe.read_exact(&mut bytes).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                return io::Error::other("the process that watches over the program was killed");
            }
            error
        })?;
        let [kind, a, b, c, d] = bytes;
        let value = i32::from_le_bytes([a, b, c, d]);
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        Ok(match kind {
            0 => Self::Started(Pid::from_raw(value)),
            1 => Self::Stopped(Signal::try_from(value)?),
            2 => Self::Kept(Pid::from_raw(value)),
            3 => Self::Ended(u8::try_from(value).map_err(|_| invalid())?),
            4 => Self::Gone,
            5 => Self::Failed(value),
            6 => Self::Left(Pid::from_raw(value)),
            7 => Self::Overdue,
            _ => return Err(invalid()),
        })
    }
}

impl Pipes {
    /// Returns the pipes, and the keeper's ends, which a new process inherits.
    pub(super) fn new() -> io::Result<(Self, [OwnedFd; 2])> {
        let (of_keeper, control) = io::pipe()?;
        // A keeper that does not read may not hold the supervisor up.
        fcntl(&control, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        let (reports, to_supervisor) = io::pipe()?;
        Ok((Self { control: Some(control), reports }, [dup(of_keeper)?, dup(to_supervisor)?]))
    }
}

impl Keeper {
    /// Returns the arguments of this process, if it is this stage.
    pub(crate) fn of_this_process() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        arguments.next().filter(|stage| stage == STAGE)?;
        let mut number = || arguments.next()?.to_str()?.parse().ok();
        let (control, reports) = (number(), number());
        let margin = number().and_then(|millis| u64::try_from(millis).ok());
        let margin = margin.map(Duration::from_millis);
        Some(Self { control, reports, margin, command: arguments.collect() })
    }

    /// Returns the command line of a process that keeps that program.
    pub(super) fn arguments(
        ends: &[OwnedFd; 2],
        margin: Duration,
        command: &[OsString],
    ) -> impl Iterator<Item = OsString> {
        let [control, reports] = ends.each_ref().map(|end| end.as_raw_fd().to_string().into());
        let margin = margin.as_millis().to_string().into();
        [STAGE.into(), control, reports, margin].into_iter().chain(command.iter().cloned())
    }

    pub(crate) fn run(&self) -> Result<ExitCode, Error> {
        let (Some(control), Some(reports), Some(margin)) =
            (self.control, self.reports, self.margin)
        else {
            return Err(Error::Stage(STAGE));
        };
        let inherited = inherited(reports, File::options().write(true))
            .and_then(|reports| Ok((inherited(control, File::options().read(true))?, reports)));
        let (control, mut reports) = inherited.map_err(Error::Supervise)?;
        let Err(error) = keep(&self.command, margin, control, &mut reports) else {
            return Ok(ExitCode::SUCCESS);
        };
        Report::Failed(error.raw_os_error().unwrap_or_default()).write(&mut reports);
        Ok(ExitCode::from(SUPERVISION))
    }
}

/// Opens an inherited file anew, so that the program does not inherit it.
fn inherited(number: RawFd, options: &OpenOptions) -> io::Result<File> {
    let file = options.open(format!("/proc/self/fd/{number}"))?;
    close(number)?;
    Ok(file)
}

/// Starts the program, and keeps it until it has ended or the supervisor is gone.
fn keep(
    command: &[OsString],
    margin: Duration,
    mut control: File,
    reports: &mut File,
) -> io::Result<()> {
    // Signals for the program, or for all processes of a service, are not for this one.
    let all = Signal::iterator().filter(|signal| !NOT_BLOCKED.contains(signal)).collect();
    // The supervisor's are not for the program either.
    let (before, supervisors) = (SigSet::thread_get_mask()?, blocked());
    let before = before.iter().filter(|signal| !supervisors.contains(*signal)).collect();
    SigSet::thread_block(&all)?;
    // If this process is stopped when the supervisor dies, this continues it.
    set_pdeathsig(Signal::SIGCONT)?;
    descendants::adopt()?;
    let signals = SigSet::from(Signal::SIGCHLD);
    let signals = SignalFd::with_flags(&signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let mut means = Means {
        signals,
        alarms: Alarms::new()?,
        kill_at: (Duration::MAX, UnixTime::MAX),
        margin,
        group: ControlGroup::own(),
    };
    // This process may have been stopped until now, and the first orders be late.
    while let [true] = ready([control.as_fd()], Some(Duration::ZERO))? {
        match KeeperOrder::read(&mut control)? {
            Some(KeeperOrder::KillAt(boot, wall)) => means.kill_at = (boot, wall),
            // There is nothing to let go of yet. Without a supervisor, nothing is started.
            Some(KeeperOrder::LetGo) | None => {
                means.kill_at = (Duration::ZERO, UnixTime::MIN);
                break;
            }
        }
    }
    means.alarms.at(means.kill_at, TimerSetTimeFlags::empty())?;
    // The path that this program was started from may have another version by now.
    let mut stage = Command::new("/proc/self/exe");
    stage.arg0("tickid").args(Launch::arguments(means.kill_at, &before, command)).process_group(0);
    let leader = i32::try_from(stage.spawn()?.id()).map_err(|_| nix::Error::EOVERFLOW)?;
    let leader = Pid::from_raw(leader);
    match watch(leader, null, &mut means, control, reports) {
        Ok(WatchEnd::LetGo) => Ok(()),
        Ok(WatchEnd::Alone) => end(leader, &mut means, reports),
        Err(error) => {
            end(leader, &mut means, reports)?;
            Err(error)
        }
    }
}

/// The events that wake the keeper besides the supervisor's orders, and the control group, if it
/// may be killed.
struct Means {
    signals: SignalFd,
    alarms: Alarms,
    /// The times of the alarms.
    kill_at: (Duration, UnixTime),
    /// The time from an alarm to the end of the window.
    margin: Duration,
    group: Option<ControlGroup>,
}

impl Means {
    /// Waits, for at most that time, until a descendant may have ended. An alarm kills the group.
    fn wait(&mut self, within: Duration) -> io::Result<()> {
        if self.group.is_none() {
            ready([self.signals.as_fd()], Some(within))?;
        } else {
            let [boot, wall] = self.alarms.files();
            let [_, boot, wall] = ready([self.signals.as_fd(), boot, wall], Some(within))?;
            if boot || wall {
                self.kill_group()?;
            }
        }
        self.heard()
    }

    fn heard(&self) -> io::Result<()> {
        while self.signals.read_signal()?.is_some() {}
        Ok(())
    }

    /// Kills the group, the first time. Its processes have half of the margin to die one by one.
    fn kill_group(&mut self) -> io::Result<()> {
        if let Some(group) = self.group.take() {
            // On a busy machine, this process runs some time after the alarm.
            let (now, (boot, wall)) = (ClockTimes::read()?, self.kill_at);
            let by_wall = now.wall.map_or(Duration::ZERO, |now| now.saturating_since(wall));
            let overdue = by_wall.max(now.boot.saturating_sub(boot));
            group.kill((self.margin / 2).saturating_sub(overdue));
        }
        Ok(())
    }
}

/// The end of a watch.
enum WatchEnd {
    /// The program has ended, and what it left behind may stay.
    LetGo,
    /// The supervisor is gone, or wants all to end.
    Alone,
}

/// Watches over the program and the supervisor until either has ended.
fn watch(
    leader: Pid,
    null: File,
    means: &mut Means,
    mut control: File,
    reports: &mut File,
) -> io::Result<WatchEnd> {
    // First, because until then the supervisor can signal nothing.
    Report::Started(leader).write(reports);
    // The keeper must not keep a terminal, a pipe or a file system in use.
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(null)?;
    std::env::set_current_dir("/")?;
    let mut has_ended = false;
    loop {
        // After the program has ended, the supervisor may signal it until it has heard of that.
        // Until then nothing is reaped.
        let has_orphans = !has_ended && reap_orphans(leader)?;
        let state = if has_ended { None } else { state(leader)? };
        match state {
            Some(Report::Ended(status)) => {
                // Still a zombie, so that its number names its group.
                end_group(leader)?;
                if let Some(one) = descendants::left_behind(leader)? {
                    Report::Left(one).write(reports);
                }
                Report::Ended(status).write(reports);
                has_ended = true;
            }
            Some(report) => report.write(reports),
            None => {}
        }
        // A signal of the program, an order of the supervisor, or an alarm, whichever comes first.
        let [boot, wall] = means.alarms.files();
        let files = [means.signals.as_fd(), control.as_fd(), boot, wall];
        let [news, order, boot, wall] = ready(files, has_orphans.then_some(Duration::ZERO))?;
        if order {
            match KeeperOrder::read(&mut control)? {
                Some(KeeperOrder::KillAt(boot, wall)) => {
                    means.kill_at = (boot, wall);
                    means.alarms.at(means.kill_at, TimerSetTimeFlags::empty())?;
                }
                Some(KeeperOrder::LetGo) => return Ok(WatchEnd::LetGo),
                None => return Ok(WatchEnd::Alone),
            }
        } else if boot || wall {
            Report::Overdue.write(reports);
            means.kill_group()?;
            kill_until_alone(leader, &mut control)?;
            return Ok(WatchEnd::Alone);
        }
        if news {
            means.heard()?;
        }
    }
}

/// Kills the program and all its descendants, again and again until the supervisor knows it. Until
/// then the supervisor may send signals to the program's number, which has to remain the program's.
fn kill_until_alone(leader: Pid, control: &mut File) -> io::Result<()> {
    end_group(leader)?;
    let mut killing = Killing::all_but_reap(leader);
    loop {
        let left = killing.scan()?;
        let [order] = ready([control.as_fd()], Some(left.pause()))?;
        if order {
            match KeeperOrder::read(control)? {
                // The program's time has come, and what is killed is not let go of.
                Some(KeeperOrder::KillAt(..) | KeeperOrder::LetGo) => {}
                None => return Ok(()),
            }
        }
    }
}

/// Returns the program's last change of state.
#[expect(clippy::wildcard_enum_match_arm, reason = "each call asks for some states only")]
fn state(leader: Pid) -> nix::Result<Option<Report>> {
    let ask = |flags| waitid(Id::Pid(leader), flags | WaitPidFlag::WNOHANG);
    // WNOWAIT leaves the zombie where it is. Reaped, its number could become another process's
    // while the supervisor still sends signals to it.
    match ask(WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)? {
        WaitStatus::Exited(_, code) => {
            let status = u8::try_from(code).map_err(|_| nix::Error::EINVAL)?;
            return Ok(Some(Report::Ended(status)));
        }
        WaitStatus::Signaled(_, signal, _) => return Ok(Some(Report::Ended(of_signal(signal)))),
        _ => {}
    }
    Ok(match ask(WaitPidFlag::WSTOPPED)? {
        WaitStatus::Stopped(_, signal) => Some(Report::Stopped(signal)),
        _ => None,
    })
}

fn end_group(leader: Pid) -> nix::Result<()> {
    match killpg(leader, Signal::SIGKILL) {
        Ok(()) | Err(nix::Error::ESRCH | nix::Error::EPERM) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Kills the program and all its descendants, and returns when they have ended.
fn end(leader: Pid, means: &mut Means, reports: &mut File) -> io::Result<()> {
    let (mut is_reported, mut pause) = (false, Duration::ZERO);
    // One call ends most programs, before anything in /proc is read. What has left the group is
    // found below.
    end_group(leader)?;
    let mut killing = Killing::default();
    loop {
        // Wakes when a child ends, which is when its own children have become children of this
        // process. The alarm is still set for the end of the window. If it goes off here, killing
        // one by one takes too long, and the kernel has to kill the whole control group.
        means.wait(pause)?;
        let left = killing.scan()?;
        match left {
            Left::None => {
                Report::Gone.write(reports);
                return Ok(());
            }
            // The supervisor says once that a process of another user cannot be killed. This one
            // goes on trying, because the process may change its user back, or end.
            Left::Kept(one) if !is_reported => {
                Report::Kept(one).write(reports);
                is_reported = true;
            }
            Left::Kept(_) | Left::New | Left::Dying => {}
        }
        pause = left.pause();
    }
}

/// Waits, for at most that time, until one of the files is readable. Reports which are.
pub(super) fn ready<const N: usize>(
    files: [BorrowedFd<'_>; N],
    within: Option<Duration>,
) -> nix::Result<[bool; N]> {
    let mut files = files.map(|file| PollFd::new(file, PollFlags::POLLIN));
    let within = within.map_or(Ok(PollTimeout::NONE), PollTimeout::try_from);
    match poll(&mut files, within.unwrap_or(PollTimeout::MAX)) {
        Ok(_) | Err(nix::Error::EINTR) => {}
        Err(error) => return Err(error),
    }
    Ok(files.map(|file| file.any().unwrap_or(false)))
}
