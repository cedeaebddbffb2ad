//! The traits of other libraries that IDs implement: a line or a block for each feature.

use tickid_core::external::{Representations, SortedText};

use crate::id::Scru64Id;
#[cfg(feature = "serde")]
use crate::node::NodeSpec;

impl Representations for Scru64Id {
    type Integer = u64;
    type Bytes = [u8; 8];

    const NAME: &'static str = "SCRU64 ID";
    const MIN: Self = Self::MIN;
    const MAX: Self = Self::MAX;
    const TEXT_PATTERN: &'static str = "^[0-9A-Za-z]{12}$";
    const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
}

impl SortedText for Scru64Id {}

#[cfg(feature = "arbitrary")]
tickid_core::impl_arbitrary!(Scru64Id);

#[cfg(feature = "diesel")]
tickid_core::impl_diesel!(Scru64Id as i64: BigInt);

#[cfg(feature = "postgres-types")]
tickid_core::impl_postgres_types!(Scru64Id as i64);

#[cfg(feature = "proptest")]
tickid_core::impl_proptest!(Scru64Id);

#[cfg(feature = "rusqlite")]
tickid_core::impl_rusqlite!(Scru64Id as i64);

#[cfg(feature = "schemars")]
tickid_core::impl_schemars!(Scru64Id);

#[cfg(feature = "serde")]
tickid_core::impl_serde!(Scru64Id as u64);

/// Writes the node spec's text in every format, as the original does.
#[cfg(feature = "serde")]
impl serde::Serialize for NodeSpec {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the text of a node spec.
#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for NodeSpec {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tickid_core::external::serde::deserialize_text(deserializer)
    }
}

#[cfg(feature = "sqlx")]
tickid_core::impl_sqlx!(Scru64Id as i64);
