//! `clock`: one reading.

use std::hint::black_box;
use std::time::SystemTime;

use criterion::{Criterion, criterion_group, criterion_main};
use ferroid::time::{MonotonicClock, TimeSource as _};
use rustix::time::{ClockId, clock_gettime};
use tickid_benches::{START, criterion};
use tickid_core::{Clock as _, DefaultClock, ManualClock, SystemClock};

fn clock(c: &mut Criterion) {
    let mut group = c.benchmark_group("clock");
    group.bench_function("std/system-time", |b| b.iter(SystemTime::now));
    // Up to a jiffy (1 to 10 ms) late.
    #[cfg(target_os = "linux")]
    group.bench_function("kernel/realtime-coarse", |b| {
        b.iter(|| clock_gettime(black_box(ClockId::RealtimeCoarse)));
    });

    group.bench_function("system/now", |b| b.iter(|| black_box(&SystemClock).now()));
    // On x86-64 Linux the processor's counter, held to the wall clock; elsewhere the one above.
    let default = DefaultClock::default();
    group.bench_function("default/now", |b| b.iter(|| black_box(&default).now()));
    group.bench_function("default/glance", |b| b.iter(|| black_box(&default).glance()));
    let manual = ManualClock::new(START);
    group.bench_function("manual/now", |b| b.iter(|| black_box(&manual).now()));

    // Whole milliseconds, written by a thread of its own.
    let ticker = MonotonicClock::<1>::default();
    group.bench_function("ferroid/ticker", |b| {
        b.iter(|| -> u64 { black_box(&ticker).current_millis() });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = clock
}
criterion_main!(benches);
