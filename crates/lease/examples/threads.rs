//! Shares a leased generator among threads. A separate thread renews the lease.
//!
//! ```text
//! $ cargo run -p tickid-lease --example lease-threads
//! 4 threads generated 40000 IDs with node 518/16: all different
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::thread;

use tickid_lease::{GenerateError, LeasedGenerator, Realm, Store};
use tickid_sno::{Sno, SnoId};

const THREADS: usize = 4;
const IDS: usize = 10_000;

type Failure = Box<dyn core::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let realm = Realm::new("orders".parse()?, Sno, "0-1023/16".parse()?)?;
    let generator = LeasedGenerator::start(Store::in_memory(), realm)?;
    let lists = thread::scope(|scope| {
        let work = || -> Result<Vec<SnoId>, GenerateError> {
            (0..IDS).map(|_| generator.generate()).collect()
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let lists =
            threads.into_iter().map(|thread| Ok(thread.join().map_err(|_| "a panic")??));
        lists.collect::<Result<Vec<_>, Failure>>()
    })?;

    let mut ids = lists.concat();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), THREADS * IDS);
    let node = generator.state().lease.ok_or("no lease")?.node;
    println!("{THREADS} threads generated {} IDs with node {node}: all different", ids.len());
    generator.shut_down()?;
    Ok(())
}
