//! `tickid lease exec`: programs that run with a leased node.

mod control_group;
mod ends;
mod losses;
mod programs;
mod signals;

use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{self, NODE_STORE, OK, USAGE, by_way_of, json_lines, ran, ran_in, with_state};

/// The program was stopped for lack of a lease.
const NO_LEASE: i32 = 124;
/// It could not have been stopped.
const NOT_SUPERVISED: i32 = 125;

/// The terms of leases whose end a test waits for, unless it comes while a busy machine starts the
/// program.
const ENDING: &str = "--term 1 --skew 15";

/// A folder whose store keeps a realm `orders` of these nodes and terms. With others, no lease ends
/// during a test.
fn state(init: &str) -> TempDir {
    let state = tempfile::tempdir().expect("a folder");
    let terms = if init.contains("--term") { "" } else { "--term 60" };
    let init = format!("lease init --realm orders {init} {terms}");
    assert_eq!(ran_in(state.path(), &init).status, OK, "{init}");
    state
}

/// `tickid lease exec` with `options`, running `script`, with the default disposition of every
/// signal.
fn exec(state: &Path, options: &str, script: &str) -> Command {
    let command = exec_with_inherited_signals(state, options, script);
    if ignores_signals() { by_way_of(&command, "env", &["--default-signal"]) } else { command }
}

/// `tickid lease exec` with the signal dispositions of the process that starts it.
fn exec_with_inherited_signals(state: &Path, options: &str, script: &str) -> Command {
    let mut command = with_state(state, &format!("lease exec --realm orders {options} -- sh -c"));
    command.arg(script).env("COMMAND", env!("CARGO_BIN_EXE_tickid"));
    command
}

/// Reports whether the test process ignores one of the signals under test. `nohup` and a shell's
/// `&` start it like that, and its child processes inherit the disposition.
fn ignores_signals() -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("a status");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("a hexadecimal number");
    [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT]
        .into_iter()
        .any(|signal| ignored >> (signal as i32 - 1) & 1 == 1)
}

/// A supervisor with its program, and the output of both by lines.
struct Supervised {
    child: Child,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
}

impl Supervised {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        let stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
        let stderr = BufReader::new(child.stderr.take().expect("piped")).lines();
        Self { child, stdout, stderr }
    }

    /// The next line of the program.
    fn line(&mut self) -> String {
        self.stdout.next().expect("a line").expect("text")
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).expect("a process number");
        kill(Pid::from_raw(id), signal).expect("sent");
    }

    /// Waits until every process that could write to our pipe has ended. Returns their output, the
    /// supervisor's messages, and its exit status.
    fn end(mut self) -> (String, String, ExitStatus) {
        drop(self.child.stdin.take());
        let text = |lines: &mut dyn Iterator<Item = _>| {
            let lines: Vec<String> = lines.map(|line: Result<_, _>| line.expect("text")).collect();
            lines.join("\n")
        };
        let (stdout, stderr) = (text(&mut self.stdout), text(&mut self.stderr));
        (stdout, stderr, self.child.wait().expect("ends"))
    }
}

fn rows(state: &Path) -> Vec<Value> {
    let ran = ran_in(state, "lease list --realm orders --json");
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    process::rows(&ran.stdout)
}

/// The only row of the realm.
fn row(state: &Path) -> Value {
    rows(state).remove(0)
}

fn tick(value: &Value) -> u64 {
    value.as_u64().expect("a tick")
}

/// The present tick of sno, of 4 ms since 2010.
fn now_tick() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let millis = u64::try_from(now.expect("after 1970").as_millis()).expect("not for ever");
    (millis - 1_262_304_000_000) / 4
}

