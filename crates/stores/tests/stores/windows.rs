//! The windows that a store has granted. None of them may overlap another one of the same node.

use core::time::Duration;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tickid_lease::admin::{Refusal, Start, Terms};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, Realm, RealmSpec, Store, StoreError};
use tickid_nanoflake::Nanoflake;

use crate::error_chain::causes;
use crate::sql::{TIMEOUT, assert_goes_on};

/// A separate realm, with milliseconds for ticks, and all windows of it.
pub(crate) struct Windows {
    pub(crate) realm: RealmSpec,
    granted: Mutex<Vec<Lease>>,
}

impl Windows {
    /// Creates a realm with the default terms.
    pub(crate) fn new(pool: &str) -> Self {
        let name = format!("windows-{}", Token::random().unwrap());
        let realm =
            RealmSpec::from(Realm::builder(name, Nanoflake::default()).pool(pool).build().unwrap());
        Self { realm, granted: Mutex::default() }
    }

    /// Creates a realm with a term that a test can wait for, and no skew.
    pub(crate) fn short(pool: &str, term: Duration) -> Self {
        let Self { realm, granted } = Self::new(pool);
        let terms: Terms = realm.terms().with_skew(Duration::ZERO).with_term(term);
        Self { realm: realm.with_terms(terms).unwrap(), granted }
    }

    /// Creates the realm, which starts immediately.
    pub(crate) fn begun(self, store: &Store) -> Self {
        block_on(store.create(&self.realm, Start::Immediately), TIMEOUT).unwrap();
        self
    }

    pub(crate) fn acquire(&self, store: &Store) -> Result<Lease, StoreError> {
        self.claim(store, &mut Claim::new(Token::random().unwrap(), "test", None))
    }

    /// Acquires a node, with the passwords of the tests shown nowhere.
    pub(crate) fn acquire_in_secret(&self, store: &Store) -> Result<Lease, StoreError> {
        let result = self.acquire(store);
        let causes = result.as_ref().map_or_else(|error| causes(error), |_| String::new());
        let shown = format!("{store:?} {result:?} {causes}");
        for secret in ["s@cret", "s%40cret", "wr0ng", "0ther"] {
            assert!(!shown.contains(secret), "{shown}");
        }
        result
    }

    /// Acquires a node as soon as the store's clock allows it.
    pub(crate) fn acquire_in_time(&self, store: &Store) -> Lease {
        let is_busy = |error: &StoreError| {
            matches!(error.refusal(), Some(Refusal::NoFreeNode { .. } | Refusal::NotYet { .. }))
        };
        in_time(|| self.acquire(store), is_busy)
    }

    pub(crate) fn claim(&self, store: &Store, claim: &mut Claim) -> Result<Lease, StoreError> {
        self.note(block_on(store.acquire(&self.realm, claim), TIMEOUT))
    }

    pub(crate) fn renew(&self, store: &Store, lease: &Lease) -> Result<Lease, StoreError> {
        self.note(block_on(store.renew(&self.realm, lease), TIMEOUT))
    }

    pub(crate) fn release(
        &self,
        store: &Store,
        lease: &Lease,
        used: Option<u64>,
    ) -> Result<(), StoreError> {
        block_on(store.release(&self.realm, lease, used), TIMEOUT)?;
        // The holder has used no more than that.
        let ceiling = used.map_or(lease.floor, |used| lease.floor.max(used + 1));
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grant) = granted.iter_mut().find(|grant| is_same(grant, lease)) {
            grant.ceiling = grant.ceiling.min(ceiling);
        }
        Ok(())
    }

    /// Returns the number of windows that were granted.
    pub(crate) fn count(&self) -> usize {
        self.granted.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Adds a lease, or replaces the one that it renews.
    fn note(&self, lease: Result<Lease, StoreError>) -> Result<Lease, StoreError> {
        let lease = lease?;
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        granted.retain(|other| !is_same(other, &lease));
        for other in &*granted {
            let is_apart = other.ceiling <= lease.floor || lease.ceiling <= other.floor;
            let is_related = lease.node.is_prefix_related(other.node);
            assert!(!is_related || is_apart, "{lease:?} and {other:?}");
        }
        granted.push(lease);
        Ok(lease)
    }
}

/// Asserts that a claim and a release take two requests, and a renewal one, by the number so far. A
/// renewal takes more if the machine stands still for a second, in which the store's clock goes on
/// unseen, so the fewest of several are judged.
pub(crate) fn requests_are_few(store: &Store, count: impl Fn() -> u32) {
    let windows = Windows::new("0-7/10").begun(store);
    let requests = || {
        let counted = |ask: &mut dyn FnMut()| {
            let before = count();
            ask();
            count() - before
        };
        // A node's first grant is counted in the record, whose new version it returns.
        let mut lease = None;
        let acquired = counted(&mut || lease = Some(windows.acquire(store).unwrap()));
        let mut lease = lease.unwrap();
        let renewed = [(); 3].map(|()| {
            counted(&mut || {
                let renewed = windows.renew(store, &lease).unwrap();
                assert_goes_on(&lease, &renewed);
                lease = renewed;
            })
        });
        (acquired, renewed, counted(&mut || windows.release(store, &lease, None).unwrap()))
    };
    let fewest = (0..4).map(|_| requests()).min_by_key(|&(a, r, b)| a + b + r.iter().sum::<u32>());
    assert_eq!(fewest, Some((2, [1; 3], 2)));
}

/// Reports whether two leases are the same one, renewed or not.
pub(crate) fn is_same(one: &Lease, other: &Lease) -> bool {
    (one.node, one.token, one.floor) == (other.node, other.token, other.floor)
}

/// Repeats a request that fails in the expected way, and returns what is granted in the end.
pub(crate) fn in_time(
    mut ask: impl FnMut() -> Result<Lease, StoreError>,
    is_expected: impl Fn(&StoreError) -> bool,
) -> Lease {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(lease) => return lease,
            Err(error) => {
                let is_early = start.elapsed() < Duration::from_secs(120);
                assert!(is_early && is_expected(&error), "{error:?}");
            }
        }
    }
}
