//! Model checking of four threads that make random calls in random orders, with shuttle.
//!
//! `TICKID_SCHEDULES` sets the number of orders in each test, and `TICKID_SEED` the seed that they
//! are drawn from. If a test fails, shuttle prints the order for `shuttle::replay`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Instant;
use std::vec;
use std::vec::Vec;

use ::shuttle::rand::{Rng as _, thread_rng};
use ::shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use ::shuttle::{Config, Runner};

use super::planted::{EngineCalls as _, EngineUnderTest, Mistake};
use super::{ClockedGenerator, drawn, next, parts, ratchet};
use crate::example::Toggling;
use crate::policy::Policy;
use crate::snapshot::Snapshot;

const THREADS: usize = 4;
/// The number of calls that each thread makes.
const CALLS: usize = 6;

fn given(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(default, |value| value.parse().unwrap())
}

/// The number of outcomes of each kind. A test that never saw one of them fails.
#[derive(Debug, Default)]
struct Seen {
    ids: AtomicU64,
    refused: AtomicU64,
    flips: AtomicU64,
    widened: AtomicU64,
    closed: AtomicU64,
    observed: AtomicU64,
}

impl Seen {
    /// Checks and counts the outcome of a call, which ends here.
    fn look_at(&self, ids: &[u64], observed: u64, common: &Common) {
        let announced = common.announced.load(Ordering::Relaxed);
        for &id in ids {
            assert!(parts(id).tick < announced, "outside: {:?} of {announced}", parts(id));
            assert!(id > observed, "not after: {:?} after {:?}", parts(id), parts(observed));
        }
        count(if ids.is_empty() { &self.refused } else { &self.ids }, ids.len().max(1));
    }
}

fn count(counter: &AtomicU64, by: usize) {
    counter.fetch_add(by.try_into().unwrap(), Ordering::Relaxed);
}

/// The facts shared by the threads of one run. The types come from `std`, so that they add no
/// ordering to the model.
struct Common {
    /// The ceiling that a thread is about to allow.
    announced: AtomicU64,
    is_closed: AtomicBool,
    /// The greatest ID that has been accepted.
    observed: AtomicU64,
    snapshot: Mutex<Option<Snapshot<Toggling>>>,
}

fn any(policy: Policy<Toggling>, subject: EngineUnderTest, seen: &Arc<Seen>) {
    let mut dice = thread_rng();
    let per_tick = dice.gen_range(1..=6);
    let floor = dice.gen_range(8..=10);
    let ceiling = dice.gen_range(11..=16);
    let clocked = ClockedGenerator::with_window(policy, per_tick, floor, ceiling);
    let common = Arc::new(Common {
        announced: AtomicU64::new(ceiling),
        is_closed: AtomicBool::new(false),
        observed: AtomicU64::new(0),
        snapshot: Mutex::new(None),
    });
    let threads = [(); THREADS].map(|()| {
        let (common, seen) = (common.clone(), seen.clone());
        clocked.spawn(move |clocked| live(clocked, subject, &common, &seen))
    });
    let ids = threads.map(|thread| thread.join().unwrap()).concat();
    let ids: Vec<&[u64]> = ids.iter().map(Vec::as_slice).collect();
    clocked.check(&ids, common.announced.load(Ordering::Relaxed));
    let snapshot = common.snapshot.lock().unwrap().take();
    let snapshot = snapshot.unwrap_or_else(|| subject.close(&clocked));
    clocked.check_closed(&ids.concat(), snapshot);
    count(&seen.flips, snapshot.drifts.try_into().unwrap());
}

