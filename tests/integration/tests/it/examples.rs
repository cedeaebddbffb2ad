//! The SQL that an example prints, run by SQLite.

use rusqlite::Connection;

#[allow(dead_code, reason = "its `main` prints it")]
#[path = "../../../../crates/tickid/examples/database.rs"]
mod database;

#[test]
fn the_printed_sql_finds_both_orders() {
    let sql = database::sql().unwrap();
    let at = sql.find("SELECT").unwrap();
    let (inserts, select) = sql.split_at(at);
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(inserts).unwrap();
    let mut select = connection.prepare(select.trim_end()).unwrap();
    let items = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let items: Vec<_> = items.map(Result::unwrap).collect();
    assert_eq!(items, ["tea", "milk"], "{sql}");
}
