//! `cargo xtask verify`: full counts, other tools and other toolchains.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Result, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use indexmap::IndexMap;
use serde::Deserialize;

use crate::command::{Command, say};
use crate::tally::Tally;
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    #[arg(value_parser = PossibleValuesParser::new(LIST.steps.keys().map(String::as_str)))]
    steps: Vec<String>,
    /// Fail if a step cannot run because a tool is missing.
    #[arg(long)]
    strict: bool,
}

#[expect(clippy::expect_used, reason = "the file is a part of this program, and has a test")]
static LIST: LazyLock<List> =
    LazyLock::new(|| toml::from_str(include_str!("../steps.toml")).expect("xtask/steps.toml"));

/// The list of steps, as in its file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    steps: IndexMap<String, VerifyStep>,
    /// What steps need, where the name does not tell: a shell command that fails without it, and
    /// how to get it.
    tools: BTreeMap<String, (String, String)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerifyStep {
    /// The property that it shows.
    shows: String,
    /// The workspace of cargo, from the repository's root.
    #[serde(default)]
    folder: String,
    /// Cargo with words for [`Workspace::cargo`], or a script with arguments.
    run: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// Runs all steps, whether or not some fail, and prints the result of each.
pub(crate) fn verify(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let chosen = &arguments.steps;
    let is_chosen = |name: &String| chosen.is_empty() || chosen.contains(name);
    let (mut results, mut failed) = (String::new(), Vec::new());
    for (name, step) in LIST.steps.iter().filter(|(name, _)| is_chosen(name)) {
        say(format_args!("verify: {name}: {}", step.shows));
        let start = Instant::now();
        let tally = step.run(workspace);
        if tally.failed > 0 || arguments.strict && did_not_run(&tally) {
            failed.push(name.as_str());
        }
        let result = result(name, &tally, start.elapsed().as_secs());
        // Say it now as well, because a later step may be interrupted.
        say(format_args!("{result}"));
        results += &format!("{result}\n");
    }
    io::stdout().write_all(results.as_bytes())?;
    ensure!(failed.is_empty(), "not verified: {}", failed.join(", "));
    Ok(())
}

impl List {
    /// Returns a shell command that fails if what a step needs is missing, and how to get it.
    fn probe(&self, need: &str) -> (String, String) {
        if let Some((probe, get)) = self.tools.get(need) {
            (probe.clone(), get.clone())
        } else if let Some(toolchain) = need.strip_prefix('+') {
            let probe = format!("rustup run {toolchain} cargo --version");
            (probe, format!("rustup toolchain install {toolchain}"))
        } else if let Some(target) = need.strip_prefix("target ") {
            // The target's library is from rustup or a distribution.
            let folder = format!("$(rustc --print=target-libdir --target={target})");
            (format!("ls {folder}/libcore-*.rlib"), format!("rustup target add {target}"))
        } else {
            (format!("command -v {need}"), format!("install {need}"))
        }
    }
}

impl VerifyStep {
    fn run(&self, workspace: &Workspace) -> Tally {
        let mut needs = self.needs.iter().map(|need| LIST.probe(need));
        if let Some((probe, get)) = needs.find(|(probe, _)| !succeeds(probe)) {
            let reason = format!("`{probe}` fails ({get})");
            say(format_args!("not run: {reason}"));
            return Tally { skipped: 1, reasons: [(reason, 1)].into(), ..Tally::default() };
        }
        let command = match self.run.strip_prefix("cargo ") {
            Some(words) => workspace.cargo(&self.folder, words),
            None => Command::new("bash", &workspace.root, "").args(self.run.split(' ')),
        };
        let add = |command: Command, (name, value): (&String, _)| command.env(name, value);
        Tally::of(self.env.iter().fold(command, add), |_| ()).unwrap_or_else(|error| Tally {
            failed: 1,
            failures: vec![format!("{error:#}")],
            ..Tally::default()
        })
    }
}

fn succeeds(probe: &str) -> bool {
    Command::new("sh", Path::new("."), "").args(["-c", probe]).read().is_ok()
}

/// Reports whether a tool was missing or all tests were skipped.
fn did_not_run(tally: &Tally) -> bool {
    tally.passed + tally.failed == 0 && tally.skipped > 0
}

fn result(name: &str, tally: &Tally, seconds: u64) -> String {
    let reasons = || Vec::from_iter(tally.reasons.keys().map(String::as_str)).join(", ");
    let result = match tally.skipped {
        _ if tally.failed > 0 => format!("FAILED: {}", tally.failures.join(", ")),
        _ if did_not_run(tally) => format!("not run: {}", reasons()),
        0 => "passed".to_owned(),
        skipped => format!("passed, {skipped} skipped: {}", reasons()),
    };
    let tests = if tally.passed > 0 { format!("{} tests, ", tally.passed) } else { String::new() };
    format!("{name}: {result} ({tests}{seconds} s)")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_is_sound() {
        let needs: BTreeSet<_> = LIST.steps.values().flat_map(|step| &step.needs).collect();
        let (listed, others): (Vec<_>, Vec<_>) =
            needs.into_iter().partition(|need| LIST.tools.contains_key(*need));
        assert_eq!(listed, Vec::from_iter(LIST.tools.keys()), "what is needed, and what is listed");
        let installed = include_str!("../../.ci/verify");
        for need in others {
            let name = need.trim_start_matches('+').trim_start_matches("target ");
            assert!(installed.contains(name), "`.ci/verify` does not install {name}");
        }
    }

    /// A failure and a missing tool must not look like success.
    #[test]
    fn a_row_has_the_outcome() {
        for (passed, failed, skipped, expected) in [
            (3, 0, 0, "passed (3 tests, 61 s)"),
            (0, 0, 0, "passed (61 s)"),
            (3, 0, 2, "passed, 2 skipped: no etcd (3 tests, 61 s)"),
            (3, 1, 2, "FAILED: a (3 tests, 61 s)"),
            (0, 0, 2, "not run: no etcd (61 s)"),
        ] {
            let (failures, reasons) = (vec!["a".to_owned()], [("no etcd".to_owned(), 2)].into());
            let tally = Tally { passed, failed, skipped, failures, reasons };
            assert_eq!(result("storm", &tally, 61), format!("storm: {expected}"));
        }
    }

    #[test]
    fn missing_tools_are_noticed() {
        assert!(succeeds("cargo --version | grep 'cargo 1.'"));
        for need in ["no-such-program", "+no-such-toolchain", "target no-such-target"] {
            assert!(!succeeds(&LIST.probe(need).0), "{need}");
        }
        assert!(succeeds(&LIST.probe("sh").0));
    }
}
