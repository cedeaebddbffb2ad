//! `cargo mutants`: changes the code in one place at a time, and sees whether a test fails. Where, and what is left
//! alone and why, is told in `.cargo/mutants.toml`.

use std::fs::read_to_string;

use crate::error::Error;
use crate::workspace::Workspace;

/// First the tests that are built in a second and find most; then, for what is left, others of one thread.
const ROUNDS: [&[&str]; 2] = [
    &["--test-package=tickid-core", "--cargo-arg=--lib", "--", "--", "--skip=clock::"],
    &[
        "--iterate",
        "--test-package=tickid-core,tickid-scru64,tickid-nanoflake,tickid-kuid,tickid-sno",
        "--features=tickid-core/levels",
        "--cargo-arg=--test=model",
        "--cargo-arg=--test=lifecycle",
        "--cargo-arg=--test=codecs",
        "--cargo-arg=--test=generator",
        "--cargo-arg=--test=properties",
        "--",
        "--",
        "--skip=every_pair_of_bytes",
    ],
];

/// What it ends with when no test fails for some of the changes, and when tests don't end.
const MISSED: [i32; 2] = [2, 3];

pub(crate) fn mutants(workspace: &Workspace) -> Result<(), Error> {
    for round in ROUNDS {
        let run = workspace.cargo(&["mutants", "--jobs=2", "--output=target"]).args(round);
        // A quarter: what a change breaks shows soon.
        let run = run.env("PROPTEST_CASES", "64");
        match run.run() {
            Err(Error::Failed { status, .. })
                if status.code().is_some_and(|code| MISSED.contains(&code)) => {}
            done => done?,
        }
    }
    let path = workspace.root().join("target/mutants.out/missed.txt");
    let missed = read_to_string(&path).map_err(|reason| Error::Read { path, reason })?;
    match missed.lines().count() {
        0 => Ok(()),
        changes => Err(Error::Mutants { changes }),
    }
}