/// The store's URL may hold a password.
#[test]
fn store_is_not_in_environment() {
    let state = state("sno --pool 5/16");
    let url = format!("file://{}/tickid", state.path().display());
    let script = "env; tr '\\0' '\\n' < /proc/$$/environ; tr '\\0' ' ' < /proc/$$/cmdline";
    let mut exec = exec(state.path(), "", script);
    let ran = ran(exec.env("TICKID_STORE", &url).env("XDG_STATE_HOME", "/nowhere"));
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    assert!(ran.stdout.contains("TICKID_NODE=5/16"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("TICKID_STORE") && !ran.stdout.contains(&url), "{}", ran.stdout);
}

#[test]
fn help_asks_for_one_generator() {
    let help = ran(&mut process::tickid("lease exec --help")).stdout;
    assert!(help.contains("ONE GENERATOR PER LEASED NODE."), "{help}");
    assert!(help.contains("tickid lease exec --realm orders -- ./worker --port $port &"), "{help}");
}

#[test]
fn node_is_in_environment() {
    let script = "env | grep -E '^(TICKID_|SCRU64)' | sort";
    for (init, node, spec) in
        [("scru64 --pool 42/8", "42/8", "SCRU64_NODE_SPEC=42/8\n"), ("sno --pool 7/16", "7/16", "")]
    {
        // 39 ticks of 256 ms and two more; no tick of 4 ms and two more.
        let wait = if spec.is_empty() { 1 } else { 11 };
        let state = state(init);
        let ran = ran(&mut exec(state.path(), "--holder me", script));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{init}");
        let (scheme, _) = init.split_once(' ').expect("two words");
        let row = row(state.path());
        let window = format!("{}..{}", row["floor"], row["ceiling"]);
        let expected = format!(
            "{spec}TICKID_NODE={node}\nTICKID_NODES={node}\nTICKID_REALM=orders\n\
             TICKID_RESTART_WAIT={wait}\nTICKID_SCHEME={scheme}\nTICKID_WINDOW={window}\n\
             TICKID_WINDOWS={window}\n"
        );
        assert_eq!(ran.stdout, expected);
        assert_eq!(row["holder"], "me");
    }
}

#[test]
#[cfg_attr(not(feature = "etcd"), ignore = "needs the feature etcd")]
fn exit_status_is_passed_on() {
    let state = state("sno --pool 1-60/16 --term 10");
    for (script, status) in [("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill $$", 143)]
    {
        let ran = ran(&mut exec(state.path(), "", script));
        assert_eq!((ran.status, ran.stderr.as_str()), (status, ""), "{script}");
    }
    let exec = |rest: &str| ran_in(state.path(), &format!("lease exec --realm orders {rest}"));
    let unknown = exec("-- no-such-program");
    assert_eq!((unknown.status, unknown.stdout.as_str()), (127, ""));
    assert!(unknown.stderr.contains("cannot run 'no-such-program': No such"), "{}", unknown.stderr);
    let no_program = exec("-- /etc/passwd");
    assert_eq!(no_program.status, 126, "{}", no_program.stderr);
    assert_eq!(exec("").status, USAGE);
    // Half a term and the skew, without the margin of half a second and two ticks.
    let endless = exec("--kill-after 9.492 -- true");
    assert_eq!(endless.status, USAGE);
    assert!(endless.stderr.contains("no time to renew the lease"), "{}", endless.stderr);
    assert_eq!(exec("--kill-after 9.491 -- true").status, OK);
    let elsewhere = exec("--store etcd://127.0.0.1:1 -- true");
    assert_eq!((elsewhere.status, elsewhere.stdout.as_str()), (NODE_STORE, ""));
}

/// The node's last user counts as one whose clock is 10 s ahead.
#[test]
fn start_waits_for_the_window() {
    let state = state("sno --pool 5/16 --term 20");
    let acquired = ran_in(state.path(), "lease acquire --realm orders --json");
    let token = json_lines(&acquired.stdout).remove(0)["token"].clone();
    let used = now_tick() + 2_500;
    let token = token.as_str().expect("a token");
    let release = format!("lease release --realm orders --token {token} --used {used} --yes");
    assert_eq!(ran_in(state.path(), &release).status, OK);

    let script = "echo $TICKID_WINDOW; $COMMAND gen sno --node 5 --json";
    let ran = ran(&mut exec(state.path(), "", script));
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    assert!(ran.stderr.contains("waiting for the window of node 5/16"), "{}", ran.stderr);
    let (window, id) = ran.stdout.split_once('\n').expect("two lines");
    let (floor, _) = window.split_once("..").expect("two ticks");
    let floor: u64 = floor.parse().expect("a tick");
    assert_eq!(floor, used + 1);
    let id = json_lines(id).remove(0);
    assert!(tick(&id["timestamp"]) >= floor, "{id} is from before {floor}");
    assert!(tick(&id["timestamp"]) < tick(&row(state.path())["ceiling"]), "{id}");
}

/// A program that has ended may have used its window up to the end.
#[test]
fn the_whole_window_counts_as_used() {
    let state = state("sno --pool 5/16");
    let ran = ran(&mut exec(state.path(), "", "echo $TICKID_WINDOW"));
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    let (_, ceiling) = ran.stdout.trim_end().split_once("..").expect("two ticks");
    let row = row(state.path());
    assert!(row["token"].is_string(), "given back");
    assert_eq!(row["ceiling"].to_string(), ceiling);
}

#[test]
fn signal_while_waiting_releases() {
    let state = state("sno --pool 5/16");
    assert_eq!(ran(&mut exec(state.path(), "", "true")).status, OK);
    let ceiling = tick(&row(state.path())["ceiling"]);
    let mut waiting = Supervised::start(exec(state.path(), "", "echo began"));
    let said = waiting.stderr.next().expect("a line").expect("text");
    assert!(said.contains("waiting for the window"), "{said}");
    waiting.signal(Signal::SIGTERM);
    let (stdout, _, status) = waiting.end();
    assert_eq!((stdout.as_str(), status.code()), ("", Some(143)));
    let row = row(state.path());
    assert_eq!((&row["token"], tick(&row["ceiling"])), (&Value::Null, ceiling + 1));
}

/// A store that is gone by then changes nothing about how the wait has ended.
#[test]
fn signal_while_waiting_decides_the_status() {
    let state = state("sno --pool 5/16");
    assert_eq!(ran(&mut exec(state.path(), "", "true")).status, OK);
    let mut waiting = Supervised::start(exec(state.path(), "", "echo began"));
    let said = waiting.stderr.next().expect("a line").expect("text");
    assert!(said.contains("waiting for the window"), "{said}");
    std::fs::remove_dir_all(state.path().join("tickid")).expect("removed");
    waiting.signal(Signal::SIGTERM);
    let (stdout, stderr, status) = waiting.end();
    assert_eq!((stdout.as_str(), status.code()), ("", Some(143)), "{stderr}");
    assert!(stderr.contains("the node is free when its window ends"), "{stderr}");
}

#[test]
fn renewals_extend_the_run() {
    let state = state("sno --pool 5/16 --term 20 --skew 20");
    let mut program = Supervised::start(exec(state.path(), "", "echo ${TICKID_WINDOW#*..}; cat"));
    let ceiling: u64 = program.line().parse().expect("a tick");
    while tick(&row(state.path())["ceiling"]) == ceiling {
        std::thread::sleep(core::time::Duration::from_millis(100));
    }
    let stdin = program.child.stdin.as_mut().expect("piped");
    stdin.write_all(b"still here\n").expect("written");
    assert_eq!(program.line(), "still here");
    let (_, stderr, status) = program.end();
    assert_eq!((stderr.as_str(), status.code()), ("", Some(OK)));
}

#[test]
fn several_nodes_are_leased() {
    let state = state("scru64 --pool 1-3/8");
    let script = "echo $TICKID_NODES; echo $TICKID_WINDOWS; \
                  echo ${TICKID_NODE-none} ${TICKID_WINDOW-none} ${SCRU64_NODE_SPEC-none}";
    let mut exec = exec(state.path(), "--nodes 3", script);
    // As within another `lease exec`.
    exec.env("TICKID_NODE", "9/8").env("TICKID_WINDOW", "1..2").env("SCRU64_NODE_SPEC", "9/8");
    let ran = ran(&mut exec);
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let rows = rows(state.path());
    let mut leased: Vec<(String, String)> = lines[0]
        .split(' ')
        .zip(lines[1].split(' '))
        .map(|(node, window)| (node.to_owned(), window.to_owned()))
        .collect();
    leased.sort();
    let window = |row: &Value| format!("{}..{}", row["floor"], row["ceiling"]);
    let node = |row: &Value| row["node"].as_str().expect("a node").to_owned();
    let expected: Vec<_> = rows.iter().map(|row| (node(row), window(row))).collect();
    assert_eq!((leased, expected.len()), (expected, 3));
    assert_eq!(lines[2], "none none none");
}

/// A program that drops the further bits of a node would issue IDs of another holder.
#[test]
fn shares_need_the_option() {
    let script = "echo $TICKID_NODE; echo ${TICKID_FIELD-none} ${TICKID_SEQUENCES-none}";
    let inner = |state: &Path, options: &str| {
        let mut exec = exec(state, options, script);
        // As within another `lease exec`.
        exec.env("TICKID_FIELD", "9").env("TICKID_SEQUENCES", "8-9");
        ran(&mut exec)
    };
    let mixed = state("sno --pool 0/16,5/18");
    let refused = inner(mixed.path(), "");
    assert_eq!((refused.status, refused.stdout.as_str()), (USAGE, ""));
    let said = "error: the realm orders has shares of nodes: 5/18 is a part of the sequences of 1/16\n\
                hint: with --shares, ";
    assert!(refused.stderr.starts_with(said), "{}", refused.stderr);
    assert_eq!(rows(mixed.path()), [Value::Null; 0]);

    for (pool, shares, expected) in [
        ("sno --pool 5/18", "--shares", "5/18\n1 16384-32767\n"),
        ("nanoflake --pool 8191/13", "--shares", "8191/13\n1023 3584-4095\n"),
        // Whole nodes, with the option and without.
        ("sno --pool 7/16", "--shares", "7/16\n7 0-65535\n"),
        ("sno --pool 7/16", "", "7/16\nnone none\n"),
        ("scru64 --pool 42/8", "--shares", "42/8\n42 0-65535\n"),
        ("kuid --pool 0/0", "--shares", "0/0\nnone none\n"),
    ] {
        let state = state(pool);
        let ran = inner(state.path(), shares);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""), "{pool}");
    }

    let all = state("sno --pool 0/16,4-5/18");
    let script = "echo $TICKID_NODES; echo $TICKID_FIELD; echo $TICKID_SEQUENCES";
    let ran = ran(&mut exec(all.path(), "--shares --nodes 3", script));
    let lists: Vec<Vec<&str>> = ran.stdout.lines().map(|line| line.split(' ').collect()).collect();
    let [nodes, fields, sequences] = &lists[..] else { panic!("{}", ran.stdout) };
    let mut parts: Vec<_> = (0..3).map(|at| (nodes[at], fields[at], sequences[at])).collect();
    parts.sort_unstable();
    let expected =
        [("0/16", "0", "0-65535"), ("4/18", "1", "0-16383"), ("5/18", "1", "16384-32767")];
    assert_eq!(parts, expected);
}

