//! Generates an ID of each scheme.
//!
//! ```text
//! $ cargo run -p tickid --example quickstart
//! SCRU64     63 bits  0w6izhufj2li      2026-11-22T12:03:09.696Z
//! Nanoflake  63 bits  g52f3frmgkxs      2026-11-22T12:03:09.772Z
//! kuid       96 bits  .6.pJkEf8n3xj7..  2026-11-22T12:03:09.772096Z
//! sno        80 bits  9q8xn3v82224m222  2026-11-22T12:03:09.772Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid::{kuid, nanoflake, scru64, sno};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // Each generator needs a node ID that no other process uses at the same time. A program builds
    // it once, and keeps it.
    let generator = scru64::Generator::new("42/8".parse()?)?;
    let id = generator.generate()?;
    println!("SCRU64     63 bits  {id:16}  {}", id.unix_time());

    let generator = nanoflake::Generator::numbered(42)?;
    let id = generator.generate()?;
    println!("Nanoflake  63 bits  {id:16}  {}", generator.settings().unix_time(id));

    let generator = kuid::Generator::new(kuid::Node::phash2("uid@127.0.0.1"))?;
    let id = generator.generate()?;
    println!("kuid       96 bits  {id:16}  {}", generator.settings().unix_time(id));

    let generator = sno::Generator::numbered(42)?;
    let id = generator.generate()?;
    println!("sno        80 bits  {id:16}  {}", id.unix_time());
    Ok(())
}
