//! Pools of many nodes, and many clients at once.

#![allow(clippy::print_stderr, reason = "times are reported, not judged")]

use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use tickid_lease::{
    Begin, Claim, Extra, Lease, RealmSpec, Row, Store, StoreError, Token, block_on,
};
use tickid_sno::Sno;

/// Longer than any store takes to answer.
const TIMEOUT: Duration = Duration::from_secs(60);
/// One node of so many is free in a pool that is nearly full: 100 of 65,536.
const FREE_EVERY: usize = 655;

/// Begins a realm of its own whose leases last for longer than a test.
pub(crate) fn realm(store: &Store, pool: &str) -> RealmSpec {
    let name = format!("herd-{}", Token::random().unwrap()).parse().unwrap();
    let realm = RealmSpec::new(name, &Sno, pool.parse().unwrap()).unwrap();
    let terms = realm.terms().with_term(Duration::from_secs(3_600));
    let realm = realm.with_terms(terms).unwrap();
    block_on(store.begin(&realm, Begin::AtOnce), TIMEOUT).unwrap();
    realm
}

pub(crate) fn acquire(store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
    let mut claim = Claim::new(Token::random().unwrap(), "herd", None);
    block_on(store.acquire(realm, &mut claim), TIMEOUT)
}

/// Returns rows for all nodes but one in [`FREE_EVERY`], which is expired: the rest is held as
/// `lease`.
pub(crate) fn rows_of_a_full_pool(realm: &RealmSpec, lease: &Lease) -> Vec<Row> {
    let row = |(index, node)| {
        let is_free = index % FREE_EVERY == FREE_EVERY / 2;
        Row {
            node,
            token: Some(Token::from_bits(index as u128)),
            holder: "a test".to_owned(),
            era: 0,
            floor: 1,
            ceiling: if is_free { 2 } else { lease.ceiling },
            extra: Extra::default(),
        }
    };
    realm.pool().nodes().enumerate().map(row).collect()
}

/// Churns a pool: half of 64 holders release their nodes and others come, several times. Returns
/// the number of rows in the end.
pub(crate) fn churn(store: &Store, realm: &RealmSpec) -> usize {
    let mut held: Vec<Lease> = (0..64).map(|_| acquire(store, realm).unwrap()).collect();
    for _ in 0..20 {
        for lease in held.drain(..32) {
            block_on(store.release(realm, &lease, None), TIMEOUT).unwrap();
        }
        held.extend((0..32).map(|_| acquire(store, realm).unwrap()));
    }
    block_on(store.list(realm.name()), TIMEOUT).unwrap().rows.len()
}

/// Lets a thousand clients acquire a node at once, each with its own store. Every client gets one,
/// after fewer than 3 failed requests.
pub(crate) fn a_thousand_clients(open: impl Fn() -> Store + Sync) {
    const CLIENTS: usize = 1_000;
    let realm = &realm(&open(), "0-2047/16");
    let barrier = &Barrier::new(CLIENTS);
    let (open, start) = (&open, Instant::now());
    let answers: Vec<(Lease, u32, u64)> = thread::scope(|scope| {
        let client = || {
            let store = open();
            let mut claim = Claim::new(Token::random().unwrap(), "herd", None);
            let mut failed = 0;
            barrier.wait();
            loop {
                match block_on(store.acquire(realm, &mut claim), TIMEOUT) {
                    Ok(lease) => return (lease, failed, store.conflicts()),
                    Err(_) if failed < 2 => {
                        failed += 1;
                        thread::sleep(back_off(failed));
                    }
                    Err(error) => panic!("{error:?}"),
                }
            }
        };
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    let nodes: BTreeSet<_> = answers.iter().map(|(lease, ..)| lease.node).collect();
    assert_eq!(nodes.len(), CLIENTS);
    let failed: u32 = answers.iter().map(|(_, failed, _)| failed).sum();
    let conflicts: u64 = answers.iter().map(|(.., conflicts)| conflicts).sum();
    #[allow(clippy::print_stderr, reason = "for those who compare backends")]
    {
        let time = start.elapsed();
        eprintln!("{CLIENTS} clients: {time:?}, {failed} failed requests, {conflicts} conflicts");
    }
}

/// Returns the time after which a holder repeats a request: random, of up to 1 s, then 2 s.
fn back_off(failed: u32) -> Duration {
    let random = u32::try_from(Token::random().unwrap().bits() % 1_000).unwrap();
    Duration::from_millis(random.into()) * failed
}