#[test]
fn too_many_nodes_are_refused() {
    let state = state("sno --pool 1-3/16");
    let ran = ran(&mut exec(state.path(), "--nodes 4", "echo began"));
    assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""));
    let said = "4 nodes are not within 1..=3, those of the realm orders: 1-3/16";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(rows(state.path()), [Value::Null; 0]);
    for nodes in ["0", "-1", "1025", "many"] {
        let arguments = format!("lease exec --realm orders --nodes={nodes} -- true");
        assert_eq!(ran_in(state.path(), &arguments).status, USAGE, "{nodes}");
    }
}

/// They leave no time to end a program.
#[test]
fn terms_below_a_second_are_refused() {
    for (term, is_long) in [("0.999", false), ("1", true)] {
        let state = state(&format!("sno --pool 5/16 --term {term} --skew 60"));
        let ran = ran(&mut exec(state.path(), "", "echo began"));
        let (status, stdout) = if is_long { (OK, "began\n") } else { (USAGE, "") };
        assert_eq!((ran.status, ran.stdout.as_str()), (status, stdout), "{}", ran.stderr);
        let said = "error: a term of 999ms is outside of 1s..=2592000s\nhint: ";
        assert_eq!(ran.stderr.starts_with(said), !is_long, "{}", ran.stderr);
    }
}

