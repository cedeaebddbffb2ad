//! `cargo xtask verify`: full counts, other tools and other toolchains.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;

use crate::command::{Command, say};
use crate::error::{Error, Result};
use crate::tally::Tally;
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    #[arg(value_parser = PossibleValuesParser::new(LIST.steps.iter().map(|step| &*step.name)))]
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
    steps: Vec<Step>,
    /// Tools that not every machine has, each with a shell command that fails without it and
    /// instructions to install it.
    tools: BTreeMap<String, (String, String)>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Step {
    name: String,
    /// The property that it shows, for the table.
    shows: String,
    /// The workspace of cargo, from the repository's root.
    folder: String,
    /// Cargo with words for [`Workspace::cargo`], or a script with arguments.
    run: String,
    needs: Vec<String>,
    env: BTreeMap<String, String>,
}

/// Runs all steps, whether or not some fail, and prints a table of the results.
pub(crate) fn verify(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let chosen = &arguments.steps;
    let is_chosen = |step: &&Step| chosen.is_empty() || chosen.contains(&step.name);
    let (mut rows, mut notes, mut failed) = (String::new(), String::new(), Vec::new());
    for step in LIST.steps.iter().filter(is_chosen) {
        say(format_args!("verify: {}", step.name));
        let start = Instant::now();
        let tally = step.run(workspace);
        rows += &row(step, &tally, start.elapsed().as_secs());
        notes.extend(tally.notes.iter().map(|note| format!("- {}: {note}\n", step.name)));
        if tally.failed > 0 || arguments.strict && did_not_run(&tally) {
            failed.push(&*step.name);
        }
    }
    let head = "| step | shows | result | tests | seconds |\n|---|---|---|---:|---:|\n";
    let table = format!("{head}{rows}\n{notes}");
    io::stdout().write_all(table.as_bytes()).map_err(Error::Output)?;
    if failed.is_empty() { Ok(()) } else { Err(Error::NotVerified(failed)) }
}

impl Step {
    fn run(&self, workspace: &Workspace) -> Tally {
        let mut needs = self.needs.iter().map(|tool| &LIST.tools[tool]);
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
            failures: vec![error.to_string()],
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

fn row(step: &Step, tally: &Tally, seconds: u64) -> String {
    let reasons = || Vec::from_iter(tally.reasons.keys().map(String::as_str)).join(", ");
    let result = match tally.skipped {
        _ if tally.failed > 0 => format!("**failed**: {}", tally.failures.join(", ")),
        _ if did_not_run(tally) => format!("not run: {}", reasons()),
        0 => "passed".to_owned(),
        skipped => format!("passed; {skipped} skipped: {}", reasons()),
    };
    let result = result.replace('\n', "; ");
    let tests = if tally.passed > 0 { tally.passed.to_string() } else { String::new() };
    format!("| {} | {} | {result} | {tests} | {seconds} |\n", step.name, step.shows)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_list_is_sound() {
        let needed: BTreeSet<_> = LIST.steps.iter().flat_map(|step| &step.needs).collect();
        assert_eq!(
            needed,
            LIST.tools.keys().collect(),
            "tools that are needed, and that are listed"
        );
        let names: BTreeSet<_> = LIST.steps.iter().map(|step| &step.name).collect();
        assert_eq!(names.len(), LIST.steps.len(), "each name is unique");
        for Step { name, shows, run, .. } in &LIST.steps {
            assert!(!name.is_empty() && !shows.is_empty() && !run.is_empty(), "{name}");
        }
    }

    #[test]
    fn a_row_has_the_outcome() {
        let [name, shows] = ["storm", "no ID twice"].map(str::to_owned);
        let step = Step { name, shows, ..Step::default() };
        let failures = vec!["a\nb".to_owned()];
        for (passed, failed, skipped, expected) in [
            (3, 0, 0, "passed | 3"),
            (0, 0, 0, "passed | "),
            (3, 0, 2, "passed; 2 skipped: no etcd | 3"),
            (3, 1, 2, "**failed**: a; b | 3"),
            (0, 0, 2, "not run: no etcd | "),
        ] {
            let (failures, reasons) = (failures.clone(), [("no etcd".to_owned(), 2)].into());
            let tally = Tally { passed, failed, skipped, failures, reasons, notes: vec![] };
            let expected = format!("| storm | no ID twice | {expected} | 61 |\n");
            assert_eq!(row(&step, &tally, 61), expected);
        }
    }

    #[test]
    fn missing_tools_are_noticed() {
        assert!(succeeds("cargo --version | grep 'cargo 1.'"));
        assert!(!succeeds("no-such-program"));
    }
}
