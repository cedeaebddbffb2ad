//! A leased generator issues IDs for as long as its store and its clock allow, and its errors name
//! the reason when they do not.
//!
//! The clock of generators and stores is set by the test. The thread that keeps the lease goes by
//! the machine's clock; tests wait for events, however long they take.

mod adoption;
mod rollbacks;
mod waits;

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use tickid_core::{
    Clock as _, DEFAULT_MAX_WAIT, ErrorKind, ManualClock, Plain, Policy, ProcessClock, StallReason,
    Ticks, UnixTime,
};
use tickid_lease::admin::{RealmFacet, Standing};
use tickid_lease::backend::{MemoryBackend, StoreErrorKind};
use tickid_lease::session::{ActiveLease, Claim, Token, Wait, WaitReason, block_on};
use tickid_lease::{
    GenerateError, Lease, LeaseError, LeasedGenerator, LeasedGeneratorBuilder, LeasedObserveError,
    Realm, Store,
};
use tickid_nanoflake::{Nanoflake, NanoflakeId};

use crate::altered::{Altered, Memory};

type Clock = Arc<ManualClock>;
type Leased = LeasedGenerator<Nanoflake, ProcessClock<Clock>>;

struct Fixture {
    clock: Clock,
    memory: Memory,
    is_down: Arc<AtomicBool>,
    /// The number of reads that get no answer.
    failing: Arc<AtomicU32>,
    realm: Realm<Nanoflake>,
}

const PATIENCE: Duration = Duration::from_secs(120);
const HOUR: Duration = Duration::from_secs(3_600);

impl Fixture {
    /// Leases last for 15 seconds of the clock that the test sets, and are renewed ten times a
    /// second of the machine's.
    fn new(pool: &str) -> Self {
        let clock = Arc::new(ManualClock::new(UnixTime::from_micros(1_700_000_000_000_000)));
        let memory = MemoryBackend::new(Arc::clone(&clock));
        let realm = Realm::builder("a", Nanoflake::default()).pool(pool);
        let realm = realm.skew(Duration::from_millis(14_800)).term(Duration::from_millis(200));
        let realm = realm.build().unwrap();
        Self { clock, memory, is_down: Arc::default(), failing: Arc::default(), realm }
    }

    fn store(&self) -> Store {
        let (is_down, failing) = (Arc::clone(&self.is_down), Arc::clone(&self.failing));
        let read = move |memory: &Memory, realm: &_, scope| {
            let one_less = |left: u32| left.checked_sub(1);
            let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
            let fails = failing.fetch_update(set, fetch, one_less).is_ok();
            if fails || is_down.load(Ordering::Relaxed) {
                return Err(Altered::error(StoreErrorKind::Unreachable));
            }
            memory.data(realm, scope)
        };
        Store::new(Altered { read: Box::new(read), ..Altered::new(self.memory.clone()) })
    }

    fn builder(&self) -> LeasedGeneratorBuilder<Nanoflake, ProcessClock<Clock>> {
        self.builder_with(Arc::clone(&self.clock))
    }

    fn builder_with(&self, clock: Clock) -> LeasedGeneratorBuilder<Nanoflake, ProcessClock<Clock>> {
        let builder = LeasedGenerator::builder(self.store(), self.realm.clone());
        builder.answer_within(PATIENCE).clock(clock)
    }

    fn start(&self) -> Leased {
        self.builder().start().unwrap()
    }

    fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    /// Acquires another holder's lease, past the switch.
    fn acquire(&self) -> Lease {
        let mut claim = Claim::new(Token::random().unwrap(), "another", None);
        let store = Store::new(self.memory.clone());
        block_on(store.acquire(self.realm.spec(), &mut claim), PATIENCE).unwrap()
    }

    /// Returns the standing and the ceiling of each row.
    fn rows(&self) -> Vec<(Standing, u64)> {
        let view = block_on(self.store().list(self.realm.name()), PATIENCE).unwrap();
        let standings = view.standings().unwrap();
        standings.iter().map(|(_, state, one)| (*one, state.row().unwrap().ceiling)).collect()
    }
}

/// Compiles if executors may move the future between threads.
fn assert_spawns<T>(future: impl Future<Output = T> + Send) {
    drop(future);
}

/// Returns the number of calls that found no lease.
fn stalls_without_lease(leased: &Leased) -> u64 {
    let stalls = leased.state().counters.stalls;
    stalls
        .iter()
        .filter(|(reason, _)| !matches!(reason, WaitReason::Stalled(_)))
        .map(|it| it.1)
        .sum()
}

