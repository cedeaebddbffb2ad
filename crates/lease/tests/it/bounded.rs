//! A claim reads a bounded number of rows, whatever the size of the pool and however full it is,
//! and rows do not outnumber the holders by much. It ends whatever the store does.

use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Arc;

use tickid_core::{AnyNode, ManualClock, UnixTime};
use tickid_lease::admin::{Refusal, Start};
use tickid_lease::backend::{
    Change, Commit, Extra, MemoryBackend, Record, Row, RowState, Scope, StoreErrorKind, Version,
};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{Lease, Realm, RealmSpec, Store, StoreError};
use tickid_sno::Sno;

use crate::altered::{Altered, Memory};

const TIMEOUT: Duration = Duration::from_secs(30);
/// Nine pages.
const MOST_ROWS: usize = 64 + 2 * 512 + 6 * 2_048;
const NODES: u64 = 65_536;

/// A backend in memory that counts the rows of its answers. It has no index by ceilings.
struct Counting {
    memory: Memory,
    clock: Arc<ManualClock>,
    rows: Arc<AtomicUsize>,
    reads: Arc<AtomicUsize>,
}

impl Counting {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
        let memory = MemoryBackend::new(Arc::clone(&clock));
        Self { memory, clock, rows: Arc::default(), reads: Arc::default() }
    }

    /// Creates the realm, and writes a row for each of these nodes, held or free.
    fn fill(&self, rows: impl IntoIterator<Item = (u64, bool)>) -> Store {
        let (row_count, reads) = (Arc::clone(&self.rows), Arc::clone(&self.reads));
        let read = move |memory: &Memory, realm: &_, scope| {
            assert_ne!(scope, Scope::All);
            let view = memory.data(realm, scope)?;
            row_count.fetch_add(view.rows.len(), Ordering::Relaxed);
            reads.fetch_add(1, Ordering::Relaxed);
            Ok(view)
        };
        let store =
            Store::new(Altered { read: Box::new(read), ..Altered::new(self.memory.clone()) });
        block_on(store.create(&realm(), Start::Immediately), TIMEOUT).unwrap();
        let ceiling = realm().tick_at(tickid_core::Clock::now(&*self.clock).unwrap()).unwrap();
        for (value, is_held) in rows {
            let (node, token) = (AnyNode::new(value, 16).unwrap(), Token::from_bits(value.into()));
            let row = Row {
                node,
                token: Some(token),
                holder: String::new(),
                era: 0,
                floor: 0,
                ceiling: ceiling + u64::from(is_held),
                cut: Version::default(),
                extra: Extra::default(),
            };
            let state = RowState::Intact { row, version: Version(1), is_dead: false };
            self.memory.set_row(realm().name(), node, Some(state));
        }
        store
    }

    /// Acquires with the claim of this number. Returns the answer, and the numbers of rows and
    /// reads.
    fn acquire(&self, store: &Store, number: u64) -> (Result<Lease, StoreError>, usize, usize) {
        self.rows.store(0, Ordering::Relaxed);
        self.reads.store(0, Ordering::Relaxed);
        let mut claim = Claim::new(Token::from_bits(u128::from(number) << 64), "", None);
        let answer = block_on(store.acquire(&realm(), &mut claim), TIMEOUT);
        (answer, self.rows.load(Ordering::Relaxed), self.reads.load(Ordering::Relaxed))
    }
}

fn realm() -> RealmSpec {
    RealmSpec::from(Realm::builder("a", Sno).pool("0-65535/16").build().unwrap())
}

#[test]
fn an_empty_pool_takes_one_read() {
    let backend = Counting::new();
    let store = backend.fill([]);
    let nodes: BTreeSet<AnyNode> = (0..50)
        .map(|number| {
            let (lease, rows, reads) = backend.acquire(&store, number);
            assert!(rows < 64 && reads == 1);
            lease.unwrap().node
        })
        .collect();
    assert_eq!(nodes.len(), 50);
}

