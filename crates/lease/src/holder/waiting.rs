use core::fmt;
use core::time::Duration;
use std::time::Instant;

use tickid_core::ErrorKind;

use crate::holder::error::LeaseError;
use crate::holder::state::Cause;
use crate::model::refusal::Refusal;

/// The wait of a [`LeasedGenerator`](crate::LeasedGenerator) that cannot issue now.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::session::WaitReason;
/// use tickid_lease::{LeasedGenerator, Realm, Store};
/// use tickid_sno::Sno;
///
/// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
/// let store = Store::in_memory();
/// let first = LeasedGenerator::start(store.clone(), realm.clone())?;
///
/// let second = LeasedGenerator::start_pending(store, realm)?; // the pool has one node
/// assert!(second.first_lease().is_err());
/// let wait = second.state().wait.ok_or("there is a lease")?;
/// assert_eq!(wait.reason, WaitReason::NoFreeNode);
/// println!("{} for {:?}", wait.reason, wait.since.elapsed());
///
/// first.shut_down()?;
/// second.wait_ready(Duration::from_secs(30))?;
/// second.generate()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The reason.
    pub reason: WaitReason,
    /// The start of the wait. Without a lease, that is the start of the generator or the end of its
    /// last lease; after the end of a window, the first failed renewal; otherwise, the call that
    /// could not issue.
    pub since: Instant,
    /// The end of the wait, if a clock determines it and runs on steadily.
    pub until: Option<Instant>,
}

impl Wait {
    /// Returns the time that is left, if it is known.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Reports whether a call that may wait for `left` should.
    pub(super) fn helps(&self, left: Duration) -> bool {
        let ends_in_time = self.retry_after().is_none_or(|rest| rest <= left);
        !left.is_zero() && ends_in_time && self.reason != WaitReason::Refused
    }
}

/// The reason of a [`Wait`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// The store has not answered the first request yet.
    Starting,
    /// The store does not answer.
    Unreachable,
    /// All nodes of the pool are in use.
    NoFreeNode,
    /// The realm starts later: it is new to the store, or its leases were invalidated.
    NotStarted,
    /// The store refuses a lease until an operator changes something. Calls do not wait for that.
    Refused,
    /// The store failed, or its answer could not be used.
    Failed,
    /// The window has ended, and the lease was not renewed yet.
    WindowEnded,
    /// The clock is behind the window or the last ID.
    ClockBehind,
    /// The sequences of the tick are used up.
    TickExhausted,
}

impl WaitReason {
    /// Returns the reason why there is no lease.
    pub(super) fn of_no_lease(cause: Option<&LeaseError>) -> Self {
        let Some(cause) = cause else { return Self::Starting };
        let Some(error) = cause.store() else { return Self::Failed };
        match (Cause::of(error), error.refusal()) {
            (_, Some(Refusal::NotYet { .. })) => Self::NotStarted,
            (Cause::Exhausted, _) => Self::NoFreeNode,
            (Cause::Unreachable, _) => Self::Unreachable,
            (Cause::Refused, _) => Self::Refused,
            (Cause::Failed, _) => Self::Failed,
        }
    }

    /// Returns the reason why a generator with a lease stalls, if waiting helps.
    pub(super) fn of_stall(error: &tickid_core::Error) -> Option<Self> {
        match (error.kind(), error.retry_after()) {
            (ErrorKind::Window, None) => Some(Self::WindowEnded),
            (ErrorKind::Window | ErrorKind::Rollback, _) => Some(Self::ClockBehind),
            (ErrorKind::Exhausted, _) => Some(Self::TickExhausted),
            _ => None,
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Starting => "the first lease is being acquired",
            Self::Unreachable => "the store does not answer",
            Self::NoFreeNode => "no node is free",
            Self::NotStarted => "the realm starts later",
            Self::Refused => "the store refuses a lease",
            Self::Failed => "the store failed",
            Self::WindowEnded => "the window has ended",
            Self::ClockBehind => "the clock is behind",
            Self::TickExhausted => "the tick's sequences are used up",
        })
    }
}
