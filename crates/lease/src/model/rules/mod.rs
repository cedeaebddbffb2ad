//! The decisions of a store, as functions of its data, a request and its clock.
//!
//! This is the place to convince yourself that no tick of a node is granted twice, because it is all
//! there is: no lock is held here, nothing is read or written, and no backend has rules of its own.
//! [`Store`](crate::Store) reads the data, asks for a decision, and commits it only if nothing has
//! changed that the decision rests on. One fact carries the argument: all IDs of a node that may have
//! been issued lie below its *ceiling*, and a new window starts there.
//!
//! A rule on who may have a node, and when, belongs in [`RealmRules::free`]: whatever grants a node,
//! the choice of a claim and its repetition alike, needs the [`Free`] that only this function makes.
//! A rule over several rows needs more, because a commit compares one row and the record: decide it
//! on a view of `Scope::All`, and write the record too, so that of two such decisions at the same
//! time only one is committed.
//!
//! All ticks are the realm's.

mod grant;
#[cfg(test)]
pub(super) mod tests;

pub(crate) use self::grant::Free;

use tickid_core::{AnyNode, UnixTime};

use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::{RealmSpec, Terms};
use crate::model::record::{Extra, PauseReason, PoolPart, Record, Row, RowState, Version};
use crate::model::refusal::{LeaseEnd, Refusal};

/// What is known of leases that a store has lost, besides what its record says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LostLeases {
    /// Their era.
    pub(crate) era: u64,
    /// The largest number of ticks that they were able to reach ahead of the store's clock, as in
    /// [`Record::max_ahead`]. A backup from before a term was raised has a smaller one.
    pub(crate) max_ahead: u64,
    /// The highest ceiling.
    pub(crate) ceiling: u64,
}

impl LostLeases {
    /// Returns what a lease shows of itself and of the others.
    pub(crate) fn of(realm: &RealmSpec, lease: &Lease) -> Self {
        let &Lease { era, ceiling, terms, .. } = lease;
        let of_lease = terms.ahead(realm.scale()).saturating_mul(2);
        Self { era, max_ahead: realm.max_ahead().max(of_lease), ceiling }
    }

    /// Returns what an era shows.
    pub(crate) fn of_era(era: u64) -> Self {
        Self { era, ..Self::default() }
    }

    /// Returns what the era shows that a claim has seen.
    pub(crate) fn seen(claim: &Claim) -> Option<Self> {
        claim.seen_era.map(Self::of_era)
    }

    /// Combines what is known from two sources.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            era: self.era.max(other.era),
            max_ahead: self.max_ahead.max(other.max_ahead),
            ceiling: self.ceiling.max(other.ceiling),
        }
    }
}

/// The rules over one realm's record, at one reading of the store's clock.
///
/// # Examples
/// ```
#[doc = include_str!("../../example.rs.txt")]
/// use core::time::Duration;
/// use tickid_lease::admin::{RealmRules, Standing};
/// use tickid_lease::session::{Claim, Token, block_on};
/// use tickid_lease::Store;
///
/// let (store, timeout) = (Store::in_memory(), Duration::from_secs(5));
/// let mut claim = Claim::new(Token::random()?, "web-1", None);
/// let lease = block_on(store.acquire(realm.spec(), &mut claim), timeout)?;
///
/// let data = block_on(store.list(realm.name()), timeout)?;
/// let (record, _) = data.record.as_ref().ok_or("the store has no record")?;
/// let rules = RealmRules::new(record, data.now)?;
/// let held = data.rows.get(&lease.node);
/// assert_eq!(rules.standing(lease.node, held), Standing::Held);
/// assert_eq!(rules.ceiling(lease.node, held), Some(lease.ceiling));
/// assert!(lease.ceiling < rules.limit());
///
/// // The window after a release starts after the last tick that was used.
/// let row = rules.release(&lease, held, Some(lease.floor + 3))?;
/// assert_eq!((row.token, row.ceiling), (None, lease.floor + 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RealmRules<'a> {
    pub(crate) record: &'a Record,
    /// The store's clock in ticks.
    pub(crate) now: u64,
}

