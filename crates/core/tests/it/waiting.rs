//! Methods that wait: the length of the wait, its steps, and the cases without any wait.

use core::cell::Cell;
use core::pin::pin;
use core::sync::atomic::{AtomicU32, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use tickid_core::example::Toggling;
use tickid_core::{
    BuildError, Builder, Clock, ClockError, DEFAULT_MAX_WAIT, Error, ErrorKind, Generator,
    LocalGenerator, ManualClock, Policy, SequenceBounds, Snapshot, StallReason, UnixTime,
};

use crate::clocks::RecordingClock;
use crate::widths::Widths;
use tickid_testkit::example::{NODE, at, many, parts, ratchet, tick, window};

const POOL: u32 = 4;
const SLICE: Duration = Duration::from_millis(50);

type SharedGenerator<C> = Generator<Toggling, C>;

/// Returns a builder with four sequences to a tick.
fn builder<C: Clock>(clock: C, policy: Policy<Toggling>) -> Builder<Toggling, C> {
    Builder::seeded(NODE, 0).clock(clock).policy(policy).bounds(SequenceBounds::new(0, POOL - 1))
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Returns the time that is `millis` into the tick.
fn into(tick: u64, millis: i64) -> UnixTime {
    UnixTime::from_micros(at(tick).as_micros() + millis * 1_000)
}

fn use_up<C: Clock>(generator: &SharedGenerator<C>) {
    assert_eq!(generator.try_block(many(POOL)).unwrap().count(), 4);
}

fn tick_of(id: Result<u64, Error>) -> u64 {
    parts(id.unwrap()).tick
}

#[test]
fn exhausted_tick_waits_for_next() {
    for policy in [Policy::Wait, Policy::TickTock] {
        let clock = ManualClock::new(into(1_000, 250));
        let generator = builder(&clock, policy).build().unwrap();
        use_up(&generator);
        assert_eq!(tick_of(generator.generate()), 1_001, "{policy}");
        assert_eq!(clock.slept(), millis(750), "{policy}");
    }
}

#[test]
fn local_waits_as_shared() {
    let clock = ManualClock::new(into(1_000, 250));
    let mut generator = builder(&clock, Policy::Wait).build_local().unwrap();
    for _ in 0..POOL {
        generator.generate().unwrap();
    }
    assert_eq!(clock.slept(), Duration::ZERO);
    assert_eq!(tick_of(generator.generate()), 1_001);
    assert_eq!(clock.slept(), millis(750));
}

#[test]
fn rollback_waits_as_policy_needs() {
    // The generator issued at 1,000, with the other toggle's past up to 995. Then it is 990.75.
    for (policy, goes_on_at, slept) in [
        (Policy::Wait, 1_000, 9_250),
        (ratchet(3), 1_000, 6_250),
        (ratchet(9), 1_000, 250),
        (Policy::TickTock, 996, 5_250),
    ] {
        let clock = ManualClock::new(at(995));
        let generator = builder(&clock, policy).build().unwrap();
        generator.try_generate().unwrap();
        if policy == Policy::TickTock {
            clock.set(at(994));
            generator.try_generate().unwrap();
        }
        clock.set(at(1_000));
        generator.try_generate().unwrap();
        clock.set(into(990, 750));
        assert_eq!(tick_of(generator.generate()), goes_on_at, "{policy}");
        assert_eq!(clock.slept(), millis(slept), "{policy}");
    }
}

#[test]
fn readiness_is_awaited_and_draws_nothing() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    use_up(&generator);
    assert_eq!(generator.check_ready().unwrap_err().retry_after(), Some(millis(750)));
    assert!(generator.wait_ready(millis(749)).is_err());
    assert_eq!(clock.slept(), Duration::ZERO);
    assert_eq!(generator.wait_ready(millis(750)), Ok(()));
    assert_eq!((clock.slept(), generator.check_ready()), (millis(750), Ok(())));
    assert_eq!(generator.state().snapshot, Snapshot::at(tick(1_000), POOL));
}

#[test]
fn ratchet_at_limit_waits() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, ratchet(0)).build().unwrap();
    use_up(&generator);
    // An overflow leads one tick ahead of the clock, but no further.
    assert_eq!(tick_of(generator.generate()), 1_001);
    assert_eq!(clock.slept(), Duration::ZERO);
    assert_eq!(tick_of(generator.generate()), 1_001);
    assert_eq!(clock.slept(), millis(750));
}

