//! Runs the benchmarks, writes down what came out and draws it.

mod check;
mod command;
mod machine;
mod plots;
mod report;
mod results;
mod tables;
mod targets;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::bench::report::Report;
use crate::bench::results::Results;
use crate::error::Error;
use crate::run::{Run, say};
use crate::workspace::Workspace;

const DOCUMENT: &str = "docs/benchmarks.md";
/// Where criterion and our own benchmarks leave their results, from the root.
const RESULTS: &str = "benches/target/criterion";
/// How often everything is measured, minutes apart. What counts is the median: what else the machine did for
/// some seconds falls on no figure.
const PASSES: u32 = 3;
/// What one of them means, to criterion.
const PASS: [&str; 6] = ["--warm-up-time", "0.2", "--measurement-time", "1", "--sample-size", "20"];
/// What `--quick` means, to criterion.
const QUICK: [&str; 6] =
    ["--warm-up-time", "0.1", "--measurement-time", "0.3", "--sample-size", "10"];

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only those with one of these in their names: `encode`, `sno`, ... The report is then printed, and
    /// the document stays as it is.
    filters: Vec<String>,
    /// Build them, but run none.
    #[arg(long)]
    no_run: bool,
    /// Measure for a tenth of the time, to see whether all is well.
    #[arg(long)]
    quick: bool,
    /// Measure nothing, but count the instructions of the hot paths: fails when one has become more
    /// expensive than benches/instructions.json says. Needs valgrind.
    #[arg(long, conflicts_with_all = ["filters", "no_run", "quick", "arguments"])]
    check: bool,
    /// With --check: write benches/instructions.json anew.
    #[arg(long, requires = "check")]
    bless: bool,
    /// For the benchmark programs: `-- --save-baseline x`, `-- --help`, ...
    #[arg(last = true)]
    arguments: Vec<OsString>,
}

pub(crate) fn bench(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    if arguments.check {
        return check::check(workspace, arguments.bless);
    }
    let results = workspace.root().join(RESULTS);
    if arguments.no_run {
        return benches(workspace, &["--no-run"]).run();
    }
    let is_whole = arguments.filters.is_empty();
    if is_whole && results.exists() {
        // Ratios are of one run. And a benchmark that is gone leaves no figures behind.
        fs::remove_dir_all(&results)
            .map_err(|reason| Error::Write { path: results.clone(), reason })?;
    }
    let passes = if is_whole && !arguments.quick { PASSES } else { 1 };
    let passes = (1..=passes).map(|pass| {
        let results = results.join(format!("pass-{pass}"));
        measure(workspace, arguments, &results)?;
        Results::read(&results)
    });
    let measured = Results::median(passes.collect::<Result<_, _>>()?);
    let measured = measured.only(|id| arguments.wants(id));
    let report = Report {
        date: &today(),
        machine: &machine::describe(),
        is_quick: arguments.quick,
        is_whole,
        results: &measured,
    };
    if is_whole {
        let plots = workspace.root().join(DOCUMENT).with_file_name(plots::FOLDER);
        plots::draw(workspace, &measured, &results, &plots)?;
        write(&workspace.root().join(DOCUMENT), &report.to_string())?;
        say(format_args!("bench: see {DOCUMENT}"));
        return Ok(());
    }
    io::stdout().write_all(report.to_string().as_bytes()).map_err(Error::Output)
}

/// Once, and leaves what comes out in that folder.
fn measure(workspace: &Workspace, arguments: &Arguments, results: &Path) -> Result<(), Error> {
    // To criterion a filter is a regular expression.
    let filter = (!arguments.filters.is_empty()).then(|| arguments.filters.join("|"));
    benches(workspace, &["--"])
        .args(filter)
        .args(["--noplot"])
        .args(if arguments.quick { QUICK } else { PASS })
        .args(&arguments.arguments)
        .env("CRITERION_HOME", &results.to_string_lossy())
        .run()?;
    if arguments.wants(command::GROUP) {
        command::measure(workspace, results, arguments.quick)?;
    }
    Ok(())
}

impl Arguments {
    fn wants(&self, id: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| id.contains(filter))
    }
}

fn benches(workspace: &Workspace, args: &[&str]) -> Run {
    workspace.cargo_in("benches", &["bench", "--benches"]).args(args)
}

/// Where the cargo of some folder builds.
fn target_directory(cargo: Run) -> Result<PathBuf, Error> {
    let metadata = cargo.args(["metadata", "--format-version=1", "--no-deps"]).read()?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(Error::Json)?;
    let target = metadata["target_directory"].as_str();
    Ok(PathBuf::from(target.ok_or(Error::Metadata("the target directory"))?))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|reason| Error::Write { path: path.to_owned(), reason })
}

/// The date, UTC.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86_400)
}

/// The date that many days after 1970-01-01.
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
    use clap::Parser;

    use super::*;

    fn parse(line: &str) -> Arguments {
        try_parse(line).unwrap()
    }

    fn try_parse(line: &str) -> Result<Arguments, clap::Error> {
        #[derive(Parser)]
        struct Program {
            #[command(flatten)]
            arguments: Arguments,
        }
        let words = ["bench"].into_iter().chain(line.split_whitespace());
        Program::try_parse_from(words).map(|program| program.arguments)
    }

    #[test]
    fn passes_on_what_follows_two_dashes() {
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
