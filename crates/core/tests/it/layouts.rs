//! Limits that depend on the layout's value: schemes whose widths are chosen at run time.

use core::time::Duration;
use std::time::SystemTime;

use tickid_core::{
    BuildError, Builder, ErrorKind, ManualClock, Policy, RangeError, Scheme, SequenceBounds,
    Snapshot, Tick, Ticks, UnixTime, Window,
};

use crate::widths::{Node, Widths};

/// 256 seconds, sixteen nodes, eight IDs a second.
const SMALL: Widths = Widths {
    micros_per_tick: 1_000_000,
    time: 8,
    node: 4,
    sequence: 3,
    is_node_lowest: false,
    unused: 0,
};

fn seconds(seconds: i64) -> UnixTime {
    UnixTime::from_micros(seconds * 1_000_000)
}

fn small(clock: &ManualClock) -> Builder<Widths, &ManualClock> {
    Builder::seeded_of(SMALL, SMALL.node(15), 0).clock(clock)
}

fn window(floor: u64, ceiling: u64) -> Window<Widths> {
    Window::new(Tick::new(floor).unwrap(), ceiling).unwrap()
}

#[test]
fn nothing_follows_the_layouts_last_tick() {
    for policy in [Policy::Wait, Policy::Ratchet { allowance: Ticks::new(5) }] {
        let clock = ManualClock::new(seconds(255));
        let generator = small(&clock).policy(policy).build().unwrap();
        let mut local = small(&clock).policy(policy).build_local().unwrap();
        for _ in 0..8 {
            assert_eq!(generator.try_generate().unwrap() >> 7, 255);
            assert_eq!(local.try_generate().unwrap() >> 7, 255);
        }
        for error in [generator.try_generate(), local.try_generate()] {
            assert_eq!(error.unwrap_err().kind(), ErrorKind::EndOfTime);
        }
        clock.set(seconds(256));
        for error in [generator.try_generate(), local.try_generate()] {
            assert!(matches!(error.unwrap_err().kind(), ErrorKind::Clock(_)));
        }
    }
}

/// A tick beyond the layout's would lose its high bits, and look like an early one. The window begins
/// above 0, or every tick that the search tries would end in ones and look late all the same.
#[test]
fn ids_are_followed_in_layouts_of_63_bits() {
    let wide = Widths { time: 40, node: 5, sequence: 18, ..SMALL };
    let clock = ManualClock::new(seconds(100));
    let builder = Builder::seeded_of(wide, wide.node(3), 0).clock(&clock).window(window(90, 1_000));
    let mut generator = builder.build_local().unwrap();
    let first = generator.try_generate().unwrap();
    assert_eq!(generator.observe(first + 7), Ok(()));
    assert_eq!(generator.try_generate(), Ok(first + 8));
}

#[test]
fn times_are_of_the_layout() {
    assert_eq!(SMALL.tick_at(seconds(255)).unwrap().get(), 255);
    let error = SMALL.tick_at(seconds(256)).unwrap_err();
    assert_eq!((error.value(), error.max()), (256_000_000, 255_999_999));
    assert!(SMALL.first_tick_from(seconds(255)).is_ok());
    let error = SMALL.first_tick_from(UnixTime::from_micros(255_000_001)).unwrap_err();
    assert_eq!(error.max(), 255_000_000);
    let ticks = SMALL.ticks_in_range(seconds(-5)..seconds(1_000)).unwrap();
    assert_eq!((ticks.start().get(), ticks.end().get()), (0, 255));
    // Users mean all times with times that do not fit.
    let [early, late] = [
        SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 44),
        SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 44),
    ];
    let ticks = SMALL.ticks_in_range(early..late).unwrap();
    assert_eq!((ticks.start().get(), ticks.end().get()), (0, 255));
    assert_eq!((SMALL.ticks_in_range(..early), SMALL.ticks_in_range(late..)), (None, None));
}

/// A word has room for the sequences of the type, not of each value.
#[test]
fn more_sequences_than_the_types_are_refused() {
    let clock = ManualClock::new(seconds(0));
    let build = |sequence: u32, bounds: Option<SequenceBounds>| {
        let layout = Widths { sequence, ..SMALL };
        let builder = Builder::seeded_of(layout, layout.node(15), 0).clock(&clock);
        let builder = match bounds {
            Some(bounds) => builder.bounds(bounds),
            None => builder,
        };
        builder.build_local().map(|generator| generator.bounds().last())
    };
    let max = Widths::MAX_SEQUENCE;
    assert_eq!(build(18, None), Ok(max));
    let error = |last: u32| {
        Err(BuildError::SequenceBound(RangeError::new(
            "sequence bound",
            last.into(),
            0,
            max.into(),
        )))
    };
    assert_eq!(build(19, None), error(2 * max + 1));
    assert_eq!(build(19, Some(SequenceBounds::new(0, max))), Ok(max));
    assert_eq!(build(19, Some(SequenceBounds::new(0, max + 1))), error(max + 1));
}

#[test]
fn nodes_of_another_width_are_refused() {
    let clock = ManualClock::new(seconds(0));
    let build = |bits| Builder::seeded_of(SMALL, Node { bits, value: 3 }, 0).clock(&clock).build();
    assert!(build(4).is_ok());
    let error = build(5).unwrap_err();
    assert_eq!(error, BuildError::Node(RangeError::new("node bits", 5, 4, 4).into()));
}

#[test]
fn windows_end_with_the_layout() {
    let clock = ManualClock::new(seconds(250));
    assert!(small(&clock).window(window(250, 256)).build().is_ok());
    let error = small(&clock).window(window(250, 300)).build().unwrap_err();
    let expected = RangeError::new("window ceiling", 300, 251, 256);
    assert_eq!(error, BuildError::Ceiling(expected));
    let error = small(&clock).window(window(256, 300)).build().unwrap_err();
    assert!(matches!(error, BuildError::Window { last: 255, .. }), "{error}");

    let generator = small(&clock).window(window(250, 251)).build().unwrap();
    let mut local = small(&clock).window(window(250, 251)).build_local().unwrap();
    assert_eq!(generator.widen(257).unwrap_err().max(), 256);
    assert_eq!(local.widen(257).unwrap_err().max(), 256);
    assert_eq!((generator.widen(256), local.widen(256)), (Ok(()), Ok(())));
    assert_eq!(generator.state().window, window(250, 256));
}

#[test]
fn snapshots_end_with_the_layout() {
    let clock = ManualClock::new(seconds(255));
    let restore = |tick| {
        let snapshot = Snapshot::at(Tick::new(tick).unwrap(), 2);
        small(&clock).restore(snapshot).build()
    };
    assert_eq!(restore(255).unwrap().try_generate().unwrap(), 255 << 7 | 15 << 3 | 2);
    let BuildError::Restore(error) = restore(256).unwrap_err() else { panic!("restored") };
    assert_eq!((error.value(), error.max()), (256, 255));
    let past = RangeError::new("tick", 256, 0, 255);
    for (other_past, refused) in [(255, None), (256, Some(BuildError::Restore(past)))] {
        let other_past = Tick::new(other_past).unwrap();
        let snapshot = Snapshot::at(Tick::new(255).unwrap(), 2).with_drifts(0, Some(other_past));
        let restored = small(&clock).restore(snapshot).build();
        assert_eq!(restored.err(), refused, "{other_past}");
    }
}
