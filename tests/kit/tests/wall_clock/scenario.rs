//! The events that the processes with the shim go through.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use core::time::Duration;
use std::sync::Mutex;
use std::thread;
use std::time::SystemTime;

use tickid_core::{
    Clock as _, DefaultClock, Error, ErrorKind, Generator, Observable, Plain, Policy, Scheme,
    StallReason, SystemClock, UnixTime,
};
use tickid_kuid::{Kuid, Local, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Partition, Sno};

use crate::shim::{Wall, raw};

const MICROSECOND: i64 = 1_000;
const MILLISECOND: i64 = 1_000 * MICROSECOND;
const SECOND: i64 = 1_000 * MILLISECOND;

/// The largest error of the default clock while the wall clock runs steadily.
const ERROR: i64 = 20 * MICROSECOND;
/// The time that the clock may take to follow an event.
const AFTER_EVENT: i64 = 10 * MILLISECOND;
/// The time between the clock's readings of the wall clock. The clock misses as much of a slew as
/// happens in this time.
const PERIOD: i64 = 2 * MILLISECOND;

const THREADS: usize = 4;
const ERAS: usize = 2 * EVENTS.len() + 1;

#[derive(Clone, Copy, Debug)]
enum WallClockEvent {
    /// In nanoseconds.
    Step(i64),
    /// In parts per million.
    Slew(i64),
}

/// Steps before NTP has set the clock, between the first reading and the second.
const FIRST: [i64; 3] = [10 * SECOND, 3_600 * SECOND, 86_400 * SECOND];

/// The events that follow, one about every 25 ms.
const EVENTS: [WallClockEvent; 20] = [
    WallClockEvent::Step(300 * MICROSECOND),
    WallClockEvent::Step(-300 * MICROSECOND),
    WallClockEvent::Step(-900 * MICROSECOND),
    WallClockEvent::Step(900 * MICROSECOND),
    WallClockEvent::Step(-5 * MILLISECOND),
    WallClockEvent::Step(5 * MILLISECOND),
    WallClockEvent::Slew(500),
    WallClockEvent::Slew(-500),
    WallClockEvent::Slew(83_333),
    WallClockEvent::Slew(-83_333),
    WallClockEvent::Slew(0),
    WallClockEvent::Step(-200 * MILLISECOND),
    WallClockEvent::Step(SECOND),
    WallClockEvent::Step(-12 * SECOND),
    WallClockEvent::Step(13 * SECOND),
    WallClockEvent::Step(-20 * MICROSECOND),
    WallClockEvent::Step(-60 * MICROSECOND),
    WallClockEvent::Step(-1_500 * MICROSECOND),
    WallClockEvent::Step(3_600 * SECOND),
    WallClockEvent::Slew(100_000),
];

/// The events, as shared with the threads.
struct SharedEvents {
    /// The numbers of events that have started and that are over.
    events: AtomicUsize,
    /// The current bound of a clock's error, in nanoseconds.
    error: AtomicI64,
    /// Twice the number of times that the wall clock was set back. It is odd for as long as a clock
    /// may take to follow.
    era: AtomicUsize,
    /// The highest time that clocks can have shown before the wall clock was set back, or
    /// `i64::MAX` while it is being set back.
    peak: AtomicI64,
    /// The highest reading of the clock in each era, in microseconds.
    highest: [AtomicI64; ERAS],
    is_over: AtomicBool,
    wall: Mutex<Wall>,
    last: Mutex<WallClockEvent>,
}

impl fmt::Display for SharedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.last.lock().unwrap();
        write!(f, "event {} was {last:?}", self.events.load(Ordering::SeqCst))
    }
}

impl SharedEvents {
    fn new() -> Self {
        Self {
            events: AtomicUsize::new(0),
            error: AtomicI64::new(ERROR),
            era: AtomicUsize::new(0),
            peak: AtomicI64::new(0),
            highest: [const { AtomicI64::new(0) }; ERAS],
            is_over: AtomicBool::new(false),
            wall: Mutex::new(Wall::new()),
            last: Mutex::new(WallClockEvent::Step(0)),
        }
    }

