//! Prints SQL for a table with IDs as columns, and for a range of time by the primary key alone. A
//! program binds IDs as parameters, with a feature such as `sqlx_0_9` or `rusqlite`.
//! The SQL is SQLite's. In PostgreSQL the customer is a `BYTEA`.
//!
//! ```text
//! $ cargo run -p tickid --example database
//! CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BLOB, item TEXT);
//! INSERT INTO orders VALUES (117659991324424171, X'3E0DFA86600001020000', 'tea');
//! INSERT INTO orders VALUES (117659991324424172, X'3E0DFA86600001020000', 'milk');
//! SELECT item FROM orders
//!   WHERE id BETWEEN 117659755383619584 AND 117659991338385407 ORDER BY id;
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;

use tickid::scru64::{self, Scru64Id, UnixTime};
use tickid::sno::{self, Partition};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    print!("{}", sql()?);
    Ok(())
}

/// Returns a program that inserts two orders and selects the last hour's.
pub fn sql() -> Result<String, Box<dyn core::error::Error>> {
    let generator = scru64::Generator::new("42/8".parse()?)?;
    let customers = sno::Generator::new(Partition::new(258))?;
    let customer = customers.generate()?;
    let mut sql =
        String::from("CREATE TABLE orders (id BIGINT PRIMARY KEY, customer BLOB, item TEXT);\n");
    for item in ["tea", "milk"] {
        let id = generator.generate()?.get();
        sql += &format!("INSERT INTO orders VALUES ({id}, X'{customer:X}', '{item}');\n");
    }

    let now = generator.generate()?.unix_time();
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (Scru64Id::min_at(hour_ago)?.get(), Scru64Id::max_at(now)?.get());
    sql += &format!("SELECT item FROM orders\n  WHERE id BETWEEN {min} AND {max} ORDER BY id;\n");
    Ok(sql)
}
