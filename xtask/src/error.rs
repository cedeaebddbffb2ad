//! The errors of all tasks.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

pub(crate) type Result<T> = core::result::Result<T, Error>;

/// The reason that a command of `cargo xtask` failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("cannot find the repository; run this as `cargo xtask`")]
    NotUnderCargo,
    #[error("cannot run `{command}`: {reason}")]
    Run { command: String, reason: io::Error },
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    #[error("`{command}` did not fail with \"{expected}\"")]
    FailedOtherwise { command: String, expected: &'static str },
    #[error("`{command}` lists {unwanted}")]
    Reached { command: String, unwanted: &'static str },
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },
    #[error("cannot write {}: {reason}", path.display())]
    Write { path: PathBuf, reason: io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    #[error("the output of `cargo metadata` lacks {0}")]
    Metadata(&'static str),
    /// The closing line of the tests has been printed.
    #[error("tests failed")]
    TestsFailed,
    #[error("{} findings", .0)]
    Findings(usize),
    #[error("the counts of instructions lack {0}")]
    Counts(&'static str),
    #[error(
        "{0} of the paths above are more expensive than in benches/instructions.json, new or gone; \
         `cargo xtask bench --check --bless` accepts the new counts"
    )]
    Dearer(usize),
    #[error("not verified: {}", .0.join(", "))]
    NotVerified(Vec<&'static str>),
}
