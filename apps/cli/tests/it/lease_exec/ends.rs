//! Programs that end, and what they have started: with the program, with the lease, and with the
//! supervisor.

use core::time::Duration;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, dup, mkfifo};
use serde_json::Value;
use tempfile::TempDir;

use super::losses::take_away;
use super::{ENDING, NO_LEASE, NOT_SUPERVISED, Supervised, exec, row, rows, state, tick};
use crate::process::{OK, USAGE, by_way_of, ran};

/// The situation after a supervisor died before the program could be bound to it.
#[test]
fn no_start_without_a_supervisor() {
    for supervisor in ["1", "no number", ""] {
        let mut stage = Command::new(env!("CARGO_BIN_EXE_tickid"));
        stage.args(["lease-exec-launch", supervisor, "echo", "began"]);
        let ran = ran(&mut stage);
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{supervisor:?}");
    }
}

/// A keeper that was stopped before it started the program: the window is over, or was renewed, or
/// the supervisor is gone.
#[test]
fn programs_start_within_their_time() {
    let kill_at = |micros: u64| {
        // The order, the time since the machine's start, and the wall clock's.
        [[0].as_slice(), &micros.to_le_bytes(), &i64::MAX.to_le_bytes()].concat()
    };
    let (over, ahead) = (kill_at(1), kill_at(u64::MAX));
    for (orders, output) in [
        (vec![&over], ""),
        (vec![&over, &ahead], "began\n"),
        (vec![&ahead, &over], ""),
        (vec![], ""),
    ] {
        let (control, mut supervisor) = io::pipe().expect("made");
        let (reports, of_keeper) = io::pipe().expect("made");
        for order in &orders {
            supervisor.write_all(order).expect("written");
        }
        // Gone, or there until the program has ended.
        let supervisor = (!orders.is_empty()).then_some(supervisor);
        // Inherited by the keeper, unlike those above.
        let ends = [dup(control).expect("copied"), dup(of_keeper).expect("copied")];
        let mut keeper = Command::new(env!("CARGO_BIN_EXE_tickid"));
        let numbers = ends.each_ref().map(|end| end.as_raw_fd().to_string());
        keeper.arg("lease-exec-keep").args(numbers).args(["1000", "echo", "began"]);
        keeper.stdin(Stdio::null()).stdout(Stdio::piped());
        let keeper = keeper.spawn().expect("runs");
        drop(ends);
        // Started, and ended.
        let mut news = [0; 10];
        (&reports).read_exact(&mut news).expect("reports");
        drop(supervisor);
        let ran = keeper.wait_with_output().expect("ends");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), output, "{orders:?}: {news:?}");
    }
}

#[test]
fn descendants_are_killed() {
    let state = state("sno --pool 5/16");
    let program = Supervised::start(exec(state.path(), "", "sleep 1000 & exit 3"));
    let (stdout, stderr, status) = program.end();
    assert_eq!((stdout.as_str(), stderr.as_str(), status.code()), ("", "", Some(3)));
}

/// Starts a daemon, an orphan in a separate session.
const DAEMON: &str = "(setsid sh -c 'echo $$ > daemon; exec sleep 1000' > /dev/null 2>&1 &)
    until [ -s daemon ]; do sleep 0.02; done; echo began;";

fn with_daemon(state: &Path, options: &str, rest: &str) -> Supervised {
    let mut exec = exec(state, options, &format!("{DAEMON} {rest}"));
    exec.current_dir(state);
    let mut program = Supervised::start(exec);
    assert_eq!(program.line(), "began");
    program
}

fn daemon(state: &Path) -> Pid {
    let id = fs::read_to_string(state.join("daemon")).expect("a file");
    Pid::from_raw(id.trim().parse().expect("a process number"))
}

#[test]
fn daemons_end_before_release() {
    let state = state("sno --pool 5/16");
    let program = with_daemon(state.path(), "--release-on-exit", "exit 3");
    let (_, stderr, status) = program.end();
    assert_eq!((stderr.as_str(), status.code()), ("", Some(3)));
    assert_eq!(kill(daemon(state.path()), None), Err(nix::Error::ESRCH));
    assert_eq!(row(state.path())["token"], Value::Null);
}

