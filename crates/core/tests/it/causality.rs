//! Tests of the page on causality: services that pass IDs on, and what a hop costs them.

use core::fmt;
use core::time::Duration;

use tickid_core::example::{Node, Plain};
use tickid_core::{
    Builder, Generator, ManualClock, Observable, Policy, Prefix, Scheme, Slot, Tick, TickScale,
    Ticks, UnixTime, Variant,
};

use tickid_testkit::services::{HOP, hops};

const SECOND: Duration = Duration::from_secs(1);

/// Milliseconds in 41 bits, 12 bits of sequence and 8 of node, in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Millis {
    has_sequence_above_node: bool,
}

impl Scheme for Millis {
    const NAME: &'static str = "millis";
    const MAX_TICK: u64 = (1 << 41) - 1;
    const MAX_SEQUENCE: u32 = (1 << 12) - 1;

    type Node = Node;
    type Variant = Plain;

    fn scale(&self) -> TickScale {
        TickScale::every(UnixTime::EPOCH, 1_000)
    }

    fn write_layout(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "sequence above node: {}", self.has_sequence_above_node)
    }

    fn prefix(&self, &Node(node): &Node, tick: Tick<Self>, _: bool) -> Prefix {
        if self.has_sequence_above_node {
            Prefix::new(node.into(), tick.get() << 12)
        } else {
            Prefix::new(0, (tick.get() << 8 | u64::from(node)) << 12)
        }
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }
}

impl Variant<Millis> for Plain {
    type Id = u64;

    fn id(self, scheme: &Millis, slot: Slot<Millis>) -> u64 {
        if scheme.has_sequence_above_node { slot.low() << 8 | slot.high() } else { slot.low() }
    }
}

impl Observable<Millis> for Plain {
    const LEAST: Self = Self;
}

const SEQUENCE_ABOVE_NODE: Millis = Millis { has_sequence_above_node: true };
const NODE_ABOVE_SEQUENCE: Millis = Millis { has_sequence_above_node: false };

fn ratchet<S>(allowance: u64) -> Policy<S> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

/// A service that passes on what it receives.
struct Service<'a> {
    generator: Generator<Millis, &'a ManualClock>,
    /// The IDs that it keeps, in the order of their issue.
    storage: Vec<u64>,
}

impl<'a> Service<'a> {
    fn start(node: u8, clock: &'a ManualClock, storage: Vec<u64>) -> Self {
        let builder = Builder::seeded_of(SEQUENCE_ABOVE_NODE, Node(node), 0).clock(clock);
        let generator = builder.policy(ratchet(10_000)).build().unwrap();
        // What a crash must not undo is in its storage.
        if let Some(&last) = storage.last() {
            generator.observe(last).unwrap();
        }
        Self { generator, storage }
    }

    fn answer(&mut self, request: u64) -> u64 {
        self.generator.observe(request).unwrap();
        let id = self.generator.try_generate().unwrap();
        self.storage.push(id);
        id
    }
}

#[test]
fn three_services_follow_across_a_crash() {
    let start = UnixTime::from_micros(1_700_000_000_000_000);
    // From the one that is ahead to the one that is two seconds behind it.
    let clocks = [2, 1, 0].map(|seconds| {
        let clock = ManualClock::new(start);
        clock.advance(seconds * SECOND);
        clock
    });
    let nodes = [9, 8, 7];
    let mut services = [0, 1, 2].map(|at| Service::start(nodes[at], &clocks[at], Vec::new()));
    let mut message = 0;
    for hop in 0..30_000 {
        let at = hop % 3;
        if hop % 5_000 == 4_999 {
            // It comes back with a clock another second behind, and with nothing but its storage.
            let storage = core::mem::take(&mut services[at].storage);
            clocks[at].set(start);
            services[at] = Service::start(nodes[at], &clocks[at], storage);
        }
        let answer = services[at].answer(message);
        assert!(answer > message, "an effect before its cause, at hop {hop}");
        message = answer;
        clocks.iter().for_each(|clock| clock.advance(HOP));
    }
}

#[test]
fn hops_within_a_tick_cost_nothing() {
    let nodes = [Node(3), Node(9)];
    assert_eq!(hops(SEQUENCE_ABOVE_NODE, nodes, Policy::Wait), 200_000);
    assert_eq!(hops(SEQUENCE_ABOVE_NODE, nodes, ratchet(500)), 200_000);
}

#[test]
fn hops_to_lower_nodes_cost_a_tick() {
    let nodes = [Node(3), Node(9)];
    let hops = |policy| hops(NODE_ABOVE_SEQUENCE, nodes, policy);
    assert_eq!(hops(Policy::Wait), 1);
    let (short, long) = (hops(ratchet(250)), hops(ratchet(500)));
    assert!(0 < short && short < long && long < 2_000, "{short} and {long}");
}
