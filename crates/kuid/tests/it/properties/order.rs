//! The order of IDs, within one node and across nodes.

use super::*;
use tickid_kuid::tickid_core::external::Representations;

proptest! {
    #[test]
    fn all_forms_order_alike(
        local in local(), global in global(), wide in wide(), bit: prop::sample::Index,
    ) {
        order_alike(local, bit);
        order_alike(global, bit);
        order_alike(wide, bit);
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

/// Asserts that the forms of an ID order as the IDs do, itself and one that differs in one bit.
fn order_alike<T>(id: T, bit: prop::sample::Index)
where
    T: Representations + Ord,
{
    let mut bytes: T::Bytes = id.into();
    let bit = bit.index(bytes.as_ref().len() * 8);
    bytes.as_mut()[bit / 8] ^= 1 << (bit % 8);
    let Ok(changed) = T::try_from(bytes) else { panic!("any bytes are an ID") };
    for (one, other) in [(id, changed), (changed, id), (id, id)] {
        let order = one.cmp(&other);
        let integers: [T::Integer; 2] = [one.into(), other.into()];
        assert_eq!(integers[0].partial_cmp(&integers[1]), Some(order));
        let bytes: [T::Bytes; 2] = [one.into(), other.into()];
        assert_eq!(bytes[0].as_ref().cmp(bytes[1].as_ref()), order);
        assert_eq!(one.to_string().cmp(&other.to_string()), order);
    }
}

/// Returns IDs of valid times within a quarter of an hour, where nodes and times compete.
fn clustered() -> impl Strategy<Value = LocalId> {
    let micros = 1_539_999_500_000_000i64..1_540_000_400_000_000;
    (micros, 0u32..=0x3fff).prop_map(|(micros, sequence)| local_at(micros, sequence))
}
