//! Tests of observed IDs: what is refused changes nothing, and what is accepted is followed.

use core::num::NonZeroU32;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::thread;
use std::time::Instant;

use tickid_core::example::{Node, Plain, Seconds, Toggling};
use tickid_core::{
    Builder, Clock, ClockError, Fixed, Generator, ManualClock, ObserveError, Policy, Scheme,
    Snapshot, UnixTime,
};
use tickid_testkit::example::{Narrow, assert_distinct, at, parts, ratchet, window};
use tickid_testkit::scaled;

/// Returns an ID of another node.
fn foreign(tick: u64) -> u64 {
    tick << 17 | 0x55 << 8 | 9
}

/// Returns an ID of the generators' own node.
fn own(tick: u64, sequence: u64) -> u64 {
    tick << 17 | 7 << 8 | sequence
}

fn builder<C: Clock>(clock: C) -> Builder<Seconds, C> {
    Builder::seeded(Node(7), 0).clock(clock).policy(ratchet(4))
}

/// A clock that can be broken.
struct Fragile {
    time: ManualClock,
    is_broken: AtomicBool,
}

const BROKEN: ClockError = ClockError::Unreadable { reason: "broken" };

impl Fragile {
    fn new(tick: u64) -> Self {
        Self { time: ManualClock::new(at(tick)), is_broken: AtomicBool::new(false) }
    }

    fn break_down(&self) {
        self.is_broken.store(true, Ordering::Relaxed);
    }
}

impl Clock for Fragile {
    fn now(&self) -> Result<UnixTime, ClockError> {
        if self.is_broken.load(Ordering::Relaxed) { Err(BROKEN) } else { self.time.now() }
    }
}

/// Makes a test for each kind of generator.
macro_rules! each_kind {
    ($($name:ident($build:ident, $local:ident, $shared:ident) $body:block)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn $local() {
                macro_rules! $build { ($builder:expr) => { $builder.build_local().unwrap() }; }
                $body
            }

            #[test]
            #[allow(unused_mut, reason = "shared generators need none")]
            fn $shared() {
                macro_rules! $build { ($builder:expr) => { $builder.build().unwrap() }; }
                $body
            }
        }
    )*};
}

