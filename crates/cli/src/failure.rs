//! What ends the command early, and with which exit status.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::io;
use std::process::ExitCode;

use tickid_core::{BuildError, ErrorKind};
use tickid_lease::{
    ConnectError, GenerateError, NoRandomness, NodeTextError, RealmError, Refusal, StartError,
    StoreError, Token, Trouble,
};

use crate::source::is_for_want_of_nodes;

/// Some input was no ID, or the output could not be written.
pub(crate) const INVALID: u8 = 1;
pub(crate) const USAGE: u8 = 2;
const NODE_STORE: u8 = 3;
const CLOCK: u8 = 4;
/// As `env` and `timeout` have it.
#[cfg(target_os = "linux")]
const SUPERVISION: u8 = 125;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Build(#[from] BuildError),
    #[error(transparent)]
    Generate(#[from] tickid_core::Error),
    #[error(transparent)]
    Realm(#[from] RealmError),
    #[error(transparent)]
    Pool(#[from] NodeTextError),
    #[error("{}; {NEEDS_NO_STORE}", Chain(.0))]
    Connect(#[from] ConnectError),
    #[error(
        "no folder for the node store: neither XDG_STATE_HOME nor HOME is set; {NEEDS_NO_STORE}"
    )]
    NoStateFolder,
    #[error("{}; {NEEDS_NO_STORE}", Chain(.0))]
    Store(#[from] StoreError),
    #[error("{}; {NEEDS_NO_STORE}", Reason(.0))]
    Start(#[from] StartError),
    #[error("{}{}", .0, Causes(.0.trouble().and_then(Error::source)))]
    Stalled(#[from] GenerateError),
    /// A wait that would exceed its bound.
    #[error("{stall}; that takes longer than --max-wait, {max_wait:?}")]
    TooLong { stall: Box<Self>, max_wait: Duration },
    #[error(transparent)]
    Refused(Refusal),
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    #[error("no node of the realm is leased under the token {0}")]
    NoLease(Token),
    #[error("{}; the node is free when its window ends", Chain(.0))]
    GiveBack(StoreError),
    #[error("cannot supervise the program: {0}")]
    #[cfg(target_os = "linux")]
    Supervise(io::Error),
    #[error("cannot read standard input: {0}")]
    Read(io::Error),
    #[error("cannot write the output: {0}")]
    Write(io::Error),
}

impl Failure {
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn supervision(error: nix::Error) -> Self {
        Self::Supervise(error.into())
    }

    /// Returns whether another attempt may succeed after a while.
    pub(crate) fn passes(&self) -> bool {
        let stalls = |error: &tickid_core::Error| {
            let kind = error.kind();
            matches!(kind, ErrorKind::Rollback | ErrorKind::Exhausted | ErrorKind::Window)
        };
        match self {
            Self::Generate(error) => stalls(error),
            Self::Stalled(GenerateError::Stalled { error, .. }) => stalls(error),
            Self::Stalled(error) => matches!(error, GenerateError::NoLease { .. }),
            Self::Start(error) => is_for_want_of_nodes(error),
            _ => false,
        }
    }

    /// Returns how long the failure lasts, where a clock foretells it.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Generate(error) => error.retry_after(),
            Self::Stalled(error) => error.retry_after(),
            _ => None,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status())
    }

    fn status(&self) -> u8 {
        match self {
            Self::Usage(_) => USAGE,
            Self::Build(
                BuildError::Clock(_) | BuildError::Epoch { .. } | BuildError::Ahead { .. },
            ) => CLOCK,
            Self::TooLong { stall, .. } => stall.status(),
            Self::Build(_) => USAGE,
            Self::Generate(error) => match error.kind() {
                ErrorKind::SequenceStart { .. } => USAGE,
                _ => CLOCK,
            },
            Self::Realm(_) | Self::Pool(_) => USAGE,
            Self::Connect(ConnectError::Store(error)) | Self::Store(error) => of_store(error),
            Self::Connect(_) => USAGE,
            Self::Start(StartError::Trouble(trouble)) => of_trouble(trouble),
            Self::Stalled(error) => match (error, error.trouble()) {
                (_, Some(trouble)) => of_trouble(trouble),
                // Nothing is wrong with the lease: it is for the clock to reach the window.
                (GenerateError::Stalled { .. }, None) => CLOCK,
                _ => NODE_STORE,
            },
            Self::Refused(refusal) => of_refusal(refusal),
            Self::Randomness(_) | Self::NoLease(_) => NODE_STORE,
            Self::NoStateFolder | Self::Start(_) | Self::GiveBack(_) => NODE_STORE,
            #[cfg(target_os = "linux")]
            Self::Supervise(_) => SUPERVISION,
            Self::Read(_) | Self::Write(_) => INVALID,
        }
    }
}

fn of_store(error: &StoreError) -> u8 {
    error.refusal().map_or(NODE_STORE, of_refusal)
}

fn of_refusal(refusal: &Refusal) -> u8 {
    match refusal {
        Refusal::StoreClock { .. } | Refusal::EndOfTime { .. } => CLOCK,
        _ => NODE_STORE,
    }
}

fn of_trouble(trouble: &Trouble) -> u8 {
    match trouble {
        Trouble::Store(error) => of_store(error),
        Trouble::Build(BuildError::Clock(_) | BuildError::Epoch { .. }) => CLOCK,
        _ => NODE_STORE,
    }
}

/// How to go on without the store.
const NEEDS_NO_STORE: &str = "--store URL names another store, and `gen --node NODE` needs none";

/// An error with everything that caused it.
pub(crate) struct Chain<'a>(pub(crate) &'a dyn Error);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, Causes(self.0.source()))
    }
}

/// An error and everything that caused it, each after a colon.
struct Causes<'a>(Option<&'a dyn Error>);

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut causes = core::iter::successors(self.0, |&cause| cause.source());
        causes.try_for_each(|cause| write!(f, ": {cause}"))
    }
}

/// Why there is no lease, with everything that caused it.
struct Reason<'a>(&'a StartError);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            StartError::Trouble(trouble) => Chain(&**trouble).fmt(f),
            other => Chain(other).fmt(f),
        }
    }
}
