//! Nodes of any size: the field and the sequences that each has, and generators that have shares.

use std::collections::BTreeSet;

use tickid_core::example::{Node as Byte, Seconds, Toggling};
use tickid_core::{
    AnyNode, BuildError, Builder, LocalGenerator, ManualClock, NodeError, Policy, Scheme,
    SequenceBounds, UnixTime,
};

use crate::widths::{Node, Widths};

/// Three bits of node and four of sequence, in both orders.
const LAYOUTS: [Widths; 2] = {
    let layout = Widths {
        micros_per_tick: 1_000,
        time: 40,
        node: 3,
        sequence: 4,
        is_node_lowest: false,
        unused: 0,
    };
    [layout, Widths { is_node_lowest: true, ..layout }]
};

/// Returns all nodes of 3 to 7 bits.
fn all_nodes() -> impl Iterator<Item = AnyNode> {
    let of = |bits: u32| (0..1_u64 << bits).map(move |value| AnyNode::new(value, bits).unwrap());
    (3..=7).flat_map(of)
}

/// Returns the pairs of field and sequence of `node`, by the rule in words: their bits, one after
/// the other, start with the node's.
fn pairs(node: AnyNode) -> BTreeSet<(u64, u32)> {
    let all = (0..8_u64).flat_map(|field| (0..16_u32).map(move |sequence| (field, sequence)));
    let starts = |&(field, sequence): &(u64, u32)| {
        let text = format!("{field:03b}{sequence:04b}");
        let size = usize::try_from(node.bits()).unwrap();
        text.starts_with(&format!("{:0size$b}", node.value()))
    };
    all.filter(starts).collect()
}

/// Returns all IDs that a generator of `node` issues in one tick.
fn tick_of(layout: Widths, node: AnyNode) -> Vec<u64> {
    let clock = ManualClock::new(UnixTime::from_millis(1_000).unwrap());
    let builder = Builder::of_any(layout, node).policy(Policy::Wait).clock(&clock);
    let mut generator = builder.build_local().unwrap();
    core::iter::from_fn(|| generator.try_generate().ok()).collect()
}

#[test]
fn nodes_have_the_pairs_that_start_with_their_bits() {
    for layout in LAYOUTS {
        for node in all_nodes() {
            let (field, share) = layout.split_node(node).unwrap();
            let sequences = share.lowest()..=share.last();
            let split: BTreeSet<_> = sequences.map(|sequence| (field.value, sequence)).collect();
            assert_eq!(split, pairs(node), "{node}");
        }
    }
}

#[test]
fn unrelated_nodes_never_issue_equal_ids() {
    for layout in LAYOUTS {
        let ticks: Vec<_> = all_nodes().map(|node| (node, tick_of(layout, node))).collect();
        for (one, ids) in &ticks {
            let ids: BTreeSet<_> = ids.iter().collect();
            for (other, others) in &ticks {
                let is_equal = others.iter().any(|id| ids.contains(id));
                assert_eq!(is_equal, one.is_prefix_related(*other), "{one} and {other}");
            }
        }
    }
}

#[test]
fn nodes_of_one_size_use_all_of_a_tick() {
    for layout in LAYOUTS {
        for bits in 3..=7 {
            let nodes = all_nodes().filter(|node| node.bits() == bits);
            let mut ids: Vec<_> = nodes.flat_map(|node| tick_of(layout, node)).collect();
            ids.sort_unstable();
            assert_eq!(ids, (1_000 << 7..1_001 << 7).collect::<Vec<_>>(), "{bits} bits");
        }
    }
}

