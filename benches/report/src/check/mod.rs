//! Counts the instructions of the hot paths, which are the same in every run of a program, and
//! compares them with the counts in a file.

mod callgrind;
mod counts;

use std::process::Command;

use crate::check::counts::Counts;
use crate::error::Error;
use crate::machine;
use crate::repository::{Repository, create_empty, output, read, run, target_directory, write};

/// The counts to compare with, from the root.
const FILE: &str = "benches/instructions.json";
/// The program that runs the paths.
const PROGRAM: &str = "instructions";
/// The function of that program that runs one path and does nothing else.
const COUNTED: &str = "instructions::counted";

/// Compares the counts with the file, or writes them to the file with `bless`.
pub(crate) fn check(repository: &Repository, bless: bool) -> Result<(), Error> {
    output(valgrind().arg("--version")).map_err(|error| Error::Valgrind(Box::new(error)))?;
    let counted = count(repository)?;
    let path = repository.path(FILE);
    if bless {
        write(&path, &counted.to_json())?;
        eprintln!("bench: wrote {FILE}");
        return Ok(());
    }
    let text = read(&path)?;
    let expected = Counts::from_json(&text).ok_or(Error::Estimates { path })?;
    let comparison = expected.compare(&counted);
    eprintln!("{comparison}");
    match comparison.failures() {
        0 => Ok(()),
        failures => Err(Error::Instructions { failures, file: FILE }),
    }
}

fn count(repository: &Repository) -> Result<Counts, Error> {
    // The program is built in the profile of the benchmarks, which it represents.
    let mut build = repository.cargo_in_benches();
    run(build.args(["build", "--profile", "bench", "--bin", PROGRAM]))?;
    let target = target_directory(repository.cargo_in_benches())?;
    let folder = target.join(PROGRAM);
    create_empty(&folder)?;

    let printed = output(
        valgrind()
            .args(["--quiet", "--tool=callgrind"])
            .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={COUNTED}")])
            .arg(format!("--callgrind-out-file={}", folder.join("part").display()))
            .arg(target.join("release").join(PROGRAM)),
    )?;
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
        // A path was counted that the program did not print.
        return Err(Error::Printed(PROGRAM));
    }
    Ok(Counts::new(machine::compiler(), program.processor, per_operation))
}

fn valgrind() -> Command {
    Command::new("valgrind")
}
