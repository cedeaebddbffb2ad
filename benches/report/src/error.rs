use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// The reason for ending without a report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("`{command}` did not start: {reason}")]
    Start { command: String, reason: io::Error },
    #[error("`{command}` failed ({status})")]
    Failed { command: String, status: ExitStatus },
    #[error("cannot read {}: {reason}", path.display())]
    Read { path: PathBuf, reason: io::Error },
    #[error("cannot write {}: {reason}", path.display())]
    Write { path: PathBuf, reason: io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    #[error("cannot draw {file}: {reason}")]
    Draw { file: String, reason: String },
    #[error("{} is not a result of a benchmark", path.display())]
    Estimates { path: PathBuf },
    #[error("`cargo metadata` printed no target directory")]
    Metadata,
    #[error("valgrind is missing (Debian: apt-get install valgrind): {0}")]
    Valgrind(Box<Self>),
    #[error("`{0}` printed something else than its counts")]
    Printed(&'static str),
    #[error(
        "{failures} of the paths above are more expensive than in {file}, new or gone; \
         `cargo xtask bench --check --bless` accepts the new counts"
    )]
    Instructions { failures: usize, file: &'static str },
}
