//! The processes that descend from this one, in whichever process group or session, and their end.
//!
//! After [`adopt`], a process whose parent ends becomes a child of this one. So all descendants are
//! found from here by following the kernel's lists of children, without reading about any other
//! process of the machine.

use core::time::Duration;
use std::collections::HashSet;
use std::fs;
use std::io;

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpid, getsid};

/// The descendants that are left after a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    None,
    /// Some were killed for the first time. Those that they started meanwhile are found by one more
    /// scan.
    New,
    /// All have been killed, and will be gone soon.
    Dying,
    /// They are of other users, and cannot be killed. This is one of them.
    Kept(Pid),
}

impl Left {
    /// Returns the longest time until the next scan. A process whose parent cannot be killed ends
    /// without a report.
    pub(super) fn pause(self) -> Duration {
        match self {
            Self::None | Self::New => Duration::ZERO,
            Self::Dying => Duration::from_millis(10),
            Self::Kept(_) => Duration::from_millis(500),
        }
    }
}

/// Makes orphaned descendants children of this process.
pub(super) fn adopt() -> io::Result<()> {
    // Otherwise descendants would not be found, or others be taken for them.
    let unsupported = |reason| Err(io::Error::new(io::ErrorKind::Unsupported, reason));
    let own = fs::read_link("/proc/self").ok().and_then(|link| link.to_str()?.parse().ok());
    if own != Some(getpid().as_raw()) {
        return unsupported("/proc is not mounted, or belongs to another PID namespace");
    }
    if fs::metadata("/proc/thread-self/children").is_err() {
        return unsupported(
            "/proc/thread-self/children is missing, as the kernel lists no children",
        );
    }
    Ok(set_child_subreaper(true)?)
}

/// Reports whether this process has children.
pub(super) fn has_children() -> bool {
    let any = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    waitid(Id::All, any) != Err(nix::Error::ECHILD)
}

/// Reaps children that have ended, except for `other`, and reports whether there may be more. A
/// program may leave orphans as fast as they are reaped, and may not hold up its end by that.
pub(super) fn reap_orphans(other: Pid) -> nix::Result<bool> {
    const AT_ONCE: usize = 100;
    let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG;
    for _ in 0..AT_ONCE {
        match waitid(Id::All, ended | WaitPidFlag::WNOWAIT)?.pid() {
            Some(orphan) if orphan != other => waitid(Id::Pid(orphan), ended)?,
            _ => return Ok(false),
        };
    }
    Ok(true)
}

/// Returns a process that is left of a program whose group was killed, if there is one. It is a
/// child of this process rather than one of that child's.
pub(super) fn left_behind(program: Pid) -> io::Result<Option<Pid>> {
    let mut left = None;
    walk(|_, id| {
        let is_left = |one: &ProcessStatus| !one.is_over && one.group != program && id != program;
        left = ProcessStatus::of(id)?.filter(is_left).map(|_| id);
        Ok(if left.is_some() { WalkStep::Stop } else { WalkStep::Below })
    })?;
    Ok(left)
}

/// Returns the descendants that have not ended.
pub(super) fn running() -> io::Result<Vec<Pid>> {
    let mut running = Vec::new();
    walk(|_, id| {
        if ProcessStatus::of(id)?.is_some_and(|one| !one.is_over) {
            running.push(id);
        }
        Ok(WalkStep::Below)
    })?;
    Ok(running)
}

/// Kills the descendants of this process, scan after scan.
#[derive(Debug, Default)]
pub(super) struct Killing {
    /// The child that is not reaped, so that its number remains its own.
    unreaped: Option<Pid>,
    /// The processes that the last scan killed.
    killed: HashSet<Pid>,
}

impl Killing {
    /// Kills all descendants. A child that has ended is reaped unless it is this one.
    pub(super) fn all_but_reap(unreaped: Pid) -> Self {
        Self { unreaped: Some(unreaped), ..Self::default() }
    }

