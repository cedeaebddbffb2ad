//! `cargo xtask verify`: full counts, other tools and other toolchains.

mod step;
mod steps;

use std::io::{self, Write as _};
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::command::say;
use crate::error::{Error, Result};
use crate::verify::step::{Outcome, Step};
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The steps to run [default: all, in this order].
    #[arg(value_parser = PossibleValuesParser::new(steps::STEPS.iter().map(|step| step.name)))]
    steps: Vec<String>,
    /// Fail if a step cannot run because a tool is missing.
    #[arg(long)]
    strict: bool,
}

/// Runs all steps, whether or not some fail, and prints a table of the results.
pub(crate) fn verify(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let chosen = &arguments.steps;
    let is_chosen = |step: &&Step| chosen.is_empty() || chosen.iter().any(|name| name == step.name);
    let (mut rows, mut notes, mut failed) = (String::new(), String::new(), Vec::new());
    for step in steps::STEPS.iter().filter(is_chosen) {
        say(format_args!("verify: {}", step.name));
        let start = Instant::now();
        let outcome = step.run(workspace);
        rows += &row(step, &outcome, start.elapsed().as_secs());
        match outcome {
            Outcome::Passed(tally) => {
                notes.extend(tally.notes.iter().map(|note| format!("- {}: {note}\n", step.name)));
            }
            Outcome::Failed(_) => failed.push(step.name),
            Outcome::NotRun(_) if arguments.strict => failed.push(step.name),
            Outcome::NotRun(_) => {}
        }
    }
    let head = "| step | shows | result | tests | seconds |\n|---|---|---|---:|---:|\n";
    let table = format!("{head}{rows}\n{notes}");
    io::stdout().write_all(table.as_bytes()).map_err(Error::Output)?;
    if failed.is_empty() { Ok(()) } else { Err(Error::NotVerified(failed)) }
}

fn row(step: &Step, outcome: &Outcome, seconds: u64) -> String {
    let mut tests = String::new();
    let result = match outcome {
        Outcome::Passed(tally) => {
            if tally.passed > 0 {
                tests = tally.passed.to_string();
            }
            let reasons: Vec<_> = tally.reasons.keys().map(String::as_str).collect();
            match tally.skipped {
                0 => "passed".to_owned(),
                skipped => format!("passed; {skipped} skipped: {}", reasons.join(", ")),
            }
        }
        Outcome::Failed(reason) => format!("**failed**: {reason}"),
        Outcome::NotRun(reason) => format!("not run: {reason}"),
    };
    let result = result.replace('\n', "; ");
    format!("| {} | {} | {result} | {tests} | {seconds} |\n", step.name, step.shows)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tally::Tally;
    use crate::verify::step::cargo;

    #[test]
    fn step_names_are_unique() {
        let names: BTreeSet<_> = steps::STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), steps::STEPS.len());
    }

    #[test]
    fn a_row_has_the_outcome() {
        let reasons = [("no etcd".to_owned(), 2)].into();
        let tally = Tally { passed: 3, skipped: 2, reasons, ..Tally::default() };
        for (outcome, expected) in [
            (Outcome::Passed(tally), "passed; 2 skipped: no etcd | 3"),
            (Outcome::Failed("a\nb".to_owned()), "**failed**: a; b | "),
            (Outcome::NotRun("no tool".to_owned()), "not run: no tool | "),
        ] {
            let row = row(&cargo("storm", "no ID twice", "test"), &outcome, 61);
            assert_eq!(row, format!("| storm | no ID twice | {expected} | 61 |\n"));
        }
    }
}