each_kind! {
    refusals_change_nothing(build, local, shared) {
        let ahead = ObserveError::Ahead {
            time: at(103),
            now: at(100),
            allowed: Duration::from_secs(2),
            retry_after: Duration::from_secs(1),
        };
        let window = window(90, 102);
        let outside = ObserveError::Window { tick: 102, ceiling: 102 };
        for (window, id, error) in [
            (None, foreign(103), ahead),
            (None, u64::MAX, ObserveError::EndOfTime),
            (Some(window), own(102, 9), outside),
        ] {
            let clock = ManualClock::new(at(100));
            let mut generator = build!(match window {
                Some(window) => builder(&clock).window(window),
                None => builder(&clock),
            });
            let before = generator.try_generate().unwrap();
            let state = generator.state();
            assert_eq!(generator.observe(id), Err(error));
            assert_eq!(generator.state(), state, "{error}");
            assert_eq!(generator.try_generate(), Ok(before + 1), "{error}");
        }
        let clock = Fragile::new(100);
        let mut generator = build!(builder(&clock));
        generator.try_generate().unwrap();
        let state = generator.state();
        clock.break_down();
        assert_eq!(generator.observe(foreign(100)), Err(ObserveError::Clock(BROKEN)));
        assert_eq!(generator.state(), state);
    }

    closed_generators_observe_nothing(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let mut generator = build!(builder(&clock));
        generator.try_generate().unwrap();
        let snapshot = generator.close();
        for id in [0, foreign(99), foreign(101), u64::MAX] {
            assert_eq!(generator.observe(id), Err(ObserveError::Closed));
        }
        assert_eq!(generator.close(), snapshot);
    }

    higher_shares_use_the_tick_up(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let share = |policy| {
            // The second quarter of node 7: sequences 64 to 127.
            let builder = Builder::seeded_of_any(Seconds, "29/10".parse().unwrap(), 0);
            builder.clock(&clock).policy(policy)
        };
        let mut generator = build!(share(Policy::Wait));
        assert_eq!(generator.try_generate(), Ok(own(100, 64)));
        // IDs of a lower share change nothing; those of this share skip the sequences before them.
        for (id, next) in [(own(100, 63), own(100, 65)), (own(100, 126), own(100, 127))] {
            assert_eq!(generator.observe(id), Ok(()));
            assert_eq!(generator.try_generate(), Ok(next));
        }
        clock.set(at(101));
        let used_up = ObserveError::Ahead {
            time: at(102),
            now: at(101),
            allowed: Duration::ZERO,
            retry_after: Duration::from_secs(1),
        };
        for higher in [own(101, 128), own(101, 255)] {
            assert_eq!(generator.observe(higher), Err(used_up));
        }
        clock.set(at(102));
        assert_eq!(generator.observe(own(101, 128)), Ok(()));
        assert_eq!(generator.try_generate(), Ok(own(102, 64)));
        // A ratchet goes on to the next tick.
        clock.set(at(200));
        let mut generator = build!(share(ratchet(4)));
        assert_eq!(generator.observe(own(200, 128)), Ok(()));
        assert_eq!(generator.try_generate(), Ok(own(201, 64)));
    }

    ids_ahead_are_so_beyond_the_window_too(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let mut generator = build!(builder(&clock).window(window(100, 103)));
        let refused = generator.observe(foreign(110)).unwrap_err();
        assert!(matches!(refused, ObserveError::Ahead { .. }), "{refused}");
    }

    tick_tock_follows_no_id(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let tick_tock = Builder::<Toggling, _>::seeded(Node(7), 0).clock(&clock);
        let mut generator = build!(tick_tock.policy(Policy::TickTock));
        for id in [0, foreign(100)] {
            assert_eq!(generator.observe(id), Err(ObserveError::TickTock));
        }
        assert_eq!(generator.state().snapshot, Snapshot::EMPTY);
    }

    reserved_ticks_are_not_entered(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let reserved = Builder::<Narrow, _>::seeded(Node(7), 0).clock(&clock);
        let mut generator = build!(reserved.policy(Policy::Wait));
        // The first tick is reserved.
        assert_eq!(generator.observe(own(0, 200)), Ok(()));
        assert_eq!(generator.state().snapshot, Snapshot::EMPTY);
        assert_eq!(generator.observe(own(1, 200)), Ok(()));
        assert_eq!(generator.state().snapshot.next_sequence, 201);
    }

    passed_ids_read_no_clock(build, local, shared) {
        let clock = Fragile::new(100);
        let mut generator = build!(builder(&clock).window(window(90, 200)));
        let last = generator.try_generate().unwrap();
        let state = generator.state();
        clock.break_down();
        // The first two are before the window.
        for id in [0, foreign(50), foreign(99), last - 1, last] {
            assert_eq!(generator.observe(id), Ok(()), "{:?}", parts(id));
        }
        assert_eq!(generator.state(), state);
    }

    nothing_ahead_is_observed_by_waiting(build, local, shared) {
        for policy in [Policy::Wait, ratchet(0)] {
            let clock = ManualClock::new(at(100));
            let mut generator = build!(builder(&clock).policy(policy));
            let error = generator.observe(own(101, 9)).unwrap_err();
            assert_eq!(error.retry_after(), Some(Duration::from_secs(1)), "{policy}");
            clock.advance(Duration::from_secs(1));
            assert_eq!(generator.observe(own(101, 9)), Ok(()), "{policy}");
            assert_eq!(generator.try_generate(), Ok(own(101, 10)), "{policy}");
        }
    }

    no_observed_id_uses_up_the_clocks_tick(build, local, shared) {
        // Node 0x55 is above this one.
        for (policy, id) in [Policy::Wait, ratchet(0)]
            .into_iter()
            .flat_map(|policy| [(policy, foreign(100)), (policy, own(100, 255))])
        {
            let clock = ManualClock::new(at(100));
            clock.advance(Duration::from_millis(400));
            let mut generator = build!(builder(&clock).policy(policy));
            let last = generator.try_generate().unwrap();
            let state = generator.state();
            let error = ObserveError::Ahead {
                time: at(101),
                now: clock.now().unwrap(),
                allowed: Duration::ZERO,
                retry_after: Duration::from_millis(600),
            };
            assert_eq!(generator.observe(id), Err(error), "{policy}");
            assert_eq!(generator.state(), state, "{policy}");
            assert_eq!(generator.try_generate(), Ok(last + 1), "{policy}");
            clock.advance(error.retry_after().unwrap());
            assert_eq!(generator.observe(id), Ok(()), "{policy}");
            assert_eq!(generator.try_generate(), Ok(own(101, 0)), "{policy}");
        }
    }

    no_observed_id_uses_up_the_window(build, local, shared) {
        for now in [100, 101] {
            let clock = ManualClock::new(at(now));
            let mut generator = build!(builder(&clock).window(window(90, 102)));
            let outside = ObserveError::Window { tick: 102, ceiling: 102 };
            assert_eq!(generator.observe(foreign(101)), Err(outside), "{now}");
            generator.widen(103).unwrap();
            assert_eq!(generator.observe(foreign(101)), Ok(()), "{now}");
            assert_eq!(generator.try_generate(), Ok(own(102, 0)), "{now}");
        }
    }

    observed_ticks_start_where_they_would(build, local, shared) {
        let clock = ManualClock::new(at(100));
        for (observed, next) in [(9, 50), (49, 50), (50, 51), (60, 61)] {
            let mut generator = build!(builder(&clock).sequence(Fixed(50)));
            generator.observe(own(101, observed)).unwrap();
            assert_eq!(generator.try_generate(), Ok(own(101, next)), "{observed}");
        }
    }

    snapshots_keep_what_was_observed(build, local, shared) {
        let clock = ManualClock::new(at(100));
        let mut generator = build!(builder(&clock));
        generator.observe(foreign(102)).unwrap();
        let snapshot = generator.close();
        let mut successor = build!(builder(&clock).restore(snapshot));
        assert!(successor.try_generate().unwrap() > foreign(102));
    }

    last_tick_ends_what_follows(build, local, shared) {
        let last = Seconds::LAST_TICK;
        let clock = ManualClock::new(at(last));
        let mut generator = build!(builder(&clock));
        assert_eq!(generator.observe(own(last, 254)), Ok(()));
        assert_eq!(generator.try_generate(), Ok(own(last, 255)));
        assert_eq!(generator.observe(own(last, 255)), Ok(()), "its own");
        let mut fresh = build!(builder(&clock));
        assert_eq!(fresh.observe(own(last, 255)), Err(ObserveError::EndOfTime));
        assert_eq!(fresh.try_generate(), Ok(own(last, 0)));
    }
}

