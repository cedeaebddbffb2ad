//! Calls without an ID wait if that helps, and errors name the reason.

use super::*;

/// Every call waits for the first lease, as for any other.
#[test]
fn pending_generators_wait_for_a_lease() {
    let world = Fixture::new("7/10");
    world.set_down(true);
    let leased = world.builder().start_pending().unwrap();
    assert!(leased.first_lease().unwrap_err().to_string().contains("altered store: no answer"));
    let error = leased.try_generate().unwrap_err();
    assert_eq!(error.wait().unwrap().reason, WaitReason::Unreachable, "{error}");
    thread::scope(|scope| {
        let calls = [
            scope.spawn(|| vec![leased.generate().unwrap()]),
            scope.spawn(|| leased.block(NonZeroU32::MIN).unwrap().collect()),
            scope.spawn(|| vec![run(leased.generate_async(async |it| thread::sleep(it))).unwrap()]),
            scope.spawn(|| {
                leased.wait_ready(PATIENCE).unwrap();
                vec![leased.try_generate().unwrap()]
            }),
        ];
        until(|| (stalls_without_lease(&leased) > 3).then_some(()));
        world.set_down(false);
        let ids: Vec<_> = calls.into_iter().flat_map(|call| call.join().unwrap()).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 4);
    });
    assert_eq!(leased.first_lease().unwrap().node, "7/10".parse().unwrap());
    assert_eq!(leased.state().wait, None);
    leased.shut_down().unwrap();
    leased.shut_down().unwrap();
    assert!(matches!(leased.generate(), Err(GenerateError::Stopped)));
    assert_eq!(world.rows()[0].0, Standing::Free);
}

/// Returns the wait of a generator that starts with this realm in the store.
fn pending(world: &Fixture) -> (Leased, Wait) {
    let leased = world.builder().start_pending().unwrap();
    leased.first_lease().unwrap_err();
    let wait = leased.state().wait.unwrap();
    (leased, wait)
}

#[test]
fn missing_leases_have_a_reason() {
    let world = Fixture::new("7/10");
    world.acquire();
    let (leased, wait) = pending(&world);
    assert_eq!((wait.reason, wait.retry_after()), (WaitReason::NoFreeNode, None));
    assert!(leased.wait_ready(Duration::ZERO).is_err());

    let mut other = Fixture::new("7/10");
    other.acquire();
    other.realm = Realm::builder("a", Nanoflake::default()).pool("8/10").build().unwrap();
    let (leased, wait) = pending(&other);
    assert_eq!(wait.reason, WaitReason::Refused);
    // Only an operator can change that, so no call waits for it.
    assert!(leased.wait_ready(Duration::MAX).is_err());
    assert!(run(leased.wait_ready_async(Duration::MAX, async |_| panic!("it waits"))).is_err());
}

/// A realm starts again after an invalidation, at a time that the store names.
#[test]
fn a_later_realm_is_awaited_if_it_pays() {
    let mut world = Fixture::new("7/10");
    let realm = Realm::builder("a", Nanoflake::default()).pool("7/10").term(HOUR);
    world.realm = realm.build().unwrap();
    world.acquire();
    block_on(world.store().invalidate(world.realm.spec()), PATIENCE).unwrap();
    let (leased, wait) = pending(&world);
    assert_eq!(wait.reason, WaitReason::NotStarted);
    let rest = wait.retry_after().unwrap();
    assert!(rest > HOUR && rest <= 3 * HOUR, "{rest:?}");
    let error = leased.wait_ready(Duration::from_secs(1)).unwrap_err();
    assert!(error.retry_after().unwrap() > Duration::from_secs(1), "{error}");
    let waited = run(leased.wait_ready_async(Duration::from_secs(1), async |_| panic!("it waits")));
    assert!(matches!(waited, Err(GenerateError::NoLease { .. })));
}

