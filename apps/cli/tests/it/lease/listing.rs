//! `lease list`, `realms` and `watch`.

use std::fs;
use std::io::{BufRead as _, BufReader};

use serde_json::Value;
use tickid_kuid::Kuid;
use tickid_lease::Realm;
use tickid_lease::admin::RealmPart;

use super::{acquire, end_of, folder, rows, spawn, stdout_of};
use crate::process::{self, NODE_STORE, OK, json_lines, ran_in, ran_unread};

/// A folder that root made by a look would keep its holders out.
#[test]
fn a_look_makes_no_folder() {
    let state = folder();
    let path = state.path().join("typo");
    let token = "0".repeat(32);
    let release = format!("release --realm a --token {token}");
    for command in [
        "realms",
        "list --realm a",
        "list --realm a --check",
        "watch --realm a",
        "repair --realm a --all --yes",
        "invalidate --realm a --yes",
        &release,
    ] {
        let command = format!("lease {command} --store file://{}", path.display());
        let ran = ran_in(state.path(), &command);
        assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""), "{command}");
        assert!(ran.stderr.contains("/typo' does not exist\nhint: `tickid lease init`"), "{ran:?}");
        assert!(!path.exists(), "{command}");
    }
}

#[test]
fn tables_have_a_head() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders");
    stdout_of(state.path(), "gen sno --realm orders");
    let table = stdout_of(state.path(), "lease list --realm orders");
    let row = &rows(state.path(), "orders")[0];
    let lines: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    let head = lines.iter().position(|line| line.is_empty()).expect("an empty line") + 1;
    assert_eq!(lines[0], ["realm", "orders"]);
    let lines = &lines[head..];
    assert_eq!(lines[0], ["NODE", "STANDING", "CEILING", "HOLDER"]);
    let names = ["node", "standing", "ceiling_time", "holder"];
    assert_eq!(lines[1], names.map(|name| row[name].as_str().expect("text")));
    assert_eq!(lines.len(), 2);
}

#[test]
fn watch_shows_each_change() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    let mut watch = spawn(state.path(), "lease watch --realm orders --json --every 0.02");
    let stdout = watch.stdout.take().expect("piped");
    let mut lines = BufReader::new(stdout).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    };
    let realm = next();
    assert_eq!((&realm["realm"], &realm["nodes"]), (&"orders".into(), &1.into()));
    let held = acquire(state.path(), "orders");
    assert_eq!(next(), held);
    let token = held["token"].as_str().expect("a token");
    stdout_of(state.path(), &format!("lease release --realm orders --token {token}"));
    let free = next();
    assert_eq!((&free["standing"], &free["token"]), (&"free".into(), &Value::Null));
    watch.kill().expect("killed");
    watch.wait().expect("gone");
}

/// A quiet realm gives it nothing more to write, so a failed write cannot tell it to stop.
#[cfg(target_os = "linux")]
#[test]
fn watch_ends_with_its_pipe() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    acquire(state.path(), "orders");
    let mut watch = spawn(state.path(), "lease watch --realm orders --json --every 3600");
    let mut stdout = BufReader::new(watch.stdout.take().expect("piped"));
    assert_ne!(stdout.read_line(&mut String::new()).expect("a line"), 0);
    drop(stdout);
    assert_eq!(end_of(watch).status, OK);
}

#[test]
fn realms_are_listed_by_name() {
    let state = folder();
    assert_eq!(stdout_of(state.path(), "lease realms"), "");
    for realm in ["orders", "chat"] {
        stdout_of(state.path(), &format!("lease init sno --realm {realm}"));
    }
    assert_eq!(stdout_of(state.path(), "lease realms"), "chat\norders\n");
    let json = json_lines(&stdout_of(state.path(), "lease realms --json"));
    assert_eq!(json, ["chat", "orders"].map(|realm| serde_json::json!({ "realm": realm })));
}

