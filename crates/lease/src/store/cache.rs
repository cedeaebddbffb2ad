//! Renewals in one round trip.

use core::time::Duration;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_channel::oneshot;
use tickid_core::{AnyNode, PerProcess, UnixTime};

use crate::backend::{Change, RowChange, Scope};
use crate::model::lease::Lease;
use crate::model::realm_spec::RealmName;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row, RowState, Version};
use crate::model::rules::{self, RealmRules};

/// An answer's time may differ this much from the expected one, beside what it took, before a
/// renewal counts as decided at the wrong time.
const TOLERANCE: Duration = Duration::from_secs(1);

/// The facts that a client has from earlier answers. They are enough to renew its leases without
/// reading first.
///
/// The rules are applied to these, and the commit compares the record's version and the whole row,
/// so that it fails if they are out of date. Its answer then shows what the store has now. They come
/// from views and from commits, also from those whose answer was late, so that the next renewal
/// takes one round trip however far away the store is. A fact makes no window wider: what a view shows may not be durable yet, and only the
/// commit that rests on it is acknowledged.
///
/// The time is the last view's time plus the time since. A view is older than it looks, by up to
/// the round trip that it took, and a computer that was suspended counts too little, so the time
/// lags behind the store's clock unless that is set back. The commit fails if it is far off.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// Another thread may have had the lock when the process forked.
    facts: PerProcess<Mutex<Facts>>,
}

#[derive(Debug, Default)]
struct Facts {
    time: Option<StoreTime>,
    realms: HashMap<RealmName, CachedRealm>,
    late: Vec<LateRead>,
}

/// A read of a node whose caller has given up, and whose answer is still to come.
#[derive(Debug)]
struct LateRead {
    realm: RealmName,
    node: AnyNode,
    /// Dropping them wakes those who wait for the answer.
    waiting: Vec<oneshot::Sender<()>>,
}

/// A reading of the store's clock, at some moment between the request and the answer.
#[derive(Clone, Copy, Debug)]
struct StoreTime {
    now: UnixTime,
    asked: Instant,
    answered: Instant,
}

#[derive(Debug)]
struct CachedRealm {
    record: Fact<Record>,
    /// The rows of this client's leases.
    rows: HashMap<AnyNode, Fact<Row>>,
}

/// What an answer showed.
#[derive(Debug)]
struct Fact<T> {
    value: T,
    version: Version,
    /// When the request was sent. A late answer replaces nothing that was asked for after it.
    asked: Instant,
}

impl<T> Fact<T> {
    fn replace(&mut self, new: Self) {
        if self.asked <= new.asked {
            *self = new;
        }
    }
}

impl Cache {
    fn facts(&self) -> MutexGuard<'_, Facts> {
        let facts = self.facts.get_or_set(Mutex::default);
        facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time, the record and the rows of this client's leases of a view, by the times of
    /// the request and of its answer.
    pub(crate) fn note(
        &self,
        name: &RealmName,
        scope: Scope,
        view: &RealmView,
        (asked, answered): (Instant, Instant),
    ) {
        let mut facts = self.facts();
        let time = StoreTime { now: view.now, asked, answered };
        if facts.time.is_none_or(|known| known.asked <= asked) {
            facts.time = Some(time);
        }
        let Some((record, version)) = &view.record else { return };
        let realm = facts.note_record(name, record, *version, asked);
        for (node, state) in &view.rows {
            // A node is read by itself for its holder. Of other views, most rows are of others.
            let is_own = scope == Scope::Node(*node) || realm.rows.contains_key(node);
            if let RowState::Intact { row, version, .. } = state
                && is_own
            {
                realm.note_row(row.clone(), *version, asked);
            }
        }
    }

    /// Takes a change that was committed, with the version that the record got if it was written.
    pub(crate) fn note_commit(
        &self,
        name: &RealmName,
        change: Change,
        record_version: Option<Version>,
        asked: Instant,
    ) {
        let mut facts = self.facts();
        if let Some((record, version)) = change.record.as_ref().zip(record_version) {
            facts.note_record(name, record, version, asked);
        }
        let Some(RowChange { node, version, row: Some(row), .. }) = change.row else { return };
        if let Some(realm) = facts.realms.get_mut(name) {
            match row.token {
                Some(_) => realm.note_row(row, Version::after(version), asked),
                None => drop(realm.rows.remove(&node)),
            }
        }
    }

