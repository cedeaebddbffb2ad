//! Leases nodes instead of choosing them: two generators of a realm at a time have different ones.
//!
//! ```text
//! $ cargo run -p tickid-nanoflake --example nanoflake-leased
//! first: g53l4sqzgcu8 of generator 785/10
//! second: g53l4sqz2qyo of generator 630/10
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_nanoflake::Nanoflake;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // For several processes, `Store::open` takes the URL of a folder or of a server.
    let store = Store::in_memory();
    let realm = Realm::new("orders".parse()?, Nanoflake::default(), "0-1023/10".parse()?)?;

    let first = LeasedGenerator::start(store.clone(), realm.clone())?;
    let second = LeasedGenerator::start(store, realm)?;
    for (name, generator) in [("first", first), ("second", second)] {
        let id = generator.generate()?;
        let node = generator.state().lease.ok_or("no lease")?.node;
        println!("{name}: {id} of generator {node}");
        generator.shut_down()?;
    }
    Ok(())
}