#[test]
fn the_floor_is_waited_for() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).window(window(1_002, 2_000)).build().unwrap();
    assert_eq!(tick_of(generator.generate()), 1_002);
    assert_eq!(clock.slept(), millis(1_750));
}

#[test]
fn blocks_wait_as_single_ids() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    use_up(&generator);
    assert_eq!(generator.block(many(100)).unwrap().len(), 4);
    assert_eq!(clock.slept(), millis(750));
}

#[test]
fn filling_waits_for_many_ticks() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    let mut ids = [0; 10];
    generator.fill(&mut ids).unwrap();
    let ticks = ids.map(|id| parts(id).tick - 1_000);
    assert_eq!(ticks, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    assert_eq!(clock.slept(), millis(1_750));
}

#[test]
fn sleeps_are_sliced() {
    let clock = RecordingClock::new(into(1_000, 880));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    use_up(&generator);
    generator.generate().unwrap();
    assert_eq!(clock.sleeps(), [SLICE, SLICE, millis(20)]);
}

#[test]
fn too_long_stall_fails_immediately() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).max_wait(millis(749)).build().unwrap();
    use_up(&generator);
    let error = generator.generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
    assert_eq!(error.retry_after(), Some(millis(750)));
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn stall_of_max_wait_is_waited_out() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).max_wait(millis(750)).build().unwrap();
    use_up(&generator);
    assert_eq!(tick_of(generator.generate()), 1_001);
    assert_eq!(clock.slept(), millis(750));
}

#[test]
fn filling_errors_count_written() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).max_wait(millis(1)).build().unwrap();
    let mut ids = [0; 10];
    let error = generator.fill(&mut ids).unwrap_err();
    assert_eq!(
        (error.written, error.source.kind()),
        (4, ErrorKind::Stalled(StallReason::TickUsedUp))
    );
    assert!(ids[..4].iter().all(|&id| parts(id).tick == 1_000));
    assert_eq!(ids[4..], [0; 6]);
}

#[test]
fn max_wait_restarts_per_pause() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder(&clock, Policy::Wait).max_wait(millis(1_000)).build().unwrap();
    generator.fill(&mut [0; 12]).unwrap();
    assert_eq!(clock.slept(), millis(2_000));
}

#[test]
fn window_stall_waits_in_slices() {
    let clock = RecordingClock::new(at(1_000));
    let generator = builder(&clock, Policy::Wait)
        .window(window(900, 1_000))
        .max_wait(millis(180))
        .build()
        .unwrap();
    let error = generator.generate().unwrap_err();
    assert_eq!(
        (error.kind(), error.retry_after()),
        (ErrorKind::Stalled(StallReason::WindowEnded), None)
    );
    assert_eq!(clock.sleeps(), [SLICE, SLICE, SLICE, millis(30)]);
}

