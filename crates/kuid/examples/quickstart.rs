//! Generates global and local IDs, and reads one.
//!
//! ```text
//! $ cargo run -p tickid-kuid --example kuid-quickstart
//! .6.pJkEf8n3vgJ..  2026-11-22T12:03:07.726016Z
//! .6.pJkEf8n3vgJ.0  2026-11-22T12:03:07.726016Z
//! .6.pJnilF.7  2026-11-22T12:03:07.726016Z, without the node
//! .5.tXVEf8n8vPN.0  of node 0x3eb2732, from 2018-10-15T17:41:15.432128Z
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_kuid::{Drift, Generator, GlobalId, Local, Node};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let drift = Drift::DEFAULT;
    // The node is a hash, as Erlang computes it, of a name that no other process has.
    let generator = Generator::new(Node::phash2("uid@127.0.0.1"))?;
    for _ in 0..2 {
        let id = generator.generate()?;
        println!("{id}  {}", id.unix_time(drift));
    }
    let local = generator.with(Local).generate()?;
    println!("{local}  {}, without the node", local.unix_time());

    let id: GlobalId = ".5.tXVEf8n8vPN.0".parse()?;
    println!("{id}  of node {:#x}, from {}", id.node(drift).get(), id.unix_time(drift));
    Ok(())
}
