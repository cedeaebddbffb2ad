//! The generators of wide IDs, compared with generators of global IDs.

use tickid_kuid::tickid_core::{Error, ManualClock, NodeId as _, Scheme as _};
use tickid_kuid::wide::{WideGenerator, WideGlobalId, WideKuid, WideLocalGenerator, WideNode};
use tickid_kuid::{
    Drift, Generator, GlobalId, Kuid, Local, LocalGenerator, LocalId, Node, UnixTime,
};

const NODES: [u64; 4] = [0, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 63];
/// Microseconds: forwards, back within the allowance, into another neighborhood, and too far back.
const TIMES: [i64; 7] = [
    1_539_625_275_432_128,
    1_539_625_275_432_129,
    1_539_625_275_000_000,
    1_539_625_279_999_999,
    1_539_625_280_000_000,
    1_540_000_000_000_000,
    1_539_625_280_000_000,
];

fn local(id: Result<GlobalId, Error>, drift: Drift) -> Option<LocalId> {
    id.ok().map(|id| id.to_local(drift))
}

fn wide_local(id: Result<WideGlobalId, Error>, node: u64, drift: Drift) -> Option<LocalId> {
    let id = id.ok()?;
    assert_eq!(id.node(drift), node);
    Some(id.to_local(drift))
}

#[test]
fn wide_ids_are_global_ids() {
    for (node, drift) in
        NODES.into_iter().zip([Drift::MIN, Drift::DEFAULT, Drift::MAX].into_iter().cycle())
    {
        let clock = ManualClock::new(UnixTime::from_micros(TIMES[0]));
        let wide_node = WideNode::new(node);
        let builder =
            || WideGenerator::builder(wide_node).settings(WideKuid { drift }).clock(&clock);
        let wide = builder().build().unwrap();
        let mut wide_exclusive: WideLocalGenerator<_> = builder().build_local().unwrap();
        let builder = || Generator::builder(Node::new(7)).settings(Kuid { drift }).clock(&clock);
        let narrow = builder().build().unwrap();
        let mut narrow_exclusive: LocalGenerator<_> = builder().build_local().unwrap();

        let mut issued = Vec::new();
        for micros in TIMES {
            clock.set(UnixTime::from_micros(micros));
            for _ in 0..3 {
                let id = wide.try_generate();
                issued.extend(id.ok());
                let found = wide_local(id, node, drift);
                assert_eq!(found, local(narrow.try_generate(), drift));
                let found = wide_local(wide_exclusive.try_generate(), node, drift);
                assert_eq!(found, local(narrow_exclusive.try_generate(), drift));
                let found = wide.with(Local).try_generate().ok();
                assert_eq!(found, narrow.with(Local).try_generate().ok());
            }
        }
        assert!(issued.is_sorted_by(|one, next| one < next), "node {node:x}, drift {drift}");
        assert_eq!(issued.len(), 3 * (TIMES.len() - 1), "all but after the step too far back");
    }
}

#[test]
fn a_slice_is_filled_across_ticks() {
    let clock = ManualClock::new(UnixTime::from_micros(TIMES[0]));
    let generator = WideGenerator::builder(WideNode::new(u64::MAX)).clock(&clock).build().unwrap();
    let mut ids = vec![WideGlobalId::MIN; 40_000];
    let filled = generator.try_fill(&mut ids).unwrap().len();
    assert_eq!(filled, 40_000);
    assert!(ids.is_sorted_by(|one, next| one < next));
    assert!(ids.iter().all(|id| id.node(Drift::DEFAULT) == u64::MAX));
}

#[test]
fn wide_nodes_have_64_bits() {
    for node in NODES.map(WideNode::new) {
        assert_eq!(WideNode::from_value(node.value(), node.bits()), Ok(node));
        assert_eq!(node.to_string().parse(), Ok(node));
        assert_eq!(node.to_string(), format!("{:016x}", node.get()));
    }
    for bits in [0, 32, 63, 65] {
        let error = WideNode::from_value(0, bits).unwrap_err();
        assert_eq!((error.value(), error.min(), error.max()), (bits.into(), 64, 64));
    }
    assert!("0123456789ABCDEF".parse::<WideNode>().is_err());
    assert_eq!(WideNode::from(Node::new(7)), WideNode::new(7));
}

#[test]
fn both_schemes_share_ticks_and_layout() {
    let mut texts = [String::new(), String::new()];
    Kuid { drift: Drift::MAX }.write_settings(&mut texts[0]).unwrap();
    WideKuid { drift: Drift::MAX }.write_settings(&mut texts[1]).unwrap();
    assert_eq!(texts[0], texts[1]);
    assert_eq!(Kuid::default().scale(), WideKuid::default().scale());
    const { assert!(WideKuid::LAST_TICK == Kuid::LAST_TICK && WideKuid::MAX_TICK == Kuid::MAX_TICK) };
}