#[test]
fn futures_can_be_spawned() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let sleep = |_| core::future::ready(());
    assert_spawns(world.builder().start_async());
    assert_spawns(leased.generate_async(sleep));
    assert_spawns(leased.with(tickid_core::Plain).generate_async(sleep));
    assert_spawns(async move { leased.shut_down_async().await });
    let (store, realm) = (world.store(), &world.realm);
    let mut claim = Claim::new(Token::from_bits(1), "a task", None);
    assert_spawns(store.acquire(realm.spec(), &mut claim));
    assert_spawns(store.list(realm.name()));
    assert_spawns(store.repair_all(realm.name()));
    assert_spawns(store.reconfigure(realm.spec()));
    assert_spawns(store.invalidate(realm.spec()));
    assert_spawns(store.create(realm.spec(), tickid_lease::admin::Start::Immediately));
}

/// Polls `look` until it returns a value.
fn until<T>(look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Some(seen) => return seen,
            None => thread::sleep(Duration::from_millis(1)),
        }
        assert!(start.elapsed() < PATIENCE, "it never comes");
    }
}

/// Runs a future on this thread.
fn run<T>(future: impl Future<Output = T>) -> T {
    block_on(async { Ok(future.await) }, PATIENCE).unwrap()
}

#[test]
fn a_lease_is_renewed_ahead_of_need() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    for _ in 0..5 {
        leased.try_generate().unwrap();
        let before = leased.state();
        world.clock.advance(Duration::from_secs(10));
        // Less than half of the window is left.
        until(|| {
            let now = leased.state();
            let renewed = now.counters.renewals > before.counters.renewals + 1;
            renewed.then(|| assert!(now.lease.unwrap().ceiling > before.lease.unwrap().ceiling))
        });
    }
    let state = leased.state();
    assert_eq!((state.counters.leases, state.counters.losses), (1, 0));
    assert_eq!((state.counters.stalls.total(), state.counters.failures.total()), (0, 0));
    assert!(state.trouble.is_none());
    assert_eq!(state.clock_ahead_micros, Some(0));
    assert_eq!(state.renewed_at, Some(world.clock.now().unwrap()));
    assert_eq!(state.window_left, Duration::from_secs(15));
    assert!(state.latency.is_some());
}

#[test]
fn clocks_that_differ_are_reported() {
    let world = Fixture::new("0-9/10");
    let clock = |secs: i64| {
        let now = world.clock.now().unwrap().as_micros() + secs * 1_000_000;
        Arc::new(ManualClock::new(UnixTime::from_micros(now)))
    };
    for (secs, expected) in [
        (0, None),
        (-14, None),
        (-3_600, Some("this clock is 1 hour behind the store's")),
        (3_600, Some("this clock is 1 hour ahead of the store's")),
    ] {
        let leased = world.builder_with(clock(secs)).start().unwrap();
        let gap = leased.state().clock_gap.map(|gap| gap.to_string());
        assert_eq!(gap.as_deref(), expected, "{secs} s");
        // One that is behind issues without a word.
        let answer = leased.try_generate();
        assert_eq!(answer.is_ok(), secs <= 0, "{secs} s: {answer:?}");
        if let (Err(error), Some(expected)) = (answer, expected) {
            assert!(error.to_string().ends_with(expected), "{error}");
        }
        leased.shut_down().unwrap();
    }
}

#[test]
fn survives_an_outage() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let first = leased.try_generate().unwrap();
    world.set_down(true);
    until(|| leased.state().trouble);
    let ceiling = leased.state().lease.unwrap().ceiling;
    world.clock.set(world.realm.spec().scale().time_of(ceiling - 1));
    leased.try_generate().unwrap();
    assert_eq!(leased.state().window_left, Duration::from_millis(1));
    world.clock.advance(Duration::from_millis(1));
    let error = leased.try_generate().unwrap_err();
    let GenerateError::Stalled(stall) = &error else { panic!("{error}") };
    assert_eq!(stall.error.kind(), ErrorKind::Stalled(StallReason::WindowEnded));
    assert!(error.cause().unwrap().store().unwrap().is_unreachable());
    let message = error.to_string();
    assert!(message.contains("could not be renewed: altered store: no answer"), "{message}");
    let state = leased.state();
    assert_eq!(
        (
            state.counters.stalls.of(WaitReason::Stalled(StallReason::WindowEnded)),
            state.counters.stalls.total()
        ),
        (1, 1)
    );
    assert!(state.counters.failures.of(WaitReason::Unreachable) > 0);
    assert_eq!(
        state.counters.failures.total(),
        state.counters.failures.of(WaitReason::Unreachable)
    );
    assert_eq!(state.window_left, Duration::ZERO);

    world.set_down(false);
    let next = until(|| leased.try_generate().ok());
    assert!(next > first);
    assert_eq!(next.generator(), first.generator());
    assert_eq!(leased.state().counters.leases, 1);
}

