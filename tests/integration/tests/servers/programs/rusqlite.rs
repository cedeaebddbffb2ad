//! The program by rusqlite.

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tickid_integration::{Order, Program};
use tickid_nanoflake::NanoflakeId;

/// Returns the order in a row.
fn order(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok((row.get("id")?, row.get("customer")?, row.get("label")?, row.get("recommender")?))
}

pub(super) struct Rusqlite(Connection);

impl Rusqlite {
    pub(super) fn open(file: &str) -> Self {
        Self(Connection::open(file).unwrap())
    }
}

impl Program for Rusqlite {
    fn execute(&mut self, statement: &str) {
        self.0.execute_batch(statement).unwrap();
    }

    fn insert(&mut self, (id, customer, label, recommender): Order) {
        let insert = "INSERT INTO orders VALUES (?1, ?2, ?3, ?4)";
        self.0.execute(insert, params![id, customer, label, recommender]).unwrap();
    }

    fn between(&mut self, min: NanoflakeId, max: NanoflakeId) -> Vec<Order> {
        let mut select = self.0.prepare("SELECT * FROM orders WHERE id BETWEEN ?1 AND ?2").unwrap();
        select.query_map([min, max], order).unwrap().map(Result::unwrap).collect()
    }

    fn page(&mut self, after: NanoflakeId, rows: i64) -> Vec<Order> {
        let select = "SELECT * FROM orders WHERE id > ?1 ORDER BY id LIMIT ?2";
        let mut select = self.0.prepare(select).unwrap();
        select.query_map(params![after, rows], order).unwrap().map(Result::unwrap).collect()
    }

    fn find(&mut self, id: NanoflakeId) -> Option<Order> {
        self.0.query_row("SELECT * FROM orders WHERE id = ?1", [id], order).optional().unwrap()
    }

    fn plan(&mut self, statement: &str, min: NanoflakeId, max: NanoflakeId) -> String {
        self.0.query_row(statement, [min, max], |row| row.get("detail")).unwrap()
    }
}
