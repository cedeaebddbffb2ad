//! `convert`: IDs between schemes, into and out of UUIDs, and from text of an unknown scheme. Times
//! are per ID.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use tickid_benches::texts::{COUNT, ids};
use tickid_benches::{START, criterion};
use tickid_convert::{Nodes, Options, SchemeId, Settings, ToParts, carry, convert_all, restore};
use tickid_detect::detect;
use tickid_kuid::{GlobalId, Kuid};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::{AnySnowflake, Snowflake};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

const OPTIONS: Options<'_> =
    Options { source: SETTINGS, target: SETTINGS, nodes: Nodes::LowBits, metabyte: 0 };
const SETTINGS: Settings = Settings {
    epoch: tickid_nanoflake::Epoch::TWITTER,
    node_size: match tickid_scru64::NodeIdSize::new(8) {
        Ok(size) => Some(size),
        Err(_) => panic!("a size"),
    },
    drift: tickid_kuid::Drift::DEFAULT,
    snowflake: AnySnowflake::NodeAboveSequence(Snowflake::TWITTER),
};

fn convert(c: &mut Criterion) {
    let scru64: [Scru64Id; COUNT] = ids::<Scru64>();
    let nanoflake: [NanoflakeId; COUNT] = ids::<Nanoflake>();
    let kuid: [GlobalId; COUNT] = ids::<Kuid>();
    let sno: [SnoId; COUNT] = ids::<Sno>();

    let mut group = c.benchmark_group("convert");
    group.throughput(Throughput::Elements(COUNT as u64));
    slice(&mut group, "scru64-to-sno", &scru64, SnoId::MIN);
    slice(&mut group, "nanoflake-to-sno", &nanoflake, SnoId::MIN);
    slice(&mut group, "nanoflake-to-kuid", &nanoflake, GlobalId::MIN);
    slice(&mut group, "kuid-to-scru64", &kuid, Scru64Id::MIN);
    slice(&mut group, "kuid-to-nanoflake", &kuid, NanoflakeId::MIN);
    slice(&mut group, "sno-to-kuid", &sno, GlobalId::MIN);

    let options = black_box(OPTIONS);
    group.bench_function("nanoflake-to-sno/iterator", |b| {
        b.iter(|| {
            let converted = convert_all::<SnoId, _>(*black_box(&nanoflake), &options);
            converted.for_each(|one| {
                black_box(one).expect("in range");
            });
        });
    });
    let converted: [SnoId; COUNT] = filled(&nanoflake, SnoId::MIN);
    each(&mut group, "sno-to-nanoflake/restore", &converted, |id| {
        restore::<NanoflakeId, _>(*id, &options).expect("converted before")
    });

    each(&mut group, "kuid-to-uuid", &kuid, |id| carry::to_uuid(*id));
    let uuids = kuid.map(carry::to_uuid);
    each(&mut group, "uuid-to-kuid", &uuids, |uuid| {
        carry::from_uuid(*uuid, &SETTINGS).expect("carries one")
    });

    let texts = sno.map(SnoId::encode);
    each(&mut group, "detect/sno", &texts, |text| detect(text.as_bytes(), &SETTINGS, Some(START)));
    group.finish();
}

fn filled<S: ToParts, T: SchemeId>(ids: &[S; COUNT], blank: T) -> [T; COUNT] {
    let mut converted = [blank; COUNT];
    fill(ids, &mut converted, &OPTIONS);
    converted
}

fn fill<S: ToParts, T: SchemeId>(ids: &[S; COUNT], converted: &mut [T], options: &Options<'_>) {
    for (room, one) in converted.iter_mut().zip(convert_all(ids.iter().copied(), options)) {
        *room = one.expect("in range").id;
    }
}

fn slice<S: ToParts, T: SchemeId>(group: &mut Group<'_>, name: &str, ids: &[S; COUNT], blank: T) {
    let mut converted = [blank; COUNT];
    // Hides the values from the compiler.
    let options = black_box(OPTIONS);
    group.bench_function(name, |b| {
        b.iter(|| {
            fill(black_box(ids), &mut converted, &options);
            black_box(&converted);
        });
    });
}

fn each<I, O>(group: &mut Group<'_>, name: &str, inputs: &[I; COUNT], one: impl Fn(&I) -> O) {
    group.bench_function(name, |b| {
        b.iter(|| {
            for input in black_box(inputs) {
                black_box(one(input));
            }
        });
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = convert
}
criterion_main!(benches);