    /// Notes that a read of a node goes on without its caller.
    pub(crate) fn begin_late(&self, realm: RealmName, node: AnyNode) {
        self.facts().late.push(LateRead { realm, node, waiting: Vec::new() });
    }

    /// Notes the end of such a read.
    pub(crate) fn end_late(&self, realm: &RealmName, node: AnyNode) {
        let mut facts = self.facts();
        let late = facts.late.iter().position(|late| late.realm == *realm && late.node == node);
        drop(late.map(|index| facts.late.swap_remove(index)));
    }

    /// Waits for the late answer to a read of the node, if there is one to come. A renewal that
    /// starts before it would rest on facts that were found outdated.
    pub(crate) async fn late_answer(&self, realm: &RealmName, node: AnyNode) {
        let over = {
            let mut facts = self.facts();
            let mut late = facts.late.iter_mut();
            late.find(|late| late.realm == *realm && late.node == node).map(|late| {
                let (sender, over) = oneshot::channel();
                late.waiting.push(sender);
                over
            })
        };
        if let Some(over) = over {
            // The sender never sends: it is dropped when the answer has come.
            let _ = over.await;
        }
    }

    /// Reports whether the store once had a realm of that name.
    pub(crate) fn has(&self, name: &RealmName) -> bool {
        self.facts().realms.contains_key(name)
    }

    /// Decides a renewal at the time `at`, and returns the lease that it makes if it is committed.
    /// Returns `None` if anything about it is unknown or out of the ordinary, in which case the
    /// store reads first.
    pub(crate) fn renewal(
        &self,
        name: &RealmName,
        lease: &Lease,
        at: Instant,
    ) -> Option<(Change, Lease)> {
        let facts = self.facts();
        let StoreTime { now, asked, answered } = facts.time?;
        let now = now.checked_add(at.saturating_duration_since(answered))?;
        // The clock may have been read right after the request, and this may take as long.
        let trips = answered.saturating_duration_since(asked).saturating_mul(2);
        let CachedRealm { record, rows } = facts.realms.get(name)?;
        let Fact { value: record, version: record_version, .. } = record;
        let Fact { value: old, version, .. } = rows.get(&lease.node)?;
        let state = RowState::Intact { row: old.clone(), version: *version, is_dead: false };
        let new = RealmRules::new(record, now).ok()?.renew(lease, Some(&state)).ok()?;
        let terms = record.realm.terms();
        let renewed = rules::lease(lease.realm, terms, &new, Some(*version), now)?;
        let (version, exactly) = (Some(*version), Some(old.clone()));
        let change = Change {
            generation: record.generation.clone(),
            within: Some((
                now.checked_sub(TOLERANCE)?,
                now.checked_add(TOLERANCE.saturating_add(trips))?,
            )),
            record_version: Some(*record_version),
            record: None,
            row: Some(RowChange { node: lease.node, version, exactly, row: Some(new) }),
        };
        Some((change, renewed))
    }
}

impl Facts {
    fn note_record(
        &mut self,
        name: &RealmName,
        record: &Record,
        version: Version,
        asked: Instant,
    ) -> &mut CachedRealm {
        let fact = || Fact { value: record.clone(), version, asked };
        match self.realms.entry(name.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(CachedRealm { record: fact(), rows: HashMap::new() })
            }
            Entry::Occupied(entry) => {
                let realm = entry.into_mut();
                if realm.record.version == version {
                    realm.record.asked = realm.record.asked.max(asked);
                } else {
                    realm.record.replace(fact());
                }
                realm
            }
        }
    }
}

impl CachedRealm {
    fn note_row(&mut self, row: Row, version: Version, asked: Instant) {
        let (node, fact) = (row.node, Fact { value: row, version, asked });
        match self.rows.entry(node) {
            Entry::Vacant(entry) => drop(entry.insert(fact)),
            Entry::Occupied(mut entry) => entry.get_mut().replace(fact),
        }
    }
}
