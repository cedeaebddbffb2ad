//! The fuzz targets, which are a workspace of their own: `fuzz`.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::Args;

use crate::error::Error;
use crate::run::{Run, say};
use crate::workspace::Workspace;

#[allow(unreachable_pub, dead_code, reason = "shared with the fuzz targets, which use all of it")]
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;

/// The folder of new inputs. The committed ones stay as they are: `fuzz/examples/pack.rs` adds to them.
const FOUND: &str = "fuzz/target/found";
/// The folder of the committed inputs and those of the vectors, a file each for the fuzzer.
const SEEDS: &str = "fuzz/target/seeds";

#[derive(Args)]
pub(crate) struct Arguments {
    /// Each for 60 seconds.
    #[arg(long, conflicts_with = "seconds")]
    smoke: bool,
    /// Each for so long.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// Which targets [default: all].
    targets: Vec<String>,
}

pub(crate) fn fuzz(workspace: &Workspace, arguments: &Arguments) -> Result<(), Error> {
    let all = targets(workspace.root())?;
    let chosen = choose(&all, &arguments.targets)?;
    let nightly = Run::program("rustup").args(["run", "nightly", "cargo", "--version"]).read();
    nightly.map_err(|error| Error::Nightly(Box::new(error)))?;
    let fuzzer = workspace.nightly_cargo_in("", &["fuzz", "--version"]).read();
    fuzzer.map_err(|error| Error::CargoFuzz(Box::new(error)))?;

    let seconds = if arguments.smoke { 60 } else { arguments.seconds };
    let limits = [
        format!("-max_total_time={seconds}"),
        "-timeout=20".to_owned(),
        "-print_final_stats=1".to_owned(),
        // A thread of the PostgreSQL client's, still ending, is no leak.
        "-detect_leaks=0".to_owned(),
    ];
    let mut table =
        String::from("| target | seconds | executions | edges |\n|---|---:|---:|---:|\n");
    for target in chosen {
        let found = format!("{FOUND}/{target}");
        let path = workspace.root().join(&found);
        fs::create_dir_all(&path).map_err(|reason| Error::Write { path, reason })?;
        let seeds = write_seeds(workspace.root(), target)?;
        let printed = workspace
            .nightly_cargo_in("", &["fuzz", "run", "--features=libfuzzer", target])
            .args([found, seeds])
            .args(["--"])
            .args(&limits)
            .overhear()?;
        let (executions, edges) =
            counts(&printed).ok_or_else(|| Error::NoCounts(target.to_owned()))?;
        table += &format!("| {target} | {seconds} | {executions} | {edges} |\n");
    }
    io::stdout().write_all(table.as_bytes()).map_err(Error::Output)?;
    say(format_args!("fuzz: no promise broken"));
    Ok(())
}

/// Writes the inputs that a target starts from, and returns their folder from the repository's root.
fn write_seeds(root: &Path, target: &str) -> Result<String, Error> {
    let folder = format!("{SEEDS}/{target}");
    let path = root.join(&folder);
    let unread = |reason| Error::Read { path: root.join("fuzz/corpus"), reason };
    let inputs = seeds::inputs(root, target).map_err(unread)?;
    let write = || {
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir_all(&path)?;
        let mut numbered = inputs.iter().enumerate();
        numbered.try_for_each(|(number, input)| fs::write(path.join(number.to_string()), input))
    };
    write().map_err(|reason| Error::Write { path: path.clone(), reason })?;
    Ok(folder)
}

/// The targets, each of which is a file.
fn targets(root: &Path) -> Result<Vec<String>, Error> {
    let path = root.join("fuzz/fuzz_targets");
    let unread = |reason| Error::Read { path: path.clone(), reason };
    let mut targets = Vec::new();
    for file in fs::read_dir(&path).map_err(unread)? {
        let name = file.map_err(unread)?.file_name();
        targets.extend(name.to_string_lossy().strip_suffix(".rs").map(str::to_owned));
    }
    targets.sort_unstable();
    Ok(targets)
}

fn choose<'a>(all: &'a [String], asked: &[String]) -> Result<Vec<&'a str>, Error> {
    if asked.is_empty() {
        return Ok(all.iter().map(String::as_str).collect());
    }
    let known = |name: &String| {
        let target = all.iter().find(|target| *target == name);
        let unknown = || Error::NoTarget { name: name.clone(), targets: all.join(", ") };
        target.map(String::as_str).ok_or_else(unknown)
    };
    asked.iter().map(known).collect()
}

/// How many inputs were tried, and how many edges of the program they went over, by what the fuzzer prints.
fn counts(printed: &str) -> Option<(u64, u64)> {
    let after = |line: &str, label: &str| {
        let (_, rest) = line.split_once(label)?;
        rest.split_whitespace().next()?.parse().ok()
    };
    let mut lines = printed.lines().rev();
    let executions = lines.clone().find_map(|line| after(line, "stat::number_of_executed_units:"));
    Some((executions?, lines.find_map(|line| after(line, " cov: "))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_counts_are_read() {
        let printed = "#2\tINITED cov: 12 ft: 13 corp: 1/1b exec/s: 0 rss: 30Mb\n\
                       #4096\tNEW    cov: 99 ft: 200 corp: 7/50b lim: 4 exec/s: 9 rss: 31Mb L: 4\n\
                       Done 5000 runs in 1 second(s)\n\
                       stat::number_of_executed_units: 5000\n\
                       stat::average_exec_per_sec:     5000\n";
        assert_eq!(counts(printed), Some((5_000, 99)));
        assert_eq!(counts("Done 5000 runs"), None);
    }

    #[test]
    fn targets_are_chosen_by_name() {
        let all = ["engine", "sno"].map(str::to_owned);
        assert_eq!(choose(&all, &[]).unwrap(), ["engine", "sno"]);
        assert_eq!(choose(&all, &all[1..]).unwrap(), ["sno"]);
        let error = choose(&all, &["kuid".to_owned()]).unwrap_err();
        assert_eq!(error.to_string(), "there is no fuzz target kuid; there are engine, sno");
    }

    /// The replay of the corpora has a list of its own, which a test of that workspace holds against the same folder.
    #[test]
    fn every_target_has_a_corpus_and_a_program() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let manifest = fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
        let targets = targets(root).unwrap();
        assert!(!targets.is_empty());
        for target in targets {
            assert!(!seeds::inputs(root, &target).unwrap().is_empty(), "{target}");
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target}");
        }
    }
}
