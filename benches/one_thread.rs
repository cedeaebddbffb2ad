//! `generate/one-thread`: one ID at a time, without other threads.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ferroid::generator::{
    AtomicSnowflakeGenerator, BasicSnowflakeGenerator, LockSnowflakeGenerator,
};
use ferroid::time::MonotonicClock;
use tickid_benches::peers::{
    self, ManualMillis, StandingStill, TimelessSnowflake, TwitterSnowflake, WideSnowflake,
};
use tickid_benches::subject::{self, Subject, builder};
use tickid_benches::timing::{in_ticks, paced};
use tickid_benches::{Alone, START, criterion};
use tickid_core::{ManualClock, SystemClock};
use tickid_kuid::Kuid;
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;
use tickid_snowflake::{NodeAboveSequence, SequenceAboveNode, Snowflake};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// The batch size of tickid's generators.
const BATCH: u64 = 2_048;

fn one_thread(c: &mut Criterion) {
    let mut group = c.benchmark_group("generate/one-thread");
    group.throughput(Throughput::Elements(1));

    // The processor's cost of an atomic addition, which is the minimum that a shared generator can
    // do.
    let word = Alone(AtomicU64::new(0));
    group.bench_function("fetch-add", |b| {
        let word = black_box(&word);
        b.iter(|| word.0.fetch_add(1, Ordering::Relaxed));
    });

    least(&mut group);
    ours::<Scru64>(&mut group);
    ours::<Nanoflake>(&mut group);
    ours::<Kuid>(&mut group);
    ours::<Sno>(&mut group);
    ours::<Snowflake<NodeAboveSequence>>(&mut group);
    ours::<Snowflake<SequenceAboveNode>>(&mut group);
    by_the_systems_clock(&mut group);

    ferroid_manual(&mut group);
    ferroid_ticker(&mut group);
    scru64_official(&mut group);
    others(&mut group);
    group.finish();
}

/// Measures the minimum that a generator for one thread does, with its state in memory, as it is
/// between calls from different places. It reads the clock, compares the reading with the ends of
/// its tick, and counts up to the end of its block. No generator, including ours, does less for an
/// ID, and most also add a node or a second word.
fn least(group: &mut Group<'_>) {
    /// Relaxed accesses cost as much as plain ones, but are not kept in registers between calls.
    #[derive(Default)]
    struct State {
        start: AtomicU64,
        micros: AtomicU64,
        next: AtomicU64,
        end: AtomicU64,
    }
    const TICK: u64 = 1_000;

    let clock = Alone(AtomicU64::new(0));
    let clock = &clock.0;
    let state = Alone(State::default());
    let get = |word: &AtomicU64| word.load(Ordering::Relaxed);
    let set = |word: &AtomicU64, value| word.store(value, Ordering::Relaxed);
    group.bench_function("manual/least", |b| {
        let state = black_box(&state.0);
        let renew = || {
            set(&state.start, get(clock));
            set(&state.micros, TICK);
            set(&state.next, get(clock) << 22);
            set(&state.end, (get(clock) << 22) + BATCH);
        };
        let one = || {
            let is_in_tick = get(clock).wrapping_sub(get(&state.start)) < get(&state.micros);
            let next = get(&state.next);
            assert!(is_in_tick && next != get(&state.end), "{MANUAL}");
            set(&state.next, next + 1);
            next
        };
        let next_tick = || {
            set(clock, get(clock) + TICK);
            renew();
        };
        renew();
        b.iter_custom(|calls| {
            next_tick();
            in_ticks(calls, BATCH, one, next_tick)
        });
    });
}

