//! The traits of other libraries that the types implement.

use tickid_core::external::SortedText;

use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;
#[cfg(feature = "serde")]
use crate::node::Node;

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

    /// Serializes a list of pairs of node and local ID, in the clock's order.
    impl<N: Serialize> Serialize for VectorClock<N> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.entries().iter().map(|entry| (&entry.node, entry.id)))
        }
    }

    /// Deserializes a list of pairs of node and local ID, combined as by [`FromIterator`].
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

/// The 16 bytes as they are, for columns and fields of UUIDs. They sort as the IDs do.
///
/// It is no UUID by RFC 9562: no version, no variant.
///
/// # Examples
/// ```
/// use tickid_kuid::WideGlobalId;
/// use uuid::Uuid;
///
/// let id = WideGlobalId::from(0x0060398a_0123456789abcdef_7b698001);
/// let uuid = Uuid::from(id);
/// assert_eq!(uuid.to_string(), "0060398a-0123-4567-89ab-cdef7b698001");
/// assert_eq!(WideGlobalId::from(uuid), id);
/// ```
#[cfg(feature = "uuid")]
impl From<WideGlobalId> for uuid::Uuid {
    fn from(id: WideGlobalId) -> Self {
        Self::from_bytes(id.to_bytes())
    }
}

/// Any 16 bytes are an ID.
#[cfg(feature = "uuid")]
impl From<uuid::Uuid> for WideGlobalId {
    fn from(uuid: uuid::Uuid) -> Self {
        Self::from_bytes(uuid.into_bytes())
    }
}
