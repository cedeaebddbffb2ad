//! Leases a node from a store in memory, generates IDs with it, and releases it. The next holder's
//! window starts where the last one's ends.
//!
//! ```text
//! $ cargo run -p tickid-lease --example lease-quickstart
//! first holder: node 7/8, 0w6izhsq92dj, for another 24.9 s
//! second holder: node 7/8, 0w6izht08l2e, for another 24.9 s
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_scru64::Scru64;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // `Store::open` takes the URL of a folder or of a server.
    let store = Store::in_memory();
    // The generators whose IDs must differ, and the only node that they share.
    let realm = Realm::new("orders".parse()?, Scru64, "7/8".parse()?)?;

    for holder in ["first", "second"] {
        let generator = LeasedGenerator::start(store.clone(), realm.clone())?;
        let id = generator.generate()?;
        let state = generator.state();
        let node = state.lease.ok_or("no lease")?.node;
        let left = state.window_left.as_secs_f64();
        println!("{holder} holder: node {node}, {id}, for another {left:.1} s");
        generator.shut_down()?; // or the node would be free when its window ends
    }
    Ok(())
}
