//! The project's tasks, run as `cargo xtask <command>` from anywhere in the repository.

mod bench;
mod command;
mod examples;
mod files;
mod lint;
mod rules;
mod tables;
mod tally;
mod test;
mod verify;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::command::say;
use crate::workspace::Workspace;

/// The tasks of the tickid project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Test the libraries, or everything with `--all`.
    ///
    /// Without `--all`, this tests the libraries with the stores that need no server, and compares
    /// their examples' output with the output that they document. It needs only Rust.
    ///
    /// With `--all` it tests the whole workspace with all features but those for clients of
    /// databases; then the examples; then the workspace of tests with databases and other stacks;
    /// then the models of the engine, by loom; then the command without features. That needs a C
    /// compiler, too. Tests whose server is not installed are skipped; with
    /// TICKID_REQUIRE_SERVERS=1 they fail.
    ///
    /// A failure stops none of them. Ends with the failures, the reasons for skipping tests, and a
    /// line like `1894 passed, 0 failed, 12 skipped`.
    Test(test::Arguments),
    /// Check everything that can be checked without running the tests.
    ///
    /// Stops at the first step that fails. Needs clippy and rustfmt.
    Lint(lint::Arguments),
    /// Run long checks: full counts, other tools, other toolchains.
    ///
    /// Runs every step whose tools are installed, even if others fail, and ends with the result of
    /// each and the seconds that it took: most of a day together. The environment changes the
    /// length of `fuzz` (TICKID_FUZZ_SECONDS, 60 per target) and of `soak` (TICKID_SOAK_IDS).
    Verify(verify::Arguments),
    /// Run the benchmarks, or compare the instruction counts of the hot paths.
    ///
    /// All benchmarks take about ten minutes, on a machine that is otherwise idle. Criterion
    /// compares each result with the run before.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    run(Arguments::parse().task).unwrap_or_else(|error| {
        say(format_args!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

fn run(task: Task) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    match task {
        // The closing line of the tests is the last one, whether or not they pass.
        Task::Test(arguments) => return test::test(&workspace, &arguments),
        Task::Lint(arguments) => lint::lint(&workspace, &arguments)?,
        Task::Verify(arguments) => verify::verify(&workspace, &arguments)?,
        Task::Bench(arguments) => bench::bench(&workspace, &arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
        for line in ["verify --strict loom", "bench encode -- --quick", "bench --check --bless"] {
            Arguments::try_parse_from(["xtask"].into_iter().chain(line.split(' '))).unwrap();
        }
    }
}
