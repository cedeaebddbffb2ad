//! Every entry of `tests/vectors/sno.json`, which records the behaviour of the original
//! implementation.

use core::time::Duration;

use crate::support::{MICROS_PER_TICK, at, within};
use tickid_sno::tickid_core::{BuildError, Error, ErrorKind, ManualClock, StallReason};
use tickid_sno::{
    AnyNode, Builder, GeneratorSnapshot, LocalGenerator, Meta, Partition, SequenceBounds, Sno,
    SnoId, UnixTime, WithTime,
};
use tickid_testkit::vectors::{Value, bytes, has_fields, list, load, number, string as text};

#[test]
fn whole_file_is_asserted() {
    let file = load("sno.json");
    let lists =
        ["ids", "with_time", "with_time_out_of_range", "traces", "snapshots", "snapshot_bounds"];
    has_fields(&file, &[lists.as_slice(), &["source"]].concat());
    assert_eq!(text(&file, "source"), "muyo/sno v1.2.1 (Go), run with go1.19.8 on linux/amd64");
}

#[test]
fn ids_are_as_recorded() {
    let file = load("sno.json");
    let ids = list(&file, "ids", 205).iter().map(|entry| {
        let fields = ["bytes", "text", "unix_ns", "units", "tick", "meta"];
        let more = ["partition", "sequence"];
        has_fields(entry, &[fields.as_slice(), &more].concat());
        let bytes = bytes(entry, "bytes");
        let id: SnoId = text(entry, "text").parse().unwrap();

        assert_eq!(id.to_bytes(), bytes);
        assert_eq!(id, SnoId::from_bytes(bytes));
        assert_eq!(id.encode(), text(entry, "text"));
        assert_eq!(id.to_string(), text(entry, "text"));
        assert_eq!(id.to_text_bytes(), text(entry, "text").as_bytes());
        assert_eq!(SnoId::from_text_bytes(id.to_text_bytes()), Ok(id));

        assert_eq!(id.timestamp(), number::<u64>(entry, "units"));
        assert_eq!(id.toggle(), number::<u8>(entry, "tick") == 1);
        assert_eq!(id.meta(), number::<u8>(entry, "meta"));
        assert_eq!(id.partition().get(), number::<u16>(entry, "partition"));
        assert_eq!(id.sequence(), number::<u16>(entry, "sequence"));
        let (toggle, meta) = (id.toggle(), id.meta());
        let parts = (id.partition(), id.sequence());
        let assembled = SnoId::from_parts(id.timestamp(), toggle, parts.0, parts.1);
        let assembled = assembled.map(|id| id.with_meta(meta));
        assert_eq!(assembled, Ok(id));

        let time = id.unix_time();
        assert_eq!(i128::from(time.as_micros()) * 1_000, nanos(entry));
        let (min, max) = (SnoId::min_at(time).unwrap(), SnoId::max_at(time).unwrap());
        assert!(min <= id && id <= max);
        assert_eq!((min.timestamp(), max.timestamp()), (id.timestamp(), id.timestamp()));
        id
    });
    // Bytes, texts and integers sort alike.
    let mut ids: Vec<SnoId> = ids.collect();
    ids.sort();
    assert!(ids.is_sorted_by_key(|id| id.to_bytes()));
    assert!(ids.is_sorted_by_key(|id| id.to_string()));
    assert!(ids.is_sorted_by_key(|&id| u128::from(id)));
}

#[test]
fn chosen_times_wrap_their_pool() {
    let file = load("sno.json");
    let mut generator = None;
    for entry in list(&file, "with_time", 50) {
        let fields = ["bytes", "text", "unix_ns", "generator", "call_index"];
        let more = ["meta", "partition", "seq_min", "seq_max"];
        has_fields(entry, &[fields.as_slice(), &more].concat());
        let key = number::<u64>(entry, "generator");
        let calls = match &mut generator {
            Some((known, calls, _)) if *known == key => calls,
            _ => &mut generator.insert((key, 0, with_time(entry))).1,
        };
        assert_eq!(*calls, number::<u64>(entry, "call_index"));
        *calls += 1;

        let (_, _, generator) = generator.as_ref().unwrap();
        let id = generator.new_with_time(time(entry), number(entry, "meta")).unwrap();
        assert_eq!(id.to_bytes(), bytes(entry, "bytes"), "{entry}");
        assert_eq!(id.encode(), text(entry, "text"));
        assert_eq!(id.partition().get(), number::<u16>(entry, "partition"));
    }
}

