//! The settings that a holding process is started with.

use core::fmt;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickid_core::AnyNode;
use tickid_lease::session::Token;
use tickid_lease::{NodePool, RealmSpec};

use crate::scheme::SchemeName;

/// The settings that a holder is started with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// The store.
    pub(crate) url: String,
    pub(crate) realm: String,
    pub(crate) kind: SchemeName,
    pub(crate) pool: String,
    pub(crate) term: Duration,
    pub(crate) skew: Duration,
    /// The lead of its wall clock over the machine's, in microseconds.
    pub(crate) clock: i64,
    /// The round when the clock is set right.
    pub(crate) right_after: Option<u32>,
    pub(crate) plant: Option<Plant>,
}

/// A planted fault, which the tests must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Plant {
    /// The holder issues outside the window that it reported.
    NoWindow,
    /// The store forgets the ceilings of ended holders, and grants windows from its own time on.
    FromNow,
}

const NAME: &str = "TICKID_TEST_HOLDER";

impl Task {
    /// Creates a task with a new realm in the store at `url`, on the default terms, with the right
    /// clock.
    pub(crate) fn new(url: String, kind: SchemeName, pool: &str) -> Self {
        Self {
            url,
            realm: format!("{}-{}", kind.name(), Token::random().unwrap()),
            kind,
            pool: pool.to_owned(),
            term: tickid_lease::admin::Terms::DEFAULT_TERM,
            skew: tickid_lease::admin::Terms::DEFAULT_SKEW,
            clock: 0,
            right_after: None,
            plant: None,
        }
    }

    /// Returns the task with terms that a test can wait for: no shorter than any scheme's ticks
    /// allow.
    pub(crate) fn short(self) -> Self {
        Self { term: Duration::from_millis(600), skew: Duration::from_millis(100), ..self }
    }

    pub(crate) fn realm(&self) -> RealmSpec {
        let pool: NodePool = self.pool.parse().unwrap();
        self.kind.realm(self.realm.parse().unwrap(), pool, self.term, self.skew)
    }

    /// Returns the task of this process, if it is a holder.
    pub(crate) fn of_this_process() -> Option<Self> {
        let task = std::env::var(NAME).ok()?;
        Some(serde_json::from_str(&task).unwrap())
    }

    /// Returns the environment variable of a holder.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        (NAME, serde_json::to_string(self).unwrap())
    }
}

/// A report of a holder, one line of JSON each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Note {
    /// The holder waits for [`BEGIN`](crate::holder::BEGIN).
    Ready,
    /// The holder has carried out an order.
    Obeyed,
    /// The store has granted or renewed a lease up to this ceiling. Reported before it is used.
    Granted(Named, u64),
    /// The generator is closed, and the next window starts at this tick. Reported before the
    /// release.
    Released(Named, u64),
    /// The lease was lost.
    Lost(String),
    /// IDs were issued.
    Ids(Vec<String>),
    /// No ID was issued; reported once, until one is issued or the reason changes.
    Stalled(NoIdReason, String),
    /// The first lease is still missing, and the holder retries.
    Trouble(String),
    /// The holder has shut down, after so many moves to other nodes; the last report.
    Left(u64),
}

/// The reason that no ID was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum NoIdReason {
    Window,
    NoLease,
    Other,
}

/// The identity of a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) node: String,
    pub(crate) token: String,
    pub(crate) floor: u64,
}

impl Named {
    pub(crate) fn new(node: AnyNode, token: Token, floor: u64) -> Self {
        Self { node: node.to_string(), token: token.to_string(), floor }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} from tick {} (token {})", self.node, self.floor, self.token)
    }
}