/// Without --release-on-exit a daemon is left alone when the program ends by itself. It may use the
/// node, so nothing is released.
#[test]
fn daemons_may_keep_the_window() {
    let state = state("sno --pool 5/16");
    let (_, stderr, status) = with_daemon(state.path(), "", "exit 3").end();
    assert_eq!(status.code(), Some(3));
    assert!(row(state.path())["token"].is_string(), "released");
    let daemon = daemon(state.path());
    kill(daemon, Signal::SIGKILL).expect("it is there");
    let said = format!("tickid: process {daemon}, which the program left behind, is still running");
    assert!(stderr.starts_with(&said) && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn daemons_of_daemons_end() {
    let state = state("sno --pool 5/16");
    // Each starts the next and waits, in a separate session.
    let script = "cat > chain <<'end'
        echo $1; [ $1 = 0 ] && exec sleep 1000
        setsid sh chain $(($1 - 1)); true
end
        setsid sh chain 9 > out & until grep -qs '^0' out; do sleep 0.02; done; exit 4";
    let mut exec = exec(state.path(), "--release-on-exit", script);
    let ended = Supervised::start({
        exec.current_dir(state.path());
        exec
    });
    let (_, stderr, status) = ended.end();
    assert_eq!((stderr.as_str(), status.code()), ("", Some(4)));
    assert_eq!(row(state.path())["token"], Value::Null);
}

/// A zombie would stay for as long as the supervisor runs.
#[test]
fn orphans_are_reaped() {
    let state = state("sno --pool 5/16");
    let rest =
        "id=$(cat daemon); kill -9 $id; while [ -e /proc/$id ]; do sleep 0.02; done; echo gone";
    let program = with_daemon(state.path(), "--release-on-exit", rest);
    let (stdout, stderr, status) = program.end();
    assert_eq!((stdout.as_str(), stderr.as_str(), status.code()), ("gone", "", Some(OK)));
}

/// The options of `unshare` for a command that is process 1. The last is for `/proc`.
const AS_PROCESS_1: [&str; 6] =
    ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];

fn has_namespaces() -> bool {
    let probe = Command::new("unshare").args(AS_PROCESS_1).arg("true").output().expect("runs");
    probe.status.success()
}

/// There, numbers in `/proc` name other processes.
#[test]
fn other_namespaces_are_refused() {
    if !has_namespaces() {
        return tickid_testkit::skip("needs namespaces");
    }
    let state = state("sno --pool 5/16");
    let exec = exec(state.path(), "", "echo began");
    let ran = ran(&mut by_way_of(&exec, "unshare", &AS_PROCESS_1[..5]));
    assert_eq!((ran.status, ran.stdout.as_str()), (NOT_SUPERVISED, ""));
    assert!(ran.stderr.contains("/proc is not mounted, or belongs to another"), "{}", ran.stderr);
}

/// As in a container, without the option too.
#[test]
fn orphans_are_reaped_by_process_1() {
    if !has_namespaces() {
        return tickid_testkit::skip("needs namespaces");
    }
    let state = state("sno --pool 5/16");
    let rest = "id=$(cat daemon); kill -9 $id; while [ -e /proc/$id ]; do sleep 0.02; done; exit 6";
    let is_below_1 = "[ \"$(cut -d ' ' -f 4 /proc/$PPID/stat)\" = 1 ]";
    let exec = exec(state.path(), "", &format!("{DAEMON} {is_below_1} && {rest}"));
    let mut alone = by_way_of(&exec, "unshare", &AS_PROCESS_1);
    let ran = ran(alone.current_dir(state.path()));
    assert_eq!((ran.status, ran.stderr.as_str()), (6, ""), "{}", ran.stdout);
}

/// They would be mistaken for the program's.
#[test]
fn children_prevent_release() {
    let state = state("sno --pool 5/16");
    let exec = exec(state.path(), "--release-on-exit", "echo began");
    let script = "sleep 1000 > /dev/null 2>&1 & echo $!; exec \"$@\"";
    let ran = ran(&mut by_way_of(&exec, "sh", &["-c", script, "sh"]));
    assert_eq!(ran.status, USAGE, "{}", ran.stderr);
    assert!(ran.stderr.contains("this process has children already"), "{}", ran.stderr);
    let child = Pid::from_raw(ran.stdout.trim().parse().expect("only a process number"));
    kill(child, Signal::SIGKILL).expect("it is still there");
}

#[test]
fn killed_supervisors_keep_leases() {
    let state = state("sno --pool 5-6/16");
    let options = "--nodes 2 --release-on-exit";
    let mut program = Supervised::start(exec(state.path(), options, "echo began; exec cat"));
    assert_eq!(program.line(), "began");
    let before = rows(state.path());
    program.signal(Signal::SIGKILL);
    // It holds its end of the pipe for as long as it lives, and its input stays open.
    let rest = program.stdout.next();
    assert!(rest.is_none(), "{rest:?}");
    program.end();
    let after = rows(state.path());
    assert_eq!((before.len(), after.len()), (2, 2));
    for (before, after) in before.iter().zip(&after) {
        assert!(after["token"].is_string() && after["token"] == before["token"], "{after}");
        assert!(tick(&after["ceiling"]) >= tick(&before["ceiling"]), "{after}");
    }
}

/// Sets the user without a shell, as an entry point of a container does.
const SETPRIV: &str = "setpriv --reuid=65534 --regid=65534 --clear-groups";

/// Programs that the kernel does not end with their parent, or not all of their processes. Those
/// that become another user need root, which the first column states.
const OUTLIVING: [(bool, &str); 8] = [
    (false, "echo began; sleep 1000 & exec cat"),
    (false, "exec setpriv --pdeathsig clear sh -c 'echo began; exec cat'"),
    (false, "exec setsid --wait sh -c 'trap \"\" TERM HUP; echo began; sleep 1000; true'"),
    (false, "(setsid sh -c 'echo began; exec sleep 1000' &); exec cat"),
    (false, "setsid setpriv --pdeathsig clear sh -c 'sleep 1000 & echo began; wait' & wait"),
    (true, "exec $SETPRIV sh -c 'echo began; exec cat'"),
    (true, "$SETPRIV sh -c 'sleep 1000 & echo began; wait' & wait"),
    // In a session of its own.
    (true, "exec su -s /bin/sh -c 'echo began; sleep 1000; true' nobody"),
];

pub(super) fn is_root() -> bool {
    fs::metadata("/proc/self").expect("this process").uid() == 0
}

/// Runs a test of each of them, all at the same time, since they wait for most of it.
fn for_each_outliving(test: impl Fn(&str) + Sync) {
    let (is_root, test) = (is_root(), &test);
    let possible = OUTLIVING.into_iter().filter(|(needs_root, _)| is_root || !needs_root);
    thread::scope(|scope| {
        for (_, script) in possible {
            scope.spawn(move || test(&script.replace("$SETPRIV", SETPRIV)));
        }
    });
}

/// A folder whose leases end while a test waits.
pub(super) fn ending() -> TempDir {
    state(&format!("sno --pool 5/16 {ENDING}"))
}

/// Waits until no process has the other end of the pipe that the program writes to.
fn expect_silence(mut program: Supervised, script: &str) -> Option<i32> {
    // Its input stays open: it does not end by itself.
    let input = program.child.stdin.take();
    let rest = program.stdout.next();
    assert!(rest.is_none(), "{script}: {rest:?}");
    let (_, _, status) = program.end();
    drop(input);
    status.code()
}

#[test]
fn nothing_outlives_a_supervisor() {
    for_each_outliving(|script| {
        let state = state("sno --pool 5/16");
        let mut program = Supervised::start(exec(state.path(), "", script));
        assert_eq!(program.line(), "began", "{script}");
        program.signal(Signal::SIGKILL);
        expect_silence(program, script);
    });
}

#[test]
fn nothing_outlives_the_lease() {
    for_each_outliving(|script| {
        let state = ending();
        let mut program = Supervised::start(exec(state.path(), "--kill-after 0.3", script));
        assert_eq!(program.line(), "began", "{script}");
        let store = take_away(state.path());
        assert_eq!(expect_silence(program, script), Some(NO_LEASE), "{script}");
        drop(store);
    });
}

/// Starts a script whose output is a pipe that only the script has open. Returns the lines from the
/// second on.
pub(super) fn with_pipe(
    state: &Path,
    script: impl Fn(&str) -> String,
    start: impl Fn(Command) -> Supervised,
) -> (Supervised, Box<dyn Iterator<Item = String>>) {
    let output = state.join("output");
    mkfifo(&output, Mode::S_IRWXU).expect("made");
    let script = script(&output.display().to_string());
    let mut program = start(exec(state, "--kill-after 0.3", &script));
    // Waits for a writer, which there never is if the program does not begin.
    let path = output.clone();
    let reader = thread::spawn(move || File::open(path).expect("opened"));
    while !reader.is_finished() && program.child.try_wait().expect("waits").is_none() {
        thread::sleep(Duration::from_millis(10));
    }
    // Neither waits nor fails if the reader has what it waits for.
    drop(File::options().read(true).write(true).open(&output).expect("opened"));
    let reader = BufReader::new(reader.join().expect("opened"));
    let mut lines = reader.lines().map(|line| line.expect("text"));
    assert!(lines.next().is_some(), "{:?}", program.end());
    (program, Box::new(lines))
}

/// A stopped supervisor renews no lease, and ends nothing.
#[test]
fn nothing_outlives_unattended_leases() {
    for_each_outliving(|outliving| {
        let state = ending();
        let script = |output: &str| format!("exec > {output} 2>&1; {outliving}");
        let (program, mut lines) = with_pipe(state.path(), script, Supervised::start);
        program.signal(Signal::SIGSTOP);
        assert_eq!(lines.next(), None, "{outliving}");
        program.signal(Signal::SIGCONT);
        assert_eq!(expect_silence(program, outliving), Some(NO_LEASE), "{outliving}");
    });
}

/// The program has ended, but no user was told what it left behind.
#[test]
fn daemons_end_with_unattended_leases() {
    let state = ending();
    let script = |output: &str| {
        format!(
            "(exec setsid sh -c 'echo began; exec sleep 1000' > {output} 2>&1 &); read line; exit 3"
        )
    };
    let (mut program, mut lines) = with_pipe(state.path(), script, Supervised::start);
    program.signal(Signal::SIGSTOP);
    program.child.stdin.as_mut().expect("piped").write_all(b"\n").expect("written");
    assert_eq!(lines.next(), None);
    program.signal(Signal::SIGCONT);
    // By now both the program and the lease have ended, and it may notice either one first.
    assert!(matches!(program.end().2.code(), Some(3 | NO_LEASE)));
}

/// Each process of a chain starts the next, and ends a millisecond later, in a session of its own.
const CHAIN: &str = r#"exec perl -MPOSIX -e '
    $| = 1; POSIX::setsid(); print "began\n";
    for (;;) {
        select(undef, undef, undef, .001);
        POSIX::_exit(0) if fork
    }'"#;

/// A process that is found may have started another by then. While the supervisor is stopped, the
/// keeper finds the last of them: only then nobody holds the pipe. How soon, depends on the machine.
#[test]
fn chains_of_processes_end() {
    let state = ending();
    let script = |output: &str| format!("({CHAIN}) > {output} & exec sleep 1000");
    let (program, lines) = with_pipe(state.path(), script, Supervised::start);
    // Not while it has the store's lock, since the row is read before it continues.
    let lock = take_away(state.path());
    program.signal(Signal::SIGSTOP);
    let is_stopped = |task: &Path| {
        let stat = fs::read_to_string(task.join("stat")).expect("a thread");
        stat.rsplit_once(") ").is_some_and(|(_, state)| state.starts_with('T'))
    };
    let threads = format!("/proc/{}/task", program.child.id());
    for task in fs::read_dir(threads).expect("threads") {
        let task = task.expect("a thread").path();
        while !is_stopped(&task) {
            thread::yield_now();
        }
    }
    drop(lock);
    assert_eq!(lines.count(), 0);
    program.signal(Signal::SIGCONT);
    let (_, stderr, status) = program.end();
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    assert!(stderr.contains("or this process did not run"), "{stderr}");
}

/// Its first thread ends, and the kernel shows it as a zombie, but the others run on.
#[test]
fn half_zombies_are_killed() {
    const PROGRAM: &str = "import ctypes, os, threading, time
os.setsid()
def run():
    while '(zombie)' not in status(): pass
    print('began', flush=True); time.sleep(1000)
def status():
    return open('/proc/%d/status' % os.getpid()).read()
threading.Thread(target=run).start()
ctypes.CDLL(None).syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)";
    if ran(Command::new("sh").args(["-c", "command -v python3"])).status != OK {
        println!("python3 is not installed");
        return;
    }
    let state = state("sno --pool 5/16");
    let file = state.path().join("program.py");
    fs::write(&file, PROGRAM).expect("written");
    let script = format!("python3 {} & exec cat", file.display());
    let mut program = Supervised::start(exec(state.path(), "", &script));
    assert_eq!(program.line(), "began");
    program.signal(Signal::SIGKILL);
    expect_silence(program, &script);
}

