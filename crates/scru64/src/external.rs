//! The traits of other libraries that the types implement.

use tickid_core::external::SortedText;

use crate::id::Scru64Id;
#[cfg(feature = "serde")]
use crate::node::NodeSpec;

tickid_core::impl_external! {
    Scru64Id: "SCRU64 ID",
    integer u64, bytes [u8; 8], column i64: BigInt, serde u64,
    text "^[0-9A-Za-z]{12}$"
}

impl SortedText for Scru64Id {}

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
