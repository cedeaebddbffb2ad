//! The interface of backends.

use core::fmt;
use core::ops::Deref;
use core::pin::Pin;
use std::time::Instant;

use tickid_core::{AnyNode, UnixTime};

use crate::block_on::back_off;
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row, RowState, Version};
use crate::store_error::StoreError;

/// A future answer of a store. It needs no particular runtime, so any executor may poll it.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A database or folder that keeps records and rows, and writes them by compare-and-set.
///
/// It decides nothing. [`Store`](crate::Store) applies the same rules to every backend, and relies
/// on these promises of an implementation:
///
/// 1. An answer is durable before it is given, since a generator starts to issue IDs as soon as it
///    has one.
/// 2. Its errors distinguish a refusal from silence ([`StoreError::is_unreachable`]). No request
///    lasts longer than a timeout of the backend's own. A request without an answer, or whose
///    future is dropped, may have been carried out.
/// 3. Repeating a request is harmless.
/// 4. A malformed row is a [`RowState::Malformed`](crate::backend::RowState), not an error, so that
///    it takes only its own node out of service.
/// 5. A row's version is 1 in its first write and rises by one in each further one, and is lost
///    with the row, so that a lower version shows a loss. A row that replaces a malformed one gets
///    a version above the version of its leases.
///
/// Signatures contain no type of a client library, so a backend is free to choose its client. The
/// feature `conformance` has scenarios that test these promises.
///
/// # Examples
/// ```
/// // A backend that counts the commits of another.
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tickid_lease::admin::RealmName;
/// use tickid_lease::backend::{Answer, Backend, Change, Commit, RealmView, Scope};
///
/// #[derive(Debug)]
/// struct Counted<B> {
///     backend: B,
///     commits: AtomicU64,
/// }
///
/// impl<B: Backend> Backend for Counted<B> {
///     fn name(&self) -> &'static str {
///         self.backend.name()
///     }
///
///     fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
///         self.backend.read(realm, scope)
///     }
///
///     fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
///         self.commits.fetch_add(1, Ordering::Relaxed);
///         self.backend.commit(realm, change)
///     }
///
///     fn realms(&self) -> Answer<'_, Vec<RealmName>> {
///         self.backend.realms()
///     }
/// }
/// ```
pub trait Backend: fmt::Debug + Send + Sync {
    /// Returns the backend's name, as in `"file"`.
    fn name(&self) -> &'static str;

    /// Returns the place of the data in human-readable form, for example a folder or the addresses
    /// of servers. Messages and logs show it, so it must not contain a password.
    fn endpoint(&self) -> String {
        self.name().to_owned()
    }

    /// Reports whether a realm that the backend does not have starts immediately, rather than
    /// beyond anything that a lost realm of that name can have granted. In memory and folders it
    /// does, but a server may have lost a realm.
    fn starts_immediately(&self) -> bool {
        false
    }

    /// Reports whether a round trip takes so long that renewals should be committed without reading
    /// first. They are then decided on what was last read and on this machine's monotonic clock.
    fn is_remote(&self) -> bool {
        false
    }

    /// Returns this machine's monotonic clock, by which the store's clock is estimated between
    /// answers. A test whose time is scripted replaces it.
    fn monotonic(&self) -> Instant {
        Instant::now()
    }

    /// Reads a realm. The record must be read no later than the rows.
    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView>;

    /// Writes all of `change` in one atomic step if everything compares equal, and otherwise
    /// nothing. If anything [differs](Commit::Differs), the store decides anew, on what the answer
    /// shows or on another read.
    ///
    /// Some backends receive their generation or their clock only with the answer. They may have
    /// written the change even if these differ. That is harmless, since the store then reads again,
    /// and invalidates the realm if it must.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_core::SystemClock;
    /// use tickid_lease::backend::{Backend, Change, Commit, MemoryBackend, Record, Scope};
    /// use tickid_lease::session::block_on;
    ///
    /// let (backend, timeout) = (MemoryBackend::new(SystemClock), Duration::from_secs(5));
    /// let name = realm.name().clone();
    /// let view = block_on(backend.read(&name, Scope::Record), timeout)?;
    /// let change = Change {
    ///     generation: view.generation.clone(),
    ///     within: None,
    ///     record_version: None, // there is no record yet
    ///     record: Some(Record::new(realm, view.generation)),
    ///     row: None,
    /// };
    /// assert!(block_on(backend.commit(&name, &change), timeout)?.is_written());
    /// let again = block_on(backend.commit(&name, &change), timeout)?; // now there is one
    /// assert!(matches!(again, Commit::Differs { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit>;

    /// Returns the names of all realms, in order.
    fn realms(&self) -> Answer<'_, Vec<RealmName>>;

    /// Returns the reason to doubt that the store keeps leases, for people to decide, as programs
    /// cannot. For example, a folder may be on a file system of an unknown type. The default is
    /// `None`.
    fn doubt(&self) -> Option<String> {
        None
    }