#[test]
fn handles_drop_their_blocks() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).build().unwrap();
    let (mut one, mut other) = (generator.handle(), generator.handle());
    for _ in 0..4 {
        one.try_generate().unwrap(); // of blocks of 1, 2 and 4
    }
    let between = generator.try_generate().unwrap();
    other.observe(between).unwrap();
    assert!(one.try_generate().unwrap() > between, "behind the word");
    one.with(Plain).observe(foreign(101)).unwrap();
    for handle in [&mut one, &mut other] {
        assert!(handle.try_generate().unwrap() > foreign(101));
    }
}

#[test]
fn handles_follow_the_greatest_id() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).build().unwrap();
    let mut handle = generator.handle();
    generator.observe(own(101, 9)).unwrap();
    for _ in 0..4 {
        handle.try_generate().unwrap(); // of blocks of 1, 2 and 4
    }
    // The second ID has passed the first before that comes again.
    for id in [own(102, 9), own(101, 9)] {
        generator.observe(id).unwrap();
    }
    assert!(handle.try_generate().unwrap() > own(102, 9));
}

#[test]
fn handles_keep_their_blocks_when_refused() {
    let clock = ManualClock::new(at(100));
    let generator = builder(&clock).policy(Policy::Wait).build().unwrap();
    let mut handle = generator.handle();
    for _ in 0..4 {
        handle.try_generate().unwrap(); // of blocks of 1, 2 and 4
    }
    let error = handle.observe(foreign(100)).unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
    assert_eq!(handle.try_generate(), Ok(own(100, 4)), "of its block");
    clock.advance(Duration::from_secs(1));
    assert_eq!(handle.observe(foreign(100)), Ok(()));
    assert_eq!(handle.try_generate(), Ok(own(101, 0)));
}

