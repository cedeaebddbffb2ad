//! Answers that come after their caller has given up.

use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::thread;

use tickid_core::AnyNode;

use super::shared::Store;
use crate::backend::Answer;
use crate::block_on::block_on;
use crate::model::realm_spec::RealmName;
use crate::store_error::StoreError;

/// Longer than a backend takes for any request, which ends by a timeout of its own.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request to a distant store, which goes on if its caller gives it up. What the late answer
/// shows is worth a round trip to the next request.
pub(super) struct Late<T: Send + 'static> {
    /// Until it is answered.
    work: Option<Answer<'static, T>>,
    /// The node that it reads, which later renewals wait for.
    reads: Option<ReadOf>,
}

/// A read of a node.
pub(super) struct ReadOf {
    pub(super) store: Store,
    pub(super) realm: RealmName,
    pub(super) node: AnyNode,
}

/// Lasts until the answer has come.
struct Pending(ReadOf);

impl Pending {
    fn new(read: ReadOf) -> Self {
        if let Some(known) = &read.store.shared.known {
            known.begin_late(read.realm.clone(), read.node);
        }
        Self(read)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let ReadOf { store, realm, node } = &self.0;
        if let Some(known) = &store.shared.known {
            known.end_late(realm, *node);
        }
    }
}

impl<T: Send + 'static> Late<T> {
    pub(super) fn new(
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
        reads: Option<ReadOf>,
    ) -> Self {
        Self { work: Some(Box::pin(work)), reads }
    }
}

impl<T: Send + 'static> Future for Late<T> {
    type Output = Result<T, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(work) = &mut self.work else { return Poll::Pending };
        let answer = work.as_mut().poll(context);
        if answer.is_ready() {
            self.work = None;
        }
        answer
    }
}

