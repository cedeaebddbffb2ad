//! What a keeper costs on the way to an ID: nanoseconds per ID, the best of many rounds, of one thread.
//! Run it in release.
//!
//! The clock stands still for a round, and the sequence of a tick has room for it, so that there is nothing
//! but the fast path.

#![allow(clippy::print_stdout, reason = "it is a program")]

use core::hint::black_box;
use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use tickid_core::{Clock as _, ManualClock, ProcessClock, SystemClock};
use tickid_lease::{KeeperBuilder, MemoryStore, Realm};
use tickid_scru64::Scru64;

type Failure = Box<dyn core::error::Error>;

/// Each takes a tick of the window that the first lease has, 25 seconds.
const ROUNDS: u32 = 60;
/// Twice as many to a tick, in which a node of one bit has room for eight million.
const IDS: u32 = 100_000;

fn main() -> Result<(), Failure> {
    let clock = Arc::new(ManualClock::new(SystemClock.now()?));
    let realm = Realm::new("overhead".parse()?, &Scru64, "0-1/1".parse()?)?;
    let of_clock = Arc::clone(&clock);
    let keeper = KeeperBuilder::new(MemoryStore::in_memory(), realm).start(move |lease| {
        Ok(lease.builder(&Scru64)?.clock(ProcessClock::new(Arc::clone(&of_clock))))
    })?;
    let tenure = keeper.tenure().ok_or("there is no lease")?;
    let generator = tenure.generator();

    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        clock.advance(Duration::from_millis(256));
        let directly = timed(|| generator.try_generate().map(drop))?;
        let kept = timed(|| keeper.try_generate().map(drop))?;
        best = [best[0].min(directly), best[1].min(kept)];
    }
    for (what, time) in [("the generator", best[0]), ("its keeper", best[1])] {
        println!("{what:>13}: {:.2} ns per ID", time.as_secs_f64() * 1e9 / f64::from(IDS));
    }
    Ok(())
}

fn timed<E>(mut work: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    for _ in 0..IDS {
        black_box(work())?;
    }
    Ok(start.elapsed())
}
