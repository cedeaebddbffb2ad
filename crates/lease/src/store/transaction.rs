//! The steps of a request, which combine its decision and the data that this rests on into one
//! atomic change.

use super::late::{Late, ReadOf};
use super::shared::Store;
use crate::backend::{Change, Commit, RowChange, Scope};
use crate::model::lease::Lease;
use crate::model::realm_spec::{RealmName, RealmSpec};
use crate::model::realm_view::RealmView;
use crate::model::record::{PauseReason, Record, Row, RowState, Version};
use crate::model::refusal::Refusal;
use crate::model::rules::{self, LostLeases, RealmRules};
use crate::store_error::StoreError;
use tickid_core::AnyNode;

/// The number of races that a request may lose.
const MAX_CONFLICTS: u32 = 100;

/// The number of times that a request started over.
#[derive(Default)]
pub(super) struct Repeats {
    /// Commits that lost a race, or that the store did not keep.
    lost: u32,
    /// Realms that were created, invalidated or completed first.
    prepared: u32,
}

/// The decision on a request, that is the changes to commit, and the answer if that succeeds.
pub(super) struct Decision<A> {
    pub(super) record: Option<Record>,
    /// A node whose row is compared, and its new row if it changes.
    pub(super) row: Option<(AnyNode, Option<Row>)>,
    pub(super) answer: A,
}

impl<A> Decision<A> {
    pub(super) fn none(answer: A) -> Self {
        Self { record: None, row: None, answer }
    }

    pub(super) fn record(record: Option<Record>, answer: A) -> Self {
        Self { record, row: None, answer }
    }

    pub(super) fn row(row: Row, answer: A) -> Self {
        Self { record: None, row: Some((row.node, Some(row))), answer }
    }
}

