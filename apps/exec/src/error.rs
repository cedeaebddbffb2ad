//! The reasons why a program was not run to its end.

use core::time::Duration;
use std::ffi::OsString;
use std::io;

use tickid_lease::admin::{RealmName, Terms};
use tickid_lease::{NodePool, StoreError};

/// The reason why a program was not run, or not to its end. If it was stopped for lack of a lease,
/// that is no error but the exit status 124.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The realm has fewer nodes than the plan wants, or the plan wants none.
    #[error("{nodes} nodes are not within 1..={}, those of the realm {realm}: {pool}", pool.len())]
    Nodes {
        /// The number of nodes of the plan.
        nodes: u64,
        /// The realm.
        realm: RealmName,
        /// The realm's nodes.
        pool: NodePool,
    },
    /// The realm's term leaves no time to end a program. For example, half a second is too short.
    #[error("a term of {term:?} is outside of {shortest:?}..={longest:?}", longest = Terms::LONGEST)]
    Term {
        /// The realm's term.
        term: Duration,
        /// The shortest one.
        shortest: Duration,
    },
    /// The time between the signals leaves no time to renew the lease, because the program would be
    /// sent SIGTERM before a renewal is due.
    #[error(
        "{kill_after:?} between SIGTERM and SIGKILL leave no time to renew the lease: with a skew of \
         {skew:?} and a term of {term:?}, it must be less than {limit:?}"
    )]
    KillAfter {
        /// The time of the plan.
        kill_after: Duration,
        /// The time that it must be shorter than.
        limit: Duration,
        /// The realm's skew.
        skew: Duration,
        /// The realm's term.
        term: Duration,
    },
    /// The process has children already. With [`release_on_exit`](crate::Plan::release_on_exit),
    /// this is refused, because they look like children of the program, and would be killed with
    /// them.
    #[error("this process has children already, which would be ended with the program's")]
    Children,
    /// The process was started as a stage of the supervision, but not by a supervisor, for example
    /// by hand.
    #[error("{0} is for a supervisor to call")]
    Stage(&'static str),
    /// The store refused, or did not answer. Before the first lease, silence is not waited out,
    /// since the store's address may be wrong.
    #[error("{0:?}")]
    Store(#[from] StoreError),
    /// No node was free within [`max_wait`](crate::Plan::max_wait), or no window has opened by
    /// then.
    #[error("{stall:?}; that takes longer than {max_wait:?}")]
    TooLong {
        /// The last answer of the store.
        stall: StoreError,
        /// The longest wait of the plan.
        max_wait: Duration,
    },
    /// The nodes were not released. The program has ended, and they are free when their windows
    /// end.
    #[error("{0:?}; the node is free when its window ends")]
    GiveBack(StoreError),
    /// The system gave no random numbers.
    #[error("no random numbers: {0}")]
    Randomness(io::Error),
    /// The program cannot be run.
    #[error("cannot run '{}': {reason}", program.display())]
    Run {
        /// The program.
        program: OsString,
        /// The system's reason.
        reason: io::Error,
    },
    /// The program cannot be supervised. It was not started, or has been killed.
    #[error("cannot supervise the program: {0}")]
    Supervise(io::Error),
}

impl From<nix::Error> for Error {
    fn from(error: nix::Error) -> Self {
        Self::Supervise(error.into())
    }
}
