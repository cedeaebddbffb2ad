use core::error::Error;
use core::fmt;
use std::path::PathBuf;

use crate::rules::{Loss, Refusal};

/// What a store answered instead of what it was asked for, or that it did not answer.
///
/// The two are never mixed up: a lease that is [lost](Self::is_lost) is over, while one whose store is
/// [unreachable](Self::is_unreachable) goes on to the end of its window.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_lease::{Claim, MemoryStore, Realm, Refusal, Store, Token, block_on};
/// use tickid_scru64::Scru64;
///
/// // One node, and two who ask for it.
/// let realm = Realm::new("orders".parse()?, &Scru64, "42/8".parse()?)?;
/// let store = MemoryStore::in_memory();
/// let ask = || -> Result<_, Box<dyn std::error::Error>> {
///     let claim = Claim::new(Token::random()?, "an example", None);
///     Ok(block_on(store.acquire(&realm, &claim), Duration::from_secs(5))?)
/// };
/// ask()??;
/// let error = ask()?.unwrap_err();
/// assert!(matches!(error.refusal(), Some(Refusal::Exhausted { .. })));
/// assert!(!error.is_lost() && !error.is_unreachable());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoreError {
    backend: &'static str,
    kind: StoreErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What is wrong with a store, or with what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// It says no. Nothing was changed.
    Refused(Refusal),
    /// It did not answer, in time or at all. What it was asked may have been done.
    Unreachable,
    /// It answered that it could not. Nothing was changed.
    Failed {
        /// What could not be done.
        what: String,
    },
    /// It is not fit to keep leases: it could forget them, or not keep two holders apart.
    Unfit {
        /// Why not.
        why: String,
    },
    /// A file or folder of the store is not private to this user.
    Exposed(Exposed),
    /// What it keeps can't be read.
    Corrupt {
        /// What it is about.
        what: String,
    },
}

/// A file or folder of a store that is not private to the user of this process, which therefore
/// does not use it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exposed {
    /// The file or folder.
    pub path: PathBuf,
    /// The ID of the user that owns it.
    pub owner: u32,
    /// Its permissions.
    pub mode: u32,
    /// The reason.
    pub exposure: Exposure,
}

/// The way in which a file or folder is [`Exposed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exposure {
    /// Another user owns it.
    Owner {
        /// The ID of this process's user.
        user: u32,
    },
    /// Users other than its owner may write to it.
    Writable,
    /// It is a symbolic link, which may point anywhere.
    Link,
    /// It is neither a regular file nor a folder, or the one in place of the other.
    Kind,
}

impl fmt::Display for Exposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, owner, mode, exposure } = self;
        let path = path.display();
        write!(f, "{path} (owner {owner}, mode {mode:04o}) ")?;
        match exposure {
            Exposure::Owner { user } => write!(
                f,
                "belongs to another user than this process's, {user}: run as user {owner}, or name \
                 another folder"
            ),
            Exposure::Writable => {
                write!(f, "is writable by other users: take that away with `chmod go-w {path}`")
            }
            Exposure::Link => {
                f.write_str("is a symbolic link, which is not followed: name what it points to")
            }
            Exposure::Kind => f.write_str("is of another kind than expected: remove it"),
        }
    }
}

impl StoreError {
    /// An error of the store `backend`, without a source.
    #[must_use]
    pub fn new(backend: &'static str, kind: StoreErrorKind) -> Self {
        Self { backend, kind, source: None }
    }

    /// The same with what caused it.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// The store answered no.
    #[must_use]
    pub fn refused(backend: &'static str, refusal: Refusal) -> Self {
        Self::new(backend, StoreErrorKind::Refused(refusal))
    }

    /// Which kind of store, as in `"file"`.
    #[must_use]
    pub const fn backend(&self) -> &'static str {
        self.backend
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// What the store says no with, if it does.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        match &self.kind {
            StoreErrorKind::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// How the lease was lost, if it was.
    #[must_use]
    pub const fn loss(&self) -> Option<Loss> {
        match self.refusal() {
            Some(Refusal::Lost { why, .. }) => Some(*why),
            _ => None,
        }
    }

    /// Whether the store says that the lease is over.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        self.loss().is_some()
    }

    /// Whether the store did not answer.
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Unreachable)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} store: ", self.backend)?;
        match &self.kind {
            StoreErrorKind::Refused(refusal) => refusal.fmt(f),
            StoreErrorKind::Unreachable => f.write_str("no answer"),
            StoreErrorKind::Failed { what } => write!(f, "could not {what}"),
            StoreErrorKind::Unfit { why } => write!(f, "not fit to keep leases: {why}"),
            StoreErrorKind::Exposed(exposed) => exposed.fmt(f),
            StoreErrorKind::Corrupt { what } => write!(f, "{what} can't be read"),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match (&self.source, &self.kind) {
            (Some(source), _) => Some(&**source),
            (None, StoreErrorKind::Refused(refusal)) => refusal.source(),
            (None, _) => None,
        }
    }
}
