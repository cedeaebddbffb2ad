//! IDs to text and back, one at a time, for 1,024 IDs in turn: the branches of a parser that always
//! sees the same ID would be foretold too well.

use std::array;
use std::fmt::Debug;
use std::hint::black_box;
use std::str::FromStr;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tickid_core::{Builder, Form, ManualClock, Scheme, UnixTime};
use tickid_kuid::{GlobalId, Kuid, Node};
use tickid_nanoflake::{GeneratorId, Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Partition, Sno, SnoId};

const COUNT: usize = 1024;
/// 2026-01-01T00:00:00Z.
const START: UnixTime = UnixTime::from_micros(1_767_225_600_000_000);

fn text(c: &mut Criterion) {
    let scru64 = ids::<Scru64>("1/8".parse().expect("a node spec"));
    both_ways(c, Scru64::NAME, scru64, Scru64Id::encode);
    let nanoflake = ids::<Nanoflake>(GeneratorId::new(1).expect("below 1,024"));
    both_ways(c, Nanoflake::NAME, nanoflake, NanoflakeId::encode);
    let kuid = ids::<Kuid>(Node::from_u32(1));
    both_ways(c, Kuid::NAME, kuid, GlobalId::encode);
    let sno = ids::<Sno>(Partition::new(1));
    both_ways(c, Sno::NAME, sno, SnoId::encode);
}

/// IDs a second and a bit apart, so that they differ in most places.
fn ids<S: Scheme + Default>(node: S::Node) -> [<S::Form as Form<S>>::Id; COUNT] {
    let clock = ManualClock::new(START);
    let generator = Builder::<S>::seeded(node, 42).clock(&clock).build();
    let generator = generator.expect("valid options");
    array::from_fn(|_| {
        clock.advance(Duration::from_micros(1_234_567));
        generator.try_generate().expect("a clock that moves on")
    })
}

fn both_ways<I, T>(c: &mut Criterion, name: &str, ids: [I; COUNT], encode: impl Fn(I) -> T)
where
    I: Copy + FromStr<Err: Debug> + ToString,
{
    let mut group = c.benchmark_group("encode");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |b| {
        let mut ids = ids.iter().cycle();
        b.iter(|| ids.next().map(|id| encode(black_box(*id))));
    });
    group.finish();

    let texts = ids.map(|id| id.to_string());
    let mut group = c.benchmark_group("decode");
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |b| {
        let mut texts = texts.iter().cycle();
        b.iter(|| texts.next().map(|text| black_box(&**text).parse::<I>()));
    });
    group.finish();
}

criterion_group!(benches, text);
criterion_main!(benches);