#[test]
fn lost_lease_is_replaced() {
    let world = Fixture::new("7-8/10");
    let leased = world.start();
    let first = leased.try_generate().unwrap();
    let active = leased.active_lease().unwrap();
    world.set_down(true);
    until(|| leased.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    // Both nodes are granted to others.
    let others = [world.acquire().node, world.acquire().node];
    assert!(others.contains(&active.lease().node));
    world.clock.advance(Duration::from_secs(60));
    world.set_down(false);

    let next = until(|| leased.try_generate().ok());
    assert!(next > first);
    let state = leased.state();
    assert_eq!((state.counters.leases, state.counters.losses, state.counters.moves), (2, 1, 0));
    assert_ne!(state.lease.unwrap().token, active.lease().token);
    let error = active.generator().try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}

/// A tick of the clock, which stands still but for waits, has 4,096 IDs at most.
#[test]
fn an_observed_id_outlives_its_lease() {
    let world = Fixture::new("7/10");
    let ratchet = Policy::Ratchet { allowance: Ticks::new(1_000) };
    let start = || world.builder().policy(ratchet).start().unwrap();
    let ahead = |millis| {
        let time = world.clock.now().unwrap().as_millis() + millis;
        Nanoflake::default().min_at(UnixTime::from_millis(time).unwrap()).unwrap()
    };
    let (accepted, refused) = (ahead(500), ahead(502));
    let leased = start();
    leased.with(Plain).observe(accepted).unwrap();
    assert!(leased.try_generate().unwrap() > accepted);
    let error = leased.observe(refused).unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_millis(1)));
    leased.shut_down().unwrap();
    let successor = start();
    assert!(successor.generate().unwrap() > accepted);
}

#[test]
fn an_observed_id_costs_no_wait() {
    let world = Fixture::new("7/10");
    let leased = world.builder().policy(Policy::Wait).start().unwrap();
    let last = leased.try_generate().unwrap();
    // From the highest node, within the millisecond of the clock.
    let id = Nanoflake::default().max_at(world.clock.now().unwrap()).unwrap();
    let error = leased.observe(id).unwrap_err();
    assert!(matches!(error, LeasedObserveError::Refused(tickid_core::ObserveError::Ahead { .. })));
    let retry_after = error.retry_after().unwrap();
    assert!(Duration::ZERO < retry_after && retry_after <= Duration::from_millis(1), "{error}");
    assert!(leased.try_generate().unwrap() > last, "used up the tick");
    world.clock.advance(retry_after);
    leased.observe(id).unwrap();
    assert!(leased.try_generate().unwrap() > id);
}

#[test]
fn the_present_generator_observes() {
    let world = Fixture::new("1-2/10");
    let leased = world.builder().policy(Policy::Ratchet { allowance: Ticks::new(1_000) });
    let leased = leased.start().unwrap();
    let first = leased.active_lease().unwrap();
    first.generator().close();
    let millis = world.clock.now().unwrap().as_millis() + 500;
    let id = Nanoflake::default().min_at(UnixTime::from_millis(millis).unwrap()).unwrap();
    let observed = leased.observe(id);
    until(|| leased.active_lease().filter(|present| !Arc::ptr_eq(present, &first)));
    match observed {
        Ok(()) => assert!(leased.try_generate().unwrap() > id),
        Err(LeasedObserveError::Generator(GenerateError::NoLease { .. })) => {}
        Err(error) => panic!("{error}"),
    }
    leased.observe(id).unwrap();
    assert!(leased.try_generate().unwrap() > id);
}