    /// Makes the event happen, and returns once clocks must have followed.
    fn happen(&self, event: WallClockEvent) {
        let mut wall = self.wall.lock().unwrap();
        let steady = ERROR + slewed(wall.slew_in_ppm());
        *self.last.lock().unwrap() = event;
        self.events.fetch_add(1, Ordering::SeqCst);
        let (settled, begins) = match event {
            WallClockEvent::Step(nanos) => {
                self.error.store(steady + nanos.abs(), Ordering::SeqCst);
                if nanos < 0 {
                    self.era.fetch_add(1, Ordering::SeqCst);
                    let earlier = self.peak.swap(i64::MAX, Ordering::SeqCst);
                    wall.step(nanos);
                    // Read after the step, since this thread may be held up before it.
                    let shown = nanos_of(SystemTime::now()) - nanos + AFTER_EVENT;
                    self.peak.store(earlier.max(shown), Ordering::SeqCst);
                } else {
                    wall.step(nanos);
                }
                (steady, raw())
            }
            WallClockEvent::Slew(ppm) => {
                let settled = ERROR + slewed(ppm);
                self.error.store(steady.max(settled), Ordering::SeqCst);
                (settled, wall.slew(ppm))
            }
        };
        let until = begins + AFTER_EVENT;
        while raw() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.error.store(settled, Ordering::SeqCst);
        if self.era.load(Ordering::SeqCst) % 2 == 1 {
            self.era.fetch_add(1, Ordering::SeqCst);
        }
        self.events.fetch_add(1, Ordering::SeqCst);
    }

    /// Calls `call`, and returns its result with bounds from the wall clock before and after.
    /// Returns `None` if an event both began and ended during the call, or if one ended and another
    /// began, because these readings are not bounds then.
    fn call<T>(&self, call: impl FnOnce() -> T) -> Option<Call<T>> {
        let (events, error, era) = (
            self.events.load(Ordering::SeqCst),
            self.error.load(Ordering::SeqCst),
            self.era.load(Ordering::SeqCst),
        );
        let before = nanos_of(SystemTime::now());
        let result = call();
        let after = nanos_of(SystemTime::now());
        let error = error.max(self.error.load(Ordering::SeqCst));
        let is_told = self.events.load(Ordering::SeqCst) - events <= 1;
        let has_same_era = self.era.load(Ordering::SeqCst) == era && era.is_multiple_of(2);
        let (from, to) = (before.min(after) - error, before.max(after) + error);
        is_told.then_some(Call { result, from, to, era: has_same_era.then_some(era) })
    }
}

/// Returns the error of a clock under a slew of `ppm`.
fn slewed(ppm: i64) -> i64 {
    PERIOD * ppm.abs() / 1_000_000
}

struct Call<T> {
    result: T,
    /// The readings of the wall clock, widened by the error that the clock may have.
    from: i64,
    to: i64,
    /// The era, if the wall clock was not set back meanwhile.
    era: Option<usize>,
}