#[test]
fn passed_window_fails_immediately() {
    let clock = ManualClock::new(at(1_000));
    let passed = || builder(&clock, Policy::Wait).window(window(900, 1_000));
    let generator = passed().build().unwrap();
    let mut local = passed().build_local().unwrap();
    for error in [generator.generate(), local.generate()].map(Result::unwrap_err) {
        assert_eq!(
            (error.kind(), error.retry_after()),
            (ErrorKind::Stalled(StallReason::WindowEnded), None)
        );
    }
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn passing_window_ends_wait() {
    let clock = ManualClock::new(into(1_000, 250));
    let generator = builder(&clock, Policy::Wait).window(window(900, 1_001)).build().unwrap();
    use_up(&generator);
    let error = generator.generate().unwrap_err();
    assert_eq!(
        (error.kind(), error.retry_after()),
        (ErrorKind::Stalled(StallReason::WindowEnded), None)
    );
    assert_eq!(clock.slept(), millis(750));
}

#[test]
fn default_wait_is_a_minute() {
    for (behind, slept) in [(60, Some(DEFAULT_MAX_WAIT)), (61, None)] {
        let clock = ManualClock::new(at(1_000));
        let generator = builder(&clock, Policy::Wait).build().unwrap();
        generator.try_generate().unwrap();
        clock.set(at(1_000 - behind));
        let kind = generator.generate().map_err(|error| error.kind());
        assert_eq!(
            kind.err(),
            slept.is_none().then_some(ErrorKind::Stalled(StallReason::ClockBehind))
        );
        assert_eq!(clock.slept(), slept.unwrap_or_default());
    }
}

/// Restores a generator whose last ID is of tick 1,000, at the time `now`.
fn restored(
    now: UnixTime,
    policy: Policy<Toggling>,
    max_wait: Option<Duration>,
) -> Result<(Duration, u64), BuildError> {
    let clock = ManualClock::new(now);
    let builder = || {
        let builder = builder(&clock, policy).restore(Snapshot::at(tick(1_000), 1));
        max_wait.into_iter().fold(builder, Builder::max_wait)
    };
    let shared = builder().build();
    let local = builder().build_local().map(|_| ());
    assert_eq!(shared.as_ref().map(|_| ()).err(), local.as_ref().err());
    let id = shared?.generate();
    Ok((clock.slept(), tick_of(id)))
}

#[test]
fn snapshot_ahead_is_awaited() {
    assert_eq!(restored(at(940), Policy::Wait, None), Ok((millis(60_000), 1_000)));
    let hour = Some(Duration::from_secs(3_600));
    assert_eq!(restored(at(1), Policy::Wait, hour), Ok((millis(999_000), 1_000)));
    // A ratchet's allowance counts first, and tick-tock never waits.
    assert_eq!(restored(at(937), ratchet(3), None), Ok((millis(60_000), 1_000)));
    assert_eq!(restored(at(997), ratchet(3), Some(millis(0))), Ok((millis(0), 1_000)));
    assert_eq!(restored(at(1), Policy::TickTock, Some(millis(0))), Ok((millis(0), 1)));
}

#[test]
fn distant_snapshot_is_refused() {
    for (now, policy, max_wait, wait) in [
        (into(939, 999), Policy::Wait, None, 60_001),
        (at(999), Policy::Wait, Some(millis(999)), 1_000),
        (at(936), ratchet(3), None, 61_000),
        (at(0), Policy::Wait, Some(millis(999_999)), 1_000_000),
    ] {
        let error = restored(now, policy, max_wait).unwrap_err();
        let expected = BuildError::Ahead {
            last: at(1_000),
            now,
            wait: millis(wait),
            max_wait: max_wait.unwrap_or(DEFAULT_MAX_WAIT),
        };
        assert_eq!(error, expected);
        let ahead = format!("{:?} ahead of the clock", at(1_000).saturating_since(now));
        assert!(error.to_string().contains(&ahead), "{error}");
    }
}

/// A clock before the window says nothing about the snapshot.
#[test]
fn snapshots_are_not_refused_before_the_window() {
    let clock = ManualClock::new(at(900));
    let builder =
        |policy, snapshot| builder(&clock, policy).window(window(1_000, 1_100)).restore(snapshot);
    let used = Snapshot::at(tick(1_050), 1);
    // Only tick-tock would go back to the clock's tick, which is before the window.
    assert!(matches!(builder(Policy::Wait, used).build(), Err(BuildError::Ahead { .. })));
    assert!(matches!(builder(Policy::Wait, used).build_local(), Err(BuildError::Ahead { .. })));
    let unused = Snapshot::EMPTY.with_drifts(0, Some(tick(1_050)));
    for (policy, snapshot) in
        [(Policy::TickTock, used), (Policy::TickTock, unused), (Policy::Wait, unused)]
    {
        let shared = builder(policy, snapshot).build().unwrap();
        let mut local = builder(policy, snapshot).build_local().unwrap();
        for error in [shared.generate().unwrap_err(), local.generate().unwrap_err()] {
            assert_eq!(error.retry_after(), Some(millis(100_000)), "{error}");
        }
    }
}

#[test]
fn broken_clock_fails_first_call() {
    struct Broken;
    impl Clock for Broken {
        fn now(&self) -> Result<UnixTime, ClockError> {
            Err(ClockError::Unreadable { reason: "broken" })
        }
    }
    let restored = builder(Broken, Policy::Wait).restore(Snapshot::at(tick(1_000), 1));
    let error = restored.build().unwrap().generate().unwrap_err();
    let broken = ClockError::Unreadable { reason: "broken" };
    assert_eq!(error.kind(), ErrorKind::Clock(broken));

    let clock = ManualClock::new(UnixTime::from_micros(-1));
    let restored = builder(&clock, Policy::Wait).restore(Snapshot::at(tick(1_000), 1));
    let kind = restored.build().unwrap().generate().unwrap_err().kind();
    assert!(matches!(kind, ErrorKind::Clock(ClockError::OutOfRange { .. })), "{kind:?}");
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn widening_ends_wait_early() {
    let (clock, generator) =
        recorded(at(1_000), |builder| builder.window(window(900, 1_000)).max_wait(millis(500)));
    let widened = Arc::clone(&generator);
    clock.during_sleep(move |sleeps| {
        if sleeps == 2 {
            widened.widen(1_001).unwrap();
        }
    });
    assert_eq!(tick_of(generator.generate()), 1_000);
    assert_eq!(clock.sleeps(), [SLICE, SLICE]);
}

/// The pause that is left may be too short to sleep, but it lasts as long as the clock stands, and
/// nearly as long if it creeps.
#[test]
fn waits_by_a_clock_that_stands_sleep() {
    /// Stands 150 µs before tick 1,001, or creeps on by a microsecond with each look. Pauses of
    /// less than 200 µs return at once.
    #[derive(Default)]
    struct Standing {
        creeps: bool,
        crept: Cell<i64>,
        monotonic: Cell<Duration>,
        spins: Cell<u32>,
        sleeps: Cell<u32>,
    }

    impl Clock for Standing {
        fn now(&self) -> Result<UnixTime, ClockError> {
            self.crept.set(self.crept.get() + i64::from(self.creeps));
            Ok(UnixTime::from_micros(at(1_001).as_micros() - 150 + self.crept.get()))
        }

        fn sleep(&self, pause: Duration) {
            let is_spin = pause < Duration::from_micros(200);
            let count = if is_spin { &self.spins } else { &self.sleeps };
            count.set(count.get() + 1);
            let passed = if is_spin { Duration::from_micros(10) } else { pause };
            self.monotonic.set(self.monotonic.get() + passed);
        }

        fn monotonic(&self) -> Duration {
            self.monotonic.get()
        }
    }

    for (creeps, max_wait, sleeps) in [(false, 51, 50), (true, 1_000, 44)] {
        let clock = Standing { creeps, ..Standing::default() };
        let builder = builder(&clock, Policy::Wait).max_wait(millis(max_wait));
        let mut generator = builder.build_local().unwrap();
        assert_eq!(generator.try_block(many(POOL)).unwrap().count(), 4);
        match generator.generate() {
            Ok(id) => assert!(creeps && parts(id).tick == 1_001),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp)),
        }
        assert_eq!((clock.spins.get(), clock.sleeps.get()), (100, sleeps), "{creeps}");
    }
}

