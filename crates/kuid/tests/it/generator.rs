//! The behaviour specific to kuid generators: ticks within seconds, one sequence for both kinds of
//! IDs, no wrapping.

use core::num::NonZeroU32;
use core::time::Duration;

use tickid_kuid::tickid_core::{
    BackfillError, Error, ErrorKind, ManualClock, Scheme as _, Tick, Variants, Window,
};
use tickid_kuid::{Builder, Drift, Global, GlobalId, Kuid, Local, LocalId, Node, UnixTime};

const NODE: Node = Node::phash2("uid@127.0.0.1");

#[test]
fn shared_calls_draw_at_most_495() {
    let clock = clock_at(1_700_000_000_000_000);
    let generator = Builder::new(NODE).clock(&clock).build().unwrap();
    assert_eq!(generator.try_block(NonZeroU32::MAX).unwrap().len(), 495);
}

#[test]
fn other_variants_are_refused() {
    let clock = clock_at(1_700_000_000_000_000);
    for (variants, with_node, without) in [
        (Variants::All, true, true),
        (Variants::WithNode, true, false),
        (Variants::WithoutNode, false, true),
    ] {
        let builder = || builder().variants(variants).clock(&clock);
        let (shared, mut local) = (builder().build().unwrap(), builder().build_local().unwrap());
        let mut handle = shared.handle();
        let refused = Err(ErrorKind::Variant(variants));
        let expected = |is_allowed| if is_allowed { Ok(()) } else { refused };
        let kind = |error: Error| error.kind();
        for _ in 0..3 {
            let global = [
                shared.with(Global).try_generate().map(|_| ()).map_err(kind),
                local.with(Global).try_block(NonZeroU32::MIN).map(|_| ()).map_err(kind),
                handle.with(Global).try_generate().map(|_| ()).map_err(kind),
            ];
            assert_eq!(global, [expected(with_node); 3], "{variants}");
            let local = [
                shared.with(Local).try_block(NonZeroU32::MIN).map(|_| ()).map_err(kind),
                local.with(Local).try_generate().map(|_| ()).map_err(kind),
                handle.with(Local).try_generate().map(|_| ()).map_err(kind),
            ];
            assert_eq!(local, [expected(without); 3], "{variants}");
        }
        let end = Kuid::default().tick_at(UnixTime::from_micros(1_690_000_000_000_000)).unwrap();
        let window = Window::new(Tick::MIN, end.get()).unwrap();
        let mut backfill = builder().window(window).clock(&clock).build_backfill().unwrap();
        let time = UnixTime::from_millis(1_650_000_000_000).unwrap();
        let refused = Err(BackfillError::Variant(variants));
        let expected = |is_allowed| if is_allowed { Ok(()) } else { refused };
        for _ in 0..3 {
            let global = backfill.generate_as(Global, time).map(drop);
            let local = backfill.generate_as(Local, time).map(drop);
            assert_eq!((global, local), (expected(with_node), expected(without)), "{variants}");
        }
    }
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
fn blocks_agree_with_single_ids() {
    for bits in 5..=10 {
        let kuid = Kuid { drift: Drift::new(bits).unwrap() };
        let clock = clock_at(1_539_625_275_432_128);
        let generators = || builder().settings(kuid).clock(&clock).build_local().unwrap();
        let single: Vec<_> = {
            let mut generator = generators();
            (0..20_000).map(|_| generator.try_generate().unwrap()).collect()
        };
        let mut slice = vec![GlobalId::MIN; 20_000];
        generators().fill(&mut slice).unwrap();
        assert_eq!(single, slice);
        let mut slice = vec![LocalId::MIN; 20_000];
        generators().with(Local).fill(&mut slice).unwrap();
        assert!(single.iter().map(|id| id.to_local(kuid.drift)).eq(slice.iter().copied()));
        let n = NonZeroU32::new(10_000).unwrap();
        let mut generator = generators();
        let blocks = (0..3).flat_map(|_| generator.try_block(n).unwrap());
        // A block ends with its tick: 10,000, 6,384, 10,000.
        assert!(blocks.take(20_000).eq(single));
    }
}

fn builder() -> Builder {
    Builder::new(NODE)
}

fn clock_at(micros: i64) -> ManualClock {
    ManualClock::new(UnixTime::from_micros(micros))
}

fn parts(id: LocalId) -> (u32, u32, u32, u32) {
    (id.mega_seconds(), id.seconds(), id.micro_seconds(), id.sequence())
}

fn with_sequence(id: LocalId, sequence: u32) -> LocalId {
    let (a, b, c, _) = parts(id);
    LocalId::from_parts(a, b, c, sequence).unwrap()
}

/// Ticks are cut short at the end of each second, so that 977 of them are a second exactly.
#[test]
fn waits_count_cut_ticks() {
    let clock = clock_at(1_539_625_275_432_128);
    let mut generator = builder().clock(&clock).build_local().unwrap();
    generator.try_generate().unwrap();
    // 101 seconds back; the ratchet allows one.
    clock.set(UnixTime::from_micros(1_539_625_174_432_128));
    let error = generator.try_generate().unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(100)));
}
