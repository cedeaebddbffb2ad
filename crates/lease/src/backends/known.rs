//! Renewals in one round trip, for backends that only compare and set.

use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tickid_core::{PerProcess, UnixTime};

use crate::model::lease::Lease;
use crate::model::node::Node;
use crate::model::realm::RealmName;
use crate::model::record::{Record, Row, RowState, Version};
use crate::model::rules::{self, Rules};

/// The facts that a client has from earlier answers: enough to renew its leases without reading
/// first.
///
/// The rules are applied to these, and the commit compares the record's and the row's whole texts,
/// so that it fails if they are out of date. Only the time cannot be compared: it is the last
/// answer's time plus the time since. An answer is older than it looks, and a computer that was
/// suspended counts too little, so it lags behind the store's clock unless that is set back.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Another thread may have had the lock when the process forked.
    facts: PerProcess<Mutex<Facts>>,
}

#[derive(Debug, Default)]
struct Facts {
    time: Option<(UnixTime, Instant)>,
    realms: HashMap<RealmName, Realm>,
}

#[derive(Debug)]
struct Realm {
    record: Record,
    text: String,
    /// The rows of this client's leases.
    rows: HashMap<Node, (Row, Version)>,
}

/// A renewal that is decided but not committed.
#[derive(Debug)]
pub(crate) struct Renewal {
    /// The text that the record must have.
    pub(crate) record: String,
    /// The generation that the store must have.
    pub(crate) generation: String,
    /// The row as it must be.
    pub(crate) old: (Row, Version),
    pub(crate) new: Row,
    pub(crate) lease: Lease,
}

impl Known {
    /// An answer's time may be this much ahead of the expected one before a renewal counts as
    /// decided too early.
    pub(crate) const TOLERANCE: Duration = Duration::from_secs(1);

    fn facts(&self) -> MutexGuard<'_, Facts> {
        let facts = self.facts.get_or_set(Mutex::default);
        facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the time of an answer that has just arrived. Returns `false` if it is further ahead of
    /// the expected time than the [tolerance](Self::TOLERANCE).
    pub(crate) fn note_time(&self, now: UnixTime) -> bool {
        let mut facts = self.facts();
        let latest = facts.now().and_then(|now| now.checked_add(Self::TOLERANCE));
        facts.time = Some((now, Instant::now()));
        latest.is_none_or(|latest| now <= latest)
    }

    /// Takes a record that was read, and the text that stands for it.
    pub(crate) fn note_record(&self, name: &RealmName, record: &Record, text: &str) {
        let mut facts = self.facts();
        match facts.realms.get_mut(name) {
            Some(realm) if realm.text == text => {}
            Some(realm) => (realm.record, realm.text) = (record.clone(), text.to_owned()),
            None => {
                let (record, text, rows) = (record.clone(), text.to_owned(), HashMap::new());
                facts.realms.insert(name.clone(), Realm { record, text, rows });
            }
        }
    }

    /// Takes a row that was committed.
    pub(crate) fn note_row(&self, name: &RealmName, row: Row, version: Version) {
        if let Some(realm) = self.facts().realms.get_mut(name) {
            match row.token {
                Some(_) => drop(realm.rows.insert(row.node, (row, version))),
                None => drop(realm.rows.remove(&row.node)),
            }
        }
    }

    /// Reports whether the store once had a realm of that name.
    pub(crate) fn has(&self, name: &RealmName) -> bool {
        self.facts().realms.contains_key(name)
    }

    /// Decides a renewal; `None` if anything about it is unknown or out of the ordinary.
    pub(crate) fn renewal(&self, name: &RealmName, lease: &Lease) -> Option<Renewal> {
        let facts = self.facts();
        let now = facts.now()?;
        let Realm { record, text, rows } = facts.realms.get(name)?;
        let (row, version) = rows.get(&lease.node)?;
        let state = RowState::Intact { row: row.clone(), version: *version, is_dead: false };
        let new = Rules::new(record, now).ok()?.renew(lease, Some(&state)).ok()?;
        let lease = rules::lease(&new, Some(*version), now)?;
        let (record, generation) = (text.clone(), record.generation.clone());
        Some(Renewal { record, generation, old: (row.clone(), *version), new, lease })
    }
}

impl Facts {
    fn now(&self) -> Option<UnixTime> {
        let (time, at) = self.time?;
        time.checked_add(at.elapsed())
    }
}
