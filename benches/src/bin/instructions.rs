//! Runs each hot path inside of [`counted`], for callgrind to count its instructions, and prints
//! for each the number of operations. `cargo xtask bench --check` combines the two.
//!
//! Nothing here depends on time or chance: manual clocks and fixed seeds make two runs of one
//! program execute the same instructions.

use std::hint::black_box;
use std::sync::Arc;

use tickid_benches::START;
use tickid_benches::subject::{self, Subject};
use tickid_benches::texts::{self, COUNT};
use tickid_benches::timing::in_ticks;
use tickid_core::{Clock as _, ManualClock, Plain, Scheme, Variant};
use tickid_kuid::{Global, GlobalId, Kuid, Local, LocalId};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::{NodeAboveSequence, SequenceAboveNode, Snowflake, SnowflakeId};

/// The number of calls, which is large enough that work done once (a call, a reading of the timer)
/// is lost in the rounding.
const CALLS: u64 = 1 << 15;

fn main() {
    println!("processor {}", processor());
    clock();
    generators::<Scru64>();
    generators::<Nanoflake>();
    generators::<Kuid>();
    generators::<Sno>();
    generators::<Snowflake<NodeAboveSequence>>();
    generators::<Snowflake<SequenceAboveNode>>();
    fill::<Scru64, _>("scru64", <Scru64 as Scheme>::Variant::default(), Scru64Id::MIN);
    fill::<Nanoflake, _>("nanoflake", <Nanoflake as Scheme>::Variant::default(), NanoflakeId::MIN);
    fill::<Kuid, _>("kuid-local", Local, LocalId::MIN);
    fill::<Kuid, _>("kuid-global", Global, GlobalId::MIN);
    fill::<Sno, _>("sno", <Sno as Scheme>::Variant::default(), SnoId::ZERO);
    let any = SnowflakeId::MIN;
    fill::<Snowflake<NodeAboveSequence>, _>("snowflake", Plain, any);
    fill::<Snowflake<SequenceAboveNode>, _>("snowflake-sequence-above-node", Plain, any);
    text();
}

/// Returns the features of the processor that select code.
fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("ssse3", std::is_x86_feature_detected!("ssse3")),
        ("bmi2", std::is_x86_feature_detected!("bmi2")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&str, bool); 0] = [];
    let found = found.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name);
    [std::env::consts::ARCH].into_iter().chain(found).collect::<Vec<_>>().join(" ")
}

fn clock() {
    let clock = ManualClock::new(START);
    count("clock/manual", CALLS, || {
        for _ in 0..CALLS {
            let _ = black_box(black_box(&clock).now());
        }
    });
}

fn generators<S: Subject>() {
    let clock = ManualClock::new(START);
    let clock = &clock;
    let next_tick = || clock.advance(S::TICK);
    let batch = S::batch(1);

    let mut exclusive = subject::exclusive::<S>(clock);
    let mut one = || black_box(&mut exclusive).try_generate().expect(MANUAL);
    count(&format!("generate/{}/exclusive", S::LABEL), CALLS, || {
        in_ticks(CALLS, batch, &mut one, next_tick);
    });
    let shared = subject::shared::<S>(clock);
    let one = || black_box(&shared).try_generate().expect(MANUAL);
    count(&format!("generate/{}/shared", S::LABEL), CALLS, || {
        in_ticks(CALLS, batch, one, next_tick);
    });
    let mut handle = shared.handle();
    let mut one = || black_box(&mut handle).try_generate().expect(MANUAL);
    count(&format!("generate/{}/handle", S::LABEL), CALLS, || {
        in_ticks(CALLS, batch, &mut one, next_tick);
    });
    let clock = Arc::new(ManualClock::new(START));
    let leased = subject::leased::<S>(&clock);
    let one = || black_box(&leased).try_generate().expect(MANUAL);
    count(&format!("generate/{}/leased", S::LABEL), CALLS, || {
        in_ticks(CALLS, batch, one, || clock.advance(S::TICK));
    });
}

