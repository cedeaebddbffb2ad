//! `generate/contended`: all threads draw from one generator. Times are per ID of all threads
//! together.
//!
//! The exception is `one-each`, where each thread has its own generator, either in an array beside
//! the other threads' or in a separate box. If both take the same time, generators in an array do
//! not share cache lines. `fetch-add/one-each` shows the cost of sharing one, with bare counters
//! side by side or apart.
//!
//! Every thread advances the manual clock after its share of a tick's IDs, so a tick is half used
//! at most. Wall clocks are left out because they would only show each format's cap.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ferroid::generator::{AtomicSnowflakeGenerator, LockSnowflakeGenerator};
use tickid_benches::peers::{ManualMillis, WideSnowflake};
use tickid_benches::subject::{self, Subject};
use tickid_benches::timing::{contended, in_ticks};
use tickid_benches::{Alone, START, criterion};
use tickid_core::{Generator, ManualClock};
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn all(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate/contended");
    group.throughput(Throughput::Elements(1));
    for threads in [2, 4] {
        let word = Alone(AtomicU64::new(0));
        let add = || word.0.fetch_add(1, Ordering::Relaxed);
        measure(&mut group, "fetch-add", threads, |calls, _| {
            in_ticks(calls, calls, add, || ());
        });
        least(&mut group, threads);
        ours::<Scru64>(&mut group, threads);
        ours::<Nanoflake>(&mut group, threads);
        ours::<Kuid>(&mut group, threads);
        ours::<Sno>(&mut group, threads);
        ferroid(&mut group, threads);
        one_each(&mut group, threads);
    }
    group.finish();
}

/// Measures the minimum that a generator for many threads does: it adds, reads the clock, and
/// compares the reading with the ends of its tick. No tick ever ends here, so there is nothing else
/// to do.
fn least(group: &mut Group<'_>, threads: u32) {
    let word = Alone(AtomicU64::new(0));
    let clock = Alone(AtomicU64::new(0));
    let tick = Alone([AtomicU64::new(0), AtomicU64::new(1_000)]);
    let get = |word: &AtomicU64| word.load(Ordering::Relaxed);
    let one = || {
        let drawn = word.0.fetch_add(1, Ordering::Relaxed);
        let [start, micros] = &tick.0;
        assert!(get(&clock.0).wrapping_sub(get(start)) < get(micros), "time stands still");
        drawn
    };
    measure(group, "least", threads, |calls, _| {
        in_ticks(calls, calls, one, || ());
    });
}

fn ours<S: Subject>(group: &mut Group<'_>, threads: u32) {
    let clock = Alone(ManualClock::new(START));
    let clock = &clock.0;
    let batch = S::batch(threads);
    let next_tick = || clock.advance(S::TICK);

    // This is `generate`, not `try_generate`, because a thread that advances the clock may be
    // suspended at that moment. Waiting on a manual clock advances it, too.
    let generator = Alone(subject::shared::<S>(clock));
    measure(group, &format!("{}/shared", S::NAME), threads, |calls, _| {
        let one = || generator.0.generate().expect("a clock");
        in_ticks(calls, batch, one, next_tick);
    });
    measure(group, &format!("{}/handles", S::NAME), threads, |calls, _| {
        let mut handle = generator.0.handle();
        let one = || handle.generate().expect("a clock");
        in_ticks(calls, batch, one, next_tick);
    });
}

fn ferroid(group: &mut Group<'_>, threads: u32) {
    let clock = Alone(ManualMillis::default());
    let clock = &clock.0;
    let next_tick = || clock.advance();
    // Its closure is also called when another thread was faster, and then an immediate retry is
    // right.
    let again = |_| std::hint::spin_loop();

    let atomic = Alone(AtomicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock));
    measure(group, "ferroid/atomic", threads, |calls, _| {
        in_ticks(calls, 2_048, || atomic.0.next_id(again), next_tick);
    });
    let lock = Alone(LockSnowflakeGenerator::<WideSnowflake, _>::new(0, clock));
    measure(group, "ferroid/lock", threads, |calls, _| {
        let one = || lock.0.try_next_id(again).expect("a lock that is not poisoned");
        in_ticks(calls, 2_048, one, next_tick);
    });
}

fn one_each(group: &mut Group<'_>, threads: u32) {
    let clocks: Vec<_> = (0..threads).map(|_| Alone(ManualClock::new(START))).collect();
    let generators = || clocks.iter().map(|clock| subject::shared::<Sno>(&clock.0));
    let array: Vec<_> = generators().collect();
    each_draws(group, "sno/one-each/array", threads, |thread| &array[thread]);
    let boxes: Vec<_> = generators().map(Box::new).collect();
    each_draws(group, "sno/one-each/boxes", threads, |thread| &boxes[thread]);

    let array: Vec<_> = (0..threads).map(|_| AtomicU64::new(0)).collect();
    each_adds(group, "fetch-add/one-each/side-by-side", threads, |thread| &array[thread]);
    let apart: Vec<_> = (0..threads).map(|_| Alone(AtomicU64::new(0))).collect();
    each_adds(group, "fetch-add/one-each/apart", threads, |thread| &apart[thread].0);
}

fn each_draws<'a, 'c: 'a>(
    group: &mut Group<'_>,
    name: &str,
    threads: u32,
    own: impl Fn(usize) -> &'a Generator<Sno, &'c ManualClock> + Sync,
) {
    measure(group, name, threads, |calls, thread| {
        let own = own(thread);
        let one = || own.try_generate().expect("a clock that moves on in time");
        in_ticks(calls, Sno::batch(1), one, || own.clock().advance(Sno::TICK));
    });
}

fn each_adds<'a>(
    group: &mut Group<'_>,
    name: &str,
    threads: u32,
    own: impl Fn(usize) -> &'a AtomicU64 + Sync,
) {
    measure(group, name, threads, |calls, thread| {
        let own = own(thread);
        in_ticks(calls, calls, || own.fetch_add(1, Ordering::Relaxed), || ());
    });
}

fn measure(group: &mut Group<'_>, name: &str, threads: u32, work: impl Fn(u64, usize) + Sync) {
    group.bench_function(format!("{threads}-threads/{name}"), |b| {
        // A single call of several threads cannot be measured, and the first estimates must not
        // measure thread starts either.
        b.iter_custom(|calls| -> Duration {
            let scale = (10_000 / calls).max(1);
            contended(threads, calls * scale, &work) / u32::try_from(scale).unwrap_or(1)
        });
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = all
}
criterion_main!(benches);
