//! The choice of a node for a claim, from a bounded number of rows.

use crate::model::lease::Claim;
use crate::model::pool::NodePool;
use crate::model::realm_view::RealmView;
use crate::model::record::{Row, RowState};
use crate::model::refusal::Refusal;
use crate::model::rules::{Free, RealmRules};
use tickid_core::AnyNode;

/// The nodes that were looked at and cannot be granted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shortage {
    seen: u64,
    quarantined: u64,
    /// The lowest ceiling.
    soonest: Option<u64>,
    /// The realm was seen as a whole, so that a further page has nothing new.
    pub(crate) is_whole: bool,
}

/// What a page has for a claim.
#[derive(Debug)]
pub(crate) enum Choice {
    /// The row to commit.
    Row(Row),
    /// No suitable node, with the nodes that were looked at.
    Shortage(Shortage),
}

impl Shortage {
    fn note(&mut self, ceiling: Option<u64>, limit: u64, nodes: u64) {
        self.seen += nodes;
        match ceiling.filter(|&ceiling| ceiling <= limit) {
            None => self.quarantined += nodes,
            Some(ceiling) => self.soonest = self.soonest.into_iter().chain([ceiling]).min(),
        }
    }

    /// Adds the nodes of a further page. Those that are on both count twice.
    pub(crate) fn add(&mut self, other: &Self) {
        if other.is_whole {
            *self = *other;
            return;
        }
        self.seen += other.seen;
        self.quarantined += other.quarantined;
        self.soonest = self.soonest.into_iter().chain(other.soonest).min();
    }

    /// Returns the refusal of a claim that found no node on any page.
    pub(crate) fn refusal(&self, rules: &RealmRules<'_>) -> Refusal {
        if let Some(not_yet) = rules.not_yet() {
            return not_yet;
        }
        let realm = &rules.record.realm;
        let nodes = realm.pool().len();
        let seen = if self.is_whole { nodes } else { self.seen.min(nodes) };
        let quarantined = self.quarantined.min(seen);
        let free_at = self.soonest.map(|tick| realm.scale().time_of(tick));
        Refusal::NoFreeNode { nodes, seen, quarantined, free_at }
    }
}

