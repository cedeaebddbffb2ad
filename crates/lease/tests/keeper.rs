//! A keeper keeps its generator going for as long as its store lets it, and says why when it can't.
//!
//! The clock of the generator and of the store is set by hand; the keeper's thread goes by the real
//! one. Tests wait for what has to happen, however long it takes.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread;

use tickid_core::{Builder, DEFAULT_MAX_WAIT, ErrorKind, ManualClock, ProcessClock, UnixTime};
use tickid_lease::{
    Answer, Change, Claim, GenerateError, Grant, Keeper, KeeperBuilder, Lease, LeaseError,
    MemoryTable, Realm, RealmName, Scope, Standing, StartError, Store, StoreError, StoreErrorKind,
    Table, TableStore, Token, Trouble, View, block_on,
};
use tickid_nanoflake::Nanoflake;
use tickid_sno::Sno;

type Clock = Arc<ManualClock>;
type Kept = Keeper<Nanoflake, Clock>;

/// A table in memory that can be out of reach.
#[derive(Debug)]
struct Switched {
    table: MemoryTable<Clock>,
    is_down: AtomicBool,
}

impl Table for Switched {
    fn backend(&self) -> &'static str {
        "switched"
    }

    fn read<'a>(&'a self, realm: &'a RealmName, scope: Scope) -> Answer<'a, View> {
        Box::pin(async move {
            if self.is_down.load(Ordering::Relaxed) {
                return Err(StoreError::new(self.backend(), StoreErrorKind::Unreachable));
            }
            self.table.read(realm, scope).await
        })
    }

    fn commit<'a>(&'a self, realm: &'a RealmName, change: &'a Change) -> Answer<'a, bool> {
        self.table.commit(realm, change)
    }
}

struct World {
    clock: Clock,
    table: Arc<Switched>,
    realm: Realm,
}

const PATIENCE: Duration = Duration::from_secs(30);

impl World {
    /// Leases last for 15 seconds of the clock that is set by hand, and are renewed ten times a second of
    /// the real one.
    fn new(pool: &str) -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
        let table = MemoryTable::new(Arc::clone(&clock));
        let table = Arc::new(Switched { table, is_down: AtomicBool::new(false) });
        let layout = Nanoflake::default();
        let realm = Realm::new("a".parse().unwrap(), &layout, pool.parse().unwrap()).unwrap();
        let terms = realm.terms().with_skew(Duration::from_millis(14_800));
        let realm = realm.with_terms(terms.with_term(Duration::from_millis(200))).unwrap();
        Self { clock, table, realm }
    }

    fn store(&self) -> TableStore<Arc<Switched>> {
        TableStore::new(Arc::clone(&self.table))
    }

    fn builder(&self) -> KeeperBuilder {
        KeeperBuilder::new(self.store(), self.realm.clone()).answer_within(PATIENCE)
    }

    fn start(&self, builder: KeeperBuilder) -> Result<Kept, StartError> {
        let clock = Arc::clone(&self.clock);
        builder.start(move |lease| {
            Ok(lease.builder(&Nanoflake::default())?.clock(ProcessClock::new(Arc::clone(&clock))))
        })
    }

    fn keeper(&self) -> Kept {
        self.start(self.builder()).unwrap()
    }

    fn set_down(&self, is_down: bool) {
        self.table.is_down.store(is_down, Ordering::Relaxed);
    }

    /// Somebody else's lease, past the switch.
    fn acquire(&self) -> Grant {
        let store = TableStore::new(&self.table.table);
        let claim = Claim::new(Token::random().unwrap(), "somebody else", None);
        block_on(store.acquire(&self.realm, &claim), PATIENCE).unwrap().unwrap()
    }

    /// The only row.
    fn standing(&self) -> (Standing, u64) {
        let listing = block_on(self.store().list(self.realm.name()), PATIENCE).unwrap().unwrap();
        let standings = listing.standings().unwrap();
        (standings[0].1, standings[0].0.ceiling)
    }
}