/// In some hosts of WebAssembly, clocks stand while a call runs, and threads cannot sleep.
#[test]
#[cfg_attr(miri, ignore = "a million looks")]
fn waits_end_if_both_clocks_stand() {
    /// Stands, unless `monotonic` counts the looks.
    struct Stopped {
        now: UnixTime,
        moves: bool,
        looks: Cell<u32>,
    }

    impl Clock for Stopped {
        fn now(&self) -> Result<UnixTime, ClockError> {
            Ok(self.now)
        }

        fn sleep(&self, _: Duration) {
            self.looks.set(self.looks.get() + 1);
        }

        fn monotonic(&self) -> Duration {
            Duration::from_micros(if self.moves { self.looks.get().into() } else { 0 })
        }
    }

    for (rest, moves, looks) in
        [(750, false, 1_000_000), (0, false, 1_000_000), (750, true, 1_250_000)]
    {
        let clock = Stopped { now: into(1_000, 999 - rest), moves, looks: Cell::new(0) };
        let builder = builder(&clock, Policy::Wait).max_wait(millis(2_000));
        let mut generator = builder.build_local().unwrap();
        assert_eq!(generator.try_block(many(POOL)).unwrap().count(), 4);
        let error = generator.generate().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
        assert!(clock.looks.get().abs_diff(looks) <= 1_000, "{} looks", clock.looks.get());
    }
}