    /// Kills the descendants that are there now, and reaps the children that have ended.
    ///
    /// A process that was killed starts no other. But it may have started one just before, which
    /// the kernel shows as a child of this process only when the first has ended. So look again
    /// without a pause while there are new ones.
    pub(super) fn scan(&mut self) -> io::Result<Left> {
        let (own, session) = (getpid(), getsid(None)?);
        let (mut killed, mut kept) = (HashSet::new(), None);
        walk(|parent, id| {
            if parent == own && self.has_ended(id)? {
                return Ok(WalkStep::Beside);
            }
            match kill(id, Signal::SIGKILL) {
                Ok(()) => {
                    killed.insert(id);
                }
                Err(nix::Error::EPERM) if ProcessStatus::of(id)?.is_none_or(|one| !one.is_over) => {
                    kept = Some(id);
                }
                Err(nix::Error::EPERM | nix::Error::ESRCH) => {}
                Err(error) => return Err(error.into()),
            }
            // A session is left to those who are born in it. If it is not this process's, then all
            // of its processes descend from this one, and die in the same moment, although they
            // fork. In the session of this process there are others: a shell, and its other jobs.
            if let Some(one) = ProcessStatus::of(id)?
                && one.session != session
                && one.group.as_raw() > 1
            {
                match killpg(one.group, Signal::SIGKILL) {
                    Ok(()) | Err(nix::Error::ESRCH | nix::Error::EPERM) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(WalkStep::Below)
        })?;
        let is_new = !killed.is_subset(&self.killed);
        self.killed = killed;
        Ok(match kept {
            _ if !has_children() => Left::None,
            _ if is_new => Left::New,
            Some(one) => Left::Kept(one),
            None => Left::Dying,
        })
    }

    /// Reports whether a child has ended, and reaps it then.
    fn has_ended(&self, child: Pid) -> nix::Result<bool> {
        let mut ask = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG;
        if self.unreaped == Some(child) {
            ask |= WaitPidFlag::WNOWAIT;
        }
        match waitid(Id::Pid(child), ask) {
            Ok(WaitStatus::StillAlive) => Ok(false),
            Ok(_) | Err(nix::Error::ECHILD) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// The way of a walk after a process was visited.
enum WalkStep {
    /// To its children.
    Below,
    /// Not to its children, because it has none, and its number may be that of a different process
    /// by now.
    Beside,
    Stop,
}

/// Visits the children of this process, their children, and so on, each with its parent.
fn walk(mut visit: impl FnMut(Pid, Pid) -> io::Result<WalkStep>) -> io::Result<()> {
    let mut parents = vec![getpid()];
    while let Some(parent) = parents.pop() {
        for child in children(parent)? {
            match visit(parent, child)? {
                WalkStep::Below => parents.push(child),
                WalkStep::Beside => {}
                WalkStep::Stop => return Ok(()),
            }
        }
    }
    Ok(())
}

/// Returns the children of all threads of a process. There are none if it has ended.
fn children(parent: Pid) -> io::Result<Vec<Pid>> {
    let mut all = Vec::new();
    let Some(threads) = unless_gone(fs::read_dir(format!("/proc/{parent}/task")))? else {
        return Ok(all);
    };
    for thread in threads {
        let Some(thread) = unless_gone(thread)? else { continue };
        let list = unless_gone(fs::read_to_string(thread.path().join("children")))?;
        let list = list.unwrap_or_default();
        all.extend(list.split_whitespace().filter_map(|id| id.parse().ok()).map(Pid::from_raw));
    }
    Ok(all)
}

/// A process as `/proc/PID/stat` shows it.
struct ProcessStatus {
    /// Set if it has ended, and only has to be reaped. A process whose first thread alone has ended
    /// is shown as a zombie too, with more than one thread.
    is_over: bool,
    group: Pid,
    session: Pid,
}

impl ProcessStatus {
    /// Returns the status of a process, or `None` if it is gone or hidden.
    fn of(id: Pid) -> io::Result<Option<Self>> {
        let stat = unless_gone(fs::read_to_string(format!("/proc/{id}/stat")))?;
        Ok(stat.as_deref().and_then(Self::parse))
    }

    fn parse(stat: &str) -> Option<Self> {
        // NUMBER (NAME) STATE PARENT GROUP SESSION …, where the name may contain anything.
        let mut rest = stat.rsplit_once(") ")?.1.split(' ');
        let state = rest.next()?;
        let mut number = |skipped| rest.nth(skipped)?.parse().ok();
        let (group, session) = (number(1)?, number(0)?);
        let threads = number(13)?;
        Some(Self {
            is_over: state == "Z" && threads <= 1,
            group: Pid::from_raw(group),
            session: Pid::from_raw(session),
        })
    }
}

/// Returns `None` for a process that has ended meanwhile, or whose user hides it.
fn unless_gone<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(it) => Ok(Some(it)),
        Err(error) if error.raw_os_error() == Some(nix::Error::ESRCH as i32) => Ok(None),
        Err(error) => {
            use io::ErrorKind::{NotFound, PermissionDenied};
            if matches!(error.kind(), NotFound | PermissionDenied) { Ok(None) } else { Err(error) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fields of `/proc/PID/stat` by their numbers there, of which the second is a name.
    fn stat(name: &str, state: &str, threads: u32) -> String {
        let rest: Vec<String> = (8..20).map(|field| field.to_string()).collect();
        format!("10 ({name}) {state} 4 50 60 7 {} {threads} 21 22\n", rest.join(" "))
    }

    #[test]
    fn names_of_processes_may_contain_anything() {
        for name in ["sh", "a) Z 1 2 3 (b", "", "a b\n"] {
            let one = ProcessStatus::parse(&stat(name, "S", 1)).unwrap();
            assert_eq!((one.is_over, one.group, one.session), (false, pid(50), pid(60)), "{name}");
        }
    }

    #[test]
    fn threads_outlive_the_first() {
        for (state, threads, is_over) in
            [("Z", 0, true), ("Z", 1, true), ("Z", 2, false), ("R", 1, false), ("D", 3, false)]
        {
            let one = ProcessStatus::parse(&stat("sh", state, threads)).unwrap();
            assert_eq!(one.is_over, is_over, "{state} {threads}");
        }
    }

    fn pid(number: i32) -> Pid {
        Pid::from_raw(number)
    }
}
