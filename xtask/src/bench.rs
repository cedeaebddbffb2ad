//! `cargo xtask bench`: the benchmarks, and the instruction counts of the hot paths, which are the
//! same in every run of a program and are compared with the counts in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::{env, fs};

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::command::{Command, say};
use crate::error::{Error, Result};
use crate::tables::BENCHES;
use crate::workspace::Workspace;

/// The counts to compare with.
const FILE: &str = "benches/instructions.json";
/// The program that runs the paths.
const PROGRAM: &str = "instructions";
/// The function of that program that runs one path and does nothing else.
const COUNTED: &str = "instructions::counted";
/// The increase that does not fail. It is needed because compilers place a few instructions
/// differently after changes elsewhere.
const TOLERANCE_PERCENT: f64 = 5.0;

#[derive(Args)]
pub(crate) struct Arguments {
    /// Count the instructions of the hot paths instead, and fail if one has become more expensive
    /// than benches/instructions.json says. Needs valgrind.
    #[arg(long, conflicts_with = "criterion")]
    check: bool,
    /// With --check: update benches/instructions.json.
    #[arg(long, requires = "check")]
    bless: bool,
    /// A filter and options for criterion: `encode`, `-- --quick`, `-- --save-baseline x`, ...
    criterion: Vec<OsString>,
}

/// Runs the benchmarks, or counts instructions.
pub(crate) fn bench(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    if arguments.check {
        return check(workspace, arguments.bless);
    }
    let bench = workspace.cargo(BENCHES, "bench --benches -- --noplot");
    bench.args(&arguments.criterion).run()
}

/// The costs of the hot paths, as in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct InstructionCounts {
    about: String,
    /// Another compiler generates other code.
    compiler: String,
    /// The number of instructions of an operation, by the path's name.
    instructions: BTreeMap<String, f64>,
    /// The features of the processor that select code, as valgrind shows them.
    processor: String,
}

/// Compares the counts with the file, or writes them to the file with `bless`.
fn check(workspace: &Workspace, bless: bool) -> Result<()> {
    let counted = count(workspace)?;
    let path = workspace.root.join(FILE);
    if bless {
        let text = serde_json::to_string_pretty(&counted).map_err(io::Error::other);
        return text
            .and_then(|text| fs::write(&path, text + "\n"))
            .map_err(|reason| Error::Write { path, reason });
    }
    let expected: InstructionCounts = serde_json::from_str(&read(&path)?)
        .map_err(|error| Error::Read { path, reason: error.into() })?;
    let (table, failures) = expected.compare(&counted);
    say(format_args!("{table}tolerance: {TOLERANCE_PERCENT} %"));
    if failures == 0 { Ok(()) } else { Err(Error::Dearer(failures)) }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|reason| Error::Read { path: path.to_owned(), reason })
}