impl<'a> RealmRules<'a> {
    /// Creates the rules of a realm at a reading of the store's clock.
    ///
    /// # Errors
    /// Returns [`Refusal::StoreClock`] for a reading outside of the scheme's ticks.
    pub fn new(record: &'a Record, now: UnixTime) -> Result<Self, Refusal> {
        let tick = record.realm.tick_at(now).ok_or(Refusal::StoreClock { now })?;
        Ok(Self { record, now: tick })
    }

    /// Returns the record that the rules are over.
    #[must_use]
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// Returns the ceiling of a lease that is acquired or renewed now.
    fn reach(&self) -> u64 {
        self.now.saturating_add(self.record.realm.ahead())
    }

    /// Returns the highest ceiling that a lease can have, unless a clock was wrong. Nodes above it
    /// are quarantined.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.now.saturating_add(self.record.max_ahead)
    }

    /// Compares a caller's realm with the record's.
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`] with the first difference.
    pub fn check(&self, realm: &RealmSpec) -> Result<(), Refusal> {
        realm.mismatch(&self.record.realm).map_or(Ok(()), |mismatch| Err(mismatch.into()))
    }

    /// Compares everything that [`reconfigure`](Self::reconfigure) cannot change. The pool can
    /// change, but not so that a realm of IDs with nodes becomes one of IDs without.
    pub(crate) fn check_ids(&self, realm: &RealmSpec) -> Result<(), Refusal> {
        realm.fixed_mismatch(&self.record.realm).map_or(Ok(()), |mismatch| Err(mismatch.into()))
    }

    /// Returns the record as of an operator's choice, or `None` if it is that already.
    pub(crate) fn chosen(&self) -> Option<Record> {
        self.record.is_assumed.then(|| Record { is_assumed: false, ..self.record.clone() })
    }

    /// Returns the ceiling of a new window from `floor`. If the floor is already beyond the reach of
    /// a lease, the window would be empty, so it gets one term.
    fn next_ceiling(&self, floor: u64) -> u64 {
        let reach = self.reach();
        if reach > floor { reach } else { floor.saturating_add(self.record.realm.term_ticks()) }
    }

    /// Returns the tick below which all IDs of `node` may have been issued, or `None` if the row
    /// does not show it.
    #[must_use]
    pub fn ceiling(&self, node: AnyNode, state: Option<&RowState>) -> Option<u64> {
        let own = match state {
            None => 0,
            Some(state) => state.row()?.ceiling,
        };
        let part = self.record.part_of(node).map_or(0, |part| part.floor);
        Some(own.max(part).max(self.record.floor))
    }

    /// Returns the row of a node whose holders before this one are unknown, as if the last of them
    /// had released it now, with the highest tick that it can have used.
    pub(crate) fn after_predecessor(&self, node: AnyNode, claim: &Claim) -> Row {
        // IDs follow the generators' clock, which may differ from the store's.
        let now = claim.now.unwrap_or(self.now);
        let used = now.saturating_add(claim.lead.max(self.record.realm.lead()));
        let ceiling = used.saturating_add(1).min(self.record.realm.end());
        let (era, cut, extra) = (self.record.era, Version::default(), Extra::default());
        Row { node, token: None, holder: String::new(), era, floor: 0, ceiling, cut, extra }
    }

    /// Raises a lease's ceiling. Repeating this is harmless. An expired lease can be renewed as
    /// long as no other holder was granted the node.
    ///
    /// # Errors
    /// Returns [`Refusal::Lost`] if the lease is over. If it is [`LeaseEnd::Forgotten`], the realm
    /// must be [invalidated](Self::invalidate) by a commit that also compares the node's row.
    /// [`LeaseEnd::Overtaken`] changes nothing here, because a late renewal of a released lease
    /// sees the same.
    pub fn renew(&self, lease: &Lease, state: Option<&RowState>) -> Result<Row, Refusal> {
        match self.held(lease, state) {
            Ok(row) => self.extend(row),
            Err(Refusal::Lost { node, why: LeaseEnd::Token })
                if self.is_overtaken(lease, state) =>
            {
                Err(Refusal::Lost { node, why: LeaseEnd::Overtaken })
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Releases a lease whose engine is closed. `used` is the highest tick that was ever in it,
    /// under any toggle. The next window starts above it, and above this one's floor.
    ///
    /// # Errors
    /// As [`renew`](Self::renew).
    pub fn release(
        &self,
        lease: &Lease,
        state: Option<&RowState>,
        used: Option<u64>,
    ) -> Result<Row, Refusal> {
        let row = self.held(lease, state)?;
        // The floor identifies a lease, so the next one starts above it even if none was used.
        let last = used.map_or(row.floor, |used| used.max(row.floor));
        let ceiling = last.saturating_add(1).min(self.record.realm.end());
        Ok(Row { token: None, ceiling, ..row.clone() })
    }

    /// Returns the row of a lease, if it still has one, or the way that it ended.
    ///
    /// A store that never loses data answers with the lease's own row at the lease's version or a
    /// higher one, or with another holder's at a higher one. Anything else proves a loss, unless an
    /// invalidation has repaired it already.
    pub(crate) fn held<'s>(
        &self,
        lease: &Lease,
        state: Option<&'s RowState>,
    ) -> Result<&'s Row, Refusal> {
        let Lease { node, .. } = *lease;
        let lost = |why: LeaseEnd| {
            let is_repaired = why.proves_loss() && self.is_repaired(lease);
            Refusal::Lost { node, why: if is_repaired { LeaseEnd::Era } else { why } }
        };
        // Eras only rise, so a lower one means that the record went back.
        if self.record.era < lease.era {
            return Err(lost(LeaseEnd::Forgotten));
        }
        // Its era is over: the realm was invalidated, or the node left the pool.
        if self.record.part_of(node).is_none_or(|part| lease.era < part.since_era) {
            return Err(lost(LeaseEnd::Era));
        }
        // Rows are never deleted.
        let (row, version) = match state {
            None => return Err(lost(LeaseEnd::Forgotten)),
            Some(RowState::Intact { row, version, .. }) => (row, *version),
            Some(RowState::Malformed { .. } | RowState::Newer { .. }) => {
                return Err(unreadable(node, state));
            }
        };
        // Versions only rise, so an older row, or one whose ceiling fell, was restored.
        let is_own = row.token == Some(lease.token) && row.floor == lease.floor;
        let is_intact = match version.cmp(&lease.version) {
            core::cmp::Ordering::Less => false,
            core::cmp::Ordering::Equal => is_own && row.ceiling == lease.ceiling,
            core::cmp::Ordering::Greater => !is_own || row.ceiling >= lease.ceiling,
        };
        match (is_intact, is_own) {
            (false, _) => Err(lost(LeaseEnd::Forgotten)),
            (true, false) => Err(lost(LeaseEnd::Token)),
            (true, true) => Ok(row),
        }
    }

    /// Raises the ceiling of a row whose lease has not ended with its era.
    pub(crate) fn extend(&self, row: &Row) -> Result<Row, Refusal> {
        if self.record.part_of(row.node).is_none_or(|part| row.era < part.since_era) {
            return Err(Refusal::Lost { node: row.node, why: LeaseEnd::Era });
        }
        let ceiling = row.ceiling.max(self.reach()).min(self.record.realm.end());
        Ok(Row { ceiling, ..row.clone() })
    }

    /// Ends all leases and starts every node beyond anything that a lease can have reached.
    ///
    /// The new era is also above `era`, the era of a lease which proves that the store lost data.
    ///
    /// This is the only decision that trusts a clock. If the store's clock is behind the one that
    /// granted the lost leases, new windows can overlap theirs.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../../example.rs.txt")]
    /// use tickid_core::UnixTime;
    /// use tickid_lease::admin::RealmRules;
    /// use tickid_lease::backend::Record;
    ///
    /// let record = Record::new(realm, "1".to_owned());
    /// let rules = RealmRules::new(&record, UnixTime::from_millis(1_700_000_000_000)?)?;
    /// let next = rules.invalidate("2".to_owned(), 0);
    /// assert_eq!((next.era, next.floor), (1, rules.limit()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn invalidate(&self, generation: String, era: u64) -> Record {
        self.pause(generation, LostLeases::of_era(era), PauseReason::Invalidated)
    }

    /// [Invalidates](Self::invalidate) the realm for a reason, which holders that wait are told, also
    /// beyond the leases that are known to be lost.
    pub(crate) fn pause(
        &self,
        generation: String,
        lost: LostLeases,
        reason: PauseReason,
    ) -> Record {
        let era = self.record.era.max(lost.era).saturating_add(1);
        let parts =
            self.record.parts.iter().map(|part| PoolPart { since_era: era, ..*part }).collect();
        // The record may be of a time before the term was raised.
        let max_ahead = self.record.max_ahead.max(lost.max_ahead);
        let beyond = self.now.saturating_add(max_ahead).max(lost.ceiling);
        let floor = self.record.floor.max(beyond.min(self.record.realm.end()));
        // Rows may be missing: they are counted anew.
        let rows = 0;
        let record =
            Record { generation, era, floor, max_ahead, parts, rows, ..self.record.clone() };
        record.with_pause(reason)
    }

    /// Returns a quarantined node to where a lease can reach, as a free one, and the record if it
    /// changes. It serves for a store's clock that was far ahead once, and for a row that cannot be
    /// read. Only an operator can establish that no IDs were issued up there.
    ///
    /// # Errors
    /// Returns [`Refusal::NoRow`] and [`Refusal::NotQuarantined`] if there is nothing to repair,
    /// [`Refusal::Reserved`] for a reserved node, and [`Refusal::Newer`] for a row of a later
    /// release.
    pub fn repair(
        &self,
        node: AnyNode,
        state: Option<&RowState>,
    ) -> Result<(Option<Record>, Row), Refusal> {
        let limit = self.limit();
        let blank = |ceiling| {
            let (token, holder, extra) = (None, String::new(), Extra::default());
            let (era, cut) = (self.record.era, Version::default());
            Row { node, token, holder, era, floor: 0, ceiling, cut, extra }
        };
        // No grant reaches beyond the limit, so a malformed row becomes one that ends there.
        let (row, ceiling) = match state {
            Some(RowState::Newer { .. }) => return Err(unreadable(node, state)),
            Some(RowState::Malformed { .. }) => (blank(limit), None),
            Some(RowState::Intact { row, .. }) if row.is_reserved() => {
                return Err(Refusal::Reserved { node, holder: row.holder.clone() });
            }
            Some(RowState::Intact { row, .. }) => (row.clone(), self.ceiling(node, state)),
            // The floor of all nodes may be what quarantines it.
            None if self.record.part_of(node).is_some() => (blank(0), self.ceiling(node, None)),
            None => return Err(Refusal::NoRow { node }),
        };
        // Only what is beyond the limit is wrong. Other rows stay as they are.
        if let Some(ceiling) = ceiling.filter(|&ceiling| ceiling <= limit) {
            return Err(match state {
                None => Refusal::NoRow { node },
                Some(_) => Refusal::NotQuarantined { node, ceiling, limit },
            });
        }
        // The floors that the node has through the record are lowered as well.
        let mut record = self.record.clone();
        record.floor = record.floor.min(limit);
        for part in record.parts.iter_mut().filter(|part| part.range.contains(node)) {
            part.floor = part.floor.min(limit);
        }
        let record = (record != *self.record).then_some(record);
        let (floor, ceiling) = (row.floor.min(limit), row.ceiling.min(limit));
        let cut = Version::after(state.and_then(RowState::version));
        Ok((record, Row { token: None, floor, ceiling, cut, ..row }))
    }

    /// Returns the standing of a node.
    #[must_use]
    pub fn standing(&self, node: AnyNode, state: Option<&RowState>) -> Standing {
        let Some(part) = self.record.part_of(node) else { return Standing::Retired };
        if state.and_then(RowState::row).is_some_and(Row::is_reserved) {
            return Standing::Reserved;
        }
        if matches!(state, Some(RowState::Newer { .. })) {
            return Standing::Newer;
        }
        let Some(ceiling) = self.ceiling(node, state) else { return Standing::Quarantined };
        if ceiling > self.limit() {
            return Standing::Quarantined;
        }
        let lease = match state {
            Some(RowState::Intact { row, is_dead, .. }) => {
                Some(row).filter(|row| row.token.is_some() && !is_dead)
            }
            Some(RowState::Malformed { .. } | RowState::Newer { .. }) | None => None,
        };
        match lease {
            Some(row) if row.era >= part.since_era && ceiling > self.now => Standing::Held,
            // Claims ask the same, so that none is refused what this calls free.
            _ if !self.is_free(ceiling, state) => Standing::Paused,
            Some(_) => Standing::Expired,
            None => Standing::Free,
        }
    }
}

/// Returns the record of a realm that a store does not have. The realm starts either now, or beyond
/// anything that an earlier realm of that name can have granted, as far as it is known.
///
/// # Errors
/// Returns [`Refusal::StoreClock`].
pub(crate) fn begin(
    realm: &RealmSpec,
    generation: String,
    now: UnixTime,
    beyond: Option<(LostLeases, PauseReason)>,
) -> Result<Record, Refusal> {
    let record = Record::new(realm.clone(), generation.clone());
    match beyond {
        None => Ok(record),
        Some((lost, reason)) => Ok(RealmRules::new(&record, now)?.pause(generation, lost, reason)),
    }
}

/// Returns the lease that a row represents for its holder once it is committed over version
/// `before`. `realm` is the [ID](RealmName::id) of its realm, and `terms` are the store's.
pub(crate) fn lease(
    realm: u64,
    terms: Terms,
    row: &Row,
    before: Option<Version>,
    now: UnixTime,
) -> Option<Lease> {
    let Row { node, token, era, floor, ceiling, .. } = *row;
    let version = Version::after(before);
    let token = token?;
    Some(Lease { realm, node, token, floor, ceiling, era, version, granted_at: now, terms })
}

/// Returns the refusal of a request on a node whose row cannot be read.
pub(crate) fn unreadable(node: AnyNode, state: Option<&RowState>) -> Refusal {
    match state {
        Some(&RowState::Newer { record_version }) => Refusal::Newer { node, record_version },
        Some(RowState::Malformed { .. } | RowState::Intact { .. }) | None => {
            Refusal::Malformed { node }
        }
    }
}

/// The standing of a node, for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Released, or its holder has provably ended, or never granted.
    Free,
    /// Leased to a holder that may issue IDs under it.
    Held,
    /// Leased to a holder that has not renewed it in time, so that others may take it.
    Expired,
    /// Further ahead of the store's clock than a lease can reach, or not readable. It is not
    /// granted before it is [repaired](crate::Store::repair) or the store's clock gets there.
    Quarantined,
    /// No longer in the pool.
    Retired,
    /// Reserved for good, for functions in PostgreSQL that issue its IDs.
    Reserved,
    /// Not held, and granted once the store's clock gets to its ceiling. For example, all nodes of
    /// a realm that was invalidated are paused until it starts again.
    Paused,
    /// Taken, as far as this release can tell: a later one wrote its row.
    Newer,
}

impl Standing {
    /// Returns the name, as `tickid lease list` prints it.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::admin::Standing;
    ///
    /// assert_eq!(Standing::Quarantined.name(), "quarantined");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Held => "held",
            Self::Expired => "expired",
            Self::Quarantined => "quarantined",
            Self::Retired => "retired",
            Self::Reserved => "reserved",
            Self::Paused => "paused",
            Self::Newer => "newer",
        }
    }
}