#[test]
fn too_few_leases_are_released() {
    let state = state("sno --pool 1-3/16 --term 600");
    let acquired = ran_in(state.path(), "lease acquire --realm orders --json");
    let held = json_lines(&acquired.stdout).remove(0);
    let ran = ran(&mut exec(state.path(), "--nodes 3 --max-wait 0.5", "echo began"));
    assert_eq!((ran.status, ran.stdout.as_str()), (process::CLOCK, ""), "{}", ran.stderr);
    for row in rows(state.path()) {
        let is_held = row["node"] == held["node"];
        assert_eq!(row["token"].is_string(), is_held, "{row}");
        assert!(is_held || tick(&row["floor"]) + 1 == tick(&row["ceiling"]), "unused: {row}");
    }
}

#[test]
fn release_on_exit_frees_the_node() {
    let state = state("sno --pool 5-6/16");
    let mut last = String::new();
    for run in 0..3 {
        let script =
            "for node in $TICKID_NODES; do $COMMAND gen sno --node ${node%/*} -n 9 --json; done";
        let ran = ran(&mut exec(state.path(), "--nodes 2 --release-on-exit", script));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{run}");
        let ids = json_lines(&ran.stdout);
        assert_eq!(ids.len(), 18);
        let text = |id: &Value| id["text"].as_str().expect("text").to_owned();
        assert!(ids.iter().all(|id| text(id) > last), "{run}: {ids:?} and {last}");
        last = ids.iter().map(text).max().expect("IDs");
        let newest = ids.iter().map(|id| tick(&id["timestamp"])).max().expect("IDs");
        for row in rows(state.path()) {
            assert_eq!((&row["standing"], &row["token"]), (&"free".into(), &Value::Null));
            assert!(tick(&row["ceiling"]) > newest, "{row} and {newest}");
        }
    }
}

/// The allowance of SCRU64 is 39 ticks.
#[test]
fn release_on_exit_adds_allowance() {
    let state = state("scru64 --pool 5/8");
    let script = "$COMMAND gen scru64 --node 5/8 --node-size 8 --json";
    let ran = ran(&mut exec(state.path(), "--release-on-exit", script));
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    let used = tick(&json_lines(&ran.stdout)[0]["timestamp"]);
    let ceiling = tick(&row(state.path())["ceiling"]);
    assert!(ceiling >= used + 39 + 2, "{ceiling} after {used}");
}
