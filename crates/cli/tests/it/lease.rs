//! Nodes that are leased: by `gen`, and by the commands of `lease`.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::process::{
    self, CLOCK, NODE_STORE, OK, Ran, USAGE, json_lines, ran, tickid, with_state,
};

/// Schemes as `gen` has them by default, and the field of `--json` that holds the node.
const SCHEMES: [(&str, &str); 3] =
    [("scru64 --node-size 8", "node_id"), ("nanoflake", "generator"), ("sno", "partition")];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn stdout_of(state: &Path, arguments: &str) -> String {
    let ran = ran(&mut with_state(state, arguments));
    assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{arguments}");
    ran.stdout
}

fn spawn(state: &Path, arguments: &str) -> Child {
    let mut command = with_state(state, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs")
}

fn end_of(child: Child) -> Ran {
    child.wait_with_output().expect("ends").into()
}

#[test]
fn commands_at_once_share_no_id() {
    for (scheme, node) in SCHEMES {
        let state = folder();
        let arguments = format!("gen {scheme} -n 20000 --json");
        let children: Vec<Child> = (0..4).map(|_| spawn(state.path(), &arguments)).collect();
        let mut texts = HashSet::new();
        for child in children {
            let ran = end_of(child);
            assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{scheme}");
            let objects = json_lines(&ran.stdout);
            let nodes: HashSet<&Value> = objects.iter().map(|object| &object[node]).collect();
            assert_eq!(nodes.len(), 1, "{scheme}: one node for each command");
            texts.extend(objects.iter().map(|object| object["text"].to_string()));
        }
        assert_eq!(texts.len(), 80_000, "{scheme}");
    }
}

#[test]
fn a_realm_pins_the_layout_of_snowflakes() {
    let state = folder();
    let init = |layout: &str| {
        ran(&mut with_state(
            state.path(),
            &format!("lease init snowflake --realm posts --layout {layout}"),
        ))
    };
    assert_eq!(init("39x10ms/8s/16n@2014-09-01").status, OK);
    // The same bits by another name, and layouts that differ in one part.
    assert_eq!(init("sonyflake").status, OK);
    for other in [
        "sonyflake-v2",
        "39x10ms/16n/8s@2014-09-01",
        "39x10ms/9s/15n@2014-09-01",
        "38x10ms/8s/16n@2014-09-01",
        "39x11ms/8s/16n@2014-09-01",
    ] {
        let ran = init(other);
        assert_eq!(ran.status, USAGE, "{other}");
        assert!(ran.stderr.contains("(39x10ms/8s/16n@1409529600000)"), "{}", ran.stderr);
        let ran = process::ran(&mut with_state(
            state.path(),
            &format!("gen snowflake --realm posts --layout {other}"),
        ));
        assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""), "{other}: {}", ran.stderr);
    }
    let ids = stdout_of(state.path(), "gen snowflake --realm posts --layout sonyflake -n 2000");
    let distinct: HashSet<&str> = ids.lines().collect();
    assert_eq!(distinct.len(), 2_000);
}

#[test]
fn the_only_node_is_awaited() {
    let state = folder();
    let children: Vec<Child> =
        (0..3).map(|_| spawn(state.path(), "gen kuid --kind local -n 3000")).collect();
    let mut distinct = HashSet::new();
    for child in children {
        let ran = end_of(child);
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""));
        distinct.extend(ran.stdout.lines().map(str::to_owned));
    }
    assert_eq!(distinct.len(), 9_000);
}

#[test]
fn second_run_starts_above_first() {
    let state = folder();
    for scheme in ["scru64", "nanoflake", "kuid", "sno"] {
        let bits = match scheme {
            "scru64" => 8,
            "nanoflake" => 10,
            "kuid" => 32,
            _ => 16,
        };
        let store = format!("static:42/{bits}?state={}", state.path().display());
        let arguments = format!("gen {scheme} -n 500 --store {store}");
        let first = stdout_of(state.path(), &arguments);
        let second = stdout_of(state.path(), &arguments);
        let last = first.lines().max().expect("IDs");
        assert!(second.lines().all(|id| id > last), "{scheme}");
    }
}

