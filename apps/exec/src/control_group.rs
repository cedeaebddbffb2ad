//! The control group of this process (cgroup v2), for processes that do not end one by one, because
//! they start others faster than they are found, or became a different user.

use core::time::Duration;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid, getppid};

/// The number of times that the group is read, and what is new in it killed one by one. What is new
/// in the second round was started during the first, and may go on like that. Processes that never
/// wait leave little of a processor to this one, so there is no time for more.
const ROUNDS: usize = 2;

/// The folders where cgroup v2 is mounted, the first alone, and the second beside the hierarchies
/// of version 1.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];

/// A control group that no other process uses.
#[derive(Debug)]
pub(super) struct ControlGroup {
    folder: PathBuf,
    /// This process and the supervisor.
    own: [Pid; 2],
}

impl ControlGroup {
    /// Returns the group of this process, if it and its parent are alone in it and no group is below
    /// it. Before the program starts, that shows that the group is the command's own.
    ///
    /// It is there for the worst case only, so no failure to find it is an error.
    pub(super) fn own() -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
        let own = [getppid(), getpid()];
        let group = |mount| Self { folder: Path::new(mount).join(path), own };
        MOUNTS.into_iter().map(group).find(|group| group.is_own().unwrap_or(false))
    }

    fn is_own(&self) -> io::Result<bool> {
        let processes = self.processes()?;
        let mut is_own = processes.len() == 2 && self.own.iter().all(|id| processes.contains(id));
        for entry in fs::read_dir(&self.folder)? {
            is_own &= !entry?.file_type()?.is_dir();
        }
        Ok(is_own)
    }

    fn processes(&self) -> io::Result<HashSet<Pid>> {
        let ids = fs::read_to_string(self.folder.join("cgroup.procs"))?;
        // Processes of another PID namespace have the number 0 here.
        Ok(ids.lines().filter_map(|id| id.parse().ok()).map(Pid::from_raw).collect())
    }

    /// Kills the processes of the group.
    ///
    /// If they do not die one by one `within` a time, the kernel kills the whole group at once. This
    /// ends the process itself as well, and the supervisor, whose exit status is lost, but that is
    /// better than equal IDs. If this user may not do that, the processes stay alive.
    pub(super) fn kill(self, within: Duration) {
        let start = Instant::now();
        let others = || {
            let mut processes = self.processes()?;
            self.own.iter().for_each(|id| {
                processes.remove(id);
            });
            Ok(processes)
        };
        let is_late = || start.elapsed() >= within;
        if !dies_one_by_one(others, |id| kill(id, Signal::SIGKILL), is_late) {
            let _ = fs::write(self.folder.join("cgroup.kill"), "1");
        }
    }
}

/// Kills what `list` returns until nothing in it is new. Returns `false` if there is no end of new
/// ones, or once it `is_late`.
fn dies_one_by_one(
    mut list: impl FnMut() -> io::Result<HashSet<Pid>>,
    mut kill: impl FnMut(Pid) -> nix::Result<()>,
    is_late: impl Fn() -> bool,
) -> bool {
    let mut killed = HashSet::new();
    for _ in 0..ROUNDS {
        let Ok(listed) = list() else { return false };
        // A process that was killed starts no other, and is listed until it runs for the last time.
        let mut is_new = false;
        for id in listed {
            if is_late() {
                return false;
            }
            match kill(id) {
                Err(nix::Error::ESRCH) => {}
                Err(_) => return false,
                Ok(()) => is_new |= killed.insert(id),
            }
        }
        if !is_new {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    fn set(ids: &[i32]) -> HashSet<Pid> {
        ids.iter().copied().map(Pid::from_raw).collect()
    }

    #[test]
    fn killed_processes_may_take_their_time() {
        let workers: Vec<i32> = (3..53).collect();
        let mut lists = [set(&workers), set(&workers[20..])].into_iter();
        assert!(dies_one_by_one(|| Ok(lists.next().unwrap()), |_| Ok(()), || false));
        assert!(lists.next().is_none());
        // A process that is listed for ever counts as killed.
        assert!(dies_one_by_one(|| Ok(set(&[3])), |_| Ok(()), || false));
        assert!(dies_one_by_one(|| Ok(set(&[3])), |_| Err(nix::Error::ESRCH), || false));
    }

    /// The second round shows it, and a third would be late.
    #[test]
    fn chains_of_processes_do_not_die_one_by_one() {
        let mut last = 2;
        let mut next = || {
            last += 1;
            Ok(set(&[last]))
        };
        assert!(!dies_one_by_one(&mut next, |_| Ok(()), || false));
        assert_eq!(last, 4);
    }

    /// A round of many processes may take longer than there is time.
    #[test]
    fn late_rounds_end() {
        let (workers, killed): (Vec<i32>, _) = ((3..1_003).collect(), Cell::new(0));
        let kill = |_| {
            killed.set(killed.get() + 1);
            Ok(())
        };
        assert!(!dies_one_by_one(|| Ok(set(&workers)), kill, || killed.get() == 100));
        assert_eq!(killed.get(), 100);
    }

    #[test]
    fn processes_of_other_users_do_not_die_one_by_one() {
        assert!(!dies_one_by_one(|| Ok(set(&[3])), |_| Err(nix::Error::EPERM), || false));
    }
}
