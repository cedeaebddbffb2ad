//! The errors of stores.

use core::error::Error;
use core::fmt;
use core::time::Duration;
use std::path::PathBuf;

use crate::model::refusal::{LeaseEnd, Refusal, RefusalKind};

/// An error of a store, which refused a request or did not answer it.
///
/// The two are never confused, because they call for opposite reactions. A lease that is
/// [lost](Self::is_lost) is over, so its generator must stop at once. A lease whose store is
/// [unreachable](Self::is_unreachable) continues to the end of its window.
///
/// # Examples
/// ```
#[doc = include_str!("example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::Store;
/// use tickid_lease::admin::LeaseEnd;
/// use tickid_lease::session::{Claim, Token, block_on};
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
/// block_on(store.invalidate(realm.spec()), timeout)?;
/// let error = block_on(store.renew(realm.spec(), &lease), timeout).unwrap_err();
/// assert!(error.is_lost() && !error.is_unreachable()); // close the generator
/// assert_eq!(error.lease_end(), Some(LeaseEnd::Era));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoreError {
    backend: &'static str,
    kind: StoreErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

tickid_core::debug_error! {
    struct StoreError { backend, kind, source }
}

/// A renewal without an answer within the time that a round trip may take.
#[derive(Debug, thiserror::Error)]
#[error(
    "a renewal was not answered within {bound:?}; a store is too far away for a term of {term:?} if \
     a round trip takes longer than that"
)]
struct TooDistant {
    bound: Duration,
    term: Duration,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The kind of a [`StoreError`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store refused the request.
    Refused(Refusal),
    /// The store did not answer, in time or at all. The request may have been carried out all the
    /// same.
    Unreachable,
    /// The server answers, but takes no requests for leases yet. For example, it accepts no writes
    /// until it is promoted, or its database is still to be created. It has changed nothing.
    NotReady {
        /// The step that failed, as in "write".
        what: String,
    },
    /// A renewal was decided on what the store had before, and has changed nothing. The answer
    /// shows what it has now, so the [request](crate::session::Request::send) can be sent again at
    /// once.
    Outdated,
    /// The store failed, and has changed nothing.
    Failed {
        /// The step that failed, as in "read the clock".
        what: String,
    },
    /// The store is not fit for leases, because it could lose them, or grant one to two holders.
    /// For example, a folder on NFS is not.
    Unfit {
        /// The reason.
        why: String,
    },
    /// A file or folder of the store is not private to this user.
    Exposed(Exposure),
    /// The store's data on a realm cannot be read.
    Corrupt {
        /// The place of the data.
        what: String,
    },
    /// The URL does not name a store. Messages leave it out, since it may contain a password.
    Url {
        /// The reason.
        why: String,
    },
    /// No node could be found at the named source. For example, an environment variable is not set.
    NoNode {
        /// The reason.
        why: String,
    },
}

/// A file or folder of a store that is not private to the user of this process, which therefore
/// does not use it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exposure {
    /// The file or folder.
    pub path: PathBuf,
    /// The ID of the user that owns it.
    pub owner: u32,
    /// Its permissions.
    pub mode: u32,
    /// The reason.
    pub exposure: ExposureReason,
}

/// The reason of an [`Exposure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExposureReason {
    /// Another user owns it.
    Owner {
        /// The ID of this process's user.
        user: u32,
    },
    /// Users other than its owner may write to it.
    Writable,
    /// It is a symbolic link, which may point anywhere.
    Link,
    /// It is neither a regular file nor a folder, or it is one in place of the other.
    Kind,
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, owner, mode, exposure } = self;
        let path = path.display();
        write!(f, "{path} (owner {owner}, mode {mode:04o}) ")?;
        match exposure {
            ExposureReason::Owner { user } => write!(
                f,
                "belongs to another user than this process's, {user}: run as user {owner}, or name \
                 another folder"
            ),
            ExposureReason::Writable => {
                write!(f, "is writable by other users: take that away with `chmod go-w {path}`")
            }
            ExposureReason::Link => {
                f.write_str("is a symbolic link, which is not followed: name what it points to")
            }
            ExposureReason::Kind => f.write_str("is of another kind than expected: remove it"),
        }
    }
}

impl StoreError {
    /// Creates an error of a backend, without a source.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::backend::StoreErrorKind;
    /// use tickid_lease::StoreError;
    ///
    /// let error = StoreError::new("my", StoreErrorKind::Unreachable).with_source("reset");
    /// assert_eq!(error.to_string(), "my store: no answer");
    /// ```
    #[must_use]
    pub fn new(backend: &'static str, kind: StoreErrorKind) -> Self {
        Self { backend, kind, source: None }
    }

    /// Returns the error with its source.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Creates the error of a request that failed. `what` completes "could not", as in "read the
    /// clock".
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::StoreError;
    ///
    /// let error = StoreError::failed("my", "read the clock").with_source("no such table");
    /// assert_eq!(error.to_string(), "my store: could not read the clock");
    /// ```
    #[must_use]
    pub fn failed(backend: &'static str, what: impl Into<String>) -> Self {
        Self::new(backend, StoreErrorKind::Failed { what: what.into() })
    }

