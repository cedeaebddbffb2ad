//! The guard against creeping costs: counts the instructions of the hot paths, which are the same in every
//! run of a program, and compares them with those in a file.

mod callgrind;
mod counts;

use std::fs;
use std::path::Path;

use super::{machine, target_directory};
use crate::bench::check::counts::Counts;
use crate::error::Error;
use crate::run::{Run, say};
use crate::workspace::Workspace;

/// The counts to compare with, from the root.
const FILE: &str = "benches/instructions.json";
/// The program that runs the paths, one of the benchmarks' workspace.
const PROGRAM: &str = "instructions";
/// Its function that runs one path and does nothing else.
const COUNTED: &str = "instructions::counted";

/// Compares what is counted with the file; or writes the file, to `bless` what is counted.
pub(super) fn check(workspace: &Workspace, bless: bool) -> Result<(), Error> {
    valgrind().args(["--version"]).read().map_err(|error| Error::Valgrind(Box::new(error)))?;
    let counted = count(workspace)?;
    let path = workspace.root().join(FILE);
    if bless {
        super::write(&path, &counted.to_json()?)?;
        say(format_args!("bench: wrote {FILE}"));
        return Ok(());
    }
    let text = read(&path)?;
    let expected = Counts::from_json(&text).ok_or(Error::Estimates { path })?;
    let comparison = expected.compare(&counted);
    say(format_args!("{comparison}"));
    match comparison.failures() {
        0 => Ok(()),
        failures => Err(Error::Instructions { failures, file: FILE }),
    }
}

fn count(workspace: &Workspace) -> Result<Counts, Error> {
    let benches = |args| workspace.cargo_in("benches", args);
    // As the benchmarks are built, for which this stands.
    benches(&["build", "--profile", "bench", "--bin", PROGRAM]).run()?;
    let target = target_directory(benches(&[]))?;
    let folder = target.join(PROGRAM);
    let write_error = |reason| Error::Write { path: folder.clone(), reason };
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(write_error)?;
    }
    fs::create_dir_all(&folder).map_err(write_error)?;

    let printed = valgrind()
        .args(["--quiet", "--tool=callgrind"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={COUNTED}")])
        .args([format!("--callgrind-out-file={}", folder.join("part").display())])
        .args([target.join("release").join(PROGRAM)])
        .read()?;
    let program = callgrind::Program::read(&printed).ok_or(Error::Printed(PROGRAM))?;
    let mut per_operation = Vec::new();
    let part = |number| folder.join(format!("part.{number}"));
    for (number, path) in (1..).zip(&program.paths) {
        let text = read(&part(number))?;
        let instructions = callgrind::summary(&text);
        let instructions = instructions.ok_or(Error::Estimates { path: part(number) })?;
        per_operation.push((path.name.clone(), instructions / path.operations));
    }
    if part(program.paths.len() + 1).exists() {
        // It counted something that it says nothing of.
        return Err(Error::Printed(PROGRAM));
    }
    Ok(Counts::new(machine::compiler(), program.processor, per_operation))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|reason| Error::Read { path: path.to_owned(), reason })
}

fn valgrind() -> Run {
    Run::program("valgrind")
}
