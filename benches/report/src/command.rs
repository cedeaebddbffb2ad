//! The `tickid` command, end to end: from the start of the process to its end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::error::Error;
use crate::repository::{Repository, read, remove, run, target_directory, write};

pub(crate) const GROUP: &str = "command";
/// The quantity of a figure beside the baseline's.
pub(crate) const BESIDE_BASELINE: &str = "beside the baseline";
const RUNS: u32 = 5;
/// The program of the package in the folder `crates/cli`.
const PROGRAM: &str = "tickid";
/// The options of `tickid gen` for the IDs that are read, by their name in the report. A node of
/// SCRU64 of one bit issues enough IDs in a tick.
const SCHEMES: [(&str, &[&str]); 5] = [
    ("scru64", &["scru64", "--node", "0/1"]),
    ("nanoflake", &["nanoflake"]),
    ("kuid", &["kuid"]),
    ("sno", &["sno"]),
    ("integers", &["snowflake"]),
];

/// A use of the command: its name in the report, what it does in millions per second, and its
/// arguments and input.
struct Use {
    name: String,
    quantity: &'static str,
    args: Vec<String>,
    input: Option<PathBuf>,
    count: u32,
    /// True if older versions lack this use.
    is_new: bool,
}

/// Builds the command, measures it and writes its figures beside the benchmarks' figures. If
/// `baseline`, a commit, is given, its command is measured in turn with this one.
pub(crate) fn measure(
    repository: &Repository,
    results: &Path,
    is_quick: bool,
    baseline: Option<&str>,
) -> Result<(), Error> {
    let target = target_directory(repository.cargo())?;
    let manifest = repository.path("crates/cli/Cargo.toml");
    let program = build(repository, &manifest, &target)?;
    let older = baseline.map(|commit| build_commit(repository, commit, &target)).transpose()?;

    let (ids, lines) = if is_quick { (5_000_000, 500_000) } else { (20_000_000, 2_000_000) };
    // The input comes from files so that no other process takes part in the work.
    let inputs = target.join("bench-inputs");
    write(&inputs.join("mixture"), &mixed_lines(repository, lines)?)?;
    for (name, scheme) in SCHEMES {
        let count = lines.to_string();
        let args = strings(&[&["gen"], scheme, &["-n", &count]].concat());
        rate(&program, &args, None, Some(&inputs.join(name)), lines)?;
    }
    let mut figures = Vec::new();
    for Use { name, quantity, args, input, count, is_new } in uses(ids, lines, &inputs) {
        let (mut best, mut best_older) = (0.0, None);
        // The two run in turns, so that both find the machine in the same state. Each run is too
        // short for other work on the machine to even out, so the best one counts.
        for _ in 0..RUNS {
            best = rate(&program, &args, input.as_ref(), None, count)?.max(best);
            if let Some(older) = older.as_ref().filter(|_| !is_new) {
                let rate = rate(older, &args, input.as_ref(), None, count)?;
                best_older = Some(rate.max(best_older.unwrap_or(0.0)));
            }
        }
        figures.push(figure(&name, quantity, "million/s", best));
        if let Some(older) = best_older {
            let quantity_of_older = format!("{quantity} of the baseline");
            figures.push(figure(&name, &quantity_of_older, "million/s", older));
            figures.push(figure(&name, BESIDE_BASELINE, "×", best / older));
        }
    }
    remove(&inputs)?;

    let figures = json!({ "group": GROUP, "figures": figures });
    write(&results.join("figures").join("command.json"), &figures.to_string())
}

fn uses(ids: u32, lines: u32, inputs: &Path) -> Vec<Use> {
    let lines_of = |name: &str, args: &[&str], input, is_new| Use {
        name: name.to_owned(),
        quantity: "lines",
        args: strings(args),
        input: Some(inputs.join(input)),
        count: lines,
        is_new,
    };
    let inspect = ["inspect", "--json"];
    let generate = Use {
        name: "gen sno".to_owned(),
        quantity: "IDs",
        args: strings(&["gen", "sno", "-n", &ids.to_string()]),
        input: None,
        count: ids,
        is_new: false,
    };
    let schemes =
        SCHEMES.map(|(name, _)| lines_of(&format!("inspect --json/{name}"), &inspect, name, false));
    let named = ["inspect", "--json", "--scheme", "sno"];
    let convert = ["convert", "--from", "sno", "--to", "uuid-v7"];
    let others = [
        lines_of("inspect --json/mixture", &inspect, "mixture", true),
        lines_of("inspect --json --scheme sno", &named, "sno", false),
        lines_of("convert", &convert, "sno", false),
    ];
    [generate].into_iter().chain(schemes).chain(others).collect()
}

fn strings(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

/// Returns the labelled IDs of all formats, again and again.
fn mixed_lines(repository: &Repository, lines: u32) -> Result<String, Error> {
    let vectors = read(&repository.path("vectors/detect.json"))?;
    let vectors: Value = serde_json::from_str(&vectors).unwrap_or_default();
    let ids = vectors["ids"].as_array().map_or(&[][..], Vec::as_slice);
    let texts = ids.iter().filter_map(|id| id["text"].as_str()).cycle();
    Ok(texts.take(lines as usize).flat_map(|text| [text, "\n"]).collect())
}

/// Builds the command of the package with this manifest.
fn build(repository: &Repository, manifest: &Path, target: &Path) -> Result<PathBuf, Error> {
    let mut cargo = repository.cargo();
    cargo.args(["build", "--profile", "dist", "--locked", "--manifest-path"]).arg(manifest);
    run(cargo.arg("--target-dir").arg(target))?;
    Ok(target.join("dist").join(PROGRAM))
}

/// Builds the command of a commit, in separate folders.
fn build_commit(repository: &Repository, commit: &str, target: &Path) -> Result<PathBuf, Error> {
    let folder = target.join("baseline").join(commit);
    if !folder.join("Cargo.toml").exists() {
        let mut git = Command::new("git");
        git.current_dir(repository.path("")).args(["worktree", "add", "--force", "--detach"]);
        run(git.arg(&folder).arg(commit))?;
    }
    build(repository, &folder.join("crates/cli/Cargo.toml"), &folder.join("target"))
}

fn figure(name: &str, quantity: &str, unit: &str, value: f64) -> Value {
    eprintln!("{GROUP}/{name}: {value:.2} {unit} ({quantity})");
    json!({ "name": name, "quantity": quantity, "unit": unit, "value": value })
}

/// Returns the rate of one run, in millions of `count` things a second.
fn rate(
    program: &Path,
    args: &[String],
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
        // This keeps its leases apart from the user's.
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
