//! The processes that a program leaves behind, in its process group or elsewhere.

use std::fs;

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpid};

use crate::failure::Failure;

/// Makes orphaned descendants children of this process.
pub(super) fn adopt() -> Result<(), Failure> {
    if waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT)
        != Err(nix::Error::ECHILD)
    {
        let failure = "this process has children already, which --release-on-exit would end";
        return Err(Failure::Usage(failure.into())
            .hinting("do not start other processes before an `exec tickid lease exec`"));
    }
    Ok(set_child_subreaper(true)?)
}

/// Reaps the children that have ended, except for the program itself.
pub(super) fn reap_orphans(program: Pid) -> nix::Result<()> {
    let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG;
    loop {
        match waitid(Id::All, ended | WaitPidFlag::WNOWAIT)?.pid() {
            Some(orphan) if orphan != program => waitid(Id::Pid(orphan), ended)?,
            _ => return Ok(()),
        };
    }
}

/// Kills the children of this process and reaps those that have ended. Reports whether none is
/// left. After [`adopt`], children of a child that has ended are among them the next time.
pub(super) fn end() -> Result<bool, Failure> {
    for child in children()? {
        match kill(child, Signal::SIGKILL) {
            // One of another user is waited for.
            Ok(()) | Err(nix::Error::EPERM | nix::Error::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    loop {
        match waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG) {
            Ok(WaitStatus::StillAlive) => return Ok(false),
            Ok(_) => {}
            Err(nix::Error::ECHILD) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

fn children() -> Result<Vec<Pid>, Failure> {
    let parent = getpid().to_string();
    let mut children = Vec::new();
    for entry in fs::read_dir("/proc").map_err(Failure::Supervise)? {
        let entry = entry.map_err(Failure::Supervise)?;
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // One that cannot be read has ended, and was no child: those are not reaped yet.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // NUMBER (NAME) STATE PARENT …, where the name may contain anything.
        let rest = stat.rsplit_once(") ").map(|(_, rest)| rest);
        if rest.and_then(|rest| rest.split(' ').nth(1)) == Some(parent.as_str()) {
            children.push(Pid::from_raw(id));
        }
    }
    Ok(children)
}
