//! The change of a realm's pool and terms, in two steps. First the nodes that leave it end, and
//! then the new ones come in above everything that was granted under related nodes.

use core::fmt;

use tickid_core::counted;

use crate::model::pool::NodeRange;
use crate::model::realm_spec::{RealmSpec, Terms};
use crate::model::record::{PoolPart, Record, RowState, Rows};
use crate::model::refusal::Refusal;
use crate::model::rules::{RealmRules, unreadable};

/// A part of a realm that [`Store::reconfigure_parts`](crate::Store::reconfigure_parts) can change.
/// [`RealmSpec::changeable_parts`] returns their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RealmPart {
    /// The [pool](RealmSpec::pool).
    Pool,
    /// The [term](crate::admin::Terms::term).
    Term,
    /// The [skew](crate::admin::Terms::skew).
    Skew,
    /// The [start of ticks](crate::admin::Terms::start).
    Start,
    /// The [allowance](crate::admin::Terms::allowance).
    Allowance,
}

tickid_core::cases! {
    /// All parts.
    pub(crate) ALL of RealmPart: Pool, Term, Skew, Start, Allowance
}

impl RealmPart {
    /// Reports whether functions in PostgreSQL keep the value that they were created with, until
    /// `tickid sql` creates them again.
    #[must_use]
    pub const fn is_kept_by_functions(self) -> bool {
        match self {
            // The functions have their node for good, and hold no lease.
            Self::Pool | Self::Term => false,
            Self::Skew | Self::Start | Self::Allowance => true,
        }
    }
}

/// Writes its name, such as `skew`. Each name but `allowance` is also an option of `tickid lease
/// init`.
impl fmt::Display for RealmPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pool => "pool",
            Self::Term => "term",
            Self::Skew => "skew",
            Self::Start => "start",
            Self::Allowance => "allowance",
        })
    }
}

impl RealmSpec {
    /// Returns the parts that can be changed, each with its value as text.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// let parts = realm.spec().changeable_parts().map(|(part, value)| format!("{part} {value}"));
    /// let expected = ["pool 0-1023/16", "term 10s", "skew 5s", "start lowest", "allowance 0 ticks"];
    /// assert_eq!(parts, expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changeable_parts(&self) -> [(RealmPart, String); 5] {
        let Self { name: _, scheme: _, settings: _, scale: _, end: _, pool, terms } = self;
        let Terms { term, skew, start, allowance } = terms;
        [
            (RealmPart::Pool, pool.to_string()),
            (RealmPart::Term, format!("{term:?}")),
            (RealmPart::Skew, format!("{skew:?}")),
            (RealmPart::Start, start.to_string()),
            (RealmPart::Allowance, counted(*allowance, "tick").to_string()),
        ]
    }

    /// Returns the realm with the parts that are not named as `kept` has them.
    fn over(&self, kept: &Self, parts: &[RealmPart]) -> Self {
        let mut merged = Self { pool: kept.pool.clone(), terms: kept.terms, ..self.clone() };
        for part in parts {
            match part {
                RealmPart::Pool => merged.pool = self.pool.clone(),
                RealmPart::Term => merged.terms.term = self.terms.term,
                RealmPart::Skew => merged.terms.skew = self.terms.skew,
                RealmPart::Start => merged.terms.start = self.terms.start,
                RealmPart::Allowance => merged.terms.allowance = self.terms.allowance,
            }
        }
        merged
    }
}