/// In the original, times outside of 2010 to 2079 wrap.
#[test]
fn out_of_range_is_an_error() {
    let file = load("sno.json");
    for entry in list(&file, "with_time_out_of_range", 7) {
        let fields = ["bytes", "text", "unix_ns", "call_index"];
        let more = ["meta", "partition", "seq_min", "seq_max"];
        has_fields(entry, &[fields.as_slice(), &more].concat());
        assert_eq!(number::<u64>(entry, "call_index"), 0);
        let wrapped: SnoId = text(entry, "text").parse().unwrap();
        assert_eq!(wrapped.to_bytes(), bytes(entry, "bytes"));
        assert_ne!(i128::from(wrapped.unix_time().as_micros()), nanos(entry) / 1_000);

        let meta = number(entry, "meta");
        let error = with_time(entry).new_with_time(time(entry), meta).unwrap_err();
        assert_eq!(error.value(), time(entry).as_micros().into());
        let (first, last) = (at(0).as_micros(), at(1 << 39).as_micros() - 1);
        assert_eq!((error.min(), error.max()), (first.into(), last.into()));
        assert!(SnoId::min_at(time(entry)).is_err());
        assert_eq!(SnoId::max_at(time(entry)), Err(error));
    }
}

/// Replays all steps of all traces with the exclusive generator and, where only IDs count, with the
/// shared one.
#[test]
fn traces_are_as_recorded() {
    let file = load("sno.json");
    let mut blocking = 0;
    for trace in list(&file, "traces", 30) {
        let name = has_trace_fields(trace);
        let start = snapshot(&trace["snapshot"]);
        let clock = ManualClock::new(at(0));
        let builder = || start.builder().unwrap().clock(&clock).max_wait(Duration::MAX);
        let mut local = builder().build_local().unwrap();
        let shared = builder().build().unwrap();
        let steps = trace["steps"].as_array().unwrap();
        for (index, step) in steps.iter().enumerate() {
            // Any time in the tick will do.
            let (wall, into) =
                (number(step, "wall_units"), i64::try_from(index).unwrap() * 997 % MICROS_PER_TICK);
            clock.set(within(wall, into));
            if step.get("blocks").is_some() {
                has_fields(step, &["wall_units", "meta", "blocks"]);
                assert_eq!((&step["blocks"], index), (&Value::Bool(true), steps.len() - 1));
                let (kind, until) = blocked(wall, &trace["final"]);
                let wait = (until - wall) * MICROS_PER_TICK - into;
                let wait = Duration::from_micros(wait.try_into().unwrap());
                let meta = Meta(number(step, "meta"));
                for error in [local.with(meta).try_generate(), shared.with(meta).try_generate()] {
                    let error = error.unwrap_err();
                    assert_eq!((error.kind(), error.retry_after()), (kind, Some(wait)), "{name}");
                }
                blocking += 1;
                continue;
            }
            has_fields(step, &["wall_units", "meta", "bytes"]);
            let expected = SnoId::from_bytes(bytes(step, "bytes"));
            assert_eq!(expected.meta(), number::<u8>(step, "meta"));
            let meta = Meta(expected.meta());
            let expected = if starts_at_zero(name, wall) { one_less(expected) } else { expected };
            assert_eq!(local.with(meta).try_generate(), Ok(expected), "{name}, step {index}");
            assert_eq!(shared.with(meta).try_generate(), Ok(expected), "{name}, step {index}");
        }
        let issued = GeneratorSnapshot { now: 0, ..taken(&local, start.bounds(), at(0)) };
        assert_eq!(issued, snapshot(&trace["final"]), "{name}");
        assert_eq!(taken(&local, start.bounds(), at(7)).now, 7);
    }
    assert_eq!(blocking, 7);
}