/// Measures tickid's generators, shared and exclusive. Each is one pointer away, like the peers.
fn ours<S: Subject>(group: &mut Group<'_>) {
    let name = S::LABEL;
    let clock = Alone(ManualClock::new(START));
    let clock = &clock.0;
    let next_tick = || clock.advance(S::TICK);
    let batch = S::batch(1);

    let mut exclusive = subject::exclusive::<S>(clock);
    group.bench_function(format!("manual/{name}/exclusive"), |b| {
        b.iter_custom(|calls| {
            let exclusive = black_box(&mut exclusive);
            in_ticks(calls, batch, || exclusive.try_generate().expect(MANUAL), next_tick)
        });
    });
    let shared = subject::shared::<S>(clock);
    group.bench_function(format!("manual/{name}/shared"), |b| {
        let shared = black_box(&shared);
        let one = || shared.try_generate().expect(MANUAL);
        b.iter_custom(|calls| in_ticks(calls, batch, one, next_tick));
    });
    let mut handle = shared.handle();
    group.bench_function(format!("manual/{name}/handle"), |b| {
        b.iter_custom(|calls| {
            let handle = black_box(&mut handle);
            in_ticks(calls, batch, || handle.try_generate().expect(MANUAL), next_tick)
        });
    });

    // This is `generate`, not `try_generate`, because a thread that was suspended in the middle of
    // a burst may be too fast for the tick when it resumes.
    let mut exclusive = builder::<S>().build_local().expect("valid options");
    group.bench_function(format!("wall/{name}/exclusive/below-cap"), |b| {
        b.iter_custom(|calls| {
            let exclusive = &mut exclusive;
            let one = move || black_box(&mut *exclusive).generate().expect(WALL);
            paced(calls, S::PACE, one)
        });
    });
    let shared = builder::<S>().build().expect("valid options");
    group.bench_function(format!("wall/{name}/shared/below-cap"), |b| {
        let one = || black_box(&shared).generate().expect(WALL);
        b.iter_custom(|calls| paced(calls, S::PACE, one));
    });
    let mut handle = shared.handle();
    group.bench_function(format!("wall/{name}/handle/below-cap"), |b| {
        b.iter_custom(|calls| {
            let handle = &mut handle;
            let one = move || black_box(&mut *handle).generate().expect(WALL);
            paced(calls, S::PACE, one)
        });
    });
}

/// Measures Nanoflake by the system's clock, which is the default where there is no counter clock.
fn by_the_systems_clock(group: &mut Group<'_>) {
    let shared = builder::<Nanoflake>().clock(SystemClock).build().expect("valid options");
    group.bench_function("system/nanoflake/shared/below-cap", |b| {
        let one = || black_box(&shared).generate().expect(WALL);
        b.iter_custom(|calls| paced(calls, Nanoflake::PACE, one));
    });
}

const MANUAL: &str = "a clock that moves on before the tick's IDs are used up";
const WALL: &str = "a clock";

/// Measures ferroid on the same kind of clock as ours: one load, a millisecond more after each
/// batch.
fn ferroid_manual(group: &mut Group<'_>) {
    let clock = Alone(ManualMillis::default());
    let clock = &clock.0;
    let next_tick = || clock.advance();

    let basic = BasicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("manual/ferroid/basic", |b| {
        let basic = black_box(&basic);
        let one = || basic.next_id(never);
        b.iter_custom(|calls| in_ticks(calls, BATCH, one, next_tick));
    });
    let atomic = AtomicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("manual/ferroid/atomic", |b| {
        let atomic = black_box(&atomic);
        let one = || atomic.next_id(never);
        b.iter_custom(|calls| in_ticks(calls, BATCH, one, next_tick));
    });
    let lock = LockSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("manual/ferroid/lock", |b| {
        let lock = black_box(&lock);
        let one = || lock.try_next_id(never).expect("a lock that is not poisoned");
        b.iter_custom(|calls| in_ticks(calls, BATCH, one, next_tick));
    });

    // The same widths as our Snowflakes.
    let basic = BasicSnowflakeGenerator::<TwitterSnowflake, _>::new(1, clock);
    group.bench_function("manual/ferroid/basic/twitter", |b| {
        let basic = black_box(&basic);
        let one = || basic.next_id(never);
        b.iter_custom(|calls| in_ticks(calls, BATCH, one, next_tick));
    });
    let atomic = AtomicSnowflakeGenerator::<TwitterSnowflake, _>::new(1, clock);
    group.bench_function("manual/ferroid/atomic/twitter", |b| {
        let atomic = black_box(&atomic);
        let one = || atomic.next_id(never);
        b.iter_custom(|calls| in_ticks(calls, BATCH, one, next_tick));
    });

    // Like ferroid's own benchmark, this does less than a generator, because it has no time at all.
    let basic = BasicSnowflakeGenerator::<TimelessSnowflake, _>::new(0, StandingStill);
    group.bench_function("manual/ferroid/basic/no-time", |b| {
        let basic = black_box(&basic);
        b.iter(|| basic.next_id(never));
    });
    let atomic = AtomicSnowflakeGenerator::<TimelessSnowflake, _>::new(0, StandingStill);
    group.bench_function("manual/ferroid/atomic/no-time", |b| {
        let atomic = black_box(&atomic);
        b.iter(|| atomic.next_id(never));
    });
}