#[test]
#[cfg_attr(not(feature = "etcd"), ignore = "needs the feature etcd")]
fn store_failures_exit_with_3() {
    let state = folder();
    let in_the_way = state.path().join("tickid");
    fs::write(&in_the_way, "no folder").expect("written");
    let ran_without = ran(&mut with_state(state.path(), "gen sno"));
    assert_eq!((ran_without.status, ran_without.stdout.as_str()), (NODE_STORE, ""));
    let message = format!("file store: {} (owner ", in_the_way.display());
    assert!(ran_without.stderr.contains(&message), "{}", ran_without.stderr);
    assert!(ran_without.stderr.contains("--node"), "{}", ran_without.stderr);

    let homeless = ran(tickid("gen sno").env_remove("XDG_STATE_HOME").env_remove("HOME"));
    assert_eq!(homeless.status, NODE_STORE);
    assert!(homeless.stderr.contains("neither XDG_STATE_HOME nor HOME"), "{}", homeless.stderr);

    let nobody_listens = ran(&mut tickid("gen sno --store etcd://127.0.0.1:1"));
    assert_eq!((nobody_listens.status, nobody_listens.stdout.as_str()), (NODE_STORE, ""));
    assert!(nobody_listens.stderr.contains("etcd store: no answer"), "{}", nobody_listens.stderr);
}

#[test]
fn a_given_node_needs_no_store() {
    let state = folder();
    for arguments in ["scru64 --node 42/8", "nanoflake --node 5", "kuid --node a@b", "sno --node 7"]
    {
        stdout_of(state.path(), &format!("gen {arguments} -n 10"));
    }
    assert_eq!(fs::read_dir(state.path()).expect("a folder").count(), 0);
}

#[test]
fn option_overrides_environment() {
    let (state, other) = (folder(), folder());
    let store = |folder: &TempDir| format!("file://{}/store", folder.path().display());
    let mut command = with_state(state.path(), "gen sno --realm orders");
    assert_eq!(ran(command.env("TICKID_STORE", store(&other))).status, OK);
    assert!(other.path().join("store/orders").is_dir());
    let arguments = format!("gen sno --realm orders --store {}", store(&state));
    let mut command = with_state(state.path(), &arguments);
    assert_eq!(ran(command.env("TICKID_STORE", "gopher://never")).status, OK);
    assert!(state.path().join("store/orders").is_dir());
    assert!(!state.path().join("tickid").exists());
}

#[test]
fn other_schemes_are_refused() {
    let state = folder();
    stdout_of(state.path(), "gen sno --realm orders");
    let ran = ran(&mut with_state(state.path(), "gen scru64 --realm orders"));
    assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""));
    assert!(ran.stderr.contains("schemes do not match: it has \"sno\""), "{}", ran.stderr);
}

/// The rows of a realm.
fn rows(state: &Path, realm: &str) -> Vec<Value> {
    process::rows(&stdout_of(state, &format!("lease list --realm {realm} --json")))
}

fn acquire(state: &Path, realm: &str) -> Value {
    let arguments = format!("lease acquire --realm {realm} --holder me --json");
    json_lines(&stdout_of(state, &arguments)).remove(0)
}

#[test]
fn init_sets_the_nodes() {
    let state = folder();
    let init = "lease init scru64 --realm orders --pool 7/8,130/8";
    stdout_of(state.path(), init);
    let objects = |count: usize| {
        let arguments = format!("gen scru64 --realm orders -n {count} --node-size 8 --json");
        json_lines(&stdout_of(state.path(), &arguments))
    };
    for _ in 0..3 {
        assert!(objects(5).iter().all(|id| id["node_id"] == 7 || id["node_id"] == 130));
    }
    for other in
        ["scru64 --realm orders", "sno --realm orders", &format!("{} --term 20", &init[11..])]
    {
        let ran = ran(&mut with_state(state.path(), &format!("lease init {other}")));
        assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{other}");
        assert!(
            ran.stderr.contains("there already: scru64, with the nodes 7/8,130/8"),
            "{}",
            ran.stderr
        );
    }
    stdout_of(state.path(), "lease init scru64 --realm orders --pool 9/8 --reconfigure");
    assert!(objects(5).iter().all(|id| id["node_id"] == 9));
    let standings: HashSet<String> =
        rows(state.path(), "orders").iter().map(|row| row["standing"].to_string()).collect();
    assert_eq!(standings, HashSet::from(["\"free\"".to_owned(), "\"retired\"".to_owned()]));
    let ran = ran(&mut with_state(state.path(), "lease init sno --realm orders --reconfigure"));
    assert_eq!(ran.status, NODE_STORE);
    assert!(ran.stderr.contains("schemes do not match"), "{}", ran.stderr);
}

