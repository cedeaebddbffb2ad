//! The promises of all schemes, of presets and of random layouts.

use tickid_snowflake::tickid_core::{Builder, ManualClock, Plain, Scheme, UnixTime, Variant};
use tickid_snowflake::{
    AnySnowflake, Node, NodeAboveSequence, Order, SequenceAboveNode, Snowflake, SnowflakeId,
};
use tickid_testkit::{Dice, suite};

use crate::support::{Subject, random, subject};

mod node_above_sequence {
    use crate::reference::{TSID, Written};
    use crate::support::subject;
    use tickid_snowflake::Snowflake;

    tickid_testkit::suite!(Written<TSID>, [subject(Snowflake::TSID)], subject(Snowflake::TSID));
}

mod sequence_above_node {
    use crate::reference::{SONYFLAKE, Written};
    use crate::support::{Subject, subject};
    use tickid_snowflake::{SequenceAboveNode, Snowflake};

    /// Twitter's widths in the other order: a Sonyflake has 256 IDs in 10 ms only.
    fn fast() -> Subject<SequenceAboveNode> {
        subject("41x1ms/12s/10n@1288834974657".parse().unwrap())
    }

    tickid_testkit::suite!(Written<SONYFLAKE>, [subject(Snowflake::SONYFLAKE)], fast());
}

/// The second half of a node, whose 128 sequences are above it.
mod shares {
    use tickid_testkit::shares::{OfShare, Share};

    use crate::reference::{SONYFLAKE, Written};
    use crate::support::subject;
    use tickid_snowflake::Snowflake;

    tickid_testkit::suite!(
        OfShare<Written<SONYFLAKE>>,
        [Share::new(subject(Snowflake::SONYFLAKE), 1, 1)]
    );
}

/// Calls `promise` for random layouts, where storms find a hundred sequences and enough
/// ticks, and for the widest.
#[allow(clippy::print_stdout, reason = "shown if the test fails")]
fn for_random<O: Order>(seed: u64, promise: impl Fn(&Subject<O>)) {
    let mut dice = Dice::new(seed);
    for _ in 0..2 {
        let layout: Snowflake<O> = random(&mut dice, 24, 7);
        println!("{layout}");
        promise(&subject(layout));
    }
    let [first, second] = if O::IS_NODE_LOWEST { ["18s", "3n"] } else { ["3n", "18s"] };
    let widest = format!("43x1ms/{first}/{second}/unsigned@0").parse().unwrap();
    promise(&subject(widest));
}

#[test]
fn random_layouts_keep_the_promises() {
    for_random::<NodeAboveSequence>(1, suite::hold_when_waiting);
    for_random::<SequenceAboveNode>(2, suite::hold_under_ratchets);
}

#[test]
fn random_layouts_keep_their_bounds() {
    for_random::<NodeAboveSequence>(3, tickid_testkit::bounds::hold_at_every_edge);
    for_random::<SequenceAboveNode>(4, tickid_testkit::bounds::hold_at_every_edge);
}

#[test]
fn random_layouts_divide_their_ticks() {
    for_random::<NodeAboveSequence>(7, tickid_testkit::shares::divide_a_tick);
    for_random::<SequenceAboveNode>(8, tickid_testkit::shares::divide_a_tick);
}

#[test]
fn random_layouts_stand_storms() {
    for_random::<NodeAboveSequence>(5, suite::weather_under_ratchets);
    for_random::<SequenceAboveNode>(6, suite::weather_when_waiting);
}

/// Returns IDs that a generator at `clock` makes one at a time, in a block and in a slice.
fn ids_of<S>(layout: S, node: Node, clock: &ManualClock) -> Vec<SnowflakeId>
where
    S: Scheme<Node = Node>,
    Plain: Variant<S, Id = SnowflakeId>,
{
    let mut generator = Builder::seeded_of(layout, node, 0).clock(clock).build_local().unwrap();
    let mut ids = vec![generator.with(Plain).try_generate().unwrap()];
    let mut slice = [SnowflakeId::MIN; 20];
    ids.extend(generator.with(Plain).try_block(20.try_into().unwrap()).unwrap());
    ids.extend_from_slice(&generator.with(Plain).try_fill(&mut slice).unwrap());
    ids
}

fn same_in_either_form<O: Order>(seed: u64)
where
    AnySnowflake: From<Snowflake<O>>,
{
    let mut dice = Dice::new(seed);
    for _ in 0..100 {
        let layout: Snowflake<O> = random(&mut dice, 24, 7);
        let subject = subject(layout);
        let time = layout.scale().time_of(layout.last_tick() - dice.below(100));
        let clock = ManualClock::new(time);
        let typed = ids_of(layout, subject.node, &clock);
        assert_eq!(typed, ids_of(AnySnowflake::from(layout), subject.node, &clock), "{layout}");
        assert_eq!(typed.len(), 41);
    }
}

/// Checks what the layout says about IDs, nodes, times and clocks.
fn same_facts_in_either_form<O: Order>(seed: u64)
where
    AnySnowflake: From<Snowflake<O>>,
{
    fn written(layout: &impl Scheme) -> String {
        let mut text = String::new();
        layout.write_settings(&mut text).unwrap();
        text
    }
    let mut dice = Dice::new(seed);
    for _ in 0..100 {
        let layout: Snowflake<O> = random(&mut dice, 24, 7);
        let any = AnySnowflake::from(layout);
        assert_eq!(written(&any), written(&layout));
        assert_eq!(any.fields().collect::<Vec<_>>(), layout.fields().collect::<Vec<_>>());
        for id in [0, layout.max_id().get(), u64::MAX].map(SnowflakeId::new) {
            assert_eq!(any.check(id), layout.check(id), "{layout}");
        }
        let bits = Scheme::node_bits(&layout).unwrap();
        assert_eq!(Scheme::node_bits(&any), Some(bits));
        for bits in [bits, bits.abs_diff(1)] {
            let node = Node::new(0, bits).unwrap();
            assert_eq!(any.check_node(&node), layout.check_node(&node), "{layout}");
        }
        let epoch = layout.scale().time_of(0);
        assert_eq!(any.range(epoch..), layout.range(epoch..), "{layout}");
        for time in [epoch, UnixTime::from_micros(epoch.as_micros() - 1)] {
            let clock = ManualClock::new(time);
            assert_eq!(any.check_start(&clock), layout.check_start(&clock), "{layout}");
        }
    }
}

#[test]
fn an_order_known_at_run_time_states_the_same_facts() {
    same_facts_in_either_form::<NodeAboveSequence>(7);
    same_facts_in_either_form::<SequenceAboveNode>(8);
}

#[test]
fn an_order_known_at_run_time_makes_the_same_ids() {
    same_in_either_form::<NodeAboveSequence>(7);
    same_in_either_form::<SequenceAboveNode>(8);
}
