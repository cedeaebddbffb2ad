//! The store, which applies the rules of leases to any backend.

mod acquire;
mod cache;
mod late;
mod losses;
mod shared;
mod transaction;

use core::time::Duration;
use std::borrow::Cow;
use std::sync::Arc;

use self::acquire::Acquisition;
use self::cache::Cache;
pub use self::shared::Store;
use self::shared::StoreState;
use self::transaction::{Decision, Missing};
use crate::backend::{Backend, Change, Scope};
use crate::embedded;
use crate::embedded::static_node::StaticNode;
use crate::model::lease::{Claim, Lease};
use crate::model::pool::NodePool;
use crate::model::realm_spec::{RealmName, RealmSpec, Terms};
use crate::model::realm_view::RealmView;
use crate::model::reconfiguration::RealmPart;
use crate::model::record::{PauseReason, Record, Row, RowState};
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::model::rules::{LostLeases, Standing};
use crate::model::text::LeaseTextError;
use crate::store_error::{StoreError, StoreErrorKind};
use tickid_core::AnyNode;

/// The start of a realm that is new to a store.
///
/// When a server has no data of a realm, it cannot tell whether the realm is new or whether its data
/// was lost, and in that case leases may still be in use. So a realm starts only when all of them
/// must have ended, unless you state that there are none.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_core::SystemClock;
/// use tickid_lease::admin::{Refusal, Start};
/// use tickid_lease::backend::MemoryBackend;
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let store = || Store::new(MemoryBackend::new(SystemClock).like_a_server());
/// let (old, new, timeout) = (store(), store(), Duration::from_secs(5));
/// let claim = || Ok::<_, std::io::Error>(Claim::new(Token::random()?, "web-1", None));
/// block_on(old.create(realm.spec(), Start::Delayed), timeout)?; // it may have existed before
/// let error = block_on(old.acquire(realm.spec(), &mut claim()?), timeout).unwrap_err();
/// assert!(matches!(error.refusal(), Some(Refusal::NotYet { .. })));
///
/// block_on(new.create(realm.spec(), Start::Immediately), timeout)?;
/// block_on(new.acquire(realm.spec(), &mut claim()?), timeout)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start {
    /// At the store's time plus twice [ahead](RealmSpec::ahead), beyond anything that a lost realm
    /// of that name can have granted. Until then no node can be acquired. For example, an sno realm
    /// with the default terms starts after 30 seconds.
    Delayed,
    /// Immediately. That is safe only if the realm never existed before, in any store. Don't put it
    /// into a deployment script: the script runs again after a loss of data, and states the same.
    Immediately,
}

/// The realm that [`Store::create`] has created, or has found.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_core::SystemClock;
/// use tickid_lease::admin::{PauseReason, Refusal, Start};
/// use tickid_lease::backend::MemoryBackend;
/// use tickid_lease::session::block_on;
/// use tickid_lease::Store;
///
/// let (backend, timeout) = (MemoryBackend::new(SystemClock), Duration::from_secs(5));
/// let store = Store::new(backend.like_a_server());
/// let created = block_on(store.create(realm.spec(), Start::Delayed), timeout)?;
/// assert!(created.is_new);
///
/// // The statement that it never existed comes too late: the realm keeps its start.
/// let again = block_on(store.create(realm.spec(), Start::Immediately), timeout)?;
/// assert!(!again.is_new);
/// assert!(matches!(again.not_yet, Some(Refusal::NotYet { why: Some(PauseReason::New), .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Created {
    /// The record.
    pub record: Record,
    /// Set if the call has created the realm. Otherwise it was there.
    pub is_new: bool,
    /// The [`Refusal::NotYet`] of claims, if the realm has not started yet. It says when it starts,
    /// and why so late.
    pub not_yet: Option<Refusal>,
}