impl<T: Send + 'static> Drop for Late<T> {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            let pending = self.reads.take().map(Pending::new);
            // Nobody waits for the result, nor for its error. Without a thread it is not noted.
            let thread = thread::Builder::new().name("tickid-late".to_owned());
            let _ = thread.spawn(move || {
                drop(block_on(work, PATIENCE));
                drop(pending);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tickid_core::UnixTime;
    use tickid_core::example::Seconds;

    use crate::backend::{Backend as _, Change};
    use crate::conformance::distant::{Distant, Line};
    use crate::model::lease::Claim;
    use crate::model::realm_spec::RealmSpec;
    use crate::model::token::Token;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);

    fn distant() -> Distant {
        Distant::new(UnixTime::from_micros(1_700_000_000_000_000))
    }

    fn realm() -> RealmSpec {
        RealmSpec::new("a".parse().unwrap(), &Seconds, "0-7/8".parse().unwrap()).unwrap()
    }

    fn acquire(store: &Store) -> crate::Lease {
        let mut claim = Claim::new(Token::random().unwrap(), "a test", None);
        block_on(store.acquire(&realm(), &mut claim), PATIENCE).unwrap()
    }

    /// Waits for something that a thread does soon, and that the test fails without.
    fn until(mut is_so: impl FnMut() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < PATIENCE);
            thread::yield_now();
        }
    }

    /// Polls a request until the distant side has been asked, and abandons it then.
    fn abandon<T>(
        distant: &Distant,
        count: impl Fn(&Line) -> u32,
        request: impl Future<Output = Result<T, StoreError>>,
    ) {
        let before = distant.line(|line| count(line));
        let mut request = core::pin::pin!(request);
        let mut context = Context::from_waker(core::task::Waker::noop());
        until(|| {
            assert!(request.as_mut().poll(&mut context).is_pending());
            distant.line(|line| count(line)) > before
        });
    }

    /// A node's first grant is counted in the record, whose new version the grant shows.
    #[test]
    fn grants_are_renewed_in_one_round_trip() {
        let distant = distant();
        let memory = distant.near();
        block_on(memory.create(&realm(), crate::store::Start::Immediately), PATIENCE).unwrap();
        let store = Store::new(distant.clone());
        let mut lease = None;
        assert_eq!(distant.trips(|| lease = Some(acquire(&store))), (1, 1));
        let mut lease = lease.unwrap();
        for _ in 0..3 {
            let renew = || lease = block_on(store.renew(&realm(), &lease), PATIENCE).unwrap();
            assert_eq!(distant.trips(renew), (0, 1));
        }
    }

    /// Otherwise it would find out once more that its facts are outdated.
    #[test]
    fn renewals_wait_for_a_late_read() {
        let distant = distant();
        let (store, memory) = (Store::new(distant.clone()), distant.near());
        let lease = acquire(&store);
        acquire(&memory);
        distant.line(|line| (line.holds_reads, line.is_terse) = (true, true));
        let realm = realm();
        abandon(&distant, |line| line.reads, store.renew(&realm, &lease));
        let trips = distant.trips(|| {
            let again = block_on(store.renew(&realm, &lease), SHORT);
            assert!(again.unwrap_err().is_unreachable());
        });
        assert_eq!(trips, (0, 0), "it waits");
        let trips = distant.trips(|| {
            thread::scope(|scope| {
                let renewal = scope.spawn(|| block_on(store.renew(&realm, &lease), PATIENCE));
                distant.line(|line| line.holds_reads = false);
                renewal.join().unwrap().unwrap();
            });
        });
        assert_eq!(trips, (0, 1));
    }

    /// Each attempt would otherwise start with the facts that the one before has found outdated.
    #[test]
    fn late_answers_save_the_next_request_a_trip() {
        let distant = distant();
        let (store, memory) = (Store::new(distant.clone()), distant.near());
        let (first, realm) = (acquire(&store), realm());
        let renew = || block_on(store.renew(&realm, &first), PATIENCE).unwrap();
        let cache = store.shared.known.as_ref().unwrap();
        let known =
            || cache.renewal(realm.name(), &first, distant.monotonic()).map(|(change, _)| change);
        let (record, row) = (
            |change: Option<Change>| change.unwrap().record_version,
            |change: Option<Change>| change.unwrap().row.unwrap().version,
        );

        // A grant to another holder changes the record, and another client the row. If the answer
        // does not show them, this reads both, for too long.
        let before = record(known());
        acquire(&memory);
        block_on(memory.renew(&realm, &first), PATIENCE).unwrap();
        distant.line(|line| (line.holds_reads, line.is_terse) = (true, true));
        abandon(&distant, |line| line.reads, store.renew(&realm, &first));
        distant.line(|line| line.holds_reads = false);
        until(|| record(known()) != before);
        assert_eq!(distant.trips(|| _ = renew()), (0, 1));

        // If it does show them, it is late itself.
        let before = record(known());
        acquire(&memory);
        distant.line(|line| (line.holds_commits, line.is_terse) = (true, false));
        abandon(&distant, |line| line.commits, store.renew(&realm, &first));
        distant.line(|line| line.holds_commits = false);
        until(|| record(known()) != before);
        assert_eq!(distant.trips(|| _ = renew()), (0, 1));

        // A renewal is written, and its answer is late.
        let before = row(known());
        distant.line(|line| line.holds_commits = true);
        abandon(&distant, |line| line.commits, store.renew(&realm, &first));
        distant.line(|line| line.holds_commits = false);
        until(|| row(known()) != before);
        assert_eq!(distant.trips(|| _ = renew()), (0, 1));
    }

    /// The answer to a renewal that was decided on outdated facts shows the present ones. So each
    /// attempt needs one round trip, even if somebody is granted a new node before each.
    #[test]
    fn outdated_facts_cost_one_round_trip() {
        let distant = distant();
        let (store, memory) = (Store::new(distant.clone()), distant.near());
        let (lease, realm) = (acquire(&store), realm());
        let once = || block_on(store.renew_once(&realm, &lease), PATIENCE);
        for _ in 0..3 {
            acquire(&memory);
            let outdated = || assert!(once().unwrap_err().is_outdated());
            assert_eq!(distant.trips(outdated), (0, 1));
            assert_eq!(distant.trips(|| _ = once().unwrap()), (0, 1));
        }
        let renew = || _ = block_on(store.renew(&realm, &lease), PATIENCE).unwrap();
        acquire(&memory);
        assert_eq!(distant.trips(renew), (0, 2));
        // Another client of the same holder has renewed.
        block_on(memory.renew(&realm, &lease), PATIENCE).unwrap();
        assert_eq!(distant.trips(renew), (0, 2));
        assert_eq!(distant.trips(renew), (0, 1));
        // An answer that does not show what differs has to be followed by a read.
        distant.line(|line| line.is_terse = true);
        acquire(&memory);
        assert_eq!(distant.trips(|| _ = once().unwrap()), (1, 2));
        acquire(&memory);
        assert_eq!(distant.trips(renew), (1, 2));
    }
}
