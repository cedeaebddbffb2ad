//! Generates IDs, and reads one of Discord's.
//!
//! ```text
//! $ cargo run -p tickid-nanoflake --example nanoflake-quickstart
//! g52f3dbhd3i8  2124473754323492864  2026-11-22T12:03:08.501Z
//! g52f3dbhd3i9  2124473754323492865  2026-11-22T12:03:08.501Z
//! g52f3dbhd3ia  2124473754323492866  2026-11-22T12:03:08.501Z
//! 1c49kkphnxtz  of datacenter 1, worker 0, sequence 7, from 2016-04-30T11:18:25.796Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_nanoflake::{Epoch, Generator, GeneratorId, Nanoflake, NanoflakeId};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // No other process may use this generator ID at the same time.
    let generator = Generator::new(GeneratorId::new(378)?)?;
    for _ in 0..3 {
        let id = generator.generate()?;
        println!("{id}  {}  {}", id.get(), generator.layout().unix_time(id));
    }

    // An ID does not contain its epoch.
    let discord = Nanoflake { epoch: Epoch::DISCORD };
    let id = NanoflakeId::new(175_928_847_299_117_063)?;
    let (from, sequence, time) = (id.generator(), id.sequence(), discord.unix_time(id));
    let (datacenter, worker) = (from.datacenter(), from.worker());
    println!("{id}  of datacenter {datacenter}, worker {worker}, sequence {sequence}, from {time}");
    Ok(())
}
