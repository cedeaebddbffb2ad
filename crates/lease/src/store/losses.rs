//! Leases that were lost as evidence, and realms whose record was lost.

use super::shared::Store;
use super::transaction::{Decision, Missing};
use super::{Created, scope_of};
use crate::backend::Scope;
use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::RealmSpec;
use crate::model::reconfiguration::RealmPart;
use crate::model::record::PauseReason;
use crate::model::refusal::LeaseEnd;
use crate::model::rules::{LostLeases, RealmRules};
use crate::store_error::StoreError;

/// The answer to a lost lease.
struct Shown {
    /// All leases of the realm were ended because of it.
    ended_all: bool,
    /// The realm's era since then, unless a different kind of realm has taken its name.
    era: Option<u64>,
}

impl Store {
    /// Shows the store a lease that was lost although its holder never released it and never will.
    /// If the lease proves that the store lost data, the realm is invalidated. `why` is the
    /// [reason](StoreError::lease_end) that its last renewal was refused with. Returns whether all
    /// leases were ended because of it.
    ///
    /// A [claim](Claim::lost) does the same before it is granted a node. So only a holder that ends
    /// with its lease, and makes no further claim, has to call this. Late and repeated calls are
    /// harmless.
    ///
    /// # Errors
    /// Returns a [`StoreError`] if the store cannot be read or written.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::SystemClock;
    /// use tickid_lease::admin::LeaseEnd;
    /// use tickid_lease::backend::MemoryBackend;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::{Realm, Store};
    /// use tickid_sno::Sno;
    ///
    /// let (backend, timeout) = (MemoryBackend::new(SystemClock), Duration::from_secs(5));
    /// let store = Store::new(backend.clone());
    /// let realm = Realm::builder("orders", Sno).pool("42/16").build()?;
    /// let acquire = || -> Result<_, Box<dyn std::error::Error>> {
    ///     let mut claim = Claim::new(Token::random()?, "web-1", None);
    ///     Ok(block_on(store.acquire(realm.spec(), &mut claim), timeout)?)
    /// };
    /// block_on(store.release(realm.spec(), &acquire()?, None), timeout)?;
    /// let backup = backend.back_up();
    /// let lease = acquire()?;
    ///
    /// // A backup is restored, and others have the node before the lease is renewed.
    /// backend.restore(backup);
    /// for _ in 0..2 {
    ///     block_on(store.release(realm.spec(), &acquire()?, None), timeout)?;
    /// }
    /// let error = block_on(store.renew(realm.spec(), &lease), timeout).unwrap_err();
    /// assert_eq!(error.lease_end(), Some(LeaseEnd::Overtaken));
    /// assert!(block_on(store.report_lost(realm.spec(), &lease, LeaseEnd::Overtaken), timeout)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn report_lost(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
        why: LeaseEnd,
    ) -> Result<bool, StoreError> {
        Ok(self.show(realm, lease, why).await?.is_some_and(|shown| shown.ended_all))
    }

    /// Shows the store a lost lease. Returns `None` if it is of a different realm.
    async fn show(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
        why: LeaseEnd,
    ) -> Result<Option<Shown>, StoreError> {
        if realm.name().id() != lease.realm {
            return Ok(None);
        }
        let realm = &*self.own(realm)?;
        let node = lease.node;
        // If the whole realm was lost, it starts anew in an era above the lost lease's, so that the
        // lease is not mistaken for one of the new realm.
        let lost = LostLeases::of(realm, lease);
        let missing = Missing::Create(realm, Some(lost));
        let answer = self.transact(realm.name(), Scope::Node(node), missing, |rules, view| {
            if rules.check_ids(realm).is_err() {
                // Another kind of realm has taken its name: its ticks are not comparable.
                return Ok(Decision::none((false, false, None)));
            }
            let is_guess = rules.record.is_assumed && rules.record.realm != *realm;
            // Evidence may be out of date: the holder may have been slow, and its lease ended in
            // order.
            if !rules.proves_loss(lease, why, view.rows.get(&node)) {
                return Ok(Decision::none((false, is_guess, Some(rules.record.era))));
            }
            let generation = view.generation.clone();
            let record = rules.pause(generation, lost, PauseReason::Restored);
            let answer = (true, is_guess, Some(record.era));
            Ok(Decision { record: Some(record), row: Some((node, None)), answer })
        });
        let (is_proven, is_guess, era) = answer.await?;
        if is_proven {
            tracing::error!(realm = %realm.name(), %node, "the store lost data: all leases of the realm are invalidated");
        }
        let is_restored = is_guess && self.restore(realm, lease).await?;
        Ok(Some(Shown { ended_all: is_proven || is_restored, era }))
    }

    /// Shows the store the lost lease of a claim. It does so only once, because it would prove a
    /// loss each time if the store's clock is far behind. A loss after it shows in the era.
    pub(crate) async fn take_evidence(
        &self,
        realm: &RealmSpec,
        claim: &mut Claim,
    ) -> Result<(), StoreError> {
        if let Some((lease, why)) = claim.lost {
            if let Some(era) = self.show(realm, &lease, why).await?.and_then(|shown| shown.era) {
                claim.note_era(era);
            }
            claim.lost = None;
        }
        Ok(())
    }

    /// Gives a realm that was lost, and started anew with an assumed pool, the pool and the terms
    /// that the holder of a lost lease knows. Ends all leases unless that happened already, because
    /// nothing is known of the windows that were granted before. Returns whether it did.
    async fn restore(&self, realm: &RealmSpec, lost: &Lease) -> Result<bool, StoreError> {
        let is_restored =
            self.transact(realm.name(), Scope::All, Missing::Refuse, |rules, view| {
                // Another holder was faster, or somebody has created the realm with a pool of their
                // own.
                if !rules.record.is_assumed {
                    return Ok(Decision::none(false));
                }
                let Some(record) = rules.reconfigure(realm, &RealmPart::ALL, &view.rows)? else {
                    return Ok(Decision::none(false));
                };
                // Once is enough: if it happened already, new windows start above the lost one.
                let record = match rules.is_repaired(lost) {
                    true => record,
                    false => {
                        let rules = RealmRules::new(&record, view.now)?;
                        let lost = LostLeases::of(realm, lost);
                        rules.pause(view.generation.clone(), lost, PauseReason::Restored)
                    }
                };
                Ok(Decision::record(Some(record), true))
            });
        let is_restored = is_restored.await?;
        if is_restored {
            tracing::error!(realm = %realm.name(), pool = %realm.pool(), "the store lost the realm: its nodes are as a holder knows them");
        }
        Ok(is_restored)
    }

    /// Returns a realm as the store has it, whatever its pool and terms. This is for programs whose
    /// user did not choose a pool, such as `tickid gen`.
    ///
    /// A realm that the store does not have starts with the pool and the terms of `realm`, which
    /// count as assumed. If the store had lost the realm, a holder that still has a lease of it
    /// [restores](Self::report_lost) the pool and the terms that it knows.
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`](crate::admin::Refusal::Mismatch) for a realm of a different
    /// scheme, layout or kind of nodes, and
    /// [`Refusal::LostRecord`](crate::admin::Refusal::LostRecord) if the store has nodes of the
    /// realm but lost its record.
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
    /// let chosen = Realm::builder("orders", Sno).pool("0-9/16").build()?;
    /// block_on(store.create(chosen.spec(), Start::Immediately), timeout)?;
    /// let adopted = block_on(store.adopt(realm.spec()), timeout)?;
    /// assert_eq!(&adopted.record.realm, chosen.spec());
    /// assert!(!adopted.is_new);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn adopt(&self, realm: &RealmSpec) -> Result<Created, StoreError> {
        let name = realm.name().clone();
        let realm = self.own(realm)?;
        let missing = Missing::Assume(&realm, self.beyond());
        let adopted = self.transact_noting(realm.name(), scope_of(&realm), missing, |rules, _| {
            rules.check_ids(&realm)?;
            Ok(Decision::none((rules.record.clone(), rules.not_yet())))
        });
        let ((mut record, not_yet), is_new) = adopted.await?;
        record.realm.name = name;
        Ok(Created { record, is_new, not_yet })
    }

    /// Releases a lease in place of its holder, for an operator who knows that the node's user was
    /// stopped. `used` is the highest tick of its IDs.
    ///
    /// If this shortens the window, the row keeps a note of it, unlike after a
    /// [release](Self::release) by the holder. A holder that was alive after all loses its lease,
    /// and without the note that would count as a proof that the store lost data.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    /// block_on(store.release_by_hand(realm.spec(), &lease, None), timeout)?;
    /// let view = block_on(store.list(realm.name()), timeout)?;
    /// let row = view.rows[&lease.node].row().ok_or("no row")?;
    /// assert!(row.ceiling < lease.ceiling && row.cut > lease.version);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn release_by_hand(
        &self,
        realm: &RealmSpec,
        lease: &Lease,
        used: Option<u64>,
    ) -> Result<(), StoreError> {
        self.change(realm, lease, |rules, state, _| Ok((rules.cut_short(lease, state, used)?, ())))
            .await
    }
}