/// The treatment of a realm that the store does not have.
#[derive(Clone, Copy)]
pub(super) enum Missing<'a> {
    Refuse,
    /// It is created. If it may have existed before, it starts beyond these leases.
    Create(&'a RealmSpec, Option<LostLeases>),
    /// As `Create`, for a claimant that has seen their era. A record of a lower one went back, so it
    /// is invalidated beyond the era.
    Resume(&'a RealmSpec, Option<LostLeases>),
    /// It starts with an assumed pool and assumed terms, unless rows show that it was lost.
    Assume(&'a RealmSpec, Option<LostLeases>),
}

impl Store {
    /// Changes the row of a lease. If the lease proves that the store lost data, invalidates the
    /// realm.
    pub(super) async fn change<A>(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
        decide: impl Fn(&RealmRules<'_>, Option<&RowState>, &RealmView) -> Result<(Row, A), Refusal>
        + Send
        + Sync,
    ) -> Result<A, StoreError> {
        let node = lease.node;
        if realm.name.id() != lease.realm {
            // A lease of another realm proves nothing about this one.
            return Err(self.refused(Refusal::OtherRealm { node, asked: realm.name.clone() }));
        }
        let realm = &*self.own(realm)?;
        let lost = LostLeases::of(realm, lease);
        let missing = Missing::Create(realm, Some(lost));
        let answer = self.transact(&realm.name, Scope::Node(node), missing, |rules, view| {
            match decide(rules, view.rows.get(&node), view) {
                Ok((row, answer)) => Ok(Decision::row(row, Ok(answer))),
                // The lease proves that data was lost, so all leases of the realm end in the same
                // commit.
                Err(refusal @ Refusal::Lost { why, .. }) if why.proves_loss() => {
                    let generation = view.generation.clone();
                    let record = rules.pause(generation, lost, PauseReason::Restored);
                    Ok(Decision {
                        record: Some(record),
                        row: Some((node, None)),
                        answer: Err(refusal),
                    })
                }
                Err(refusal) => Err(refusal),
            }
        });
        let answer = answer.await?;
        if answer.is_err() {
            tracing::error!(realm = %realm.name(), %node, "the store lost data: all leases of the realm are invalidated");
        }
        answer.map_err(|no| self.refused(no))
    }

    /// Combines a decision and the data that it rests on into one atomic step.
    pub(super) async fn transact<A>(
        &self,
        realm: &RealmName,
        scope: Scope,
        missing: Missing<'_>,
        decide: impl Fn(&RealmRules<'_>, &RealmView) -> Result<Decision<A>, Refusal> + Send + Sync,
    ) -> Result<A, StoreError> {
        Ok(self.transact_noting(realm, scope, missing, decide).await?.0)
    }

    /// Does the same, and reports whether it has created the realm.
    pub(super) async fn transact_noting<A>(
        &self,
        realm: &RealmName,
        scope: Scope,
        missing: Missing<'_>,
        decide: impl Fn(&RealmRules<'_>, &RealmView) -> Result<Decision<A>, Refusal> + Send + Sync,
    ) -> Result<(A, bool), StoreError> {
        let mut repeats = Repeats::default();
        let mut is_new = false;
        loop {
            let view = self.read(realm, scope).await?;
            let prepared = repeats.prepared;
            let ready = self.ready(realm, &view, missing, &mut repeats).await?;
            let Some((rules, version)) = ready else {
                // The realm is not new if another client was faster.
                is_new |= view.record.is_none() && repeats.prepared > prepared;
                continue;
            };
            let decision = decide(&rules, &view).map_err(|no| self.refused(no))?;
            if decision.record.is_none() && decision.row.is_none() {
                return Ok((decision.answer, is_new));
            }
            if let Some(answer) = self.commit(realm, &view, Some(version), decision).await? {
                return Ok((answer, is_new));
            }
            self.lose(&mut repeats).await?;
        }
    }

    /// Returns the rules over a view. If the realm is missing it is created, and if the store has a
    /// new generation the realm is invalidated. In both cases this returns `None`, and a new view
    /// must be read.
    pub(super) async fn ready<'a>(
        &self,
        realm: &RealmName,
        view: &'a RealmView,
        missing: Missing<'_>,
        repeats: &mut Repeats,
    ) -> Result<Option<(RealmRules<'a>, Version)>, StoreError> {
        let generation = || view.generation.clone();
        let (record, version) = match (&view.record, missing) {
            (None, Missing::Refuse) => return Err(self.no_record(realm, view).await),
            (None, Missing::Assume(..)) if !view.rows.is_empty() => {
                return Err(self.refused(Refusal::LostRecord));
            }
            (
                None,
                Missing::Create(realm, beyond)
                | Missing::Resume(realm, beyond)
                | Missing::Assume(realm, beyond),
            ) => {
                // A realm that this store has seen before was lost, even if nothing else shows it.
                let is_lost =
                    self.shared.known.as_ref().is_some_and(|known| known.has(&realm.name));
                // Rows without a record: it was lost, and with it the floors of its era.
                let eras = view.rows.values().map(|state| state.row().map_or(0, |row| row.era));
                let lost = eras.chain(is_lost.then_some(0)).max().map(LostLeases::of_era);
                // A lease or an era that the caller has seen is of a realm that was lost, too.
                let is_new = lost.is_none() && beyond == Some(LostLeases::default());
                let reason = if is_new { PauseReason::New } else { PauseReason::Restored };
                let beyond = beyond.into_iter().chain(lost).reduce(LostLeases::and);
                let beyond = beyond.map(|lost| (lost, reason));
                let record = rules::begin(realm, generation(), view.now, beyond);
                let record = record.map_err(|no| self.refused(no))?;
                let is_assumed = matches!(missing, Missing::Assume(..));
                (Record { is_assumed, ..record }, None)
            }
            (Some((record, version)), _) => {
                // There is a record. Is it of the present generation, and of the last era?
                let rules = RealmRules::new(record, view.now).map_err(|no| self.refused(no))?;
                // The eras of another kind of realm that has taken the name are not comparable.
                let seen = match missing {
                    Missing::Resume(realm, Some(seen)) if rules.check_ids(realm).is_ok() => {
                        seen.era
                    }
                    Missing::Resume(..)
                    | Missing::Refuse
                    | Missing::Create(..)
                    | Missing::Assume(..) => 0,
                };
                let reason = if view.is_other_generation() {
                    tracing::error!(%realm, "the store is another one: all leases are invalidated");
                    PauseReason::Copied
                } else if record.era < seen {
                    let era = record.era;
                    tracing::error!(%realm, era, seen, "the store lost its last eras: all leases are invalidated");
                    PauseReason::Restored
                } else {
                    return Ok(Some((rules, *version)));
                };
                // The caller may know longer terms than the record of a store that went back.
                let lost = match missing {
                    Missing::Create(realm, lost)
                    | Missing::Resume(realm, lost)
                    | Missing::Assume(realm, lost)
                        if rules.check_ids(realm).is_ok() =>
                    {
                        let max_ahead = realm.max_ahead();
                        lost.unwrap_or_default().and(LostLeases { max_ahead, ..Default::default() })
                    }
                    Missing::Refuse
                    | Missing::Create(..)
                    | Missing::Resume(..)
                    | Missing::Assume(..) => LostLeases::default(),
                };
                let lost = LostLeases { era: seen, ..lost };
                (rules.pause(generation(), lost, reason), Some(*version))
            }
        };
        // The caller reads again in both cases: another client may have done the same.
        let decision = Decision::record(Some(record), ());
        match self.commit(realm, view, version, decision).await? {
            Some(()) => self.prepared(repeats).await?,
            None => self.lose(repeats).await?,
        }
        Ok(None)
    }

    /// Commits a decision. Returns `None` if something that it rests on has changed.
    pub(super) async fn commit<A>(
        &self,
        realm: &RealmName,
        view: &RealmView,
        record_version: Option<Version>,
        decision: Decision<A>,
    ) -> Result<Option<A>, StoreError> {
        let Decision { record, row, answer } = decision;
        let row = row.map(|(node, row)| {
            let version = view.rows.get(&node).and_then(RowState::version);
            RowChange { node, version, exactly: None, row }
        });
        let generation = view.generation.clone();
        let change = Change { generation, within: None, record_version, record, row };
        Ok(self.write(realm, change).await?.then_some(answer))
    }

    /// Writes a change, and returns whether it did.
    pub(super) async fn write(
        &self,
        realm: &RealmName,
        change: Change,
    ) -> Result<bool, StoreError> {
        if self.shared.known.is_none() {
            return Ok(self.shared.backend.commit(realm, &change).await?.is_written());
        }
        let (store, realm) = (self.clone(), realm.clone());
        Late::new(
            async move {
                let backend = &store.shared.backend;
                let asked = backend.monotonic();
                let commit = backend.commit(&realm, &change).await?;
                let is_written = commit.is_written();
                if let Some(known) = &store.shared.known {
                    match commit {
                        Commit::Written { record } => {
                            known.note_commit(&realm, change, record, asked);
                        }
                        Commit::Differs { view: Some(view) } => {
                            let times = (asked, backend.monotonic());
                            known.note(&realm, change.renews(), &view, times);
                        }
                        Commit::Differs { view: None } => {}
                    }
                }
                Ok(is_written)
            },
            None,
        )
        .await
    }

    pub(super) async fn read(
        &self,
        realm: &RealmName,
        scope: Scope,
    ) -> Result<RealmView, StoreError> {
        if self.shared.known.is_none() {
            return self.shared.backend.read(realm, scope).await;
        }
        let reads = match scope {
            Scope::Node(node) => Some(ReadOf { store: self.clone(), realm: realm.clone(), node }),
            Scope::Record | Scope::Candidates { .. } | Scope::All => None,
        };
        let (store, realm) = (self.clone(), realm.clone());
        Late::new(
            async move {
                let backend = &store.shared.backend;
                let asked = backend.monotonic();
                let view = backend.read(&realm, scope).await?;
                if let Some(known) = &store.shared.known {
                    known.note(&realm, scope, &view, (asked, backend.monotonic()));
                }
                Ok(view)
            },
            reads,
        )
        .await
    }

    /// Waits after a lost race, or gives up.
    pub(super) async fn lose(&self, repeats: &mut Repeats) -> Result<(), StoreError> {
        if repeats.lost == MAX_CONFLICTS {
            let what = format!("commit: the realm had changed {MAX_CONFLICTS} times");
            return Err(StoreError::failed(self.backend(), what));
        }
        self.shared.backend.back_off(repeats.lost).await?;
        repeats.lost += 1;
        Ok(())
    }

    /// Counts a realm that was created, invalidated or completed. A request needs each of these
    /// once, unless other clients change the realm as well, or the store forgets.
    pub(super) async fn prepared(&self, repeats: &mut Repeats) -> Result<(), StoreError> {
        const EACH_ONCE: u32 = 3;
        repeats.prepared += 1;
        if repeats.prepared > EACH_ONCE { self.lose(repeats).await } else { Ok(()) }
    }
}
