//! Prints SQL for a table with IDs as its primary key, a BLOB, and for a range of time in it, which
//! needs no other index. A program binds IDs as parameters, by the features `sqlx`, `diesel`,
//! `postgres-types` and `rusqlite`.
//! The SQL is SQLite's. In PostgreSQL the type is `BYTEA`.
//!
//! ```text
//! $ cargo run -p tickid-sno --example sno-database
//! CREATE TABLE orders (id BLOB PRIMARY KEY, item TEXT);
//! INSERT INTO orders VALUES (X'3E0DFA86600001020000', 'tea');
//! INSERT INTO orders VALUES (X'3E0DFA86600001020001', 'milk');
//! SELECT item FROM orders
//!   WHERE id BETWEEN X'3E0DDF0F200000000000' AND X'3E0DFA8661FFFFFFFFFF' ORDER BY id;
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;

use tickid_sno::{Generator, Partition, SnoId, UnixTime};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    print!("{}", sql()?);
    Ok(())
}

/// Returns a program that inserts two orders and selects the last hour's.
pub fn sql() -> Result<String, Box<dyn core::error::Error>> {
    let generator = Generator::new(Partition::new(258))?;
    let mut sql = String::from("CREATE TABLE orders (id BLOB PRIMARY KEY, item TEXT);\n");
    for item in ["tea", "milk"] {
        let id = generator.generate()?;
        sql += &format!("INSERT INTO orders VALUES (X'{id:X}', '{item}');\n");
    }

    let now = generator.generate()?.unix_time();
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (SnoId::min_at(hour_ago)?, SnoId::max_at(now)?);
    let range = format!("BETWEEN X'{min:X}' AND X'{max:X}'");
    sql += &format!("SELECT item FROM orders\n  WHERE id {range} ORDER BY id;\n");
    Ok(sql)
}
