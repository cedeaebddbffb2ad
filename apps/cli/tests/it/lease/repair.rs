//! Stores that lost records or rows, and `lease repair`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::Value;

use super::{acquire, folder, pool, rows, spawn, stdout_of};
use crate::process::{CLOCK, NODE_STORE, OK, USAGE, json_lines, ran_in};

/// The folder of a realm in the store of the user.
fn folder_of(state: &Path, realm: &str) -> PathBuf {
    state.join("tickid").join(realm)
}

/// A holder knows the nodes of the realm that the store lost; the next command does not.
#[test]
fn lost_realm_gets_its_nodes_back() {
    let state = folder();
    stdout_of(state.path(), "lease init nanoflake --realm orders --pool 7/10 --term 1");
    let mut holder = spawn(state.path(), "gen nanoflake --realm orders --forever");
    let mut ids = BufReader::new(holder.stdout.take().expect("piped")).lines();
    let reader = thread::spawn(move || ids.by_ref().take_while(Result::is_ok).count());
    while rows(state.path(), "orders").is_empty() {}
    for path in ["realm", "index", "nodes/7-10"] {
        fs::remove_file(folder_of(state.path(), "orders").join(path)).expect("removed");
    }
    // The holder may be faster.
    let short = ran_in(state.path(), "gen nanoflake --realm orders --max-wait 1ms");
    assert!([OK, CLOCK].contains(&short.status), "{}", short.stderr);
    while pool(state.path(), "orders") != "7/10" {}
    holder.kill().expect("killed");
    assert!(reader.join().expect("no panic") > 0);
    holder.wait().expect("gone");
}

/// The next lease is on its way, however the last one ended, so `gen` waits for it.
#[test]
fn gen_outlives_its_lease() {
    let state = folder();
    let terms = "--term 1 --skew 100ms";
    stdout_of(state.path(), &format!("lease init nanoflake --realm orders --pool 7/10 {terms}"));
    let mut holder = spawn(state.path(), "gen nanoflake --realm orders --forever");
    let mut ids = BufReader::new(holder.stdout.take().expect("piped")).lines();
    let reader = thread::spawn(move || ids.by_ref().take_while(Result::is_ok).count());
    let mut token_after = |last: &Value| loop {
        assert_eq!(holder.try_wait().expect("a child"), None, "it ended");
        let row = rows(state.path(), "orders").into_iter().next();
        match row.map(|row| row["token"].clone()) {
            Some(token) if token.is_string() && token != *last => return token,
            _ => {}
        }
    };
    let first = token_after(&Value::Null);
    let release = format!("lease release --realm orders --token {}", first.as_str().expect("text"));
    stdout_of(state.path(), &format!("{release} --yes"));
    let second = token_after(&first);
    let invalidated = ran_in(state.path(), "lease invalidate --realm orders --yes");
    assert_eq!(invalidated.status, OK, "{}", invalidated.stderr);
    token_after(&second);
    holder.kill().expect("killed");
    assert!(reader.join().expect("no panic") > 0);
    holder.wait().expect("gone");
}

#[test]
fn rows_without_a_record_are_no_realm() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 7/16");
    stdout_of(state.path(), "gen sno --realm orders");
    fs::remove_file(folder_of(state.path(), "orders").join("realm")).expect("removed");
    for arguments in ["gen sno --realm orders", "lease list --realm orders"] {
        let ran = ran_in(state.path(), arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""), "{arguments}");
        assert!(ran.stderr.contains("lost its record"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: `tickid lease init` restores it"), "{}", ran.stderr);
    }
    let init = "lease init sno --realm orders --pool 7/16";
    let init = ran_in(state.path(), init);
    assert_eq!(init.status, OK, "{}", init.stderr);
    assert!(init.stderr.contains("starts at"), "beyond its leases: {}", init.stderr);
    assert_eq!(pool(state.path(), "orders"), "7/16");
}

#[test]
fn repair_needs_a_quarantine() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    acquire(state.path(), "orders");
    let tame = ran_in(state.path(), "lease repair --realm orders --node 5/16 --yes");
    assert_eq!(tame.status, NODE_STORE);
    assert!(tame.stderr.contains("node 5/16 is not quarantined"), "{}", tame.stderr);
    let hint = "\nhint: `tickid lease list --realm NAME` shows the nodes\n";
    assert!(tame.stderr.contains(hint), "{}", tame.stderr);
    // All nodes of the realm have 16 bits.
    let unknown = ran_in(state.path(), "lease repair --realm orders --node 6");
    assert!(unknown.stderr.contains("node 6/16 was never granted"), "{}", unknown.stderr);

    // A row that was cut off quarantines its node.
    let file = state.path().join("tickid/orders/nodes/5-16");
    let bytes = fs::read(&file).expect("a row");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("cut off");
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "quarantined");
    let asked = ran_in(state.path(), "lease repair --realm orders --node 5/16");
    assert_eq!(asked.status, USAGE);
    assert!(asked.stderr.contains("takes its ceiling back"), "{}", asked.stderr);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "quarantined");
    let neither = ran_in(state.path(), "lease repair --realm orders --yes");
    assert_eq!(neither.status, USAGE, "{}", neither.stderr);
    let told = ran_in(state.path(), "lease repair --realm orders --node 5/16 --yes");
    assert_eq!(told.status, OK, "{}", told.stderr);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "paused");
}