#[test]
fn nothing_outlives_a_stopped_keeper() {
    for is_killed in [true, false] {
        for_each_outliving(|script| {
            let state = ending();
            let script = format!("echo $PPID; {script}");
            let mut program = Supervised::start(exec(state.path(), "--kill-after 0.3", &script));
            let keeper = Pid::from_raw(program.line().parse().expect("a process number"));
            assert_eq!(program.line(), "began", "{script}");
            kill(keeper, Signal::SIGSTOP).expect("sent");
            let store = (!is_killed).then(|| take_away(state.path()));
            if is_killed {
                program.signal(Signal::SIGKILL);
            }
            let status = if is_killed { None } else { Some(NO_LEASE) };
            assert_eq!(expect_silence(program, &script), status, "{script}");
            drop(store);
        });
    }
}

/// The process between the two.
#[test]
fn nothing_outlives_its_keeper() {
    for_each_outliving(|script| {
        let state = state("sno --pool 5/16");
        // The supervisor's only child.
        let script = format!("echo $PPID; {script}");
        let mut program = Supervised::start(exec(state.path(), "", &script));
        let keeper = Pid::from_raw(program.line().parse().expect("a process number"));
        assert_eq!(program.line(), "began", "{script}");
        kill(keeper, Signal::SIGKILL).expect("it is there");
        assert_eq!(expect_silence(program, &script), Some(NOT_SUPERVISED), "{script}");
    });
}