    /// Checks that the store accepts writes, by one that changes nothing and is never listed as a
    /// realm. Returns `false` if that cannot be tried, because the user may write in some realms
    /// only, or because the backend has no such write, as by default.
    ///
    /// # Errors
    /// Returns the error that other writes meet, for example that of a full disk.
    fn try_write(&self) -> Answer<'_, bool> {
        Box::pin(async { Ok(false) })
    }

    /// Waits before a request is repeated that lost `lost` races in a row. The default is a random
    /// time of up to 2 ms, doubled with each race up to 250 ms, so that clients which raced once
    /// rarely race again.
    fn back_off(&self, lost: u32) -> Answer<'_, ()> {
        Box::pin(async move {
            back_off(lost).await;
            Ok(())
        })
    }
}

impl<P> Backend for P
where
    P: Deref<Target: Backend> + fmt::Debug + Send + Sync,
{
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn endpoint(&self) -> String {
        (**self).endpoint()
    }

    fn starts_immediately(&self) -> bool {
        (**self).starts_immediately()
    }

    fn is_remote(&self) -> bool {
        (**self).is_remote()
    }

    fn monotonic(&self) -> Instant {
        (**self).monotonic()
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        (**self).read(realm, scope)
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        (**self).commit(realm, change)
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        (**self).realms()
    }

    fn doubt(&self) -> Option<String> {
        (**self).doubt()
    }

    fn try_write(&self) -> Answer<'_, bool> {
        (**self).try_write()
    }

    fn back_off(&self, lost: u32) -> Answer<'_, ()> {
        (**self).back_off(lost)
    }
}

/// The rows that a [`read`](Backend::read) requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a backend must know every scope")]
pub enum Scope {
    /// No rows, the record only.
    Record,
    /// The row of one node.
    Node(AnyNode),
    /// A bounded number of rows, for a claim. There are two kinds, each of about `limit` rows:
    ///
    /// - a *page*, which has consecutive rows in the order of nodes from `start` on, wrapping
    ///   around from the last to the first. [`RealmView::page_end`] is its last row's node, or
    ///   `None` if the answer has all rows of nodes in the pool. Nodes of the page without a row
    ///   were never granted.
    /// - the rows with the lowest ceilings, if the backend has an index of these
    ///   ([`RealmView::has_lowest`]).
    Candidates {
        /// The first node of the page.
        start: AnyNode,
        /// The number of rows. A page that wraps around may have twice as many.
        limit: usize,
    },
    /// All rows.
    All,
}

/// A compare-and-set of a realm's data. Everything named is compared in the same atomic step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends take it apart")]
pub struct Change {
    /// The generation of the view that this was decided on. If the backend's generation has changed
    /// since, nothing is written.
    pub generation: String,
    /// The earliest and the latest reading of the store's clock at which this may be written, if it
    /// was decided on an estimate of that clock. A renewal that is committed without reading first
    /// is, for example.
    pub within: Option<(UnixTime, UnixTime)>,
    /// The record's version as it must be, or `None` if there must be no record.
    pub record_version: Option<Version>,
    /// The record to write, if it changes.
    pub record: Option<Record>,
    /// The row to compare and to write.
    pub row: Option<RowChange>,
}

/// The part of a [`Change`] that concerns a row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends take it apart")]
pub struct RowChange {
    /// The node.
    pub node: AnyNode,
    /// The row's version as it must be, or `None` if there must be no row.
    pub version: Option<Version>,
    /// The row as it must be, for a decision on a row that may have been restored since, which the
    /// version alone does not show.
    pub exactly: Option<Row>,
    /// The row to write, if it changes.
    pub row: Option<Row>,
}

/// The outcome of a [`Change`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a change is written as a whole, or not at all")]
pub enum Commit {
    /// Everything compared equal, and all of it is written.
    Written {
        /// The version that the record has now, if the change has written one. A backend that is
        /// not [remote](Backend::is_remote) may leave it out.
        record: Option<Version>,
    },
    /// Something differed, and nothing is written.
    Differs {
        /// What [`Scope::Node`] shows of the compared row, or [`Scope::Record`] without one, read
        /// when it was compared or later. A renewal is decided anew on that, without a round trip
        /// to read first. A backend that is not [remote](Backend::is_remote) may leave it out, and
        /// so may others for a change of another generation, or if another client was faster.
        view: Option<Box<RealmView>>,
    },
}

impl Commit {
    /// Reports whether the change is written.
    #[must_use]
    pub const fn is_written(&self) -> bool {
        match self {
            Self::Written { .. } => true,
            Self::Differs { .. } => false,
        }
    }
}

impl Change {
    /// Returns the scope of the row that a renewal changes, which is its holder's own. Claims change
    /// rows of others, too.
    pub(crate) fn renews(&self) -> Scope {
        match (&self.within, &self.row) {
            (Some(_), Some(row)) => Scope::Node(row.node),
            (Some(_), None) | (None, _) => Scope::Record,
        }
    }

    /// Reports whether the change may be written in this generation and at this time.
    pub(crate) fn is_for(&self, generation: &str, now: UnixTime) -> bool {
        let is_in_time = |(first, last)| first <= now && now <= last;
        self.generation == generation && self.within.is_none_or(is_in_time)
    }
}

impl RowChange {
    /// Reports whether the row is as it must be.
    pub(crate) fn is_current(&self, state: Option<&RowState>) -> bool {
        let Some(state) = state else { return self.version.is_none() };
        state.version().is_some()
            && state.version() == self.version
            && self.exactly.as_ref().is_none_or(|row| state.row() == Some(row))
    }
}
