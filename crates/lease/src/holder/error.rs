use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::Arc;

use tickid_core::{BuildError, ErrorKind};

use crate::error::StoreError;
use crate::lease::LeaseError;
use crate::record::NoRandomness;
use crate::wait::TimedOut;

/// What keeps a [`Keeper`](crate::Keeper) from having a lease, or from renewing it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The store does not do what it is asked.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The lease fits no generator.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The generator could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no token to ask with.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
}

/// Why a keeper could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no lease.
    #[error("no lease to begin with: {0}")]
    Trouble(Arc<Trouble>),
    /// Nor an error, in the time given.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
    /// There is no thread to keep the lease.
    #[error("no thread to keep the lease")]
    Thread(#[source] io::Error),
}

/// Why a keeper's generator issued no ID.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GenerateError {
    /// The generator can't go on. When it is its window's fault, it says why that was not renewed.
    Stalled {
        /// What the generator says.
        error: tickid_core::Error,
        /// What is wrong with the lease, if anything is.
        trouble: Option<Arc<Trouble>>,
        /// By how many microseconds the generator's clock was ahead of the store's when they were last
        /// compared; negative when it was behind.
        clock_ahead_micros: Option<i64>,
    },
    /// There is no lease at the moment; the keeper is after one.
    NoLease {
        /// Why there is none.
        trouble: Option<Arc<Trouble>>,
    },
    /// The keeper was shut down.
    Stopped,
    /// The keeper is that of the process which this one was forked from.
    Forked,
}

impl GenerateError {
    /// How long until it may go on, if that is known: as
    /// [`tickid_core::Error::retry_after`].
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Stalled { error, .. } => error.retry_after(),
            _ => None,
        }
    }

    /// What is wrong with the lease, if anything is.
    #[must_use]
    pub fn trouble(&self) -> Option<&Trouble> {
        match self {
            Self::Stalled { trouble, .. } | Self::NoLease { trouble } => trouble.as_deref(),
            Self::Stopped | Self::Forked => None,
        }
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("the keeper was shut down"),
            Self::Forked => f.write_str(
                "the keeper is that of the parent process; a child of a fork needs its own",
            ),
            Self::NoLease { trouble: None } => f.write_str("there is no lease yet"),
            Self::NoLease { trouble: Some(trouble) } => write!(f, "there is no lease: {trouble}"),
            Self::Stalled { error, trouble, clock_ahead_micros } => {
                write!(f, "{error}")?;
                if error.kind() != ErrorKind::Window {
                    return Ok(());
                }
                match trouble {
                    Some(trouble) => write!(f, "; the lease could not be renewed: {trouble}")?,
                    None => f.write_str("; the lease is in order")?,
                }
                match clock_ahead_micros {
                    Some(micros @ 0..) => {
                        write!(f, "; this clock is {micros} µs ahead of the store's")
                    }
                    Some(micros) => {
                        write!(f, "; this clock is {} µs behind the store's", micros.unsigned_abs())
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

impl core::error::Error for GenerateError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.trouble().map(|trouble| trouble as _)
    }
}