fn nanos_of(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

/// Rounds down.
fn unix_time(nanos: i64) -> UnixTime {
    UnixTime::from_micros(nanos.div_euclid(MICROSECOND))
}

pub(super) fn run(scenario: &str) {
    match scenario {
        "probe" => {
            let before = SystemTime::now();
            Wall::new().step(86_400 * SECOND);
            let passed = SystemTime::now().duration_since(before).unwrap();
            assert!(passed >= Duration::from_secs(86_400));
        }
        "clock" => {
            go_through(DefaultClock::default, |clock| assert!(clock.now().is_ok()), watch_clock);
        }
        // A tick has so many counters that none is used up, so the generator does not run ahead of
        // the clock.
        "scru64" => go_through(
            || tickid_scru64::Generator::new("1/1".parse().unwrap()).unwrap(),
            |generator| assert!(generator.try_generate().is_ok()),
            |world, generator| {
                let draw = || generator.try_generate().map(|id| id.timestamp());
                watch_ids(world, &Scru64, generator.policy(), draw);
            },
        ),
        "nanoflake" => go_through(
            || tickid_nanoflake::Generator::new(GeneratorId::MAX).unwrap(),
            |generator| assert!(generator.try_generate().is_ok()),
            |world, generator| {
                let draw = || generator.try_generate().map(|id| id.timestamp());
                watch_ids(world, &Nanoflake::default(), generator.policy(), draw);
            },
        ),
        "kuid" => go_through(
            || tickid_kuid::Generator::new(Node::phash2("uid@127.0.0.1")).unwrap(),
            |generator| assert!(generator.try_generate().is_ok()),
            |world, generator| {
                let draw =
                    || generator.with(Local).try_generate().map(|id| id.tick().unwrap().get());
                watch_ids(world, &Kuid::default(), generator.policy(), draw);
            },
        ),
        "sno" => go_through(
            || tickid_sno::Generator::new(Partition::new(0xCAFE)).unwrap(),
            |generator| assert!(generator.try_generate().is_ok()),
            |world, generator| {
                let draw = || generator.try_generate().map(|id| id.timestamp());
                watch_ids(world, &Sno, generator.policy(), draw);
            },
        ),
        "observe" => {
            refuse_a_peer(Scru64, Plain, "1/1".parse().unwrap(), |id| id.timestamp());
            refuse_a_peer(Nanoflake::default(), Plain, GeneratorId::MAX, |id| id.timestamp());
            let node = Node::phash2("uid@127.0.0.1");
            refuse_a_peer(Kuid::default(), Local, node, |id| id.tick().unwrap().get());
        }
        _ => panic!("no such scenario: {scenario}"),
    }
}

/// Checks that a generator refuses the ID of a peer whose wall clock is an hour ahead, and that its
/// own IDs stay with its own clock.
fn refuse_a_peer<S: Scheme + Default, V: Observable<S>>(
    scheme: S,
    variant: V,
    node: S::Node,
    tick_of: impl Fn(V::Id) -> u64,
) {
    let world = SharedEvents::new();
    let service = Generator::<S>::new(node).unwrap();
    service.with(variant).try_generate().unwrap();
    world.happen(WallClockEvent::Step(3_600 * SECOND));
    let peer = Generator::<S>::builder(node).clock(SystemClock).build().unwrap();
    let id = peer.with(variant).try_generate().unwrap();
    world.happen(WallClockEvent::Step(-3_600 * SECOND));

    let state = service.state();
    let error = service.with(variant).observe(id).unwrap_err();
    let wait = error.retry_after().unwrap().as_secs();
    assert!((3_500..3_600).contains(&wait), "{error}, for {wait} s");
    assert_eq!(service.state(), state);
    let call = world.call(|| tick_of(service.with(variant).try_generate().unwrap())).unwrap();
    let tick = |nanos| scheme.tick_at(unix_time(nanos)).unwrap().get();
    let (first, last) = (tick(call.from), tick(call.to));
    assert!((first..=last).contains(&call.result), "{} not in {first}..={last}", call.result);
}

/// For each of the first steps, makes a clock or a generator, uses it once, steps the wall clock,
/// and lets four threads work with it. The last one goes through all events.
fn go_through<T: Sync>(
    make: impl Fn() -> T,
    first: impl Fn(&T),
    work: impl Fn(&SharedEvents, &T) + Sync,
) {
    for (number, step) in FIRST.into_iter().enumerate() {
        let (world, subject) = (SharedEvents::new(), make());
        first(&subject);
        world.happen(WallClockEvent::Step(step));
        thread::scope(|scope| {
            let threads: Vec<_> =
                (0..THREADS).map(|_| scope.spawn(|| work(&world, &subject))).collect();
            thread::sleep(Duration::from_millis(30));
            if number == 0 {
                for event in EVENTS {
                    world.happen(event);
                    thread::sleep(Duration::from_millis(15));
                    if threads.iter().any(|thread| thread.is_finished()) {
                        break;
                    }
                }
            }
            world.is_over.store(true, Ordering::SeqCst);
        });
    }
}

/// Checks that the clock stays within its error of the wall clock, and that no thread reads less
/// than another has read before, unless the wall clock was set back.
fn watch_clock(world: &SharedEvents, clock: &DefaultClock) {
    while !world.is_over.load(Ordering::SeqCst) {
        let seen = world.highest.each_ref().map(|highest| highest.load(Ordering::SeqCst));
        let Some(call) = world.call(|| clock.now().unwrap()) else { continue };
        let now = call.result;
        let (from, to) = (unix_time(call.from), unix_time(call.to));
        assert!(from <= now && now <= to, "{now} is not in {from}..={to}: {world}");
        if let Some(era) = call.era {
            let now = now.as_micros();
            assert!(now >= seen[era], "{now} after {}: {world}", seen[era]);
            world.highest[era].fetch_max(now, Ordering::SeqCst);
        }
    }
}

/// Checks that IDs have a tick that the policy allows at the wall clock's reading, and that IDs are
/// issued unless the clock was set back to before earlier IDs.
fn watch_ids<S: Scheme>(
    world: &SharedEvents,
    scheme: &S,
    policy: Policy<S>,
    draw: impl Fn() -> Result<u64, Error>,
) {
    let tick = |nanos| scheme.tick_at(unix_time(nanos)).unwrap().get();
    let ahead = policy.allowance().map_or(0, |allowance| allowance.get() + 1);
    while !world.is_over.load(Ordering::SeqCst) {
        let Some(call) = world.call(&draw) else { continue };
        let (first, last) = (tick(call.from), tick(call.to) + ahead);
        match call.result {
            Ok(id) => assert!(first <= id && id <= last, "{id} not in {first}..={last}: {world}"),
            Err(error) => {
                let peak = world.peak.load(Ordering::SeqCst);
                let earlier = peak.saturating_add(world.error.load(Ordering::SeqCst));
                let was_later = call.from <= earlier;
                let is_allowed = match error.kind() {
                    ErrorKind::Stalled(StallReason::TickUsedUp) => true,
                    ErrorKind::Stalled(StallReason::ClockBehind) => was_later,
                    ErrorKind::Stalled(_)
                    | ErrorKind::Closed
                    | ErrorKind::EndOfTime
                    | ErrorKind::Clock(_)
                    | ErrorKind::Variant(_)
                    | ErrorKind::SequenceStart { .. } => false,
                    _ => false,
                };
                assert!(is_allowed, "{error} at {first}..={last}: {world}");
            }
        }
    }
}
