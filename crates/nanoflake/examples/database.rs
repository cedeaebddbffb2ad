//! Prints SQL for a table with IDs as its primary key, a BIGINT, and for a range of time in it,
//! which needs no other index. A program binds IDs as parameters, by the features `sqlx`, `diesel`,
//! `postgres-types` and `rusqlite`.
//!
//! ```text
//! $ cargo run -p tickid-nanoflake --example nanoflake-database
//! CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);
//! INSERT INTO orders VALUES (2124473754122166272, 'tea');
//! INSERT INTO orders VALUES (2124473754122166273, 'milk');
//! SELECT item FROM orders
//!   WHERE id BETWEEN 2124458654626217984 AND 2124473754124812287 ORDER BY id;
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;

use tickid_nanoflake::{Generator, GeneratorId, UnixTime};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    print!("{}", sql()?);
    Ok(())
}

/// Returns a program that inserts two orders and selects the last hour's.
pub fn sql() -> Result<String, Box<dyn core::error::Error>> {
    let generator = Generator::new(GeneratorId::new(378)?)?;
    // The bounds depend on the epoch, which is part of the layout.
    let layout = generator.layout();
    let mut sql = String::from("CREATE TABLE orders (id BIGINT PRIMARY KEY, item TEXT);\n");
    for item in ["tea", "milk"] {
        let id = generator.generate()?;
        sql += &format!("INSERT INTO orders VALUES ({}, '{item}');\n", id.get());
    }

    let now = layout.unix_time(generator.generate()?);
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (layout.min_at(hour_ago)?.get(), layout.max_at(now)?.get());
    sql += &format!("SELECT item FROM orders\n  WHERE id BETWEEN {min} AND {max} ORDER BY id;\n");
    Ok(sql)
}
