//! Leases a node from a folder, as several processes on a machine would. Two generators at the same
//! time have different nodes.
//!
//! ```text
//! $ cargo run -p tickid --example leased
//! 9q8xn3u2222va222 of node 468/16
//! 9q8xn3u8223fc222 of node 725/16
//! 2 rows in the store
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;
use tickid::lease::session::block_on;
use tickid::lease::{LeasedGenerator, Realm, Store};
use tickid::sno::Sno;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    // A program uses its own folder, such as /var/lib/NAME, or a server. A folder for this process
    // alone is only good for a demonstration.
    let folder = std::env::temp_dir().join(format!("tickid-leased-{}", std::process::id()));
    let store = Store::open(&format!("file://{}", folder.display()))?;
    let realm = Realm::builder("orders", Sno).pool("0-1023/16").build()?;

    let generators = [
        LeasedGenerator::start(store.clone(), realm.clone())?,
        LeasedGenerator::start(store.clone(), realm.clone())?,
    ];
    for generator in generators {
        let id = generator.generate()?;
        let node = generator.state().lease.ok_or("no lease")?.node;
        println!("{id} of node {node}");
        generator.shut_down()?;
    }
    let view = block_on(store.list(realm.name()), Duration::from_secs(5))?;
    println!("{} rows in the store", view.rows.len());
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