#[test]
fn repair_takes_all_quarantined() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-7/16");
    let repair_all = || {
        let ran = ran_in(state.path(), "lease repair --realm orders --all --yes");
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        ran.stderr
    };
    assert!(repair_all().contains("nothing was done"));
    let nodes: Vec<Value> =
        (0..3).map(|_| acquire(state.path(), "orders")["node"].clone()).collect();
    for node in &nodes[..2] {
        let file = node.as_str().expect("a node").replace('/', "-");
        fs::write(state.path().join("tickid/orders/nodes").join(file), "nonsense")
            .expect("written");
    }
    let standings = || -> Vec<Value> {
        let rows = rows(state.path(), "orders").into_iter();
        rows.map(|mut row| row["standing"].take()).collect()
    };
    assert_eq!(standings().iter().filter(|standing| *standing == "quarantined").count(), 2);
    let told = repair_all();
    for node in &nodes[..2] {
        assert!(told.contains(node.as_str().expect("a node")), "{told}");
    }
    let after = standings();
    assert_eq!(after.iter().filter(|standing| *standing == "paused").count(), 2, "{after:?}");
    assert_eq!(after.iter().filter(|standing| *standing == "held").count(), 1, "{after:?}");
}

/// Returns CRC-32, as the store's files have it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

/// A row that a later release wrote counts as taken.
#[test]
fn repair_passes_over_newer_rows() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-7/16");
    for _ in 0..3 {
        acquire(state.path(), "orders");
    }
    let nodes = state.path().join("tickid/orders/nodes");
    raise_version(&nodes.join("5-16"));
    fs::write(nodes.join("6-16"), "nonsense").expect("written");
    fs::write(nodes.join("7-16"), "nonsense").expect("written");
    let ran = ran_in(state.path(), "lease repair --realm orders --all --yes");
    assert_eq!(ran.status, OK, "{}", ran.stderr);
    assert!(ran.stderr.contains("repaired: 6/16, 7/16"), "{}", ran.stderr);
    let standings = rows(state.path(), "orders").into_iter().map(|mut row| row["standing"].take());
    assert_eq!(standings.collect::<Vec<_>>(), ["newer", "paused", "paused"]);
    let list = "lease list --realm orders --check --json";
    let list = json_lines(&ran_in(state.path(), list).stdout).remove(0);
    let counts = ["held", "free", "quarantined", "newer"].map(|name| list[name].clone());
    assert_eq!(counts, [0, 0, 0, 1].map(Value::from));
    let doctor = ran_in(state.path(), "doctor").stdout;
    assert!(doctor.contains("0 quarantined, 2 paused, 1 of a later release"), "{doctor}");

    // What it says is true of the program, and `doctor` knows no more.
    let update = "version 9, and this release knows versions up to 1: update this program\nhint: \
                  `tickid --version` shows";
    let one = ran_in(state.path(), "lease repair --realm orders --node 5/16 --yes");
    assert_eq!(one.status, NODE_STORE, "{}", one.stderr);
    assert!(one.stderr.contains(update), "{}", one.stderr);
    let record = state.path().join("tickid/orders/realm");
    let text = fs::read_to_string(&record).expect("a record");
    // As in `MAGIC CHECKSUM VERSION JSON`.
    let (head, json) = text.trim_end().split_once(" {").expect("JSON");
    let (head, version) = head.rsplit_once(' ').expect("a version");
    let checked =
        format!("{version} {{{json}").replace("\"record_version\":1", "\"record_version\":9");
    let head = &head[..head.len() - 8];
    let text = format!("{head}{:08x} {checked}\n", checksum(checked.as_bytes()));
    fs::write(&record, text).expect("written");
    let listed = ran_in(state.path(), "lease list --realm orders");
    assert_eq!(listed.status, NODE_STORE, "{}", listed.stderr);
    assert!(listed.stderr.contains(update), "{}", listed.stderr);
    assert!(!listed.stderr.contains("doctor"), "{}", listed.stderr);
    let doctor = ran_in(state.path(), "doctor").stdout;
    assert!(doctor.contains("hint: `tickid --version`"), "{doctor}");
}

/// Writes a later record version into both slots of a row.
fn raise_version(path: &Path) {
    let mut file = fs::read(path).expect("a row");
    for slot in file.chunks_mut(1_024) {
        let version = slot.windows(18).position(|text| text == b"\"record_version\":1");
        let version = version.expect("a version");
        slot[version + 17] = b'9';
        let sum = checksum(&slot[8..]);
        slot[4..8].copy_from_slice(&sum.to_le_bytes());
    }
    fs::write(path, file).expect("written");
}