#[test]
fn half_a_pool_takes_one_page() {
    let backend = Counting::new();
    let store = backend.fill((0..NODES).step_by(2).map(|value| (value, true)));
    for number in 0..200 {
        let (lease, rows, reads) = backend.acquire(&store, number);
        assert_eq!((rows, reads), (64, 1));
        assert_eq!(lease.unwrap().node.value() % 2, 1);
    }
}

#[test]
fn last_free_nodes_take_few_pages() {
    for are_used in [true, false] {
        let backend = Counting::new();
        // A hundred nodes that are free: expired, or without a row.
        let is_free = |value: u64| value % 655 == 7;
        let rows = (0..NODES).filter(|&value| are_used || !is_free(value));
        let store = backend.fill(rows.map(|value| (value, !is_free(value))));
        let (mut granted, mut pages) = (0, Vec::new());
        for number in 0..40 {
            let (answer, rows, reads) = backend.acquire(&store, number);
            assert!(rows <= MOST_ROWS, "{rows} rows in {reads} reads");
            pages.push(reads);
            granted += u64::from(is_free(answer.unwrap().node.value()));
        }
        pages.sort_unstable();
        assert!(granted == 40 && pages[20] <= 3, "{granted} of 40, pages {pages:?}");
    }
}

#[test]
fn a_full_pool_is_refused_after_nine_pages() {
    let backend = Counting::new();
    let store = backend.fill((0..NODES).map(|value| (value, true)));
    for number in 0..20 {
        let (answer, rows, reads) = backend.acquire(&store, number);
        assert_eq!((rows, reads), (MOST_ROWS, 9));
        match answer.unwrap_err().refusal() {
            Some(&Refusal::NoFreeNode { nodes: NODES, seen, quarantined: 0, free_at }) => {
                assert!(seen == MOST_ROWS as u64 && free_at.is_some());
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_repeated_claim_looks_elsewhere() {
    let backend = Counting::new();
    // One node is free.
    let store = backend.fill((0..NODES).map(|value| (value, value != 12_345)));
    let mut claim = Claim::new(Token::from_bits(5), "", None);
    let found = (0..500).find_map(|_| block_on(store.acquire(&realm(), &mut claim), TIMEOUT).ok());
    assert_eq!(found.unwrap().node.value(), 12_345);
}

/// Holders come and go, some of them by crashing, which frees their nodes later.
#[test]
fn rows_stay_below_twice_peak() {
    const HOLDERS: usize = 300;
    let backend = Counting::new();
    let store = backend.fill([]);
    let mut held = Vec::new();
    let mut peak = 0;
    let mut expiring = std::collections::VecDeque::new();
    for number in 0..20_000 {
        backend.clock.advance(Duration::from_millis(100));
        // A lease lasts 15 seconds.
        while expiring.front().is_some_and(|&since| since + 150 < number) {
            expiring.pop_front();
        }
        let lease = backend.acquire(&store, number).0.unwrap();
        held.push(lease);
        if held.len() > HOLDERS {
            let index = usize::try_from(number * 7_919).unwrap() % held.len();
            let lease = held.swap_remove(index);
            if number % 2 == 0 {
                block_on(store.release(&realm(), &lease, None), TIMEOUT).unwrap();
            } else {
                expiring.push_back(number);
            }
        }
        peak = peak.max(held.len() + expiring.len());
        // Every holder renews now and then.
        if number % 100 == 0 {
            for lease in &mut held {
                *lease = block_on(store.renew(&realm(), lease), TIMEOUT).unwrap();
            }
        }
    }
    let rows = backend.memory.data(realm().name(), Scope::All).unwrap().rows.len();
    assert!(rows <= 2 * peak, "{rows} rows for at most {peak} holders");
}

/// A store without room for another row grants one that exists, even if a node without a row would
/// be better.
#[test]
fn full_stores_grant_rows_that_exist() {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
    let memory = MemoryBackend::new(clock);
    let acquire = |store: &Store, now| {
        let mut claim = Claim::new(Token::random().unwrap(), "", now);
        block_on(store.acquire(&realm(), &mut claim), TIMEOUT)
    };
    let commit = |memory: &Memory, realm: &_, change: &Change| {
        if change.row.as_ref().is_some_and(|row| row.version.is_none() && row.row.is_some()) {
            let what = "add a row".to_owned();
            return Err(Altered::error(StoreErrorKind::Failed { what }));
        }
        Ok(memory.write(realm, change))
    };
    let full = Altered { commit: Box::new(commit), ..Altered::new(memory.clone()) };
    let (roomy, full) = (Store::new(memory.clone()), Store::new(full));
    let lease = acquire(&roomy, None).unwrap();
    let error = acquire(&full, None).unwrap_err().to_string();
    assert_eq!(error, "altered store: could not add a row");
    let used = Some(lease.ceiling - 1);
    block_on(roomy.release(&realm(), &lease, used), TIMEOUT).unwrap();
    // Its window starts later than the clock of the claimant.
    let again = acquire(&full, Some(lease.floor)).unwrap();
    assert_eq!((again.node, again.floor), (lease.node, lease.ceiling));
    assert_eq!(memory.data(realm().name(), Scope::All).unwrap().rows.len(), 1);
}

/// A realm that is missing, of another generation or incomplete is written before it is used. The
/// store answers every commit with success, and forgets it.
#[test]
fn requests_end_at_a_store_that_forgets() {
    let forgetful = |memory: &Memory| {
        let commit = Box::new(|_: &_, _: &_, _: &_| Ok(Commit::Written { record: None }));
        Store::new(Altered { commit, ..Altered::new(memory.clone()) })
    };
    let acquire = |memory: &Memory| {
        let store = forgetful(memory);
        let mut claim = Claim::new(Token::from_bits(1), "", None);
        block_on(store.acquire(&realm(), &mut claim), TIMEOUT).unwrap_err().to_string()
    };
    let expected = "altered store: could not commit: the realm had changed 100 times";
    let missing = Counting::new();
    assert_eq!(acquire(&missing.memory), expected);

    let failed_over = Counting::new();
    failed_over.fill([]);
    failed_over.memory.change_generation();
    assert_eq!(acquire(&failed_over.memory), expected);
    let store = forgetful(&failed_over.memory);
    let error = block_on(store.repair(realm().name(), AnyNode::new(7, 16).unwrap()), TIMEOUT);
    assert_eq!(error.unwrap_err().to_string(), expected);

    let incomplete = Counting::new();
    incomplete.fill([]);
    let view = incomplete.memory.data(realm().name(), Scope::Record).unwrap();
    let (record, version) = view.record.unwrap();
    let (record, record_version) = (Some(Record { parts: vec![], ..record }), Some(version));
    let (row, within, generation) = (None, None, view.generation);
    let change = Change { generation, within, record_version, record, row };
    assert!(incomplete.memory.write(realm().name(), &change).is_written());
    assert_eq!(acquire(&incomplete.memory), expected);
}

/// Rows of a later record version are not quarantined: their nodes count as taken.
#[test]
fn repair_passes_over_newer_rows() {
    let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_123_456)));
    let memory = MemoryBackend::new(clock);
    let store = Store::new(memory.clone());
    let mut nodes: Vec<AnyNode> = (0..3)
        .map(|_| {
            let mut claim = Claim::new(Token::random().unwrap(), "", None);
            block_on(store.acquire(&realm(), &mut claim), TIMEOUT).unwrap().node
        })
        .collect();
    nodes.sort();
    for (&node, newer) in nodes.iter().zip([false, true, false]) {
        let malformed = RowState::Malformed { version: Version(1) };
        let state = if newer { RowState::Newer { record_version: 9 } } else { malformed };
        memory.set_row(realm().name(), node, Some(state));
    }
    let repaired = block_on(store.repair_all(realm().name()), TIMEOUT).unwrap();
    let [(first, Ok(_)), (third, Ok(_))] = &repaired[..] else { panic!("{repaired:?}") };
    assert_eq!([*first, *third], [nodes[0], nodes[2]]);
    let refused = block_on(store.repair(realm().name(), nodes[1]), TIMEOUT).unwrap_err();
    let newer = Refusal::Newer { node: nodes[1], record_version: 9 };
    assert_eq!(refused.refusal(), Some(&newer));
}