/// Looks again and again until there is something to see.
fn until<T>(look: impl Fn() -> Option<T>) -> T {
    loop {
        match look() {
            Some(seen) => return seen,
            None => thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[test]
fn a_lease_is_renewed_ahead_of_need() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    for _ in 0..5 {
        keeper.try_generate().unwrap();
        let before = keeper.state();
        world.clock.advance(Duration::from_secs(10));
        // Half of its window is over; before the rest is, it is renewed.
        until(|| {
            let now = keeper.state();
            let renewed = now.counters.renewals > before.counters.renewals + 1;
            renewed.then(|| {
                assert!(now.lease.unwrap().ticks().1 > before.lease.as_ref().unwrap().ticks().1)
            })
        });
    }
    let state = keeper.state();
    assert_eq!((state.counters.leases, state.counters.losses, state.counters.stalls), (1, 0, 0));
    assert!(state.trouble.is_none());
    assert_eq!(state.clock_ahead_micros, Some(0));
}

#[test]
fn without_its_store_it_issues_to_the_end_of_its_window_and_goes_on_when_that_is_back() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    let first = keeper.try_generate().unwrap();
    world.set_down(true);
    until(|| keeper.state().trouble);
    let (_, ceiling) = keeper.state().lease.unwrap().ticks();
    world.clock.set(world.realm.scale().time_of(ceiling - 1));
    keeper.try_generate().unwrap();
    world.clock.advance(Duration::from_millis(1));
    let error = keeper.try_generate().unwrap_err();
    match &error {
        GenerateError::Stalled { error, trouble: Some(trouble), .. } => {
            assert_eq!(error.kind(), ErrorKind::Window);
            assert!(matches!(&**trouble, Trouble::Store(error) if error.is_unreachable()));
        }
        _ => panic!("{error}"),
    }
    let message = error.to_string();
    assert!(message.contains("could not be renewed: switched store: no answer"), "{message}");
    assert_eq!(keeper.state().counters.stalls, 1);

    world.set_down(false);
    let next = until(|| keeper.try_generate().ok());
    assert!(next > first);
    assert_eq!(next.generator(), first.generator());
    assert_eq!(keeper.state().counters.leases, 1);
}

#[test]
fn a_lost_lease_is_followed_by_a_new_one_with_a_new_generator() {
    let world = World::new("7-8/10");
    let keeper = world.keeper();
    let first = keeper.try_generate().unwrap();
    let tenure = keeper.tenure().unwrap();
    world.set_down(true);
    until(|| keeper.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    // Both nodes are given to others, as far as they are free.
    let taken = world.acquire().hold.node;
    let others = [taken, world.acquire().hold.node];
    assert!(others.contains(&tenure.lease().node()));
    world.clock.advance(Duration::from_secs(60));
    world.set_down(false);

    let next = until(|| keeper.try_generate().ok());
    assert!(next > first);
    let state = keeper.state();
    assert_eq!((state.counters.leases, state.counters.losses), (2, 1));
    assert_ne!(state.lease.unwrap().hold(), tenure.lease().hold());
    let error = tenure.generator().try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}

#[test]
fn who_drops_a_keeper_gives_the_node_back() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    let id = keeper.try_generate().unwrap();
    drop(keeper);
    assert_eq!(world.standing(), (Standing::Free, id.timestamp() + 1));
    let next = world.keeper();
    assert_eq!(next.state().lease.unwrap().ticks().0, id.timestamp() + 1);
}

#[test]
fn tasks_start_keepers_and_shut_them_down() {
    let world = World::new("7/10");
    let (builder, clock) = (world.builder(), Arc::clone(&world.clock));
    let whole_life = async {
        let keeper = builder
            .start_async(move |lease| {
                Ok(lease
                    .builder(&Nanoflake::default())?
                    .clock(ProcessClock::new(Arc::clone(&clock))))
            })
            .await
            .unwrap();
        let refused = world.builder().start_async(|lease| lease.builder(&Nanoflake::default()));
        assert!(matches!(refused.await, Err(StartError::Trouble(_))));
        let id = keeper.try_generate().unwrap();
        keeper.shut_down_async().await.unwrap();
        id
    };
    let id = block_on(whole_life, PATIENCE).unwrap();
    assert_eq!(world.standing(), (Standing::Free, id.timestamp() + 1));
}

#[test]
fn shutting_down_says_when_the_node_was_not_given_back() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    let tenure = keeper.tenure().unwrap();
    world.set_down(true);
    assert!(keeper.shut_down().unwrap_err().is_unreachable());
    assert!(tenure.generator().state().is_closed);
    world.set_down(false);
    assert_eq!(world.standing().0, Standing::Held);
}

#[test]
fn who_finds_no_node_does_not_start() {
    let world = World::new("7/10");
    world.acquire();
    let error = world.start(world.builder()).unwrap_err();
    assert!(error.to_string().contains("none of 1 nodes is free"), "{error}");
    world.set_down(true);
    let error = world.start(world.builder()).unwrap_err();
    assert!(error.to_string().contains("switched store: no answer"), "{error}");
}