/// The original divides a partition by `SequenceMin` and `SequenceMax`. Of each recorded trace with
/// such bounds, a generator with the smallest share that has them issues the same IDs, and one with
/// the share beside it refuses the bounds.
#[test]
fn shares_issue_what_is_recorded_for_their_bounds() {
    let file = load("sno.json");
    let (mut traces, mut ids) = (0, 0);
    for trace in list(&file, "traces", 30) {
        let (name, start) = (text(trace, "name"), snapshot(&trace["snapshot"]));
        let bounds = start.bounds();
        let differing = (bounds.lowest() ^ bounds.last()).checked_ilog2().unwrap() + 1;
        if differing == u16::BITS {
            continue;
        }
        traces += 1;
        let share = u64::from(start.partition.get()) << u16::BITS | u64::from(bounds.lowest());
        let share = AnyNode::new(share >> differing, 2 * u16::BITS - differing).unwrap();
        let beside = AnyNode::new(share.value() ^ 1, share.bits()).unwrap();
        let clock = ManualClock::new(at(0));
        let builder = |node| {
            let builder = Builder::of_any(Sno, node).bounds(bounds).clock(&clock);
            builder.restore(start.issued().unwrap()).max_wait(Duration::MAX)
        };
        let error = builder(beside).build_local().unwrap_err();
        assert!(matches!(error, BuildError::Share { node, .. } if node == beside), "{error}");
        let mut generator = builder(share).build_local().unwrap();
        for step in trace["steps"].as_array().unwrap() {
            clock.set(at(number(step, "wall_units")));
            let meta = Meta(number(step, "meta"));
            if step.get("blocks").is_some() {
                assert!(generator.with(meta).try_generate().is_err(), "{name}");
                continue;
            }
            let expected = SnoId::from_bytes(bytes(step, "bytes"));
            assert_eq!(generator.with(meta).try_generate(), Ok(expected), "{name}");
            ids += 1;
        }
    }
    assert_eq!((traces, ids), (13, 338));
}

/// The original confuses the state of a new generator with the state of one that has issued an ID
/// at wall zero.
#[test]
fn new_generators_start_at_0() {
    let file = load("sno.json");
    let mut traces = list(&file, "traces", 30).iter();
    let is_it = |trace: &&Value| starts_at_zero(text(trace, "name"), 0);
    let trace = traces.find(is_it).unwrap();
    let theirs: Vec<u16> = trace["steps"].as_array().unwrap()[..2]
        .iter()
        .map(|step| SnoId::from_bytes(bytes(step, "bytes")).sequence())
        .collect();
    assert_eq!(theirs, [1, 2]);

    let clock = ManualClock::new(at(0));
    let builder = snapshot(&trace["snapshot"]).builder().unwrap();
    let mut generator = builder.clock(&clock).build_local().unwrap();
    let ours = [(); 2].map(|()| generator.try_generate().unwrap().sequence());
    assert_eq!(ours, [0, 1]);
}

/// Reports whether this is the step of the trace where we differ, as described above.
fn starts_at_zero(trace: &str, wall: i64) -> bool {
    trace == "fresh generator at wall zero counts up without a reset" && wall == 0
}

fn one_less(id: SnoId) -> SnoId {
    let (timestamp, sequence) = (id.timestamp(), id.sequence() - 1);
    let less = SnoId::from_parts(timestamp, id.toggle(), id.partition(), sequence).unwrap();
    less.with_meta(id.meta())
}

/// Returns the error that a call must return at `wall` if it cannot issue in the state `state`, and
/// the tick when it can.
fn blocked(wall: i64, state: &Value) -> (ErrorKind, i64) {
    let (hi, safe) = (number::<i64>(state, "wallHi"), number::<i64>(state, "wallSafe"));
    if wall == hi {
        (ErrorKind::Stalled(StallReason::TickUsedUp), wall + 1)
    } else {
        assert!(wall < hi && wall <= safe);
        (ErrorKind::Stalled(StallReason::ClockBehind), hi.min(safe + 1))
    }
}

fn has_trace_fields(trace: &Value) -> &str {
    has_fields(trace, &["name", "snapshot", "steps", "final"]);
    let fields = ["partition", "sequenceMin", "sequenceMax", "sequence"];
    let more = ["wallHi", "wallSafe", "drifts"];
    for state in ["snapshot", "final"] {
        has_fields(&trace[state], &[fields.as_slice(), &more].concat());
    }
    text(trace, "name")
}

/// Returns the snapshot of a state in a trace, which has no time.
fn snapshot(state: &Value) -> GeneratorSnapshot {
    GeneratorSnapshot {
        partition: Partition::new(number(state, "partition")),
        sequence_min: number(state, "sequenceMin"),
        sequence_max: number(state, "sequenceMax"),
        sequence: number(state, "sequence"),
        now: 0,
        wall_hi: number(state, "wallHi"),
        wall_safe: number(state, "wallSafe"),
        drifts: number(state, "drifts"),
    }
}

/// Takes the snapshot of a generator that is not closed.
fn taken<C: tickid_sno::tickid_core::Clock>(
    generator: &LocalGenerator<C>,
    bounds: SequenceBounds,
    now: UnixTime,
) -> GeneratorSnapshot {
    let issued = generator.state().snapshot;
    GeneratorSnapshot::new(generator.node(), bounds, &issued, now).unwrap()
}

