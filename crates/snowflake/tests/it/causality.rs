//! Tests of the page on causality: services that pass IDs on, and what a hop costs them.

use core::time::Duration;

use tickid_snowflake::tickid_core::{Builder, ManualClock, ObserveError, Plain, Ticks};
use tickid_snowflake::{
    Generator, NodeAboveSequence, Order, Policy, SequenceAboveNode, Snowflake, SnowflakeId,
    UnixTime,
};
use tickid_testkit::Dice;
use tickid_testkit::services::{HOP, MOST_HOPS, hops, observe_each_other};

use crate::support::{random, subject};

const START: UnixTime = UnixTime::from_micros(1_700_000_000_000_000);
const SECOND: Duration = Duration::from_secs(1);

fn ratchet<O: Order>(allowance: u64) -> Policy<Snowflake<O>> {
    Policy::Ratchet { allowance: Ticks::new(allowance) }
}

fn sequence_above_node() -> Snowflake<SequenceAboveNode> {
    "41x1ms/12s/10n@2015-01-01".parse().unwrap()
}

/// A service that passes on the IDs that it receives.
struct Service<'a> {
    generator: Generator<SequenceAboveNode, &'a ManualClock>,
    /// Its IDs, in the order of their issue.
    storage: Vec<SnowflakeId>,
}

impl<'a> Service<'a> {
    fn start(node: u32, clock: &'a ManualClock, storage: Vec<SnowflakeId>) -> Self {
        let layout = sequence_above_node();
        let builder = Builder::seeded_of(layout, layout.node(node).unwrap(), 0).clock(clock);
        let generator = builder.policy(ratchet(10_000)).build().unwrap();
        // A crash ends the effect of what was observed, unless it is in the storage.
        if let Some(&last) = storage.last() {
            generator.observe(last).unwrap();
        }
        Self { generator, storage }
    }

    fn answer(&mut self, request: SnowflakeId) -> SnowflakeId {
        self.generator.observe(request).unwrap();
        let id = self.generator.try_generate().unwrap();
        self.storage.push(id);
        id
    }
}

#[test]
fn three_services_follow_across_a_crash() {
    // From the one that is ahead to the one that is two seconds behind it.
    let clocks = [2, 1, 0].map(|seconds| {
        let clock = ManualClock::new(START);
        clock.advance(seconds * SECOND);
        clock
    });
    let nodes = [900, 8, 7];
    let mut services = [0, 1, 2].map(|at| Service::start(nodes[at], &clocks[at], Vec::new()));
    let mut message = SnowflakeId::MIN;
    for hop in 0..30_000 {
        let at = hop % 3;
        if hop % 5_000 == 4_999 {
            // It restarts with a clock that was set back, and with its storage only. Its next ID is
            // caused by its own last one, and by no message.
            let storage = core::mem::take(&mut services[at].storage);
            let last = *storage.last().unwrap();
            clocks[at].set(START);
            services[at] = Service::start(nodes[at], &clocks[at], storage);
            let next = services[at].generator.try_generate().unwrap();
            assert!(next > last, "an ID below the last one in storage, at hop {hop}");
        }
        let answer = services[at].answer(message);
        assert!(answer > message, "an effect before its cause, at hop {hop}");
        message = answer;
        clocks.iter().for_each(|clock| clock.advance(HOP));
    }
}

#[test]
fn peers_an_hour_ahead_move_no_service() {
    let layout = sequence_above_node();
    let clock = ManualClock::new(START);
    let service = Service::start(7, &clock, Vec::new());
    let before = service.generator.try_generate().unwrap();
    let state = service.generator.state();
    let hour = ManualClock::new(START);
    hour.advance(3_600 * SECOND);
    let peer = Service::start(8, &hour, Vec::new()).generator.try_generate().unwrap();
    let error = service.generator.observe(peer).unwrap_err();
    let ObserveError::Ahead { allowed, retry_after, .. } = error else { panic!("{error}") };
    assert_eq!((allowed, retry_after), (5 * SECOND, 3_595 * SECOND));
    assert_eq!(service.generator.state(), state);
    let next = service.generator.try_generate().unwrap();
    assert_eq!(layout.timestamp_of(next), layout.timestamp_of(before));
    assert_eq!(layout.sequence_of(next), layout.sequence_of(before) + 1);
}

#[test]
fn random_layouts_follow_each_other() {
    fn check<O: Order>(layout: Snowflake<O>) {
        let highest = subject(layout).node.get();
        let nodes = [highest / 2, 0, highest].map(|node| layout.node(node).unwrap());
        let middle = layout.unix_time(layout.from_parts(layout.max_timestamp() / 2, 0, 0).unwrap());
        observe_each_other(layout, nodes, &[Plain], middle);
    }
    let mut dice = Dice::new(9);
    // With three nodes or more.
    let mut layouts = core::iter::repeat_with(|| random::<NodeAboveSequence>(&mut dice, 24, 3));
    check(layouts.find(|layout| layout.widths().node > 1).unwrap());
    let mut dice = Dice::new(10);
    let mut layouts = core::iter::repeat_with(|| random::<SequenceAboveNode>(&mut dice, 24, 3));
    check(layouts.find(|layout| layout.widths().node > 1).unwrap());
    check("43x1ms/18s/3n/unsigned@0".parse::<Snowflake<SequenceAboveNode>>().unwrap());
}

#[test]
fn hops_cost_what_the_page_says() {
    let layout = sequence_above_node();
    let nodes = [3, 9].map(|node| layout.node(node).unwrap());
    assert_eq!(hops(layout, nodes, Policy::Wait), MOST_HOPS);
    assert_eq!(hops(layout, nodes, ratchet(500)), MOST_HOPS);
    let nodes = [3, 9].map(|node| Snowflake::SONYFLAKE.node(node).unwrap());
    assert_eq!(hops(Snowflake::SONYFLAKE, nodes, Policy::Wait), MOST_HOPS);
    // As Nanoflake, whose bits these are.
    let nodes = [3, 500].map(|node| Snowflake::TWITTER.node(node).unwrap());
    let hops = |policy| hops(Snowflake::TWITTER, nodes, policy);
    let found = [Policy::Wait, ratchet(500), ratchet(10_000)].map(hops);
    assert_eq!(found, [1, 557, 11_113]);
}
