//! The errors of leased generators.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use tickid_core::{BuildError, ErrorKind, RangeError, StallReason};

use crate::holder::clock_gap::ClockGap;
use crate::holder::wait_reason::WaitReason;
use crate::holder::waiting::Wait;
use crate::store_error::StoreError;

/// The reason that a [`LeasedGenerator`](crate::LeasedGenerator) has no lease, or did not renew it.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use tickid_lease::{LeasedGenerator, Store};
///
/// let store = Store::open("static:2000/16")?; // not in the realm's pool
/// let error = LeasedGenerator::start(store, realm).unwrap_err();
/// assert!(error.store().is_some_and(|error| error.to_string().contains("2000/16")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The store refused the request, or did not answer it.
    #[error(transparent)]
    Store(Arc<StoreError>),
    /// The store refused a claim because the realm's nodes or terms are others by now. They were
    /// [adopted](crate::LeasedGeneratorBuilder::adopt), so that the next claim names them.
    #[error(transparent)]
    Adopted(Arc<StoreError>),
    /// The store granted nodes or ticks that the scheme does not have. A store that keeps its
    /// promises never does.
    #[error("the lease cannot be used")]
    Range(#[from] RangeError),
    /// The generator could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The operating system failed.
    #[error("could not {what}")]
    System {
        /// The step that failed, as in "start a thread".
        what: &'static str,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
}

tickid_core::debug_error! {
    enum LeaseError { Store(error), Adopted(error), Range(error), Build(error), System { what, source } }
}

impl From<StoreError> for LeaseError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

impl LeaseError {
    pub(crate) fn system(what: &'static str, source: io::Error) -> Self {
        Self::System { what, source: Arc::new(source) }
    }

    /// Returns the reason that metrics count for the error.
    #[must_use]
    pub fn reason(&self) -> WaitReason {
        match self {
            Self::Store(error) => WaitReason::of_request(error),
            Self::Adopted(_) => WaitReason::Acquiring,
            Self::Range(_) | Self::Build(_) | Self::System { .. } => WaitReason::Failed,
        }
    }

    /// Returns the store's error, if it is one.
    #[must_use]
    pub fn store(&self) -> Option<&StoreError> {
        match self {
            Self::Store(error) | Self::Adopted(error) => Some(error),
            Self::Range(_) | Self::Build(_) | Self::System { .. } => None,
        }
    }
}

/// The reason that a [`LeasedGenerator`](crate::LeasedGenerator) issued no ID.
///
/// [`wait`](Self::wait) shows whether it makes sense to try again. If it returns a reason, a later
/// call may succeed, and [`retry_after`](Self::retry_after) returns the time until then if a clock
/// determines it. If it returns `None`, nothing is gained by waiting, for example because the
/// generator was shut down.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use std::sync::Arc;
/// use tickid_core::{ManualClock, Policy, UnixTime};
/// use tickid_lease::backend::MemoryBackend;
/// use tickid_lease::{GenerateError, LeasedGenerator, Store};
///
/// let clock = Arc::new(ManualClock::new(UnixTime::from_millis(1_700_000_000_000)?));
/// let store = Store::new(MemoryBackend::new(Arc::clone(&clock)));
/// let builder = LeasedGenerator::builder(store, realm).policy(Policy::Wait);
/// let builder = builder.clock(Arc::clone(&clock)).max_wait(Duration::from_millis(100));
/// let generator = builder.start()?;
/// generator.generate()?;
///
/// clock.set(UnixTime::from_millis(1_699_999_999_000)?); // a second back
/// let error = generator.generate().unwrap_err(); // which is longer than the wait
/// assert!(matches!(error, GenerateError::Stalled(_)));
/// assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum GenerateError {
    /// The generator cannot issue at the present clock reading.
    Stalled(Box<Stall>),
    /// The generator has no lease at the moment, but one is being acquired.
    NoLease {
        /// The reason, unless the store has not answered yet.
        cause: Option<Box<LeaseError>>,
        /// As [`Wait::since`].
        since: Instant,
        /// As [`Wait::until`].
        until: Option<Instant>,
    },
    /// The generator was shut down.
    Stopped,
    /// The generator belongs to the process that this one was forked from. The child needs one of
    /// its own.
    Forked,
}

tickid_core::debug_error! {
    enum GenerateError { Stalled(error), NoLease { cause, since, until }, Stopped, Forked }
}

