//! Generates IDs with a metabyte, and reads one.
//!
//! ```text
//! $ cargo run -p tickid-sno --example sno-quickstart
//! 9q8xn3lg522i6222  2026-11-22T12:03:09.148Z, metabyte 24
//! 9q8xn3lg522i6223  2026-11-22T12:03:09.148Z, metabyte 24
//! 9q8xn3lg522i6224  2026-11-22T12:03:09.148Z, metabyte 24
//! brpk4q72xwf2m63l  of partition 39434, metabyte 255, sequence 4147, from 2031-05-08T23:03:34.976Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_sno::{Generator, Meta, Partition, SnoId};

/// The kind of record that an ID is for, which is the program's own byte.
const ORDER: Meta = Meta(24);

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // No other process may use this partition at the same time.
    let generator = Generator::new(Partition::new(258))?;
    for _ in 0..3 {
        let id = generator.with(ORDER).generate()?;
        println!("{id}  {}, metabyte {}", id.unix_time(), id.meta());
    }

    let id: SnoId = "brpk4q72xwf2m63l".parse()?;
    let (partition, meta, sequence) = (id.partition().get(), id.meta(), id.sequence());
    print!("{id}  of partition {partition}, metabyte {meta}, sequence {sequence}");
    println!(", from {}", id.unix_time());
    Ok(())
}
