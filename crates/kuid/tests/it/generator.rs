//! The behaviour specific to kuid generators: ticks within seconds, one sequence for both kinds of
//! IDs, no wrapping.

use core::num::NonZeroU32;
use core::time::Duration;

use tickid_kuid::tickid_core::{
    BuildError, ClockError, ErrorKind, ManualClock, Scheme, SequenceBounds, SequenceStart,
    Snapshot, Tick, Ticks,
};
use tickid_kuid::{Builder, Drift, GlobalId, Kuid, Local, LocalId, Node, Policy, UnixTime, Window};

const NODE: Node = Node::phash2("uid@127.0.0.1");
const TICKS_PER_SECOND: u64 = 977;

#[test]
fn shared_calls_draw_at_most_495() {
    let clock = clock_at(1_700_000_000_000_000);
    let generator = Builder::new(NODE).clock(&clock).build().unwrap();
    assert_eq!(generator.try_block(NonZeroU32::MAX).unwrap().len(), 495);
}

#[test]
fn overflow_takes_next_valid_time() {
    let after = |clock: i64| {
        let clock = clock_at(clock);
        let mut generator = builder().clock(&clock).build_local().unwrap();
        let mut ids = [LocalId::MIN; 16_385];
        assert_eq!(generator.with(Local).try_fill(&mut ids).unwrap().len(), 16_385);
        let [first, .., last, next] = ids;
        assert_eq!(parts(first).3, 0);
        assert_eq!(last, with_sequence(first, 16_383));
        (parts(first), parts(next))
    };
    // These are within a second, at its end, and at the end of a million seconds.
    let (first, next) = after(1_539_625_275_432_128);
    assert_eq!(first, (1539, 625_275, 432_128, 0));
    assert_eq!(next, (1539, 625_275, 433_152, 0));
    let (first, next) = after(1_539_625_275_999_424);
    assert_eq!(first, (1539, 625_275, 999_424, 0));
    assert_eq!(next, (1539, 625_276, 0, 0));
    let (first, next) = after(1_539_999_999_999_999);
    assert_eq!(first, (1539, 999_999, 999_424, 0));
    assert_eq!(next, (1540, 0, 0, 0));
}

#[test]
fn each_overflow_is_one_valid_tick_on() {
    // One sequence for each tick, so that every ID but the first is an overflow.
    let clock = clock_at(1_539_999_998_500_000);
    let only_last = SequenceBounds::new(16_383, 16_383);
    let builder = builder().clock(&clock).bounds(only_last);
    let mut generator = builder.build_local().unwrap();
    let mut last = generator.with(Local).generate().unwrap();
    for _ in 0..3_000 {
        let next = generator.with(Local).generate().unwrap();
        assert_eq!(tick(next), tick(last) + 1);
        assert!(next.seconds() <= 999_999 && next.micro_seconds() <= 999_424);
        assert!(next > last);
        last = next;
    }
    assert_eq!(last.mega_seconds(), 1540);
}

/// The library's 14-bit sequence starts over inside a tick. Ours never does, however many IDs
/// are requested, but stops at the end of the allowance.
#[test]
fn sequence_never_wraps() {
    let clock = clock_at(1_539_999_999_500_000);
    let mut generator = builder().clock(&clock).build_local().unwrap();
    let first = generator.with(Local).try_generate().unwrap();
    let (mut last, mut count) = (first, 1);
    let mut ids = vec![LocalId::MIN; 100_000];
    let error = loop {
        match generator.with(Local).try_fill(&mut ids) {
            Ok(ids) => {
                for &id in &*ids {
                    assert!(id > last);
                    last = id;
                }
                count += ids.len();
            }
            Err(error) => break error,
        }
    };
    // The clock's own tick, the 977 of the allowance, and the one that an overflow adds.
    assert_eq!(count, 16_384 * 979);
    assert_eq!(tick(last), tick(first) + 978);
    assert_eq!(last.sequence(), 16_383);
    assert_eq!(error.kind(), ErrorKind::Rollback);
    // It continues when the last tick is within the allowance again.
    clock.advance(error.retry_after().unwrap() - Duration::from_micros(1));
    assert!(generator.with(Local).try_generate().is_err());
    clock.advance(Duration::from_micros(1));
    assert_eq!(tick(generator.with(Local).try_generate().unwrap()), tick(last) + 1);
}

