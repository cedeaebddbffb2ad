//! Nodes that `gen` leases.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Child;

use serde_json::Value;
use tempfile::TempDir;

use super::{acquire, end_of, folder, spawn, stdout_of};
use crate::process::{NODE_STORE, OK, json_lines, ran, ran_in, with_state};

/// Schemes as `gen` has them by default, and the field of `--json` that holds the node.
const SCHEMES: [(&str, &str); 3] =
    [("scru64 --node-size 8", "node_id"), ("nanoflake", "generator"), ("sno", "partition")];

/// Its name may be mistyped.
#[test]
fn a_new_realm_is_announced() {
    let state = folder();
    stdout_of(state.path(), "lease init sno --realm orders");
    let remark = |arguments: &str| {
        let ran = ran_in(state.path(), arguments);
        assert_eq!(ran.status, OK, "{}", ran.stderr);
        ran.stderr
    };
    let created = "tickid: created the realm ordes: sno, with the nodes 0-65535/16; the nearest is \
                   orders\n";
    assert_eq!(remark("gen sno --realm ordes"), created);
    let far = "tickid: created the realm chat: sno, with the nodes 0-65535/16\n";
    assert_eq!(remark("gen sno --realm chat"), far);
    // Realms that are there, the usual one, and one that a static node has for itself in memory.
    for arguments in ["gen sno --realm ordes", "gen sno", "gen sno --realm a --store static:5/16"] {
        assert_eq!(remark(arguments), "", "{arguments}");
    }
}

#[test]
fn concurrent_commands_share_no_id() {
    for (scheme, node) in SCHEMES {
        let state = folder();
        let arguments = format!("gen {scheme} -n 20000 --json");
        let children: Vec<Child> = (0..4).map(|_| spawn(state.path(), &arguments)).collect();
        let mut texts = HashSet::new();
        for child in children {
            let ran = end_of(child);
            assert_eq!((ran.status, ran.said().as_str()), (OK, ""));
            let objects = json_lines(&ran.stdout);
            let nodes: HashSet<&Value> = objects.iter().map(|object| &object[node]).collect();
            assert_eq!(nodes.len(), 1, "{scheme}: one node for each command");
            texts.extend(objects.iter().map(|object| object["text"].to_string()));
        }
        assert_eq!(texts.len(), 80_000, "{scheme}");
    }
}

#[test]
fn the_only_node_is_awaited() {
    let state = folder();
    let children: Vec<Child> =
        (0..3).map(|_| spawn(state.path(), "gen kuid --kind local -n 3000")).collect();
    let mut distinct = HashSet::new();
    for child in children {
        let ran = end_of(child);
        assert_eq!((ran.status, ran.said().as_str()), (OK, ""));
        distinct.extend(ran.stdout.lines().map(str::to_owned));
    }
    assert_eq!(distinct.len(), 9_000);
}

/// While it waits, the realm is given other nodes than those that it knows.
#[test]
fn nodes_of_the_realm_are_adopted() {
    for (scheme, bits, field) in [("scru64", 8, "node_id"), ("nanoflake", 10, "generator")] {
        let state = folder();
        let init = format!("lease init {scheme} --realm orders --term 600 --pool");
        stdout_of(state.path(), &format!("{init} 7/{bits}"));
        acquire(state.path(), "orders");
        let mut waiting = spawn(state.path(), &format!("gen {scheme} --realm orders"));
        let mut said = BufReader::new(waiting.stderr.take().expect("piped")).lines();
        assert!(said.next().expect("a line").expect("text").contains("waiting"));
        let changed = ran_in(state.path(), &format!("{init} 8/{bits} --reconfigure"));
        assert_eq!(changed.status, OK, "{}", changed.stderr);
        let options = if scheme == "scru64" { "--node-size 8" } else { "--from nanoflake" };
        let inspect = format!("inspect --json {options} {}", end_of(waiting).stdout);
        assert_eq!(json_lines(&stdout_of(state.path(), &inspect))[0][field], 8, "{scheme}");
    }
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
fn store_failures_exit_with_3() {
    let state = folder();
    let in_the_way = state.path().join("tickid");
    fs::write(&in_the_way, "no folder").expect("written");
    let ran_without = ran_in(state.path(), "gen sno");
    assert_eq!((ran_without.status, ran_without.stdout.as_str()), (NODE_STORE, ""));
    let message = format!("file store: {} (owner ", in_the_way.display());
    assert!(ran_without.stderr.contains(&message), "{}", ran_without.stderr);
    assert!(ran_without.stderr.contains("--node"), "{}", ran_without.stderr);
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

/// While it writes, and while nothing reads what it writes.
#[cfg(target_os = "linux")]
#[test]
fn signals_release_the_node() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Stdio;
    use std::thread;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let state = folder();
    stdout_of(state.path(), "lease init sno --realm one --pool 7/16 --term 600");
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        for is_read in [true, false] {
            // Under `nohup` this process ignores SIGHUP, and a program inherits that.
            let command = with_state(state.path(), "gen sno --realm one --forever");
            let default = "--default-signal=HUP,INT,TERM";
            let mut command = crate::process::by_way_of(&command, "env", &[default]);
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
    let mut command =
        crate::process::by_way_of(&with_state(state.path(), ""), "sh", &["-c", script]);
    let ran = ran(command.current_dir(state.path()));
    assert_eq!(ran.stdout, "143\n", "{}", ran.stderr);
}
