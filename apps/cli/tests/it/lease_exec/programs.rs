//! Programs in other languages that use the node of `lease exec`, as docs/exec.md has them.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::state;
use crate::process::{OK, USAGE, json_lines, ran, run, tickid, with_state};

const PAGE: &str = include_str!("../../../../../docs/exec.md");

/// The programs' names, the names of the tags on the page, and the arguments before the file.
const LANGUAGES: [(&str, &str, &[&str]); 4] =
    [("python3", "python", &[]), ("node", "js", &[]), ("go", "go", &["run"]), ("sh", "sh", &[])];

/// The last block of a language.
fn snippet(tag: &str) -> &'static str {
    let (_, block) = PAGE.rsplit_once(&format!("```{tag}\n")).expect("a block");
    block.split_once("```").expect("its end").0
}

fn is_installed(program: &str) -> bool {
    let probe = ["-c".to_owned(), format!("command -v {program}")];
    ran(Command::new("sh").args(probe)).status == OK
}

/// A `PATH` on which the command is found first.
fn path() -> OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_tickid")).parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = [own].into_iter().chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("a path")
}

#[test]
fn snippets_issue_under_their_node() {
    let state = state("nanoflake --pool 700-799/10");
    for (program, tag, arguments) in LANGUAGES {
        if !is_installed(program) {
            println!("{program} is not installed");
            continue;
        }
        let file = state.path().join(format!("snippet.{tag}"));
        fs::write(&file, snippet(tag)).expect("written");
        let print_node = "echo $TICKID_NODE; exec \"$@\"";
        let mut exec = with_state(state.path(), "lease exec --realm orders -- sh -c");
        exec.arg(print_node).arg("sh").arg(program).args(arguments).arg(file);
        let ran = ran(exec.env("PATH", path()));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{program}");
        let (node, ids) = ran.stdout.split_once('\n').expect("lines");
        let ids: Vec<&str> = ids.lines().collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3, "{program}: {ids:?}");
        let inspected = run(&format!("inspect --from nanoflake --json {}", ids.join(" ")));
        for id in json_lines(&inspected.stdout) {
            assert_eq!(format!("{}/10", id["generator"]), node, "{program}");
        }
    }
}

/// The nodes of a sno realm have 16 bits, and a snippet for Nanoflake would keep only 10 of them.
#[test]
fn snippets_refuse_other_realms() {
    let state = state("sno --pool 60000-60010/16");
    for (program, tag, arguments) in LANGUAGES {
        if !is_installed(program) {
            continue;
        }
        let file = state.path().join(format!("snippet.{tag}"));
        fs::write(&file, snippet(tag)).expect("written");
        let mut exec = with_state(state.path(), "lease exec --realm orders --");
        let ran = ran(exec.arg(program).args(arguments).arg(file).env("PATH", path()));
        assert_eq!(ran.stdout, "", "{program}");
        let said = "the realm is not of Nanoflakes";
        assert!(ran.stderr.contains(said), "{program}: {}", ran.stderr);
    }
}

#[test]
fn gen_takes_what_leases_print() {
    for (scheme, pool, field, value) in [
        ("scru64", "42/8", "node_id", "42"),
        ("nanoflake", "1000/10", "generator", "1000"),
        ("kuid", "60145/32", "node", "\"0000eaf1\""),
        ("sno", "60145/16", "partition", "60145"),
        ("kuid --kind local", "0/0", "kind", "\"local\""),
    ] {
        let state = state(&format!("{scheme} --pool {pool}"));
        let size = if scheme == "scru64" { "--node-size 8" } else { "" };
        let script = format!("exec $COMMAND gen {scheme} {size} --node $TICKID_NODE --json");
        let ran = ran(&mut super::exec(state.path(), "", &script));
        assert_eq!((ran.status, ran.stderr.as_str()), (OK, ""), "{scheme}");
        assert_eq!(json_lines(&ran.stdout)[0][field].to_string(), value, "{scheme}");
    }
    let number = run("gen scru64 --node 42 --node-size 8 --json");
    assert_eq!(json_lines(&number.stdout)[0]["node_id"], 42, "{}", number.stderr);
}

/// These would be hashed as names, into a node that is not leased.
#[test]
fn mistyped_nodes_are_no_names() {
    for node in [
        " 60145/32",
        "60145/32 ",
        "60145/32\n",
        "60145/32 60146/32",
        "60145/",
        "/32",
        "60145-32",
        "60,145",
        "1.5",
        " 5",
        "-5",
        "5/0x20",
        "uid@host/32",
        "uid@host ",
    ] {
        for command in ["gen kuid", "range kuid --since 2024-01-01"] {
            let ran = ran(tickid(command).arg(format!("--node={node}")));
            assert_eq!((ran.status, ran.stdout.as_str()), (USAGE, ""), "{node:?}");
            let value = node.trim_end_matches('\n');
            assert!(ran.stderr.contains(&format!("'{value}")), "{node:?}: {}", ran.stderr);
        }
    }
}