/// The stall of a [`LeasedGenerator`](crate::LeasedGenerator).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stall {
    /// The generator's error.
    pub error: tickid_core::Error,
    /// If the window has ended, the reason that the lease was not renewed. If the clock is far
    /// behind, the reason that no other node was leased.
    pub cause: Option<LeaseError>,
    /// The lead of the generator's clock over the store's in microseconds, when they were last
    /// compared. It is negative if the generator's was behind.
    pub clock_ahead_micros: Option<i64>,
    /// As [`Wait::since`].
    pub since: Instant,
}

impl GenerateError {
    /// Returns the wait that the error reports, or `None` if waiting does not help.
    #[must_use]
    pub fn wait(&self) -> Option<Wait> {
        match self {
            Self::Stalled(stall) => {
                let Stall { ref error, since, .. } = **stall;
                let reason = WaitReason::of_stall(error)?;
                let until = error.retry_after().and_then(|rest| since.checked_add(rest));
                Some(Wait { reason, since, until })
            }
            Self::NoLease { cause, since, until } => {
                let reason = cause.as_ref().map_or(WaitReason::Acquiring, |cause| cause.reason());
                Some(Wait { reason, since: *since, until: *until })
            }
            Self::Stopped | Self::Forked => None,
        }
    }

    /// Returns the time until the generator can issue, if a clock determines it. That is its own,
    /// as in [`tickid_core::Error::retry_after`], or the store's for a realm that starts later. If
    /// no node is free, for example, this is `None`, since a holder can release one at any time.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Stalled(stall) => stall.error.retry_after(),
            Self::NoLease { .. } | Self::Stopped | Self::Forked => self.wait()?.retry_after(),
        }
    }

    /// Returns the reason that the lease was not renewed, or that there is none.
    #[must_use]
    pub fn cause(&self) -> Option<&LeaseError> {
        match self {
            Self::Stalled(stall) => stall.cause.as_ref(),
            Self::NoLease { cause, .. } => cause.as_deref(),
            Self::Stopped | Self::Forked => None,
        }
    }
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stall { error, cause, clock_ahead_micros, .. } = match self {
            Self::Stopped => return f.write_str("the generator was shut down"),
            Self::Forked => {
                return f.write_str(
                    "the generator is the parent process's; a child of a fork needs its own",
                );
            }
            Self::NoLease { cause: None, .. } => return f.write_str("there is no lease yet"),
            Self::NoLease { cause: Some(cause), .. } => {
                return write!(f, "there is no lease: {cause}");
            }
            Self::Stalled(stall) => &**stall,
        };
        // First the generator's own sentence, for example "the window ended at …", then why the
        // lease does not help: that is the part that an operator can do something about.
        write!(f, "{error}")?;
        const WINDOW_ENDED: ErrorKind = ErrorKind::Stalled(StallReason::WindowEnded);
        match (cause, error.kind()) {
            (Some(cause), WINDOW_ENDED) => {
                write!(f, "; the lease could not be renewed: {cause}")?;
            }
            (Some(cause), _) => write!(f, "; no other node could be leased: {cause}")?,
            (None, WINDOW_ENDED) => f.write_str("; the lease is in order")?,
            (None, _) => return Ok(()),
        }
        // A clock that differs from the store's is the usual reason for a lease that seems to be in
        // order.
        match *clock_ahead_micros {
            Some(ahead_micros) => write!(f, "; {}", ClockGap { ahead_micros }),
            None => Ok(()),
        }
    }
}

impl Error for GenerateError {
    /// Returns the source of the [`cause`](Self::cause), which the text contains.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause()?.source()
    }
}

/// The reason that a [`LeasedGenerator`](crate::LeasedGenerator) did not observe an ID. The
/// generator is unchanged.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LeasedObserveError {
    /// The generator refused the ID.
    #[error(transparent)]
    Refused(#[from] tickid_core::ObserveError),
    /// The generator has no lease, was stopped, or belongs to the parent process.
    #[error(transparent)]
    Generator(#[from] GenerateError),
}

tickid_core::debug_error! {
    enum LeasedObserveError { Refused(error), Generator(error) }
}

impl LeasedObserveError {
    /// Returns the time until the generator can observe the ID, if its clock determines that, as
    /// [`tickid_core::ObserveError::retry_after`] does.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused(error) => error.retry_after(),
            Self::Generator(error) => error.retry_after(),
        }
    }
}
