//! Model checking of the shared engine. The checkers choose the order in which threads run and the
//! values that relaxed loads return.
//!
//! - `RUSTFLAGS="--cfg tickid_loom" cargo test -p tickid-core --lib models`: two or three
//!   threads make a call or two each, in *every* order. [`planted`] mistakes show that the models
//!   find mistakes.
//! - `RUSTFLAGS="--cfg tickid_shuttle" cargo test -p tickid-core --lib models`: four threads
//!   make random calls in random orders.

#![allow(clippy::print_stdout, reason = "tests that say how much they went through")]

/// Tests of scenarios with the engine itself.
#[cfg(tickid_loom)]
macro_rules! holds {
    ($($name:ident: $scenario:expr;)*) => {$(
        #[test]
        fn $name() {
            orders(stringify!($name), || $scenario(None));
        }
    )*};
}

/// The same with one preemption, which takes a fraction of the time. The [`planted`] mistakes that
/// need two are found in other scenarios, and `cargo xtask verify loom` allows three.
#[cfg(tickid_loom)]
macro_rules! holds_with_one_preemption {
    ($($name:ident: $scenario:expr;)*) => {$(
        #[test]
        fn $name() {
            orders_with(1, stringify!($name), || $scenario(None));
        }
    )*};
}

/// Tests of scenarios with copies of the engine that have a mistake.
#[cfg(tickid_loom)]
macro_rules! finds {
    ($($name:ident: $mistake:ident, $scenario:expr, $says:literal;)*) => {$(
        #[test]
        #[should_panic(expected = $says)]
        fn $name() {
            orders(stringify!($name), || $scenario(Some(Mistake::$mistake)));
        }
    )*};
}

#[cfg(tickid_loom)]
pub(crate) mod all_orders;
#[cfg(tickid_loom)]
mod observing;
mod planted;
#[cfg(tickid_shuttle)]
mod random_orders;
#[cfg(tickid_loom)]
mod shared_cache;
#[cfg(tickid_loom)]
mod two_atomics;

use alloc::sync::Arc;
use core::num::NonZeroU32;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Mutex;
use std::vec::Vec;

#[cfg(tickid_loom)]
use ::loom::thread;
#[cfg(tickid_shuttle)]
use ::shuttle::thread;

use crate::clock::{Clock, ManualClock};
use crate::error::{ClockError, Error};
use crate::example::{Node, Toggling};
use crate::generator::{Builder, Generator, Handle, LocalGenerator};
use crate::policy::Policy;
use crate::sequence::Fixed;
use crate::snapshot::Snapshot;
use crate::sync::{AtomicU64, Ordering};
use crate::tick::{Tick, Ticks};
use crate::time::UnixTime;
use crate::window::Window;

type TogglingGenerator = Generator<Toggling, Arc<Scripted>>;

/// A clock that the threads of a model set.
#[derive(Debug)]
struct Scripted {
    tick: AtomicU64,
    /// Every tick that it was set to. The mutex is `std`'s, so recording is not part of the model.
    shown: Mutex<BTreeSet<u64>>,
    /// The ticks that each thread has read during its current call.
    read: Mutex<HashMap<thread::ThreadId, Vec<u64>>>,
}

impl Scripted {
    fn new(tick: u64) -> Arc<Self> {
        Arc::new(Self {
            tick: AtomicU64::new(tick),
            shown: Mutex::new([tick].into()),
            read: Mutex::new(HashMap::new()),
        })
    }

    fn set(&self, tick: u64) {
        self.shown.lock().unwrap().insert(tick);
        // A plain store would not do: loom may order one between the read and the write of another
        // thread's read-modify-write (its issues 282 and 389).
        self.tick.swap(tick, Ordering::Relaxed);
    }

    /// Takes the ticks that this thread has read since the last call of this method.
    fn take_read(&self) -> Vec<u64> {
        self.read.lock().unwrap().remove(&thread::current().id()).unwrap_or_default()
    }

    fn note(&self, tick: u64) -> UnixTime {
        self.read.lock().unwrap().entry(thread::current().id()).or_default().push(tick);
        Self::time(tick)
    }

    fn time(tick: u64) -> UnixTime {
        UnixTime::from_micros(i64::try_from(tick * 1_000_000).unwrap())
    }
}

impl Clock for Scripted {
    /// Returns the current time. The read-modify-write always reads the last write, and orders
    /// nothing else.
    fn now(&self) -> Result<UnixTime, ClockError> {
        Ok(self.note(self.tick.fetch_add(0, Ordering::Relaxed)))
    }

    /// Returns the current time or an earlier one, as any relaxed load may.
    fn now_relaxed(&self) -> Result<UnixTime, ClockError> {
        Ok(self.note(self.tick.load(Ordering::Relaxed)))
    }
}

/// The fields of an ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct IdFields {
    tick: u64,
    toggle: bool,
    sequence: u64,
}

fn parts(id: u64) -> IdFields {
    IdFields { tick: id >> 17, toggle: id >> 16 & 1 == 1, sequence: id & 0xff }
}

/// A generator and its clock, to be shared between threads.
#[derive(Clone)]
struct ClockedGenerator {
    clock: Arc<Scripted>,
    generator: Arc<TogglingGenerator>,
    policy: Policy<Toggling>,
    /// The first sequence of every tick; the last is 255.
    start: u32,
    floor: u64,
}

