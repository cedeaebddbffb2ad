//! The traits of other libraries that the types implement.

use tickid_core::external::SortedText;

use crate::global::GlobalId;
use crate::local::LocalId;
#[cfg(feature = "serde")]
use crate::node::Node;
use crate::wide::WideGlobalId;

// The last characters of local and wide texts hold four bits and two.
tickid_core::impl_external! {
    LocalId: "kuid local ID",
    integer u64, bytes [u8; 8], column i64: BigInt, serde u64,
    text "^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$"
}
tickid_core::impl_external! {
    GlobalId: "kuid global ID",
    integer u128, bytes [u8; 12], column [u8; 12]: Binary, serde [u8; 12],
    text "^[.0-9A-Z_a-z]{16}$"
}
tickid_core::impl_external! {
    WideGlobalId: "kuid wide global ID",
    integer u128, bytes [u8; 16], column [u8; 16]: Binary, serde [u8; 16],
    text "^[.0-9A-Z_a-z]{21}[.FVk]$"
}

impl SortedText for LocalId {}
impl SortedText for GlobalId {}
impl SortedText for WideGlobalId {}

#[cfg(feature = "serde")]
tickid_core::impl_serde!(Node as u32);

#[cfg(all(feature = "alloc", feature = "serde"))]
mod vector_clock {
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    use crate::local::LocalId;
    use crate::vector_clock::{Entry, VectorClock};

    /// Writes a list of pairs of node and local ID, in the clock's order.
    impl<N: Serialize> Serialize for VectorClock<N> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.entries().iter().map(|entry| (&entry.node, entry.id)))
        }
    }

    /// Reads a list of pairs of node and local ID, which are combined as by [`FromIterator`].
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

tickid_core::impl_uuid_bytes!(WideGlobalId);
