use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use crate::tidy::Finding;

/// Why a chore ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot find the repository; run this as `cargo xtask`")]
    NotUnderCargo,
    #[error("`{command}` did not start: {reason}")]
    Start { command: String, reason: io::Error },
    #[error("cannot read what `{command}` prints: {reason}")]
    Unheard { command: String, reason: io::Error },
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    #[error("`{command}` succeeded, but was expected to fail with \"{expected}\"")]
    Succeeded { command: String, expected: String },
    #[error("`{command}` did not fail with \"{expected}\"; it said:\n{said}")]
    FailedOtherwise { command: String, expected: String, said: String },
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },
    #[error("cannot write {}: {reason}", path.display())]
    Write { path: PathBuf, reason: io::Error },
    #[error("{} is not what a benchmark leaves behind", path.display())]
    Estimates { path: PathBuf },
    #[error("this takes valgrind (Debian: apt-get install valgrind): {0}")]
    Valgrind(Box<Self>),
    #[error("this takes a nightly toolchain (rustup toolchain install nightly): {0}")]
    Nightly(Box<Self>),
    #[error("this takes cargo-fuzz (cargo install --locked cargo-fuzz): {0}")]
    CargoFuzz(Box<Self>),
    #[error("there is no fuzz target {name}; there are {targets}")]
    NoTarget { name: String, targets: String },
    #[error("the fuzzer of {0} does not say what it did")]
    NoCounts(String),
    #[error("cargo named no program of tests for `{0}`")]
    NoProgram(String),
    #[error("`{name}` under memcheck was no check: {reason}")]
    Unchecked { name: String, reason: String },
    #[error("`{0}` does not print what it counted")]
    Printed(&'static str),
    #[error(
        "more expensive than {file} says, not in it, or gone: {failures} of the paths above; if that is as \
         it should be, run `cargo xtask bench --check --bless`"
    )]
    Instructions { failures: usize, file: &'static str },
    #[error("no test fails for {changes} changes: missed.txt in target/mutants/*/mutants.out")]
    Mutants { changes: usize },
    #[error("not verified: {}", .0.join(", "))]
    Unverified(Vec<&'static str>),
    #[error("tests failed")]
    TestsFailed,
    #[error("cannot write: {0}")]
    Output(io::Error),
    #[error("`cargo metadata` printed no JSON: {0}")]
    Json(serde_json::Error),
    #[error("in what `cargo metadata` printed, {0} is missing")]
    Metadata(&'static str),
    #[error("several versions of one crate: {}", .0.join("; "))]
    Duplicates(Vec<String>),
    #[error("{}", findings(.0))]
    Untidy(Vec<Finding>),
}

impl Error {
    /// The exit status of the command that failed, where there is one.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Failed { status, .. } => status
                .code()
                .and_then(|code| u8::try_from(code).ok())
                .map_or(ExitCode::FAILURE, ExitCode::from),
            _ => ExitCode::FAILURE,
        }
    }
}

fn findings(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| format!("\n  {finding}"));
    format!("not tidy:{}", lines.collect::<String>())
}
