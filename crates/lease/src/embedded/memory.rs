//! The backend in memory.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tickid_core::{AnyNode, Clock, SystemClock, UnixTime};

use crate::backend::{Answer, Backend, Change, Commit, Scope};
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, RowState, Rows, Version};
use crate::store_error::StoreError;

const NAME: &str = "memory";

/// The backend in memory, for tests and for generators of one process. Clones share its data, so a
/// test can keep one to look into the store, or to damage it with the methods that the feature
/// `conformance` adds.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use std::sync::Arc;
/// use tickid_core::{ManualClock, UnixTime};
/// use tickid_lease::admin::Start;
/// use tickid_lease::backend::{MemoryBackend, Scope};
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// let now = UnixTime::from_millis(1_700_000_000_000)?;
/// let backend = MemoryBackend::new(Arc::new(ManualClock::new(now)));
/// let store = Store::new(backend.clone());
/// block_on(store.create(realm.spec(), Start::Immediately), Duration::from_secs(5))?;
///
/// let data = backend.data(realm.name(), Scope::All)?;
/// assert_eq!((data.now, data.rows.len()), (now, 0)); // no node was granted yet
/// assert!(!data.is_other_generation());
/// backend.change_generation(); // as a fail-over does
/// assert!(backend.data(realm.name(), Scope::Record)?.is_other_generation());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryBackend<C = SystemClock> {
    clock: C,
    is_server: bool,
    data: Arc<Mutex<Data>>,
}

#[derive(Debug, Default)]
struct Data {
    generation: u64,
    kept: Backup,
}

/// All data of a [`MemoryBackend`].
#[cfg_attr(
    not(feature = "conformance"),
    expect(unreachable_pub, reason = "exported with the methods that copy and replace it")
)]
#[derive(Clone, Debug, Default)]
pub struct Backup {
    realms: BTreeMap<RealmName, StoredRealm>,
    /// Counts the writes of records.
    writes: u64,
}

#[derive(Clone, Debug, Default)]
struct StoredRealm {
    record: Option<(Record, Version)>,
    rows: Rows,
}

impl<C: Clock> MemoryBackend<C> {
    /// Creates an empty backend with a clock.
    #[must_use]
    pub fn new(clock: C) -> Self {
        Self { clock, is_server: false, data: Arc::default() }
    }

    /// Lets realms start as they do on servers, [beyond](crate::admin::Start::Delayed) earlier ones
    /// of their names. By default they start immediately.
    #[cfg(feature = "conformance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
    #[must_use]
    pub fn like_a_server(self) -> Self {
        Self { is_server: true, ..self }
    }

    fn lock(&self) -> MutexGuard<'_, Data> {
        // No write is half done at a panic.
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a new generation, as a fail-over of a server does. The next claim or renewal in each
    /// realm then ends its leases.
    #[cfg(feature = "conformance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
    pub fn change_generation(&self) {
        self.lock().generation += 1;
    }

    /// Returns a copy of all data.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_core::SystemClock;
    /// use tickid_lease::admin::{Start, LeaseEnd};
    /// use tickid_lease::backend::MemoryBackend;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (backend, timeout) = (MemoryBackend::new(SystemClock), Duration::from_secs(5));
    /// let store = Store::new(backend.clone());
    /// block_on(store.create(realm.spec(), Start::Immediately), timeout)?;
    /// let backup = backend.back_up();
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    ///
    /// backend.restore(backup);
    /// let error = block_on(store.renew(realm.spec(), &lease), timeout).unwrap_err();
    /// // The lease proves that data was lost.
    /// assert_eq!(error.lease_end(), Some(LeaseEnd::Forgotten));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "conformance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
    #[must_use]
    pub fn back_up(&self) -> Backup {
        self.lock().kept.clone()
    }

    /// Replaces all data, as restoring a backup does. The generation stays, so only the data itself
    /// can show it. Records' versions continue from the higher of both.
    #[cfg(feature = "conformance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
    pub fn restore(&self, backup: Backup) {
        let kept = &mut self.lock().kept;
        let writes = kept.writes.max(backup.writes);
        *kept = Backup { writes, ..backup };
    }

