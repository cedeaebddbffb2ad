//! `cargo mutants`: changes the code in one place at a time, and sees whether a test fails. Where, and what is left
//! alone and why, is told in `.cargo/mutants.toml`.

use std::fs::{create_dir_all, read_to_string};

use crate::error::Error;
use crate::workspace::Workspace;

/// Packages whose changes are looked for by the same tests.
struct Group {
    /// A folder of its own for what it finds.
    name: &'static str,
    packages: &'static [&'static str],
    /// One after the other, each for what is left by those before.
    rounds: &'static [&'static [&'static str]],
}

const GROUPS: [Group; 2] = [
    Group {
        name: "core",
        packages: &["tickid-core", "tickid-text"],
        rounds: &[
            // The tests that are built in a second and find most,
            &["--cargo-arg=--lib", "--", "--", "--skip=clock::"],
            // then others of one thread, by their first letters: a name has to be in each package.
            &[
                "--iterate",
                "--test-package=tickid-core,tickid-text,tickid-scru64,tickid-nanoflake,tickid-kuid,tickid-sno",
                "--features=tickid-text/levels",
                "--cargo-arg=--test=codecs",
                "--cargo-arg=--test=[eglmopw]*",
                "--",
                "--",
                "--skip=every_pair_of_bytes",
            ],
        ],
    },
    Group {
        name: "schemes",
        packages: &["tickid-scru64", "tickid-nanoflake", "tickid-kuid", "tickid-sno"],
        // All but `clocks` and `concurrent`.
        rounds: &[&["--all-features", "--cargo-arg=--lib", "--cargo-arg=--test=[!c]*"]],
    },
];

/// What it ends with when no test fails for some of the changes, and when tests don't end.
const MISSED: [i32; 2] = [2, 3];

pub(crate) fn mutants(workspace: &Workspace) -> Result<(), Error> {
    let mut changes = 0;
    for group in &GROUPS {
        let output = format!("target/mutants/{}", group.name);
        let path = workspace.root().join(&output);
        create_dir_all(&path).map_err(|reason| Error::Write { path, reason })?;
        for round in group.rounds {
            let packages = group.packages.iter().map(|name| format!("--package={name}"));
            let run = workspace
                .cargo(&["mutants", "--jobs=2", "--output", &output])
                .args(packages)
                .args(*round)
                // A quarter: what a change breaks shows soon.
                .env("PROPTEST_CASES", "64");
            match run.run() {
                Err(Error::Failed { status, .. })
                    if status.code().is_some_and(|code| MISSED.contains(&code)) => {}
                done => done?,
            }
        }
        let path = workspace.root().join(&output).join("mutants.out/missed.txt");
        let missed = read_to_string(&path).map_err(|reason| Error::Read { path, reason })?;
        changes += missed.lines().count();
    }
    if changes == 0 { Ok(()) } else { Err(Error::Mutants { changes }) }
}
