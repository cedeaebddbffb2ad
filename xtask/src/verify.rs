//! Everything that takes longer than the tests of every day: full counts, other tools, other toolchains. Which
//! steps there are is told in [`steps`].

mod step;
mod steps;
mod table;

use core::time::Duration;
use std::io::{self, Write as _};
use std::time::Instant;

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::error::Error;
use crate::run::say;
use crate::verify::step::{Outcome, Step};
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Which steps [default: all of them, in this order].
    #[arg(value_parser = PossibleValuesParser::new(steps::steps().iter().map(|step| step.name)))]
    steps: Vec<String>,
    /// A step that the machine has not got the tools for is a failure.
    #[arg(long)]
    strict: bool,
}

/// What became of a step, and how long it took.
struct Line {
    step: Step,
    outcome: Outcome,
    time: Duration,
}

/// Runs the steps to the last, whatever becomes of them, and ends with a table of what ran.
pub(crate) fn verify(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    let is_asked = |step: &Step| {
        arguments.steps.is_empty() || arguments.steps.iter().any(|name| name == step.name)
    };
    let mut lines = Vec::new();
    for step in steps::steps().into_iter().filter(is_asked) {
        say(format_args!("verify: {}", step.name));
        let start = Instant::now();
        let outcome = step.run(workspace);
        lines.push(Line { step, outcome, time: start.elapsed() });
    }
    let table = table::table(&lines);
    io::stdout().write_all(table.as_bytes()).map_err(Error::Output)?;
    let failed = |line: &&Line| match line.outcome {
        Outcome::Passed(_) => false,
        Outcome::NotRun(_) => arguments.strict,
        Outcome::Failed(_) => true,
    };
    let failed: Vec<_> = lines.iter().filter(failed).map(|line| line.step.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(Error::Unverified(failed)) }
}
