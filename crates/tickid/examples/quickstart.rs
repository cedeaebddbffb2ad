//! Generates an ID of each scheme.
//!
//! ```text
//! $ cargo run -p tickid --example quickstart
//! SCRU64     63 bits  0w6iymjxc8dr      2026-11-22T11:45:50.336Z
//! Nanoflake  63 bits  g52djt660mio      2026-11-22T11:45:50.454Z
//! kuid       96 bits  .6.pIkEf8n3iQk..  2026-11-22T11:45:50.454656Z
//! sno        80 bits  9q8x78fs2224m222  2026-11-22T11:45:50.452Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid::{kuid, nanoflake, scru64, sno};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // Each generator needs a node ID that no other process uses at the same time.
    let id = scru64::Generator::new("42/8".parse()?)?.generate()?;
    println!("SCRU64     63 bits  {id:16}  {}", id.unix_time());

    let generator = nanoflake::Generator::new(nanoflake::GeneratorId::new(42)?)?;
    let id = generator.generate()?;
    println!("Nanoflake  63 bits  {id:16}  {}", generator.layout().unix_time(id));

    let generator = kuid::Generator::new(kuid::Node::phash2("uid@127.0.0.1"))?;
    let id = generator.generate()?;
    println!("kuid       96 bits  {id:16}  {}", generator.layout().unix_time(id));

    let id = sno::Generator::new(sno::Partition::new(42))?.generate()?;
    println!("sno        80 bits  {id:16}  {}", id.unix_time());
    Ok(())
}
