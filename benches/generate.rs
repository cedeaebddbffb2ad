//! What it takes to issue an ID.
//!
//! `generate/one-thread` measures the library alone: its clock costs next to nothing and moves on fast
//! enough that no tick is ever used up. With the system's clock a loop like this would soon measure how
//! many IDs the format has per tick (Nanoflake: 4,096 per millisecond, one in 244 ns) and nothing
//! else. What the system's clock adds is in `clock`.

use std::cell::Cell;
use std::fmt::Debug;
use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use tickid_core::{Builder, Clock, ClockError, Scheme, SystemClock, UnixTime};
use tickid_kuid::{Kuid, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake};
use tickid_scru64::Scru64;
use tickid_sno::{Partition, Sno};

/// A clock that moves on by a microsecond whenever it is read: with the nodes below every scheme has
/// more IDs per tick than that.
struct Steps(Cell<UnixTime>);

/// 2026-01-01T00:00:00Z.
const START: UnixTime = UnixTime::from_micros(1_767_225_600_000_000);

impl Steps {
    fn new() -> Self {
        Self(Cell::new(START))
    }
}

impl Clock for Steps {
    #[inline]
    fn now(&self) -> Result<UnixTime, ClockError> {
        let now = self.0.get();
        self.0.set(UnixTime::from_micros(now.as_micros() + 1));
        Ok(now)
    }
}

fn one_thread(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate/one-thread");
    group.throughput(Throughput::Elements(1));
    both_generators::<Scru64>(&mut group, "1/4".parse().expect("a node spec"));
    both_generators::<Nanoflake>(&mut group, GeneratorId::new(1).expect("below 1,024"));
    both_generators::<Kuid>(&mut group, Node::from_u32(1));
    both_generators::<Sno>(&mut group, Partition::new(1));
    group.finish();
}

fn both_generators<S>(group: &mut BenchmarkGroup<'_, WallTime>, node: S::Node)
where
    S: Scheme + Default + Debug,
{
    let builder = || Builder::<S>::seeded(node, 42).clock(Steps::new());
    let shared = builder().build().expect("valid options");
    group.bench_function(format!("{}/shared", S::NAME), |b| {
        b.iter(|| black_box(&shared).try_generate().expect("a clock that moves on"));
    });
    let mut exclusive = builder().build_local().expect("valid options");
    group.bench_function(format!("{}/exclusive", S::NAME), |b| {
        b.iter(|| {
            let generator = black_box(&mut exclusive);
            generator.try_generate().expect("a clock that moves on")
        });
    });
}

fn clock(c: &mut Criterion) {
    let mut group = c.benchmark_group("clock");
    group.bench_function("system", |b| b.iter(|| black_box(&SystemClock).now()));
    group.finish();
}

criterion_group!(benches, one_thread, clock);
criterion_main!(benches);