#[test]
fn lists_start_with_the_realm() {
    let state = folder();
    stdout_of(state.path(), "lease init kuid --realm logs --pool 5-8/32 --term 20 --skew 2");
    acquire(state.path(), "logs");
    let released = acquire(state.path(), "logs")["token"].as_str().expect("a token").to_owned();
    stdout_of(state.path(), &format!("lease release --realm logs --token {released}"));
    let lines = json_lines(&stdout_of(state.path(), "lease list --realm logs --json"));
    let mut realm = lines[0].clone();
    let time = realm["store_time"].take();
    assert!(time.as_str().expect("a time").ends_with('Z'), "{time}");
    let expected = serde_json::json!({
        "realm": "logs", "scheme": "kuid", "settings": "drift 8", "epoch_micros": 0,
        "period_micros": 1_000_000, "micros_per_tick": 1_024, "end": realm["end"], "pool": "5-8/32",
        "term_micros": 20_000_000, "skew_micros": 2_000_000, "start": "lowest", "allowance": 977,
        "nodes": 4, "held": 1, "free": 3, "free_later": 1, "expired": 0, "paused": 0,
        "quarantined": 0, "newer": 0, "store_time": null, "starts_at": null,
    });
    assert_eq!(realm, expected);
    // Each part that can change has its option.
    let help = ran_in(state.path(), "lease init --help").stdout;
    let realm = Realm::builder("logs", Kuid::default()).pool("5-8/32").build().expect("a realm");
    for (part, _) in realm.spec().changeable_parts() {
        let option = if part == RealmPart::Allowance { "policy" } else { &part.to_string() };
        assert!(help.contains(&format!("--{option} <")), "{part}");
    }
    let table = stdout_of(state.path(), "lease list --realm logs");
    for part in [
        "realm        logs\n",
        "scheme       kuid (drift 8)\n",
        "pool         5-8/32, 4 nodes\n",
        "nodes        1 held, 3 free (1 of them from their ceilings on), 0 expired, 0 quarantined\n",
        "terms        term 20s, skew 2s, allowance ",
    ] {
        assert!(table.contains(part), "{table}");
    }
}

#[test]
fn check_counts_free_nodes() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-6/16 --term 600");
    let check = |options: &str| {
        let arguments = format!("lease list --realm orders --check {options}");
        let ran = ran_in(state.path(), &arguments);
        assert!(!ran.stdout.contains("STANDING"), "{}", ran.stdout);
        (ran.status, ran.stderr)
    };
    assert_eq!(check(""), (OK, String::new()));
    acquire(state.path(), "orders");
    assert_eq!(check(""), (OK, String::new()));
    let (status, said) = check("--min-free 2");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("1 of 2 nodes of the realm orders are free, fewer than 2"), "{said}");
    // The next holder of a node that was released waits until its window is over.
    let token = acquire(state.path(), "orders")["token"].as_str().expect("a token").to_owned();
    stdout_of(state.path(), &format!("lease release --realm orders --token {token}"));
    let (status, said) = check("--min-free 2");
    assert_eq!(status, process::INVALID, "{said}");
    let later = "are free (1 of them from their ceilings on), fewer than 2";
    assert!(said.contains(later), "{said}");
    acquire(state.path(), "orders");
    let (status, said) = check("");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("0 of 2 nodes"), "{said}");
    // A monitor may look at the status alone.
    let unread = ran_unread(state.path(), "lease list --realm orders --check");
    assert_eq!((unread.status, unread.stderr), (status, said));
    assert_eq!(check("--min-free 0"), (OK, String::new()));

    fs::write(state.path().join("tickid/orders/nodes/5-16"), "nonsense").expect("written");
    let (status, said) = check("--min-free 0");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("the realm orders has 1 node in quarantine"), "{said}");
}

#[test]
fn check_fails_before_init() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders");
    let told = ran_in(state.path(), "lease invalidate --realm orders --yes");
    assert_eq!(told.status, OK, "{}", told.stderr);
    let checked = ran_in(state.path(), "lease list --realm orders --check --json");
    assert_eq!(checked.status, process::INVALID, "{}", checked.stderr);
    let realm = json_lines(&checked.stdout).remove(0);
    let starts = realm["starts_at"].as_str().expect("a time");
    let expected = format!("can be granted before {starts}, since it was invalidated\n");
    assert!(checked.stderr.ends_with(&expected), "{}", checked.stderr);
    // Nothing calls a node free that no claim gets.
    assert_eq!((&realm["free"], &realm["paused"]), (&0.into(), &65_536.into()));
    let doctor = ran_in(state.path(), "doctor --json").stdout;
    let found = json_lines(&doctor).into_iter().find(|one| one["topic"] == "store realm");
    let found = found.expect("a finding");
    let expected = "realm orders: 0 nodes held, 0 free, 0 quarantined, 65536 paused";
    assert_eq!((&found["text"], &found["level"]), (&expected.into(), &"warning".into()));
    // A deployment script repeats it.
    let again = ran_in(state.path(), "lease init sno --realm orders");
    assert_eq!(again.status, OK, "{}", again.stderr);
    assert!(
        again.stderr.contains("the realm orders was invalidated, and starts at "),
        "{}",
        again.stderr
    );
}