/// They are for the program, or for every process of a service.
#[test]
fn keepers_ignore_signals() {
    let state = state("sno --pool 5/16");
    let script = "for signal in HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN CHLD; do
            kill -$signal $PPID; done; echo began; read line; exit 6";
    let mut program = Supervised::start(exec(state.path(), "", script));
    assert_eq!(program.line(), "began");
    assert_eq!(program.end().2.code(), Some(6));
}

#[test]
fn keepers_hold_nothing() {
    let state = state("sno --pool 5/16");
    // The program may run before the keeper has let go.
    let script = "until [ $(readlink /proc/$PPID/cwd) = / ]; do sleep 0.02; done
        readlink /proc/$PPID/fd/0 /proc/$PPID/fd/1 /proc/$PPID/fd/2
        tr '\\0' '\\n' < /proc/$PPID/environ | grep -c STORE";
    let mut exec = exec(state.path(), "", script);
    // The URL may contain a password.
    let url = format!("file://{}/tickid", state.path().display());
    let ran = ran(exec.env("TICKID_STORE", url).env("XDG_STATE_HOME", "/nowhere"));
    assert_eq!(ran.stdout, "/dev/null\n/dev/null\n/dev/null\n0\n", "{}", ran.stderr);
}

/// A leader cannot leave its session, but its group.
#[test]
fn programs_in_other_groups_get_signals() {
    let state = state(&format!("sno --pool 5-6/16 {ENDING}"));
    let cases = [
        (r#"sub { print "asked"; exit 7 }"#, "asked", 7),
        // Without a lease it is killed in the end.
        (r#""IGNORE""#, "", NO_LEASE),
    ];
    for (action, stdout, status) in cases {
        let script = r#"$| = 1; setpgrp(0, getpgrp(getppid())) or die; print "began\n";
            sleep 1 while 1"#;
        let script = format!("exec perl -e '$SIG{{TERM}} = {action}; {script}'");
        let mut program = Supervised::start(exec(state.path(), "--kill-after 0.3", &script));
        assert_eq!(program.line(), "began");
        let store = (status == NO_LEASE).then(|| take_away(state.path()));
        if store.is_none() {
            program.signal(Signal::SIGTERM);
        }
        let input = program.child.stdin.take();
        let (said, stderr, ended) = program.end();
        drop((input, store));
        assert_eq!((said.as_str(), ended.code()), (stdout, Some(status)), "{stderr}");
    }
}

/// A program that becomes root for good, like sudo, and its supervisor as another user. The
/// program reports its keeper first.
pub(super) fn unreachable(state: &Path) -> Command {
    let setuid = format!(
        "cp $(command -v setpriv) {0} && chmod 4755 {0}/setpriv && chown -R 65534 {0}/tickid &&
         chmod 755 {0}",
        state.display()
    );
    let prepared = ran(Command::new("sh").args(["-c", &setuid]));
    assert_eq!((prepared.status, prepared.stderr.as_str()), (OK, ""));
    let script = format!(
        "echo $PPID; exec {}/setpriv --reuid=0 --regid=0 --clear-groups \
         sh -c 'exec 2> /dev/null; echo began; exec cat'",
        state.display()
    );
    let exec = exec(state, "--kill-after 0.3", &script);
    let setpriv: Vec<&str> = SETPRIV.split(' ').collect();
    by_way_of(&exec, setpriv[0], &setpriv[1..])
}

/// The supervisor stays, and keeps the lease renewed as far as it can.
#[test]
fn unreachable_programs_are_named() {
    if !is_root() {
        return tickid_testkit::skip("needs root");
    }
    let state = ending();
    let mut program = Supervised::start(unreachable(state.path()));
    program.line();
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let mut said = program.stderr.by_ref().map(|line| line.expect("text"));
    assert!(said.any(|line| line.contains("belongs to another user")), "nothing was said");
    program.child.stdin.as_mut().expect("piped").write_all(b"still here\n").expect("written");
    assert_eq!(program.line(), "still here");
    drop(store);
    assert_eq!(program.end().2.code(), Some(NO_LEASE));
}

/// No keeper is left that could wait for them.
#[test]
fn processes_given_up_are_named() {
    if !is_root() {
        return tickid_testkit::skip("needs root");
    }
    let state = state("sno --pool 5/16");
    let mut program = Supervised::start(unreachable(state.path()));
    let keeper = Pid::from_raw(program.line().parse().expect("a process number"));
    assert_eq!(program.line(), "began");
    let children = fs::read_to_string(format!("/proc/{keeper}/task/{keeper}/children"));
    let id = children.expect("a list").trim().to_owned();
    kill(keeper, Signal::SIGKILL).expect("sent");
    let said: Vec<String> = program.stderr.by_ref().map(|line| line.expect("text")).collect();
    let named =
        format!("tickid: process {id} could not be killed: it may use node 5/16 beyond its window");
    assert!(said.contains(&named), "{id}: {said:?}");
    assert_eq!(program.end().2.code(), Some(NOT_SUPERVISED));
}
