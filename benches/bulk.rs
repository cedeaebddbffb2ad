//! `generate/bulk`: slices of 1,024 IDs, on manual clocks. Times are per ID.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ferroid::generator::{AtomicSnowflakeGenerator, BasicSnowflakeGenerator};
use tickid_benches::peers::{ManualMillis, WideSnowflake};
use tickid_benches::subject::{self, Subject};
use tickid_benches::{Alone, START, criterion};
use tickid_core::{ManualClock, Plain, Variant};
use tickid_kuid::{GlobalId, Kuid, Local, LocalId};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::{NodeAboveSequence, SequenceAboveNode, Snowflake, SnowflakeId};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

const COUNT: usize = 1_024;

fn bulk(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate/bulk");
    group.throughput(Throughput::Elements(COUNT as u64));
    ours::<Scru64, _>(
        &mut group,
        "scru64",
        <Scru64 as tickid_core::Scheme>::Variant::default(),
        Scru64Id::MIN,
    );
    ours::<Nanoflake, _>(
        &mut group,
        "nanoflake",
        <Nanoflake as tickid_core::Scheme>::Variant::default(),
        NanoflakeId::MIN,
    );
    ours::<Kuid, _>(&mut group, "kuid-local", Local, LocalId::MIN);
    ours::<Kuid, _>(&mut group, "kuid-global", tickid_kuid::Global, GlobalId::MIN);
    ours::<Sno, _>(
        &mut group,
        "sno",
        <Sno as tickid_core::Scheme>::Variant::default(),
        SnoId::from_bytes([0; 10]),
    );
    ours::<Snowflake<NodeAboveSequence>, _>(&mut group, "snowflake", Plain, SnowflakeId::MIN);
    ours::<Snowflake<SequenceAboveNode>, _>(
        &mut group,
        "snowflake-sequence-above-node",
        Plain,
        SnowflakeId::MIN,
    );
    ferroid(&mut group);
    group.finish();
}

fn ours<S: Subject, F: Variant<S>>(group: &mut Group<'_>, name: &str, form: F, any: F::Id) {
    let clock = Alone(ManualClock::new(START));
    let clock = &clock.0;
    let mut ids = [any; COUNT];

    let mut exclusive = subject::exclusive::<S>(clock);
    group.bench_function(format!("{name}/exclusive"), |b| {
        b.iter(|| {
            clock.advance(S::TICK);
            black_box(&mut exclusive).with(form).fill(black_box(&mut ids)).expect("a clock");
            black_box(&ids);
        });
    });
    let shared = subject::shared::<S>(clock);
    group.bench_function(format!("{name}/shared"), |b| {
        b.iter(|| {
            clock.advance(S::TICK);
            black_box(&shared).with(form).fill(black_box(&mut ids)).expect("a clock");
            black_box(&ids);
        });
    });
}

/// It has no call that draws several IDs, so its users write a loop.
fn ferroid(group: &mut Group<'_>) {
    let clock = Alone(ManualMillis::default());
    let clock = &clock.0;
    let mut ids = [WideSnowflake::from_raw(0); COUNT];
    let never = |_| unreachable!("four million IDs in a millisecond");

    let basic = BasicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("ferroid/basic/loop", |b| {
        b.iter(|| {
            clock.advance();
            let basic = black_box(&basic);
            black_box(&mut ids).fill_with(|| basic.next_id(never));
            black_box(&ids);
        });
    });
    let atomic = AtomicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("ferroid/atomic/loop", |b| {
        b.iter(|| {
            clock.advance();
            let atomic = black_box(&atomic);
            black_box(&mut ids).fill_with(|| atomic.next_id(never));
            black_box(&ids);
        });
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = bulk
}
criterion_main!(benches);
