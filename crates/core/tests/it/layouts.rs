//! Limits that depend on the layout's value: schemes whose widths are chosen at run time.

use core::fmt;

use tickid_core::example::Plain;
use tickid_core::{
    BuildError, Builder, ErrorKind, ManualClock, NodeId, Policy, Prefix, RangeError, Scheme,
    SequenceBounds, Slot, Snapshot, Tick, TickScale, Ticks, UnixTime, Variant, Window,
};
use tickid_testkit::invariants::{Rule, hold};
use tickid_testkit::{Dice, Parts, Subject, scaled};

/// A scheme of any widths: time, node and sequence, from the high bits to the low ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Widths {
    micros_per_tick: u64,
    time: u32,
    node: u32,
    sequence: u32,
    fault: Option<Fault>,
}

/// A limit of the layout that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fault {
    LastTick,
    Sequence,
    Node,
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
        match self.fault {
            Some(Fault::LastTick) => Self::MAX_TICK,
            _ => (1 << self.time) - 1,
        }
    }

    fn last_tick(&self) -> u64 {
        self.max_tick().min(Self::LAST_TICK)
    }

    fn check_node(&self, node: &Node) -> Result<(), RangeError> {
        if self.fault == Some(Fault::Node) || node.bits == self.node {
            return Ok(());
        }
        let bits = self.node.into();
        Err(RangeError::new("node bits", node.bits.into(), bits, bits))
    }

    fn sequence_bounds(&self, _: &Node) -> SequenceBounds {
        let extra = u32::from(self.fault == Some(Fault::Sequence));
        SequenceBounds::new(0, (1 << (self.sequence + extra)) - 1)
    }
}

impl Variant<Widths> for Plain {
    type Id = u64;

    fn id(self, _: &Widths, slot: Slot<Widths>) -> u64 {
        slot.low()
    }
}

impl Widths {
    fn random(dice: &mut Dice) -> Self {
        loop {
            let mut below = |end| u32::try_from(dice.below(end)).unwrap();
            let (time, node, sequence) = (8 + below(36), 1 + below(22), 6 + below(13));
            if time + node + sequence <= 63 {
                let micros_per_tick = dice.one_of(&[7, 100, 1_000, 10_000, 256_000, 1_000_000]);
                return Self { micros_per_tick, time, node, sequence, fault: None };
            }
        }
    }

    fn node(&self) -> Node {
        let node = Node { bits: self.node, value: (1 << self.node) - 1 };
        match self.fault {
            // One bit too wide.
            Some(Fault::Node) => Node { bits: node.bits + 1, value: node.value | 1 << node.bits },
            _ => node,
        }
    }
}

impl Subject for Widths {
    type Scheme = Self;
    type Variant = Plain;
    type Id = u64;

    fn layout(&self) -> Self {
        *self
    }

    fn node(&self) -> Node {
        self.node()
    }

    fn start(&self) -> UnixTime {
        self.scale().time_of((1 << (self.time - 1)) - 1)
    }

    fn forms(&self) -> Vec<Plain> {
        vec![Plain]
    }

    fn blank(&self) -> u64 {
        0
    }

    fn parts(&self, id: u64) -> Parts {
        let sequence = u32::try_from(id & ((1 << self.sequence) - 1)).unwrap();
        Parts { tick: id >> (self.node + self.sequence), toggle: false, sequence }
    }

    fn is_of(&self, id: u64, Plain: Plain) -> bool {
        let node = id >> self.sequence & ((1 << self.node) - 1);
        node == (1 << self.node) - 1 && id >> (self.time + self.node + self.sequence) == 0
    }

    fn increases(&self, id: u64, next: u64) -> bool {
        id < next
    }
}

#[test]
fn promises_hold_for_any_widths() {
    let mut dice = Dice::new(33);
    for _ in 0..scaled(4) {
        let layout = Widths::random(&mut dice);
        for rule in [Rule::Wait, Rule::Ratchet] {
            hold(&layout, rule);
        }
    }
}

/// Shows that the promises notice a missing limit.
fn hold_with(fault: Fault) {
    let layout = Widths { sequence: 8, fault: Some(fault), ..SMALL };
    hold(&layout, Rule::Wait);
}

#[test]
#[should_panic(expected = "is not what was asked for")]
fn ticks_past_the_layout_are_noticed() {
    hold_with(Fault::LastTick);
}

#[test]
#[should_panic(expected = "widths")]
fn too_wide_sequences_are_noticed() {
    hold_with(Fault::Sequence);
}

#[test]
#[should_panic(expected = "when the clock showed")]
fn too_wide_nodes_are_noticed() {
    hold_with(Fault::Node);
}

/// 256 seconds, sixteen nodes, eight IDs a second.
const SMALL: Widths =
    Widths { micros_per_tick: 1_000_000, time: 8, node: 4, sequence: 3, fault: None };

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
