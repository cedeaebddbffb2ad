//! Every decision a store makes, as functions from what it keeps, what it is asked, and its clock to
//! what it keeps then.
//!
//! They hold no lock and do no I/O. A store either applies them in one atomic step
//! ([`TableStore`](crate::TableStore) does, over anything with a compare-and-set) or says the same in its
//! own language (SQL, a script) and is held to them by the conformance suite (feature `conformance`).
//!
//! Ticks are the realm's; `now` is the store's clock, converted by [`Realm::tick_at`].

use tickid_core::UnixTime;

use crate::node::Node;
use crate::realm::{Mismatch, Realm};
use crate::record::{Claim, Entry, Hold, Record, Row, Rows};

/// What a store says no with. It answered; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The lease is over: the node may be somebody else's. Its generator is to be closed.
    #[error("the lease of node {node} is lost: {why}")]
    Lost {
        /// The node.
        node: Node,
        /// How it came to an end.
        why: Loss,
    },
    /// No node of the pool can be given out now.
    #[error(
        "none of {nodes} nodes is free ({wild} of them are wild: too far ahead of the store's clock){}",
        soonest(*.free_at)
    )]
    Exhausted {
        /// How many nodes the pool has.
        nodes: u64,
        /// How many of them are further ahead of the store's clock than a lease can be.
        wild: u64,
        /// When, by the store's clock, the first may become free if it is not renewed.
        free_at: Option<UnixTime>,
    },
    /// The realm that was brought is not the one the store keeps under that name.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The store keeps no such realm.
    #[error("the store keeps no realm of that name")]
    NoRealm,
    /// The store keeps no row for the node.
    #[error("node {node} was never given out")]
    NoRow {
        /// The node.
        node: Node,
    },
    /// The row needs no mending.
    #[error("node {node} is not wild: its ceiling {ceiling} is no higher than {limit}")]
    NotWild {
        /// The node.
        node: Node,
        /// Its ceiling.
        ceiling: u64,
        /// The highest a lease can reach now.
        limit: u64,
    },
    /// The store's clock shows a time at which the scheme has no ticks.
    #[error("the store's clock reads {now}, outside of the scheme's time")]
    StoreClock {
        /// What it shows.
        now: UnixTime,
    },
    /// The scheme has no ticks left for another window.
    #[error("the scheme ends with tick {last}")]
    EndOfTime {
        /// The last tick that can be issued.
        last: u64,
    },
}

fn soonest(at: Option<UnixTime>) -> String {
    at.map_or_else(String::new, |at| format!("; the first may be at {at} by the store's clock"))
}

/// How a lease came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Loss {
    /// Somebody else has the node, or it was released.
    #[error("the node was given to somebody else or given back")]
    Token,
    /// The store forgot (fail-over, restored backup), or the node was taken out of the pool.
    #[error("the store forgot what it kept, or the node was taken out of the pool")]
    Era,
    /// The store has no row for the node.
    #[error("the store has no row for the node")]
    Row,
}

/// The rules over one realm's record, at one reading of the store's clock.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a> {
    record: &'a Record,
    now: u64,
}

impl<'a> Rules<'a> {
    /// The rules of a realm at a reading of the store's clock.
    ///
    /// # Errors
    /// [`Refusal::StoreClock`] for a reading at which the scheme has no ticks.
    pub fn new(record: &'a Record, now: UnixTime) -> Result<Self, Refusal> {
        let tick = record.realm.tick_at(now).ok_or(Refusal::StoreClock { now })?;
        Ok(Self { record, now: tick })
    }

