//! Leases nodes instead of choosing them: two generators of a realm at a time have different ones.
//!
//! ```text
//! $ cargo run -p tickid-scru64 --example scru64-leased
//! first: 0w6jn560ul0c of node 19/8
//! second: 0w6jn568dioc of node 212/8
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_scru64::Scru64;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // For several processes, `Store::open` takes the URL of a folder or of a server.
    let store = Store::in_memory();
    let realm = Realm::new("orders".parse()?, Scru64, "0-255/8".parse()?)?;

    let first = LeasedGenerator::start(store.clone(), realm.clone())?;
    let second = LeasedGenerator::start(store, realm)?;
    for (name, generator) in [("first", first), ("second", second)] {
        let id = generator.generate()?;
        let node = generator.state().lease.ok_or("no lease")?.node;
        println!("{name}: {id} of node {node}");
        generator.shut_down()?;
    }
    Ok(())
}
