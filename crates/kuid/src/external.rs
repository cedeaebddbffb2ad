//! The traits of other libraries that IDs implement: a line or a block for each feature.

use tickid_core::external::{Representations, SortedText};

use crate::global::{GlobalId, WideGlobalId};
use crate::local::LocalId;
#[cfg(feature = "serde")]
use crate::node::Node;

impl Representations for LocalId {
    type Integer = u64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "kuid local ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // The last character holds four bits.
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl Representations for GlobalId {
    type Integer = u128;
    type Bytes = [u8; 12];

    const NAME: &'static str = "kuid global ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{16}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl Representations for WideGlobalId {
    type Integer = u128;
    type Bytes = [u8; 16];

    const NAME: &'static str = "kuid wide global ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    // The last character holds two bits.
    const TEXT_PATTERN: &'static str = "^[.0-9A-Z_a-z]{21}[.FVk]$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for LocalId {}
impl SortedText for GlobalId {}
impl SortedText for WideGlobalId {}

#[cfg(feature = "arbitrary")]
tickid_core::impl_arbitrary!(LocalId, GlobalId, WideGlobalId);

#[cfg(feature = "diesel")]
tickid_core::impl_diesel!(
    LocalId as i64: BigInt,
    GlobalId as [u8; 12]: Binary,
    WideGlobalId as [u8; 16]: Binary
);

#[cfg(feature = "postgres-types")]
tickid_core::impl_postgres_types!(LocalId as i64, GlobalId as [u8; 12], WideGlobalId as [u8; 16]);

#[cfg(feature = "proptest")]
tickid_core::impl_proptest!(LocalId, GlobalId, WideGlobalId);

#[cfg(feature = "rusqlite")]
tickid_core::impl_rusqlite!(LocalId as i64, GlobalId as [u8; 12], WideGlobalId as [u8; 16]);

#[cfg(feature = "schemars")]
tickid_core::impl_schemars!(LocalId, GlobalId, WideGlobalId);

#[cfg(feature = "serde")]
tickid_core::impl_serde!(
    LocalId as u64,
    GlobalId as [u8; 12],
    WideGlobalId as [u8; 16],
    Node as u32
);

#[cfg(feature = "sqlx")]
tickid_core::impl_sqlx!(LocalId as i64, GlobalId as [u8; 12], WideGlobalId as [u8; 16]);

#[cfg(all(feature = "alloc", feature = "serde"))]
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
