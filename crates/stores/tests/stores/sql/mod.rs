//! Realms and requests of the tests, and what the tests of SQL backends share.

pub(crate) mod failures;
pub(crate) mod pools;

use core::time::Duration;

use tickid_core::{Policy, TickScale, UnixTime, example::Seconds};
use tickid_lease::admin::{Start, Terms};
use tickid_lease::backend::RealmParts;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, RealmSpec, Store, StoreError};

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
    RealmSpec::from(RealmParts {
        name,
        scheme: "millis".to_owned(),
        settings: String::new(),
        scale,
        end: 1 << 45,
        pool,
        terms,
    })
}

pub(crate) fn begin(store: &Store, realm: &RealmSpec) {
    answer(store.create(realm, Start::Immediately)).unwrap();
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

/// Repeats a request once if its connection was lost, which the client may not have noticed.
pub(crate) fn reconnected<T>(request: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    match request() {
        Err(error) if error.is_unreachable() => request(),
        result => result,
    }
}

/// Asserts that a renewal is the same lease, further on.
#[track_caller]
pub(crate) fn assert_goes_on(lease: &Lease, renewed: &Lease) {
    let identity = |lease: &Lease| (lease.node, lease.token, lease.floor, lease.era);
    assert_eq!(identity(lease), identity(renewed));
    assert!(renewed.ceiling >= lease.ceiling && renewed.version > lease.version);
}
