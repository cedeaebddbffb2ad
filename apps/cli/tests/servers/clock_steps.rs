//! `gen` when the clock is set back between two runs.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tickid_testkit::servers::{Server, StartError, Test, clock_library};

use crate::process::{self, CLOCK, NODE_STORE, OK, Ran, json_lines, ran, with_state};

pub(crate) const TESTS: [Test<OtherTime>; 6] = [
    ("no_id_comes_twice", no_id_comes_twice),
    ("same_node_goes_on", same_node_goes_on),
    ("distant_node_is_not_used", distant_node_is_not_used),
    ("rollback_below_floor_ends_it", rollback_below_floor_ends_it),
    ("release_uses_the_highest_clock", release_uses_the_highest_clock),
    ("doctor_reports_an_unset_clock", doctor_reports_an_unset_clock),
];

/// Runs programs under a shifted time.
pub(crate) struct OtherTime(PathBuf);

impl Server for OtherTime {
    const NAME: &'static str = "libfaketime";

    fn start() -> Result<Self, StartError> {
        clock_library().map(Self).ok_or(StartError::NotInstalled)
    }

    fn is_installed() -> bool {
        clock_library().is_some()
    }
}

impl OtherTime {
    fn run(&self, state: &Path, offset: &str, arguments: &str) -> Ran {
        let mut command = with_state(state, arguments);
        command.env("LD_PRELOAD", &self.0).env("FAKETIME", offset);
        // Waits with a timeout would never end.
        ran(command.env("FAKETIME_DONT_FAKE_MONOTONIC", "1"))
    }

    fn stdout_of(&self, state: &Path, offset: &str, arguments: &str) -> String {
        let ran = self.run(state, offset, arguments);
        assert_eq!((ran.status, ran.said().as_str()), (OK, ""), "{offset}: {arguments}");
        ran.stdout
    }
}

fn no_id_comes_twice(time: &OtherTime) {
    let state = tempfile::tempdir().expect("a folder");
    let mut distinct = HashSet::new();
    for offset in ["+0s", "-1h", "-2h", "-1h", "-1s", "+0s"] {
        let stdout = time.stdout_of(state.path(), offset, "gen sno -n 3000 --json");
        distinct.extend(json_lines(&stdout).iter().map(|object| object["text"].to_string()));
    }
    assert_eq!(distinct.len(), 18_000);
}

/// Continues immediately, within the limit that the scheme may be ahead of its clock. Only the first
/// start in a new folder uses up that limit, because nothing remembers a process before it.
fn same_node_goes_on(time: &OtherTime) {
    let state = tempfile::tempdir().expect("a folder");
    let store = format!("static:42/8?state={}", state.path().display());
    let mut last = String::new();
    for offset in ["-1h", "+0s", "-3s", "-6s"] {
        let arguments = format!("gen scru64 -n 500 --store {store}");
        let stdout = time.stdout_of(state.path(), offset, &arguments);
        assert!(stdout.lines().all(|id| id > last.as_str()), "{offset}: at or below {last}");
        last = stdout.lines().last().expect("IDs").to_owned();
    }
}

/// Issues no ID rather than one that was issued before.
fn distant_node_is_not_used(time: &OtherTime) {
    let state = tempfile::tempdir().expect("a folder");
    let arguments = format!("gen scru64 --store static:42/8?state={}", state.path().display());
    time.stdout_of(state.path(), "+0s", &arguments);
    let ran = time.run(state.path(), "-1h", &arguments);
    assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""));
    assert!(ran.stderr.contains("1 of them quarantined"), "{}", ran.stderr);
}

fn doctor_reports_an_unset_clock(time: &OtherTime) {
    let state = tempfile::tempdir().expect("a folder");
    let ran = time.run(state.path(), "@2001-01-01 00:00:00", "doctor");
    assert_eq!(ran.status, CLOCK, "{}", ran.stdout);
    let line = ran.stdout.lines().next().expect("a line");
    assert!(line.starts_with("error    clock        200"), "{}", ran.stdout);
    assert!(ran.stdout.contains("hint: set the clock"), "{}", ran.stdout);
}

/// The clock is below the floor by less than the allowance: a generator that the program starts
/// then issues IDs there.
fn rollback_below_floor_ends_it(time: &OtherTime) {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path();
    let init = "lease init scru64 --realm orders --pool 5/8 --term 1";
    assert_eq!(time.stdout_of(state, "+0s", init), "");
    // The next window starts where this one has been used up to, now.
    let held = time.stdout_of(state, "+0s", "lease acquire --realm orders --json");
    let held = json_lines(held.lines().next().expect("a line")).remove(0);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let tick = now.expect("after 1970").as_millis() / 256;
    let token = held["token"].as_str().expect("a token");
    let release = format!("lease release --realm orders --token {token} --used {tick} --yes");
    assert_eq!(time.stdout_of(state, "+0s", &release), "");

    let offset = state.join("offset");
    fs::write(&offset, "+1s").expect("written");
    let mut exec = with_state(state, "lease exec --realm orders -- sh -c");
    // It would end by itself, with another status, in the end.
    exec.arg("echo began; sleep 30; exit 3").stdout(Stdio::piped()).stderr(Stdio::piped());
    exec.env("LD_PRELOAD", &time.0).env("FAKETIME_TIMESTAMP_FILE", &offset);
    exec.env("FAKETIME_NO_CACHE", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let mut child = exec.spawn().expect("runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("text");
    assert_eq!(line, "began\n");
    // 5 s below the floor; the allowance is 10.
    fs::write(&offset, "-5s").expect("written");
    let mut said = String::new();
    child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("ends").code(), Some(124), "{said}");
    assert!(said.contains("which is not within the window of node 5/8"), "{said}");
}

/// The clock is set back meanwhile, though not below the floor.
fn release_uses_the_highest_clock(time: &OtherTime) {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path();
    assert_eq!(time.stdout_of(state, "+0s", "lease init sno --realm orders --pool 5/16"), "");
    let offset = state.join("offset");
    fs::write(&offset, "+4s").expect("written");
    // Ticks of 4 ms since 2010. The supervisor, the keeper's parent, passes signals on, and reads the
    // clock after each: so it has done that when the second one arrives.
    let script = "supervisor=$(cut -d' ' -f4 /proc/$PPID/stat)
        heard=0; trap 'heard=$((heard + 1))' USR1
        echo $((($(date +%s%3N) - 1262304000000) / 4))
        while [ $heard -lt 2 ]; do kill -USR1 $supervisor; done
        echo +0s > $OFFSET";
    let mut exec = with_state(state, "lease exec --realm orders --release-on-exit -- sh -c");
    exec.arg(script).env("OFFSET", &offset).env("FAKETIME_TIMESTAMP_FILE", &offset);
    exec.env("LD_PRELOAD", &time.0).env("FAKETIME_NO_CACHE", "1");
    exec.env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    let ran = ran(&mut exec);
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
    let began: u64 = ran.stdout.trim().parse().expect("a tick");
    let list = time.stdout_of(state, "+0s", "lease list --realm orders --json");
    let row = process::rows(&list).remove(0);
    assert_eq!(row["standing"], "free");
    let ceiling = row["ceiling"].as_u64().expect("a tick");
    assert!(ceiling > began, "{ceiling}, but a clock read {began}");
}
