//! Loops, for `Bencher::iter_custom`.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// The number of IDs of a burst.
pub const BURST: u64 = 1_024;

/// Returns the time of `calls` calls of `one`, with a call of `next_tick` after each `batch` of
/// them.
#[inline]
pub fn in_ticks<T>(
    calls: u64,
    batch: u64,
    mut one: impl FnMut() -> T,
    mut next_tick: impl FnMut(),
) -> Duration {
    let start = Instant::now();
    let mut left = calls;
    while left > 0 {
        let batch = left.min(batch);
        for _ in 0..batch {
            black_box(one());
        }
        next_tick();
        left -= batch;
    }
    start.elapsed()
}

/// Returns the time of `calls` calls of `one`, in bursts that start at least `pace` apart. The
/// pauses are not counted. They spin, because a processor that slept is slow at first.
#[inline]
pub fn paced<T>(calls: u64, pace: Duration, mut one: impl FnMut() -> T) -> Duration {
    let mut busy = Duration::ZERO;
    let mut left = calls;
    while left > 0 {
        let burst = left.min(BURST);
        let start = Instant::now();
        for _ in 0..burst {
            black_box(one());
        }
        busy += start.elapsed();
        left -= burst;
        while left > 0 && start.elapsed() < pace {
            std::hint::spin_loop();
        }
    }
    busy
}

/// Lets each of `threads` threads make `calls` calls by `work`, which also gets the number of its
/// thread. Returns the time from the first thread's start to the last one's end, divided by the
/// number of threads, which makes it the time per ID of all of them.
pub fn contended(threads: u32, calls: u64, work: impl Fn(u64, usize) + Sync) -> Duration {
    let barrier = Barrier::new(threads as usize);
    let run = |thread| {
        barrier.wait();
        let start = Instant::now();
        work(calls, thread);
        (start, Instant::now())
    };
    let run = &run;
    let times: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..threads as usize).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let start = times.iter().map(|(start, _)| *start).min().expect("a thread");
    let end = times.iter().map(|(_, end)| *end).max().expect("a thread");
    (end - start) / threads
}
