//! Nodes that are leased: by `gen`, and by the commands of `lease`.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod process;

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use process::{NODE_STORE, OK, Ran, json_lines, tickid};
use serde_json::Value;
use tempfile::TempDir;

/// What `gen` prints by default, as to which bits are the node: the field of `--json`.
const SCHEMES: [(&str, &str); 3] =
    [("scru64 --node-size 8", "node_id"), ("nanoflake", "generator"), ("sno", "partition")];

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The command of somebody whose state is kept in `state`.
fn with_state(state: &Path, arguments: &str) -> Command {
    let mut command = tickid(arguments);
    command.env("XDG_STATE_HOME", state);
    command
}

fn ran(command: &mut Command) -> Ran {
    command.output().expect("runs").into()
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
fn commands_at_once_have_nodes_of_their_own_and_no_id_in_common() {
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
fn commands_at_once_wait_for_each_other_where_there_is_one_node() {
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
fn a_second_run_under_the_same_node_goes_on_above_the_first() {
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

/// Runs the command at another time than it is, where that can be done.
fn faketime() -> Option<String> {
    let libraries = fs::read_dir("/usr/lib").ok()?.flatten();
    let library = libraries
        .map(|folder| folder.path().join("faketime/libfaketime.so.1"))
        .find(|p| p.exists());
    if library.is_none() {
        assert!(std::env::var_os("TICKID_REQUIRE_SERVERS").is_none(), "no libfaketime");
    }
    library.map(|library| library.display().to_string())
}

#[test]
fn a_clock_set_back_between_two_runs_does_no_harm() {
    let Some(library) = faketime() else { return };
    // An hour: the node of the first run is out of reach, and another one is taken.
    let state = folder();
    let mut distinct = HashSet::new();
    for offset in ["+0s", "-1h", "-2h", "-1h", "+0s"] {
        let mut command = with_state(state.path(), "gen sno -n 3000 --json");
        let ran = ran(command.env("LD_PRELOAD", &library).env("FAKETIME", offset));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{offset}");
        distinct.extend(json_lines(&ran.stdout).iter().map(|object| object["text"].to_string()));
    }
    assert_eq!(distinct.len(), 15_000);

    // Five seconds, which the scheme may run ahead: the only node goes on where it was.
    let store = format!("static:42/8?state={}", state.path().display());
    let mut last = String::new();
    for offset in ["+0s", "-5s"] {
        let mut command = with_state(state.path(), &format!("gen scru64 -n 500 --store {store}"));
        let ran = ran(command.env("LD_PRELOAD", &library).env("FAKETIME", offset));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{offset}");
        assert!(ran.stdout.lines().all(|id| id > last.as_str()), "{offset}: at or below {last}");
        last = ran.stdout.lines().last().expect("IDs").to_owned();
    }

    // An hour, and no other node: no ID at all rather than one again.
    let mut command = with_state(state.path(), &format!("gen scru64 --store {store}"));
    let ran = ran(command.env("LD_PRELOAD", &library).env("FAKETIME", "-1h"));
    assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""));
    assert!(ran.stderr.contains("1 of them are wild"), "{}", ran.stderr);
}

#[test]
fn a_store_that_fails_ends_with_3_and_says_how_to_go_on() {
    let state = folder();
    let in_the_way = state.path().join("tickid");
    fs::write(&in_the_way, "no folder").expect("written");
    let ran_without = ran(&mut with_state(state.path(), "gen sno"));
    assert_eq!((ran_without.status, ran_without.stdout.as_str()), (NODE_STORE, ""));
    let message = format!("could not create the folder {}", in_the_way.display());
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
fn a_node_that_is_given_touches_no_store() {
    let state = folder();
    for arguments in ["scru64 --node 42/8", "nanoflake --node 5", "kuid --node a@b", "sno --node 7"]
    {
        stdout_of(state.path(), &format!("gen {arguments} -n 10"));
    }
    assert_eq!(fs::read_dir(state.path()).expect("a folder").count(), 0);
}

#[test]
fn the_environment_names_the_store_and_the_command_line_another() {
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
fn a_realm_of_another_scheme_is_refused() {
    let state = folder();
    stdout_of(state.path(), "gen sno --realm orders");
    let ran = ran(&mut with_state(state.path(), "gen scru64 --realm orders"));
    assert_eq!((ran.status, ran.stdout.as_str()), (NODE_STORE, ""));
    assert!(ran.stderr.contains("schemes are others: it has sno"), "{}", ran.stderr);
}
