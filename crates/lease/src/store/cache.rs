//! Renewals in one round trip.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tickid_core::{AnyNode, PerProcess, UnixTime};

use crate::backend::{Change, RowChange};
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row, RowState, Version};
use crate::model::rules::{self, RealmRules};

/// An answer's time may differ this much from the expected one before a renewal counts as decided
/// at the wrong time.
const TOLERANCE: Duration = Duration::from_secs(1);

/// The facts that a client has from earlier answers. They are enough to renew its leases without
/// reading first.
///
/// The rules are applied to these, and the commit compares the record's version and the whole row,
/// so that it fails if they are out of date. The time is the last view's time plus the time since.
/// A view is older than it looks, and a computer that was suspended counts too little, so the time
/// lags behind the store's clock unless that is set back. The commit fails if it is far off.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// Another thread may have had the lock when the process forked.
    facts: PerProcess<Mutex<Facts>>,
}

#[derive(Debug, Default)]
struct Facts {
    time: Option<(UnixTime, Instant)>,
    realms: HashMap<RealmName, CachedRealm>,
}

#[derive(Debug)]
struct CachedRealm {
    record: (Record, Version),
    /// The rows of this client's leases.
    rows: HashMap<AnyNode, (Row, Version)>,
}

impl Cache {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        let facts = self.facts.get_or_set(Mutex::default);
        facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time and the record of a view that has just arrived.
    pub(crate) fn note(&self, name: &RealmName, view: &RealmView) {
        let mut facts = self.facts();
        facts.time = Some((view.now, Instant::now()));
        let Some(record) = &view.record else { return };
        match facts.realms.get_mut(name) {
            Some(realm) if realm.record.1 == record.1 => {}
            Some(realm) => realm.record.clone_from(record),
            None => {
                let realm = CachedRealm { record: record.clone(), rows: HashMap::new() };
                facts.realms.insert(name.clone(), realm);
            }
        }
    }

    /// Takes a change that was committed.
    pub(crate) fn note_commit(&self, name: &RealmName, change: Change) {
        let Some(RowChange { node, version, row: Some(row), .. }) = change.row else { return };
        if let Some(realm) = self.facts().realms.get_mut(name) {
            match row.token {
                Some(_) => drop(realm.rows.insert(node, (row, Version::after(version)))),
                None => drop(realm.rows.remove(&node)),
            }
        }
    }

    /// Reports whether the store once had a realm of that name.
    pub(crate) fn has(&self, name: &RealmName) -> bool {
        self.facts().realms.contains_key(name)
    }

    /// Decides a renewal, and returns the lease that it makes if it is committed. Returns `None` if
    /// anything about it is unknown or out of the ordinary, in which case the store reads first.
    pub(crate) fn renewal(&self, name: &RealmName, lease: &Lease) -> Option<(Change, Lease)> {
        let facts = self.facts();
        let (time, at) = facts.time?;
        let now = time.checked_add(at.elapsed())?;
        let CachedRealm { record: (record, record_version), rows } = facts.realms.get(name)?;
        let (old, version) = rows.get(&lease.node)?;
        let state = RowState::Intact { row: old.clone(), version: *version, is_dead: false };
        let new = RealmRules::new(record, now).ok()?.renew(lease, Some(&state)).ok()?;
        let renewed = rules::lease(lease.realm, &new, Some(*version), now)?;
        let (version, exactly) = (Some(*version), Some(old.clone()));
        let change = Change {
            generation: record.generation.clone(),
            within: Some((now.checked_sub(TOLERANCE)?, now.checked_add(TOLERANCE)?)),
            record_version: Some(*record_version),
            record: None,
            row: Some(RowChange { node: lease.node, version, exactly, row: Some(new) }),
        };
        Some((change, renewed))
    }
}