#[test]
fn backward_steps_repeat_nothing() {
    let clock = clock_at(1_539_625_275_432_128);
    let mut generator = builder().clock(&clock).build_local().unwrap();
    let mut last = generator.try_generate().unwrap();
    for micros in [-500_000, -999_999, 1, -1_000_000, 900_000, -1] {
        clock.set(UnixTime::from_micros(1_539_625_275_432_128 + micros));
        let next = generator.try_generate().unwrap();
        assert!(next > last, "{micros}");
        last = next;
    }
}

#[test]
fn one_second_behind_goes_on() {
    let clock = clock_at(1_539_625_275_432_128);
    let mut generator = builder().clock(&clock).build_local().unwrap();
    let first = generator.with(Local).try_generate().unwrap();
    clock.set(UnixTime::from_micros(1_539_625_274_432_128));
    let second = generator.with(Local).try_generate().unwrap();
    assert_eq!(second, with_sequence(first, 1));
    // A tick more, and 100 seconds more.
    for micros in [1_539_625_274_432_127, 1_539_625_174_432_128] {
        clock.set(UnixTime::from_micros(micros));
        let error = generator.with(Local).try_generate().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Rollback);
        let rest = 1_539_625_274_432_128 - micros;
        let rest = Duration::from_micros(u64::try_from(rest).unwrap());
        assert_eq!(error.retry_after(), Some(rest));
    }
}

#[test]
fn waits_no_longer_than_the_stall() {
    let policies = [
        (Kuid::default().default_policy(), Duration::from_secs(9)),
        (Policy::Wait, Duration::from_secs(10)),
    ];
    for (policy, stall) in policies {
        let clock = clock_at(1_539_625_275_432_128);
        let builder = builder().clock(&clock).policy(policy);
        let mut generator = builder.build_local().unwrap();
        let first = generator.with(Local).generate().unwrap();
        clock.set(UnixTime::from_micros(1_539_625_265_432_128));
        let second = generator.with(Local).generate().unwrap();
        assert_eq!(second, with_sequence(first, 1));
        assert_eq!(clock.slept(), stall, "{policy}");
    }
}

#[test]
fn both_kinds_share_the_sequence() {
    let clock = clock_at(1_539_625_275_432_128);
    let generator = builder().clock(&clock).build().unwrap();
    let global = generator.try_generate().unwrap();
    let local = generator.with(Local).try_generate().unwrap();
    let global_again = generator.try_generate().unwrap();
    assert_eq!(parts(global.to_local(Drift::DEFAULT)), (1539, 625_275, 432_128, 0));
    assert_eq!(parts(local), (1539, 625_275, 432_128, 1));
    assert_eq!(global_again.sequence(), 2);
    assert_eq!(global.node(Drift::DEFAULT), NODE);
}

#[test]
fn blocks_agree_with_single_ids() {
    for bits in 5..=10 {
        let layout = Kuid { drift: Drift::new(bits).unwrap() };
        let clock = clock_at(1_539_625_275_432_128);
        let generators = || builder().layout(layout).clock(&clock).build_local().unwrap();
        let single: Vec<_> = {
            let mut generator = generators();
            (0..20_000).map(|_| generator.try_generate().unwrap()).collect()
        };
        let mut slice = vec![GlobalId::MIN; 20_000];
        generators().fill(&mut slice).unwrap();
        assert_eq!(single, slice);
        let mut slice = vec![LocalId::MIN; 20_000];
        generators().with(Local).fill(&mut slice).unwrap();
        assert!(single.iter().map(|id| id.to_local(layout.drift)).eq(slice.iter().copied()));
        let n = NonZeroU32::new(10_000).unwrap();
        let mut generator = generators();
        let blocks = (0..3).flat_map(|_| generator.try_block(n).unwrap());
        // A block ends with its tick: 10,000, 6,384, 10,000.
        assert!(blocks.take(20_000).eq(single));
    }
}

