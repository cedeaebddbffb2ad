//! The simulated store's data.

use core::future::poll_fn;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::task::Poll;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tickid_core::{AnyNode, ManualClock};
use tickid_lease::admin::{RealmName, RealmRules};
use tickid_lease::backend::{
    Answer, Backend, Change, Commit, MemoryBackend, RealmView, Record, RowState, Scope,
    StoreErrorKind, Version,
};
use tickid_lease::session::Token;
use tickid_lease::{RealmSpec, StoreError};
use tickid_testkit::Dice;

use super::bug::Bug;

/// A backend in memory that lets other requests run before each of its steps.
#[derive(Clone, Debug)]
pub(crate) struct SlowBackend(Arc<Slow>);

#[derive(Debug)]
struct Slow {
    memory: MemoryBackend<Arc<ManualClock>>,
    /// The present request must be over immediately.
    hurries: AtomicBool,
    bug: Option<Bug>,
    /// With [`Bug::AcquireOnTokenAlone`]: the token that a row had at each version.
    tokens: Mutex<HashMap<(AnyNode, Version), Option<Token>>>,
    /// With [`Bug::QuarantineByWaiting`]: the tick before which nothing is granted.
    quarantine: AtomicU64,
    /// Decides which holders the store takes for dead, and when it reads from a replica.
    dice: Mutex<Dice>,
    /// In this world the store takes some holders for dead, rightly or not.
    suspects: bool,
    /// The last view of everything, of a replica that lags behind.
    replica: Mutex<Option<RealmView>>,
    given_on: AtomicU64,
}

impl SlowBackend {
    pub(crate) fn new(clock: Arc<ManualClock>, seed: u64, bug: Option<Bug>) -> Self {
        let mut dice = Dice::new(!seed);
        let suspects = dice.below(2) == 0;
        let memory = MemoryBackend::new(clock);
        let memory = if dice.below(4) == 0 { memory.like_a_server() } else { memory };
        Self(Arc::new(Slow {
            memory,
            hurries: AtomicBool::new(false),
            bug,
            tokens: Mutex::default(),
            quarantine: AtomicU64::new(0),
            dice: Mutex::new(dice),
            suspects,
            replica: Mutex::default(),
            given_on: AtomicU64::new(0),
        }))
    }

    pub(crate) fn memory(&self) -> &MemoryBackend<Arc<ManualClock>> {
        &self.0.memory
    }

    /// Sets whether requests end immediately, or let others run in between.
    pub(crate) fn hurry(&self, hurries: bool) {
        self.0.hurries.store(hurries, Ordering::Relaxed);
    }

    /// Returns the number of nodes that were granted before their windows had ended.
    pub(crate) fn given_on(&self) -> u64 {
        self.0.given_on.load(Ordering::Relaxed)
    }

    /// Returns all data of the store on a realm.
    pub(crate) fn view(&self, realm: &RealmName) -> RealmView {
        self.0.memory.data(realm, Scope::All).unwrap()
    }

    /// A store that is restored has no replica with what it lost.
    pub(crate) fn forget_replica(&self) {
        *self.0.replica.lock().unwrap() = None;
    }

    /// Lets all other requests run first, once.
    async fn pause(&self) {
        let mut waits = !self.0.hurries.load(Ordering::Relaxed);
        poll_fn(|_| if core::mem::take(&mut waits) { Poll::Pending } else { Poll::Ready(()) })
            .await;
    }

    fn write(&self, realm: &RealmName, change: &Change) -> Commit {
        let gives_on = self.gives_on(realm, change);
        let mut change = change.clone();
        match self.0.bug {
            Some(Bug::AcquireOnTokenAlone) => self.take_version(realm, &mut change),
            Some(Bug::ProofNotCompared) if change.record.is_some() => {
                change.row = change.row.filter(|row| row.row.is_some());
            }
            _ => {}
        }
        let commit = self.0.memory.write(realm, &change);
        let gives_on = gives_on && commit.is_written();
        self.0.given_on.fetch_add(u64::from(gives_on), Ordering::Relaxed);
        commit
    }

    /// Reports whether the node has a holder with a window to use up, and gets another one.
    fn gives_on(&self, realm: &RealmName, change: &Change) -> bool {
        let view = self.view(realm);
        let Some((record, _)) = &view.record else { return false };
        let Some(now) = record.realm.tick_at(view.now) else { return false };
        let next = change.row.as_ref().and_then(|row| row.row.as_ref());
        next.is_some_and(|next| {
            let row = view.rows.get(&next.node).and_then(RowState::row);
            row.is_some_and(|row| {
                row.token.is_some()
                    && next.token.is_some()
                    && row.token != next.token
                    && row.ceiling > now
            })
        })
    }

    /// Takes holders for dead, as a lock or an etcd lease may.
    fn suspect(&self, view: &mut RealmView) {
        if !self.0.suspects {
            return;
        }
        let now = view.record.as_ref().and_then(|(record, _)| record.realm.tick_at(view.now));
        for state in view.rows.values_mut() {
            let RowState::Intact { row, is_dead, .. } = state else { continue };
            *is_dead = row.token.is_some() && self.0.dice.lock().unwrap().below(6) == 0;
            if *is_dead && self.0.bug == Some(Bug::SilenceIsDeath) {
                row.ceiling = row.ceiling.min(now.unwrap_or(row.ceiling));
            }
        }
    }

