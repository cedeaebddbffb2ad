//! Leases that end under a program, or are lost.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use nix::sys::signal::Signal;
use serde_json::Value;

use super::{NO_LEASE, Supervised, exec, now_tick, row, rows, state, tick};
use crate::process::{OK, json_lines, ran, ran_in};

/// Locks all other processes out of the store.
pub(super) fn take_away(state: &Path) -> File {
    let lock = File::open(state.join("tickid/orders/lock")).expect("a lock");
    lock.lock().expect("locked");
    lock
}

/// The window that it is waiting for ends soon after it starts unless it is renewed, which is
/// impossible here.
#[test]
#[ignore = "a short term: cargo xtask verify exec"]
fn start_needs_the_grace_period() {
    let state = state("sno --pool 5/16 --term 4 --skew 0");
    assert_eq!(ran(&mut exec(state.path(), "", "true")).status, OK);
    let floor = tick(&row(state.path())["ceiling"]);
    let script = "echo $((($(date +%s%3N) - 1262304000000) / 4))";
    let mut waiting = Supervised::start(exec(state.path(), "", script));
    let said = waiting.stderr.next().expect("a line").expect("text");
    assert!(said.contains("waiting for the window"), "{said}");
    let store = take_away(state.path());
    while now_tick() < floor + 75 {
        std::thread::sleep(core::time::Duration::from_millis(20));
    }
    let given_back = now_tick();
    drop(store);
    let began: u64 = waiting.line().parse().expect("a number");
    assert!(began >= given_back, "{began} is before {given_back}");
    assert_eq!(waiting.end().2.code(), Some(OK));
}

#[test]
fn terminated_before_the_end() {
    // It has 17 s until the signal, during which a renewal times out, and then 22 to end.
    let state = state("sno --pool 5/16 --term 20 --skew 20");
    let script = "trap '$COMMAND gen sno --node 5 --json; exit 7' TERM
        echo began; while :; do sleep 0.02; done";
    let mut program = Supervised::start(exec(state.path(), "--kill-after 22", script));
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let (stdout, stderr, status) = program.end();
    drop(store);
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    let said = "the lease of node 5/16 could not be renewed in time: the store: no answer";
    assert!(stderr.contains(said), "{stderr}");
    let (last, row) = (json_lines(&stdout).remove(0), row(state.path()));
    assert!(tick(&last["timestamp"]) < tick(&row["ceiling"]), "{last} is not within {row}");
    assert!(row["token"].is_string(), "given back");
}

#[test]
#[ignore = "a short term: cargo xtask verify exec"]
fn stubborn_programs_are_killed() {
    let state = state("sno --pool 5/16 --term 1 --skew 1");
    let ignoring = "trap 'echo asked' TERM; while :; do sleep 0.02; done";
    let script = format!("({ignoring}) & {ignoring}");
    let program = format!("echo began; {script}");
    let mut program = Supervised::start(exec(state.path(), "--kill-after 1", &program));
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let (stdout, stderr, status) = program.end();
    drop(store);
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    assert_eq!(stdout, "asked\nasked");
}

/// It is woken so that it can end properly.
#[test]
#[ignore = "a short term: cargo xtask verify exec"]
fn stopped_programs_are_woken() {
    let state = state("sno --pool 5/16 --term 1 --skew 1");
    let script = "trap 'echo asked; exit 7' TERM; echo began; kill -STOP $$; sleep 1000 & wait";
    let mut program = Supervised::start(exec(state.path(), "--kill-after 1", script));
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let (stdout, stderr, status) = program.end();
    drop(store);
    assert_eq!((stdout.as_str(), status.code()), ("asked", Some(NO_LEASE)), "{stderr}");
}

/// The store returns in time for a later renewal.
#[test]
fn failed_renewals_are_retried() {
    let state = state("sno --pool 5/16 --term 1 --skew 30");
    let mut program = Supervised::start(exec(state.path(), "", "echo began; cat"));
    assert_eq!(program.line(), "began");
    let store = take_away(state.path());
    let mut said = || program.stderr.next().expect("a line").expect("text");
    let failed = said();
    assert!(failed.contains("the lease was not renewed yet: "), "{failed}");
    drop(store);
    assert_eq!(said(), "tickid: the lease is renewed again");
    let stdin = program.child.stdin.as_mut().expect("piped");
    stdin.write_all(b"still here\n").expect("written");
    assert_eq!(program.line(), "still here");
    let (_, _, status) = program.end();
    assert_eq!(status.code(), Some(OK));
}

