//! The project's own chores, run as `cargo xtask <command>` from anywhere inside of the repository.

mod bench;
mod deny;
mod error;
mod fuzz;
mod lint;
mod memcheck;
mod mutants;
mod run;
mod soak;
mod tally;
mod test;
mod tidy;
mod tree;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::error::Error;
use crate::lint::Step;
use crate::run::say;
use crate::workspace::Workspace;

/// The chores of the tickid project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run all tests.
    ///
    /// First everything with all features but those for databases, documentation examples included; then, in a
    /// workspace of their own, the tests with databases and other stacks; then the models of the
    /// engine, by loom and by shuttle; then each library by itself without its default features, and
    /// its unit tests with `alloc` alone. A failure stops none of them. Ends with the failures, the
    /// reasons for skipping tests, and a line like `1894 passed, 0 failed, 12 skipped`.
    ///
    /// Needs Rust and a C compiler. Tests whose server is not installed are skipped; with
    /// TICKID_REQUIRE_SERVERS=1 they fail.
    Test,
    /// Check everything that can be checked without running the tests.
    ///
    /// Stops at the first step that fails. Needs clippy and rustfmt.
    Lint {
        /// What to check [default: all of it, in this order].
        steps: Vec<Step>,
    },
    /// Run the codecs' tests under valgrind's memcheck, at every level that it shows: all but AVX-512.
    ///
    /// Two minutes or so. Leaves out the tests that go through all pairs of bytes and all four digits. Fails when a
    /// level is not gone through that the processor has. Needs valgrind.
    Memcheck,
    /// Show at length what the tests show in short: full counts, other tools, other toolchains.
    ///
    /// Runs every step that the machine has the tools for, whatever becomes of the others, and ends with a table of
    /// what ran, what failed, and what did not run and why. Four hours or so, half of them for `mutants`.
    Verify(verify::Arguments),
    /// Run the fuzz targets, and say how many inputs were tried and how much of the program they went through.
    ///
    /// Ten minutes for each of them, or as long as is said. What is found stays in fuzz/target and fuzz/artifacts. Needs a
    /// nightly toolchain, cargo-fuzz and a C++ compiler.
    Fuzz(fuzz::Arguments),
    /// Draw a billion IDs of each scheme from eight threads, and let ten years pass for it.
    ///
    /// A quarter of an hour or so, and 200 MB of memory. Checks that no ID repeats, and that all are as promised,
    /// whatever leap seconds, suspends, steps and slews do to the clock.
    Soak(soak::Arguments),
    /// Run the benchmarks and write docs/benchmarks.md with its plots.
    ///
    /// They live in a workspace of their own, `benches`. All of them take ten minutes or so, during which the
    /// machine should have nothing else to do.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    match obey(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // The closing line of the tests has said it.
        Err(Error::TestsFailed) => ExitCode::FAILURE,
        Err(error) => {
            say(format_args!("error: {error}"));
            error.exit_code()
        }
    }
}

fn obey(command: Option<Command>) -> Result<(), Error> {
    let Some(command) = command else {
        return Arguments::command().print_help().map_err(Error::Output);
    };
    let workspace = Workspace::find()?;
    match command {
        Command::Test => test::test(&workspace),
        Command::Lint { steps } => lint::lint(&workspace, &steps),
        Command::Memcheck => memcheck::memcheck(&workspace),
        Command::Fuzz(arguments) => fuzz::fuzz(&workspace, &arguments),
        Command::Soak(arguments) => soak::soak(&workspace, &arguments),
        Command::Verify(arguments) => verify::verify(&workspace, &arguments),
        Command::Bench(arguments) => bench::bench(&workspace, &arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Command> {
        let words = ["xtask"].into_iter().chain(line.split_whitespace());
        Arguments::try_parse_from(words).unwrap().command
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn nothing_asks_for_help() {
        assert!(parse("").is_none());
    }

    #[test]
    fn lint_takes_steps() {
        let Some(Command::Lint { steps }) = parse("lint fmt no-std") else {
            panic!("not lint");
        };
        assert!(matches!(steps[..], [Step::Fmt, Step::NoStd]));
    }
}