std::thread_local! {
    /// The number of the caller that runs on this thread.
    static CALLER: Cell<usize> = const { Cell::new(0) };
}

/// The clock of several callers, each on its own thread. Only the caller that wakes first runs, so
/// the same calls come in the same order every time.
struct Turns {
    /// When each caller wakes, in microseconds, or `None` once it is done.
    wakes: Mutex<Vec<Option<u64>>>,
    changed: Condvar,
    dice: AtomicU32,
}

impl Turns {
    fn new(callers: u64) -> Self {
        let wakes = (0..callers).map(Some).collect();
        Self { wakes: Mutex::new(wakes), changed: Condvar::new(), dice: AtomicU32::new(1) }
    }

    /// Returns the caller whose turn it is, and the time.
    fn next(wakes: &[Option<u64>]) -> Option<(u64, usize)> {
        wakes.iter().enumerate().filter_map(|(caller, wake)| Some(((*wake)?, caller))).min()
    }

    fn micros(&self) -> u64 {
        Self::next(&self.wakes.lock().unwrap()).unwrap().0
    }

    /// Runs `call` as a caller, beside the others.
    fn run<T>(&self, caller: usize, call: impl FnOnce() -> T) -> T {
        CALLER.set(caller);
        self.pass(0);
        let result = call();
        self.wakes.lock().unwrap()[caller] = None;
        self.changed.notify_all();
        result
    }

    /// Lets `micros` pass for this caller.
    fn pass(&self, micros: u64) {
        let caller = CALLER.get();
        let mut wakes = self.wakes.lock().unwrap();
        wakes[caller] = wakes[caller].map(|wake| wake + micros);
        self.changed.notify_all();
        let is_others = |wakes: &mut Vec<_>| Self::next(wakes).unwrap().1 != caller;
        drop(self.changed.wait_while(wakes, is_others).unwrap());
    }
}

impl Clock for Turns {
    fn now(&self) -> Result<UnixTime, ClockError> {
        Ok(UnixTime::from_micros(1_000_000 + i64::try_from(self.micros()).unwrap()))
    }

    /// As the system's clock sleeps: it wakes late by up to 120 µs, and sleeps 60 less for that.
    fn sleep(&self, pause: Duration) {
        let pause = u64::try_from(pause.as_micros()).unwrap();
        self.pass(pause.checked_sub(60).map_or(10, |most| {
            // xorshift
            let mut dice = self.dice.load(Ordering::Relaxed);
            dice ^= dice << 13;
            dice ^= dice >> 17;
            dice ^= dice << 5;
            self.dice.store(dice, Ordering::Relaxed);
            most.max(1) + u64::from(dice % 120)
        }));
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.micros())
    }
}