#[test]
fn a_lease_of_another_scheme_is_given_back() {
    let world = World::new("7/10");
    let result = world.builder().start(|lease| lease.builder(&Sno));
    let error = result.unwrap_err().to_string();
    let named = "schemes do not match: it has \"nanoflake\", the request \"sno\"";
    assert!(error.contains(named), "{error}");
    assert_eq!(world.standing(), (Standing::Free, 0));
}

#[test]
fn waiting_ends_with_max_wait() {
    let world = World::new("7/10");
    let keeper = world.start(world.builder().max_wait(Duration::from_secs(1))).unwrap();
    world.set_down(true);
    until(|| keeper.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    let error = keeper.generate().unwrap_err();
    assert!(matches!(error, GenerateError::Stalled { trouble: Some(_), .. }), "{error}");
}

#[test]
fn a_window_that_ended_is_waited_for_a_minute_by_default() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    world.set_down(true);
    until(|| keeper.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    let error = keeper.generate().unwrap_err();
    assert!(matches!(error, GenerateError::Stalled { trouble: Some(_), .. }), "{error}");
    assert_eq!(world.clock.slept(), DEFAULT_MAX_WAIT);
}

#[test]
fn waiting_for_a_lease_ends_with_max_wait() {
    let world = World::new("7/10");
    let keeper = world.start(world.builder().max_wait(Duration::from_millis(50))).unwrap();
    world.set_down(true);
    until(|| keeper.state().trouble);
    keeper.tenure().unwrap().generator().close();
    let error = keeper.generate().unwrap_err();
    assert!(matches!(error, GenerateError::NoLease { .. }), "{error}");
    let pause = async |_| ();
    let error = block_on(keeper.generate_async(pause), PATIENCE).unwrap().unwrap_err();
    assert!(matches!(error, GenerateError::NoLease { .. }), "{error}");
}

#[test]
fn a_callback_that_panics_fails_the_start_of_tasks_too() {
    let world = World::new("7-8/10");
    // The first start leaves its node to the end of its window.
    let panics = |_: &Lease| -> Result<Builder<Nanoflake, ProcessClock<Clock>>, LeaseError> {
        std::panic::resume_unwind(Box::new(()))
    };
    let failed = [
        block_on(world.builder().start_async(panics), PATIENCE).unwrap(),
        world.builder().start(panics),
    ];
    for start in failed {
        let error = start.map(drop).unwrap_err();
        assert!(matches!(error, StartError::Thread(_)), "{error:?}");
    }
}

#[test]
fn waiting_goes_on_when_the_store_is_back() {
    let world = World::new("7/10");
    // Those who sleep move the clock.
    let keeper = world.start(world.builder().max_wait(Duration::MAX)).unwrap();
    world.set_down(true);
    until(|| keeper.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    thread::scope(|scope| {
        let blocking = scope.spawn(|| keeper.generate());
        let asynchronous = scope.spawn(|| {
            let pause = async |_| thread::sleep(Duration::from_millis(1));
            block_on(keeper.generate_async(pause), PATIENCE).unwrap()
        });
        world.set_down(false);
        assert_ne!(blocking.join().unwrap().unwrap(), asynchronous.join().unwrap().unwrap());
    });
}

#[test]
fn a_generator_that_somebody_closed_is_replaced() {
    let world = World::new("7/10");
    let keeper = world.keeper();
    let first = keeper.try_generate().unwrap();
    keeper.tenure().unwrap().generator().close();
    assert!(matches!(keeper.try_generate(), Err(GenerateError::NoLease { .. })));
    assert!(keeper.generate().unwrap() > first);
    assert_eq!(keeper.state().counters.leases, 2);
}

#[test]
fn after_it_was_stopped_a_keeper_says_so() {
    let world = World::new("7/10");
    let keeper = world.start(world.builder().max_wait(Duration::MAX)).unwrap();
    let tenure = keeper.tenure().unwrap();
    thread::scope(|scope| {
        // Somebody waits for a window that never comes, while another shuts the keeper down.
        world.set_down(true);
        until(|| keeper.state().trouble);
        world.clock.advance(Duration::from_secs(3_600));
        let waiting = scope.spawn(move || {
            let tenure = tenure;
            tenure.generator().generate()
        });
        let _ = keeper.shut_down();
        assert_eq!(waiting.join().unwrap().unwrap_err().kind(), ErrorKind::Closed);
    });
}
