//! The snippets of `docs/server.md` that keep blocks of IDs.

use std::collections::HashSet;
use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::serving::Serving;
use crate::process::with_state;

/// Just enough of redis-py for the snippet: a connection for each command.
const REDIS: &str = r#"
import socket

class Redis:
    def __init__(self, port, decode_responses):
        self.port = port

    def execute_command(self, *words):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(" ".join(map(str, words)).encode() + b"\r\nQUIT\r\n")
            lines = connection.makefile().read().splitlines()
        assert lines[0] == f"*{words[-1]}", lines[0]
        return [line for line in lines[1:-1] if line[0] != "$"]
"#;

/// As web servers do that load the program, take an ID, and then start their workers.
const WORKERS: &str = r#"
import os, sys
print(next_id(), flush=True)
for _ in range(4):
    if os.fork() == 0:
        sys.stdout.write("".join(next_id() + "\n" for _ in range(500)))
        sys.stdout.flush()
        os._exit(0)
for _ in range(4):
    assert os.wait()[1] == 0
# A block that is too old is not used.
process, made, block = ids
ids = process, made - 3600, block
last = block[-1]
assert next_id() != last
"#;

/// Returns the snippet of a language.
fn snippet(language: &str) -> &'static str {
    let page = include_str!("../../../../../docs/server.md");
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("\n```").unwrap().0
}

pub(crate) fn python_snippet_survives_a_fork() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("shown: left out: python3 is not installed");
        return;
    }
    let state = TempDir::new().unwrap();
    let serving = Serving::start(with_state(state.path(), "serve --realm orders=sno"));
    fs::write(state.path().join("redis.py"), REDIS).unwrap();
    let port = format!("port={}", serving.resp.port());
    let program = [&snippet("python").replace("port=6400", &port), WORKERS].concat();
    let ran = Command::new("python3").args(["-c", &program]).current_dir(&state).output().unwrap();
    let ids = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let distinct: HashSet<&str> = ids.lines().collect();
    assert_eq!((ids.lines().count(), distinct.len()), (2_001, 2_001));
}
