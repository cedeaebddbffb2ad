use core::fmt::Debug;
use std::collections::BTreeSet;

use tickid_kuid::{Drift, GlobalId};
use tickid_testkit::Dice;

use crate::history::{History, Issued, TimeRange, kuid_global};

/// A row: the ID, the time when it was generated, and its number.
#[derive(Clone, Copy, Debug)]
pub struct Row<Id> {
    pub number: i64,
    pub micros: i64,
    pub id: Id,
}

/// An empty table with the columns `number`, `micros` and `id`, somewhere in a database.
pub trait Table<Id> {
    /// `INSERT`
    fn insert(&mut self, row: Row<Id>);
    /// `SELECT number, id ... ORDER BY id`
    fn in_order_of_id(&mut self) -> Vec<(i64, Id)>;
    /// `SELECT number ... WHERE id BETWEEN min AND max`
    fn between(&mut self, min: Id, max: Id) -> Vec<i64>;
    /// `SELECT number ... WHERE micros BETWEEN first AND last`
    fn during(&mut self, first: i64, last: i64) -> Vec<i64>;
}

/// Defines the tests that rows are found by time in every form of every scheme's IDs, each in an
/// empty table.
///
/// The callers pass its columns: for integers, for bytes, and for texts that sort. If there is a
/// server, `$server` is its name in the tests and in the callers.
#[macro_export]
macro_rules! tables_sort_by_time {
    (
        $(#[$test:ident])? ($($server:ident: $type:ty)?),
        integers: $integers:expr, bytes: $bytes:expr, texts: $texts:expr $(,)?
    ) => {
        $(#[$test])?
        fn integers_sort_by_time($($server: $type)?) {
            $crate::finds_time_ranges(&mut $integers, &$crate::scru64(1));
            $crate::finds_time_ranges(&mut $integers, &$crate::nanoflake(2));
            $crate::finds_time_ranges(&mut $integers, &$crate::kuid_local(3));
            $crate::finds_time_ranges(&mut $integers, &$crate::snowflake(9));
        }

        $(#[$test])?
        fn bytes_sort_by_time($($server: $type)?) {
            $crate::finds_time_ranges(&mut $bytes, &$crate::sno(4));
            let global = $crate::kuid_global(5, "a@host", tickid_kuid::Drift::DEFAULT);
            $crate::finds_time_ranges(&mut $bytes, &global);
        }

        $(#[$test])?
        fn texts_sort_by_time($($server: $type)?) {
            use tickid_kuid::AsText;

            $crate::finds_time_ranges(&mut $texts, &$crate::scru64(6).map(AsText));
            $crate::finds_time_ranges(&mut $texts, &$crate::kuid_local(7).map(AsText));
            $crate::finds_time_ranges(&mut $texts, &$crate::sno(8).map(AsText));
            let global = $crate::kuid_global(9, "a@host", tickid_kuid::Drift::MAX);
            $crate::finds_time_ranges(&mut $texts, &global.map(AsText));
        }

        $(#[$test])?
        fn several_nodes_sort_within_drift($($server: $type)?) {
            for seed in 10..13 {
                $crate::finds_time_ranges_across_nodes(&mut $bytes, seed, |id| id);
                $crate::finds_time_ranges_across_nodes(&mut $texts, seed, tickid_kuid::AsText);
            }
        }
    };
}

/// Asserts that rows inserted in any order come back in the order of time, and that `BETWEEN` finds
/// exactly the rows of a time range.
pub fn finds_time_ranges<Id: Copy + Debug + PartialEq>(
    table: &mut impl Table<Id>,
    history: &History<Id>,
) {
    let History { seed, issued, ranges } = history;
    insert_shuffled(table, *seed, &rows(0, issued));
    let ids: Vec<_> = (0..).zip(issued.iter().map(|issued| issued.id)).collect();
    assert_eq!(table.in_order_of_id(), ids, "seed {seed}");
    for &TimeRange { first, last, min, max } in ranges {
        let found = sorted(table.between(min, max));
        let expected = sorted(table.during(first.as_micros(), last.as_micros()));
        assert_eq!(found, expected, "{min:?} to {max:?}, seed {seed}");
        assert!(!expected.is_empty(), "{first} to {last}, seed {seed}");
    }
}

/// Asserts the properties of [`finds_time_ranges`] for the global IDs of each of several nodes.
///
/// Over all nodes a range scan finds all rows of a time range and more, but none that is further
/// away than the drift's interval.
pub fn finds_time_ranges_across_nodes<Id: Copy + Debug + PartialEq>(
    table: &mut impl Table<Id>,
    seed: u64,
    form: impl Fn(GlobalId) -> Id,
) {
    let drift = Drift::MIN;
    let nodes = ["a@host", "b@host", "c@host"].map(|name| kuid_global(seed, name, drift));
    let per_node: Vec<_> =
        (0..).zip(&nodes).map(|(node, history)| rows(node, &history.issued)).collect();
    let all = per_node.concat();
    let in_form =
        |&Row { number, micros, id }: &Row<GlobalId>| Row { number, micros, id: form(id) };
    let written: Vec<_> = all.iter().map(in_form).collect();
    insert_shuffled(table, seed, &written);

    let order = table.in_order_of_id();
    for rows in &per_node {
        let numbers: Vec<_> = rows.iter().map(|row| row.number).collect();
        let found = order.iter().map(|(number, _)| *number).filter(|n| numbers.contains(n));
        assert_eq!(found.collect::<Vec<_>>(), numbers, "seed {seed}");
    }

    let interval = i64::try_from(drift.interval().as_micros()).unwrap();
    let mut others = 0;
    for (history, rows) in nodes.iter().zip(&per_node) {
        for range in &history.ranges {
            let [first, last] = [range.first, range.last].map(|time| time.as_micros());
            let expected = sorted(table.during(first, last));
            let of_node = |number: &i64| rows.iter().any(|row| row.number == *number);

            let found = table.between(form(range.min), form(range.max));
            let found = sorted(found.into_iter().filter(of_node).collect());
            let expected_of_node: BTreeSet<_> = expected.iter().copied().filter(of_node).collect();
            assert_eq!(found, expected_of_node, "one node, seed {seed}");

            let min = GlobalId::min_at(range.first, drift).unwrap();
            let max = GlobalId::max_at(range.last, drift).unwrap();
            let found = sorted(table.between(form(min), form(max)));
            assert!(found.is_superset(&expected), "all nodes, seed {seed}");
            others += found.len() - expected.len();
            let near = sorted(table.during(first - interval, last + interval));
            assert!(found.is_subset(&near), "all nodes, seed {seed}");
        }
    }
    assert_ne!(others, 0, "no range scan over all nodes found more, seed {seed}");
}

/// Returns the rows of one of several histories, each with its own number.
fn rows<Id: Copy>(history: i64, issued: &[Issued<Id>]) -> Vec<Row<Id>> {
    let numbers = history * 1_000..;
    let row = |(number, &Issued { id, at }): (i64, &Issued<Id>)| Row {
        number,
        micros: at.as_micros(),
        id,
    };
    numbers.zip(issued).map(row).collect()
}

fn insert_shuffled<Id: Copy>(table: &mut impl Table<Id>, seed: u64, rows: &[Row<Id>]) {
    let mut dice = Dice::new(seed);
    let mut rows = rows.to_vec();
    while !rows.is_empty() {
        let any = usize::try_from(dice.below(rows.len() as u64)).unwrap();
        table.insert(rows.swap_remove(any));
    }
}

fn sorted(numbers: Vec<i64>) -> BTreeSet<i64> {
    numbers.into_iter().collect()
}
