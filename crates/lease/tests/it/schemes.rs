//! Realms agree with the schemes on ticks, nodes and terms.

use core::time::Duration;

use tickid_core::{NodeId, Scheme, UnixTime};
use tickid_kuid::{Kuid, Node};
use tickid_lease::{Realm, RealmSpec};
use tickid_nanoflake::{Epoch, GeneratorId, Nanoflake};
use tickid_scru64::{NodeSpec, Scru64};
use tickid_sno::{Partition, Sno};
use tickid_testkit::Dice;

/// Checked at random times, and at both ends of some ticks.
fn scale_agrees<S: Scheme>(layout: &S, first: i64) {
    let scale = layout.scale();
    let mut dice = Dice::new(1);
    for _ in 0..20_000 {
        let micros = first + dice.within(0..1 << 50);
        let time = UnixTime::from_micros(micros);
        let tick = layout.tick_at(time).unwrap();
        assert_eq!(scale.tick_at(time), Some(tick.get()), "{} at {time}", S::NAME);
        let begin = layout.time_of(tick);
        assert_eq!(scale.time_of(tick.get()), begin);
        let before = begin.checked_sub(Duration::from_micros(1)).unwrap();
        assert_eq!(scale.tick_at(before), tick.get().checked_sub(1));
    }
    let before = UnixTime::from_micros(first - 1);
    assert_eq!((layout.tick_at(before).is_err(), scale.tick_at(before)), (true, None));
}

#[test]
fn scales_agree_with_the_schemes() {
    scale_agrees(&Scru64, 0);
    scale_agrees(&Sno, Sno::EPOCH.as_micros());
    scale_agrees(&Kuid::default(), 0);
    for millis in [-5, 0, 1_420_070_400_000] {
        let epoch = Epoch::from_unix_millis(millis).unwrap();
        scale_agrees(&Nanoflake { epoch }, millis * 1_000);
    }
}

fn node_comes_back<N: NodeId>(node: N) {
    assert_eq!(N::from_value(node.value(), node.bits()).unwrap(), node);
}

#[test]
fn nodes_have_bits_and_values() {
    for spec in ["0/1", "1/1", "42/8", "8388607/23"] {
        node_comes_back::<NodeSpec>(spec.parse().unwrap());
    }
    for value in [0, 1, 1_023] {
        node_comes_back(GeneratorId::new(value).unwrap());
    }
    for value in [0, 1, u32::MAX] {
        node_comes_back(Node::new(value));
    }
    for value in [0, 1, u16::MAX] {
        node_comes_back(Partition::new(value));
    }
}

#[test]
fn numbers_out_of_range_fail() {
    fn refused<N: NodeId>(value: u64, bits: u32) -> (i128, i128, i128) {
        let error = N::from_value(value, bits).unwrap_err();
        (error.value(), error.min(), error.max())
    }
    assert_eq!(refused::<NodeSpec>(0, 24), (24, 1, 23));
    assert_eq!(refused::<NodeSpec>(0, 300), (300, 1, 23));
    assert_eq!(refused::<NodeSpec>(256, 8), (256, 0, 255));
    assert_eq!(refused::<NodeSpec>(1 << 40, 8), (1 << 40, 0, 255));
    assert_eq!(refused::<GeneratorId>(0, 9), (9, 10, 10));
    assert_eq!(refused::<GeneratorId>(1_024, 10), (1_024, 0, 1_023));
    assert_eq!(refused::<GeneratorId>(1 << 16, 10), (1 << 16, 0, 1_023));
    assert_eq!(refused::<Node>(0, 31), (31, 32, 32));
    assert_eq!(refused::<Node>(1 << 32, 32), (1 << 32, 0, u32::MAX.into()));
    assert_eq!(refused::<Partition>(0, 17), (17, 16, 16));
    assert_eq!(refused::<Partition>(1 << 16, 16), (1 << 16, 0, u16::MAX.into()));
}

/// Allowance, 5 seconds and 10 seconds, in ticks, rounded up.
#[test]
fn leases_reach_ahead() {
    let scru64 = RealmSpec::from(Realm::builder("a", Scru64).pool("0-255/8").build().unwrap());
    assert_eq!(scru64.ahead(), 39 + 59);
    let nanoflake = Nanoflake::default();
    let nanoflake =
        RealmSpec::from(Realm::builder("a", nanoflake).pool("0-1023/10").build().unwrap());
    assert_eq!(nanoflake.ahead(), 15_000);
    let kuid =
        RealmSpec::from(Realm::builder("a", Kuid::default()).pool("0-9/32").build().unwrap());
    assert_eq!(kuid.ahead(), 16 * 977);
    let sno = RealmSpec::from(Realm::builder("a", Sno).pool("0-65535/16").build().unwrap());
    assert_eq!(sno.ahead(), 15 * 250);
}
