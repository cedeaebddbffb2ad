//! The data of a realm, as a backend read it.

use tickid_core::{AnyNode, UnixTime};

use crate::model::lease::Lease;
use crate::model::record::{Record, RowState, Rows, Version};
use crate::model::refusal::Refusal;
use crate::model::rules::{self, RealmRules, Standing};

/// A snapshot of a realm's data in a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "backends create it")]
pub struct RealmView {
    /// The record and its version, if the store has the realm.
    pub record: Option<(Record, Version)>,
    /// The requested rows, as far as they exist.
    pub rows: Rows,
    /// The last node of a page that was cut at its limit, or `None` if the view has all rows of the
    /// realm.
    pub page_end: Option<AnyNode>,
    /// Set if the view also has the rows with the lowest ceilings, so that further pages have
    /// hardly more to offer to a claim.
    pub has_lowest: bool,
    /// The store's clock.
    pub now: UnixTime,
    /// The store's present identity, for the record.
    pub generation: String,
}

impl RealmView {
    /// Creates a view without a record and rows.
    #[must_use]
    pub fn empty(now: UnixTime, generation: String) -> Self {
        let (record, rows) = (None, Rows::new());
        Self { record, rows, page_end: None, has_lowest: false, now, generation }
    }

    /// Reports whether the store is not the one that wrote the record, in which case later writes
    /// may be lost.
    #[must_use]
    pub fn is_other_generation(&self) -> bool {
        self.record.as_ref().is_some_and(|(record, _)| record.generation != self.generation)
    }

    /// Returns the leases of all holders, as of the view's time. A lease may have expired.
    pub fn leases(&self) -> impl Iterator<Item = Lease> {
        let realm = self.record.as_ref().map(|(record, _)| &record.realm);
        self.rows.values().filter_map(move |state| {
            let (row, version) = (state.row()?, state.version()?);
            let lease =
                rules::lease(realm?.name().id(), realm?.terms(), row, Some(version), self.now)?;
            Some(Lease { version, ..lease })
        })
    }

    /// Returns the standing of each node that has a row, in order.
    ///
    /// # Errors
    /// Returns [`Refusal::NoRealm`] without a record, and [`Refusal::StoreClock`] if the store's
    /// clock is outside the scheme's time.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use core::time::Duration;
    /// use tickid_lease::admin::Standing;
    /// use tickid_lease::session::{Claim, Token, block_on};
    /// use tickid_lease::Store;
    ///
    /// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
    /// let mut claim = Claim::new(Token::random()?, "web-1", None);
    /// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
    /// let view = block_on(store.list(realm.name()), timeout)?;
    /// for (node, _, standing) in view.standings()? {
    ///     assert_eq!((node, standing), (lease.node, Standing::Held));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standings(&self) -> Result<Vec<(AnyNode, &RowState, Standing)>, Refusal> {
        let rules = self.rules()?;
        let standing = |(&node, state)| (node, state, rules.standing(node, Some(state)));
        Ok(self.rows.iter().map(standing).collect())
    }

    /// Returns the rules over the record, at the view's time.
    ///
    /// # Errors
    /// As [`standings`](Self::standings).
    #[doc(hidden)]
    pub fn rules(&self) -> Result<RealmRules<'_>, Refusal> {
        let (record, _) = self.record.as_ref().ok_or(Refusal::NoRealm { nearest: None })?;
        RealmRules::new(record, self.now)
    }
}