fn count(workspace: &Workspace) -> Result<InstructionCounts> {
    let valgrind = || Command::new("valgrind", &workspace.root, "");
    valgrind().args(["--version"]).read()?;
    // The program is built in the profile of the benchmarks, which it represents.
    workspace.cargo(BENCHES, &format!("build --profile bench --bin {PROGRAM}")).run()?;
    // All workspaces have one target folder, where this program is `debug/xtask`.
    let this = env::current_exe().map_err(Error::Output)?;
    let target = this.ancestors().nth(2).unwrap_or(&this);
    let folder = target.join(PROGRAM);
    let fresh = || -> io::Result<()> {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)
    };
    fresh().map_err(|reason| Error::Write { path: folder.clone(), reason })?;
    let printed = valgrind()
        .args(["--quiet", "--tool=callgrind"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={COUNTED}")])
        .args([format!("--callgrind-out-file={}", folder.join("part").display())])
        .args([target.join("release").join(PROGRAM)])
        .read()?;

    // One file for each path, in the order in which the program printed them.
    let (processor, paths) = paths(&printed).ok_or(Error::Counts("what it counted"))?;
    let part = |number| folder.join(format!("part.{number}"));
    let mut instructions = BTreeMap::new();
    for (number, (name, operations)) in (1..).zip(&paths) {
        let sum = summary(&read(&part(number))?).ok_or(Error::Counts("the sum of a path"))?;
        // Work outside of the loop is less than a twentieth of an instruction per operation.
        instructions.insert((*name).to_owned(), (10.0 * sum / operations).round() / 10.0);
    }
    if part(paths.len() + 1).exists() {
        return Err(Error::Counts("the name of a path"));
    }
    let about = "Instructions per operation, by `cargo xtask bench --check --bless`; do not edit.";
    let compiler = Command::new("rustc", &workspace.root, "").args(["--version"]).read()?;
    Ok(InstructionCounts {
        about: about.to_owned(),
        compiler: compiler.trim().to_owned(),
        instructions,
        processor: processor.to_owned(),
    })
}

/// Reads a line that starts with `processor`, and then lines of the number of operations and the
/// name of each path, in the order of execution.
fn paths(printed: &str) -> Option<(&str, Vec<(&str, f64)>)> {
    let mut lines = printed.lines();
    let processor = lines.next()?.strip_prefix("processor ")?;
    let paths = lines.map(|line| {
        let (operations, name) = line.split_once(' ')?;
        let operations = operations.parse().ok().filter(|&operations: &f64| operations > 0.0)?;
        Some((name, operations))
    });
    Some((processor, paths.collect::<Option<_>>()?))
}

/// Returns the number of instructions in one of callgrind's files.
fn summary(file: &str) -> Option<f64> {
    let value = |name| file.lines().find_map(|line| line.strip_prefix(name));
    // Other events would be further columns.
    (value("events: ")?.trim() == "Ir").then_some(())?;
    value("summary: ")?.trim().parse().ok()
}

impl InstructionCounts {
    /// Returns a table of these costs and today's, and the number of paths that failed.
    fn compare(&self, now: &Self) -> (String, usize) {
        let (mut table, mut failures) = (String::new(), 0);
        for (what, file, this) in [
            ("compiler", &self.compiler, &now.compiler),
            ("processor", &self.processor, &now.processor),
        ] {
            if file != this {
                table += &format!("note: the file's {what} is {file:?}, and this is {this:?}\n");
            }
        }
        table += &format!("{:<32} {:>8} {:>8}\n", "instructions per operation", "before", "now");
        let names: BTreeSet<_> = self.instructions.keys().chain(now.instructions.keys()).collect();
        for name in names {
            let count = |of: &Self| of.instructions.get(name).copied().unwrap_or(f64::NAN);
            let (before, now) = (count(self), count(now));
            // Not if it is new or gone. The counts are rounded to tenths.
            let is_fine = now <= before * (1.0 + TOLERANCE_PERCENT / 100.0) + 1e-9;
            failures += usize::from(!is_fine);
            let verdict = if is_fine { "" } else { "  FAILED" };
            table += &format!("{name:<32} {before:>8.1} {now:>8.1}{verdict}\n");
        }
        (table, failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_has_a_verdict() {
        for (before, now, failures, verdict) in [
            (Some(100.0), Some(105.0), 0, "100.0    105.0\n"),
            (Some(100.0), Some(105.1), 1, "105.1  FAILED\n"),
            (Some(100.0), Some(15.0), 0, "100.0     15.0\n"),
            (None, Some(1.0), 1, "NaN      1.0  FAILED\n"),
            (Some(1.0), None, 1, "1.0      NaN  FAILED\n"),
        ] {
            let counts = |count: Option<f64>| InstructionCounts {
                instructions: count
                    .map(|count| ("encode/sno".to_owned(), count))
                    .into_iter()
                    .collect(),
                ..InstructionCounts::default()
            };
            let (table, found) = counts(before).compare(&counts(now));
            assert_eq!(found, failures, "{table}");
            assert!(table.ends_with(verdict), "{table}");
        }
    }

    #[test]
    fn the_file_is_readable() {
        let file: InstructionCounts =
            serde_json::from_str(include_str!("../../benches/instructions.json")).unwrap();
        assert!(file.instructions.len() > 20);
        assert_eq!(file.compare(&file).1, 0);
        let other = InstructionCounts { compiler: "rustc 2".to_owned(), ..file.clone() };
        assert!(file.compare(&other).0.contains("and this is \"rustc 2\""));
    }

    #[test]
    fn callgrind_and_the_program_are_read() {
        let file = "version: 1\npart: 3\n\nevents: Ir\nsummary: 1707112\n\ntotals: 1707112\n";
        assert_eq!(summary(file), Some(1_707_112.0));
        for wrong in ["", &file.replace("Ir", "Ir Dr"), &file.replace(": 1707112", ": many")] {
            assert_eq!(summary(wrong), None, "{wrong}");
        }
        let printed = "processor x86_64 avx2\n32768 clock/manual\n1024 encode/sno\n";
        let expected = vec![("clock/manual", 32_768.0), ("encode/sno", 1_024.0)];
        assert_eq!(paths(printed), Some(("x86_64 avx2", expected)));
        for wrong in ["", "1024 encode/sno", "processor x\nencode/sno", "processor x\n0 none"] {
            assert_eq!(paths(wrong), None, "{wrong}");
        }
    }
}