#[test]
fn init_twice_is_a_no_op() {
    let state = folder();
    let init = "lease init sno --realm orders --pool 5-6/16";
    stdout_of(state.path(), init);
    let again = || {
        let again = ran(&mut with_state(state.path(), init));
        assert_eq!((again.status, again.stdout.as_str()), (OK, ""), "{}", again.stderr);
        let said = "the realm orders is there already, and is the same: nothing was done";
        assert!(again.stderr.contains(said), "{}", again.stderr);
    };
    again();
    let held = acquire(state.path(), "orders");
    let before = rows(state.path(), "orders");
    again();
    assert_eq!(rows(state.path(), "orders"), before);
    assert_eq!(before, core::slice::from_ref(&held));
}

#[test]
fn one_of_two_inits_wins() {
    for _ in 0..4 {
        let state = folder();
        let pools = ["5-6/16", "7/16"];
        let inits = pools.map(|pool| {
            spawn(state.path(), &format!("lease init sno --realm orders --pool {pool}"))
        });
        let ended = inits.map(end_of);
        let [winner, loser] = if ended[0].status == OK { [0, 1] } else { [1, 0] };
        assert_eq!(ended.each_ref().map(|ran| ran.status)[winner], OK, "{}", ended[winner].stderr);
        assert_eq!(ended[loser].status, USAGE, "{}", ended[loser].stderr);
        let there = format!("there already: sno, with the nodes {},", pools[winner]);
        assert!(ended[loser].stderr.contains(&there), "{}", ended[loser].stderr);
        let node = acquire(state.path(), "orders")["node"].to_string();
        assert_eq!(node == "\"7/16\"", winner == 1, "{node}");
    }
}

#[test]
fn released_windows_stay_used() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    let held = acquire(state.path(), "orders");
    assert_eq!((&held["node"], &held["standing"]), (&"5/16".into(), &"held".into()));
    assert_eq!(rows(state.path(), "orders"), core::slice::from_ref(&held));
    let taken = ran(&mut with_state(state.path(), "lease acquire --realm orders"));
    assert_eq!((taken.status, taken.stdout.as_str()), (NODE_STORE, ""));
    assert!(taken.stderr.contains("no node is free: 1 of 1"), "{}", taken.stderr);

    let (floor, ceiling) = (held["floor"].as_u64(), held["ceiling"].as_u64());
    let (floor, ceiling) = (floor.expect("a tick"), ceiling.expect("a tick"));
    let release = |held: &Value, used: &str| {
        let token = held["token"].as_str().expect("a token");
        format!("lease release --realm orders --token {token} {used}")
    };
    for used in [floor.wrapping_sub(1), ceiling] {
        let outside = release(&held, &format!("--used {used}"));
        let outside = ran(&mut with_state(state.path(), &outside));
        assert_eq!(outside.status, USAGE, "{used}: {}", outside.stderr);
    }
    // It may still be in use, so it takes a word more; nothing is asked.
    for used in ["--unused".to_owned(), format!("--used {floor}")] {
        let alive = ran(&mut with_state(state.path(), &release(&held, &used)));
        assert_eq!((alive.status, alive.stdout.as_str()), (USAGE, ""), "{used}");
        assert!(alive.stderr.contains("the lease of node 5/16 is alive"), "{}", alive.stderr);
        assert!(alive.stderr.contains("repeat with --yes"), "{}", alive.stderr);
        assert_eq!(rows(state.path(), "orders"), core::slice::from_ref(&held), "{used}");
    }
    stdout_of(state.path(), &release(&held, "--unused --yes"));
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
    let again = ran(&mut with_state(state.path(), &release(&held, "")));
    assert_eq!(again.status, NODE_STORE, "{}", again.stderr);

    let second = acquire(state.path(), "orders");
    assert_eq!(second["floor"], floor + 1, "nothing was used");
    stdout_of(state.path(), &release(&second, &format!("--used {} --yes", floor + 7)));
    let third = acquire(state.path(), "orders");
    assert_eq!(third["floor"], floor + 8);
    stdout_of(state.path(), &release(&third, ""));
    assert_eq!(rows(state.path(), "orders")[0]["ceiling"], third["ceiling"], "all of it was used");
}

