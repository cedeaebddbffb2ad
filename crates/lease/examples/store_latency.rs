//! How long a store takes: `store_latency URL [NODES [HELD]]`. It leaves a realm of a random name behind.
//!
//! The first acquires of new processes are those of clients that have just been opened, without a
//! connection; the pool has had all of its nodes given out once, so that all rows are there, and so many of
//! them are held by somebody all the time.

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::time::Duration;
use std::time::Instant;

use tickid_lease::{Claim, Realm, Store, Token, block_on, connect};
use tickid_scru64::Scru64;

type Failure = Box<dyn core::error::Error>;

const ROUNDS: u32 = 200;

fn main() -> Result<(), Failure> {
    let mut args = std::env::args().skip(1);
    let url = args.next().ok_or("the URL of a store is missing")?;
    let nodes: u64 = args.next().map_or(Ok(256), |nodes| nodes.parse())?;
    let held: u64 = args.next().map_or(Ok(0), |held| held.parse())?;
    let pool = format!("0-{}/16", nodes - 1).parse()?;
    let name = format!("latency-{}", Token::random()?).parse()?;
    let realm = Realm::new(name, &Scru64, pool)?;

    let store = connect(&url)?;
    // Until the last one is there, none is given back: they would be given out again.
    let all: Vec<_> = (0..nodes).map(|_| acquire(&*store, &realm)).collect::<Result<_, _>>()?;
    for grant in all.iter().skip(usize::try_from(held)?) {
        release(&*store, &realm, grant)?;
    }
    let (mut first, mut next, mut renewals, mut releases) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (fresh_store, fresh) = timed(&mut first, || {
            let store = connect(&url)?;
            let grant = acquire(&*store, &realm)?;
            Ok((store, grant))
        })?;
        let grant = timed(&mut next, || acquire(&*store, &realm))?;
        timed(&mut renewals, || {
            Ok(block_on(store.renew(realm.name(), &grant.hold), Duration::MAX)??)
        })?;
        timed(&mut releases, || release(&*store, &realm, &grant))?;
        release(&*fresh_store, &realm, &fresh)?;
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

fn acquire(store: &dyn Store, realm: &Realm) -> Result<tickid_lease::Grant, Failure> {
    let claim = Claim::new(Token::random()?, "latency", None);
    Ok(block_on(store.acquire(realm, &claim), Duration::MAX)??)
}

fn release(store: &dyn Store, realm: &Realm, grant: &tickid_lease::Grant) -> Result<(), Failure> {
    Ok(block_on(store.release(realm.name(), &grant.hold, None), Duration::MAX)??)
}

fn timed<T>(
    times: &mut Vec<Duration>,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let start = Instant::now();
    let result = work()?;
    times.push(start.elapsed());
    Ok(result)
}