#[test]
fn slices_and_blocks_are_drawn() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let mut all = Vec::new();
    let mut ids = [NanoflakeId::MIN; 10_000];
    all.extend(leased.try_fill(&mut ids).unwrap().iter().copied());
    assert!(!all.is_empty() && all.len() <= 4_096, "{}", all.len());
    let n = NonZeroU32::new(5_000).unwrap();
    assert!(matches!(leased.try_fill(&mut ids), Err(GenerateError::Stalled(_))));
    assert!(matches!(leased.try_block(n), Err(GenerateError::Stalled(_))));
    assert_eq!(
        leased.state().counters.stalls.of(WaitReason::Stalled(StallReason::TickUsedUp)),
        2,
        "as many calls failed"
    );
    assert_eq!(world.clock.slept(), Duration::ZERO);

    leased.fill(&mut ids).unwrap();
    assert!(world.clock.slept() >= Duration::from_millis(2));
    all.extend(ids);
    all.extend(leased.block(n).unwrap());
    all.extend(leased.with(Plain).block(n).unwrap());
    let sleep = async |pause| world.clock.advance(pause);
    all.push(run(leased.generate_async(sleep)).unwrap());
    assert!(all.is_sorted_by(|one, other| one < other), "of one lease");
    assert_eq!(leased.state().counters.leases, 1);
}

/// The wait for the next lease is a part of each call that waits.
#[test]
fn slices_and_blocks_survive_a_loss() {
    let world = Fixture::new("0-9/10");
    // Nodes that are not released stay taken, since the clock stands still.
    let leased = world.start();
    let mut all = HashSet::new();
    let calls: [fn(&Leased) -> Vec<NanoflakeId>; 4] = [
        |leased| vec![leased.generate().unwrap()],
        |leased| leased.block(NonZeroU32::MIN).unwrap().collect(),
        |leased| {
            let mut ids = [NanoflakeId::MIN; 10];
            leased.fill(&mut ids).unwrap();
            ids.into()
        },
        |leased| vec![run(leased.generate_async(async |pause| thread::sleep(pause))).unwrap()],
    ];
    for call in calls {
        all.extend(call(&leased));
        world.set_down(true);
        leased.active_lease().unwrap().generator().close();
        let error = leased.try_block(NonZeroU32::MIN).unwrap_err();
        assert!(matches!(error, GenerateError::NoLease { .. }), "{error}");
        let stalls = || stalls_without_lease(&leased);
        let before = stalls();
        thread::scope(|scope| {
            let ids = scope.spawn(|| call(&leased));
            until(|| (stalls() > before).then_some(()));
            world.set_down(false);
            all.extend(ids.join().unwrap());
        });
        assert_eq!(stalls(), before + 1, "counted once");
    }
    assert_eq!(all.len(), 2 * (1 + 1 + 10 + 1));
    assert_eq!(leased.state().counters.leases, 5);
}

/// A clock whose first wait ends a lease.
#[derive(Debug)]
struct Ending {
    clock: Clock,
    active: OnceLock<Arc<ActiveLease<Nanoflake, ProcessClock<Arc<Self>>>>>,
}

impl tickid_core::Clock for Ending {
    fn now(&self) -> Result<UnixTime, tickid_core::ClockError> {
        self.clock.now()
    }

    fn sleep(&self, pause: Duration) {
        self.clock.sleep(pause);
        self.active.get().unwrap().generator().close();
    }
}

/// The slice continues under the next lease.
#[test]
fn a_slice_across_two_leases_is_unique() {
    let world = Fixture::new("7/10");
    let clock = Arc::new(Ending { clock: Arc::clone(&world.clock), active: OnceLock::new() });
    let builder = LeasedGenerator::builder(world.store(), world.realm.clone());
    let leased = builder.answer_within(PATIENCE).clock(Arc::clone(&clock)).start().unwrap();
    clock.active.set(leased.active_lease().unwrap()).unwrap();
    let mut ids = [NanoflakeId::MIN; 6_000];
    leased.fill(&mut ids).unwrap();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    assert_eq!(leased.state().counters.leases, 2);
}

#[test]
fn a_drop_releases_the_node() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let id = leased.try_generate().unwrap();
    drop(leased);
    assert_eq!(world.rows(), [(Standing::Free, id.timestamp() + 1)]);
    assert_eq!(world.start().state().lease.unwrap().floor, id.timestamp() + 1);
}

#[test]
fn tasks_start_and_shut_down() {
    let world = Fixture::new("7/10");
    let id = run(async {
        let leased = world.builder().start_async().await.unwrap();
        let refused = world.builder().start_async().await;
        assert!(matches!(refused, Err(LeaseError::Store(_))));
        let id = leased.try_generate().unwrap();
        leased.shut_down_async().await.unwrap();
        id
    });
    assert_eq!(world.rows(), [(Standing::Free, id.timestamp() + 1)]);
}

