//! Runs the benchmarks, writes the report with its charts, and guards instruction counts.

#![allow(clippy::print_stderr, reason = "a program for people")]

mod chart;
mod check;
mod command;
mod draw;
mod error;
mod machine;
mod report;
mod repository;
mod results;
mod tables;
mod targets;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;

use crate::error::Error;
use crate::report::Report;
use crate::repository::{Repository, create_empty, remove, run, write};
use crate::results::Results;

/// The page of the last run. The folder of the same name has its charts and figures.
const PAGE: &str = "docs/results/benchmarks.md";
/// The results of all benchmarks, from the root.
const RESULTS: &str = "target/criterion";
/// The number of passes over all benchmarks, minutes apart. The report has the medians, so other
/// work on the machine for some seconds does not affect the figures.
const PASSES: u32 = 3;
/// The options of one pass for criterion.
const PASS: [&str; 6] = ["--warm-up-time", "0.2", "--measurement-time", "1", "--sample-size", "20"];
/// The options of a quick pass for criterion.
const QUICK: [&str; 6] =
    ["--warm-up-time", "0.1", "--measurement-time", "0.3", "--sample-size", "10"];

/// Run the benchmarks and write their results to docs/results.
///
/// A full run takes about ten minutes, on a machine that is otherwise idle.
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Arguments {
    /// Run the benchmarks with one of these in their names: `encode`, `sno`, ... The report is then
    /// printed, and docs/results left unchanged.
    filters: Vec<String>,
    /// Build the benchmarks without running them.
    #[arg(long)]
    no_run: bool,
    /// Measure for a tenth of the time, to check that everything works.
    #[arg(long)]
    quick: bool,
    /// Count the instructions of the hot paths instead, and fail if one has become more expensive
    /// than benches/instructions.json says. Needs valgrind.
    #[arg(long, conflicts_with_all = ["filters", "no_run", "quick", "arguments"])]
    check: bool,
    /// With --check: update benches/instructions.json.
    #[arg(long, requires = "check")]
    bless: bool,
    /// Measure the command of this commit in turn with the present one's.
    #[arg(long, value_name = "COMMIT", conflicts_with = "check")]
    baseline: Option<String>,
    /// Options for the benchmark programs: `-- --save-baseline x`, `-- --help`, ...
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

fn main() -> ExitCode {
    match bench(&Repository::find(), &Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(repository: &Repository, arguments: &Arguments) -> Result<(), Error> {
    if arguments.check {
        return check::check(repository, arguments.bless);
    }
    if arguments.no_run {
        return run(benches(repository).arg("--no-run"));
    }
    let results = repository.path(RESULTS);
    let is_whole = arguments.filters.is_empty();
    if is_whole {
        // Results of earlier runs are not comparable, or belong to benchmarks that no longer exist.
        remove(&results)?;
    }
    let passes = if is_whole && !arguments.quick { PASSES } else { 1 };
    let passes = (1..=passes).map(|pass| {
        let results = results.join(format!("pass-{pass}"));
        measure(repository, arguments, &results)?;
        Results::read(&results)
    });
    let measured = Results::median(passes.collect::<Result<_, _>>()?);
    let measured = measured.only(|id| arguments.wants(id));
    let report = Report {
        date: &today(),
        machine: &machine::describe(),
        is_quick: arguments.quick,
        results: &measured,
    };
    if !is_whole {
        return io::stdout().write_all(report.to_string().as_bytes()).map_err(Error::Output);
    }
    let page = repository.path(PAGE);
    let folder = page.with_file_name(report::FOLDER);
    create_empty(&folder)?;
    for chart in chart::all(&measured) {
        write(&folder.join(&chart.file), &draw::svg(&chart)?)?;
    }
    for (path, text) in [
        (folder.join(report::FIGURES_FILE), report.figures()),
        (folder.join(report::TARGETS_FILE), report.targets()),
        (page, report.page()),
    ] {
        write(&path, &text)?;
    }
    eprintln!("bench: see {PAGE}");
    Ok(())
}

/// Runs one pass, with the results in a separate folder.
fn measure(repository: &Repository, arguments: &Arguments, results: &Path) -> Result<(), Error> {
    // The command is not part of criterion's benchmarks, which take minutes to build.
    if arguments.filters != [command::GROUP] {
        // Criterion takes a regular expression.
        let filter = (!arguments.filters.is_empty()).then(|| arguments.filters.join("|"));
        run(benches(repository)
            .arg("--")
            .args(filter)
            .args(["--noplot"])
            .args(if arguments.quick { QUICK } else { PASS })
            .args(&arguments.arguments)
            .env("CRITERION_HOME", results))?;
    }
    if arguments.wants(command::GROUP) {
        command::measure(repository, results, arguments.quick, arguments.baseline.as_deref())?;
    }
    Ok(())
}

fn benches(repository: &Repository) -> Command {
    let mut cargo = repository.cargo_in_benches();
    cargo.args(["bench", "--benches"]);
    cargo
}

impl Arguments {
    fn wants(&self, id: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| id.contains(filter))
    }
}

/// Returns today's date in UTC.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86_400)
}

/// Returns the date `days` days after 1970-01-01.
fn date(days: u64) -> String {
    let mut days = days;
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        try_parse(line).unwrap()
    }

    fn try_parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(["bench"].into_iter().chain(line.split_whitespace()))
    }

    #[test]
    fn trailing_options_are_passed_on() {
        for (line, expected_filters, expected_arguments) in [
            ("--no-run", "", ""),
            ("--no-run -- --quick -n", "", "--quick -n"),
            ("sno encode --no-run -- --quick", "sno encode", "--quick"),
        ] {
            let arguments = parse(line);
            assert!(arguments.no_run && !arguments.quick, "{line}");
            assert_eq!(arguments.filters.join(" "), expected_filters, "{line}");
            assert_eq!(arguments.arguments.join(" ".as_ref()), expected_arguments, "{line}");
        }
    }

    #[test]
    fn checking_is_not_measuring() {
        let arguments = parse("--check --bless");
        assert!(arguments.check && arguments.bless);
        for line in ["--bless", "--check sno", "--check --quick", "--check --no-run"] {
            assert!(try_parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_filter_is_a_part_of_a_name() {
        assert!(parse("").wants("encode/sno"));
        assert!(parse("decode sno").wants("encode/sno"));
        assert!(!parse("decode").wants("encode/sno"));
    }

    #[test]
    fn days_become_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_088, "2024-12-31"),
            (20_089, "2025-01-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