    fn realm(&self) -> &'a Realm {
        &self.record.realm
    }

    /// The highest a lease reaches when it is acquired or renewed now.
    fn reach(&self) -> u64 {
        self.now.saturating_add(self.realm().ahead())
    }

    /// The highest a ceiling can be unless a clock was wrong.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.now.saturating_add(self.record.max_ahead)
    }

    /// Gives out a node of the pool, or what the same claim got before.
    ///
    /// Any node will do whose ceiling the store's clock has reached, or whose holder is gone: released
    /// or proven dead. Preferred are those whose ceiling the claimant's clock has reached as well; among
    /// these, those that were given out before, so that there are no more rows than needed; and where
    /// to begin depends on the claim, so that claimants don't all go for the same. The window begins at the
    /// ceiling.
    ///
    /// # Errors
    /// [`Refusal::Mismatch`], [`Refusal::Exhausted`], [`Refusal::EndOfTime`].
    pub fn acquire(&self, realm: &Realm, rows: &Rows, claim: &Claim) -> Result<Row, Refusal> {
        self.check(realm)?;
        // Of its rows, only one at most goes on: others ended when their nodes left the pool for a while.
        let own = rows.values().filter(|entry| entry.row.token == Some(claim.token));
        if let Some(row) = own.map(|own| self.extend(&own.row)).find_map(Result::ok) {
            return Ok(row);
        }
        let free = self.free_node(rows, claim)?;
        let floor = self.ceiling(rows, free);
        let ceiling = self.next_ceiling(floor).min(self.realm().end());
        if ceiling <= floor {
            return Err(Refusal::EndOfTime { last: self.realm().end() - 1 });
        }
        Ok(Row {
            node: free,
            token: Some(claim.token),
            holder: claim.holder.clone(),
            era: self.record.era,
            floor,
            ceiling,
        })
    }

    /// Whether `realm`, brought by somebody, is the one that is kept.
    ///
    /// # Errors
    /// [`Refusal::Mismatch`], which says what differs.
    pub fn check(&self, realm: &Realm) -> Result<(), Refusal> {
        realm.mismatch(self.realm()).map_or(Ok(()), |mismatch| Err(mismatch.into()))
    }

    /// How high a new window from `floor` reaches: one term more only where it would be empty.
    fn next_ceiling(&self, floor: u64) -> u64 {
        let reach = self.reach();
        if reach > floor { reach } else { floor.saturating_add(self.realm().term_ticks()) }
    }

    /// The tick below which everything may have been issued under `node`, or under a node that is a
    /// prefix of it or that it is a prefix of: those of earlier pools too.
    #[must_use]
    pub fn ceiling(&self, rows: &Rows, node: Node) -> u64 {
        let shorter = (0..node.bits()).filter_map(|bits| rows.get(&node.prefix(bits)));
        let longer = rows.range(node..).map(|(_, entry)| entry);
        let longer = longer.take_while(|entry| entry.row.node.is_prefix_related(node));
        let ceilings = shorter.chain(longer).map(|entry| entry.row.ceiling);
        ceilings.fold(self.record.floor, u64::max)
    }

    fn free_node(&self, rows: &Rows, claim: &Claim) -> Result<Node, Refusal> {
        let pool = self.realm().pool();
        #[allow(clippy::cast_possible_truncation, reason = "any number will do")]
        let start = claim.token.bits() as u64;
        let (mut unused, mut later) = (None, None);
        let (mut wild, mut soonest) = (0, None);
        for node in pool.nodes_from(start) {
            let ceiling = self.ceiling(rows, node);
            if ceiling > self.limit() {
                wild += 1;
                continue;
            }
            soonest = Some(soonest.map_or(ceiling, |soonest: u64| soonest.min(ceiling)));
            let entry = rows.get(&node);
            let is_gone = entry.is_some_and(|entry| entry.is_dead || entry.row.token.is_none());
            let is_free = ceiling <= self.now || is_gone;
            if !is_free || self.next_ceiling(ceiling) > self.limit() {
                continue;
            }
            if claim.now.is_some_and(|now| now < ceiling) {
                later = later.into_iter().chain([(ceiling, node)]).min();
            } else if entry.is_none() {
                unused = unused.or(Some(node));
            } else {
                return Ok(node);
            }
        }
        let later = later.map(|(_, node)| node);
        unused.or(later).ok_or_else(|| Refusal::Exhausted {
            nodes: pool.len(),
            wild,
            free_at: soonest.map(|tick| self.realm().scale().time_of(tick)),
        })
    }

    /// Raises a lease's ceiling. To do so twice does no harm, nor does it matter whether the store's
    /// clock has passed the ceiling, as long as nobody else was given the node.
    ///
    /// # Errors
    /// [`Refusal::Lost`].
    pub fn renew(&self, rows: &Rows, hold: &Hold) -> Result<Row, Refusal> {
        self.extend(held(rows, hold)?)
    }

    /// Raises the ceiling of a row whose lease has not ended with its era.
    fn extend(&self, row: &Row) -> Result<Row, Refusal> {
        if self.record.node_since(row.node).is_none_or(|since| row.era < since) {
            return Err(Refusal::Lost { node: row.node, why: Loss::Era });
        }
        let ceiling = row.ceiling.max(self.reach()).min(self.realm().end());
        Ok(Row { ceiling, ..row.clone() })
    }

    /// Makes sure that a store that forgot does no harm: everything it ever granted is taken to be used
    /// up, as far as a lease can reach, and no lease holds on.
    ///
    /// This trusts the store's clock to be no further behind than it was when the leases were granted
    /// that it forgot. It is the only decision that trusts a clock.
    #[must_use]
    pub fn forget(&self, generation: String) -> Record {
        let era = self.record.era.saturating_add(1);
        let since = self.record.since.iter().map(|&(range, _)| (range, era)).collect();
        let floor = self.record.floor.max(self.limit().min(self.realm().end()));
        Record { generation, era, floor, since, ..self.record.clone() }
    }

    /// Puts a wild row back to where a lease can reach: for the case that the store's clock was far
    /// ahead once and no ID was issued there, which only people can know.
    ///
    /// # Errors
    /// [`Refusal::NoRow`] and [`Refusal::NotWild`].
    pub fn mend(&self, rows: &Rows, node: Node) -> Result<(Record, Row), Refusal> {
        let limit = self.limit();
        // What makes it wild may be the floor of all nodes, whether they were ever given out or not.
        let never = self.realm().pool().contains(node) && self.record.floor > limit;
        let (token, holder) = (None, String::new());
        let blank = Row { node, token, holder, era: self.record.era, floor: 0, ceiling: 0 };
        let row = rows.get(&node).map(|entry| &entry.row);
        let row = row.or(never.then_some(&blank)).ok_or(Refusal::NoRow { node })?;
        let ceiling = row.ceiling.max(self.record.floor);
        if ceiling <= limit {
            return Err(Refusal::NotWild { node: row.node, ceiling, limit });
        }
        let record = Record { floor: self.record.floor.min(limit), ..self.record.clone() };
        let floor = row.floor.min(limit);
        Ok((record, Row { token: None, floor, ceiling: row.ceiling.min(limit), ..row.clone() }))
    }

    /// The record with another pool and other terms. Leases of nodes that stay in the pool go on; those
    /// of the others end, and don't come back with their nodes.
    ///
    /// # Errors
    /// [`Refusal::Mismatch`] for another scheme, another layout or other ticks, and for a pool that
    /// turns a realm of IDs with nodes into one of IDs without, or the reverse.
    pub fn reshape(&self, realm: &Realm) -> Result<Record, Refusal> {
        let comparable =
            Realm { pool: self.realm().pool.clone(), terms: self.realm().terms, ..realm.clone() };
        self.check(&comparable)?;
        if realm.variants() != self.realm().variants() {
            self.check(realm)?;
        }
        let era = self.record.era.saturating_add(1);
        let mut since = Vec::new();
        for &range in realm.pool().ranges() {
            let mut new = vec![range];
            for (kept, since_era) in &self.record.since {
                since.extend(range.common(kept).map(|common| (common, *since_era)));
                new = new.iter().flat_map(|part| part.without(kept)).collect();
            }
            since.extend(new.into_iter().map(|part| (part, era)));
        }
        // Leases on the earlier terms are still out there.
        let max_ahead = self.record.max_ahead.max(realm.max_ahead());
        Ok(Record { realm: realm.clone(), era, since, max_ahead, ..self.record.clone() })
    }
}