impl RealmRules<'_> {
    /// Returns the record with a new pool and new terms, the first of two steps, or `None` if it
    /// has these already. The parts of `realm` that are not named stay as the record has them.
    /// Leases of nodes that stay in the pool continue. Leases of nodes that leave it end, and do
    /// not come back with their nodes. `rows` are all rows of the realm.
    ///
    /// Nodes that are new to the pool can be granted only after the second step,
    /// [`complete`](Self::complete). The first one has to end the leases of related nodes before.
    ///
    /// # Errors
    /// Returns [`Refusal::Mismatch`] for a different scheme, layout or kind of ticks, and for a
    /// pool that turns a realm of IDs with nodes into one of IDs without, or the reverse. Returns
    /// [`Refusal::Overlap`] for a pool that has a part of a reserved node, or a node that contains
    /// it.
    ///
    /// A row that cannot be read may be one of a reserved node. So this returns
    /// [`Refusal::Newer`] for any row of a later release, and [`Refusal::Malformed`] for a damaged
    /// row of a node that shares IDs with the pool's.
    ///
    /// # Examples
    /// ```
    #[doc = include_str!("../example.rs.txt")]
    /// use tickid_core::UnixTime;
    /// use tickid_lease::Realm;
    /// use tickid_lease::admin::{RealmPart, RealmRules};
    /// use tickid_lease::backend::{Record, Rows};
    /// use tickid_sno::Sno;
    ///
    /// let now = UnixTime::from_millis(1_700_000_000_000)?;
    /// let small = Realm::builder("orders", Sno).pool("0-9/16").build()?;
    /// let (record, rows) = (Record::new(small, "1".to_owned()), Rows::new());
    /// let rules = RealmRules::new(&record, now)?;
    /// let first = rules.reconfigure(realm.spec(), &[RealmPart::Pool], &rows)?.ok_or("no change")?;
    /// assert!(!first.is_complete() && first.part_of("50/16".parse()?).is_none()); // not yet
    /// let second = RealmRules::new(&first, now)?.complete(&rows).ok_or("no change")?;
    /// assert!(second.is_complete() && second.part_of("50/16".parse()?).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reconfigure(
        &self,
        realm: &RealmSpec,
        parts: &[RealmPart],
        rows: &Rows,
    ) -> Result<Option<Record>, Refusal> {
        self.check_ids(realm)?;
        let realm = realm.over(&self.record.realm, parts);
        // An assumed pool stays one if only other parts are chosen, so that a holder of the lost
        // realm can still give back the pool that it knows.
        let is_chosen = parts.contains(&RealmPart::Pool);
        if realm == self.record.realm {
            return Ok(self.chosen().filter(|_| is_chosen));
        }
        for (&node, state) in rows {
            let related = realm.pool().range_related(node);
            match (state, related) {
                (RowState::Newer { .. }, _) | (RowState::Malformed { .. }, Some(_)) => {
                    return Err(unreadable(node, Some(state)));
                }
                (RowState::Intact { row, .. }, Some(&range)) if row.is_reserved() => {
                    return Err(Refusal::Overlap { range, node, holder: row.holder.clone() });
                }
                (RowState::Intact { .. }, _) | (RowState::Malformed { .. }, None) => {}
            }
        }
        let mut parts = Vec::new();
        for &range in realm.pool().ranges() {
            let common =
                |part: &PoolPart| Some(PoolPart { range: range.common(&part.range)?, ..*part });
            parts.extend(self.record.parts_in(&range).iter().filter_map(common));
        }
        // Leases with the earlier terms continue.
        let max_ahead = self.record.max_ahead.max(realm.max_ahead());
        let era = self.record.era.saturating_add(1);
        let is_assumed = self.record.is_assumed && !is_chosen;
        let record = Record { realm, era, parts, max_ahead, ..self.record.clone() };
        // Some rows may be of nodes that leave the pool, so they are counted anew.
        Ok(Some(Record { rows: 0, is_assumed, ..record }))
    }

    /// Returns the record with the nodes that its pool lacks, the second step of a reconfiguration,
    /// or `None` if it lacks none. `rows` are all rows of the realm.
    ///
    /// Since the first step no lease of a node that is related to these can be granted or renewed.
    /// So the highest of their ceilings is a floor above everything that was granted under them.
    #[must_use]
    pub fn complete(&self, rows: &Rows) -> Option<Record> {
        if self.record.is_complete() {
            return None;
        }
        let missing = self.record.missing();
        let since_era = self.record.era;
        // A new range may be a prefix of old nodes or the other way round: `2/2` covers the IDs of
        // `4/3`. It must start above the windows of all of these.
        let floor = |range: &NodeRange| {
            // Prefixes of the first node start before the range, and all other related nodes in it.
            let first = range.first_node();
            let shorter = first.prefixes().filter_map(|node| rows.get_key_value(&node));
            let inside = rows.range(first..);
            let inside = inside.take_while(|(node, _)| *node.span().start() <= range.end());
            let related = shorter.chain(inside.filter(|(node, _)| node.bits() != range.bits()));
            let ceiling = |(&node, state)| self.ceiling(node, Some(state)).unwrap_or(self.limit());
            related.map(ceiling).max().unwrap_or(0)
        };
        let new =
            missing.iter().map(|range| PoolPart { range: *range, since_era, floor: floor(range) });
        let mut parts: Vec<PoolPart> = self.record.parts.iter().copied().chain(new).collect();
        // By position, like the ranges of a pool, so that a part is found by a binary search.
        parts.sort_by_key(|part| (part.range.start(), part.range.bits()));
        Some(Record { parts, ..self.record.clone() })
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::model::realm_spec::RealmFacet;
    use crate::model::record::{Extra, Row, Version};
    use crate::model::rules::tests::{at, intact, node, realm, record_of, row, rows};
    use tickid_core::AnyNode;

    /// Half of a node that others hold is brought in, above all that was granted under the whole.
    #[test]
    fn reconfiguring_takes_two_steps() {
        let first = record_of("0-2/8");
        let rules = RealmRules::new(&first, at(100)).unwrap();
        assert_eq!(
            rules.reconfigure(&realm("0-2/8"), &RealmPart::ALL, &Rows::new()).unwrap(),
            None
        );
        // The example scheme has nodes of 8 bits; the rules accept any.
        let second = RealmSpec { pool: "1/8,0-1/9,9/8".parse().unwrap(), ..realm("0/8") };
        let step = rules.reconfigure(&second, &RealmPart::ALL, &Rows::new()).unwrap().unwrap();
        let parts = |record: &Record| {
            let part = |part: &PoolPart| (part.range.to_string(), part.since_era, part.floor);
            record.parts.iter().map(part).collect::<Vec<_>>()
        };
        assert_eq!(parts(&step), [("1/8".to_owned(), 0, 0)]);
        let missing: Vec<_> = step.missing().iter().map(NodeRange::to_string).collect();
        assert_eq!(missing, ["0-1/9", "9/8"]);

        let all = rows([(0, intact(row(0, 110), 1)), (1, intact(row(1, 112), 1))]);
        let rules = RealmRules::new(&step, at(100)).unwrap();
        let done = rules.complete(&all).unwrap();
        let expected = [("0-1/9", 1, 110), ("1/8", 0, 0), ("9/8", 1, 0)];
        assert_eq!(
            parts(&done),
            expected.map(|(nodes, era, floor)| (nodes.to_owned(), era, floor))
        );
        assert_eq!(RealmRules::new(&done, at(100)).unwrap().complete(&all), None);
        // A row that cannot be read may have been granted up to the limit.
        let damaged = rows([(0, RowState::Malformed { version: Version(0) })]);
        assert_eq!(rules.complete(&damaged).unwrap().parts[0].floor, 130);
    }

    /// Claimants repeat the second step until it is done. Records are not read with such parts, but
    /// a backend may create them.
    #[test]
    fn foreign_parts_do_not_keep_it_from_ending() {
        for (pool, foreign) in [("0-7/8", "8-9/8"), ("0/1,128-255/8", "64-127/8"), ("0/8", "1/9")] {
            let first = record_of("0/8");
            let realm = RealmSpec { pool: pool.parse().unwrap(), ..realm("0/8") };
            let foreign = PoolPart { range: foreign.parse().unwrap(), since_era: 0, floor: 0 };
            for parts in [vec![foreign], vec![first.parts[0], foreign]] {
                let record = Record { realm: realm.clone(), parts, ..first.clone() };
                let rules = RealmRules::new(&record, at(100)).unwrap();
                let done = rules.complete(&Rows::new()).unwrap_or(record.clone());
                assert!(done.is_complete(), "{pool}: {done:?}");
            }
        }
    }

    #[test]
    fn unnamed_parts_stay() {
        let kept = realm("0-2/8");
        let named = RealmSpec {
            pool: "0-9/8".parse().unwrap(),
            terms: Terms {
                allowance: 7,
                skew: Duration::from_secs(1),
                term: Duration::from_secs(60),
                start: tickid_core::TickStart::Random,
            },
            ..kept.clone()
        };
        assert_eq!(named.over(&kept, &[]), kept);
        assert_eq!(named.over(&kept, &RealmPart::ALL), named);
        let fields = |realm: &RealmSpec| {
            let record = Record::new(realm.clone(), String::new()).to_json();
            let record: serde_json::Value = serde_json::from_str(&record).unwrap();
            let fields = RealmFacet::ALL.into_iter().flat_map(RealmFacet::fields);
            fields.map(|field| record[field].clone()).collect::<Vec<_>>()
        };
        // Each part changes its own value and no other, and the record has a field for it.
        for part in RealmPart::ALL {
            let one = named.over(&kept, &[part]);
            let both = one.changeable_parts().into_iter().zip(kept.changeable_parts());
            let changed = both.filter(|(one, kept)| one != kept).map(|((part, _), _)| part);
            assert_eq!(Vec::from_iter(changed), [part]);
            assert_ne!(fields(&one), fields(&kept), "{part}");
            let others: Vec<_> =
                RealmPart::ALL.into_iter().filter(|other| *other != part).collect();
            assert_eq!(kept.over(&named, &others), one, "{part:?}");
        }
    }

    /// A holder of the lost realm gives back the pool that it knows only while it is assumed.
    #[test]
    fn only_a_named_pool_is_chosen() {
        let record = Record { is_assumed: true, ..record_of("0-2/8") };
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let terms = realm("0-2/8").terms().with_term(Duration::from_secs(60));
        let longer = RealmSpec { terms, ..realm("0-2/8") };
        let is_assumed = |realm: &RealmSpec, parts: &[RealmPart]| {
            let record = rules.reconfigure(realm, parts, &Rows::new()).unwrap();
            record.map(|record| record.is_assumed)
        };
        assert_eq!(is_assumed(&longer, &[RealmPart::Term]), Some(true));
        assert_eq!(is_assumed(&longer, &[RealmPart::Skew]), None, "the same");
        assert_eq!(is_assumed(&longer, &[RealmPart::Pool]), Some(false), "the same, and chosen");
        assert_eq!(is_assumed(&longer, &RealmPart::ALL), Some(false));
    }

    /// It may be reserved, so a node that shares its IDs is not granted.
    #[test]
    fn unreadable_rows_refuse() {
        let first = record_of("0-2/8");
        let rules = RealmRules::new(&first, at(100)).unwrap();
        let reconfigure = |pool: &str, state: RowState| {
            let rows = Rows::from([(node(2), state)]);
            let realm = RealmSpec { pool: pool.parse().unwrap(), ..realm("0/8") };
            rules.reconfigure(&realm, &[RealmPart::Pool], &rows).map(|record| record.is_some())
        };
        let newer = || RowState::Newer { record_version: 2 };
        let malformed = || RowState::Malformed { version: Version(1) };
        let node = node(2);
        for pool in ["0-3/8", "0-1/8", "0-3/9", "4-5/9"] {
            let refusal = Refusal::Newer { node, record_version: 2 };
            assert_eq!(reconfigure(pool, newer()), Err(refusal), "{pool}");
        }
        assert_eq!(reconfigure("0-2/8", newer()), Ok(false), "no change");
        for pool in ["0-3/8", "0-1/8", "0-3/9"] {
            assert_eq!(reconfigure(pool, malformed()), Ok(true), "{pool}");
        }
        for pool in ["4-5/9", "0-1/7"] {
            assert_eq!(reconfigure(pool, malformed()), Err(Refusal::Malformed { node }), "{pool}");
        }
    }

    /// Its IDs can come back only with a different node size.
    #[test]
    fn reserved_nodes_are_left_out() {
        let first = record_of("0-2/8");
        let rules = RealmRules::new(&first, at(100)).unwrap();
        let extra = serde_json::from_str(r#"{"reserved": true}"#).unwrap();
        let reserved = Row { extra: Extra(extra), holder: "functions".to_owned(), ..row(2, 900) };
        let rows = rows([(1, intact(row(1, 112), 1)), (2, intact(reserved, 1))]);
        let reconfigure = |pool: &str| {
            let realm = RealmSpec { pool: pool.parse().unwrap(), ..realm("0/8") };
            rules.reconfigure(&realm, &RealmPart::ALL, &rows).map(|record| record.is_some())
        };
        for pool in ["0-2/8", "0-1/8", "0-9/8", "0-3/9,6-9/9", "3/8,7/10", "1/1"] {
            assert_eq!(reconfigure(pool), Ok(pool != "0-2/8"), "{pool}");
        }
        for (pool, related) in [
            ("0-4/9", "0-4/9"),
            ("5/9,0/7", "5/9"),
            ("0-1/7", "0-1/7"),
            ("19/8,0/4", "0/4"),
            ("11/10", "11/10"),
        ] {
            let (range, node) = (related.parse().unwrap(), node(2));
            let holder = "functions".to_owned();
            assert_eq!(reconfigure(pool), Err(Refusal::Overlap { range, node, holder }), "{pool}");
        }
    }

    /// Against a plain statement of the rule, over many pools.
    #[test]
    fn new_parts_start_above_others() {
        let pools = ["0/1,1/1", "0-3/2", "0/1,4-7/3", "1-6/3", "0-7/3", "2-9/4,7/3", "1/1,1/3"];
        let all: Vec<AnyNode> = (0..5)
            .flat_map(|bits| (0..1 << bits).map(move |value| AnyNode::new(value, bits).unwrap()))
            .collect();
        for (before, after) in pools.iter().flat_map(|one| pools.map(|two| (*one, two))) {
            let spec = |pool: &str| RealmSpec { pool: pool.parse().unwrap(), ..realm("0/8") };
            let first = Record::new(spec(before), "1".to_owned());
            let rules = RealmRules::new(&first, at(100)).unwrap();
            let Some(step) =
                rules.reconfigure(&spec(after), &RealmPart::ALL, &Rows::new()).unwrap()
            else {
                continue;
            };
            let rows: Rows = (0..)
                .zip(&all)
                .map(|(at, &node)| (node, intact(Row { node, ..row(0, 100 + at * 7 % 31) }, 1)))
                .collect();
            let done = RealmRules::new(&step, at(100)).unwrap().complete(&rows).unwrap_or(step);
            assert!(done.is_complete() && done.missing().is_empty());
            for node in spec(after).pool().nodes() {
                let part = done.part_of(node).unwrap();
                let is_kept = first.part_of(node).is_some();
                assert_eq!(part.since_era, u64::from(!is_kept), "{node}: {before}, {after}");
                let related = rows.iter().filter(|(other, _)| {
                    **other != node && other.is_prefix_related(node) && !is_kept
                });
                let highest = related.map(|(_, state)| state.row().unwrap().ceiling).max();
                assert!(part.floor >= highest.unwrap_or(0), "{node}: {before}, {after}");
            }
        }
    }
}
