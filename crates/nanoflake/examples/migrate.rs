//! Continues the Snowflakes of an existing table. Old rows stay as they are, and new IDs sort after
//! them. The epoch must be the old program's.
//!
//! ```text
//! $ cargo run -p tickid-nanoflake --example nanoflake-migrate
//!  175928847299117063  2016-04-30T11:18:25.796Z  old
//! 1234567890123456789  2024-04-29T18:12:02.167Z  old
//! 1574032484780208128  2026-11-22T12:03:08.480Z  new
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_nanoflake::{Epoch, Generator, GeneratorId, Nanoflake, NanoflakeId};

/// The keys of an existing table, with Discord's epoch.
const OLD: [i64; 2] = [175_928_847_299_117_063, 1_234_567_890_123_456_789];

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let layout = Nanoflake { epoch: Epoch::DISCORD };
    for key in OLD {
        let id = NanoflakeId::new(key)?;
        println!("{key:>19}  {}  old", layout.unix_time(id));
    }

    // No old program uses this generator ID.
    let generator = Generator::builder(GeneratorId::new(1_023)?).layout(layout).build()?;
    let id = generator.generate()?;
    assert!(OLD.iter().all(|&key| key < id.get()));
    println!("{:>19}  {}  new", id.get(), layout.unix_time(id));
    Ok(())
}
