//! Many holders in one process, each with its own store, connection and thread.

use core::cell::RefCell;
use core::time::Duration;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use tickid_core::{Clock as _, Scheme as _};
use tickid_lease::admin::Start;
use tickid_lease::session::{ActiveLease, ReasonCounts, Token, block_on};
use tickid_lease::{Lease, LeasedGenerator, Realm, RealmBuilder, Store};
use tickid_sno::{Sno, SnoId};

/// Longer than any event takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
/// The pause between two looks at all holders.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

pub(crate) struct Fleet {
    holders: Vec<Holder>,
    realm: Realm<Sno>,
    ids: Vec<SnoId>,
}

pub(crate) struct Holder {
    leased: LeasedGenerator<Sno>,
    /// The last lease that was seen.
    active: RefCell<Arc<ActiveLease<Sno>>>,
    /// The number of failed requests before the first lease.
    pub(crate) failed_first: u64,
    /// The time from the start of the fleet to the first ID.
    pub(crate) started_after: Duration,
}

/// Creates a realm with twice as many nodes as holders, because some claims are carried out after
/// their timeout.
pub(crate) fn begin(
    url: &str,
    holders: usize,
    options: impl Fn(RealmBuilder<Sno>) -> RealmBuilder<Sno>,
) -> Realm<Sno> {
    let name = format!("fleet-{}", Token::random().unwrap());
    let pool = format!("0-{}/16", 2 * holders - 1);
    let realm = options(Realm::builder(name, Sno).pool(pool)).build().unwrap();
    let store = tickid_stores::open(url).unwrap();
    // A busy machine may take longer than the store's timeout. Creating again changes nothing.
    while let Err(error) = block_on(store.create(realm.spec(), Start::Immediately), PATIENCE) {
        assert!(error.is_unreachable(), "{error}");
    }
    realm
}

impl Fleet {
    /// Lets all holders start at the same moment, and returns when all have issued.
    pub(crate) fn start(url: &str, realm: Realm<Sno>, holders: usize) -> Self {
        let barrier = Barrier::new(holders);
        let start = || {
            let store = tickid_stores::open(url).unwrap();
            barrier.wait();
            Holder::start(&store, &realm)
        };
        let holders = thread::scope(|scope| {
            let starting: Vec<_> = (0..holders).map(|_| scope.spawn(start)).collect();
            starting.into_iter().map(|holder| holder.join().unwrap()).collect()
        });
        Self { holders, realm, ids: Vec::new() }
    }

    pub(crate) fn holders(&self) -> &[Holder] {
        &self.holders
    }

    pub(crate) fn realm(&self) -> &Realm<Sno> {
        &self.realm
    }

    /// Lets all holders issue once. Fails if one stops before the end of its window.
    pub(crate) fn issue(&mut self) {
        for holder in &self.holders {
            self.ids.extend(holder.issue_in_window());
        }
        thread::sleep(BETWEEN_LOOKS);
    }

    /// Does the same for a while.
    pub(crate) fn issue_for(&mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time {
            self.issue();
        }
    }

    /// Lets all holders issue until `is_done` holds for each of them, by its number and its last
    /// ID. Returns the times until it did, the shortest first.
    ///
    /// With `keeps_leases`, fails if a holder stops before the end of its window.
    pub(crate) fn until(
        &mut self,
        keeps_leases: bool,
        is_done: impl Fn(usize, &Holder, Option<SnoId>) -> bool,
    ) -> Vec<Duration> {
        let start = Instant::now();
        let mut times = vec![None; self.holders.len()];
        while times.contains(&None) {
            for (number, holder) in self.holders.iter().enumerate() {
                let id = match keeps_leases {
                    true => holder.issue_in_window(),
                    false => holder.leased.try_generate().ok(),
                };
                self.ids.extend(id);
                if times[number].is_none() && is_done(number, holder, id) {
                    times[number] = Some(start.elapsed());
                }
            }
            let late = times.iter().position(Option::is_none);
            if let Some(late) = late.filter(|_| start.elapsed() > PATIENCE) {
                let state = self.holders[late].leased.state();
                panic!("{} of {} holders: {state:?}", late + 1, times.len());
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        let mut times: Vec<Duration> = times.into_iter().flatten().collect();
        times.sort_unstable();
        times
    }

    /// Fails if an ID was issued twice. Returns the number of IDs.
    pub(crate) fn check_ids(&mut self) -> usize {
        self.ids.sort_unstable();
        for pair in self.ids.windows(2) {
            assert_ne!(pair[0], pair[1], "issued twice");
        }
        self.ids.len()
    }
}

impl Drop for Fleet {
    /// Releases all nodes at the same time: each takes a request, and a timeout if there is no
    /// server any more.
    fn drop(&mut self) {
        thread::scope(|scope| {
            for holder in self.holders.drain(..) {
                scope.spawn(move || drop(holder));
            }
        });
    }
}

impl Holder {
    /// Starts, with the library's own back-off after a failed request.
    fn start(store: &Store, realm: &Realm<Sno>) -> Self {
        let start = Instant::now();
        let builder = LeasedGenerator::builder(store.clone(), realm.clone());
        let leased = builder.start_within(PATIENCE).start().unwrap();
        let failed_first = leased.state().counters.failures.total();
        leased.generate().unwrap();
        let active = RefCell::new(leased.active_lease().unwrap());
        Self { leased, active, failed_first, started_after: start.elapsed() }
    }

    /// Issues an ID, unless the window has ended by the holder's own clock, and with it the lease.
    fn issue_in_window(&self) -> Option<SnoId> {
        if let Some(active) = self.leased.active_lease() {
            self.active.replace(active);
        }
        let active = self.active.borrow();
        let ceiling = active.generator().state().window.ceiling();
        match self.leased.try_generate() {
            Ok(id) => Some(id),
            Err(error) => {
                let now = active.generator().clock().now().unwrap();
                let tick = active.generator().settings().scale().tick_at(now);
                assert!(tick >= Some(ceiling), "at {tick:?}, below {ceiling}: {error:?}");
                None
            }
        }
    }

    pub(crate) fn lease(&self) -> Option<Lease> {
        self.leased.state().lease
    }

    pub(crate) fn renewals(&self) -> u64 {
        self.leased.state().counters.renewals
    }

    /// Returns the numbers of requests that failed since it started.
    pub(crate) fn failures(&self) -> ReasonCounts {
        self.leased.state().counters.failures
    }
}