#[test]
fn clock_errors_name_the_range() {
    let clock = clock_at(-1);
    let generator = builder().clock(&clock).build().unwrap();
    // The last tick of a generator, in 2540, is far before the last tick of the format.
    let last = Kuid::default().time_of(Tick::new(Kuid::LAST_TICK).unwrap());
    for micros in [-1, i64::MIN, last.as_micros() + 1_024, i64::MAX] {
        clock.set(UnixTime::from_micros(micros));
        let out_of_range = ErrorKind::Clock(ClockError::OutOfRange {
            time: UnixTime::from_micros(micros),
            first: UnixTime::EPOCH,
            last,
        });
        assert_eq!(generator.try_generate().unwrap_err().kind(), out_of_range);
        assert_eq!(generator.generate().unwrap_err().kind(), out_of_range);
    }
}

#[test]
fn generation_ends_with_an_error() {
    let last = Tick::new(Kuid::LAST_TICK).unwrap();
    let clock = ManualClock::new(Kuid::default().time_of(last));
    let mut generator = builder().clock(&clock).build_local().unwrap();
    let mut ids = [LocalId::MIN; 16_384];
    generator.with(Local).fill(&mut ids).unwrap();
    assert!(ids.iter().all(|id| id.tick() == Some(last)));
    let error = generator.generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::EndOfTime);
    assert_eq!(error.retry_after(), None);
}

#[test]
fn late_snapshots_are_refused() {
    let (last, after) = (Kuid::LAST_TICK, Kuid::LAST_TICK + 1);
    let restore = |snapshot| {
        let builder = builder().restore(snapshot).max_wait(Duration::MAX);
        builder.build_local().map(|_| ())
    };
    let snapshots = |tick| {
        let tick = Tick::new(tick).unwrap();
        [Snapshot::at(tick, 0), Snapshot::EMPTY.with_drifts(0, Some(tick))]
    };
    for snapshot in snapshots(last) {
        assert_eq!(restore(snapshot), Ok(()));
    }
    for snapshot in snapshots(after) {
        let Err(BuildError::Restore(error)) = restore(snapshot) else {
            panic!("no such error");
        };
        assert_eq!((error.value(), error.max()), (after.into(), last.into()));
    }
}

#[test]
fn ids_stay_within_the_window() {
    let floor = 1_539_625_275 * TICKS_PER_SECOND;
    let window = Window::new(Tick::new(floor).unwrap(), floor + 2).unwrap();
    let clock = clock_at(1_539_625_275_000_000);
    let mut generator = builder().clock(&clock).window(window).build_local().unwrap();
    let mut ids = vec![LocalId::MIN; 40_000];
    let issued = generator.with(Local).try_fill(&mut ids).unwrap();
    assert_eq!(issued.len(), 2 * 16_384);
    assert!(issued.iter().all(|&id| window.contains(id.tick().unwrap())));
    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Window);
}

#[test]
fn successors_continue_closed_ones() {
    let clock = clock_at(1_539_625_275_432_128);
    let generator = builder().clock(&clock).build().unwrap();
    let last = generator.with(Local).try_generate().unwrap();
    let snapshot = generator.close();
    assert_eq!(generator.generate().unwrap_err().kind(), ErrorKind::Closed);
    clock.set(UnixTime::from_micros(1_539_625_275_000_000));
    let builder = builder().clock(&clock).restore(snapshot);
    let next = builder.build_local().unwrap().with(Local).try_generate().unwrap();
    assert_eq!(next, with_sequence(last, 1));
}

#[test]
fn only_tick_tock_is_refused() {
    let error = builder().policy(Policy::TickTock).build().unwrap_err();
    assert_eq!(error, BuildError::NoToggle { scheme: "kuid" });

    let clock = clock_at(1_539_625_275_432_128);
    let mut generator = builder()
        .clock(&clock)
        .sequence(SequenceStart::fixed(16_000))
        .policy(Policy::Ratchet { allowance: Ticks::ZERO })
        .build_local()
        .unwrap();
    assert_eq!(generator.try_generate().unwrap().sequence(), 16_000);
}

fn builder() -> Builder {
    Builder::new(NODE)
}

fn clock_at(micros: i64) -> ManualClock {
    ManualClock::new(UnixTime::from_micros(micros))
}

fn tick(id: LocalId) -> u64 {
    id.tick().unwrap().get()
}

fn parts(id: LocalId) -> (u32, u32, u32, u32) {
    (id.mega_seconds(), id.seconds(), id.micro_seconds(), id.sequence())
}

fn with_sequence(id: LocalId, sequence: u32) -> LocalId {
    let (a, b, c, _) = parts(id);
    LocalId::from_parts(a, b, c, sequence).unwrap()
}
