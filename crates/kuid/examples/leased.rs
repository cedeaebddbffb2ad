//! Leases nodes instead of choosing them: two generators of a realm at a time have different ones.
//!
//! ```text
//! $ cargo run -p tickid-kuid --example kuid-leased
//! first: .6.pkF...B5t_w.. of node 193/32
//! second: .6.pkF...eqtaR.. of node 685/32
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_kuid::Kuid;
use tickid_lease::{LeasedGenerator, Realm, Store};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // For several processes, `Store::open` takes the URL of a folder or of a server.
    let store = Store::in_memory();
    let realm = Realm::new("orders".parse()?, Kuid::default(), "0-1023/32".parse()?)?;

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