    /// Replaces the row of a node, or removes it, for tests of damaged stores.
    #[cfg(feature = "conformance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "conformance")))]
    pub fn set_row(&self, realm: &RealmName, node: AnyNode, state: Option<RowState>) {
        let mut data = self.lock();
        let rows = &mut data.kept.realms.entry(realm.clone()).or_default().rows;
        match state {
            Some(state) => rows.insert(node, state),
            None => rows.remove(&node),
        };
    }

    /// Reads a realm.
    ///
    /// # Errors
    /// Returns an error if the clock cannot be read.
    pub fn data(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        let now = self.clock.now();
        let now =
            now.map_err(|error| StoreError::failed(NAME, "read its clock").with_source(error))?;
        let data = self.lock();
        let mut view = RealmView::empty(now, data.generation());
        let Some(StoredRealm { record, rows }) = data.kept.realms.get(realm) else {
            return Ok(view);
        };
        view.record.clone_from(record);
        let copy = |(node, state): (&AnyNode, &RowState)| (*node, state.clone());
        // Only what was asked for, as the backends with servers do. Otherwise a rule that forgets
        // to ask for a row would pass its tests here.
        view.rows = match scope {
            Scope::Record => Rows::new(),
            Scope::Node(node) => rows.get_key_value(&node).map(copy).into_iter().collect(),
            Scope::Candidates { start, limit } => {
                // A page starts anywhere and goes round: from `start` to the last node, then from
                // the first on.
                if limit < rows.len() {
                    let page = rows.range(start..).chain(rows.range(..start));
                    view.page_end = page.map(|(node, _)| *node).take(limit).last();
                }
                rows.range(start..).chain(rows.range(..start)).take(limit).map(copy).collect()
            }
            Scope::All => rows.clone(),
        };
        Ok(view)
    }

    /// Writes a change if everything compares equal.
    pub fn write(&self, realm: &RealmName, change: &Change) -> Commit {
        let now = self.clock.now().unwrap_or(UnixTime::EPOCH);
        let mut data = self.lock();
        let is_current = change.is_for(&data.generation(), now);
        let Backup { realms, writes } = &mut data.kept;
        let StoredRealm { record, rows } = realms.entry(realm.clone()).or_default();
        // A change is decided on what was read before. It is written only if nothing that it
        // depends on was written meanwhile: the record, and its own row.
        let is_current = is_current
            && record.as_ref().map(|(_, version)| *version) == change.record_version
            && change.row.as_ref().is_none_or(|row| row.is_current(rows.get(&row.node)));
        if !is_current {
            drop(data);
            let scope = change.row.as_ref().map_or(Scope::Record, |row| Scope::Node(row.node));
            return Commit::Differs { view: self.data(realm, scope).ok().map(Box::new) };
        }
        if let Some(row_change) = &change.row
            && let Some(row) = &row_change.row
        {
            let version = Version::after(row_change.version);
            let state = RowState::Intact { row: row.clone(), version, is_dead: false };
            rows.insert(row.node, state);
        }
        let record = change.record.as_ref().map(|written| {
            // `restore` keeps the higher count, so that no version is used twice and a change that
            // was decided before a restore fails.
            *writes += 1;
            *record = Some((written.clone(), Version(*writes)));
            Version(*writes)
        });
        Commit::Written { record }
    }
}

impl Data {
    fn generation(&self) -> String {
        self.generation.to_string()
    }
}

impl<C> fmt::Debug for MemoryBackend<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock: _, is_server, data } = self;
        f.debug_struct("MemoryBackend")
            .field("is_server", is_server)
            .field("data", data)
            .finish_non_exhaustive()
    }
}

impl<C: Clock + Send + Sync> Backend for MemoryBackend<C> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn starts_immediately(&self) -> bool {
        !self.is_server
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(core::future::ready(self.data(realm, scope)))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(core::future::ready(Ok(self.write(realm, change))))
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        let data = self.lock();
        let begun = data.kept.realms.iter().filter(|(_, realm)| realm.record.is_some());
        let names = begun.map(|(name, _)| name.clone()).collect();
        Box::pin(core::future::ready(Ok(names)))
    }
}
