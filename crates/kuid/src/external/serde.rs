use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;
use crate::node::Node;

tickid_core::impl_serde!(LocalId, u64);
tickid_core::impl_serde!(GlobalId, [u8; 12]);
tickid_core::impl_serde!(WideGlobalId, [u8; 16]);
tickid_core::impl_serde!(Node, u32);

#[cfg(feature = "alloc")]
mod vector_clock {
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    use crate::local::LocalId;
    use crate::vector_clock::{Entry, VectorClock};

    /// A list of pairs of node and local ID, in the clock's order.
    impl<N: Serialize> Serialize for VectorClock<N> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.entries().iter().map(|entry| (&entry.node, entry.id)))
        }
    }

    /// A list of pairs of node and local ID, taken as [`FromIterator`] takes it.
    impl<'de, N: Deserialize<'de> + PartialEq> Deserialize<'de> for VectorClock<N> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_seq(Entries(PhantomData))
        }
    }

    struct Entries<N>(PhantomData<N>);

    impl<'de, N: Deserialize<'de> + PartialEq> Visitor<'de> for Entries<N> {
        type Value = VectorClock<N>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of pairs of node and kuid local ID")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            core::iter::from_fn(|| entries.next_element::<(N, LocalId)>().transpose())
                .map(|pair| pair.map(|(node, id)| Entry { node, id }))
                .collect()
        }
    }
}
