//! `cargo xtask test`: the tests of the libraries, or with `--all`, all tests.
//!
//! cargo-nextest would start a process for each test, and with it, for 300 of them, a server.

use std::io::{self, Write as _};
use std::process::ExitCode;
use std::thread;

use anyhow::Result;
use clap::Args;

use crate::command::Command;
use crate::examples;
use crate::tables::INTEGRATION;
use crate::tally::Tally;
use crate::workspace::Workspace;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Run everything: the programs, the stores on servers, and other stacks as well.
    #[arg(long)]
    all: bool,
}

/// Runs tests, whether or not some fail, and prints the results.
pub(crate) fn test(workspace: &Workspace, arguments: &Arguments) -> Result<ExitCode> {
    let tally = if arguments.all { all(workspace)? } else { libraries(workspace)? };
    writeln!(io::stdout(), "\n{tally}")?;
    Ok(ExitCode::from(u8::from(tally.failed > 0)))
}

/// Tests the libraries, which are the workspace's default members, with the stores that need no
/// server.
fn libraries(workspace: &Workspace) -> Result<Tally> {
    let features = workspace.features_of_libraries();
    let tests = workspace.cargo("", "test --no-fail-fast").args([&features]);
    let mut tally = Tally::of(tests, |_| ())?;
    tally.add(examples::run(workspace, &["", &features])?);
    Ok(tally)
}

fn all(workspace: &Workspace) -> Result<Tally> {
    let features = workspace.features_without_databases();
    // Many of these tests wait for servers and processes most of the time.
    let threads = 4 * thread::available_parallelism().map_or(1, usize::from);
    let main = workspace.cargo("", "test --no-fail-fast --workspace").args([&features]);
    let main = main.env("RUST_TEST_THREADS", threads.to_string());
    let mut tally = thread::scope(|scope| {
        let mut builds = Some(|| build(workspace));
        Tally::of(main, |line| {
            if line.trim_start().starts_with("Running ") {
                builds.take().map(|builds| scope.spawn(builds));
            }
        })
    })?;
    tally.add(examples::run(workspace, &["--workspace", &features])?);
    for command in others(workspace, "--no-fail-fast") {
        tally.add(Tally::of(command, |_| ())?);
    }
    tally.add(Tally::of(lean(workspace), |_| ())?);
    Ok(tally)
}

/// Builds the other tests ahead. If that fails, the error shows again when they run.
fn build(workspace: &Workspace) {
    for command in others(workspace, "--no-run --quiet") {
        let _ = command.read();
    }
}

/// Returns the tests of the command as `cargo install` builds it by default. They are built last:
/// the binary takes the place of the one with all features, which the other tests run.
fn lean(workspace: &Workspace) -> Command {
    workspace.cargo("", "test --no-fail-fast --package tickid-cli --test it features::")
}

/// Returns the tests that need separate builds.
fn others(workspace: &Workspace, option: &str) -> [Command; 2] {
    let test = |folder, words| workspace.cargo(folder, &format!("test {option} {words}"));
    // The shared engine under a model checker. `cargo xtask verify` explores more orders.
    let models = test("", "--lib {core}").env("RUSTFLAGS", "--cfg tickid_loom").args(["models"]);
    // Clippy checks these tests while it compiles them, because `cargo clippy` would compile the
    // clients of the databases once more. Their manifest denies warnings. `--locked` keeps a new
    // release of one of these libraries from failing a change that has nothing to do with it.
    let integration =
        test(INTEGRATION, "--locked --workspace").env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    [integration, models]
}
