use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tickid_core::{Clock, ClockError, SystemClock};

use crate::error::{StoreError, StoreErrorKind};
use crate::realm::RealmName;
use crate::record::{Entry, Record, Rows, Version};
use crate::store::Answer;
use crate::table::{Change, Scope, Table, TableStore, View};

/// The store in memory: for tests, and for several generators of one process.
///
/// It forgets everything when it is dropped.
pub type MemoryStore<C = SystemClock> = TableStore<MemoryTable<C>>;

impl MemoryStore {
    /// An empty store that goes by the system's clock.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(MemoryTable::new(SystemClock))
    }
}

/// The table of a [`MemoryStore`].
#[derive(Debug)]
pub struct MemoryTable<C> {
    clock: C,
    contents: Mutex<Contents>,
}

/// Everything a [`MemoryTable`] keeps: what a backup of it would hold.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    realms: HashMap<RealmName, (Option<(Record, Version)>, Rows)>,
    /// Counts writes; versions are taken from it.
    writes: u64,
}

impl<C: Clock> MemoryTable<C> {
    /// Who keeps things in memory has one generation; [`restore`](Self::restore) does not change it,
    /// as a backup restored under the same name does not.
    pub const GENERATION: &'static str = "memory";

    /// An empty table that goes by this clock.
    #[must_use]
    pub fn new(clock: C) -> Self {
        Self { clock, contents: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        // Nothing is left half done: whoever writes computes first.
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A backup.
    pub fn back_up(&self) -> Contents {
        self.lock().clone()
    }

    /// Restores a backup. Versions go on from where they are.
    pub fn restore(&self, backup: Contents) {
        let mut contents = self.lock();
        let writes = contents.writes.max(backup.writes);
        *contents = Contents { writes, ..backup };
    }

    /// What is kept of a realm.
    ///
    /// # Errors
    /// When the clock can't be read.
    pub fn view(&self, realm: &RealmName) -> Result<View, ClockError> {
        let now = self.clock.now()?;
        let contents = self.lock();
        let (record, rows) = contents.realms.get(realm).cloned().unwrap_or_default();
        let generation = Self::GENERATION.to_owned();
        let has_forgotten =
            record.as_ref().is_some_and(|(record, _)| record.generation != generation);
        Ok(View { record, rows, now, generation, has_forgotten })
    }

    /// Writes if versions are as they must be; returns whether they were.
    pub fn write(&self, realm: &RealmName, change: &Change) -> bool {
        let mut contents = self.lock();
        let version = Version(contents.writes + 1);
        let (record, rows) = contents.realms.entry(realm.clone()).or_default();
        let row_version = |row: &crate::Row| rows.get(&row.node).map(|entry| entry.version);
        let is_current = record.as_ref().map(|(_, version)| *version) == change.record_version
            && change.row.as_ref().is_none_or(|(expected, row)| row_version(row) == *expected);
        if !is_current {
            return false;
        }
        if let Some(new) = &change.record {
            *record = Some((new.clone(), version));
        }
        if let Some((_, row)) = &change.row {
            rows.insert(row.node, Entry { row: row.clone(), version, is_dead: false });
        }
        contents.writes += 1;
        true
    }
}

impl<C: Clock + core::fmt::Debug + Send + Sync> Table for MemoryTable<C> {
    fn backend(&self) -> &'static str {
        "memory"
    }

    fn read<'a>(&'a self, realm: &'a RealmName, _: Scope) -> Answer<'a, View> {
        let view = self.view(realm).map_err(|error| {
            let what = "read its clock".to_owned();
            StoreError::new(self.backend(), StoreErrorKind::Failed { what }).with_source(error)
        });
        Box::pin(core::future::ready(view))
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        Box::pin(core::future::ready(Ok(self.write(realm, change))))
    }
}
