//! The processes that a program leaves behind, in its process group or elsewhere.

use std::collections::HashMap;
use std::fs;
use std::io;

use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, getpid};

/// The descendants that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    None,
    /// They were killed, and will be gone soon.
    Dying,
    /// They are of other users, and cannot be killed. This is one of them.
    Kept(Pid),
}

/// Makes orphaned descendants children of this process.
pub(super) fn adopt() -> nix::Result<()> {
    set_child_subreaper(true)
}

/// Reports whether this process has children.
pub(super) fn has_children() -> bool {
    let any = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    waitid(Id::All, any) != Err(nix::Error::ECHILD)
}

/// Reaps the children that have ended, except for `other`.
pub(super) fn reap_orphans(other: Pid) -> nix::Result<()> {
    let ended = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG;
    loop {
        match waitid(Id::All, ended | WaitPidFlag::WNOWAIT)?.pid() {
            Some(orphan) if orphan != other => waitid(Id::Pid(orphan), ended)?,
            _ => return Ok(()),
        };
    }
}

/// Returns a process that is left of a program whose group was killed, if there is one: a child of
/// this process rather than one of that child's.
pub(super) fn left_behind(program: Pid) -> io::Result<Option<Pid>> {
    let is_left = |one: &&Descendant| one.group != program && one.id != program;
    Ok(descendants()?.iter().find(is_left).map(|one| one.id))
}

/// Kills the descendants of this process. Reports whether there were any, and one that cannot be
/// killed. After [`adopt`], those that were started meanwhile are found the next time.
pub(super) fn kill_all() -> io::Result<(bool, Option<Pid>)> {
    let (mut is_killed, mut kept) = (false, None);
    for Descendant { id, .. } in descendants()? {
        match kill(id, Signal::SIGKILL) {
            Ok(()) => is_killed = true,
            Err(nix::Error::EPERM) => kept = Some(id),
            Err(nix::Error::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok((is_killed, kept))
}

/// Kills the descendants of this process and reaps the children that have ended.
pub(super) fn end() -> io::Result<Left> {
    let (is_killed, kept) = kill_all()?;
    loop {
        match waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG) {
            Ok(WaitStatus::StillAlive) => break,
            Ok(_) => {}
            Err(nix::Error::ECHILD) => return Ok(Left::None),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(match kept {
        Some(one) if !is_killed => Left::Kept(one),
        _ => Left::Dying,
    })
}

/// A child of this process, or of one of its descendants.
struct Descendant {
    id: Pid,
    group: Pid,
}

/// Returns the children of this process, their children, and so on, without zombies.
fn descendants() -> io::Result<Vec<Descendant>> {
    let mut children: HashMap<i32, Vec<(Descendant, bool)>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        // One that cannot be read has ended and was reaped.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // NUMBER (NAME) STATE PARENT GROUP …, where the name may contain anything.
        let mut rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
        let is_zombie = rest.next() == Some("Z");
        let mut number = || rest.next()?.parse().ok();
        if let (Some(parent), Some(group)) = (number(), number()) {
            let one = Descendant { id: Pid::from_raw(id), group: Pid::from_raw(group) };
            children.entry(parent).or_default().push((one, is_zombie));
        }
    }
    let (mut found, mut parents) = (Vec::new(), vec![getpid().as_raw()]);
    while let Some(parent) = parents.pop() {
        for (one, is_zombie) in children.remove(&parent).unwrap_or_default() {
            parents.push(one.id.as_raw());
            if !is_zombie {
                found.push(one);
            }
        }
    }
    Ok(found)
}
