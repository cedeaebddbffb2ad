//! Evidence that a store lost data, beyond what a renewal proves.

use crate::model::lease::Lease;
use crate::model::realm_view::RealmView;
use crate::model::record::{Record, Row, RowState, Version};
use crate::model::refusal::{LeaseEnd, Refusal};
use crate::model::rules::RealmRules;
use tickid_core::AnyNode;

/// Up to this number, each new row raises the record's [bound](Record::rows).
const COUNTED_SINGLY: u64 = 8;

impl RealmRules<'_> {
    /// Reports whether a lease whose holder never released it, and never will, proves that the
    /// store lost data. `why` is the reason that its last renewal was refused with.
    ///
    /// This finds more than a renewal does. Whatever became of such a lease, every later window of
    /// its node starts at its ceiling or above, in any era, unless an operator cut it short after
    /// it was last acknowledged. The row shows that only until the node has been granted from above
    /// the ceiling, so what the renewal saw counts as well.
    pub(crate) fn proves_loss(
        &self,
        lease: &Lease,
        why: LeaseEnd,
        state: Option<&RowState>,
    ) -> bool {
        if self.is_repaired(lease) {
            return false;
        }
        let part = self.record.part_of(lease.node);
        let is_current = part.is_some_and(|part| part.since_era <= lease.era);
        let proves_loss =
            |refusal| matches!(refusal, Refusal::Lost { why, .. } if why.proves_loss());
        why.proves_loss_unless_released() && is_current
            || self.is_overtaken(lease, state)
            || self.held(lease, state).is_err_and(proves_loss)
    }

    /// Reports whether all windows that are granted from now on start at the lease's ceiling or
    /// above, because the realm was invalidated since the lease was acknowledged.
    pub(crate) fn is_repaired(&self, lease: &Lease) -> bool {
        self.record.floor >= lease.ceiling
    }

    /// Reports whether a window of the lease's node starts, or the next one would start, below its
    /// ceiling, and no operator has cut it short since it was last acknowledged.
    pub(crate) fn is_overtaken(&self, lease: &Lease, state: Option<&RowState>) -> bool {
        // A row that cannot be read proves nothing.
        let Some(next) = self.ceiling(lease.node, state) else { return false };
        let row = state.and_then(RowState::row);
        let is_other = |row: &&Row| {
            row.token.is_some() && (row.token, row.floor) != (Some(lease.token), lease.floor)
        };
        let first = row.filter(is_other).map_or(next, |row| row.floor);
        first < lease.ceiling && row.is_none_or(|row| lease.version >= row.cut)
    }

    /// Releases a lease in place of its holder, which may be alive, and notes it if the ceiling
    /// falls.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    pub(crate) fn cut_short(
        &self,
        lease: &Lease,
        state: Option<&RowState>,
        used: Option<u64>,
    ) -> Result<Row, Refusal> {
        let row = self.release(lease, state, used)?;
        let is_shorter = state.and_then(RowState::row).is_some_and(|old| row.ceiling < old.ceiling);
        let cut = Version::after(state.and_then(RowState::version));
        Ok(if is_shorter { Row { cut, ..row } } else { row })
    }

    /// Reports whether a view lacks rows that the pool's nodes must have.
    pub(crate) fn lacks_rows(&self, view: &RealmView) -> bool {
        self.count(view).is_some_and(|rows| rows < self.record.rows)
    }

    /// Returns the record with a higher bound of its rows, for the commit that grants `node`, or
    /// `None` if the bound stays. The bound rises by steps, because all claims compare the record,
    /// and one that writes it makes the others start over.
    pub(crate) fn counted(&self, view: &RealmView, node: AnyNode) -> Option<Record> {
        let is_new = !view.rows.contains_key(&node);
        let rows = self.count(view)?.saturating_add(u64::from(is_new));
        let more = rows.checked_sub(self.record.rows).filter(|more| *more > 0)?;
        let is_due = !is_new || rows <= COUNTED_SINGLY || more > self.record.rows / 4;
        is_due.then(|| Record { rows, ..self.record.clone() })
    }

    /// Returns the number of rows of nodes in the pool, if the view has them all. Some backends
    /// leave out the rows of other nodes.
    fn count(&self, view: &RealmView) -> Option<u64> {
        let is_in_pool = |node: &&AnyNode| self.record.part_of(**node).is_some();
        view.page_end.is_none().then(|| view.rows.keys().filter(is_in_pool).count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;
    use tickid_core::example::Seconds;

    use super::*;
    use crate::model::realm_spec::RealmSpec;
    use crate::model::record::{Extra, Rows};
    use crate::model::token::Token;

    fn node(value: u64) -> AnyNode {
        AnyNode::new(value, 8).unwrap()
    }

    fn now() -> UnixTime {
        UnixTime::from_micros(100_000_000)
    }

    fn record() -> Record {
        let pool = "0-19/8".parse().unwrap();
        let realm = RealmSpec::new("a".parse().unwrap(), &Seconds, pool).unwrap();
        Record { era: 3, ..Record::new(realm, "1".to_owned()) }
    }

    /// The row of the lease below.
    fn row() -> Row {
        Row {
            node: node(1),
            token: Some(Token::from_bits(7)),
            holder: String::new(),
            era: 2,
            floor: 50,
            ceiling: 110,
            cut: Version::default(),
            extra: Extra::default(),
        }
    }

    fn lease() -> Lease {
        let terms = record().realm.terms();
        crate::model::rules::lease(0, terms, &row(), Some(Version(4)), now()).unwrap()
    }

    fn intact(row: Row, version: u64) -> RowState {
        RowState::Intact { row, version: Version(version), is_dead: false }
    }

    fn other(floor: u64, ceiling: u64) -> Row {
        Row { token: Some(Token::from_bits(8)), floor, ceiling, ..row() }
    }

    #[test]
    fn lower_floors_prove_a_loss() {
        let free = |ceiling| Row { token: None, ..other(50, ceiling) };
        let cut = |cut| Row { cut: Version(cut), ..other(109, 140) };
        let cases = [
            (Some(intact(row(), 5)), false, "its own row"),
            (Some(intact(other(110, 140), 6)), false, "a window above it"),
            (Some(intact(free(110), 6)), false, "released at its end"),
            (Some(intact(other(109, 140), 6)), true, "a window below its end"),
            (Some(intact(free(109), 6)), true, "the next below its end"),
            (Some(intact(Row { floor: 51, ..row() }, 6)), true, "its token, another floor"),
            (Some(intact(other(110, 140), 4)), true, "a lower version"),
            (None, true, "no row"),
            (Some(RowState::Malformed { version: Version(9) }), false, "an unreadable row"),
            (Some(RowState::Newer { record_version: 2 }), false, "a row of a later release"),
            (Some(intact(cut(6), 7)), false, "cut short after it was acknowledged"),
            (Some(intact(cut(5), 7)), true, "cut short before that"),
        ];
        let record = record();
        let rules = RealmRules::new(&record, now()).unwrap();
        for (state, expected, what) in &cases {
            assert_eq!(
                rules.proves_loss(&lease(), LeaseEnd::Token, state.as_ref()),
                *expected,
                "{what}"
            );
        }
    }

    /// The era does not matter: a later window of a restored node starts above as well.
    #[test]
    fn repaired_losses_prove_nothing() {
        let overtaken = intact(other(60, 140), 6);
        for (floor, since_era, seen, expected) in [
            (109, 2, LeaseEnd::Overtaken, true),
            (110, 2, LeaseEnd::Overtaken, false),
            (109, 3, LeaseEnd::Token, true),
            (110, 3, LeaseEnd::Token, false),
        ] {
            let mut record = Record { floor, ..record() };
            record.parts[0].since_era = since_era;
            let rules = RealmRules::new(&record, now()).unwrap();
            assert_eq!(rules.proves_loss(&lease(), seen, Some(&overtaken)), expected);
            let why = |state| match rules.renew(&lease(), state) {
                Err(Refusal::Lost { why, .. }) => why,
                other => panic!("{other:?}"),
            };
            let is_current = since_era == 2;
            let lost = if is_current && expected { LeaseEnd::Forgotten } else { LeaseEnd::Era };
            assert_eq!(why(None), lost, "no row");
            assert_eq!(rules.proves_loss(&lease(), LeaseEnd::Token, None), expected, "no row");
        }
    }

    #[test]
    fn what_a_renewal_saw_stays_true() {
        let above = intact(other(140, 150), 9);
        let mut record = record();
        for (since_era, expected) in [(2, true), (3, false)] {
            record.parts[0].since_era = since_era;
            let rules = RealmRules::new(&record, now()).unwrap();
            assert_eq!(rules.proves_loss(&lease(), LeaseEnd::Overtaken, Some(&above)), expected);
            assert!(!rules.proves_loss(&lease(), LeaseEnd::Token, Some(&above)));
        }
        record.parts.clear();
        let rules = RealmRules::new(&record, now()).unwrap();
        assert!(!rules.proves_loss(&lease(), LeaseEnd::Overtaken, Some(&above)), "not in the pool");
    }

    #[test]
    fn only_lowered_ceilings_are_cuts() {
        let record = record();
        let rules = RealmRules::new(&record, now()).unwrap();
        let state = intact(row(), 5);
        for (used, ceiling, cut) in [(None, 51, 6), (Some(80), 81, 6), (Some(109), 110, 0)] {
            let row = rules.cut_short(&lease(), Some(&state), used).unwrap();
            assert_eq!((row.token, row.ceiling, row.cut), (None, ceiling, Version(cut)));
        }
        let limit = rules.limit();
        let high = intact(Row { ceiling: limit + 1, ..row() }, 5);
        let (_, repaired) = rules.repair(node(1), Some(&high)).unwrap();
        assert_eq!((repaired.ceiling, repaired.cut), (limit, Version(6)));
    }

    fn view(values: impl IntoIterator<Item = u64>) -> RealmView {
        let state = |value| (node(value), intact(Row { node: node(value), ..row() }, 1));
        let rows: Rows = values.into_iter().map(state).collect();
        RealmView { rows, ..RealmView::empty(now(), "1".to_owned()) }
    }

    #[test]
    fn missing_rows_are_counted() {
        let record = Record { rows: 3, ..record() };
        let rules = RealmRules::new(&record, now()).unwrap();
        assert!(!rules.lacks_rows(&view([0, 1, 2])));
        assert!(rules.lacks_rows(&view([0, 1])));
        assert!(rules.lacks_rows(&view([0, 1, 20])), "node 20 is not in the pool");
        assert!(
            !rules.lacks_rows(&RealmView { page_end: Some(node(1)), ..view([0, 1]) }),
            "a page"
        );
    }

    #[test]
    fn the_bound_of_rows_rises_by_steps() {
        let kept = |rows, count, node_value| {
            let record = Record { rows, ..record() };
            let rules = RealmRules::new(&record, now()).unwrap();
            rules.counted(&view(0..count), node(node_value)).map(|record| record.rows)
        };
        assert_eq!(kept(0, 0, 0), Some(1));
        assert_eq!(kept(7, 7, 7), Some(8));
        assert_eq!(kept(8, 8, 8), None, "9 are not worth it");
        assert_eq!(kept(8, 9, 9), None, "nor are 10, a quarter more");
        assert_eq!(kept(8, 10, 10), Some(11));
        assert_eq!(kept(8, 9, 0), Some(9), "no row is new, so no other claim comes");
        assert_eq!(kept(9, 9, 0), None);
        let page = RealmView { page_end: Some(node(1)), ..view([0, 1]) };
        let record = record();
        assert_eq!(RealmRules::new(&record, now()).unwrap().counted(&page, node(2)), None);
    }
}