#[test]
fn a_failed_release_is_reported() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let active = leased.active_lease().unwrap();
    world.set_down(true);
    assert!(leased.shut_down().unwrap_err().is_unreachable());
    assert!(active.generator().state().is_closed);
    world.set_down(false);
    assert_eq!(world.rows()[0].0, Standing::Held);
}

#[test]
fn start_needs_a_free_node() {
    let world = Fixture::new("7/10");
    world.acquire();
    let error = world.builder().start().unwrap_err();
    assert!(error.to_string().contains("no node is free: 1 of 1 were looked at"), "{error}");
    world.set_down(true);
    let error = world.builder().start().unwrap_err();
    assert!(error.to_string().contains("altered store: no answer"), "{error}");
}

#[test]
fn a_start_repeats_what_may_pass() {
    let world = Fixture::new("7/10");
    world.set_down(true);
    let error = world.builder().start().unwrap_err();
    assert!(error.store().unwrap().is_unreachable());
    // Another world: the first start may not have made its last request yet.
    let world = Fixture::new("7/10");
    let failing = &world.failing;
    failing.store(3, Ordering::Relaxed);
    let leased = world.builder().start_within(HOUR).start().unwrap();
    assert_eq!(failing.load(Ordering::Relaxed), 0);
    assert_eq!(leased.state().counters.failures.of(WaitReason::Unreachable), 3);
    // That does not pass.
    let sno = Realm::builder("a", tickid_sno::Sno).pool("7/16").build().unwrap();
    let builder = LeasedGenerator::builder(world.store(), sno).start_within(HOUR);
    assert!(builder.start().is_err());
}

#[test]
fn other_realm_is_refused() {
    let world = Fixture::new("7/10");
    drop(world.start());
    let sno = Realm::builder("a", tickid_sno::Sno).pool("7/16").build().unwrap();
    let builder = LeasedGenerator::builder(world.store(), sno.clone()).answer_within(PATIENCE);
    let error = builder.start().unwrap_err().to_string();
    let named = "schemes do not match: it has \"nanoflake\", the request \"sno\"";
    assert!(error.contains(named), "{error}");
    let kept = block_on(world.store().realm(world.realm.name()), PATIENCE).unwrap().realm;
    assert_eq!(Realm::from_spec(kept.clone(), Nanoflake::default()).as_ref(), Ok(&world.realm));
    assert_eq!(Realm::from_spec(kept, tickid_sno::Sno).unwrap_err().what, RealmFacet::Scheme);
}

#[test]
fn failed_build_releases_its_node() {
    let world = Fixture::new("7/10");
    let error = world.builder().policy(Policy::TickTock).start().unwrap_err();
    assert!(matches!(error, LeaseError::Build(_)), "{error}");
    // The next window starts above the floor.
    assert_eq!(world.rows(), [(Standing::Free, 1)]);
}

#[derive(Clone, Debug)]
struct Panicking;

impl tickid_core::Clock for Panicking {
    fn now(&self) -> Result<UnixTime, tickid_core::ClockError> {
        std::panic::resume_unwind(Box::new(()))
    }
}

#[test]
fn panicking_clock_fails_start() {
    let world = Fixture::new("7-8/10");
    let builder = || {
        let builder = LeasedGenerator::builder(world.store(), world.realm.clone());
        builder.answer_within(PATIENCE).clock(Panicking)
    };
    for start in [run(builder().start_async()), builder().start()] {
        let error = start.map(drop).unwrap_err();
        assert!(matches!(error, LeaseError::System { .. }), "{error:?}");
    }
}

#[test]
fn closed_generator_is_replaced() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let first = leased.try_generate().unwrap();
    leased.active_lease().unwrap().generator().close();
    assert!(matches!(leased.try_generate(), Err(GenerateError::NoLease { .. })));
    assert!(leased.generate().unwrap() > first);
    assert_eq!(leased.state().counters.leases, 2);
}

#[test]
fn holder_names_have_host_and_pid() {
    let world = Fixture::new("7/10");
    let _leased = world.start();
    let view = block_on(world.store().list(world.realm.name()), PATIENCE).unwrap();
    let holder = view.rows.values().next().unwrap().row().unwrap().holder.clone();
    let (host, rest) = holder.split_once('/').unwrap();
    assert!(!host.is_empty(), "{holder}");
    assert!(rest.starts_with("it-"), "{holder}");
    assert!(rest.ends_with(&format!(":{}", std::process::id())), "{holder}");
}