#[cfg(feature = "serde")]
#[test]
fn snapshot_json_round_trips() {
    let file = load("sno.json");
    for entry in list(&file, "snapshots", 9) {
        has_fields(entry, &["name", "json"]);
        let json = text(entry, "json");
        let read: GeneratorSnapshot = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);

        let value: Value = serde_json::from_str(json).unwrap();
        let [high, low] = read.partition.to_bytes();
        assert_eq!(value["partition"], serde_json::json!([high, low]));
        assert_eq!(number::<u16>(&value, "sequenceMin"), read.sequence_min);
        assert_eq!(number::<u16>(&value, "sequenceMax"), read.sequence_max);
        assert_eq!(number::<u32>(&value, "sequence"), read.sequence);
        assert_eq!(number::<i64>(&value, "now"), read.now);
        assert_eq!(number::<i64>(&value, "wallHi"), read.wall_hi);
        assert_eq!(number::<i64>(&value, "wallSafe"), read.wall_safe);
        assert_eq!(number::<u32>(&value, "drifts"), read.drifts);
    }
}

/// Compares the recorded snapshots of a running generator with ours in the same situation.
#[cfg(feature = "serde")]
#[test]
fn running_snapshots_agree() {
    // Each name is followed by the ticks and the numbers of IDs to request in them.
    let situations: [(&str, &[(i64, u32)]); 5] = [
        ("taken from a running generator in the same tick", &[(122_869_585_786, 2)]),
        (
            "taken from a running generator in a later tick (sequence reported as sequenceMin)",
            &[(122_536_693_884, 1)],
        ),
        ("taken after one regression", &[(124_988_432_306, 1), (124_988_432_299, 2)]),
        (
            "taken while the wall clock is behind wallHi",
            &[(121_094_814_777, 1), (121_094_814_770, 1)],
        ),
        ("taken from a new generator before its first ID", &[]),
    ];
    let file = load("sno.json");
    let entries: Vec<&Value> = list(&file, "snapshots", 9)
        .iter()
        .filter(|entry| text(entry, "name").starts_with("taken"))
        .collect();
    assert_eq!(entries.len(), situations.len());
    for (entry, (name, calls)) in entries.into_iter().zip(situations) {
        assert_eq!(text(entry, "name"), name);
        let json = text(entry, "json");
        let recorded: GeneratorSnapshot = serde_json::from_str(json).unwrap();
        let configuration = GeneratorSnapshot {
            partition: recorded.partition,
            sequence_min: recorded.sequence_min,
            sequence_max: recorded.sequence_max,
            ..GeneratorSnapshot::default()
        };
        let clock = ManualClock::new(at(0));
        let builder = configuration.builder().unwrap().clock(&clock);
        let mut generator = builder.build_local().unwrap();
        for &(wall, ids) in calls {
            clock.set(at(wall));
            for _ in 0..ids {
                generator.try_generate().unwrap();
            }
        }
        let taken = taken(&generator, configuration.bounds(), at(recorded.now));
        assert_eq!(serde_json::to_string(&taken).unwrap(), json, "{name}");
    }
}

#[test]
fn snapshot_bounds_are_as_recorded() {
    let file = load("sno.json");
    let (mut accepted, mut rejected) = (0, 0);
    for entry in list(&file, "snapshot_bounds", 70) {
        let given = bounds_entry(entry);
        let bounds = given.bounds();
        if entry["ok"] == true {
            assert_eq!(bounds.lowest(), number::<u32>(entry, "effectiveMin"));
            assert_eq!(bounds.last(), number::<u32>(entry, "effectiveMax"));
            assert_eq!(bounds.pool(), number::<u64>(entry, "cap"));
            // The next ID shows how the sequence is interpreted.
            let effective = number::<u32>(entry, "effectiveSequence");
            let next = next_sequence(&given);
            if effective < bounds.last() {
                assert_eq!(next.map(u32::from), Ok(effective + 1), "{entry}");
            } else {
                assert_eq!(
                    next.map_err(|error| error.kind()),
                    Err(ErrorKind::Stalled(StallReason::TickUsedUp))
                );
            }
            accepted += 1;
        } else if !is_pool_of_4_or_5(entry) {
            let error = rejection(&given);
            match text(entry, "reason") {
                IDENTICAL => assert_eq!(error, too_few(bounds, 1)),
                TOO_FEW => assert_eq!(error, too_few(bounds, bounds.pool())),
                UNDERFLOW => {
                    let BuildError::Restore(error) = error else {
                        panic!("{entry}: {error}");
                    };
                    assert_eq!(error.value(), given.sequence.into());
                    assert_eq!(error.min(), bounds.lowest().into());
                }
                reason => panic!("unknown: {reason}"),
            }
            rejected += 1;
        }
    }
    // The other 13 have pools of 4 or 5.
    assert_eq!((accepted, rejected), (29, 28));
}

