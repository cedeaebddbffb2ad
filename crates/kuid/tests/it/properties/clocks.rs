//! Vector clocks, compared with a map.

use super::*;

type Model = BTreeMap<u8, u64>;

proptest! {
    #[test]
    fn clocks_agree_with_a_map(lists in [entries(), entries()], peer in 0u8..8) {
        let [a, b] = lists.clone().map(|list| clock(&list));
        let [map_a, map_b] = lists.map(|list| model(&list));
        let covers = |one: &Model, other: &Model, except: Option<u8>| {
            other.iter().all(|(node, id)| {
                Some(*node) == except || one.get(node).is_some_and(|known| known >= id)
            })
        };
        prop_assert_eq!(a.descends(&b), covers(&map_a, &map_b, None));
        prop_assert_eq!(a.descends_except(&peer, &b), covers(&map_a, &map_b, Some(peer)));
        prop_assert_eq!(a == b, map_a == map_b);

        let mut joined = map_a.clone();
        for (node, id) in &map_b {
            let known = joined.entry(*node).or_insert(*id);
            *known = (*known).max(*id);
        }
        let join = a.join(&b);
        prop_assert!(join.entries().iter().map(|entry| (entry.node, entry.id.get())).eq(joined));

        // The nodes that differ, in the order of `b`, and the differences.
        let differing: Vec<_> = a.diff(&b).map(|difference| match difference {
            Difference::Missing(Entry { node, id }) => (*node, id.get(), None),
            Difference::Behind { node, distance } => {
                (*node, map_b[node], Some(distance))
            }
            other => panic!("{other:?}"),
        }).collect();
        let expected: Vec<_> = b.entries().iter().filter_map(|entry| {
            let (node, id) = (entry.node, entry.id);
            match map_a.get(&node) {
                None => Some((node, id.get(), None)),
                Some(&known) if known < id.get() => {
                    Some((node, id.get(), Some(id.distance(LocalId::new(known)))))
                }
                Some(_) => None,
            }
        }).collect();
        prop_assert_eq!(differing, expected);
    }

    #[test]
    fn joins_are_least_descendants(
        lists in [entries(), entries(), entries()],
    ) {
        let [a, b, c] = lists.map(|list| clock(&list));
        let join = a.join(&b);
        prop_assert!(join >= a && join >= b);
        prop_assert_eq!(&join, &b.join(&a));
        prop_assert_eq!(join.join(&c), a.join(&b.join(&c)));
        prop_assert_eq!(&a.join(&a), &a);
        if c >= a && c >= b {
            prop_assert!(c >= join);
        }
        prop_assert!(c.join(&join) >= join);
    }

    #[test]
    fn clocks_are_in_causal_order(lists in [entries(), entries()]) {
        let [a, b] = lists.map(|list| clock(&list));
        let order = match (a.descends(&b), b.descends(&a)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Greater),
            (false, true) => Some(Ordering::Less),
            (false, false) => None,
        };
        prop_assert_eq!(a.partial_cmp(&b), order);
        prop_assert_eq!(a == b, order == Some(Ordering::Equal));
        prop_assert_eq!(a.diff(&b).next().is_none(), a.descends(&b));
    }

    #[test]
    fn recording_keeps_the_latest_id(list in entries()) {
        let mut recorded = VectorClock::default();
        let mut map = Model::new();
        for entry in &list {
            let is_later = map.get(&entry.node).is_none_or(|known| *known < entry.id.get());
            prop_assert_eq!(recorded.record(entry.node, entry.id), is_later);
            if is_later {
                map.insert(entry.node, entry.id.get());
                prop_assert_eq!(recorded.entries()[0], *entry);
            }
        }
        prop_assert_eq!(&recorded, &clock(&list));
        for node in 0..8 {
            let known = map.get(&node).copied().map(LocalId::new);
            prop_assert_eq!(recorded.get(&node), known);
        }
        let entries = recorded.entries().to_vec();
        prop_assert_eq!(recorded.into_iter().collect::<Vec<_>>(), entries);
    }
}

/// Returns few nodes and IDs, so that some of them are equal.
fn entries() -> impl Strategy<Value = Vec<Entry<u8>>> {
    let entry = (0u8..8, 0u64..6).prop_map(|(node, id)| Entry { node, id: LocalId::new(id) });
    prop::collection::vec(entry, 0..10)
}

fn clock(entries: &[Entry<u8>]) -> VectorClock<u8> {
    entries.iter().copied().collect()
}

fn model(entries: &[Entry<u8>]) -> Model {
    let mut model = Model::new();
    for entry in entries {
        let known = model.entry(entry.node).or_default();
        *known = (*known).max(entry.id.get());
    }
    model
}
