//! Properties of IDs, nodes and vector clocks, against oracles that share no code with the crate.

mod clocks;
mod fields;
mod nodes;
mod order;
mod ranges;
mod text;

use core::cmp::Ordering;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use data_encoding::{Encoding, Specification};
use proptest::prelude::*;
use proptest::sample::select;
use tickid_kuid::tickid_core::Scheme;
use tickid_kuid::vector_clock::{Difference, Entry};
use tickid_kuid::wide::WideGlobalId;
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId, Node, RangeError, UnixTime, VectorClock};

const SORTABLE: &str = ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/// The last microsecond of the format.
const LAST_MICRO: i64 = 1_048_575_999_999_999_999;

fn local() -> impl Strategy<Value = LocalId> + Clone {
    prop_oneof![
        any::<u64>().prop_map(LocalId::new),
        select(vec![LocalId::MIN, LocalId::MAX]),
        valid(),
    ]
}

/// Returns IDs of valid times.
fn valid() -> impl Strategy<Value = LocalId> + Clone {
    let micros = prop_oneof![0..=LAST_MICRO, 1_500_000_000_000_000i64..1_800_000_000_000_000];
    (micros, 0u32..=0x3fff).prop_map(|(micros, sequence)| local_at(micros, sequence))
}

/// Builds an ID with independent arithmetic.
fn local_at(micros: i64, sequence: u32) -> LocalId {
    let part = |value: i64| u32::try_from(value).unwrap();
    let a = part(micros / 1_000_000_000_000);
    let b = part(micros / 1_000_000 % 1_000_000);
    LocalId::from_parts(a, b, part(micros % 1_000_000), sequence).unwrap()
}

fn global() -> impl Strategy<Value = GlobalId> + Clone {
    prop_oneof![
        any::<[u8; 12]>().prop_map(GlobalId::from_bytes),
        select(vec![GlobalId::MIN, GlobalId::MAX]),
    ]
}

fn wide() -> impl Strategy<Value = WideGlobalId> + Clone {
    prop_oneof![
        any::<u128>().prop_map(WideGlobalId::from),
        select(vec![WideGlobalId::MIN, WideGlobalId::MAX]),
    ]
}

fn node() -> impl Strategy<Value = Node> + Clone {
    prop_oneof![any::<u32>(), Just(0), Just(u32::MAX)].prop_map(Node::new)
}

fn drift() -> impl Strategy<Value = Drift> + Clone {
    (5u8..=10).prop_map(|bits| Drift::new(bits).unwrap())
}
