//! Prints SQL for a table with IDs as its primary key, a BIGINT, and for a range of time in it,
//! which needs no other index. A program binds IDs as parameters, by the features `sqlx`, `diesel`,
//! `postgres-types` and `rusqlite`. The IDs are local ones, of one generator: the database's own.
//!
//! ```text
//! $ cargo run -p tickid-kuid --example kuid-database
//! CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);
//! INSERT INTO orders VALUES (31583828990967808, 'tea');
//! INSERT INTO orders VALUES (31583828990967809, 'milk');
//! SELECT item FROM orders
//!   WHERE id BETWEEN 31583768592990208 AND 31583828990984191 ORDER BY id;
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;

use tickid_kuid::{Generator, Local, LocalId, Node, UnixTime};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    print!("{}", sql()?);
    Ok(())
}

/// Returns a program that inserts two orders and selects the last hour's.
pub fn sql() -> Result<String, Box<dyn core::error::Error>> {
    let node = Generator::new(Node::phash2("uid@127.0.0.1"))?;
    let generator = node.with(Local);
    let mut sql = String::from("CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);\n");
    for item in ["tea", "milk"] {
        let id = generator.generate()?;
        sql += &format!("INSERT INTO orders VALUES ({}, '{item}');\n", id.get());
    }

    let now = generator.generate()?.unix_time();
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (LocalId::min_at(hour_ago)?.get(), LocalId::max_at(now)?.get());
    sql += &format!("SELECT item FROM orders\n  WHERE id BETWEEN {min} AND {max} ORDER BY id;\n");
    Ok(sql)
}
