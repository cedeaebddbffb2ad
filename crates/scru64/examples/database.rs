//! Prints SQL for a table with IDs as its primary key, a BIGINT, and for a range of time in it,
//! which needs no other index. A program binds IDs as parameters, by the features `sqlx`, `diesel`,
//! `postgres-types` and `rusqlite`.
//!
//! ```text
//! $ cargo run -p tickid-scru64 --example scru64-database
//! CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);
//! INSERT INTO orders VALUES (117659991324424171, 'tea');
//! INSERT INTO orders VALUES (117659991324424172, 'milk');
//! SELECT item FROM orders
//!   WHERE id BETWEEN 117659755383619584 AND 117659991338385407 ORDER BY id;
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;

use tickid_scru64::{Generator, Scru64Id, UnixTime};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    print!("{}", sql()?);
    Ok(())
}

/// Returns a program that inserts two orders and selects the last hour's.
pub fn sql() -> Result<String, Box<dyn core::error::Error>> {
    let generator = Generator::new("42/8".parse()?)?;
    let mut sql = String::from("CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);\n");
    for item in ["tea", "milk"] {
        let id = generator.generate()?;
        sql += &format!("INSERT INTO orders VALUES ({}, '{item}');\n", id.get());
    }

    let now = generator.generate()?.unix_time();
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (Scru64Id::min_at(hour_ago)?.get(), Scru64Id::max_at(now)?.get());
    sql += &format!("SELECT item FROM orders\n  WHERE id BETWEEN {min} AND {max} ORDER BY id;\n");
    Ok(sql)
}
