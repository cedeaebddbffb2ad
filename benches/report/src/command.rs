//! The `tickid` command, end to end: from the start of the process to its end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::Error;
use crate::repository::{Repository, run, target_directory, write};

pub(crate) const GROUP: &str = "command";
const RUNS: u32 = 5;
/// The program, in the package in the folder `crates/cli`.
const PROGRAM: &str = "tickid";

/// Builds the command, measures it and writes its figures beside the benchmarks' figures.
pub(crate) fn measure(
    repository: &Repository,
    results: &Path,
    is_quick: bool,
) -> Result<(), Error> {
    let manifest = repository.path("crates/cli/Cargo.toml");
    run(repository.cargo().args(["build", "--release", "--manifest-path"]).arg(manifest))?;
    let target = target_directory(repository.cargo())?;
    let program = target.join("release").join(PROGRAM);

    let (ids, lines) = if is_quick { (5_000_000, 500_000) } else { (20_000_000, 2_000_000) };
    let gen_sno = ["gen", "sno", "-n"];
    let count = ids.to_string();
    let generated = best_rate(&program, &[&gen_sno[..], &[&count]].concat(), None, ids)?;
    // The input comes from a file, so that no other process takes part in the work.
    let texts = target.join("bench-ids.txt");
    let count = lines.to_string();
    rate(&program, &[&gen_sno[..], &[&count]].concat(), None, Some(&texts), lines)?;
    let inspected = best_rate(&program, &["inspect", "--json"], Some(&texts), lines)?;
    let _ = fs::remove_file(&texts);

    let figures = json!({
        "group": GROUP,
        "figures": [
            figure("gen sno", "IDs", generated),
            figure("inspect --json", "lines", inspected),
        ],
    });
    write(&results.join("figures").join("command.json"), &figures.to_string())
}

fn figure(name: &str, quantity: &str, rate: f64) -> Value {
    eprintln!("{GROUP}/{name}: {rate:.2} million {quantity} a second");
    json!({ "name": name, "quantity": quantity, "unit": "million/s", "value": rate })
}

/// The command's rate in millions of `count` things a second, in the best of some runs: each is too
/// short for other work of the machine to even out.
fn best_rate(
    program: &Path,
    args: &[&str],
    input: Option<&PathBuf>,
    count: u32,
) -> Result<f64, Error> {
    (0..RUNS).try_fold(0.0, |best, _| Ok(rate(program, args, input, None, count)?.max(best)))
}

/// The rate of one run.
fn rate(
    program: &Path,
    args: &[&str],
    input: Option<&PathBuf>,
    output: Option<&PathBuf>,
    count: u32,
) -> Result<f64, Error> {
    let command = format!("{PROGRAM} {}", args.join(" "));
    let start_error = |reason| Error::Start { command: command.clone(), reason };
    let input = input.map(File::open).transpose().map_err(start_error)?;
    let output = output.map(File::create).transpose().map_err(start_error)?;
    let start = Instant::now();
    let status = Command::new(program)
        .args(args)
        // Keeps its leases apart from the user's.
        .env("XDG_STATE_HOME", program.with_file_name("bench-state"))
        .env_remove("TICKID_STORE")
        .stdin(input.map_or_else(Stdio::null, Stdio::from))
        .stdout(output.map_or_else(Stdio::null, Stdio::from))
        .status()
        .map_err(start_error)?;
    let passed = start.elapsed();
    if !status.success() {
        return Err(Error::Failed { command, status });
    }
    Ok(f64::from(count) / passed.as_secs_f64() / 1e6)
}
