//! The program that each database library runs: a table of orders.

use core::fmt::Debug;
use std::collections::BTreeMap;

use tickid_kuid::{AsText, GlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_sno::SnoId;
use tickid_testkit::Dice;

use crate::any::any;
use crate::history::nanoflake;

/// A row of the table `orders`: its ID, its customer, a label, and the customer's recommender. They
/// are in columns of integers, of bytes, of text, and of bytes or nothing.
pub type Order = (NanoflakeId, SnoId, AsText<GlobalId>, Option<SnoId>);

/// The statements of a database.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Creates the table, and fills it where the database makes the IDs.
    pub create: &'static [&'static str],
    /// Explains how the rows between two IDs are found.
    pub explain: &'static str,
    /// The column of the answer that has the plan.
    pub plan: &'static str,
    /// The parts of the plan that name the index.
    pub index: &'static [&'static str],
    /// True if the database makes the IDs of rows that are inserted without one.
    pub has_default: bool,
}

/// With 10,000 rows whose IDs are made by the database.
pub const POSTGRES: Dialect = Dialect {
    create: &[
        "CREATE TABLE orders (
             id bigint PRIMARY KEY DEFAULT tickid.nanoflake('orders'),
             customer bytea NOT NULL,
             label text COLLATE \"C\" NOT NULL,
             recommender bytea
         )",
        "INSERT INTO orders (customer, label)
         SELECT '\\x00000000000000000000', '................' FROM generate_series(1, 10000)",
        "ANALYZE orders",
    ],
    explain: "EXPLAIN SELECT * FROM orders WHERE id BETWEEN $1 AND $2",
    plan: "QUERY PLAN",
    index: &["Index Scan using orders_pkey"],
    has_default: true,
};

pub const MARIADB: Dialect = Dialect {
    create: &["CREATE TABLE orders (
             id BIGINT PRIMARY KEY,
             customer BINARY(10) NOT NULL,
             label CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
             recommender BINARY(10)
         )"],
    explain: "EXPLAIN FORMAT=JSON SELECT * FROM orders WHERE id BETWEEN ? AND ?",
    plan: "EXPLAIN",
    index: &[r#""access_type": "range""#, r#""key": "PRIMARY""#],
    has_default: false,
};

pub const SQLITE: Dialect = Dialect {
    create: &["CREATE TABLE orders (
             id INTEGER PRIMARY KEY,
             customer BLOB NOT NULL,
             label TEXT NOT NULL,
             recommender BLOB
         ) STRICT"],
    explain: "EXPLAIN QUERY PLAN SELECT * FROM orders WHERE id BETWEEN ? AND ?",
    plan: "detail",
    index: &["USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"],
    has_default: false,
};

/// A program that keeps orders in a database, through one of its clients.
pub trait Program {
    fn execute(&mut self, statement: &str);
    fn insert(&mut self, order: Order);
    /// Inserts an order without an ID, and returns the one that the database made, if it does.
    fn insert_by_default(&mut self, _: SnoId, _: AsText<GlobalId>) -> Option<NanoflakeId> {
        None
    }
    /// Returns the orders between two IDs, in any order.
    fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order>;
    /// Returns the first `rows` orders after this one.
    fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order>;
    fn find(&mut self, id: NanoflakeId) -> Option<Order>;
    /// Returns the plan of a statement with these parameters.
    fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String;
}

/// Asserts that a program creates the table, inserts with and without IDs, finds the orders of a
/// time by the index, reads them page by page, and reads back what it wrote.
///
/// `held` returns what the database itself has to say of an ID: the columns of bytes and of text.
pub fn keeps_orders(
    program: &mut impl Program,
    dialect: Dialect,
    held: impl Fn(NanoflakeId) -> String,
) {
    for statement in dialect.create {
        program.execute(statement);
    }
    let (customer, label) = (SnoId::MIN, AsText(GlobalId::MIN));
    let made: Vec<_> = (0..3).filter_map(|_| program.insert_by_default(customer, label)).collect();
    assert_eq!(made.len(), if dialect.has_default { 3 } else { 0 });
    assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
    for id in made {
        assert_eq!(program.find(id), Some((id, customer, label, None)));
    }

    let seed = 21;
    let history = nanoflake(seed);
    let customers = any::<SnoId>(seed).zip(any(seed + 1)).zip(any(seed + 2));
    let orders: BTreeMap<_, _> = history
        .issued
        .iter()
        .zip(customers)
        .enumerate()
        .map(|(number, (issued, ((customer, label), recommender)))| {
            let recommender = (number % 3 != 0).then_some(recommender);
            (issued.id, (issued.id, customer, AsText(label), recommender))
        })
        .collect();
    let mut left: Vec<_> = orders.values().copied().collect();
    let mut dice = Dice::new(seed);
    while !left.is_empty() {
        let any = usize::try_from(dice.below(left.len() as u64)).unwrap();
        program.insert(left.swap_remove(any));
    }

    // The IDs that the database made are of another time.
    let own = |found: Vec<Order>| -> Vec<Order> {
        found.into_iter().filter(|order| order.1 != SnoId::MIN).collect()
    };
    for range in &history.ranges {
        let of_time = history.issued.iter().filter(|i| range.first <= i.at && i.at <= range.last);
        let expected: Vec<_> = of_time.map(|issued| orders[&issued.id]).collect();
        let mut found = own(program.between(range.min, range.max));
        found.sort_by_key(|order| order.0);
        assert_eq!(found, expected, "seed {seed}");
        assert!(!expected.is_empty(), "seed {seed}");
    }
    let range = history
        .ranges
        .iter()
        .min_by_key(|range| range.last.as_micros() - range.first.as_micros())
        .unwrap();
    let plan = program.plan(dialect.explain, range.min, range.max);
    for part in dialect.index {
        assert!(plan.contains(part), "{plan}");
    }

    let (mut pages, mut after) = (Vec::new(), NanoflakeId::MIN);
    loop {
        let page = program.page(after, 1_000);
        let Some(last) = page.last() else { break };
        after = last.0;
        pages.extend(page);
    }
    assert!(pages.is_sorted_by(|a, b| a.0 < b.0));
    assert_eq!(own(pages), orders.values().copied().collect::<Vec<_>>(), "seed {seed}");

    for order @ (id, customer, label, _) in orders.into_values() {
        assert_eq!(program.find(id), Some(order), "seed {seed}");
        if id.to_string().ends_with('0') {
            assert_eq!(held(id), format!("{customer:020X} {label}"), "seed {seed}");
        }
    }
    assert_eq!(program.find(NanoflakeId::MAX), None);
}
