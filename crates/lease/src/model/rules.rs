//! The decisions of a store, as functions of its data, a request and its clock.
//!
//! They hold no lock and do no I/O. [`Store`](crate::Store) applies them to every backend: it
//! reads, decides, and commits if nothing that the decision rests on has changed. Ticks are the
//! realm's.

use tickid_core::{AnyNode, UnixTime};

use crate::model::lease::{Claim, Lease};
use crate::model::realm_spec::RealmSpec;
use crate::model::record::{Extra, PoolPart, Record, Row, RowState, Version};
use crate::model::refusal::{LeaseEnd, Refusal};

/// The rules over one realm's record, at one reading of the store's clock.
///
/// # Examples
/// ```
#[doc = include_str!("../example.rs.txt")]
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

    /// Returns the ceiling of a lease that is acquired or renewed now.
    fn reach(&self) -> u64 {
        self.now.saturating_add(self.record.realm.ahead())
    }

    /// Returns the highest ceiling that a lease can have unless a clock was wrong.
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

    /// Compares all but the pool and the terms, which [`reconfigure`](Self::reconfigure) can
    /// change, unless they turn a realm of IDs with nodes into one of IDs without.
    pub(crate) fn check_ids(&self, realm: &RealmSpec) -> Result<(), Refusal> {
        let kept = &self.record.realm;
        if realm.variants() != kept.variants() {
            self.check(realm)?;
        }
        self.check(&RealmSpec { pool: kept.pool.clone(), terms: kept.terms, ..realm.clone() })
    }

    /// Returns the record as of an operator's choice; `None` if it is that already.
    pub(crate) fn chosen(&self) -> Option<Record> {
        self.record.is_assumed.then(|| Record { is_assumed: false, ..self.record.clone() })
    }

    /// Returns the ceiling of a new window from `floor`: one term above it if it would be empty
    /// else.
    pub(crate) fn next_ceiling(&self, floor: u64) -> u64 {
        let reach = self.reach();
        if reach > floor { reach } else { floor.saturating_add(self.record.realm.term_ticks()) }
    }

    /// Returns the tick below which all IDs of `node` may have been issued; `None` if the row does
    /// not show it.
    #[must_use]
    pub fn ceiling(&self, node: AnyNode, state: Option<&RowState>) -> Option<u64> {
        let own = match state {
            None => 0,
            Some(state) => state.row()?.ceiling,
        };
        let part = self.record.part_of(node).map_or(0, |part| part.floor);
        Some(own.max(part).max(self.record.floor))
    }

    /// Returns the row of a new lease of `node`, from its ceiling on.
    ///
    /// # Errors
    /// Returns [`Refusal::EndOfTime`] if the scheme has no ticks left, [`Refusal::Malformed`] or
    /// [`Refusal::Newer`] for a row that cannot be read.
    pub(crate) fn grant(
        &self,
        node: AnyNode,
        state: Option<&RowState>,
        claim: &Claim,
    ) -> Result<Row, Refusal> {
        let end = self.record.realm.end();
        let floor = self.ceiling(node, state).ok_or_else(|| unreadable(node, state))?;
        let ceiling = self.next_ceiling(floor).min(end);
        if ceiling <= floor {
            return Err(Refusal::EndOfTime { last: end - 1 });
        }
        let row = state.and_then(RowState::row);
        Ok(Row {
            node,
            token: Some(claim.token),
            holder: claim.holder().to_owned(),
            era: self.record.era,
            floor,
            ceiling,
            cut: row.map(|row| row.cut).unwrap_or_default(),
            extra: row.map(|row| row.extra.clone()).unwrap_or_default(),
        })
    }

    /// Raises a lease's ceiling. A repetition is harmless. An expired lease can be renewed as long
    /// as no other holder was granted the node.
    ///
    /// # Errors
    /// Returns [`Refusal::Lost`]. If it is [`LeaseEnd::Forgotten`], the realm must be
    /// [invalidated](Self::invalidate) by a commit that also compares the node's row.
    /// [`LeaseEnd::Overtaken`] changes nothing here: a late renewal of a released lease sees the
    /// same.
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

    /// Releases a lease whose engine is closed; `used` is the highest tick that was ever in it,
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
        let ceiling = last.saturating_add(1);
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
        let lost = |why| match why {
            LeaseEnd::Forgotten if self.is_repaired(lease) => {
                Refusal::Lost { node, why: LeaseEnd::Era }
            }
            why => Refusal::Lost { node, why },
        };
        if self.record.era < lease.era {
            return Err(lost(LeaseEnd::Forgotten));
        }
        if self.record.part_of(node).is_none_or(|part| lease.era < part.since_era) {
            return Err(lost(LeaseEnd::Era));
        }
        let (row, version) = match state {
            None => return Err(lost(LeaseEnd::Forgotten)),
            Some(RowState::Intact { row, version, .. }) => (row, *version),
            Some(_) => return Err(unreadable(node, state)),
        };
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
    /// This trusts the store's clock not to be behind the clock that granted the lost leases. It is
    /// the only decision that trusts a clock.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
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
        let era = self.record.era.max(era).saturating_add(1);
        let parts =
            self.record.parts.iter().map(|part| PoolPart { since_era: era, ..*part }).collect();
        let floor = self.record.floor.max(self.limit().min(self.record.realm.end()));
        // Rows may be missing: they are counted anew.
        Record { generation, era, floor, parts, rows: 0, ..self.record.clone() }
    }

    /// Returns a quarantined node to where a lease can reach, free, and the record if it changes:
    /// for a store's clock that was far ahead once, or a row that cannot be read. Only an operator
    /// can establish that no IDs were issued up there.
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
        if let Some(ceiling) = ceiling.filter(|&ceiling| ceiling <= limit) {
            return Err(match state {
                None => Refusal::NoRow { node },
                Some(_) => Refusal::NotQuarantined { node, ceiling, limit },
            });
        }
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
        let Some(ceiling) = self.ceiling(node, state) else { return Standing::Quarantined };
        if ceiling > self.limit() {
            return Standing::Quarantined;
        }
        match state {
            Some(RowState::Intact { row, is_dead: false, .. }) if row.token.is_some() => {
                let is_over = row.era < part.since_era || ceiling <= self.now;
                if is_over { Standing::Expired } else { Standing::Held }
            }
            _ => Standing::Free,
        }
    }
}

