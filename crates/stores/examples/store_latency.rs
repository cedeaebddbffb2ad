//! Measures the latency of a store: `store_latency URL [NODES [HELD]]`. It leaves a realm of a
//! random name behind.
//!
//! All nodes of the pool have been granted once, so that all rows exist, and HELD of them are held
//! throughout. A first acquire is sent by a newly opened client, without a connection.

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;
use std::time::Instant;

use tickid_lease::admin::Start;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, Realm, RealmSpec, Store};
use tickid_scru64::Scru64;

type BoxError = Box<dyn core::error::Error>;

const ROUNDS: u32 = 200;

fn main() -> Result<(), BoxError> {
    let mut args = std::env::args().skip(1);
    let url = args.next().ok_or("the URL of a store is missing")?;
    let nodes: u64 = args.next().map_or(Ok(256), |nodes| nodes.parse())?;
    let held: u64 = args.next().map_or(Ok(0), |held| held.parse())?;
    let pool = format!("0-{}/16", nodes - 1);
    let name = format!("latency-{}", Token::random()?);
    let realm = RealmSpec::from(Realm::builder(name, Scru64).pool(pool).build()?);

    let store = tickid_stores::open(&url)?;
    block_on(store.create(&realm, Start::Immediately), Duration::MAX)?;
    // No node is released before the last one is granted: it would be granted again.
    let all: Vec<_> = (0..nodes).map(|_| acquire(&store, &realm)).collect::<Result<_, _>>()?;
    for lease in all.iter().skip(usize::try_from(held)?) {
        release(&store, &realm, lease)?;
    }
    let (mut first, mut next, mut renewals, mut releases) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (fresh_store, fresh) = timed(&mut first, || {
            let store = tickid_stores::open(&url)?;
            let lease = acquire(&store, &realm)?;
            Ok((store, lease))
        })?;
        let lease = timed(&mut next, || acquire(&store, &realm))?;
        let lease =
            timed(&mut renewals, || Ok(block_on(store.renew(&realm, &lease), Duration::MAX)?))?;
        timed(&mut releases, || release(&store, &realm, &lease))?;
        release(&fresh_store, &realm, &fresh)?;
    }
    for (what, mut times) in
        [("first acquire", first), ("acquire", next), ("renew", renewals), ("release", releases)]
    {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        let (least, median) = (at(0), at(50));
        println!(
            "{what:>13}: least {least:?}, median {median:?}, 99 % {:?}, most {:?}",
            at(99),
            at(100)
        );
    }
    Ok(())
}

fn acquire(store: &Store, realm: &RealmSpec) -> Result<Lease, BoxError> {
    let mut claim = Claim::new(Token::random()?, "latency", None);
    Ok(block_on(store.acquire(realm, &mut claim), Duration::MAX)?)
}

fn release(store: &Store, realm: &RealmSpec, lease: &Lease) -> Result<(), BoxError> {
    Ok(block_on(store.release(realm, lease, None), Duration::MAX)?)
}

fn timed<T>(
    times: &mut Vec<Duration>,
    work: impl FnOnce() -> Result<T, BoxError>,
) -> Result<T, BoxError> {
    let start = Instant::now();
    let result = work()?;
    times.push(start.elapsed());
    Ok(result)
}
