use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tickid_core::external::serde::deserialize_array;

use crate::id::SnoId;
use crate::partition::Partition;

tickid_core::impl_serde!(SnoId, [u8; SnoId::LEN]);

/// For serde's `with`: the [zero ID](SnoId::ZERO) as `null`, as the original has it in JSON.
///
/// Without it the zero ID is its text, `"2222222222222222"`, like any other.
///
/// # Examples
/// ```
/// use tickid_sno::SnoId;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Person {
///     #[serde(with = "tickid_sno::serde_zero_as_null")]
///     id: SnoId,
/// }
///
/// let nobody: Person = serde_json::from_str(r#"{"id":null}"#)?;
/// assert_eq!(nobody.id, SnoId::ZERO);
/// assert_eq!(serde_json::to_string(&nobody)?, r#"{"id":null}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod serde_zero_as_null {
    use super::*;

    /// Writes `id`, or nothing (`null` in JSON) for the zero ID.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(id: &SnoId, serializer: S) -> Result<S::Ok, S::Error> {
        Some(id).filter(|id| !id.is_zero()).serialize(serializer)
    }

    /// Reads an ID, or nothing as the zero ID. The zero ID's text is read, too.
    ///
    /// # Errors
    /// The deserializer's, and the parser's in it.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SnoId, D::Error> {
        Option::deserialize(deserializer).map(|id| id.unwrap_or(SnoId::ZERO))
    }
}

/// Two bytes, as the original writes it.
impl Serialize for Partition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_bytes().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Partition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_array(deserializer).map(Self::from_bytes)
    }
}