    /// Returns, at times, the data of a replica that lags behind.
    fn lagging(&self, realm: &RealmName) -> RealmView {
        let new = self.view(realm);
        if self.0.hurries.load(Ordering::Relaxed) {
            return new;
        }
        let mut replica = self.0.replica.lock().unwrap();
        let is_old = self.0.dice.lock().unwrap().below(8) == 0;
        match &*replica {
            Some(old) if is_old && old.generation == new.generation => {
                RealmView { now: new.now, ..old.clone() }
            }
            _ => {
                if self.0.dice.lock().unwrap().below(4) == 0 {
                    *replica = Some(new.clone());
                }
                new
            }
        }
    }

    /// Returns the view that the rules get, made simpler by a bug.
    fn simpler_view(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        let is_claim = matches!(scope, Scope::Candidates { .. });
        let mut view = match self.0.bug {
            Some(Bug::QuarantineByWaiting) => self.view(realm),
            _ => self.lagging(realm),
        };
        let Some((record, version)) = view.record.clone() else { return Ok(view) };
        match self.0.bug {
            Some(Bug::AcquireOnTokenAlone) => {
                let rows =
                    view.rows.values().filter_map(|state| Some((state.row()?, state.version()?)));
                let tokens = rows.map(|(row, version)| ((row.node, version), row.token));
                self.0.tokens.lock().unwrap().extend(tokens);
            }
            Some(Bug::QuarantineByWaiting) => {
                let rules = RealmRules::new(&record, view.now).unwrap();
                let now = record.realm.tick_at(view.now).unwrap();
                if view.is_other_generation() {
                    // All leases end, but the ceilings stay as they are.
                    let mut new = rules.invalidate(view.generation.clone(), 0);
                    self.0.quarantine.store(new.floor, Ordering::Relaxed);
                    new.floor = record.floor;
                    let (generation, record_version) = (view.generation, Some(version));
                    let record = Some(new);
                    let change =
                        Change { generation, within: None, record_version, record, row: None };
                    assert!(self.0.memory.write(realm, &change).is_written());
                    view = self.view(realm);
                }
                if is_claim && now < self.0.quarantine.load(Ordering::Relaxed) {
                    return Err(StoreError::new(self.name(), StoreErrorKind::Unreachable));
                }
            }
            Some(Bug::ReconfigureWithoutRelated) if scope == Scope::All => {
                view.rows.retain(|node, _| record.realm.pool().contains(*node));
            }
            Some(Bug::EraIgnored) => {
                let mut record = record;
                record.parts.iter_mut().for_each(|part| part.since_era = 0);
                view.record = Some((record, version));
            }
            Some(Bug::RowsUncounted | Bug::OwnTicksForgotten) => {
                view.record = Some((Record { rows: 0, ..record }, version));
            }
            Some(Bug::ExpireAfterTerm) if is_claim => {
                let early = record.realm.ahead() - record.realm.term_ticks();
                for state in view.rows.values_mut() {
                    if let RowState::Intact { row, .. } = state {
                        row.ceiling = row.ceiling.saturating_sub(early);
                    }
                }
            }
            _ => {}
        }
        Ok(view)
    }

    /// Takes the row's version for the one that was read, as long as its token is.
    fn take_version(&self, realm: &RealmName, change: &mut Change) {
        let view = self.view(realm);
        if let Some(row_change) = &mut change.row
            && let Some(before) = row_change.version
            && let Some(RowState::Intact { row, version, .. }) = view.rows.get(&row_change.node)
            && self.0.tokens.lock().unwrap().get(&(row.node, before)) == Some(&row.token)
        {
            row_change.version = Some(*version);
        }
    }

    /// Reports whether a renewal of the lease proves a loss: a separate statement of the rule.
    pub(crate) fn proves_a_loss(&self, realm: &RealmSpec, lease: &tickid_lease::Lease) -> bool {
        let view = self.view(realm.name());
        let Some((record, _)) = &view.record else { return true };
        if record.floor >= lease.ceiling {
            return false;
        }
        if record.era < lease.era {
            return true;
        }
        if record.part_of(lease.node).is_none_or(|part| part.since_era > lease.era) {
            return false;
        }
        match view.rows.get(&lease.node) {
            Some(RowState::Intact { row, version, .. }) => {
                let is_own = row.token == Some(lease.token) && row.floor == lease.floor;
                let is_other = !is_own || row.ceiling != lease.ceiling;
                *version < lease.version
                    || is_own && row.ceiling < lease.ceiling
                    || *version == lease.version && is_other
            }
            _ => true,
        }
    }
}

impl Backend for SlowBackend {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn starts_immediately(&self) -> bool {
        self.0.memory.starts_immediately()
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, RealmView> {
        Box::pin(async move {
            self.pause().await;
            let mut view = self.simpler_view(realm, scope)?;
            if matches!(scope, Scope::Candidates { .. }) {
                self.suspect(&mut view);
            }
            Ok(view)
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, Commit> {
        Box::pin(async move {
            self.pause().await;
            Ok(self.write(realm, change))
        })
    }

    fn realms(&self) -> Answer<'_, Vec<RealmName>> {
        self.0.memory.realms()
    }

    fn back_off(&self, _: u32) -> Answer<'_, ()> {
        Box::pin(async move {
            self.pause().await;
            Ok(())
        })
    }
}
