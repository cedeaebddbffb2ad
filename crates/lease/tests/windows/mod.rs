//! The windows that a store has given out, none of which may overlap another one of the same node.

use core::time::Duration;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use tickid_lease::{Claim, Grant, Hold, Realm, Refusal, Store, StoreError, Terms, Token, block_on};
use tickid_nanoflake::Nanoflake;

/// Longer than any store takes to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A realm nobody else has, with milliseconds for ticks, and all windows of it.
pub(crate) struct Windows {
    pub(crate) realm: Realm,
    given: Mutex<Vec<Grant>>,
}

impl Windows {
    /// With the default terms.
    pub(crate) fn new(pool: &str) -> Self {
        let name = format!("windows-{}", Token::random().unwrap()).parse().unwrap();
        let realm = Realm::new(name, &Nanoflake::default(), pool.parse().unwrap()).unwrap();
        Self { realm, given: Mutex::default() }
    }

    /// With a term that one can wait for, and no skew.
    pub(crate) fn short(pool: &str, term: Duration) -> Self {
        let Self { realm, given } = Self::new(pool);
        let terms: Terms = realm.terms().with_skew(Duration::ZERO).with_term(term);
        Self { realm: realm.with_terms(terms).unwrap(), given }
    }

    pub(crate) fn acquire(&self, store: &dyn Store) -> Result<Grant, StoreError> {
        self.claim(store, &Claim::new(Token::random().unwrap(), "test", None))
    }

    /// A node as soon as the store's clock allows it.
    pub(crate) fn acquire_in_time(&self, store: &dyn Store) -> Grant {
        let is_busy =
            |error: &StoreError| matches!(error.refusal(), Some(Refusal::Exhausted { .. }));
        in_time(|| self.acquire(store), is_busy)
    }

    pub(crate) fn claim(&self, store: &dyn Store, claim: &Claim) -> Result<Grant, StoreError> {
        self.note(block_on(store.acquire(&self.realm, claim), PATIENCE).unwrap())
    }

    pub(crate) fn renew(&self, store: &dyn Store, hold: &Hold) -> Result<Grant, StoreError> {
        self.note(block_on(store.renew(self.realm.name(), hold), PATIENCE).unwrap())
    }

    pub(crate) fn release(
        &self,
        store: &dyn Store,
        hold: &Hold,
        used: Option<u64>,
    ) -> Result<(), StoreError> {
        block_on(store.release(self.realm.name(), hold, used), PATIENCE).unwrap()?;
        // It has used no more than that.
        let ceiling = used.map_or(hold.floor, |used| hold.floor.max(used + 1));
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(grant) = given.iter_mut().find(|grant| grant.hold == *hold) {
            grant.ceiling = grant.ceiling.min(ceiling);
        }
        Ok(())
    }

    /// So many claimants at once, each with a store of its own: each takes what it gets, renews it, and gives it
    /// back or lets it expire, so many times.
    pub(crate) fn race<S: Store>(&self, claimants: usize, rounds: usize, store: impl Fn() -> S) {
        thread::scope(|scope| {
            for claimant in 0..claimants {
                let store = store();
                scope.spawn(move || {
                    for round in 0..rounds {
                        let grant = self.acquire_in_time(&store);
                        let renewed = self.renew(&store, &grant.hold);
                        if let (Ok(renewed), 0) = (renewed, (claimant + round) % 2) {
                            let used = Some(renewed.ceiling - 1);
                            let released = self.release(&store, &grant.hold, used);
                            // Somebody else may have taken it in the meantime.
                            assert!(
                                released.is_ok() || released.is_err_and(|error| error.is_lost())
                            );
                        }
                    }
                });
            }
        });
        assert_eq!(self.count(), claimants * rounds);
    }

    /// How many windows were given out.
    pub(crate) fn count(&self) -> usize {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Adds what was granted, or replaces what it was renewed from.
    fn note(&self, grant: Result<Grant, StoreError>) -> Result<Grant, StoreError> {
        let grant = grant?;
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|other| other.hold != grant.hold);
        for other in &*given {
            let is_apart = other.ceiling <= grant.hold.floor || grant.ceiling <= other.hold.floor;
            let is_related = grant.hold.node.is_prefix_related(other.hold.node);
            assert!(!is_related || is_apart, "{grant:?} and {other:?}");
        }
        given.push(grant);
        Ok(grant)
    }
}

/// What is granted in the end, if it is refused for no other reason than this.
pub(crate) fn in_time(
    ask: impl Fn() -> Result<Grant, StoreError>,
    is_expected: impl Fn(&StoreError) -> bool,
) -> Grant {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(grant) => return grant,
            Err(error) => {
                let is_early = start.elapsed() < Duration::from_secs(60);
                assert!(is_early && is_expected(&error), "{error:?}");
            }
        }
    }
}