/// Whatever ends a lease, the next one is on its way, and calls wait for it as for the first. Each
/// answer takes so long that they meet every state in between.
#[test]
fn calls_outlast_every_loss() {
    const LATENCY: Duration = Duration::from_millis(200);
    let world = Fixture::new("7/10");
    let distant = Altered {
        read: Box::new(|memory, realm, scope| {
            thread::sleep(LATENCY);
            memory.data(realm, scope)
        }),
        commit: Box::new(|memory, realm, change| {
            thread::sleep(LATENCY);
            Ok(memory.write(realm, change))
        }),
        ..Altered::new(world.memory.clone())
    };
    let builder = LeasedGenerator::builder(Store::new(distant), world.realm.clone()).adopt();
    let builder = builder.answer_within(PATIENCE).max_wait(Duration::MAX);
    let leased = builder.clock(Arc::clone(&world.clock)).start().unwrap();
    let (store, realm) = (world.store(), world.realm.spec());
    let era = || block_on(store.realm(realm.name()), PATIENCE).unwrap().era;
    let leases = |count| until(|| leased.state().lease.filter(|_| leases_of(&leased) == count));
    let paused = || {
        until(|| leased.state().wait.filter(|wait| wait.reason == WaitReason::NotStarted));
    };
    let is_over = AtomicBool::new(false);
    let drawn = thread::scope(|scope| {
        let drawing = scope.spawn(|| {
            let mut drawn = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                drawn.push(leased.generate());
                thread::sleep(Duration::from_millis(1));
            }
            drawn
        });
        let lease = leases(1);
        block_on(store.release_by_hand(realm, &lease, None), PATIENCE).unwrap();
        leases(2);
        block_on(store.invalidate(realm), PATIENCE).unwrap();
        paused();
        world.clock.advance(HOUR);
        leases(3);
        let other = Realm::builder("a", Nanoflake::default()).pool("8/10");
        let other = other.skew(realm.terms().skew).term(realm.terms().term).build().unwrap();
        block_on(store.reconfigure(other.spec()), PATIENCE).unwrap();
        let backup = (leases(4), world.memory.back_up()).1;

        // A renewal proves the first loss. The second one happens in the pause after it, and only
        // this holder's claims can show it.
        let renewals = leased.state().counters.renewals;
        until(|| (leased.state().counters.renewals > renewals + 1).then_some(()));
        world.memory.restore(backup.clone());
        paused();
        let first = era();
        world.memory.restore(backup);
        until(|| (era() > first).then_some(()));
        paused();
        world.clock.advance(HOUR);
        leases(5);
        is_over.store(true, Ordering::Relaxed);
        drawing.join().unwrap()
    });
    let ids: Vec<_> = drawn.into_iter().map(Result::unwrap).collect();
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    assert_eq!(leased.state().counters.failures.of(WaitReason::Refused), 0);
    let lost = leased.state().counters.failures.of(WaitReason::Acquiring);
    assert_eq!((leased.state().counters.losses, lost), (4, 0), "a loss is no failure");
}

/// What a store shows may not be on its disk yet, nor on the standby that takes over.
#[test]
fn only_acknowledged_ceilings_are_used() {
    let world = Fixture::new("7/10");
    let [loses_requests, loses_answers] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let unanswered = Arc::new(AtomicU32::new(0));
    let (requests, answers) = (Arc::clone(&loses_requests), Arc::clone(&loses_answers));
    let count = Arc::clone(&unanswered);
    let commit = move |memory: &Memory, realm: &_, change: &_| {
        let arrives = !requests.load(Ordering::Relaxed);
        let commit = arrives.then(|| memory.write(realm, change));
        commit.filter(|_| !answers.load(Ordering::Relaxed)).ok_or_else(|| {
            count.fetch_add(1, Ordering::Relaxed);
            Altered::error(StoreErrorKind::Unreachable)
        })
    };
    let memory = world.memory.clone();
    let remote = Some(Arc::clone(&world.clock));
    let store = Altered { remote, commit: Box::new(commit), ..Altered::new(memory) };
    let builder = LeasedGenerator::builder(Store::new(store), world.realm.clone());
    let builder = builder.answer_within(PATIENCE).clock(Arc::clone(&world.clock));
    let leased = builder.start().unwrap();
    // A holder that took these for renewals would find that the store lost them.
    let is_lost = || leased.state().counters.losses > 0;
    let after = |count| {
        until(|| (is_lost() || unanswered.load(Ordering::Relaxed) >= count).then_some(()));
        assert!(!is_lost());
    };
    for _ in 0..3 {
        unanswered.store(0, Ordering::Relaxed);
        loses_requests.store(true, Ordering::Relaxed);
        // The answers before it have been taken in.
        after(1);
        let ceiling = leased.state().lease.unwrap().ceiling;
        let backup = world.memory.back_up();
        // The row that it shows rises with the clock.
        world.clock.advance(Duration::from_millis(500));
        loses_answers.store(true, Ordering::Relaxed);
        loses_requests.store(false, Ordering::Relaxed);
        until(|| (world.rows()[0].1 > ceiling).then_some(()));
        after(unanswered.load(Ordering::Relaxed) + 5);
        assert_eq!(leased.state().lease.unwrap().ceiling, ceiling);
        world.clock.set(world.realm.spec().scale().time_of(ceiling));
        let error = leased.try_generate().unwrap_err();
        let window_ended = WaitReason::Stalled(StallReason::WindowEnded);
        assert_eq!(error.wait().unwrap().reason, window_ended, "{error}");

        // It forgets them, and goes on.
        world.memory.restore(backup);
        loses_answers.store(false, Ordering::Relaxed);
        until(|| leased.try_generate().ok());
    }
    assert_eq!(leased.state().counters.losses, 0);
}