/// With short ticks, every pause is short. A caller that sleeps through the starts of ticks would
/// get nothing, since the others then take all sequences.
#[test]
#[cfg_attr(miri, ignore = "takes an interpreter minutes")]
fn callers_that_compete_get_equally_many() {
    const CALLERS: usize = 4;
    const MILLIS: u64 = 1_000;
    let scheme = Widths {
        micros_per_tick: 1_000,
        time: 40,
        node: 1,
        sequence: 3,
        is_node_lowest: false,
        unused: 0,
    };
    let clock = Turns::new(CALLERS as u64);
    let builder = Builder::seeded_of(scheme, scheme.node(1), 0);
    let generator = builder.clock(&clock).policy(Policy::Wait).build().unwrap();
    // Each caller's IDs, and its longest wait in milliseconds.
    let callers: Vec<(u32, u64)> = thread::scope(|scope| {
        let callers = [0, 1, 2, 3].map(|caller| {
            let (clock, generator) = (&clock, &generator);
            let call = move || {
                let (mut ids, mut longest, mut last) = (0, 0, 0);
                while last < MILLIS * 1_000 {
                    generator.generate().unwrap();
                    let now = clock.micros();
                    (ids, longest, last) = (ids + 1, longest.max((now - last) / 1_000), now);
                    clock.pass(1);
                }
                (ids, longest)
            };
            scope.spawn(move || clock.run(caller, call))
        });
        callers.map(|caller| caller.join().unwrap()).to_vec()
    });
    assert!(callers.iter().all(|&(ids, longest)| ids > 1_500 && longest < 20), "{callers:?}");
}

#[test]
fn forward_step_ends_wait_early() {
    let (clock, generator) = recorded(at(1_000), |builder| builder);
    use_up(&generator);
    let hands = Arc::clone(&clock);
    clock.during_sleep(move |sleeps| {
        if sleeps == 1 {
            hands.hands.set(at(1_007));
        }
    });
    assert_eq!(tick_of(generator.generate()), 1_007);
    assert_eq!(clock.sleeps(), [SLICE]);
}

#[test]
fn closing_ends_wait() {
    let (clock, generator) = recorded(at(1_000), |builder| builder);
    use_up(&generator);
    let closed = Arc::clone(&generator);
    clock.during_sleep(move |_| {
        closed.close();
    });
    assert_eq!(generator.generate().unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(clock.sleeps(), [SLICE]);
}

#[test]
fn clock_leaving_range_ends_wait() {
    let (clock, generator) = recorded(at(1_000), |builder| builder);
    use_up(&generator);
    let hands = Arc::clone(&clock);
    clock.during_sleep(move |_| hands.hands.set(UnixTime::MIN));
    let kind = generator.generate().unwrap_err().kind();
    assert!(matches!(kind, ErrorKind::Clock(_)), "{kind:?}");
    assert_eq!(clock.sleeps(), [SLICE]);
}

#[test]
fn waiting_draws_nothing() {
    let (clock, generator) =
        recorded(at(1_000), |builder| builder.policy(ratchet(0)).window(window(0, 2_000)));
    generator.try_generate().unwrap();
    clock.hands.set(into(999, 500));
    let watched = Arc::clone(&generator);
    clock.during_sleep(move |_| {
        let before = watched.state().snapshot.next_sequence;
        // The call's first attempt gave back what it drew, and no later one draws any.
        assert_eq!(before, 1);
    });
    let id = generator.generate().unwrap();
    assert_eq!((parts(id).tick, parts(id).sequence), (1_000, 1));
    assert_eq!(clock.sleeps().len(), 10);
}

#[test]
fn closed_fails_immediately() {
    let clock = ManualClock::new(at(1_000));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    generator.close();
    let mut local: LocalGenerator<_, _> = builder(&clock, Policy::Wait).build_local().unwrap();
    local.close();
    for error in [generator.generate(), local.generate()].map(Result::unwrap_err) {
        assert_eq!((error.kind(), error.retry_after()), (ErrorKind::Closed, None));
    }
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn clock_out_of_range_fails() {
    let clock = ManualClock::new(UnixTime::from_micros(-1));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    let kind = generator.generate().unwrap_err().kind();
    assert!(matches!(kind, ErrorKind::Clock(_)), "{kind:?}");
    assert_eq!(clock.slept(), Duration::ZERO);
}

#[test]
fn end_of_time_fails_immediately() {
    let clock = ManualClock::new(at(u64::from(u32::MAX)));
    let generator = builder(&clock, Policy::Wait).build().unwrap();
    use_up(&generator);
    let error = generator.generate().unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::EndOfTime, None));
    assert_eq!(clock.slept(), Duration::ZERO);
    assert_eq!(generator.state().snapshot.tick, Some(tick(u32::MAX.into())));
}

