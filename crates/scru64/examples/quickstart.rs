//! Generates IDs, and reads one.
//!
//! ```text
//! $ cargo run -p tickid-scru64 --example scru64-quickstart
//! 0w6izhtbkxsv  117659991324374815  2026-11-22T12:03:08.672Z
//! 0w6izhtbkxsw  117659991324374816  2026-11-22T12:03:08.672Z
//! 0w6izhtbkxsx  117659991324374817  2026-11-22T12:03:08.672Z
//! 0u375nxqh5cq  110009624767914842  2023-03-12T09:34:19.136Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_scru64::{Generator, Scru64Id};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // Node 42, in 8 bits. No other process may use it at the same time.
    let generator = Generator::new("42/8".parse()?)?;
    for _ in 0..3 {
        let id = generator.generate()?;
        println!("{id}  {}  {}", id.get(), id.unix_time());
    }

    let id: Scru64Id = "0u375nxqh5cq".parse()?;
    println!("{id}  {}  {}", id.get(), id.unix_time());
    Ok(())
}