fn leases_of(leased: &Leased) -> u64 {
    leased.state().counters.leases
}

#[test]
fn stalls_have_a_reason() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let reason = || leased.check_ready().unwrap_err().wait().unwrap();
    while leased.try_generate().is_ok() {}
    assert_eq!(reason().reason, WaitReason::Stalled(StallReason::TickUsedUp));
    world.set_down(true);
    until(|| leased.state().trouble);
    world.clock.advance(HOUR);
    let wait = reason();
    assert_eq!((wait.reason, wait.until), (WaitReason::Stalled(StallReason::WindowEnded), None));
    until(|| (leased.state().counters.failures.of(WaitReason::Unreachable) > 2).then_some(()));
    assert_eq!(reason().since, wait.since, "the first failure, not the call");
    assert_eq!(leased.state().wait.unwrap().reason, WaitReason::Stalled(StallReason::WindowEnded));
    world.clock.set(UnixTime::from_micros(1_699_999_900_000_000));
    let wait = reason();
    assert_eq!(wait.reason, WaitReason::Stalled(StallReason::ClockBehind));
    assert!(wait.until.unwrap() - wait.since > Duration::from_secs(90), "{wait:?}");
}

#[test]
fn waiting_ends_with_max_wait() {
    let world = Fixture::new("7/10");
    let leased = world.builder().max_wait(Duration::from_secs(1)).start().unwrap();
    world.set_down(true);
    until(|| leased.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    let error = leased.generate().unwrap_err();
    assert!(matches!(&error, GenerateError::Stalled(stall) if stall.cause.is_some()), "{error}");
    assert_eq!(leased.state().counters.stalls.total(), 1, "counted once");
}

#[test]
fn default_wait_is_a_minute() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    world.set_down(true);
    until(|| leased.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    let error = leased.generate().unwrap_err();
    assert!(matches!(&error, GenerateError::Stalled(stall) if stall.cause.is_some()), "{error}");
    // The sleeps are by the test's clock. Only what the call takes until the first of them is by the
    // machine's.
    let slept = world.clock.slept();
    assert!(slept > DEFAULT_MAX_WAIT / 2 && slept <= DEFAULT_MAX_WAIT, "{slept:?}");
}

#[test]
fn lease_wait_ends_with_max_wait() {
    let world = Fixture::new("7/10");
    let leased = world.builder().max_wait(Duration::from_millis(50)).start().unwrap();
    world.set_down(true);
    until(|| leased.state().trouble);
    leased.active_lease().unwrap().generator().close();
    let error = leased.generate().unwrap_err();
    assert!(matches!(error, GenerateError::NoLease { .. }), "{error}");
    let error = run(leased.generate_async(async |_| ())).unwrap_err();
    assert!(matches!(error, GenerateError::NoLease { .. }), "{error}");
    assert!(stalls_without_lease(&leased) >= 2);
}

#[test]
fn waits_survive_an_outage() {
    let world = Fixture::new("7/10");
    // Sleepers move the clock.
    let leased = world.builder().max_wait(Duration::MAX).start().unwrap();
    world.set_down(true);
    until(|| leased.state().trouble);
    world.clock.advance(Duration::from_secs(60));
    thread::scope(|scope| {
        let blocking = scope.spawn(|| leased.generate());
        let asynchronous = scope.spawn(|| {
            run(leased.generate_async(async |_| thread::sleep(Duration::from_millis(1))))
        });
        world.set_down(false);
        assert_ne!(blocking.join().unwrap().unwrap(), asynchronous.join().unwrap().unwrap());
    });
}

#[test]
fn shutdown_ends_waits() {
    let world = Fixture::new("7/10");
    let leased = world.builder().max_wait(Duration::MAX).start().unwrap();
    let active = leased.active_lease().unwrap();
    thread::scope(|scope| {
        world.set_down(true);
        until(|| leased.state().trouble);
        world.clock.advance(HOUR);
        let waiting = scope.spawn(move || {
            let active = active;
            active.generator().generate()
        });
        let _ = leased.shut_down();
        assert_eq!(waiting.join().unwrap().unwrap_err().kind(), ErrorKind::Closed);
    });
}

#[test]
fn exhausted_ticks_are_stalls() {
    let world = Fixture::new("7/10");
    let leased = world.start();
    let issued = (0..10_000).map_while(|_| leased.try_generate().ok()).count();
    assert_eq!(issued, 4_096);
    leased.generate().unwrap();
    assert_eq!(leased.state().counters.stalls.of(WaitReason::Stalled(StallReason::TickUsedUp)), 2);
}
