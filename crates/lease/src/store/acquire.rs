//! The way of a claim to its lease, as a machine whose states say what it does next.
//!
//! ```text
//!   Retry ─────▶ Search ◀──────────────────────────────┐
//!     │            ├── no node on this page ───────────┤
//!     │            ├─▶ Complete or Invalidate ─────────┤
//!     │            └─▶ Grant ── lost a race, no room ──┘
//!     ▼                  │
//!   Granted ◀────────────┘
//! ```

use super::shared::Store;
use super::transaction::{Decision, Missing, Repeats};
use crate::backend::Scope;
use crate::model::candidates::{Choice, Shortage, page_start};
use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::{RealmSpec, Terms};
use crate::model::realm_view::RealmView;
use crate::model::record::{PauseReason, Record, Row, RowState, Version};
use crate::model::refusal::Refusal;
use crate::model::rules::{self, LostLeases};
use crate::store_error::{StoreError, StoreErrorKind};
use tickid_core::AnyNode;

/// The number of rows in each page of a claim, which is refused after the last one. These are a
/// fifth of the largest pool, so a claim misses all of 100 free nodes once in 10 billion times.
const PAGES: [usize; 9] = [64, 512, 512, 2_048, 2_048, 2_048, 2_048, 2_048, 2_048];
/// The number of pages after which a claim is refused if they had the rows with the lowest
/// ceilings.
const PAGES_WITH_LOWEST: usize = 3;

#[allow(clippy::large_enum_variant, reason = "a request has one at a time")]
enum ClaimState {
    /// The node that the claim tries first. It may have got it before, or lost it.
    Retry(AnyNode),
    /// The next page is read, and a node chosen from it.
    Search,
    /// A reconfiguration was not finished, so that new nodes of the pool have no floor yet.
    Complete,
    /// Rows are missing, so the store lost writes and all leases must end.
    Invalidate(ClaimPage, Record),
    /// A node was chosen, and is the claim's once this is committed.
    Grant(ClaimPage, Decision<Option<Lease>>, AnyNode),
    /// The end.
    Granted(Lease),
}

/// What was read, and what a write must find unchanged.
struct ClaimPage {
    view: RealmView,
    record_version: Version,
}

/// A claim on its way to a lease.
pub(super) struct Acquisition<'a> {
    store: &'a Store,
    /// The ID of the realm in leases.
    id: u64,
    /// The realm as the backend keeps it.
    realm: &'a RealmSpec,
    claim: &'a mut Claim,
    /// The nodes on all pages so far.
    shortage: Shortage,
    /// The number of pages without a node.
    pages: usize,
    repeats: Repeats,
    /// The error of adding a row, as on a full disk. Rows that exist may still be written to.
    no_room: Option<StoreError>,
}

impl<'a> Acquisition<'a> {
    pub(super) fn new(
        store: &'a Store,
        id: u64,
        realm: &'a RealmSpec,
        claim: &'a mut Claim,
    ) -> Self {
        let (shortage, repeats) = (Shortage::default(), Repeats::default());
        Self { store, id, realm, claim, shortage, pages: 0, repeats, no_room: None }
    }

    pub(super) async fn run(mut self) -> Result<Lease, StoreError> {
        let mut state = self.claim.attempt.map_or(ClaimState::Search, ClaimState::Retry);
        loop {
            state = match state {
                ClaimState::Retry(node) => self.retry(node).await?,
                ClaimState::Search => self.search().await?,
                ClaimState::Complete => self.complete().await?,
                ClaimState::Invalidate(page, record) => self.invalidate(page, record).await?,
                ClaimState::Grant(page, decision, node) => self.grant(page, decision, node).await?,
                ClaimState::Granted(lease) => return Ok(lease),
            };
        }
    }