/// Gives a node back. The caller has closed its engine first; `used` is the highest tick that was ever
/// in it, under any toggle.
///
/// # Errors
/// [`Refusal::Lost`] when the row is somebody else's; nothing is given back then.
pub fn release(rows: &Rows, hold: &Hold, used: Option<u64>) -> Result<Row, Refusal> {
    let row = held(rows, hold)?;
    let ceiling = used.map_or(row.floor, |used| row.floor.max(used.saturating_add(1)));
    Ok(Row { token: None, ceiling, ..row.clone() })
}

/// The row of a lease, if it still is that lease's.
fn held<'a>(rows: &'a Rows, hold: &Hold) -> Result<&'a Row, Refusal> {
    let lost = |why| Refusal::Lost { node: hold.node, why };
    let row = &rows.get(&hold.node).ok_or_else(|| lost(Loss::Row))?.row;
    let is_held = row.token == Some(hold.token) && row.floor == hold.floor;
    if is_held { Ok(row) } else { Err(lost(Loss::Token)) }
}

/// How a node stands, for people to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// Given back, or its holder is proven dead.
    Free,
    /// Somebody's, who may issue IDs under it.
    Held,
    /// Somebody's who has not renewed it in time; free for others to take.
    Expired,
    /// Further ahead of the store's clock than a lease can reach. Not given out before it is mended or
    /// the store's clock gets there.
    Wild,
    /// Not in the pool any more.
    Retired,
}