#[test]
fn handles_drop_their_blocks_in_every_call() {
    let two = NonZeroU32::new(2).unwrap();
    for call in 0..3 {
        let clock = ManualClock::new(at(100));
        let generator = builder(&clock).build().unwrap();
        let mut handle = generator.handle();
        for _ in 0..4 {
            handle.try_generate().unwrap(); // of blocks of 1, 2 and 4
        }
        generator.observe(foreign(101)).unwrap();
        let mut ids = [0; 2];
        let next = match call {
            0 => handle.try_generate().unwrap(),
            1 => handle.try_block(two).unwrap().next().unwrap(),
            _ => handle.try_fill(&mut ids).unwrap()[0],
        };
        assert!(next > foreign(101), "{:?} of call {call}", parts(next));
    }
}

/// A clock that runs a thousand times as fast as time, so that a tick lasts a millisecond.
#[derive(Clone, Copy)]
struct Fast(Instant);

impl Clock for Fast {
    fn now(&self) -> Result<UnixTime, ClockError> {
        let micros = i64::try_from(self.0.elapsed().as_nanos()).unwrap();
        Ok(UnixTime::from_micros(1_000_000_000 + micros))
    }
}

/// Three threads draw while time goes on, and one observes IDs of a peer.
fn follow_on_threads(policy: Policy<Seconds>, peers_lead: u64) {
    let clock = Fast(Instant::now());
    let generator = Builder::<Seconds, _>::seeded(Node(7), 0).clock(clock).policy(policy);
    let generator: Generator<Seconds, _> = generator.build().unwrap();
    let now = || Seconds.tick_at(clock.now().unwrap()).unwrap().get();
    let (observed, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let drawn = thread::scope(|scope| {
        let threads = [false, true, true].map(|has_handle| {
            let (generator, observed, is_over) = (&generator, &observed, &is_over);
            scope.spawn(move || {
                let mut handle = generator.handle();
                let mut drawn = Vec::new();
                while !is_over.load(Ordering::SeqCst) {
                    let before = observed.load(Ordering::SeqCst);
                    let id =
                        if has_handle { handle.try_generate() } else { generator.try_generate() };
                    if let Ok(id) = id {
                        assert!(id > before, "{:?} is not after {:?}", parts(id), parts(before));
                        drawn.push(id);
                    }
                }
                drawn
            })
        });
        for count in 0..scaled(200_000) as u64 {
            // Of the own node too, so that IDs lie among those that are being issued.
            let node = [7, 3, 9][usize::try_from(count % 3).unwrap()];
            let id = (now() + peers_lead) << 17 | node << 8 | (count / 7 % 256);
            if generator.observe(id).is_ok() {
                observed.fetch_max(id, Ordering::SeqCst);
            }
        }
        is_over.store(true, Ordering::SeqCst);
        threads.map(|thread| thread.join().unwrap()).concat()
    });
    assert!(!drawn.is_empty(), "no tick had a sequence left");
    assert!(observed.load(Ordering::SeqCst) > 0, "nothing was accepted");
    assert_distinct(drawn);
}

#[test]
fn threads_follow_in_their_own_tick() {
    follow_on_threads(Policy::Wait, 0);
}

#[test]
fn threads_follow_ahead_of_the_clock() {
    follow_on_threads(ratchet(4), 2);
}
