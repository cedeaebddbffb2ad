//! Runs the benchmarks, compares their results with the targets, and guards instruction counts.

#![allow(clippy::print_stderr, reason = "a program for people")]

mod check;
mod page;
mod results;
mod targets;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Parser;

use crate::page::Page;
use crate::results::Results;

type Result<T> = core::result::Result<T, Box<dyn core::error::Error>>;

/// The targets, with the results of the last run.
const PAGE: &str = "benches/targets.md";

/// The README's chart.
const CHART: &str = "docs/images/peers.svg";

/// Run the benchmarks and compare their results with the targets in benches/targets.md.
///
/// A full run takes about ten minutes, on a machine that is otherwise idle. With filters, criterion
/// compares each result with the run before.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Run only the benchmarks with one of these in their names: `encode`, `sno`, ... That leaves
    /// benches/targets.md unchanged.
    filters: Vec<String>,
    /// Count the instructions of the hot paths instead, and fail if one has become more expensive
    /// than benches/instructions.json says. Needs valgrind.
    #[arg(long, conflicts_with_all = ["filters", "arguments"])]
    check: bool,
    /// With --check: update benches/instructions.json.
    #[arg(long, requires = "check")]
    bless: bool,
    /// Options for criterion: `-- --quick`, `-- --save-baseline x`, `-- --help`, ...
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

fn main() -> ExitCode {
    match bench(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(arguments: &Arguments) -> Result<()> {
    let root = root()?;
    let benches = root.join("benches");
    if arguments.check {
        return check::check(&benches, arguments.bless);
    }
    let mut cargo = cargo(&benches);
    cargo.args(["bench", "--benches"]);
    let home = target()?.join("criterion");
    let is_whole = arguments.filters.is_empty();
    if is_whole && home.exists() {
        // Some benchmarks may no longer exist.
        fs::remove_dir_all(&home)?;
    }
    // Criterion takes a regular expression.
    let filter = (!is_whole).then(|| arguments.filters.join("|"));
    run(cargo
        .args(["--", "--noplot"])
        .args(filter)
        .args(&arguments.arguments)
        .env("CRITERION_HOME", &home))?;
    if !is_whole {
        return Ok(());
    }
    let page = Page { about: &page::about(), results: &Results::read(&home)? };
    fs::write(root.join(CHART), page.chart())?;
    fs::write(root.join(PAGE), page.text())?;
    eprintln!("bench: see {PAGE}");
    Ok(())
}

/// Returns the repository's root, by cargo's variable, since a constant would be wrong once the
/// repository has been moved.
fn root() -> Result<PathBuf> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    Ok(manifest.ancestors().nth(2).ok_or("no repository")?.to_owned())
}

/// Returns the target folder, where this program is `debug/tickid-bench-report`.
fn target() -> Result<PathBuf> {
    Ok(env::current_exe()?.ancestors().nth(2).ok_or("no target folder")?.to_owned())
}

fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {command:?}");
    output(command, Stdio::inherit()).map(drop)
}

fn read(command: &mut Command) -> Result<String> {
    output(command, Stdio::piped())
}

/// Runs a command to its end, and returns its standard output if that is a pipe.
fn output(command: &mut Command, stdout: Stdio) -> Result<String> {
    let output = command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::inherit()).output();
    let output = output.map_err(|reason| format!("cannot run {command:?}: {reason}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} failed ({})", output.status).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> core::result::Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["bench"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn options_of_criterion_come_last() {
        let arguments = parse("sno encode -- --quick").unwrap();
        assert_eq!(arguments.filters, ["sno", "encode"]);
        assert_eq!(arguments.arguments, ["--quick"]);
        assert!(parse("--check --bless").is_ok());
        assert!(parse("--bless").is_err() && parse("--check sno").is_err());
    }
}