#[test]
fn expired_leases_release_unused() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16 --term 0.01 --skew 0");
    let held = acquire(state.path(), "orders");
    while rows(state.path(), "orders")[0]["standing"] == "held" {}
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "expired");
    let token = held["token"].as_str().expect("a token");
    let release = format!("lease release --realm orders --token {token} --unused");
    stdout_of(state.path(), &release);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
}

/// A realm is of one layout and one kind of IDs, for every holder.
#[test]
fn kuid_realm_keeps_its_layout() {
    let state = folder();
    stdout_of(state.path(), "lease init kuid --realm wide --drift 10 --pool 0-9/32");
    stdout_of(state.path(), "gen kuid --realm wide --drift 10 -n 3");
    stdout_of(state.path(), "lease init kuid --realm alone --kind local");
    stdout_of(state.path(), "gen kuid --realm alone --kind local -n 3");
    // Local IDs do not depend on the drift.
    stdout_of(state.path(), "gen kuid --realm alone --kind local --drift 10 -n 3");
    for (arguments, status, named) in [
        ("gen kuid --realm wide", NODE_STORE, ["\"drift 10\"", "\"drift 8\""]),
        ("gen kuid --realm wide --drift 5", NODE_STORE, ["\"drift 10\"", "\"drift 5\""]),
        ("lease init kuid --realm wide --drift 5", USAGE, ["drift 10", "wide is there already"]),
        (
            "lease init kuid --realm wide --drift 5 --reconfigure",
            NODE_STORE,
            ["drift 10", "drift 5"],
        ),
        (
            "gen kuid --realm wide --drift 8 --kind local",
            NODE_STORE,
            ["\"drift 10\"", "\"drift 8\""],
        ),
        (
            "gen kuid --realm alone --drift 8",
            NODE_STORE,
            ["IDs without a node", "\"IDs with a node\""],
        ),
        (
            "lease init kuid --realm new --kind local --pool 0-9/32",
            USAGE,
            ["local kuids have no node ID", "0-9/32"],
        ),
        (
            "lease init kuid --realm new --kind global --pool 0/0",
            USAGE,
            ["global kuids need node IDs", "0/0"],
        ),
        (
            "lease init kuid --realm alone --reconfigure",
            NODE_STORE,
            ["IDs without a node", "\"IDs with a node\""],
        ),
    ] {
        let ran = ran(&mut with_state(state.path(), arguments));
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{arguments}: {}", ran.stderr);
        for named in named {
            assert!(ran.stderr.contains(named), "{arguments}: {}", ran.stderr);
        }
    }
}

#[test]
fn nanoflake_realms_keep_epochs() {
    let state = folder();
    stdout_of(state.path(), "lease init nanoflake --realm chat --epoch discord");
    stdout_of(state.path(), "gen nanoflake --realm chat --epoch discord");
    let other = ran(&mut with_state(state.path(), "gen nanoflake --realm chat --epoch unix"));
    assert_eq!((other.status, other.stdout.as_str()), (NODE_STORE, ""), "{}", other.stderr);
    for epoch in ["\"epoch 1420070400000\"", "\"epoch 0\""] {
        assert!(other.stderr.contains(epoch), "{}", other.stderr);
    }
}

#[test]
fn tables_have_a_head() {
    let state = folder();
    stdout_of(state.path(), "gen sno --realm orders");
    let table = stdout_of(state.path(), "lease list --realm orders");
    let row = &rows(state.path(), "orders")[0];
    let lines: Vec<Vec<&str>> =
        table.lines().map(|line| line.split_whitespace().collect()).collect();
    let head = lines.iter().position(|line| line.is_empty()).expect("an empty line") + 1;
    assert_eq!(lines[0], ["realm", "orders"]);
    let lines = &lines[head..];
    assert_eq!(lines[0], ["NODE", "STANDING", "FLOOR", "CEILING", "HOLDER"]);
    let names = ["node", "standing", "floor_time", "ceiling_time", "holder"];
    assert_eq!(lines[1], names.map(|name| row[name].as_str().expect("text")));
    assert_eq!(lines.len(), 2);

    let unknown = ran(&mut with_state(state.path(), "lease list --realm nobodys"));
    assert_eq!((unknown.status, unknown.stdout.as_str()), (NODE_STORE, ""));
    assert!(unknown.stderr.contains("no realm of that name"), "{}", unknown.stderr);
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
    let held = acquire(state.path(), "orders");
    assert_eq!(next(), held);
    let token = held["token"].as_str().expect("a token");
    stdout_of(state.path(), &format!("lease release --realm orders --token {token}"));
    let free = next();
    assert_eq!((&free["standing"], &free["token"]), (&"free".into(), &Value::Null));
    watch.kill().expect("killed");
    watch.wait().expect("gone");
}

