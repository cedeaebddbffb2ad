//! `clock`: one reading. `generate/clocks`: the part of the difference that is left in each
//! scheme's generators.

use std::hint::black_box;
use std::time::{Duration, SystemTime};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ferroid::time::{MonotonicClock, TimeSource as _};
use rustix::time::{ClockId, clock_gettime};
use tickid_benches::subject::{Subject, builder};
use tickid_benches::timing::{BURST, paced};
use tickid_benches::{START, criterion};
use tickid_core::{Clock, ClockError, DefaultClock, ManualClock, SystemClock, UnixTime};
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

type Group<'a> = BenchmarkGroup<'a, WallTime>;

fn clock(c: &mut Criterion) {
    let mut group = c.benchmark_group("clock");
    group.bench_function("std/system-time", |b| b.iter(SystemTime::now));
    // This clock is up to a jiffy (1 to 10 ms) late.
    #[cfg(target_os = "linux")]
    group.bench_function("kernel/realtime-coarse", |b| {
        b.iter(|| clock_gettime(black_box(ClockId::RealtimeCoarse)));
    });

    group.bench_function("system/now", |b| b.iter(|| black_box(&SystemClock).now()));
    // On x86-64 Linux this is the processor's counter, held to the wall clock, and elsewhere the
    // clock above.
    let default = DefaultClock::default();
    group.bench_function("default/now", |b| b.iter(|| black_box(&default).now()));
    group.bench_function("default/glance", |b| b.iter(|| black_box(&default).now_relaxed()));
    let manual = ManualClock::new(START);
    group.bench_function("manual/now", |b| b.iter(|| black_box(&manual).now()));

    // A separate thread writes whole milliseconds.
    let ticker = MonotonicClock::<1>::default();
    group.bench_function("ferroid/ticker", |b| {
        b.iter(|| -> u64 { black_box(&ticker).current_millis() });
    });
    group.finish();
}

fn generators(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate/clocks");
    group.throughput(Throughput::Elements(1));
    over_each_clock::<Scru64>(&mut group);
    over_each_clock::<Nanoflake>(&mut group);
    over_each_clock::<Kuid>(&mut group);
    over_each_clock::<Sno>(&mut group);
    group.finish();
}

fn over_each_clock<S: Subject>(group: &mut Group<'_>) {
    over::<S>(group, "system", SystemClock);
    #[cfg(target_os = "linux")]
    over::<S>(group, "coarse", Coarse);
    over::<S>(group, "default", DefaultClock::default());
}

fn over<S: Subject>(group: &mut Group<'_>, name: &str, clock: impl Clock) {
    let shared = builder::<S>().clock(&clock).build().expect("valid options");
    group.bench_function(format!("shared/{}/{name}", S::NAME), |b| {
        b.iter_custom(|calls| {
            paced(calls, pace::<S>(), || black_box(&shared).generate().expect(WALL))
        });
    });
    let mut exclusive = builder::<S>().clock(&clock).build_local().expect("valid options");
    group.bench_function(format!("exclusive/{}/{name}", S::NAME), |b| {
        let mut one = || black_box(&mut exclusive).generate().expect(WALL);
        b.iter_custom(|calls| paced(calls, pace::<S>(), &mut one));
    });
}

const WALL: &str = "a clock";

/// Returns the time between the starts of bursts, such that a tick's IDs last even if the clock
/// stands still for a jiffy.
fn pace<S: Subject>() -> Duration {
    const JIFFY: Duration = Duration::from_millis(10);
    let half = u32::try_from(S::CAP / BURST / 2).unwrap_or(u32::MAX);
    S::TICK.max(JIFFY) / half
}

/// The kernel's time of the last jiffy.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Coarse;

#[cfg(target_os = "linux")]
impl Clock for Coarse {
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        let time = clock_gettime(ClockId::RealtimeCoarse);
        Ok(UnixTime::from_micros(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000))
    }
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = clock, generators
}
criterion_main!(benches);
