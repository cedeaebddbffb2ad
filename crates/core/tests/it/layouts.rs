//! Limits that depend on the layout's value: schemes whose widths are chosen at run time.

use core::fmt;

use tickid_core::example::Plain;
use tickid_core::{
    BuildError, Builder, ErrorKind, ManualClock, NodeId, Policy, Prefix, RangeError, Scheme,
    SequenceBounds, Slot, Snapshot, Tick, TickScale, Ticks, UnixTime, Variant, Window,
};

/// A scheme of any widths: time, node and sequence, from the high bits to the low ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Widths {
    micros_per_tick: u64,
    time: u32,
    node: u32,
    sequence: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Node {
    bits: u32,
    value: u64,
}

impl NodeId for Node {
    fn bits(&self) -> u32 {
        self.bits
    }

    fn value(&self) -> u64 {
        self.value
    }

    fn from_value(value: u64, bits: u32) -> Result<Self, RangeError> {
        Ok(Self { bits, value })
    }
}

impl Scheme for Widths {
    const NAME: &'static str = "widths";
    const MAX_TICK: u64 = (1 << 43) - 1;
    const LAST_TICK: u64 = Self::MAX_TICK - 1;
    const MAX_SEQUENCE: u32 = (1 << 18) - 1;

    type Node = Node;
    type Variant = Plain;

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, self.micros_per_tick)
    }

    fn write_layout(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{}/{}/{}", self.time, self.node, self.sequence)
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, _: bool) -> Prefix {
        Prefix::new(0, (tick.get() << self.node | node.value) << self.sequence)
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    fn max_tick(&self) -> u64 {
        (1 << self.time) - 1
    }

    fn last_tick(&self) -> u64 {
        self.max_tick().min(Self::LAST_TICK)
    }

    fn check_node(&self, node: &Node) -> Result<(), RangeError> {
        if node.bits == self.node {
            return Ok(());
        }
        let bits = self.node.into();
        Err(RangeError::new("node bits", node.bits.into(), bits, bits))
    }

    fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
        SequenceBounds::new(0, (1 << self.sequence) - 1)
    }
}

impl Variant<Widths> for Plain {
    type Id = u64;

    fn id(self, _: &Widths, slot: Slot<Widths>) -> u64 {
        slot.low()
    }
}

impl Widths {
    fn node(&self) -> Node {
        Node { bits: self.node, value: (1 << self.node) - 1 }
    }
}

/// 256 seconds, sixteen nodes, eight IDs a second.
const SMALL: Widths = Widths { micros_per_tick: 1_000_000, time: 8, node: 4, sequence: 3 };

fn seconds(seconds: i64) -> UnixTime {
    UnixTime::from_micros(seconds * 1_000_000)
}

fn small(clock: &ManualClock) -> Builder<Widths, &ManualClock> {
    Builder::seeded_of(SMALL, SMALL.node(), 0).clock(clock)
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
}

#[test]
fn nodes_of_another_width_are_refused() {
    let clock = ManualClock::new(seconds(0));
    let build = |bits| Builder::seeded_of(SMALL, Node { bits, value: 3 }, 0).clock(&clock).build();
    assert!(build(4).is_ok());
    let error = build(5).unwrap_err();
    assert_eq!(error, BuildError::Node(RangeError::new("node bits", 5, 4, 4)));
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
}
