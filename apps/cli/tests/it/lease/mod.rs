//! Nodes that are leased: by `gen`, and by the commands of `lease`.

mod generate;
mod listing;
mod realms;
mod release;
mod repair;

use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::process::{self, OK, Ran, json_lines, ran_in, with_state};

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn stdout_of(state: &Path, arguments: &str) -> String {
    let ran = ran_in(state, arguments);
    assert_eq!((ran.status, ran.said().as_str()), (OK, ""), "{arguments}");
    ran.stdout
}

fn spawn(state: &Path, arguments: &str) -> Child {
    let mut command = with_state(state, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs")
}

fn end_of(child: Child) -> Ran {
    child.wait_with_output().expect("ends").into()
}

fn acquire(state: &Path, realm: &str) -> Value {
    let arguments = format!("lease acquire --realm {realm} --holder me --json");
    json_lines(&stdout_of(state, &arguments)).remove(0)
}

/// The rows of a realm.
fn rows(state: &Path, realm: &str) -> Vec<Value> {
    process::rows(&stdout_of(state, &format!("lease list --realm {realm} --json")))
}

/// The pool of a realm.
fn pool(state: &Path, realm: &str) -> Value {
    let list = stdout_of(state, &format!("lease list --realm {realm} --json"));
    json_lines(&list).remove(0)["pool"].clone()
}