    /// Creates the error of a request without an answer.
    pub(crate) fn unreachable(
        backend: &'static str,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::new(backend, StoreErrorKind::Unreachable).with_source(source)
    }

    /// Creates the error of data that cannot be read.
    pub(crate) fn corrupt(backend: &'static str, what: impl Into<String>) -> Self {
        Self::new(backend, StoreErrorKind::Corrupt { what: what.into() })
    }

    /// Creates the error of a URL that names no store.
    pub(crate) fn url(backend: &'static str, why: impl Into<String>) -> Self {
        Self::new(backend, StoreErrorKind::Url { why: why.into() })
    }

    /// Creates the error of a request without an answer within its timeout.
    pub(crate) fn timed_out(timeout: Duration) -> Self {
        Self::unreachable("the", format!("no answer within {timeout:?}"))
    }

    /// Returns the error of a renewal that got no answer within `bound`, which may be the distance
    /// of the store rather than its silence.
    pub(crate) fn too_distant(self, bound: Duration, term: Duration) -> Self {
        let source = self.source;
        Self { source: Some(Box::new(TooDistant { bound, term, source })), ..self }
    }

    /// Creates the error of a refused request.
    #[must_use]
    pub fn refused(backend: &'static str, refusal: Refusal) -> Self {
        Self::new(backend, StoreErrorKind::Refused(refusal))
    }

    /// Returns the backend's name, as in `"file"`.
    #[must_use]
    pub const fn backend(&self) -> &'static str {
        self.backend
    }

    /// Returns the kind of the error.
    #[must_use]
    pub const fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// Returns the refusal, if the store refused the request.
    #[must_use]
    pub const fn refusal(&self) -> Option<&Refusal> {
        if let StoreErrorKind::Refused(refusal) = &self.kind { Some(refusal) } else { None }
    }

    /// Returns how the lease ended, if it is lost.
    #[must_use]
    pub const fn lease_end(&self) -> Option<LeaseEnd> {
        let Some(refusal) = self.refusal() else { return None };
        if let RefusalKind::Over(why) = refusal.kind() { Some(why) } else { None }
    }

    /// Reports whether the lease is over.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        self.lease_end().is_some()
    }

    /// Reports whether the same request may succeed later without a change to the program or its
    /// settings. That is so while a store starts, and if the [refusal](Refusal::passes) passes.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::StoreError;
    /// use tickid_lease::backend::StoreErrorKind;
    ///
    /// let passes = |kind| StoreError::new("my", kind).passes();
    /// assert!(passes(StoreErrorKind::Unreachable));
    /// assert!(!passes(StoreErrorKind::Failed { what: "log in".to_owned() }));
    /// ```
    #[must_use]
    pub const fn passes(&self) -> bool {
        match &self.kind {
            StoreErrorKind::Unreachable
            | StoreErrorKind::Outdated
            | StoreErrorKind::NotReady { .. } => true,
            StoreErrorKind::Refused(refusal) => refusal.passes(),
            StoreErrorKind::Failed { .. }
            | StoreErrorKind::Unfit { .. }
            | StoreErrorKind::Exposed(_)
            | StoreErrorKind::Corrupt { .. }
            | StoreErrorKind::Url { .. }
            | StoreErrorKind::NoNode { .. } => false,
        }
    }

    /// Reports whether a renewal is to be sent again at once.
    pub(crate) const fn is_outdated(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Outdated)
    }

    /// Reports whether the store did not answer.
    #[must_use]
    pub const fn is_unreachable(&self) -> bool {
        matches!(self.kind, StoreErrorKind::Unreachable)
    }
}

/// Returns an external text, such as a server's message, in a form that is safe to show. It is
/// escaped except for quotes, so that control characters cannot rewrite a terminal, and cut to 300
/// characters.
///
/// # Examples
/// ```
/// use tickid_lease::backend::excerpt;
///
/// assert_eq!(excerpt("no \"such\" user\u{1b}[2J\n"), "no \"such\" user\\u{1b}[2J");
/// ```
#[must_use]
pub fn excerpt(text: &str) -> String {
    let escaped = text.trim().escape_debug().to_string();
    escaped.replace("\\'", "'").replace("\\\"", "\"").chars().take(300).collect()
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} store: ", self.backend)?;
        match &self.kind {
            StoreErrorKind::Refused(refusal) => refusal.fmt(f),
            StoreErrorKind::Unreachable => f.write_str("no answer"),
            StoreErrorKind::Outdated => f.write_str("the realm has changed meanwhile"),
            StoreErrorKind::Failed { what } | StoreErrorKind::NotReady { what } => {
                write!(f, "could not {what}")
            }
            StoreErrorKind::Unfit { why } => write!(f, "not fit to keep leases: {why}"),
            StoreErrorKind::Url { why } | StoreErrorKind::NoNode { why } => f.write_str(why),
            StoreErrorKind::Exposed(exposed) => exposed.fmt(f),
            StoreErrorKind::Corrupt { what } => write!(f, "{what} cannot be read"),
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