/// Runs one thread, which sets the clock, draws in all ways, widens the window, and sometimes
/// closes the generator. Returns the IDs of each of its handles and the IDs that it drew itself,
/// each list in order.
fn live(
    clocked: &ClockedGenerator,
    subject: EngineUnderTest,
    common: &Common,
    seen: &Seen,
) -> Vec<Vec<u64>> {
    let mut dice = thread_rng();
    let mut handle = clocked.generator.handle();
    let (mut own, mut of_handles) = (vec![], vec![vec![]]);
    let mut now = 10;
    for _ in 0..CALLS {
        let was_closed = common.is_closed.load(Ordering::Relaxed);
        let observed = common.observed.load(Ordering::Relaxed);
        // Under tick-tock, no ID can be observed.
        let kinds = if clocked.policy == Policy::TickTock { 16 } else { 19 };
        let got = match dice.gen_range(0..kinds) {
            0..=3 => {
                now = now + dice.gen_range(0..=4) - 2;
                clocked.clock.set(now);
                continue;
            }
            4 => {
                let by = dice.gen_range(0..=3);
                let ceiling = common.announced.fetch_add(by, Ordering::Relaxed) + by;
                clocked.generator.widen(ceiling).unwrap();
                count(&seen.widened, 1);
                continue;
            }
            5 if dice.gen_ratio(1, 3) => {
                let snapshot = subject.close(clocked);
                common.is_closed.store(true, Ordering::Relaxed);
                let mut first = common.snapshot.lock().unwrap();
                assert_eq!(*first.get_or_insert(snapshot), snapshot, "closing again says the same");
                count(&seen.closed, 1);
                continue;
            }
            6..=9 => subject.one(clocked),
            10..=11 => subject.several(clocked, dice.gen_range(1..=4)),
            12 if subject.is_none() => clocked.call(|generator| {
                let mut out = [0; 3];
                drawn(generator.try_fill(&mut out).map(|ids| ids.to_vec()))
            }),
            16.. => {
                // Observe an ID of this node or the next, around the sequences in use.
                let (node, tick) = (dice.gen_range(0..=1), now + dice.gen_range(0..=2) - 1);
                let id = tick << 17 | node << 8 | dice.gen_range(250..=255);
                if subject.observe(clocked, id) {
                    assert!(!was_closed, "observes although it was closed");
                    common.observed.fetch_max(id, Ordering::Relaxed);
                    count(&seen.observed, 1);
                }
                continue;
            }
            13..=15 if subject.is_none() => {
                if dice.gen_ratio(1, 3) {
                    handle = clocked.generator.handle();
                    of_handles.push(vec![]);
                }
                // A handle's IDs may come after closing because the rest of a block belongs to the
                // handle.
                let got = next(clocked, &mut handle);
                seen.look_at(&got, observed, common);
                of_handles.last_mut().unwrap().extend(got);
                continue;
            }
            _ => continue,
        };
        assert!(got.is_empty() || !was_closed, "issues although it was closed");
        seen.look_at(&got, observed, common);
        own.extend(got);
    }
    of_handles.push(own);
    of_handles
}

fn orders(
    name: &str,
    scheduler: fn(u64, usize) -> Box<dyn Scheduler + Send>,
    policy: Policy<Toggling>,
    subject: EngineUnderTest,
) {
    let schedules = given("TICKID_SCHEDULES", 5_000);
    let seed = given("TICKID_SEED", 0x7469_636B);
    std::println!("{name}: {schedules} orders from TICKID_SEED={seed}");
    let seen = Arc::new(Seen::default());
    let start = Instant::now();
    let counted = seen.clone();
    let runner = Runner::new(scheduler(seed, schedules.try_into().unwrap()), Config::new());
    let runs = runner.run(move || any(policy, subject, &counted));
    std::println!("shown: {name}: {runs} orders in {:.1?}, {seen:?}", start.elapsed());
    if schedules >= 100 {
        let Seen { ids, refused, flips, widened, closed, observed } = &*seen;
        let met = [ids, refused, widened, closed];
        assert!(met.iter().all(|count| count.load(Ordering::Relaxed) > 0), "{seen:?}");
        assert_eq!(observed.load(Ordering::Relaxed) > 0, policy != Policy::TickTock, "{seen:?}");
        assert_eq!(flips.load(Ordering::Relaxed) > 0, policy == Policy::TickTock, "{seen:?}");
    }
}

fn random(seed: u64, schedules: usize) -> Box<dyn Scheduler + Send> {
    Box::new(RandomScheduler::new_from_seed(seed, schedules))
}

/// Returns a scheduler of orders that hinge on three switches at random places.
fn pct(seed: u64, schedules: usize) -> Box<dyn Scheduler + Send> {
    Box::new(PctScheduler::new_from_seed(seed, 3, schedules))
}

macro_rules! holds {
    ($($name:ident: $scheduler:expr, $policy:expr;)*) => {$(
        #[test]
        fn $name() {
            orders(stringify!($name), $scheduler, $policy, None);
        }
    )*};
}
holds! {
    ratchet_in_random_orders: random, ratchet(2);
    ratchet_with_three_switches: pct, ratchet(2);
    waiting_in_random_orders: random, Policy::Wait;
    waiting_with_three_switches: pct, Policy::Wait;
    tick_tock_in_random_orders: random, Policy::TickTock;
    tick_tock_with_three_switches: pct, Policy::TickTock;
}

macro_rules! finds {
    ($($name:ident: $mistake:ident, $policy:expr, $says:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $says)]
        fn $name() {
            orders(stringify!($name), random, $policy, Some(Mistake::$mistake));
        }
    )*};
}
finds! {
    finds_closing_as_exhausted: CloseAsExhausted, Policy::Wait, "clos";
    finds_a_retry_over_closed: RetryOverClosed, Policy::Wait, "clos";
    finds_an_unclamped_guard: NoClamp, Policy::Wait, "left in the guard";
    finds_trusting_a_word_that_may_fall: ObserveUnheld, Policy::Wait, "not after";
}