#[test]
fn invalidate_ends_every_lease() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-6/16");
    let held = acquire(state.path(), "orders");
    let before = rows(state.path(), "orders");
    let asked = ran(&mut with_state(state.path(), "lease invalidate --realm orders"));
    assert_eq!((asked.status, asked.stdout.as_str()), (USAGE, ""));
    assert!(asked.stderr.contains("ends all its leases"), "{}", asked.stderr);
    assert!(asked.stderr.contains("nothing was done"), "{}", asked.stderr);
    assert_eq!(rows(state.path(), "orders"), before);

    let told = ran(&mut with_state(state.path(), "lease invalidate --realm orders --yes"));
    assert_eq!(told.status, OK, "{}", told.stderr);
    assert!(told.stderr.contains("ends all its leases"), "{}", told.stderr);
    // No node is free before the time comes, and none starts below what was given out.
    let taken = ran(&mut with_state(state.path(), "lease acquire --realm orders"));
    assert_eq!(taken.status, NODE_STORE, "{}", taken.stderr);
    let token = held["token"].as_str().expect("a token");
    let floor = told.stderr.rsplit_once("(tick ").expect("a tick").1;
    let floor: u64 = floor.split(')').next().expect("a tick").parse().expect("a number");
    assert!(floor >= held["ceiling"].as_u64().expect("a tick"), "{token}");

    let lost = "lease invalidate --realm lost --yes";
    assert_eq!(ran(&mut with_state(state.path(), lost)).status, USAGE);
    let lost = "lease invalidate sno --realm lost --yes";
    assert_eq!(ran(&mut with_state(state.path(), lost)).status, OK);
    assert_eq!(rows(state.path(), "lost"), [Value::Null; 0]);
}

/// The folder of a realm in the store of the user.
fn folder_of(state: &Path, realm: &str) -> PathBuf {
    state.join("tickid").join(realm)
}

/// The pool of a realm.
fn pool(state: &Path, realm: &str) -> Value {
    let list = stdout_of(state, &format!("lease list --realm {realm} --json"));
    json_lines(&list).remove(0)["pool"].clone()
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
    let short = ran(&mut with_state(state.path(), "gen nanoflake --realm orders --max-wait 1ms"));
    assert!([OK, CLOCK].contains(&short.status), "{}", short.stderr);
    while pool(state.path(), "orders") != "7/10" {}
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
        let ran = ran(&mut with_state(state.path(), arguments));
        assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""), "{arguments}");
        assert!(ran.stderr.contains("lost its record"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: `tickid lease init` restores it"), "{}", ran.stderr);
    }
    let init = "lease init sno --realm orders --pool 7/16";
    let init = ran(&mut with_state(state.path(), init));
    assert_eq!(init.status, OK, "{}", init.stderr);
    assert!(init.stderr.contains("begins at"), "beyond its leases: {}", init.stderr);
    assert_eq!(pool(state.path(), "orders"), "7/16");
}