impl RealmRules<'_> {
    /// Chooses a node for a claim from the rows that a backend offered, or reports why none is
    /// suitable.
    ///
    /// A node is suitable if the store's clock has reached its ceiling, or if its holder is gone,
    /// because it has released the node or has provably ended. In order of preference:
    ///
    /// 1. Nodes with a row whose ceiling the claimant's clock has reached too, at random so that
    ///    claimants spread. Taking these first keeps the number of rows close to the number of
    ///    holders.
    /// 2. A node without a row, that is a gap between the rows of the page, which starts at random.
    /// 3. The node with the lowest ceiling, in the future of the claimant's clock, unless the claim
    ///    refuses that.
    ///
    /// `start` is the first node of the page. Nodes without a row are left out unless `may_add` is
    /// set, because the store may have no room for a further row. Returns the row to commit, or the
    /// nodes looked at.
    ///
    /// # Errors
    /// Returns [`Refusal::EndOfTime`] if the scheme has no ticks left.
    pub(crate) fn choose(
        &self,
        view: &RealmView,
        start: AnyNode,
        claim: &Claim,
        may_add: bool,
    ) -> Result<Choice, Refusal> {
        let is_future = |ceiling| claim.now.is_some_and(|now| now < ceiling);
        let mut shortage = Shortage { is_whole: view.page_end.is_none(), ..Shortage::default() };
        let (mut good, mut later) = (Vec::new(), None::<Free<'_>>);
        // Sort the rows into nodes that can be used now, later, or not at all.
        for (&node, state) in &view.rows {
            if self.record.part_of(node).is_none() {
                continue;
            }
            // The holder may be a program of a later release, which releases it.
            if matches!(state, RowState::Newer { .. }) {
                shortage.seen += 1;
                continue;
            }
            match self.free(node, Some(state)) {
                None => shortage.note(self.ceiling(node, Some(state)), self.limit(), 1),
                Some(free) if is_future(free.ceiling()) => {
                    later = later.into_iter().chain([free]).min_by_key(Free::order);
                }
                Some(free) => good.push(free),
            }
        }
        // Choose at random, so that claims that race for a node rarely meet again. Nodes without a
        // row come second, because a row stays forever.
        let pick = usize::try_from(claim.dice() >> 1).unwrap_or(0);
        let chosen = match good.get(pick % good.len().max(1)) {
            Some(&free) => Some(free),
            None if may_add => self.gap(view, start, is_future, &mut shortage, &mut later),
            None => None,
        };
        // A node whose window starts later is better than none, unless the claimant must issue at
        // once.
        let later = later.filter(|free| {
            if claim.only_started {
                shortage.note(Some(free.ceiling()), self.limit(), 1);
            }
            !claim.only_started
        });
        let Some(free) = chosen.or(later) else { return Ok(Choice::Shortage(shortage)) };
        self.grant(free, claim).map(Choice::Row)
    }

    /// Returns the row of a lease of `node`. That is the one that an earlier attempt of the claim
    /// got, renewed, or a new one if the node is free and its window has started for the claimant.
    ///
    /// # Errors
    /// Returns [`Refusal::NotYet`] before the realm starts, and [`Refusal::EndOfTime`] if the
    /// scheme has no ticks left.
    pub(crate) fn retry(
        &self,
        node: AnyNode,
        state: Option<&RowState>,
        claim: &Claim,
    ) -> Result<Option<Row>, Refusal> {
        let row = state.and_then(RowState::row);
        let own = row.filter(|row| row.token == Some(claim.token));
        if let Some(row) = own.and_then(|row| self.extend(row).ok()) {
            return Ok(Some(row));
        }
        if let Some(not_yet) = self.not_yet() {
            return Err(not_yet);
        }
        let is_complete = self.record.is_complete();
        match self.free(node, state).filter(|_| is_complete) {
            Some(free) if claim.now.is_none_or(|now| now >= free.ceiling()) => {
                self.grant(free, claim).map(Some)
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Returns the refusal of all claims before the realm starts.
    pub(crate) fn not_yet(&self) -> Option<Refusal> {
        if !(self.now + 1..=self.limit()).contains(&self.record.floor) {
            return None;
        }
        let time = |tick| self.record.realm.scale().time_of(tick);
        let (from, now) = (time(self.record.floor), time(self.now));
        Some(Refusal::NotYet { from, now, why: self.record.pause() })
    }

    /// Returns the first node from `start` on that was never granted, as far as the page shows
    /// that.
    fn gap<'v>(
        &self,
        view: &'v RealmView,
        start: AnyNode,
        is_future: impl Fn(u64) -> bool,
        shortage: &mut Shortage,
        later: &mut Option<Free<'v>>,
    ) -> Option<Free<'v>> {
        // The parts of the pool whose nodes without a row may be granted. The others are part of
        // the shortage.
        let mut open = Vec::new();
        for part in &self.record.parts {
            let ceiling = part.floor.max(self.record.floor);
            if self.is_free(ceiling, None) {
                open.push((part.range, is_future(ceiling)));
            } else if shortage.is_whole {
                let rows = view.rows.keys().filter(|node| part.range.contains(**node)).count();
                let unused = part.range.len().saturating_sub(u64::try_from(rows).unwrap_or(0));
                if unused > 0 {
                    shortage.note(Some(ceiling), self.limit(), unused);
                }
            }
        }
        // A node without a row is known to be unused only within the page that was read.
        let first = |in_future: bool| {
            let ranges = open.iter().filter(|(_, is_future)| *is_future == in_future);
            let pool = NodePool::new(ranges.map(|(range, _)| *range)).ok()?;
            let in_page = |node: &AnyNode| match view.page_end {
                None => true,
                Some(end) if start <= end => start <= *node && *node <= end,
                Some(end) => start <= *node || *node <= end,
            };
            let nodes = pool.nodes_from(start).take_while(in_page);
            let node = nodes.into_iter().find(|node| !view.rows.contains_key(node))?;
            self.free(node, None)
        };
        // A node whose window starts later is only the second choice.
        let now = first(false);
        if now.is_none()
            && let Some(free) = first(true)
        {
            *later = later.iter().copied().chain([free]).min_by_key(Free::order);
        }
        now
    }
}

/// Returns the position of a claim's next page.
pub(crate) fn page_start(pool: &NodePool, claim: &Claim) -> AnyNode {
    pool.node_at(claim.dice())
}

#[cfg(test)]
impl Choice {
    pub(crate) fn row(self) -> Option<Row> {
        match self {
            Self::Row(row) => Some(row),
            Self::Shortage(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;

    use super::*;
    use crate::model::record::{PoolPart, Record, Rows};
    use crate::model::rules::tests::{at, intact, node, record_of, row, rows};
    use crate::model::token::Token;

    /// At the store's time 100: a lease reaches to 115, and never further than 130.
    fn choose(record: &Record, rows: Rows, claim: &Claim) -> Result<Row, Refusal> {
        let view = RealmView { rows, ..RealmView::empty(at(100), "1".to_owned()) };
        let rules = RealmRules::new(record, at(100)).unwrap();
        match rules.choose(&view, node(0), claim, true)? {
            Choice::Row(row) => Ok(row),
            Choice::Shortage(shortage) => Err(shortage.refusal(&rules)),
        }
    }

    fn claim(now: Option<u64>) -> Claim {
        Claim::new(Token::from_bits(9), "", now)
    }

    fn started(now: u64) -> Claim {
        let mut claim = claim(Some(now));
        claim.only_started = true;
        claim
    }

    fn of_floor(pool: &str, floor: u64) -> Record {
        let mut record = record_of(pool);
        record.parts = record.parts.iter().map(|part| PoolPart { floor, ..*part }).collect();
        record
    }

    fn free_at(refusal: Result<Row, Refusal>) -> (u64, u64, Option<UnixTime>) {
        let refusal = refusal.unwrap_err();
        let Refusal::NoFreeNode { seen, quarantined, free_at, .. } = refusal else {
            panic!("{refusal}");
        };
        (seen, quarantined, free_at)
    }

    fn held(ceilings: impl IntoIterator<Item = u64>) -> Rows {
        let states = (0..).zip(ceilings);
        rows(states.map(|(value, ceiling)| (value, intact(row(value, ceiling), 1))))
    }

    #[test]
    fn shortages_name_the_lowest_ceiling() {
        let record = record_of("0-2/8");
        let exhausted = choose(&record, held([120, 110, 131]), &claim(None));
        assert_eq!(free_at(exhausted), (3, 1, Some(at(110))));
        // A part without unused nodes does not count.
        let record = of_floor("0/8", 105);
        assert_eq!(free_at(choose(&record, held([110]), &claim(None))), (1, 0, Some(at(110))));
        assert_eq!(free_at(choose(&record, Rows::new(), &claim(None))), (1, 0, Some(at(105))));
        assert_eq!(choose(&of_floor("0/8", 100), Rows::new(), &claim(None)).unwrap().floor, 100);
    }

    #[test]
    fn pages_add_up() {
        let page =
            |seen, quarantined, soonest| Shortage { seen, quarantined, soonest, is_whole: false };
        let record = record_of("0-9/8");
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let mut all = page(4, 1, Some(120));
        all.add(&page(3, 2, Some(110)));
        assert_eq!(free_at(Err(all.refusal(&rules))), (7, 3, Some(at(110))));
        // Those that were on both pages count twice, but never more than there are.
        all.add(&page(5, 0, Some(115)));
        assert_eq!(free_at(Err(all.refusal(&rules))), (10, 3, Some(at(110))));
        all.add(&Shortage { is_whole: true, ..page(1, 10, None) });
        assert_eq!(free_at(Err(all.refusal(&rules))), (10, 10, None));
    }

    #[test]
    fn windows_start_at_the_claimants_clock() {
        let record = record_of("0-1/8");
        let floor = |claim| choose(&record, held([60, 70]), &claim).map(|row| row.floor);
        for now in [70, 69, 60] {
            let expected = if now >= 70 { [60, 70].as_slice() } else { &[60] };
            assert!(expected.contains(&floor(started(now)).unwrap()), "{now}");
        }
        assert!(matches!(floor(started(59)), Err(Refusal::NoFreeNode { .. })));
        assert_eq!(floor(claim(Some(59))), Ok(60), "the lowest of those in its future");
    }

    /// Nodes without a row start at the floor of their part of the pool.
    #[test]
    fn unused_nodes_start_with_their_part() {
        let mut record = record_of("0/8,2/8");
        record.parts[0].floor = 60;
        record.parts[1].floor = 50;
        let chosen = |claim| choose(&record, Rows::new(), &claim).map(|row| row.node.value());
        assert_eq!(chosen(started(60)), Ok(0));
        assert_eq!(chosen(started(59)), Ok(2), "the other one is in its future");
        assert_eq!(chosen(started(50)), Ok(2));
        assert!(matches!(chosen(started(49)), Err(Refusal::NoFreeNode { .. })));
    }

    /// Neither rows nor gaps are preferred where both start in the claimant's future.
    #[test]
    fn the_lowest_of_rows_and_gaps_is_chosen() {
        let record = of_floor("0-1/8", 50);
        for (ceiling, expected) in [(60, (1, 50)), (45, (0, 50))] {
            let row = choose(&record, held([ceiling]), &claim(Some(40))).unwrap();
            assert_eq!((row.node.value(), row.floor), expected, "{ceiling}");
        }
    }

    #[test]
    fn pages_include_both_ends() {
        let record = record_of("0-9/8");
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let gap = |start, end, used: &[u64]| {
            let used = used.iter().map(|&value| (value, intact(row(value, 110), 1)));
            let page_end = Some(node(end));
            let empty = RealmView::empty(at(100), "1".to_owned());
            let view = RealmView { rows: rows(used), page_end, ..empty };
            let chosen = rules.choose(&view, node(start), &claim(None), true).unwrap();
            chosen.row().map(|row| row.node.value())
        };
        assert_eq!(gap(3, 5, &[]), Some(3));
        assert_eq!(gap(3, 5, &[3, 4]), Some(5));
        assert_eq!(gap(3, 5, &[3, 4, 5]), None);
        assert_eq!(gap(8, 1, &[]), Some(8));
        assert_eq!(gap(8, 1, &[8, 9, 0]), Some(1));
        assert_eq!(gap(8, 1, &[8, 9, 0, 1]), None);
    }

    #[test]
    fn realms_start_at_their_floor() {
        for (floor, is_early) in [(99, false), (100, false), (101, true), (130, true), (131, false)]
        {
            let record = Record { floor, ..record_of("0/8") };
            let answer = choose(&record, Rows::new(), &claim(None));
            let from = at(floor.cast_signed());
            let not_yet = Refusal::NotYet { from, now: at(100), why: None };
            assert_eq!(answer.clone().err() == Some(not_yet), is_early, "{floor}: {answer:?}");
            // Further ahead than a lease can reach, it is a clock that was wrong.
            assert_eq!(answer.is_ok(), floor <= 100, "{floor}: {answer:?}");
        }
    }

    #[test]
    fn retries_need_no_clock() {
        let record = record_of("1/8");
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let free = intact(row(1, 90), 1);
        let floor =
            |now| rules.retry(node(1), Some(&free), &claim(now)).unwrap().map(|row| row.floor);
        assert_eq!([None, Some(90), Some(89)].map(floor), [Some(90), Some(90), None]);
    }
}