    /// Returns the treatment of a realm that the store does not have, or whose era is lower than
    /// one that the claim has seen.
    fn missing(&self) -> Missing<'a> {
        Missing::Resume(self.realm, LostLeases::seen(self.claim).or(self.store.beyond()))
    }

    async fn retry(&mut self, node: AnyNode) -> Result<ClaimState, StoreError> {
        let (id, realm, earlier) = (self.id, self.realm, &*self.claim);
        let scope = Scope::Node(node);
        // The answer to an earlier claim was lost. If its row was written, the token in it shows
        // that the node is ours already; to claim another one would waste a node for a term.
        let answer = self.store.transact(&realm.name, scope, self.missing(), |rules, view| {
            rules.check(realm)?;
            let (era, state) = (rules.record.era, view.rows.get(&node));
            Ok(match rules.retry(node, state, earlier) {
                Ok(Some(row)) => {
                    let lease = lease(id, realm.terms, &row, state, view);
                    Decision::row(row, (era, Ok(lease)))
                }
                Ok(None) => Decision::none((era, Ok(None))),
                // An answer as well: the claim has seen the era of a realm that starts later.
                Err(refusal) => Decision::none((era, Err(refusal))),
            })
        });
        let (era, lease) = answer.await?;
        self.claim.note_era(era);
        if let Some(lease) = lease.map_err(|no| self.store.refused(no))? {
            return Ok(ClaimState::Granted(lease));
        }
        // Nothing of that claim is left, or somebody else holds the node.
        self.claim.attempt = None;
        Ok(ClaimState::Search)
    }

    async fn search(&mut self) -> Result<ClaimState, StoreError> {
        // Each search reads a page at another place.
        self.claim.pages = self.claim.pages.wrapping_add(1);
        let start = page_start(self.realm.pool(), self.claim);
        let scope = Scope::Candidates { start, limit: PAGES[self.pages] };
        let (store, name) = (self.store, &self.realm.name);
        let view = store.read(name, scope).await?;

        // Is the realm in order? If this creates or invalidates it, the page is out of date.
        let missing = self.missing();
        let ready = store.ready(name, &view, missing, &mut self.repeats).await?;
        let Some((rules, record_version)) = ready else { return Ok(ClaimState::Search) };
        self.claim.note_era(rules.record.era);
        rules.check(self.realm).map_err(|no| store.refused(no))?;
        if !rules.record.is_complete() {
            return Ok(ClaimState::Complete);
        }
        if rules.lacks_rows(&view) {
            let record =
                rules.pause(view.generation.clone(), LostLeases::default(), PauseReason::Restored);
            return Ok(ClaimState::Invalidate(ClaimPage { view, record_version }, record));
        }

        // Choose a node. Without one, go on to the next page, or give up.
        let may_add = self.no_room.is_none();
        let choice = rules.choose(&view, start, self.claim, may_add);
        let row = match choice.map_err(|no| store.refused(no))? {
            Choice::Row(row) => row,
            Choice::Shortage(page) => {
                self.pages += 1;
                self.shortage.add(&page);
                let most = if view.has_lowest { PAGES_WITH_LOWEST } else { PAGES.len() };
                let refusal = self.shortage.refusal(&rules);
                // Before a realm starts, no page has a node.
                let is_last = page.is_whole || self.pages >= most;
                if is_last || matches!(refusal, Refusal::NotYet { .. }) {
                    return Err(self.no_room.take().unwrap_or_else(|| store.refused(refusal)));
                }
                return Ok(ClaimState::Search);
            }
        };
        let node = row.node;
        let lease = lease(self.id, self.realm.terms, &row, view.rows.get(&node), &view);
        // On a full disk neither rows nor records can be added.
        let record = rules.counted(&view, node).filter(|_| may_add);
        let decision = Decision { record, ..Decision::row(row, lease) };
        Ok(ClaimState::Grant(ClaimPage { view, record_version }, decision, node))
    }

    async fn complete(&mut self) -> Result<ClaimState, StoreError> {
        self.store.complete(self.realm).await?;
        self.store.prepared(&mut self.repeats).await?;
        Ok(ClaimState::Search)
    }

    async fn invalidate(
        &mut self,
        page: ClaimPage,
        record: Record,
    ) -> Result<ClaimState, StoreError> {
        let ClaimPage { view, record_version } = page;
        let decision = Decision::record(Some(record), ());
        let name = &self.realm.name;
        if self.store.commit(name, &view, Some(record_version), decision).await?.is_some() {
            tracing::error!(realm = %name, "rows are missing: all leases of the realm are invalidated");
        }
        self.store.prepared(&mut self.repeats).await?;
        Ok(ClaimState::Search)
    }

    async fn grant(
        &mut self,
        page: ClaimPage,
        decision: Decision<Option<Lease>>,
        node: AnyNode,
    ) -> Result<ClaimState, StoreError> {
        let ClaimPage { view, record_version } = page;
        let needs_room = decision.record.is_some() || !view.rows.contains_key(&node);
        // If the answer is lost, or this future is dropped, the claim asks for this node first.
        self.claim.attempt = Some(node);
        match self.store.commit(&self.realm.name, &view, Some(record_version), decision).await {
            Ok(Some(Some(lease))) => return Ok(ClaimState::Granted(lease)),
            Ok(_) => self.store.lose(&mut self.repeats).await?,
            Err(error)
                if matches!(error.kind(), StoreErrorKind::Failed { .. })
                    && self.no_room.is_none()
                    && needs_room =>
            {
                self.no_room = Some(error);
            }
            Err(error) => return Err(error),
        }
        self.claim.attempt = None;
        Ok(ClaimState::Search)
    }
}

/// Returns the lease that a row represents once it is committed over `state`.
pub(super) fn lease(
    realm: u64,
    terms: Terms,
    row: &Row,
    state: Option<&RowState>,
    view: &RealmView,
) -> Option<Lease> {
    rules::lease(realm, terms, row, state.and_then(RowState::version), view.now)
}