/// Measures ferroid with its own clock: a thread that counts milliseconds from the start of the
/// process and ignores changes of the wall clock. (Ours follow the wall clock.)
fn ferroid_ticker(group: &mut Group<'_>) {
    let clock = MonotonicClock::<1>::default();
    let basic = BasicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock.clone());
    group.bench_function("ticker/ferroid/basic", |b| {
        let basic = black_box(&basic);
        b.iter(|| basic.next_id(wait));
    });
    let atomic = AtomicSnowflakeGenerator::<WideSnowflake, _>::new(0, clock.clone());
    group.bench_function("ticker/ferroid/atomic", |b| {
        let atomic = black_box(&atomic);
        b.iter(|| atomic.next_id(wait));
    });
    let lock = LockSnowflakeGenerator::<WideSnowflake, _>::new(0, clock);
    group.bench_function("ticker/ferroid/lock", |b| {
        let lock = black_box(&lock);
        b.iter(|| lock.try_next_id(wait).expect("a lock that is not poisoned"));
    });
}

/// The callback of ferroid when it is out of IDs.
fn never(_: u64) {
    unreachable!("more IDs in a millisecond than a batch has")
}

/// The same callback for a clock whose thread may be late.
fn wait(_: u64) {
    std::hint::spin_loop();
}

/// Measures the official generator in bursts, like ours, with the same single bit of node.
/// Otherwise it would soon be ten seconds ahead of the clock and return nothing.
fn scru64_official(group: &mut Group<'_>) {
    let clock = Alone(ManualMillis::default());
    let clock = &clock.0;
    let mut own = peers::scru64_own();
    group.bench_function("manual/scru64-official/own", |b| {
        b.iter_custom(|calls| {
            let own = black_box(&mut own);
            let mut one = || own.generate_or_abort_core(clock.get(), 10_000);
            in_ticks(calls, BATCH, || one().expect(MANUAL), || clock.advance_by(256))
        });
    });

    let mut own = peers::scru64_own();
    group.bench_function("wall/scru64-official/own/below-cap", |b| {
        b.iter_custom(|calls| {
            let own = &mut own;
            let one = move || black_box(&mut *own).generate().expect(WALL);
            paced(calls, Scru64::PACE, one)
        });
    });
    let global = peers::scru64_global();
    group.bench_function("wall/scru64-official/global/below-cap", |b| {
        let one = || black_box(&global).generate().expect(WALL);
        b.iter_custom(|calls| paced(calls, Scru64::PACE, one));
    });
}

fn others(group: &mut Group<'_>) {
    // Its 4,096 IDs per millisecond are the same as Nanoflake's, and so is its pace.
    let mut exclusive = snowflaked::Generator::new(1);
    group.bench_function("wall/snowflaked/exclusive/below-cap", |b| {
        b.iter_custom(|calls| {
            let exclusive = &mut exclusive;
            let one = move || black_box(&mut *exclusive).generate::<u64>();
            paced(calls, Nanoflake::PACE, one)
        });
    });
    let shared = snowflaked::sync::Generator::new(1);
    group.bench_function("wall/snowflaked/shared/below-cap", |b| {
        let one = || black_box(&shared).generate::<u64>();
        b.iter_custom(|calls| paced(calls, Nanoflake::PACE, one));
    });

    // Neither has a relevant cap.
    let mut ulid = ulid::Generator::new();
    group.bench_function("wall/ulid/exclusive", |b| {
        b.iter(|| black_box(&mut ulid).generate().expect("80 bits of room"));
    });
    group.bench_function("wall/uuid-v7", |b| b.iter(uuid::Uuid::now_v7));
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = one_thread
}
criterion_main!(benches);
