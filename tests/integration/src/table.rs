//! The table that each database sorts and searches.

use core::fmt::Debug;
use std::collections::BTreeSet;

use tickid_testkit::Dice;

use crate::history::{History, Issued, TimeRange};

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
            let global = $crate::kuid_global(5, tickid_kuid::Drift::DEFAULT);
            $crate::finds_time_ranges(&mut $bytes, &global);
        }

        $(#[$test])?
        fn texts_sort_by_time($($server: $type)?) {
            use tickid_kuid::AsText;

            $crate::finds_time_ranges(&mut $texts, &$crate::scru64(6).map(AsText));
            $crate::finds_time_ranges(&mut $texts, &$crate::kuid_local(7).map(AsText));
            $crate::finds_time_ranges(&mut $texts, &$crate::sno(8).map(AsText));
            let global = $crate::kuid_global(9, tickid_kuid::Drift::MAX);
            $crate::finds_time_ranges(&mut $texts, &global.map(AsText));
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
    let mut dice = Dice::new(*seed);
    let mut left: Vec<_> = (0..).zip(issued).collect();
    while !left.is_empty() {
        let any = usize::try_from(dice.below(left.len() as u64)).unwrap();
        let (number, &Issued { id, at }) = left.swap_remove(any);
        table.insert(Row { number, micros: at.as_micros(), id });
    }
    let ids: Vec<_> = (0..).zip(issued.iter().map(|issued| issued.id)).collect();
    assert_eq!(table.in_order_of_id(), ids, "seed {seed}");
    for &TimeRange { first, last, min, max } in ranges {
        let found = sorted(table.between(min, max));
        let expected = sorted(table.during(first.as_micros(), last.as_micros()));
        assert_eq!(found, expected, "{min:?} to {max:?}, seed {seed}");
        assert!(!expected.is_empty(), "{first} to {last}, seed {seed}");
    }
}

fn sorted(numbers: Vec<i64>) -> BTreeSet<i64> {
    numbers.into_iter().collect()
}
