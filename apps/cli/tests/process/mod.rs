//! Helpers that run the command.

#![allow(dead_code, reason = "each test file uses its own part of it")]

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub(crate) const OK: i32 = 0;
pub(crate) const INVALID: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const NODE_STORE: i32 = 3;
pub(crate) const CLOCK: i32 = 4;

pub(crate) fn tickid(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tickid"));
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).env_remove("NO_COLOR");
    // Neither the store nor the settings of the user who runs the tests.
    for (setting, _) in std::env::vars_os() {
        if setting.as_encoded_bytes().starts_with(b"TICKID_") {
            command.env_remove(setting);
        }
    }
    command.env_remove("RUST_LOG").env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// Returns the command of a user with the state folder `state`.
pub(crate) fn with_state(state: &Path, arguments: &str) -> Command {
    let mut command = tickid(arguments);
    command.env("XDG_STATE_HOME", state);
    command
}

/// `command`, started by a program that becomes it.
pub(crate) fn by_way_of(command: &Command, program: &str, arguments: &[&str]) -> Command {
    let mut whole = Command::new(program);
    whole.args(arguments).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => whole.env(name, value),
            None => whole.env_remove(name),
        };
    }
    whole
}

#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl Ran {
    /// Returns what it has said, without a remark on a wait, which comes with any run that takes
    /// longer than a second on a busy machine.
    pub(crate) fn said(&self) -> String {
        let waits = |line: &&str| line.starts_with("tickid: waiting, for at most ");
        self.stderr.split_inclusive('\n').filter(|line| !waits(line)).collect()
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    command.output().expect("runs").into()
}

/// Runs a command with a closed pipe as its standard output.
pub(crate) fn ran_unread(state: &Path, arguments: &str) -> Ran {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = with_state(state, arguments);
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().expect("runs");
    Ran::from(child.wait_with_output().expect("ends"))
}

/// Runs the command of a user with the state folder `state`.
pub(crate) fn ran_in(state: &Path, arguments: &str) -> Ran {
    ran(&mut with_state(state, arguments))
}

pub(crate) fn run(arguments: &str) -> Ran {
    ran(&mut tickid(arguments))
}

/// Runs the command with a variable of its environment.
pub(crate) fn run_with(arguments: &str, name: &str, value: impl AsRef<OsStr>) -> Ran {
    ran(tickid(arguments).env(name, value))
}

pub(crate) fn run_with_input(arguments: &str, input: &[u8]) -> Ran {
    run_command(&mut tickid(arguments), input)
}

/// Runs a command that reads all of its input.
pub(crate) fn run_command(command: &mut Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("ends");
    writer.join().expect("no panic").expect("reads all its input");
    output.into()
}

/// Returns the standard output of a run that must succeed without output on standard error.
pub(crate) fn stdout_of(arguments: &str) -> String {
    let ran = run(arguments);
    assert_eq!((ran.status, ran.said().as_str()), (OK, ""), "{arguments}");
    ran.stdout
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Returns the nodes of `lease list --json`. Its first line is the realm.
pub(crate) fn rows(list: &str) -> Vec<Value> {
    let mut lines = json_lines(list);
    assert!(lines.remove(0)["realm"].is_string(), "{list}");
    lines
}