fn fill<S: Subject, F: Variant<S>>(name: &str, form: F, any: F::Id) {
    let clock = ManualClock::new(START);
    let clock = &clock;
    let mut ids = [any; COUNT];
    let repeats = CALLS / COUNT as u64;

    let mut exclusive = subject::exclusive::<S>(clock);
    count(&format!("fill/{name}/exclusive"), CALLS, || {
        for _ in 0..repeats {
            clock.advance(S::TICK);
            black_box(&mut exclusive).with(form).fill(black_box(&mut ids)).expect(MANUAL);
        }
    });
    let shared = subject::shared::<S>(clock);
    count(&format!("fill/{name}/shared"), CALLS, || {
        for _ in 0..repeats {
            clock.advance(S::TICK);
            black_box(&shared).with(form).fill(black_box(&mut ids)).expect(MANUAL);
        }
    });
}

const MANUAL: &str = "a clock that moves on before the tick's IDs are used up";

fn text() {
    let sno: [SnoId; COUNT] = texts::ids::<Sno>();
    let scru64: [Scru64Id; COUNT] = texts::ids::<Scru64>();
    let kuid: [GlobalId; COUNT] = texts::ids::<Kuid>();
    let locals = kuid.map(|id| id.to_local(tickid_kuid::Drift::DEFAULT));
    let nanoflake: [NanoflakeId; COUNT] = texts::ids::<Nanoflake>();
    let snowflake: [SnowflakeId; COUNT] = texts::ids::<Snowflake>();

    each("encode/scru64", &scru64, |id| id.encode());
    each("encode/nanoflake", &nanoflake, |id| id.encode());
    each("encode/nanoflake/padded", &nanoflake, |id| id.encode_padded());
    each("encode/kuid-local", &locals, |id| id.encode());
    each("encode/kuid-global", &kuid, |id| id.encode());
    each("encode/sno", &sno, |id| id.encode());
    each("encode/snowflake", &snowflake, |id| id.encode());
    each("encode/snowflake/crockford", &snowflake, |id| id.encode_crockford());

    let padded = nanoflake.map(|id| id.encode_padded());
    each("decode/scru64", &scru64.map(|id| id.encode()), |text| {
        Scru64Id::parse_bytes(text.as_ref())
    });
    each("decode/nanoflake", &nanoflake.map(|id| id.encode()), |text| {
        NanoflakeId::parse_bytes(text.as_ref())
    });
    each("decode/nanoflake/padded", &padded, |text| NanoflakeId::parse_bytes(text.as_ref()));
    each("decode/kuid-local", &locals.map(|id| id.encode()), |text| {
        LocalId::parse_bytes(text.as_ref())
    });
    each("decode/kuid-global", &kuid.map(|id| id.encode()), |text| {
        GlobalId::parse_bytes(text.as_ref())
    });
    each("decode/sno", &sno.map(|id| id.encode()), |text| SnoId::parse_bytes(text.as_ref()));
    each("decode/snowflake", &snowflake.map(|id| id.encode()), |text| {
        SnowflakeId::parse_bytes(text.as_ref())
    });
    each("decode/snowflake/crockford", &snowflake.map(|id| id.encode_crockford()), |text| {
        SnowflakeId::parse_crockford(text.as_ref())
    });
}

fn each<I, O>(name: &str, inputs: &[I; COUNT], one: impl Fn(&I) -> O) {
    count(name, COUNT as u64, || {
        for input in black_box(inputs) {
            black_box(one(input));
        }
    });
}

/// Counts `operations` operations, which `work` does together.
fn count(name: &str, operations: u64, mut work: impl FnMut()) {
    // This does the work of the first call: it warms up handles and detects the processor's
    // features.
    work();
    counted(&mut work);
    println!("{operations} {name}");
}

/// Runs the work for callgrind, which finds this function by its name, counts while it runs, and
/// writes the sum when it returns.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
    // Without this the call above is a jump, and callgrind takes this function as left.
    black_box(());
}