/// A realm before and after [`Store::reconfigure`].
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::Store;
/// use tickid_lease::session::block_on;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let created = block_on(store.reconfigure(realm.spec()), timeout)?;
/// assert_eq!((created.before, &created.record.realm), (None, realm.spec()));
/// let again = block_on(store.reconfigure(realm.spec()), timeout)?;
/// assert_eq!(again.before.as_ref(), Some(&again.record.realm)); // nothing has changed
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reconfigured {
    /// The realm that this change found, or `None` if it was missing and has been created.
    pub before: Option<RealmSpec>,
    /// The record that this change wrote, or has found as it should be.
    pub record: Record,
    /// The nodes that functions in PostgreSQL have for good. The functions
    /// [keep some parts](crate::admin::RealmPart::is_kept_by_functions) that the realm had when they
    /// were created.
    pub reserved: Vec<AnyNode>,
}

impl Store {
    /// Creates a store over a backend.
    pub fn new(backend: impl Backend + 'static) -> Self {
        Self::over(Box::new(backend), None)
    }

    pub(crate) fn over(backend: Box<dyn Backend>, node: Option<StaticNode>) -> Self {
        let known = backend.is_remote().then(Cache::default);
        Self { shared: Arc::new(StoreState { backend, node, known }) }
    }

    /// Creates an empty store in memory, for tests and for generators of one process. It forgets
    /// its windows when the process ends, so IDs can repeat after a restart. The clock may have been
    /// set back meanwhile. And even if it was not, a ratchet may have issued IDs ahead of it, up to
    /// 10 seconds with SCRU64. A [folder](Self::open) remembers.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(embedded::memory::MemoryBackend::new(tickid_core::SystemClock))
    }

    /// Returns the backend's name, as in `"file"`.
    #[must_use]
    pub fn backend(&self) -> &'static str {
        match self.shared.node {
            None => self.shared.backend.name(),
            Some(_) => embedded::static_node::NAME,
        }
    }

    /// Returns the backend. Calls to it bypass the rules that protect its data.
    #[must_use]
    pub fn inner(&self) -> &dyn Backend {
        &*self.shared.backend
    }

    /// Returns the place of the data in human-readable form, for example a folder or the addresses
    /// of servers.
    #[must_use]
    pub fn endpoint(&self) -> String {
        self.shared.backend.endpoint()
    }

    /// Reports whether realms that the store does not have start [immediately](Start::Immediately).
    #[must_use]
    pub fn starts_immediately(&self) -> bool {
        self.shared.backend.starts_immediately()
    }

    /// Creates a realm, unless the store has it already. One that it has must be the same and stays
    /// as it is, so repeating the call is harmless. If several clients create different realms of
    /// one name at the same time, one of them succeeds.
    ///
    /// A realm that the store has keeps its start. To state that it is new comes too late then, so
    /// look at [`Created::not_yet`] after [`Start::Immediately`].
    ///
    /// Calling this is optional, since the first [`acquire`](Self::acquire) creates a realm as
    /// well. Only this method can start one [immediately](Start::Immediately) on a server, though.
    ///
    /// In memory and folders, realms always start [immediately](Start::Immediately).
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`] if the store has a different realm of that name.
    pub async fn create(&self, realm: &RealmSpec, start: Start) -> Result<Created, StoreError> {
        let realm = self.own(realm)?;
        let beyond = match start {
            Start::Delayed => self.beyond(),
            Start::Immediately => None,
        };
        let missing = Missing::Create(&realm, beyond);
        let created = self.transact_noting(&realm.name, scope_of(&realm), missing, |rules, _| {
            rules.check(&realm)?;
            let record = rules.chosen();
            let answer = record.as_ref().unwrap_or(rules.record).clone();
            Ok(Decision::record(record, (answer, rules.not_yet())))
        });
        let ((record, not_yet), is_new) = created.await?;
        Ok(Created { record, is_new, not_yet })
    }

    /// Grants a node and a window, or the lease that the same claim got before. A realm that the
    /// store does not have is created here.
    ///
    /// If no answer arrives, send the same claim again. Should the first request have been granted,
    /// the second returns its lease instead of taking one more node.
    ///
    /// A bounded number of rows is read, so a claim costs about the same in a pool of any size.
    ///
    /// # Errors
    /// Returns [`Refusal::NoFreeNode`] if no node was free among those looked at,
    /// [`Refusal::NotYet`] before the realm starts, [`Refusal::Mismatch`] if the store has a
    /// different realm of that name, and [`Refusal::EndOfTime`] if the scheme has no ticks left.
    pub async fn acquire(&self, realm: &RealmSpec, claim: &mut Claim) -> Result<Lease, StoreError> {
        self.take_evidence(realm, claim).await?;
        let own = self.own(realm)?;
        if let Some(StaticNode { node, .. }) = self.shared.node
            && own.scale().micros_per_tick() <= LONGEST_PASSED_TICK
        {
            self.pass_predecessor(&own, node, claim).await?;
        }
        Acquisition::new(self, realm.name.id(), &own, claim).run().await
    }

    /// Renews a lease by raising its ceiling. A lease that expired can be renewed as long as no
    /// other holder was granted the node.
    ///
    /// The new ceiling must be durable before a generator uses it, so widen the generator's window
    /// only once this has returned.
    ///
    /// If the lease proves that the store lost data, the whole realm is invalidated, since other
    /// windows may be missing as well.
    ///
    /// # Errors
    /// Returns [`Refusal::Lost`] if the lease is over. The node may have a new holder then, so the
    /// generator must be closed at once. After other errors it can continue to the end of its
    /// window.
    ///
    /// Returns [`Refusal::OtherRealm`] for a lease of a realm of a different name.
    pub async fn renew(&self, realm: &RealmSpec, lease: &Lease) -> Result<Lease, StoreError> {
        match self.renew_once(realm, lease).await {
            Err(error) if error.is_outdated() => {}
            answer => return answer,
        }
        match self.renew_once(realm, lease).await {
            Err(error) if error.is_outdated() => self.renew_reading(realm, lease).await,
            answer => answer,
        }
    }

    /// Renews a lease with one answer of the store, if what this client knows suffices for it.
    ///
    /// # Errors
    /// Returns the errors of [`renew`](Self::renew), and [`StoreErrorKind::Outdated`] if what was
    /// known is out of date. What is known now rests on the answer.
    pub(crate) async fn renew_once(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
    ) -> Result<Lease, StoreError> {
        let own = self.own(realm)?;
        if let Some(known) = &self.shared.known
            && realm.name.id() == lease.realm
        {
            known.late_answer(&own.name, lease.node).await;
            let decide = || known.renewal(&own.name, lease, self.shared.backend.monotonic());
            if let Some((change, renewed)) = decide() {
                let facts = |change: &Change| {
                    (change.record_version, change.row.as_ref().and_then(|row| row.version))
                };
                let outdated = facts(&change);
                if self.write(&own.name, change).await? {
                    return Ok(renewed);
                }
                // The answer has shown others, or the late one to an earlier write has.
                if decide().is_some_and(|(change, _)| facts(&change) != outdated) {
                    return Err(StoreError::new(self.backend(), StoreErrorKind::Outdated));
                }
            }
        }
        self.renew_reading(realm, lease).await
    }

    /// Renews a lease by what is read first.
    async fn renew_reading(&self, realm: &RealmSpec, lease: &Lease) -> Result<Lease, StoreError> {
        self.change(realm, lease, |rules, state, view| {
            let row = rules.renew(lease, state)?;
            let terms = rules.record.realm.terms();
            let renewed = acquire::lease(lease.realm, terms, &row, state, view);
            let lost = Refusal::Lost { node: lease.node, why: LeaseEnd::Token };
            Ok((row, renewed.ok_or(lost)?))
        })
        .await
    }

    /// Releases a lease, so that its node is free for other holders. Its generator must be closed,
    /// and `used` is the highest tick that was ever in it, or `None` if there was none. The node's
    /// next window starts above that tick.
    ///
    /// Only the holder itself may call this. If the holder may still be running, use
    /// [`release_by_hand`](Self::release_by_hand).
    ///
    /// # Errors
    /// Returns [`Refusal::Lost`] if there was nothing left to release, for example because the
    /// request is a repetition, and [`Refusal::OtherRealm`] for a lease of a realm of a different
    /// name.
    pub async fn release(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
        used: Option<u64>,
    ) -> Result<(), StoreError> {
        self.change(realm, lease, |rules, state, _| Ok((rules.release(lease, state, used)?, ())))
            .await
    }

    /// Returns the names of all realms.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the store cannot be read.
    pub async fn realms(&self) -> Result<Vec<RealmName>, StoreError> {
        let names = self.shared.backend.realms().await?;
        let Some(StaticNode { node, .. }) = self.shared.node else { return Ok(names) };
        let suffix = own_suffix(node);
        let name = |name: RealmName| name.as_str().strip_suffix(&suffix)?.parse().ok();
        Ok(names.into_iter().filter_map(name).collect())
    }

    /// Returns all data of a realm. The view always has a record.
    ///
    /// # Errors
    /// Returns [`Refusal::NoRealm`] if the store has no such realm, and [`Refusal::LostRecord`] if
    /// it has nodes of the realm but lost its record.
    pub async fn list(&self, realm: &RealmName) -> Result<RealmView, StoreError> {
        self.view(realm, Scope::All).await
    }

    /// Returns a realm's record, which costs less than [listing](Self::list) its rows too.
    ///
    /// # Errors
    /// Returns [`Refusal::NoRealm`] if the store has no such realm.
    pub async fn realm(&self, realm: &RealmName) -> Result<Record, StoreError> {
        let view = self.view(realm, Scope::Record).await?;
        view.record
            .map(|(record, _)| record)
            .ok_or_else(|| self.refused(Refusal::NoRealm { nearest: None }))
    }

    /// Ends all leases, and starts every node beyond anything that a lease can have reached. A
    /// backup lacks the windows that were granted after it was made, so call this after a store was
    /// restored from one, before any holder reaches it. If the term may have been raised since the
    /// backup, use [`invalidate_beyond`](Self::invalidate_beyond).
    ///
    /// Returns the first tick of new windows. Until the store's clock has reached it, no node is
    /// granted. A realm that the store does not have is created, and starts there.
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`] if the store has a different realm of that name.
    pub async fn invalidate(&self, realm: &RealmSpec) -> Result<u64, StoreError> {
        self.invalidate_beyond(realm, realm.terms).await
    }

    /// [Invalidates](Self::invalidate) a realm, beyond leases that may have had other terms than the
    /// record has. A backup from before a term was raised does not say how far leases have reached
    /// since then.
    ///
    /// # Errors
    /// As `invalidate`.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::Store;
    /// use tickid_lease::session::block_on;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let longest = realm.terms().with_term(Duration::from_secs(110));
    /// let floor = block_on(store.invalidate_beyond(realm.spec(), longest), timeout)?;
    /// let record = block_on(store.realm(realm.name()), timeout)?;
    /// assert_eq!((record.floor, &record.realm), (floor, realm.spec())); // the terms stay
    /// assert_eq!(record.max_ahead, 2 * 115 * 250); // twice skew and term, in ticks of 4 ms
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn invalidate_beyond(
        &self,
        realm: &RealmSpec,
        terms: Terms,
    ) -> Result<u64, StoreError> {
        let realm = self.own(realm)?;
        let max_ahead = terms.ahead(realm.scale).saturating_mul(2);
        let lost = LostLeases { max_ahead, ..LostLeases::default() };
        let missing = Missing::Create(&realm, Some(lost));
        self.transact(&realm.name, Scope::Record, missing, |rules, view| {
            rules.check(&realm)?;
            let record = rules.pause(view.generation.clone(), lost, PauseReason::Invalidated);
            let floor = record.floor;
            Ok(Decision::record(Some(record), floor))
        })
        .await
    }

    /// Frees a quarantined node, and returns its row. Its next window starts at the highest tick
    /// that a lease can reach now.
    ///
    /// A node is quarantined if the store's clock was far ahead when its window was granted, or if
    /// its row cannot be read. Only an operator can know that no IDs were issued up there, so
    /// nothing does this by itself. If the node still has a holder, stop that first.
    ///
    /// # Errors
    /// Returns [`Refusal::NotQuarantined`] and [`Refusal::NoRow`] if there is nothing to repair,
    /// [`Refusal::Reserved`] for a node that is reserved for good, and [`Refusal::Newer`] for a row
    /// of a later release.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_core::SystemClock;
    /// use tickid_lease::admin::Start;
    /// use tickid_lease::backend::{MemoryBackend, RowState, Version};
    /// use tickid_lease::Store;
    /// use tickid_lease::session::block_on;
    ///
    /// let (backend, timeout) = (MemoryBackend::new(SystemClock), Duration::from_secs(5));
    /// let store = Store::new(backend.clone());
    /// block_on(store.create(realm.spec(), Start::Immediately), timeout)?;
    ///
    /// // A row that cannot be read.
    /// let node = "42/16".parse()?;
    /// backend.set_row(realm.name(), node, Some(RowState::Malformed { version: Version(1) }));
    /// let row = block_on(store.repair(realm.name(), node), timeout)?;
    /// assert_eq!((row.node, row.token), (node, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn repair(&self, realm: &RealmName, node: AnyNode) -> Result<Row, StoreError> {
        let name = self.own_name(realm)?;
        self.transact(&name, Scope::Node(node), Missing::Refuse, |rules, view| {
            let (record, row) = rules.repair(node, view.rows.get(&node))?;
            Ok(Decision { record, ..Decision::row(row.clone(), row) })
        })
        .await
    }

    /// [Repairs](Self::repair) all quarantined nodes that were ever granted. Returns each with its
    /// new row, or with the reason that it was refused. Rows that a later release wrote stay as they
    /// are: their nodes count as taken.
    ///
    /// # Errors
    /// Returns the errors of `repair` other than refusals.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use std::sync::Arc;
    /// use tickid_core::{ManualClock, UnixTime};
    /// use tickid_lease::backend::MemoryBackend;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (now, tomorrow) = (1_700_000_000_000, 1_700_086_400_000);
    /// let clock = Arc::new(ManualClock::new(UnixTime::from_millis(tomorrow)?));
    /// let store = Store::new(MemoryBackend::new(Arc::clone(&clock)));
    /// let timeout = Duration::from_secs(5);
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    ///
    /// clock.set(UnixTime::from_millis(now)?); // the store's clock was a day ahead
    /// let repaired = block_on(store.repair_all(realm.name()), timeout)?;
    /// assert!(matches!(&repaired[..], [(node, Ok(_))] if *node == lease.node));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn repair_all(
        &self,
        realm: &RealmName,
    ) -> Result<Vec<(AnyNode, Result<Row, Refusal>)>, StoreError> {
        let view = self.list(realm).await?;
        let standings = view.standings().map_err(|no| self.refused(no))?;
        let mut repaired = Vec::new();
        for (node, ..) in standings.into_iter().filter(|(.., one)| *one == Standing::Quarantined) {
            let result = self.repair(realm, node).await;
            match result.map_err(|error| (error.refusal().cloned(), error)) {
                Ok(row) => repaired.push((node, Ok(row))),
                // The repair of another node has lowered the floor that quarantined this one, or
                // another client was faster.
                Err((Some(Refusal::NotQuarantined { .. }), _)) => {}
                Err((Some(refusal), _)) => repaired.push((node, Err(refusal))),
                Err((None, error)) => return Err(error),
            }
        }
        Ok(repaired)
    }

    /// Replaces a realm's pool and all of its terms: what the [builder](crate::RealmBuilder) is not
    /// told becomes the default. To change a part only, use
    /// [`reconfigure_parts`](Self::reconfigure_parts). Leases of nodes that stay in the pool
    /// continue, and leases of nodes that leave it end. A realm that the store does not have is
    /// created here.
    ///
    /// Programs that still have the old pool or terms keep the leases that they hold, but are
    /// refused when they next acquire one. So give them the new settings before they restart.
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`] for a different scheme, layout or kind of nodes, and
    /// [`Refusal::Overlap`] for a pool of a different node size that has IDs of a reserved node. A
    /// row that cannot be read may be of such a node: [`Refusal::Newer`] and
    /// [`Refusal::Malformed`].
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::Start;
    /// use tickid_lease::{Realm, Store};
    /// use tickid_lease::session::block_on;
    /// use tickid_sno::Sno;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let small = Realm::builder("orders", Sno).pool("0-9/16").build()?;
    /// block_on(store.create(small.spec(), Start::Immediately), timeout)?;
    /// block_on(store.reconfigure(realm.spec()), timeout)?;
    /// let record = block_on(store.realm(realm.name()), timeout)?;
    /// assert_eq!(record.realm.pool().len(), 1_024);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn reconfigure(&self, realm: &RealmSpec) -> Result<Reconfigured, StoreError> {
        self.reconfigure_parts(realm, &RealmPart::ALL).await
    }

    /// [Reconfigures](Self::reconfigure) a realm in the parts that are named. The others stay as the
    /// store has them. So clients that change different parts at the same time do not undo each
    /// other.
    ///
    /// A realm that the store does not have is created only if its pool is named. If it was lost, a
    /// default would be a guess. One whose pool was [assumed](Record::is_assumed) stays so until its
    /// pool is named.
    ///
    /// # Errors
    /// As `reconfigure`, and if the pool is not named, [`Refusal::NoRealm`] or
    /// [`Refusal::LostRecord`].
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::{RealmPart, Start};
    /// use tickid_lease::{Realm, Store};
    /// use tickid_lease::session::block_on;
    /// use tickid_sno::Sno;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// block_on(store.create(realm.spec(), Start::Immediately), timeout)?;
    /// let minute = Duration::from_secs(60);
    /// let longer = Realm::builder(realm.name().clone(), Sno).pool("0/16").term(minute).build()?;
    /// let changed = block_on(store.reconfigure_parts(longer.spec(), &[RealmPart::Term]), timeout)?;
    /// let now = &changed.record.realm;
    /// assert_eq!((now.terms().term, now.pool()), (minute, realm.pool()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn reconfigure_parts(
        &self,
        realm: &RealmSpec,
        parts: &[RealmPart],
    ) -> Result<Reconfigured, StoreError> {
        let own = self.own(realm)?;
        let missing = match parts.contains(&RealmPart::Pool) {
            true => Missing::Create(&own, self.beyond()),
            false => Missing::Refuse,
        };
        let answer = self.transact_noting(&own.name, Scope::All, missing, |rules, view| {
            let record = rules.reconfigure(&own, parts, &view.rows)?;
            let after = record.as_ref().unwrap_or(rules.record).clone();
            let rows = view.rows.values().filter_map(RowState::row);
            let reserved = rows.filter(|row| row.is_reserved()).map(|row| row.node).collect();
            let before = Some(rules.record.realm.clone());
            Ok(Decision::record(record, Reconfigured { before, record: after, reserved }))
        });
        let (mut answer, is_new) = answer.await?;
        if !answer.record.is_complete() {
            self.complete(&own).await?;
        }
        answer.before = answer.before.filter(|_| !is_new);
        for spec in answer.before.iter_mut().chain([&mut answer.record.realm]) {
            spec.name.clone_from(&realm.name);
        }
        Ok(answer)
    }

    /// Finishes a reconfiguration, so that the nodes that are new to the pool can be granted.
    async fn complete(&self, realm: &RealmSpec) -> Result<(), StoreError> {
        self.transact(&realm.name, Scope::All, Missing::Refuse, |rules, view| {
            Ok(Decision::record(rules.complete(&view.rows), ()))
        })
        .await
    }

    /// Adds the row of a static node that nothing remembers: not memory, nor a folder that is new or
    /// was emptied. It says that a process before this one released the node with the highest tick
    /// that its policy allows at the claimant's clock. Without it that process's IDs would repeat
    /// after the restart, since a ratchet lets them be ahead of the clock. As a released row it is
    /// granted at once, and the first ID waits.
    async fn pass_predecessor(
        &self,
        realm: &RealmSpec,
        node: AnyNode,
        claim: &Claim,
    ) -> Result<(), StoreError> {
        let missing = Missing::Resume(realm, LostLeases::seen(claim).or(self.beyond()));
        self.transact(&realm.name, Scope::Node(node), missing, |rules, view| {
            rules.check(realm)?;
            // Either its window is known, or it was and the row was lost. The claim ends the leases
            // of such a realm, and waits for one that has not started.
            let was_granted = view.rows.contains_key(&node) || rules.record.rows > 0;
            if was_granted || rules.not_yet().is_some() {
                return Ok(Decision::none(()));
            }
            Ok(Decision::row(rules.after_predecessor(node, claim), ()))
        })
        .await
    }

    async fn view(&self, realm: &RealmName, scope: Scope) -> Result<RealmView, StoreError> {
        let mut view = self.read(&*self.own_name(realm)?, scope).await?;
        let Some((record, _)) = &mut view.record else {
            return Err(self.no_record(realm, &view).await);
        };
        record.realm.name.clone_from(realm);
        Ok(view)
    }

    /// Returns the error for a view without a record.
    async fn no_record(&self, realm: &RealmName, view: &RealmView) -> StoreError {
        if !view.rows.is_empty() {
            return self.refused(Refusal::LostRecord);
        }
        // The name is only a help: without it, the answer is the same.
        let names = self.realms().await.unwrap_or_default();
        self.refused(Refusal::NoRealm { nearest: realm.nearest(names) })
    }

    fn refused(&self, refusal: Refusal) -> StoreError {
        StoreError::refused(self.backend(), refusal)
    }

    /// Returns what is known of the leases that a realm new to the store starts beyond, which is
    /// nothing, or `None` if it starts immediately.
    fn beyond(&self) -> Option<LostLeases> {
        (!self.starts_immediately()).then(LostLeases::default)
    }

    /// Returns the realm as the backend keeps it. A node that is given from outside has a realm of
    /// its own there.
    fn own<'a>(&self, realm: &'a RealmSpec) -> Result<Cow<'a, RealmSpec>, StoreError> {
        let Some(StaticNode { node, forgets }) = self.shared.node else {
            return Ok(Cow::Borrowed(realm));
        };
        let unfit = |why| StoreError::new(self.backend(), StoreErrorKind::Unfit { why });
        if !realm.pool().contains(node) {
            return Err(unfit(format!("its node {node} is not in the pool {}", realm.pool())));
        }
        // The first ID would wait for the next tick, or the one after it.
        let micros = realm.scale().micros_per_tick();
        if forgets && micros > LONGEST_PASSED_TICK {
            let tick = Duration::from_micros(micros);
            return Err(unfit(format!(
                "nothing remembers its window, so after each start the first ID would wait for up to \
                 two ticks, which are {tick:?} each: name a folder, as in static:{node}?state=/FOLDER"
            )));
        }
        let name = self.own_name(realm.name())?.into_owned();
        Ok(Cow::Owned(RealmSpec { name, pool: NodePool::of(node), ..realm.clone() }))
    }

    fn own_name<'a>(&self, realm: &'a RealmName) -> Result<Cow<'a, RealmName>, StoreError> {
        let Some(StaticNode { node, .. }) = self.shared.node else {
            return Ok(Cow::Borrowed(realm));
        };
        let name = format!("{realm}{}", own_suffix(node)).parse();
        let failed =
            |error| StoreError::failed(self.backend(), "name its realm").with_source(error);
        name.map(Cow::Owned).map_err(|error: LeaseTextError| failed(error))
    }
}

/// The longest ticks, in microseconds, of which a static node's first ID waits for two because
/// nothing remembers a process before it. Longer ones need a folder.
const LONGEST_PASSED_TICK: u64 = 1_000_000;

/// Returns the scope that shows whether the store ever had a realm, for which one row is enough.
fn scope_of(realm: &RealmSpec) -> Scope {
    Scope::Candidates { start: realm.pool().node_at(0), limit: 1 }
}

fn own_suffix(node: AnyNode) -> String {
    format!("-{}-{}", node.value(), node.bits())
}
