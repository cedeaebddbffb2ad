//! The parts that the tests of SQL backends share.

pub(crate) mod pools;

use core::time::Duration;
use std::collections::BTreeMap;

use tickid_core::{Policy, TickScale, UnixTime, example::Seconds};
use tickid_lease::admin::Begin;
use tickid_lease::session::{Claim, Token};
use tickid_lease::{Lease, Node, RealmSpec, Store, StoreError, Terms, block_on};

/// Longer than any answer takes on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn answer<T>(
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    block_on(request, TIMEOUT)
}

/// Returns a realm with milliseconds for ticks, leases of `term`, and no allowance.
pub(crate) fn realm(pool: &str, term: Duration) -> RealmSpec {
    realm_named("test", pool, term)
}

pub(crate) fn realm_named(name: &str, pool: &str, term: Duration) -> RealmSpec {
    let terms = Terms::new(Policy::<Seconds>::Wait).with_skew(Duration::ZERO).with_term(term);
    let (name, pool) = (name.parse().unwrap(), pool.parse().unwrap());
    let scale = TickScale::every(UnixTime::EPOCH, 1_000);
    RealmSpec::from_parts(name, "millis".to_owned(), String::new(), scale, 1 << 45, pool, terms)
}

pub(crate) fn begin(store: &Store, realm: &RealmSpec) {
    answer(store.begin(realm, Begin::AtOnce)).unwrap();
}

/// Begins a realm and grants a node for a moment: a node's first grant is counted in the record,
/// which costs the next renewal of every client a reading.
pub(crate) fn begin_counted(store: &Store, realm: &RealmSpec) {
    begin(store, realm);
    let lease = acquire(store, realm).unwrap();
    answer(store.release(realm, &lease, None)).unwrap();
}

pub(crate) fn claim() -> Claim {
    Claim::new(Token::random().unwrap(), "test", None)
}

pub(crate) fn acquire(store: &Store, realm: &RealmSpec) -> Result<Lease, StoreError> {
    answer(store.acquire(realm, &mut claim()))
}

pub(crate) fn renew(store: &Store, realm: &RealmSpec, lease: &Lease) -> Result<Lease, StoreError> {
    answer(store.renew(realm, lease))
}

/// Asserts that a renewal is the same lease, further on.
#[track_caller]
pub(crate) fn assert_goes_on(lease: &Lease, renewed: &Lease) {
    let identity = |lease: &Lease| (lease.node, lease.token, lease.floor, lease.era);
    assert_eq!(identity(lease), identity(renewed));
    assert!(renewed.ceiling >= lease.ceiling && renewed.version > lease.version);
}

#[track_caller]
pub(crate) fn assert_disjoint(windows: impl IntoIterator<Item = (Node, u64, u64)>) {
    let mut of_node = BTreeMap::<Node, Vec<(u64, u64)>>::new();
    for (node, floor, ceiling) in windows {
        of_node.entry(node).or_default().push((floor, ceiling));
    }
    for (node, mut windows) in of_node {
        windows.sort_unstable();
        for pair in windows.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "of node {node}: {pair:?}");
        }
    }
}
