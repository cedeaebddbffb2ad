use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tickid_core::external::serde::deserialize_text;

use crate::id::Scru64Id;
use crate::node::NodeSpec;

tickid_core::impl_serde!(Scru64Id, u64);

/// Writes the node spec's text in every format, as the original does.
impl Serialize for NodeSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the text of a node spec.
impl<'de> Deserialize<'de> for NodeSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer)
    }
}
