use core::fmt;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use tickid_lease::{Hold, NodePool, Realm, Token};

use crate::scheme::Kind;

/// What a holder is told when it is started.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Where the store is.
    pub(crate) url: String,
    pub(crate) realm: String,
    pub(crate) kind: Kind,
    pub(crate) pool: String,
    pub(crate) term: Duration,
    pub(crate) skew: Duration,
    /// How far its wall clock is from the machine's, in microseconds.
    pub(crate) clock: i64,
    /// After so many rounds somebody sets the clock right.
    pub(crate) right_after: Option<u32>,
    pub(crate) plant: Option<Plant>,
}

/// A fault, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Plant {
    /// The holder's generator has no window.
    NoWindow,
    /// The store grants windows from its own time on, rather than from the ceiling before.
    FromNow,
}

const NAME: &str = "TICKID_TEST_HOLDER";

impl Task {
    /// A realm of its own in the store at `url`, on the default terms, with the right clock.
    pub(crate) fn new(url: String, kind: Kind, pool: &str) -> Self {
        Self {
            url,
            realm: format!("{}-{}", kind.name(), Token::random().unwrap()),
            kind,
            pool: pool.to_owned(),
            term: tickid_lease::Terms::DEFAULT_TERM,
            skew: tickid_lease::Terms::DEFAULT_SKEW,
            clock: 0,
            right_after: None,
            plant: None,
        }
    }

    /// On terms that a test can wait for: no shorter than any scheme's ticks allow.
    pub(crate) fn short(self) -> Self {
        Self { term: Duration::from_millis(600), skew: Duration::from_millis(100), ..self }
    }

    pub(crate) fn realm(&self) -> Realm {
        let pool: NodePool = self.pool.parse().unwrap();
        self.kind.realm(self.realm.parse().unwrap(), pool, self.term, self.skew)
    }

    /// That of this process, if it is a holder.
    pub(crate) fn of_this_process() -> Option<Self> {
        let task = std::env::var(NAME).ok()?;
        Some(serde_json::from_str(&task).unwrap())
    }

    /// For the environment of a process that is to be a holder.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        (NAME, serde_json::to_string(self).unwrap())
    }
}

/// What a holder says, a line of JSON for each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Note {
    /// It waits for [`BEGIN`](crate::holder::BEGIN).
    Ready,
    /// It has done what it was told.
    Obeyed,
    /// The store has granted this, to begin with or as a renewal. Said before anything is made of it.
    Granted(Named, u64),
    /// Said before the store is asked to take it back: the generator is closed, and this is the highest tick
    /// that was in it.
    Released(Named, Option<u64>),
    /// The store did not do what it was asked.
    Refused { is_lost: bool, is_silent: bool, why: String },
    /// They were issued.
    Ids(Vec<String>),
    /// No ID came; said once, until one comes again or the reason is another.
    Stalled(Stall, String),
    /// No lease to begin with; it tries again.
    Trouble(String),
    /// It has shut down; the last it says.
    Left,
}

/// Why no ID came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stall {
    Window,
    NoLease,
    Other,
}

/// A lease by what names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) node: String,
    pub(crate) token: String,
    pub(crate) floor: u64,
}

impl From<&Hold> for Named {
    fn from(hold: &Hold) -> Self {
        let Hold { node, token, floor, .. } = hold;
        Self { node: node.to_string(), token: token.to_string(), floor: *floor }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} from tick {} (token {})", self.node, self.floor, self.token)
    }
}