impl Rules<'_> {
    /// How the node of this entry stands.
    #[must_use]
    pub fn standing(&self, rows: &Rows, entry: &Entry) -> Standing {
        let row = &entry.row;
        let ceiling = self.ceiling(rows, row.node);
        match self.record.node_since(row.node) {
            None => Standing::Retired,
            _ if ceiling > self.limit() => Standing::Wild,
            _ if entry.is_dead || row.token.is_none() => Standing::Free,
            Some(since) if row.era < since || ceiling <= self.now => Standing::Expired,
            Some(_) => Standing::Held,
        }
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::example::Seconds;

    use super::*;
    use crate::record::{Token, Version};

    /// Ticks of a second, three nodes, 15 ticks ahead.
    fn record() -> Record {
        let pool = "0-2/8".parse().unwrap();
        Record::new(Realm::new("a".parse().unwrap(), &Seconds, pool).unwrap(), "1".to_owned())
    }

    fn at(seconds: i64) -> UnixTime {
        UnixTime::from_micros(seconds * 1_000_000)
    }

    fn node(value: u64) -> Node {
        Node::new(8, value).unwrap()
    }

    /// One row, somebody's under token 7, with that ceiling; dead or alive.
    fn rows(ceiling: u64, is_dead: bool) -> Rows {
        let (token, holder) = (Some(Token::from_bits(7)), String::new());
        let row = Row { node: node(1), token, holder, era: 0, floor: 5, ceiling };
        Rows::from([(row.node, Entry { row, version: Version(1), is_dead })])
    }

    fn acquire(record: &Record, rows: &Rows, now: i64) -> Result<Row, Refusal> {
        let claim = Claim::new(Token::from_bits(9), "", None);
        Rules::new(record, at(now)).unwrap().acquire(&record.realm, rows, &claim)
    }

    fn of_one_node() -> Record {
        let record = record();
        let pool = "1/8".parse().unwrap();
        Record::new(Realm { pool, ..record.realm }, record.generation)
    }

    /// No store counts that far; a record that says so is damaged. No window is granted twice for it, as the floor rises.
    #[test]
    fn eras_stop_at_their_last() {
        let record = Record { era: u64::MAX, ..record() };
        let rules = Rules::new(&record, at(100)).unwrap();
        let forgotten = rules.forget("2".to_owned());
        assert_eq!((forgotten.era, forgotten.floor), (u64::MAX, rules.limit()));
        assert_eq!(rules.reshape(&record.realm).unwrap().era, u64::MAX);
    }

    #[test]
    fn a_window_is_granted_from_its_ceiling_when_the_stores_clock_is_there() {
        for (now, window) in [(99, None), (100, Some((100, 115))), (500, Some((100, 515)))] {
            let granted = acquire(&of_one_node(), &rows(100, false), now).ok();
            assert_eq!(granted.map(|row| (row.floor, row.ceiling)), window, "{now}");
        }
    }

    #[test]
    fn a_dead_holders_node_gets_one_term_more_only_where_the_window_would_be_empty() {
        // Reach: 15 ahead. Limit: 30 ahead. Term: 10.
        for (ceiling, window) in [
            (114, Some((114, 115))),
            (115, Some((115, 125))),
            (120, Some((120, 130))),
            (121, None),
            (130, None),
            (131, None),
        ] {
            let granted = acquire(&of_one_node(), &rows(ceiling, true), 100).ok();
            assert_eq!(granted.map(|row| (row.floor, row.ceiling)), window, "{ceiling}");
        }
    }

    #[test]
    fn a_node_is_wild_one_tick_beyond_the_limit() {
        for (ceiling, is_wild) in [(130, 0), (131, 1)] {
            match acquire(&of_one_node(), &rows(ceiling, false), 100) {
                Err(Refusal::Exhausted { wild, .. }) => assert_eq!(wild, is_wild, "{ceiling}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn nodes_that_were_given_out_before_come_first() {
        let granted = acquire(&record(), &rows(50, false), 100).unwrap();
        assert_eq!(granted.node, node(1));
        let granted = acquire(&record(), &rows(110, false), 100).unwrap();
        assert_ne!(granted.node, node(1));
    }

    /// A row of the claim that ended with its era, before one that goes on.
    #[test]
    fn a_claim_goes_on_with_the_one_of_its_rows_that_has_not_ended() {
        let first = record();
        let pool = |text: &str| Realm { pool: text.parse().unwrap(), ..first.realm.clone() };
        let record = |record: &Record, realm: &Realm| {
            Rules::new(record, at(100)).unwrap().reshape(realm).unwrap()
        };
        let without = record(&first, &pool("1-2/8"));
        let back = record(&without, &first.realm);
        let mut rows = Rows::new();
        for (value, era) in [(0, 0), (2, back.era)] {
            let (token, holder) = (Some(Token::from_bits(9)), String::new());
            let row = Row { node: node(value), token, holder, era, floor: 90, ceiling: 105 };
            rows.insert(row.node, Entry { row, version: Version(1), is_dead: false });
        }
        let granted = acquire(&back, &rows, 100).unwrap();
        assert_eq!((granted.node, granted.floor, granted.ceiling), (node(2), 90, 115));
        // Without that one, it is a new lease.
        rows.remove(&node(2));
        assert_eq!(acquire(&back, &rows, 100).unwrap().floor, 0);
    }

    #[test]
    fn a_floor_that_is_wild_is_mended_with_any_node() {
        let wild = Record { floor: 5_000, ..record() };
        assert!(acquire(&wild, &Rows::new(), 100).is_err());
        let rules = Rules::new(&wild, at(100)).unwrap();
        for rows in [Rows::new(), rows(50, false)] {
            let (mended, row) = rules.mend(&rows, node(1)).unwrap();
            assert_eq!((mended.floor, row.token), (130, None));
            assert!(row.ceiling <= 130);
        }
        let outside = rules.mend(&Rows::new(), node(9));
        assert_eq!(outside.unwrap_err(), Refusal::NoRow { node: node(9) });
    }

    #[test]
    fn forgetting_twice_adds_nothing_up() {
        let record = record();
        let once = Rules::new(&record, at(100)).unwrap().forget("2".to_owned());
        assert_eq!((once.floor, once.era), (130, 1));
        let twice = Rules::new(&once, at(100)).unwrap().forget("3".to_owned());
        assert_eq!((twice.floor, twice.era), (130, 2));
    }
}
