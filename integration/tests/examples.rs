//! The SQL that the schemes' examples print, run by SQLite.

#![allow(dead_code, reason = "their `main` prints it")]

use rusqlite::Connection;

#[path = "../../crates/kuid/examples/database.rs"]
mod kuid;
#[path = "../../crates/nanoflake/examples/database.rs"]
mod nanoflake;
#[path = "../../crates/scru64/examples/database.rs"]
mod scru64;
#[path = "../../crates/sno/examples/database.rs"]
mod sno;

#[test]
fn the_printed_sql_finds_both_orders() {
    for sql in [kuid::sql(), nanoflake::sql(), scru64::sql(), sno::sql()] {
        let sql = sql.unwrap();
        let at = sql.find("SELECT").unwrap();
        let (inserts, select) = sql.split_at(at);
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(inserts).unwrap();
        let mut select = connection.prepare(select.trim_end()).unwrap();
        let items = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let items: Vec<_> = items.map(Result::unwrap).collect();
        assert_eq!(items, ["tea", "milk"], "{sql}");
    }
}
