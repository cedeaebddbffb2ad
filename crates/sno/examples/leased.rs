//! Leases nodes instead of choosing them: two generators of a realm at a time have different ones.
//!
//! ```text
//! $ cargo run -p tickid-sno --example sno-leased
//! first: 9q9f6nsw26254222 of partition 49/16
//! second: 9q9f6nt2263cm222 of partition 682/16
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_sno::{Meta, Sno};

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // For several processes, `Store::open` takes the URL of a folder or of a server.
    let store = Store::in_memory();
    let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;

    let first = LeasedGenerator::start(store.clone(), realm.clone())?;
    let second = LeasedGenerator::start(store, realm)?;
    for (name, generator) in [("first", first), ("second", second)] {
        let id = generator.with(Meta(1)).generate()?;
        let node = generator.state().lease.ok_or("no lease")?.node;
        println!("{name}: {id} of partition {node}");
        generator.shut_down()?;
    }
    Ok(())
}
