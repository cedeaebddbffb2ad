//! The rules, decision by decision.

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
    let terms = realm("0-7/8").terms();
    super::lease(0, terms, &row(1, ceiling), Some(Version(version - 1)), at(90)).unwrap()
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
        let refusal = exhausted(&record, intact(row(1, ceiling), 1), 100);
        let Refusal::NoFreeNode { quarantined, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(quarantined, expected);
    }
    let malformed = RowState::Malformed { version: Version(0) };
    let refusal = exhausted(&record, malformed, 100);
    let expected = matches!(refusal, Refusal::NoFreeNode { quarantined: 1, free_at: None, .. });
    assert!(expected, "{refusal}");
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
    for (start, end, expected) in [(2, 4, Some(3)), (2, 2, None), (8, 0, Some(9)), (4, 4, None)] {
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
        // A request whose answer was lost has renewed it, perhaps by nothing.
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
        let loss = |refusal| {
            let Refusal::Lost { why, .. } = refusal else { panic!("{refusal}") };
            why
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
    let loss = |record: &Record| match RealmRules::new(record, at(100)).unwrap().renew(&lease, None)
    {
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
    let row = RealmRules::new(record, at(100)).unwrap().retry(node(1), state.as_ref(), claim)?;
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
    let rules = RealmRules::new(&record, at(end.cast_signed() - 1)).unwrap();
    let grant = |ceiling| {
        let state = dead(row(1, ceiling));
        rules.grant(rules.free(node(1), Some(&state)).unwrap(), &claim)
    };
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
    let free = |ceiling| Row { token: None, ..row(1, ceiling) };
    for (state, expected) in [
        (None, Standing::Free),
        (Some(intact(free(110), 1)), Standing::Free),
        (Some(intact(free(130), 1)), Standing::Paused),
        (Some(dead(row(1, 110))), Standing::Free),
        (Some(of_era(2, 101)), Standing::Held),
        (Some(of_era(2, 100)), Standing::Expired),
        (Some(of_era(1, 110)), Standing::Paused),
        (Some(of_era(1, 100)), Standing::Expired),
        (Some(of_era(2, 130)), Standing::Held),
        (Some(of_era(2, 131)), Standing::Quarantined),
    ] {
        assert_eq!(rules.standing(node(1), state.as_ref()), expected, "{state:?}");
    }
    assert_eq!(rules.standing(node(3), None), Standing::Retired);
}

/// Lists and claims agree, also before a realm starts.
#[test]
fn free_nodes_are_those_that_claims_get() {
    for floor in [0, 100, 101, 114, 115, 130] {
        let record = Record { era: 1, floor, ..record_of("1/8") };
        let rules = RealmRules::new(&record, at(100)).unwrap();
        let of_era = |era, ceiling| intact(Row { era, ..row(1, ceiling) }, 1);
        let free = |ceiling| intact(Row { token: None, ..row(1, ceiling) }, 1);
        let states = (90..=135).flat_map(|ceiling| {
            [of_era(0, ceiling), of_era(1, ceiling), free(ceiling), dead(row(1, ceiling))]
        });
        for state in states.map(Some).chain([None]) {
            let standing = rules.standing(node(1), state.as_ref());
            let row = choose(&record, rows(state.clone().map(|state| (1, state))), 100).row();
            let is_free = matches!(standing, Standing::Free | Standing::Expired);
            assert_eq!(is_free, row.is_some(), "{floor} {state:?}: {standing:?}");
        }
    }
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
    assert_eq!(
        refusal,
        Refusal::NotYet { from: at(120), now: at(100), why: Some(PauseReason::Invalidated) }
    );
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
    let at_limit =
        RealmRules { record: &record(), ..rules }.repair(node(1), Some(&intact(row(1, 130), 1)));
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
    let newer = RowState::Newer { record_version: 2 };
    let refusal = rules.repair(node(1), Some(&newer)).unwrap_err();
    assert_eq!(refusal, Refusal::Newer { node: node(1), record_version: 2 });
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
    let newer = RowState::Newer { record_version: 2 };
    assert_eq!(window(&record, newer.clone(), 100), None);
    let rules = RealmRules::new(&record, at(100)).unwrap();
    let refusal = rules.renew(&lease(110, 5), Some(&newer)).unwrap_err();
    assert_eq!(refusal, Refusal::Newer { node: node(1), record_version: 2 });
    assert_eq!(rules.standing(node(1), Some(&newer)), Standing::Newer);
    // The node is taken, and not quarantined: its holder may release it at any time.
    let view = rows([(1, newer)]);
    let Choice::Shortage(shortage) = choose(&record, view, 100) else { panic!("granted") };
    let refusal = shortage.refusal(&rules);
    let (nodes, seen, quarantined, free_at) = (1, 1, 0, None);
    assert_eq!(refusal, Refusal::NoFreeNode { nodes, seen, quarantined, free_at });
    assert!(refusal.passes());
}

/// Such a tick does not exist, so a holder cannot have used it.
#[test]
fn ceilings_end_with_the_scheme() {
    let record = record();
    let end = record.realm.end();
    let rules = RealmRules::new(&record, at(100)).unwrap();
    let lease = lease(110, 5);
    let held = intact(row(1, 110), 5);
    for (used, ceiling) in [(Some(end - 2), end - 1), (Some(end), end), (Some(u64::MAX), end)] {
        let row = rules.release(&lease, Some(&held), used).unwrap();
        assert_eq!(row.ceiling, ceiling, "{used:?}");
    }
}

#[test]
fn invalidate_is_idempotent() {
    let record = record();
    let once = RealmRules::new(&record, at(100)).unwrap().invalidate("2".to_owned(), 0);
    assert_eq!((once.floor, once.era), (130, 1));
    let twice = RealmRules::new(&once, at(100)).unwrap().invalidate("3".to_owned(), 0);
    assert_eq!((twice.floor, twice.era), (130, 2));
}

/// The record may be of a backup from before the term was raised.
#[test]
fn invalidation_passes_what_is_known_of_lost_leases() {
    let record = record();
    let rules = RealmRules::new(&record, at(100)).unwrap();
    assert_eq!((record.max_ahead, rules.limit()), (30, 130));
    let paused = |lost| {
        let next = rules.pause("2".to_owned(), lost, PauseReason::Restored);
        (next.era, next.floor, next.max_ahead)
    };
    assert_eq!(paused(LostLeases { era: 4, max_ahead: 29, ceiling: 130 }), (5, 130, 30));
    assert_eq!(paused(LostLeases { max_ahead: 230, ..LostLeases::default() }), (1, 330, 230));
    // Further than any terms reach: the nodes are quarantined until the clock gets near.
    assert_eq!(paused(LostLeases { ceiling: 500, ..LostLeases::default() }), (1, 500, 30));
    let mut lease = lease(115, 5);
    lease.terms.term = core::time::Duration::from_secs(110);
    let lost = LostLeases::of(&record.realm, &lease);
    assert_eq!(lost, LostLeases { era: lease.era, max_ahead: 230, ceiling: 115 });
}

/// A record with such an era is damaged. No window is granted twice, as the floor rises.
#[test]
fn eras_stop_at_their_last() {
    let record = Record { era: u64::MAX, ..record() };
    let rules = RealmRules::new(&record, at(100)).unwrap();
    let next = rules.invalidate("2".to_owned(), 0);
    assert_eq!((next.era, next.floor), (u64::MAX, rules.limit()));
}
