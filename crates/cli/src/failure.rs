//! What ends the command early, and with which exit status.

use std::io;
use std::process::ExitCode;

use tickid_core::{BuildError, ErrorKind};

/// Some input was no ID, or the output could not be written.
pub(crate) const INVALID: u8 = 1;
const USAGE: u8 = 2;
const CLOCK: u8 = 4;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Generate(#[from] tickid_core::Error),
    #[error("no random node from the operating system: {0}")]
    Random(rand::rngs::SysError),
    #[error("cannot read standard input: {0}")]
    Read(io::Error),
    #[error("cannot write the output: {0}")]
    Write(io::Error),
}

impl Failure {
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Usage(_) => USAGE,
            Self::Build(BuildError::Clock(_) | BuildError::Epoch { .. }) => CLOCK,
            Self::Build(_) => USAGE,
            Self::Generate(error) => match error.kind() {
                ErrorKind::SequenceStart { .. } => USAGE,
                _ => CLOCK,
            },
            Self::Random(_) | Self::Read(_) | Self::Write(_) => INVALID,
        })
    }
}
