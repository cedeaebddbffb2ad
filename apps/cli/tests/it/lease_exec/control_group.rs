//! The control group that a supervisor has for itself is killed where nothing else helps.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{self, Command};

use nix::sys::signal::Signal;

use super::ends::{ending, is_root, unreachable, with_pipe};
use super::losses::take_away;
use super::{NO_LEASE, Supervised};
use crate::process::by_way_of;

/// A new control group, without processes. It ends with what is in it.
struct ControlGroup(PathBuf);

impl ControlGroup {
    /// Makes one, or returns `None` where cgroup v2 is missing or this user may not.
    fn new(name: &str) -> Option<Self> {
        let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(PathBuf::from);
        let mount = mounts.into_iter().find(|mount| mount.join("cgroup.procs").exists())?;
        let group = mount.join(format!("tickid-{name}-{}", process::id()));
        fs::create_dir(&group).ok().map(|()| Self(group))
    }

    /// The same command, started in the group.
    fn run(&self, command: &Command) -> Supervised {
        let enter = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display());
        Supervised::start(by_way_of(command, "sh", &["-c", &enter, "sh"]))
    }

    fn kill(&self) -> io::Result<()> {
        fs::write(self.0.join("cgroup.kill"), "1")
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.kill().expect("killed");
        // It is busy until the last process is gone.
        while let Err(error) = fs::remove_dir(&self.0) {
            assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{}", self.0.display());
            std::thread::yield_now();
        }
    }
}

/// Even one that became another user, which this supervisor cannot kill otherwise.
#[test]
fn nothing_outlives_an_own_control_group() {
    let Some(group) = ControlGroup::new("own").filter(|_| is_root()) else {
        return tickid_testkit::skip("needs root and cgroup v2");
    };
    // As the manager of the user's services does it.
    chown(group.0.join("cgroup.kill"), Some(65534), None).expect("given");
    let state = ending();
    let mut program = group.run(&unreachable(state.path()));
    program.line();
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    // Its input stays open: it does not end by itself.
    let input = program.child.stdin.take();
    assert!(program.stdout.next().is_none());
    let (_, stderr, status) = program.end();
    drop((input, store));
    assert_eq!(status.signal(), Some(Signal::SIGKILL as i32), "{status}: {stderr}");
}

/// With a stopped supervisor, only the keeper can end them, and looks at the group.
#[test]
fn steady_workers_leave_an_exit_status() {
    let Some(group) = ControlGroup::new("steady") else {
        return tickid_testkit::skip("needs root and cgroup v2");
    };
    let state = ending();
    let script = |output: &str| {
        format!(
            "exec > {output} 2>&1; for i in $(seq 50); do setsid sleep 1000 & done; echo began; \
             exec cat"
        )
    };
    let (program, mut lines) = with_pipe(state.path(), script, |exec| group.run(&exec));
    program.signal(Signal::SIGSTOP);
    assert_eq!(lines.next(), None);
    program.signal(Signal::SIGCONT);
    let (_, stderr, status) = program.end();
    assert_eq!(status.code(), Some(NO_LEASE), "{status}: {stderr}");
}

/// A group with other processes is not the command's own.
#[test]
fn control_groups_of_others_live_on() {
    let Some(group) = ControlGroup::new("others").filter(|_| is_root()) else {
        return tickid_testkit::skip("needs root and cgroup v2");
    };
    chown(group.0.join("cgroup.kill"), Some(65534), None).expect("given");
    let mut other = group.run(Command::new("sh").args(["-c", "echo began; exec cat"]));
    assert_eq!(other.line(), "began");
    let state = ending();
    let mut program = group.run(&unreachable(state.path()));
    program.line();
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let mut said = program.stderr.by_ref().map(|line| line.expect("text"));
    assert!(said.any(|line| line.contains("belongs to another user")), "nothing was said");
    drop(store);
    assert_eq!(program.end().2.code(), Some(NO_LEASE));
    assert_eq!(other.end().2.code(), Some(0));
}