#[test]
fn too_short_and_too_long_nodes_are_refused() {
    let node = |value, bits| AnyNode::new(value, bits).unwrap();
    for layout in LAYOUTS {
        for bits in 0..3 {
            let error = NodeError::Field { node: node(0, bits), bits: 3 };
            assert_eq!(layout.split_node(node(0, bits)), Err(error));
        }
        for bits in 8..=AnyNode::MAX_BITS {
            let error = NodeError::Share { node: node(0, bits), pool: 0, min: 1, max_bits: 7 };
            assert_eq!(layout.split_node(node(0, bits)), Err(error));
        }
    }
    // A pool of at least four of 256 sequences.
    assert_eq!(
        Toggling.split_node(node(0xff_ff >> 2, 14)),
        Ok((Byte(255), SequenceBounds::new(252, 255)))
    );
    for (bits, pool) in [(15, 2), (16, 1), (17, 0), (63, 0)] {
        let error = NodeError::Share { node: node(1, bits), pool, min: 4, max_bits: 14 };
        assert_eq!(Toggling.split_node(node(1, bits)), Err(error));
        let built = Builder::of_any(Toggling, node(1, bits)).build_local();
        assert_eq!(built.err(), Some(BuildError::Node(error)));
    }
}

/// Of ten sequences, shares divide the first eight, so that a share lies in each larger one. The
/// others are the whole node's only.
#[test]
fn shares_of_an_odd_pool_leave_out_its_last_sequences() {
    let layout = Widths { unused: 6, ..LAYOUTS[0] };
    let share = |value, bits| layout.split_node(AnyNode::new(value, bits).unwrap());
    let expected = |lowest, last| Ok((layout.node(5), SequenceBounds::new(lowest, last)));
    assert_eq!(share(5, 3), expected(0, 9));
    assert_eq!((share(10, 4), share(11, 4)), (expected(0, 3), expected(4, 7)));
    assert_eq!((share(20, 5), share(23, 5)), (expected(0, 1), expected(6, 7)));
    assert_eq!((share(40, 6), share(47, 6)), (expected(0, 0), expected(7, 7)));
    let node = AnyNode::new(80, 7).unwrap();
    let error = NodeError::Share { node, pool: 0, min: 1, max_bits: 6 };
    assert_eq!(layout.split_node(node), Err(error));
}

#[test]
fn own_bounds_lie_inside_the_share() {
    let quarter: AnyNode = "23/10".parse().unwrap();
    let build = |lowest, last| {
        let builder = LocalGenerator::<Seconds>::builder_any(quarter);
        builder.bounds(SequenceBounds::new(lowest, last)).pin().build_local()
    };
    for (lowest, last) in [(192, 255), (200, 210), (255, 255)] {
        let bounds = build(lowest, last).unwrap().bounds();
        assert_eq!((bounds.lowest(), bounds.last()), (lowest, last));
    }
    for (lowest, last) in [(0, 255), (191, 192), (0, 9), (192, 256)] {
        let error = build(lowest, last).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the sequences {lowest} to {last} are outside of 192 to 255, the share of node 23/10"
            )
        );
    }
    // A share of a scheme's fewest sequences cannot be divided further.
    let builder = Builder::of_any(Toggling, "64/14".parse().unwrap());
    let error = builder.bounds(SequenceBounds::new(1, 3)).build_local().unwrap_err();
    assert!(matches!(error, BuildError::Pool { pool: 3, min: 4, .. }), "{error}");
}

#[test]
fn the_layout_may_be_set_after_the_node() {
    let [above, _] = LAYOUTS;
    let wider = Widths { sequence: 6, ..above };
    let builder = Builder::of_any(above, AnyNode::new(5 << 2 | 3, 5).unwrap());
    let generator = builder.settings(wider).build_local().unwrap();
    assert_eq!(generator.node(), Node { bits: 3, value: 5 });
    assert_eq!(generator.bounds(), SequenceBounds::new(48, 63));
    let builder = Builder::of_any(above, AnyNode::new(5 << 4 | 15, 7).unwrap());
    let narrower = builder.settings(Widths { sequence: 3, ..above }).build_local();
    assert!(matches!(narrower, Err(BuildError::Node(NodeError::Share { max_bits: 6, .. }))));
}