/// The original documents pools of 4.
#[test]
fn small_pools_are_accepted() {
    let file = load("sno.json");
    let mut usable = 0;
    let all = list(&file, "snapshot_bounds", 70).iter();
    let entries: Vec<&Value> = all.filter(|entry| is_pool_of_4_or_5(entry)).collect();
    for entry in &entries {
        assert_eq!(text(entry, "reason"), TOO_FEW);
        let given = bounds_entry(entry);
        let bounds = given.bounds();
        if given.sequence != 0 && given.sequence < bounds.lowest() {
            assert!(matches!(rejection(&given), BuildError::Restore(_)), "{entry}");
            continue;
        }
        let clock = ManualClock::new(at(5));
        let builder = given.builder().unwrap().clock(&clock);
        let mut generator = builder.build_local().unwrap();
        // In the next tick it has all of its sequences.
        for sequence in bounds.lowest()..=bounds.last() {
            let id = generator.try_generate().unwrap();
            assert_eq!(u32::from(id.sequence()), sequence);
        }
        let error = generator.try_generate().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Stalled(StallReason::TickUsedUp));
        usable += 1;
    }
    assert_eq!((entries.len(), usable), (13, 12));
}

const IDENTICAL: &str =
    "sno: sequence bounds are identical - need a sequence pool with a capacity of at least 4";
const TOO_FEW: &str = "sno: generators require a sequence pool with a capacity of at least 4";
const UNDERFLOW: &str = "sno: current sequence underflows the given lower bound";

fn is_pool_of_4_or_5(entry: &Value) -> bool {
    (4..=5).contains(&bounds_entry(entry).bounds().pool())
}

/// Returns the state in an entry of `snapshot_bounds`, at tick 4.
fn bounds_entry(entry: &Value) -> GeneratorSnapshot {
    let given = ["ok", "sequenceMin", "sequenceMax", "sequence"];
    let result: &[&str] = if entry["ok"] == true {
        &["cap", "effectiveMin", "effectiveMax", "effectiveSequence"]
    } else {
        assert_eq!(entry["ok"], false);
        &["reason"]
    };
    has_fields(entry, &[given.as_slice(), result].concat());
    GeneratorSnapshot {
        sequence_min: number(entry, "sequenceMin"),
        sequence_max: number(entry, "sequenceMax"),
        sequence: number(entry, "sequence"),
        wall_hi: 4,
        ..GeneratorSnapshot::default()
    }
}

/// Returns the sequence of the next ID in the tick of the snapshot.
fn next_sequence(snapshot: &GeneratorSnapshot) -> Result<u16, Error> {
    let clock = ManualClock::new(at(snapshot.wall_hi));
    let builder = snapshot.builder().unwrap().clock(&clock);
    let mut generator = builder.build_local().unwrap();
    generator.try_generate().map(SnoId::sequence)
}

fn rejection(snapshot: &GeneratorSnapshot) -> BuildError {
    let clock = ManualClock::new(at(snapshot.wall_hi));
    let generator = snapshot
        .builder()
        .and_then(|builder: Builder| builder.clock(&clock).build_local().map(drop));
    let Err(error) = generator else {
        panic!("accepted: {snapshot:?}");
    };
    error
}

fn too_few(bounds: SequenceBounds, pool: u64) -> BuildError {
    BuildError::Pool { lowest: bounds.lowest(), last: bounds.last(), pool, min: 4 }
}

fn with_time(entry: &Value) -> WithTime {
    let bounds = SequenceBounds::new(number(entry, "seq_min"), number(entry, "seq_max"));
    let partition = Partition::new(number(entry, "partition"));
    WithTime::new(partition).bounds(bounds).unwrap()
}

fn nanos(entry: &Value) -> i128 {
    text(entry, "unix_ns").parse().unwrap()
}

/// Returns the time passed in, in whole microseconds.
fn time(entry: &Value) -> UnixTime {
    UnixTime::from_micros(nanos(entry).div_euclid(1_000).try_into().unwrap())
}