/// A stopped supervisor can do nothing. When it continues, too little time is left for a renewal.
#[test]
#[ignore = "a short term: cargo xtask verify exec"]
fn late_supervisors_stop_programs() {
    let state = state("sno --pool 5/16 --term 1 --skew 1");
    let script = "trap 'sleep 1.4; echo late' TERM; echo began; while :; do sleep 0.02; done";
    let mut program = Supervised::start(exec(state.path(), "--kill-after 1.3", script));
    assert_eq!(program.line(), "began");
    program.signal(Signal::SIGSTOP);
    while row(state.path())["standing"] != "expired" {
        std::thread::sleep(core::time::Duration::from_millis(20));
    }
    program.signal(Signal::SIGCONT);
    let (stdout, stderr, status) = program.end();
    assert_eq!((stdout.as_str(), status.code()), ("", Some(NO_LEASE)), "{stderr}");
}

/// It is killed before the end of its window, which may be far away: another holder may have the
/// node.
#[test]
fn lost_leases_kill_in_the_end() {
    let state = state("sno --pool 5/16 --term 1 --skew 60");
    // In milliseconds since 1970.
    let script = "trap '' TERM; echo began; while :; do date +%s%3N; sleep 0.02; done";
    let mut program = Supervised::start(exec(state.path(), "--kill-after 0.3", script));
    assert_eq!(program.line(), "began");
    let window = row(state.path());
    let invalidate = ran_in(state.path(), "lease invalidate --realm orders --yes");
    assert_eq!(invalidate.status, OK, "{}", invalidate.stderr);
    let (stdout, stderr, status) = program.end();
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    assert!(stderr.contains("the lease of node 5/16 is lost"), "{stderr}");
    let last: u64 = stdout.lines().next_back().expect("a line").parse().expect("a number");
    // Ticks of 4 ms since 2010, half a minute before the end.
    let most = 1_262_304_000_000 + 4 * tick(&window["ceiling"]) - 30_000;
    assert!(last < most, "it ran on to {last}, with a window {window}");
}

/// Its session makes no further claim that would show it.
#[test]
fn lost_leases_are_reported() {
    let state = state("sno --pool 5/16 --term 1 --skew 30");
    let holder = || ran_in(state.path(), "gen sno --realm orders");
    assert_eq!(holder().status, OK);
    let folder = state.path().join("tickid/orders");
    let (row_file, lock) = (folder.join("nodes/5-16"), folder.join("lock"));
    let old = fs::read(&row_file).expect("a row");
    let mut program = Supervised::start(exec(state.path(), "", "echo began; exec sleep 1000"));
    assert_eq!(program.line(), "began");
    let lock = File::open(lock).expect("a lock");
    lock.lock().expect("locked");
    program.signal(Signal::SIGSTOP);
    fs::write(row_file, old).expect("written");
    lock.unlock().expect("unlocked");
    for _ in 0..3 {
        assert_eq!(holder().status, OK);
    }
    program.signal(Signal::SIGCONT);
    let (_, stderr, status) = program.end();
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    // If its renewal waited for the lock for too long, that one has shown the loss.
    let reasons = ["granted again from below the lease's ceiling", "all leases were invalidated"];
    assert!(reasons.iter().any(|reason| stderr.contains(reason)), "{stderr}");
    let next = ran_in(state.path(), "lease acquire --realm orders");
    assert!(next.stderr.contains("no node can be granted before"), "{}", next.stderr);
}

#[test]
fn one_lost_lease_stops_programs() {
    let state = state("sno --pool 5-6/16 --term 1 --skew 60");
    let mut program = Supervised::start(exec(
        state.path(),
        "--nodes 2 --release-on-exit",
        "echo began; exec cat",
    ));
    assert_eq!(program.line(), "began");
    let lost = rows(state.path()).remove(0);
    let token = lost["token"].as_str().expect("a token");
    let release = format!("lease release --realm orders --token {token}");
    assert_eq!(ran_in(state.path(), &release).status, OK);
    // Its input stays open: it does not end by itself.
    let input = program.child.stdin.take();
    let (_, stderr, status) = program.end();
    drop(input);
    assert_eq!(status.code(), Some(NO_LEASE), "{stderr}");
    assert!(stderr.contains("the lease of node 5/16 is lost"), "{stderr}");
    assert!(!stderr.contains("6/16"), "{stderr}");
    let [lost, other] = <[Value; 2]>::try_from(rows(state.path())).expect("two rows");
    assert_eq!((&lost["token"], &other["token"]), (&Value::Null, &Value::Null));
    // The ticks used of the other end long before its window of a minute.
    assert!(tick(&lost["ceiling"]) > tick(&other["ceiling"]) + 5_000, "{lost} {other}");
}
