//! Signals and terminals of programs with a leased node.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use nix::sys::signal::Signal;

use super::{NOT_SUPERVISED, Supervised, exec, exec_with_inherited_signals, state};
use crate::process::{OK, by_way_of, ran, with_state};

#[test]
fn signals_are_forwarded() {
    let state = state("sno --pool 1-60/16");
    for signal in [
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGUSR1,
        Signal::SIGUSR2,
        Signal::SIGWINCH,
        Signal::SIGCONT,
    ] {
        let name = &signal.as_str()[3..];
        let script =
            format!("trap 'echo {name}; exit 9' {name}; echo began; while :; do sleep 0.02; done");
        let mut program = Supervised::start(exec(state.path(), "", &script));
        assert_eq!(program.line(), "began");
        program.signal(signal);
        let (stdout, _, status) = program.end();
        assert_eq!((stdout.as_str(), status.code()), (name, Some(9)));
    }
}

#[test]
fn stop_and_cont_are_forwarded() {
    let state = state("sno --pool 5/16");
    // It stands still in its `read`: stopped as it starts a program, a shell may wait for that
    // without being stopped.
    let script = "trap 'echo continued; exit 9' CONT; echo $$; read line";
    // In a separate session: in a terminal, every process that waits for it would be stopped.
    let session = by_way_of(&exec(state.path(), "", script), "setsid", &[]);
    let mut program = Supervised::start(session);
    let id = program.line();
    let until = |state: &str| {
        let stat = || fs::read_to_string(format!("/proc/{id}/stat")).expect("it is there");
        while !stat().contains(&format!(") {state} ")) {
            std::thread::sleep(core::time::Duration::from_millis(5));
        }
    };
    until("S");
    program.signal(Signal::SIGTSTP);
    until("T");
    program.signal(Signal::SIGCONT);
    let input = program.child.stdin.take();
    let (stdout, _, status) = program.end();
    drop(input);
    assert_eq!((stdout.as_str(), status.code()), ("continued", Some(9)));
}

/// It inherits neither the files that the supervisor watches, nor the lock that shows that the
/// supervisor is alive.
#[test]
fn no_files_are_inherited() {
    let state = state("sno --pool 5/16");
    let script = "ls /proc/$$/fd; true";
    let supervised = ran(&mut exec(state.path(), "", script));
    let alone = ran(Command::new("sh").args(["-c", script]).stdin(Stdio::null()));
    assert_eq!((supervised.stdout, supervised.status), (alone.stdout, OK), "{}", supervised.stderr);
}

/// As under `nohup`. The shell sets the disposition itself and starts the command directly, as
/// `exec` would reset it.
#[test]
fn ignored_signals_stay_ignored() {
    let state = state("sno --pool 1-60/16");
    let exec = exec_with_inherited_signals(state.path(), "", "kill -HUP $$; echo still here");
    let mut nohup = by_way_of(&exec, "sh", &["-c", "trap '' HUP; exec \"$@\"", "sh"]);
    assert_eq!(ran(&mut nohup).stdout, "still here\n");
}

/// A low limit on open files fails at different stages: in the store or in the supervisor.
#[test]
fn unsupervised_never_starts() {
    let state = state("sno");
    let statuses = (4..=20).map(|files| {
        let limit = format!("ulimit -n {files}; exec \"$0\" \"$@\"");
        let tickid = exec(state.path(), "", "echo ran");
        let mut limited = by_way_of(&tickid, "sh", &["-c", &limit]);
        let ran = ran(&mut limited);
        let said = ran.stderr.starts_with("error: cannot supervise the program: ");
        assert_eq!(said, ran.status == NOT_SUPERVISED, "{files}: {}", ran.stderr);
        assert_eq!(ran.stdout, if ran.status == OK { "ran\n" } else { "" }, "{files}");
        ran.status
    });
    let statuses: Vec<_> = statuses.collect();
    assert!(statuses.contains(&NOT_SUPERVISED) && statuses.contains(&OK), "{statuses:?}");
}

/// Runs `exec` in a terminal and types `keys` as soon as the program has reported that it started.
/// Returns the terminal's later output.
fn in_a_terminal(state: &Path, script: &str, keys: &[u8]) -> (String, ExitStatus) {
    let exec = exec(state, "", script);
    let quoted: Vec<String> = core::iter::once(exec.get_program())
        .chain(exec.get_args())
        .map(|word| format!("'{}'", word.to_str().expect("text").replace('\'', "'\\''")))
        .collect();
    let mut terminal = Command::new("script");
    let exec = format!("exec {}", quoted.join(" "));
    terminal.args(["-qefc", &exec, "/dev/null"]).env("SHELL", "/bin/sh");
    terminal.env("XDG_STATE_HOME", state).env_remove("TICKID_STORE");
    terminal.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = terminal.spawn().expect("the program script, of util-linux");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    assert_eq!(line, "began\r\n");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(keys).expect("typed");
    let mut shown = String::new();
    stdout.read_to_string(&mut shown).expect("text");
    drop(stdin);
    (shown, child.wait().expect("ends"))
}

#[test]
fn missing_program_is_escaped() {
    let state = state("sno --pool 5-6/16");
    for (name, shown) in [
        ("/\x1b]0;x\x07\u{9b}2J".to_owned(), "'/\\u{1b}]0;x\\u{7}\\u{9b}2J'".to_owned()),
        ("/".to_owned() + &"a".repeat(100_000), "'/".to_owned() + &"a".repeat(299) + "…'"),
    ] {
        let ran = ran(with_state(state.path(), "lease exec --realm orders --").arg(name));
        let expected = format!("error: cannot run {shown}: ");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
        assert!(matches!(ran.status, 126 | 127), "{}", ran.status);
    }
}

#[test]
fn programs_read_the_terminal() {
    let state = state("sno --pool 1-60/16");
    let script = "echo began; read line; echo \"read $line\"; exit 5";
    let (shown, status) = in_a_terminal(state.path(), script, b"hello\n");
    assert!(shown.ends_with("read hello\r\n"), "{shown}");
    assert_eq!(status.code(), Some(5));
}

#[test]
fn interrupt_arrives_once() {
    let state = state("sno --pool 1-60/16");
    // A shell that is interrupted between its last look and its `read` continues to read, so it
    // reports that it started when it owns the terminal, which it is given because it reads.
    let reads = "(until read -r _ _ _ _ group _ _ foreground _ < /proc/$$/stat && \
                 [ $group = $foreground ]; do sleep 0.02; done; echo began) & read line";
    for wait in [reads, "echo began; while :; do sleep 0.02; done"] {
        let script =
            format!("n=0; trap 'n=$((n+1)); sleep 0.2; echo \"INT $n\"; exit 5' INT; {wait}");
        let (shown, status) = in_a_terminal(state.path(), &script, b"\x03");
        assert!(shown.ends_with("INT 1\r\n"), "{wait}: {shown}");
        assert_eq!(status.code(), Some(5), "{wait}");
    }
}