#[test]
fn repair_needs_a_quarantine() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5/16");
    acquire(state.path(), "orders");
    let tame = ran(&mut with_state(state.path(), "lease repair --realm orders --node 5/16 --yes"));
    assert_eq!(tame.status, NODE_STORE);
    assert!(tame.stderr.contains("node 5/16 is not quarantined"), "{}", tame.stderr);
    // All nodes of the realm have 16 bits.
    let unknown = ran(&mut with_state(state.path(), "lease repair --realm orders --node 6"));
    assert!(unknown.stderr.contains("node 6/16 was never granted"), "{}", unknown.stderr);

    // A row that was cut off quarantines its node.
    let file = state.path().join("tickid/orders/nodes/5-16");
    let bytes = fs::read(&file).expect("a row");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("cut off");
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "quarantined");
    let asked = ran(&mut with_state(state.path(), "lease repair --realm orders --node 5/16"));
    assert_eq!(asked.status, USAGE);
    assert!(asked.stderr.contains("takes its ceiling back"), "{}", asked.stderr);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "quarantined");
    let neither = ran(&mut with_state(state.path(), "lease repair --realm orders --yes"));
    assert_eq!(neither.status, USAGE, "{}", neither.stderr);
    let told = ran(&mut with_state(state.path(), "lease repair --realm orders --node 5/16 --yes"));
    assert_eq!(told.status, OK, "{}", told.stderr);
    assert_eq!(rows(state.path(), "orders")[0]["standing"], "free");
}

#[test]
fn repair_takes_all_quarantined() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-7/16");
    let repair_all = || {
        let ran = ran(&mut with_state(state.path(), "lease repair --realm orders --all --yes"));
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
    assert_eq!(after.iter().filter(|standing| *standing == "free").count(), 2, "{after:?}");
    assert_eq!(after.iter().filter(|standing| *standing == "held").count(), 1, "{after:?}");
}

/// Returns CRC-32, as the store's files have it.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg());
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

/// A row that a later release wrote stays; the exit status tells.
#[test]
fn repair_passes_over_newer_rows() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-7/16");
    for _ in 0..3 {
        acquire(state.path(), "orders");
    }
    let nodes = state.path().join("tickid/orders/nodes");
    let mut newer = fs::read(nodes.join("5-16")).expect("a row");
    for slot in newer.chunks_mut(1_024) {
        let format = slot.windows(10).position(|text| text == b"\"format\":1").expect("a format");
        slot[format + 9] = b'9';
        let sum = checksum(&slot[8..]);
        slot[4..8].copy_from_slice(&sum.to_le_bytes());
    }
    fs::write(nodes.join("5-16"), newer).expect("written");
    fs::write(nodes.join("6-16"), "nonsense").expect("written");
    fs::write(nodes.join("7-16"), "nonsense").expect("written");
    let ran = ran(&mut with_state(state.path(), "lease repair --realm orders --all --yes"));
    assert_eq!(ran.status, NODE_STORE, "{}", ran.stderr);
    assert!(ran.stderr.contains("repaired: 6/16, 7/16"), "{}", ran.stderr);
    assert!(ran.stderr.contains("node 5/16 cannot be repaired"), "{}", ran.stderr);
    let standings = rows(state.path(), "orders").into_iter().map(|mut row| row["standing"].take());
    assert_eq!(standings.collect::<Vec<_>>(), ["quarantined", "free", "free"]);
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
fn lists_begin_with_the_realm() {
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
        "realm": "logs", "scheme": "kuid", "layout": "drift 8", "pool": "5-8/32", "nodes": 4,
        "held": 1, "free": 3, "expired": 0, "quarantined": 0, "allowance_ticks": realm["allowance_ticks"],
        "skew_seconds": 2.0, "term_seconds": 20.0, "store_time": null, "begins": null,
    });
    assert_eq!(realm, expected);
    let table = stdout_of(state.path(), "lease list --realm logs");
    for part in [
        "realm        logs\n",
        "scheme       kuid (drift 8)\n",
        "pool         5-8/32, 4 nodes\n",
        "nodes        1 held, 3 free, 0 expired, 0 quarantined\n",
        "terms        term 20 s, skew 2 s, allowance ",
    ] {
        assert!(table.contains(part), "{table}");
    }
}