const LAST: u32 = 255;

const fn ratchet(allowance: u64) -> Policy<Toggling> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

fn many(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

impl ClockedGenerator {
    /// Creates a generator with its clock at tick 10, no window, and `per_tick` sequences in each tick.
    #[cfg(tickid_loom)]
    fn new(policy: Policy<Toggling>, per_tick: u32) -> Self {
        Self::with_window(policy, per_tick, 0, Window::<Toggling>::ALL.ceiling())
    }

    fn with_window(policy: Policy<Toggling>, per_tick: u32, floor: u64, ceiling: u64) -> Self {
        let clock = Scripted::new(10);
        let start = LAST + 1 - per_tick;
        let generator = Builder::seeded(Node(0), 0)
            .clock(clock.clone())
            .policy(policy)
            .sequence(Fixed(start))
            .window(Window::new(Tick::new(floor).unwrap(), ceiling).unwrap())
            .build()
            .unwrap();
        Self { clock, generator: Arc::new(generator), policy, start, floor }
    }

    /// Spawns another thread on the same generator.
    fn spawn<T: Send + 'static>(
        &self,
        body: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> thread::JoinHandle<T> {
        let clocked = self.clone();
        thread::spawn(move || body(&clocked))
    }

    /// Makes one call, and checks that its IDs are as near as the policy states to a tick that this
    /// thread read during the call.
    fn call(&self, call: impl FnOnce(&TogglingGenerator) -> Vec<u64>) -> Vec<u64> {
        self.clock.take_read();
        let ids = call(&self.generator);
        let read = self.clock.take_read();
        let most = match self.policy {
            Policy::Ratchet { allowance } => allowance.get() + 1,
            _ => 0,
        };
        for &id in &ids {
            let tick = parts(id).tick;
            let is_near = read.iter().any(|&now| now <= tick && tick - now <= most);
            assert!(is_near, "drifted: {:?} of {read:?}", parts(id));
        }
        ids
    }

    /// Checks the IDs that each thread drew, in its order, against the generator's guarantees.
    fn check(&self, threads: &[&[u64]], ceiling: u64) {
        let mut seen = HashSet::new();
        for &id in threads.iter().copied().flatten() {
            assert!(seen.insert(id), "issued twice: {:?}", parts(id));
        }
        for ids in threads {
            let mut last = [None; 2];
            for &id in *ids {
                let IdFields { tick, toggle, sequence } = parts(id);
                // Under tick-tock the IDs of each side of the toggle ascend by themselves.
                let last = &mut last[usize::from(toggle && self.policy == Policy::TickTock)];
                assert!(*last < Some(id), "out of order: {:?} after {last:?}", parts(id));
                *last = Some(id);
                assert!((self.start.into()..=LAST.into()).contains(&sequence), "{:?}", parts(id));
                assert!(self.floor <= tick && tick < ceiling, "outside: {:?}", parts(id));
            }
        }
        // When all threads are done nobody is left to take back an add that went beyond the tick.
        let engine = self.generator.engine();
        let word = engine.load();
        assert!(
            word.tick().is_none() || word.sequence() <= engine.rules().exhausted(),
            "left in the guard: {word:?}"
        );
    }

    /// Checks the IDs of a closed generator against its snapshot. A generator that resumes from it
    /// must issue none of them again, even if the clock shows the same ticks once more.
    fn check_closed(&self, ids: &[u64], snapshot: Snapshot<Toggling>) {
        assert!(self.generator.try_generate().is_err(), "issues although it was closed");
        let highest = ids.iter().map(|&id| parts(id).tick).max();
        let said = snapshot.highest_tick().map(Tick::get);
        assert!(highest <= said, "issued at {highest:?}, but closed at {said:?}");
        let clock = ManualClock::new(UnixTime::EPOCH);
        let mut successor = self.successor(snapshot, &clock);
        let mut seen: HashSet<u64> = ids.iter().copied().collect();
        let shown = self.clock.shown.lock().unwrap();
        for &tick in shown.iter() {
            clock.set(Scripted::time(tick));
            for id in successor.try_block(many(LAST)).into_iter().flatten() {
                assert!(seen.insert(id), "issued twice: {:?}", parts(id));
            }
        }
    }
}

impl ClockedGenerator {
    /// Builds a generator that resumes from `snapshot`.
    fn successor<'a>(
        &self,
        snapshot: Snapshot<Toggling>,
        clock: &'a ManualClock,
    ) -> LocalGenerator<Toggling, &'a ManualClock> {
        Builder::seeded(Node(0), 0)
            .clock(clock)
            .policy(self.policy)
            .sequence(Fixed(self.start))
            .restore(snapshot)
            .max_wait(core::time::Duration::MAX)
            .build_local()
            .unwrap()
    }
}

/// Returns the IDs of a call that may have been refused.
fn drawn(result: Result<impl IntoIterator<Item = u64>, Error>) -> Vec<u64> {
    result.into_iter().flatten().collect()
}

/// Calls a handle.
fn next(clocked: &ClockedGenerator, handle: &mut Handle<'_, Toggling, Arc<Scripted>>) -> Vec<u64> {
    clocked.call(|_| drawn(handle.try_generate().map(|id| [id])))
}
