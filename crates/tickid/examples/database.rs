//! Selects a range of time by the primary key alone. A `BTreeMap` stands for the table, whose rows
//! are in the order of their keys.
//!
//! ```text
//! $ cargo run -p tickid --example database
//! 117659991374749980  2026-11-22T12:03:09.440Z  tea
//! 117659991374749981  2026-11-22T12:03:09.440Z  milk
//! 2 of 3 orders are from the last hour
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;
use std::collections::BTreeMap;

use tickid::scru64::{Generator, Scru64Id, UnixTime};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let generator = Generator::new("42/8".parse()?)?;
    // `id BIGINT PRIMARY KEY, item TEXT`
    let mut orders: BTreeMap<u64, &str> = BTreeMap::new();
    orders.insert("0u375nxqh5cq".parse::<Scru64Id>()?.get(), "coffee, three years ago");
    for item in ["tea", "milk"] {
        orders.insert(generator.generate()?.get(), item);
    }

    // `WHERE id BETWEEN min AND max`
    let now = generator.generate()?.unix_time();
    let hour_ago = now.checked_sub(Duration::from_secs(3_600)).unwrap_or(UnixTime::EPOCH);
    let (min, max) = (Scru64Id::min_at(hour_ago)?.get(), Scru64Id::max_at(now)?.get());
    let recent: Vec<_> = orders.range(min..=max).collect();
    for (key, item) in &recent {
        println!("{key}  {}  {item}", Scru64Id::new(**key)?.unix_time());
    }
    println!("{} of {} orders are from the last hour", recent.len(), orders.len());
    Ok(())
}