#[test]
#[cfg_attr(not(feature = "etcd"), ignore = "needs the feature etcd")]
fn check_counts_free_nodes() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders --pool 5-6/16 --term 600");
    let check = |options: &str| {
        let arguments = format!("lease list --realm orders --check {options}");
        let ran = ran(&mut with_state(state.path(), &arguments));
        assert!(!ran.stdout.contains("STANDING"), "{}", ran.stdout);
        (ran.status, ran.stderr)
    };
    assert_eq!(check(""), (OK, String::new()));
    acquire(state.path(), "orders");
    assert_eq!(check(""), (OK, String::new()));
    let (status, said) = check("--min-free 2");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("1 of 2 nodes of the realm orders are free, fewer than 2"), "{said}");
    acquire(state.path(), "orders");
    let (status, said) = check("");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("0 of 2 nodes"), "{said}");
    assert_eq!(check("--min-free 0"), (OK, String::new()));

    fs::write(state.path().join("tickid/orders/nodes/5-16"), "nonsense").expect("written");
    let (status, said) = check("--min-free 0");
    assert_eq!(status, process::INVALID, "{said}");
    assert!(said.contains("1 nodes of the realm orders are quarantined"), "{said}");

    for options in ["--realm no --check", "--realm a --check --store etcd://127.0.0.1:1"] {
        let ran = ran(&mut with_state(state.path(), &format!("lease list {options}")));
        assert_eq!(ran.status, NODE_STORE, "{options}: {}", ran.stderr);
    }
}

#[test]
fn check_fails_before_init() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders");
    let told = ran(&mut with_state(state.path(), "lease invalidate --realm orders --yes"));
    assert_eq!(told.status, OK, "{}", told.stderr);
    let checked = ran(&mut with_state(state.path(), "lease list --realm orders --check --json"));
    assert_eq!(checked.status, process::INVALID, "{}", checked.stderr);
    let realm = json_lines(&checked.stdout).remove(0);
    let begins = realm["begins"].as_str().expect("a time");
    let expected = format!("can be granted before {begins}\n");
    assert!(checked.stderr.ends_with(&expected), "{}", checked.stderr);
    // A deployment script repeats it.
    let again = ran(&mut with_state(state.path(), "lease init sno --realm orders"));
    assert_eq!(again.status, OK, "{}", again.stderr);
    assert!(again.stderr.contains("the realm orders begins at "), "{}", again.stderr);
}

/// While it writes, and while nothing reads what it writes.
#[cfg(target_os = "linux")]
#[test]
fn signals_release_the_node() {
    use std::os::unix::process::ExitStatusExt as _;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let state = folder();
    stdout_of(state.path(), "lease init sno --realm one --pool 7/16 --term 600");
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        for is_read in [true, false] {
            // Under `nohup` this process ignores SIGHUP, and a program inherits that.
            let mut command = std::process::Command::new("env");
            command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_tickid")]);
            command.args(["gen", "sno", "--realm", "one", "--forever"]);
            command.env("XDG_STATE_HOME", state.path()).env_remove("TICKID_STORE");
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().expect("runs");
            let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
            lines.next().expect("a line").expect("text");
            let (ended, end) = std::sync::mpsc::channel::<()>();
            // The pipe is open until the end.
            let reader =
                thread::spawn(
                    move || {
                        if is_read { lines.by_ref().count() } else { end.iter().count() }
                    },
                );
            kill(Pid::from_raw(i32::try_from(child.id()).expect("a number")), signal)
                .expect("sent");
            let output = child.wait_with_output().expect("ends");
            drop(ended);
            reader.join().expect("no panic");
            assert_eq!(output.status.signal(), Some(signal as i32), "{output:?}");
            assert_eq!(output.stderr, b"", "{signal}");
            let row =
                json_lines(&stdout_of(state.path(), "lease list --realm one --json")).remove(1);
            assert_eq!(
                (&row["standing"], &row["token"]),
                (&"free".into(), &Value::Null),
                "{signal}"
            );
        }
    }
}

/// As under `nohup`, and for what a script starts with `&`.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals_do_not_end_gen() {
    let state = folder();
    let script = "trap '' INT HUP; \"$0\" gen sno --forever > ids & id=$!
        until [ -s ids ]; do sleep 0.02; done; kill -INT $id; kill -HUP $id
        most=$(($(wc -c < ids) + 1000000))
        while kill -0 $id && [ $(wc -c < ids) -lt $most ]; do sleep 0.02; done
        kill $id; wait $id; echo $?";
    let command = with_state(state.path(), "");
    let tickid = command.get_program().to_owned();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).arg(tickid).current_dir(state.path());
    let ran = ran(command.env("XDG_STATE_HOME", state.path()).env_remove("TICKID_STORE"));
    assert_eq!(ran.stdout, "143\n", "{}", ran.stderr);
}
