use core::future::poll_fn;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::task::Poll;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tickid_core::ManualClock;
use tickid_lease::{
    Answer, Change, MemoryTable, RealmName, Rules, Scope, StoreError, StoreErrorKind, Table, Token,
    Version, View,
};
use tickid_testkit::Dice;

use crate::bug::Bug;

/// A table in memory that lets others in before each of its steps.
#[derive(Debug)]
pub(crate) struct SlowTable {
    pub(crate) memory: MemoryTable<Arc<ManualClock>>,
    generation: AtomicU64,
    /// Whether what is asked now must be over at once.
    pub(crate) hurries: AtomicBool,
    bug: Option<Bug>,
    /// With [`Bug::AcquireOnTokenAlone`]: the token that a row of each version had.
    tokens: Mutex<HashMap<Version, Option<Token>>>,
    /// With [`Bug::QuarantineByWaiting`]: the tick before which nothing is given out.
    quarantine: AtomicU64,
    /// In a world whose store takes some holders for dead: which, and rightly or not, is up to chance.
    suspicion: Option<Mutex<Dice>>,
    /// How many nodes were given on whose windows had not ended.
    pub(crate) given_on: AtomicU64,
}

impl SlowTable {
    pub(crate) fn new(clock: Arc<ManualClock>, seed: u64, bug: Option<Bug>) -> Self {
        let mut dice = Dice::new(!seed);
        let suspicion = (dice.below(2) == 0).then_some(Mutex::new(dice));
        Self {
            memory: MemoryTable::new(clock),
            generation: AtomicU64::new(0),
            hurries: AtomicBool::new(false),
            bug,
            tokens: Mutex::default(),
            quarantine: AtomicU64::new(0),
            suspicion,
            given_on: AtomicU64::new(0),
        }
    }

    /// As after a fail-over.
    pub(crate) fn change_generation(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets everybody else go first, once.
    async fn pause(&self) {
        let mut waits = !self.hurries.load(Ordering::Relaxed);
        poll_fn(|_| if core::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) })
            .await;
    }

    fn view(&self, realm: &RealmName) -> View {
        let mut view = self.memory.view(realm).unwrap();
        view.generation = self.generation.load(Ordering::Relaxed).to_string();
        let recorded = view.record.as_ref().map(|(record, _)| &record.generation);
        view.has_forgotten = recorded.is_some_and(|generation| *generation != view.generation);
        view
    }

    fn write(&self, realm: &RealmName, change: &Change) -> bool {
        if change.generation != self.generation.load(Ordering::Relaxed).to_string() {
            return false;
        }
        let gives_on = self.gives_on(realm, change);
        let is_written = match self.bug {
            Some(Bug::AcquireOnTokenAlone) => self.write_on_token_alone(realm, change.clone()),
            _ => self.memory.write(realm, change),
        };
        self.given_on.fetch_add(u64::from(gives_on && is_written), Ordering::Relaxed);
        is_written
    }

    /// Whether the node is somebody's, who has a window to use up, and shall be somebody else's.
    fn gives_on(&self, realm: &RealmName, change: &Change) -> bool {
        let view = self.view(realm);
        let Some((record, _)) = &view.record else { return false };
        let now = record.realm.tick_at(view.now).unwrap();
        change.row.as_ref().is_some_and(|(_, next)| {
            let row = view.rows.get(&next.node).map(|entry| &entry.row);
            row.is_some_and(|row| {
                row.token.is_some()
                    && next.token.is_some()
                    && row.token != next.token
                    && row.ceiling > now
            })
        })
    }

    /// Takes holders for dead, as a lock or an etcd lease may.
    fn suspect(&self, view: &mut View) {
        let Some(dice) = &self.suspicion else { return };
        let mut dice = dice.lock().unwrap();
        let now = view.record.as_ref().and_then(|(record, _)| record.realm.tick_at(view.now));
        for entry in view.rows.values_mut().filter(|entry| entry.row.token.is_some()) {
            entry.is_dead = dice.below(6) == 0;
            if entry.is_dead && self.bug == Some(Bug::SilenceIsDeath) {
                entry.row.ceiling = entry.row.ceiling.min(now.unwrap_or(entry.row.ceiling));
            }
        }
    }

    /// What the rules get to see, made simpler where there is a bug to do so.
    fn simpler_view(&self, realm: &RealmName, scope: Scope) -> Result<View, StoreError> {
        let mut view = self.view(realm);
        let Some((record, version)) = view.record.clone() else { return Ok(view) };
        match self.bug {
            Some(Bug::AcquireOnTokenAlone) => {
                let mut tokens = self.tokens.lock().unwrap();
                tokens.extend(view.rows.values().map(|entry| (entry.version, entry.row.token)));
            }
            Some(Bug::QuarantineByWaiting) => {
                let rules = Rules::new(&record, view.now).unwrap();
                let now = record.realm.tick_at(view.now).unwrap();
                if view.has_forgotten {
                    // All leases end, but the ceilings are left as they are.
                    let mut new = rules.forget(view.generation);
                    self.quarantine.store(new.floor, Ordering::Relaxed);
                    new.floor = record.floor;
                    let record_version = Some(version);
                    let generation = new.generation.clone();
                    let change =
                        Change { generation, record_version, record: Some(new), row: None };
                    assert!(self.memory.write(realm, &change));
                    view = self.view(realm);
                }
                if scope == Scope::All && now < self.quarantine.load(Ordering::Relaxed) {
                    return Err(StoreError::new(self.backend(), StoreErrorKind::Unreachable));
                }
            }
            Some(Bug::RepoolWithoutRelated) => {
                view.rows.retain(|node, _| record.realm.pool().contains(*node));
            }
            Some(Bug::EraIgnored) => {
                let since = record.since().iter().map(|&(range, _)| (range, 0)).collect();
                view.record = Some((record.with_since(since).unwrap(), version));
            }
            Some(Bug::ExpireAfterTerm) if scope == Scope::All => {
                let early = record.realm.ahead() - record.realm.term_ticks();
                for entry in view.rows.values_mut() {
                    entry.row.ceiling = entry.row.ceiling.saturating_sub(early);
                }
            }
            _ => {}
        }
        Ok(view)
    }

    /// Whatever the row's version is, as long as its token is the one that was read.
    fn write_on_token_alone(&self, realm: &RealmName, mut change: Change) -> bool {
        if let Some((Some(version), row)) = &mut change.row
            && let Some(entry) = self.view(realm).rows.get(&row.node)
            && self.tokens.lock().unwrap().get(version) == Some(&entry.row.token)
        {
            *version = entry.version;
        }
        self.memory.write(realm, &change)
    }
}

impl Table for SlowTable {
    fn backend(&self) -> &'static str {
        "simulated"
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(async move {
            self.pause().await;
            let mut view = self.simpler_view(realm, scope)?;
            if scope == Scope::All {
                self.suspect(&mut view);
            }
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        Box::pin(async move {
            self.pause().await;
            Ok(self.write(realm, change))
        })
    }
}
