//! `cargo xtask bench`: the benchmarks, and the instruction counts of the hot paths, which are the
//! same in every run of a program and are compared with the counts in a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::command::{Command, say};
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
        let text = serde_json::to_string_pretty(&counted)? + "\n";
        return fs::write(path, text).context(format!("cannot write {FILE}"));
    }
    let expected = fs::read(path).context(format!("cannot read {FILE}"))?;
    let expected: InstructionCounts = serde_json::from_slice(&expected).context(FILE)?;
    let (table, failures) = expected.compare(&counted);
    say(format_args!("{table}tolerance: {TOLERANCE_PERCENT} %"));
    ensure!(
        failures == 0,
        "{failures} of the paths above are more expensive than in {FILE}, new or gone; \
         `cargo xtask bench --check --bless` accepts the new counts"
    );
    Ok(())
}

fn count(workspace: &Workspace) -> Result<InstructionCounts> {
    let valgrind = || Command::new("valgrind", &workspace.root, "");
    valgrind().args(["--version"]).read()?;
    // The program is built in the profile of the benchmarks, which it represents.
    workspace.cargo(BENCHES, &format!("build --profile bench --bin {PROGRAM}")).run()?;
    // All workspaces have one target folder, where this program is `debug/xtask`.
    let this = env::current_exe()?;
    let target = this.ancestors().nth(2).unwrap_or(&this);
    let sums = target.join("callgrind.out");
    let printed = valgrind()
        .args(["--quiet", "--tool=callgrind", "--combine-dumps=yes"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={COUNTED}")])
        .args([format!("--callgrind-out-file={}", sums.display())])
        .args([target.join("release").join(PROGRAM)])
        .read()?;
    let (processor, instructions) = costs(&printed, &fs::read_to_string(&sums)?)
        .context("the counts of instructions do not fit the paths that were printed")?;
    let about = "Instructions per operation, by `cargo xtask bench --check --bless`; do not edit.";
    let compiler = Command::new("rustc", &workspace.root, "").args(["--version"]).read()?;
    Ok(InstructionCounts {
        about: about.to_owned(),
        compiler: compiler.trim().to_owned(),
        instructions,
        processor,
    })
}

/// Returns the processor and the instructions per operation of each path, from callgrind's file and
/// what the program printed: a line that starts with `processor`, and then lines of the number of
/// operations and the name of each path, in the order of execution.
fn costs(printed: &str, sums: &str) -> Option<(String, BTreeMap<String, f64>)> {
    let values = |name| sums.lines().filter_map(move |line| line.strip_prefix(name));
    // Other events would be further columns. The last part, after all paths, is empty.
    let mut sums = values("summary: ");
    let is_sound = values("events: ").all(|events| events == "Ir") && sums.next_back()? == "0";
    let mut lines = printed.lines();
    let processor = lines.next()?.strip_prefix("processor ")?.to_owned();
    let costs = lines.map(|line| {
        let (operations, name) = line.split_once(' ')?;
        let operations = operations.parse().ok().filter(|&operations: &f64| operations > 0.0)?;
        // Work outside of the loop is less than a twentieth of an instruction per operation.
        let cost = sums.next()?.parse::<f64>().ok()? / operations;
        Some((name.to_owned(), (10.0 * cost).round() / 10.0))
    });
    let costs = costs.collect::<Option<_>>()?;
    (is_sound && sums.next().is_none()).then_some((processor, costs))
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
            // A count that is new or gone is NaN, and so not fine. The counts are rounded to
            // tenths.
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
                instructions: count.map(|count| ("sno".to_owned(), count)).into_iter().collect(),
                ..InstructionCounts::default()
            };
            let (table, found) = counts(before).compare(&counts(now));
            assert!(found == failures && table.ends_with(verdict), "{table}");
        }
    }

    #[test]
    fn callgrind_and_the_program_are_read() {
        let sums = "events: Ir\nsummary: 98304\n\nevents: Ir\nsummary: 12\nsummary: 0\n";
        let printed = "processor x86_64 avx2\n32768 clock/manual\n8 encode/sno\n";
        let expected = [("clock/manual".to_owned(), 3.0), ("encode/sno".to_owned(), 1.5)];
        assert_eq!(costs(printed, sums), Some(("x86_64 avx2".to_owned(), expected.into())));
        for (from, to) in [("Ir", "Ir Dr"), (": 12", ": many"), ("12", "12\nsummary: 1")] {
            assert_eq!(costs(printed, &sums.replace(from, to)), None, "{to}");
        }
        for (from, to) in [("processor", ""), ("8 ", "0 "), ("8 encode/sno\n", "")] {
            assert_eq!(costs(&printed.replace(from, to), sums), None, "{to}");
        }
    }
}