/// Returns the record of a realm that a store does not have: either from now on, or beyond anything
/// that an earlier realm of that name can have granted. `era` is the era of a lease of such a
/// realm.
///
/// # Errors
/// Returns [`Refusal::StoreClock`].
pub(crate) fn begin(
    realm: &RealmSpec,
    generation: String,
    now: UnixTime,
    beyond: Option<u64>,
) -> Result<Record, Refusal> {
    let record = Record::new(realm.clone(), generation.clone());
    match beyond {
        None => Ok(record),
        Some(era) => Ok(RealmRules::new(&record, now)?.invalidate(generation, era)),
    }
}

/// Returns the lease that a row represents for its holder once it is committed over version
/// `before`. `realm` is the [ID](RealmName::id) of its realm.
pub(crate) fn lease(
    realm: u64,
    row: &Row,
    before: Option<Version>,
    now: UnixTime,
) -> Option<Lease> {
    let Row { node, token, era, floor, ceiling, .. } = *row;
    let version = Version::after(before);
    Some(Lease { realm, node, token: token?, floor, ceiling, era, version, granted_at: now })
}

/// Returns the refusal of a request on a node whose row cannot be read.
fn unreadable(node: AnyNode, state: Option<&RowState>) -> Refusal {
    match state {
        Some(&RowState::Newer { format }) => Refusal::Newer { node, format },
        _ => Refusal::Malformed { node },
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
    /// Leased to a holder that has not renewed it in time; others may take it.
    Expired,
    /// Further ahead of the store's clock than a lease can reach, or not readable. It is not
    /// granted before it is repaired or the store's clock gets there.
    Quarantined,
    /// No longer in the pool.
    Retired,
    /// Reserved for good: functions in PostgreSQL issue its IDs.
    Reserved,
}

#[cfg(test)]
pub(super) mod tests {
    use tickid_core::example::Seconds;

    use super::*;
    use crate::model::candidates::Choice;
    use crate::model::realm_view::RealmView;
    use crate::model::record::Rows;
    use crate::model::token::Token;

    /// Ticks of a second, three nodes, 15 ticks ahead.
    fn record() -> Record {
        record_of("0-2/8")
    }

    pub(crate) fn record_of(pool: &str) -> Record {
        Record::new(realm(pool), "1".to_owned())
    }

    pub(crate) fn realm(pool: &str) -> RealmSpec {
        RealmSpec::new("a".parse().unwrap(), &Seconds, pool.parse().unwrap()).unwrap()
    }

    pub(crate) fn at(seconds: i64) -> UnixTime {
        UnixTime::from_micros(seconds * 1_000_000)
    }

    pub(crate) fn node(value: u64) -> AnyNode {
        AnyNode::new(value, 8).unwrap()
    }

    pub(crate) fn row(value: u64, ceiling: u64) -> Row {
        let (token, holder, extra) = (Some(Token::from_bits(7)), String::new(), Extra::default());
        let cut = Version::default();
        Row { node: node(value), token, holder, era: 0, floor: 5, ceiling, cut, extra }
    }

    pub(crate) fn intact(row: Row, version: u64) -> RowState {
        RowState::Intact { row, version: Version(version), is_dead: false }
    }

    fn dead(row: Row) -> RowState {
        RowState::Intact { row, version: Version(1), is_dead: true }
    }

    /// The lease of [`row`] 1.
    fn lease(ceiling: u64, version: u64) -> Lease {
        super::lease(0, &row(1, ceiling), Some(Version(version - 1)), at(90)).unwrap()
    }

    pub(crate) fn rows(states: impl IntoIterator<Item = (u64, RowState)>) -> Rows {
        states.into_iter().map(|(value, state)| (node(value), state)).collect()
    }

    /// Chooses from a view of the whole realm.
    fn choose(record: &Record, rows: Rows, now: i64) -> Choice {
        let view = RealmView { rows, ..RealmView::empty(at(now), "1".to_owned()) };
        let claim = Claim::new(Token::from_bits(9), "", None);
        RealmRules::new(record, at(now)).unwrap().choose(&view, node(0), &claim, true).unwrap()
    }

    fn window(record: &Record, state: RowState, now: i64) -> Option<(u64, u64)> {
        let row = choose(record, rows([(1, state)]), now).row()?;
        assert_eq!(row.node, node(1));
        Some((row.floor, row.ceiling))
    }

    fn exhausted(record: &Record, state: RowState, now: i64) -> Refusal {
        let Choice::Shortage(shortage) = choose(record, rows([(1, state)]), now) else {
            panic!("it was granted");
        };
        shortage.refusal(&RealmRules::new(record, at(now)).unwrap())
    }

    #[test]
    fn free_at_its_ceiling() {
        for (now, expected) in [(99, None), (100, Some((100, 115))), (500, Some((100, 515)))] {
            assert_eq!(window(&record_of("1/8"), intact(row(1, 100), 1), now), expected, "{now}");
        }
    }

    #[test]
    fn dead_holders_cost_a_term() {
        // Reach: 15 ahead. Limit: 30 ahead. Term: 10.
        for (ceiling, expected) in [
            (114, Some((114, 115))),
            (115, Some((115, 125))),
            (120, Some((120, 130))),
            (121, None),
            (130, None),
            (131, None),
        ] {
            assert_eq!(window(&record_of("1/8"), dead(row(1, ceiling)), 100), expected);
        }
    }

    #[test]
    fn quarantined_beyond_the_limit() {
        let record = record_of("1/8");
        for (ceiling, expected) in [(130, 0), (131, 1)] {
            match exhausted(&record, intact(row(1, ceiling), 1), 100) {
                Refusal::NoFreeNode { quarantined, .. } => assert_eq!(quarantined, expected),
                other => panic!("{other}"),
            }
        }
        let malformed = RowState::Malformed { version: Version(0) };
        match exhausted(&record, malformed, 100) {
            Refusal::NoFreeNode { quarantined: 1, free_at: None, .. } => {}
            other => panic!("{other}"),
        }
    }

    #[test]
    fn nodes_with_rows_come_first() {
        let chosen = |ceiling| {
            let rows = rows([(1, intact(row(1, ceiling), 1))]);
            choose(&record(), rows, 100).row().unwrap().node
        };
        assert_eq!(chosen(50), node(1));
        assert_ne!(chosen(110), node(1));
    }

    #[test]
    fn claims_spread_over_the_free_nodes() {
        let record = record_of("0-9/8");
        let rows: Rows = (0..10).map(|value| (node(value), intact(row(value, 50), 1))).collect();
        let view = RealmView { rows, ..RealmView::empty(at(100), "1".to_owned()) };
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let chosen = |token| {
            let claim = Claim::new(Token::from_bits(token), "", None);
            rules.choose(&view, node(0), &claim, true).unwrap().row().unwrap().node
        };
        let nodes: std::collections::BTreeSet<AnyNode> = (0..100).map(chosen).collect();
        assert_eq!(nodes.len(), 10);
    }

    #[test]
    fn gaps_stay_within_the_page() {
        let record = record_of("0-9/8");
        for (start, end, expected) in [(2, 4, Some(3)), (2, 2, None), (8, 0, Some(9)), (4, 4, None)]
        {
            let held = [0, 2, 4, 8].map(|value| (value, intact(row(value, 110), 1)));
            let view = RealmView {
                rows: rows(held),
                page_end: Some(node(end)),
                ..RealmView::empty(at(100), "1".to_owned())
            };
            let claim = Claim::new(Token::from_bits(9), "", None);
            let rules = RealmRules::new(&record, at(100)).unwrap();
            let chosen = rules.choose(&view, node(start), &claim, true).unwrap().row();
            assert_eq!(chosen.map(|row| row.node.value()), expected, "{start}..={end}");
        }
    }

    /// The state of the row, and the loss that a renewal of a lease at version 5 finds.
    #[test]
    fn impossible_rows_prove_loss() {
        let lease = lease(110, 5);
        let other = Row { token: Some(Token::from_bits(8)), ..row(1, 120) };
        let later = Row { floor: 6, ..row(1, 120) };
        let released = Row { token: None, ..row(1, 105) };
        let (token, forgotten) = (Some(LeaseEnd::Token), Some(LeaseEnd::Forgotten));
        let after = Row { floor: 110, ..other.clone() };
        let cases = [
            (Some(intact(row(1, 110), 5)), None),
            // Renewed by a request whose answer was lost, perhaps by nothing.
            (Some(intact(row(1, 115), 6)), None),
            (Some(intact(row(1, 110), 6)), None),
            (Some(intact(after, 6)), token),
            // Below its ceiling: a release, unless the holder knows better.
            (Some(intact(other.clone(), 6)), token),
            (Some(intact(later.clone(), 6)), token),
            (Some(intact(released.clone(), 6)), token),
            (None, forgotten),
            (Some(intact(row(1, 110), 4)), forgotten),
            (Some(intact(row(1, 109), 5)), forgotten),
            (Some(intact(row(1, 111), 5)), forgotten),
            (Some(intact(row(1, 109), 6)), forgotten),
            (Some(intact(other, 5)), forgotten),
            (Some(intact(later, 5)), forgotten),
            (Some(intact(released, 4)), forgotten),
        ];
        let record = record();
        let rules = RealmRules::new(&record, at(100)).unwrap();
        for (state, expected) in cases {
            let loss = |refusal| match refusal {
                Refusal::Lost { why, .. } => why,
                other => panic!("{other}"),
            };
            let plain = |why| if why == LeaseEnd::Overtaken { LeaseEnd::Token } else { why };
            let renewed = rules.renew(&lease, state.as_ref()).map_err(|no| plain(loss(no)));
            let released = rules.release(&lease, state.as_ref(), None).map_err(loss);
            assert_eq!(renewed.err(), expected, "{state:?}");
            assert_eq!(released.err(), expected, "{state:?}");
        }
    }

    #[test]
    fn eras_prove_a_loss_one_way_only() {
        let lease = Lease { era: 3, ..lease(110, 5) };
        let loss =
            |record: &Record| match RealmRules::new(record, at(100)).unwrap().renew(&lease, None) {
                Err(Refusal::Lost { why, .. }) => why,
                other => panic!("{other:?}"),
            };
        assert_eq!(loss(&Record { era: 2, ..record() }), LeaseEnd::Forgotten);
        assert_eq!(loss(&Record { era: 3, ..record() }), LeaseEnd::Forgotten, "no row");
        let mut later = Record { era: 4, ..record() };
        later.parts[0].since_era = 4;
        assert_eq!(loss(&later), LeaseEnd::Era);
        assert_eq!(loss(&Record { era: 4, ..record_of("2/8") }), LeaseEnd::Era);
        let after = RealmRules::new(&later, at(100)).unwrap().invalidate("1".to_owned(), 9);
        assert_eq!((after.era, after.parts[0].since_era, after.floor), (10, 10, 130));
    }

    /// The window that a claim gets when it tries node 1 first.
    fn retried(
        record: &Record,
        state: Option<RowState>,
        claim: &Claim,
    ) -> Result<Option<(u64, u64)>, Refusal> {
        let row =
            RealmRules::new(record, at(100)).unwrap().retry(node(1), state.as_ref(), claim)?;
        Ok(row.map(|row| (row.floor, row.ceiling)))
    }

    #[test]
    fn claims_keep_unended_leases() {
        let claim = Claim::new(Token::from_bits(7), "", None);
        let own = || Some(intact(row(1, 105), 3));
        assert_eq!(retried(&record(), own(), &claim).unwrap(), Some((5, 115)));
        let other = Claim::new(Token::from_bits(8), "", None);
        assert_eq!(retried(&record(), own(), &other).unwrap(), None);
        let next = RealmRules::new(&record(), at(60)).unwrap().invalidate("1".to_owned(), 0);
        assert_eq!(retried(&next, own(), &claim).unwrap(), None);
        assert_eq!(retried(&record_of("2/8"), own(), &claim).unwrap(), None, "not in the pool");
    }

    #[test]
    fn no_window_is_empty() {
        let record = record();
        let (end, claim) = (record.realm.end(), Claim::new(Token::from_bits(8), "", None));
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let grant = |ceiling| rules.grant(node(1), Some(&intact(row(1, ceiling), 1)), &claim);
        let last = grant(end - 1).unwrap();
        assert_eq!((last.floor, last.ceiling), (end - 1, end));
        assert_eq!(grant(end).unwrap_err(), Refusal::EndOfTime { last: end - 1 });
    }

    #[test]
    fn standings_change_at_the_limits() {
        let mut record = Record { era: 3, ..record() };
        record.parts[0].since_era = 2;
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let of_era = |era, ceiling| intact(Row { era, ..row(1, ceiling) }, 1);
        let free = Row { token: None, ..row(1, 110) };
        for (state, expected) in [
            (None, Standing::Free),
            (Some(intact(free, 1)), Standing::Free),
            (Some(dead(row(1, 110))), Standing::Free),
            (Some(of_era(2, 101)), Standing::Held),
            (Some(of_era(2, 100)), Standing::Expired),
            (Some(of_era(1, 110)), Standing::Expired),
            (Some(of_era(1, 100)), Standing::Expired),
            (Some(of_era(2, 130)), Standing::Held),
            (Some(of_era(2, 131)), Standing::Quarantined),
        ] {
            assert_eq!(rules.standing(node(1), state.as_ref()), expected, "{state:?}");
        }
        assert_eq!(rules.standing(node(3), None), Standing::Retired);
    }

    #[test]
    fn claims_try_a_node_first() {
        let claim = Claim::new(Token::from_bits(8), "", Some(100));
        assert_eq!(retried(&record(), None, &claim).unwrap(), Some((0, 115)));
        let free = |ceiling| Some(intact(row(1, ceiling), 1));
        assert_eq!(retried(&record(), free(100), &claim).unwrap(), Some((100, 115)));
        assert_eq!(retried(&record(), free(101), &claim).unwrap(), None);
        assert_eq!(retried(&record_of("2/8"), None, &claim).unwrap(), None);
        // A clock that is behind finds another node sooner.
        let behind = Claim::new(Token::from_bits(8), "", Some(99));
        assert_eq!(retried(&record(), free(100), &behind).unwrap(), None);
        let next = RealmRules::new(&record(), at(90)).unwrap().invalidate("1".to_owned(), 0);
        let refusal = retried(&next, None, &claim).unwrap_err();
        assert_eq!(refusal, Refusal::NotYet { from: at(120), now: at(100) });
    }

    #[test]
    fn repair_lowers_the_ceiling() {
        let high = Record { floor: 5_000, ..record() };
        let rules = RealmRules::new(&high, at(100)).unwrap();
        for state in [None, Some(intact(row(1, 50), 1)), Some(intact(row(1, 900), 1))] {
            let (record, row) = rules.repair(node(1), state.as_ref()).unwrap();
            assert_eq!((record.unwrap().floor, row.token), (130, None));
            assert!(row.ceiling <= 130);
        }
        let at_limit = RealmRules { record: &record(), ..rules }
            .repair(node(1), Some(&intact(row(1, 130), 1)));
        let refusal = Refusal::NotQuarantined { node: node(1), ceiling: 130, limit: 130 };
        assert_eq!(at_limit.unwrap_err(), refusal);
        for (floor, expected) in [(5, 5), (130, 130), (131, 130)] {
            let state = intact(Row { floor, ..row(1, 900) }, 1);
            let (_, row) = rules.repair(node(1), Some(&state)).unwrap();
            assert_eq!((row.floor, row.ceiling), (expected, 130));
        }
        let outside = rules.repair(node(9), None).unwrap_err();
        assert_eq!(outside, Refusal::NoRow { node: node(9) });

        let record = record();
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let malformed = RowState::Malformed { version: Version(3) };
        let (changed, row) = rules.repair(node(1), Some(&malformed)).unwrap();
        assert_eq!((changed, row.token, row.ceiling), (None, None, 130));
        let newer = RowState::Newer { format: 2 };
        let refusal = rules.repair(node(1), Some(&newer)).unwrap_err();
        assert_eq!(refusal, Refusal::Newer { node: node(1), format: 2 });
    }

    #[test]
    fn repair_frees_no_reserved_node() {
        let record = record();
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let extra = || Extra(serde_json::from_str(r#"{"reserved": true}"#).unwrap());
        // Further ahead than a lease can reach, as reservations are, or damaged to be within it.
        for ceiling in [record.realm.end(), 120] {
            let reserved = Row { token: None, extra: extra(), ..row(1, ceiling) };
            let refusal = rules.repair(node(1), Some(&intact(reserved, 1))).unwrap_err();
            assert_eq!(refusal, Refusal::Reserved { node: node(1), holder: String::new() });
        }
    }

    #[test]
    fn newer_rows_are_left_alone() {
        let record = record_of("1/8");
        let newer = RowState::Newer { format: 2 };
        assert_eq!(window(&record, newer.clone(), 100), None);
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let refusal = rules.renew(&lease(110, 5), Some(&newer)).unwrap_err();
        assert_eq!(refusal, Refusal::Newer { node: node(1), format: 2 });
        assert_eq!(rules.standing(node(1), Some(&newer)), Standing::Quarantined);
    }

    #[test]
    fn invalidate_is_idempotent() {
        let record = record();
        let once = RealmRules::new(&record, at(100)).unwrap().invalidate("2".to_owned(), 0);
        assert_eq!((once.floor, once.era), (130, 1));
        let twice = RealmRules::new(&once, at(100)).unwrap().invalidate("3".to_owned(), 0);
        assert_eq!((twice.floor, twice.era), (130, 2));
    }

    /// A record with such an era is damaged. No window is granted twice, as the floor rises.
    #[test]
    fn eras_stop_at_their_last() {
        let record = Record { era: u64::MAX, ..record() };
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let next = rules.invalidate("2".to_owned(), 0);
        assert_eq!((next.era, next.floor), (u64::MAX, rules.limit()));
    }
}
