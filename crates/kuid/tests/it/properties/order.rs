//! The order of IDs, within one node and across nodes.

use super::*;

proptest! {
    #[test]
    fn all_forms_order_alike(
        locals in near(local()), globals in near(global()), wides in near(wide()),
    ) {
        let [one, other] = locals;
        let order = one.cmp(&other);
        prop_assert_eq!(one.get().cmp(&other.get()), order);
        prop_assert_eq!(one.to_be_bytes().cmp(&other.to_be_bytes()), order);
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
        let [one, other] = globals;
        let order = one.cmp(&other);
        prop_assert_eq!(u128::from(one).cmp(&u128::from(other)), order);
        prop_assert_eq!(one.to_bytes().cmp(&other.to_bytes()), order);
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
        let [one, other] = wides;
        let order = one.cmp(&other);
        prop_assert_eq!(u128::from(one).cmp(&u128::from(other)), order);
        prop_assert_eq!(one.to_bytes().cmp(&other.to_bytes()), order);
        prop_assert_eq!(one.to_string().cmp(&other.to_string()), order);
    }

    #[test]
    fn local_ids_order_by_time(ids in [valid(), valid()]) {
        let [one, other] = ids;
        let by_time = (one.unix_time(), one.sequence()).cmp(&(other.unix_time(), other.sequence()));
        prop_assert_eq!(one.cmp(&other), by_time);
    }

    #[test]
    fn global_ids_of_a_node_order_alike(
        locals in [local(), local()], node in node(), wide in any::<u64>(), drift in drift(),
    ) {
        let [one, other] = locals.map(|id| GlobalId::from_local(id, node, drift));
        prop_assert_eq!(one.cmp(&other), locals[0].cmp(&locals[1]));
        let [one, other] = locals.map(|id| WideGlobalId::from_local(id, wide, drift));
        prop_assert_eq!(one.cmp(&other), locals[0].cmp(&locals[1]));
    }

    /// The definition of k-ordered: the lower of two IDs is never 2^I seconds or more later.
    #[test]
    fn nodes_order_within_the_interval(
        locals in [clustered(), clustered()],
        nodes in [node(), node()],
        wides in any::<[u64; 2]>(),
        drift in drift(),
    ) {
        let interval = i64::from(1u16 << drift.get()) * 1_000_000;
        let later = |one: UnixTime, other: UnixTime| one.as_micros() - other.as_micros();
        let mut ids = [0, 1].map(|i| GlobalId::from_local(locals[i], nodes[i], drift));
        ids.sort();
        let [lower, higher] = ids.map(|id| id.unix_time(drift));
        prop_assert!(later(lower, higher) < interval);
        let mut ids = [0, 1].map(|i| WideGlobalId::from_local(locals[i], wides[i], drift));
        ids.sort();
        let [lower, higher] = ids.map(|id| id.unix_time(drift));
        prop_assert!(later(lower, higher) < interval);
    }

    #[test]
    fn nodes_order_before_near_times(
        base in valid(), seconds in any::<[u32; 2]>(), nodes in [node(), node()], drift in drift(),
    ) {
        let ids = [0, 1].map(|i| {
            let low = seconds[i] & ((1 << drift.get()) - 1);
            let seconds = base.seconds() >> drift.get() << drift.get() | low;
            let local = LocalId::from_parts(base.mega_seconds(), seconds, 0, 0).unwrap();
            GlobalId::from_local(local, nodes[i], drift)
        });
        if nodes[0] != nodes[1] {
            prop_assert_eq!(ids[0].cmp(&ids[1]), nodes[0].cmp(&nodes[1]));
        }
    }
}

/// Returns a value and another that often differs from it in a single bit.
fn near<T>(ids: impl Strategy<Value = T>) -> impl Strategy<Value = [T; 2]>
where
    T: Copy + core::fmt::Debug + Bits,
{
    let changed = (ids, 0..T::BITS).prop_map(|(id, bit)| [id, id.flip(bit)]);
    changed.prop_flat_map(|[id, changed]| {
        prop_oneof![Just([id, changed]), Just([changed, id]), Just([id, id])]
    })
}

trait Bits {
    const BITS: u32;
    fn flip(self, bit: u32) -> Self;
}

macro_rules! bits {
    ($id:ty, $int:ty, $bits:literal) => {
        impl Bits for $id {
            const BITS: u32 = $bits;
            fn flip(self, bit: u32) -> Self {
                Self::try_from(<$int>::from(self) ^ 1 << bit).unwrap()
            }
        }
    };
}
bits!(LocalId, u64, 64);
bits!(GlobalId, u128, 96);
bits!(WideGlobalId, u128, 128);

/// Returns IDs of valid times within a quarter of an hour, where nodes and times compete.
fn clustered() -> impl Strategy<Value = LocalId> {
    let micros = 1_539_999_500_000_000i64..1_540_000_400_000_000;
    (micros, 0u32..=0x3fff).prop_map(|(micros, sequence)| local_at(micros, sequence))
}