type Recorded = Arc<RecordingClock>;

/// Builds a generator that waits, with a clock that lets something happen during its sleeps.
fn recorded(
    time: UnixTime,
    options: impl FnOnce(Builder<Toggling, Recorded>) -> Builder<Toggling, Recorded>,
) -> (Recorded, Arc<SharedGenerator<Recorded>>) {
    let clock = Arc::new(RecordingClock::new(time));
    let builder = options(builder(Arc::clone(&clock), Policy::Wait));
    (clock, Arc::new(builder.build().unwrap()))
}

/// A clock for tests stands still while an executor sleeps, so what was awaited counts.
#[test]
fn async_waits_end_on_a_frozen_clock() {
    let clock = ManualClock::new(into(1_000, 250));
    let awaited = Cell::new(Duration::ZERO);
    let sleep = |pause: Duration| {
        assert!(awaited.get() <= millis(2_000), "it has no end");
        awaited.set(awaited.get() + pause);
        core::future::ready(())
    };
    for bound in [0, 1, 50, 100, 749] {
        awaited.set(Duration::ZERO);
        let generator = builder(&clock, Policy::Wait).max_wait(millis(bound)).build().unwrap();
        use_up(&generator);
        let error = ready(generator.generate_async(sleep)).unwrap_err();
        // The tick has 750 ms left, which is known before the wait.
        assert_eq!(
            (error.kind(), awaited.get()),
            (ErrorKind::Stalled(StallReason::TickUsedUp), Duration::ZERO)
        );
    }
    for bound in [750, 760, 1_000] {
        let generator = builder(&clock, Policy::Wait).max_wait(millis(bound)).build().unwrap();
        use_up(&generator);
        awaited.set(Duration::ZERO);
        assert!(ready(generator.generate_async(sleep)).is_err());
        // It ends as soon as the rest of the bound is shorter than the rest of the tick.
        assert_eq!(awaited.get(), SLICE * u32::try_from((bound - 750) / 50 + 1).unwrap());
        let mut handle = generator.handle();
        awaited.set(Duration::ZERO);
        assert!(ready(handle.generate_async(sleep)).is_err());
        assert!(awaited.get() <= millis(bound));
        awaited.set(Duration::ZERO);
        assert!(ready(generator.wait_ready_async(millis(bound), sleep)).is_err());
        assert!(awaited.get() <= millis(bound) && !awaited.get().is_zero());
    }
    // Nothing predicts the end of this wait, so it lasts for all of its bound.
    let bounded = builder(&clock, Policy::Wait).max_wait(millis(120)).window(window(900, 950));
    let mut local = bounded.build_local().unwrap();
    awaited.set(Duration::ZERO);
    assert_eq!(
        ready(local.generate_async(sleep)).unwrap_err().kind(),
        ErrorKind::Stalled(StallReason::WindowEnded)
    );
    assert_eq!(awaited.get(), millis(120));
}

/// Returns the result of a future that never waits.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("it waits"),
    }
}
