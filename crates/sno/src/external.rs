//! The traits of other libraries that the types implement.

use tickid_core::external::SortedText;

use crate::id::SnoId;
#[cfg(feature = "serde")]
use crate::partition::Partition;

tickid_core::impl_external! {
    SnoId: "sno ID",
    integer u128, bytes [u8; 10], column [u8; 10]: Binary, serde [u8; 10],
    text "^[2-9a-x]{16}$"
}

impl SortedText for SnoId {}

/// Writes the [zero ID](SnoId::ZERO) as `null`, as the original does in JSON. Use it with serde's
/// `with` attribute.
///
/// Without it, the zero ID is written like any other, as the text `"2222222222222222"`.
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
#[cfg(feature = "serde")]
pub mod serde_zero_as_null {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::id::SnoId;

    /// Writes `id`, or nothing (`null` in JSON) for the zero ID.
    ///
    /// # Errors
    /// Returns the serializer's error.
    pub fn serialize<S: Serializer>(id: &SnoId, serializer: S) -> Result<S::Ok, S::Error> {
        Some(id).filter(|id| !id.is_zero()).serialize(serializer)
    }

    /// Reads an ID, and nothing (`null` in JSON) as the zero ID. The zero ID's text is accepted as
    /// well.
    ///
    /// # Errors
    /// Returns the error of the deserializer, or of the parser in it.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SnoId, D::Error> {
        Option::deserialize(deserializer).map(|id| id.unwrap_or(SnoId::ZERO))
    }
}

/// Writes two bytes, as the original does.
#[cfg(feature = "serde")]
impl serde::Serialize for Partition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_bytes().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Partition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        tickid_core::external::serde::deserialize_array(deserializer).map(Self::from_bytes)
    }
}

// 5 is the number of sno IDs among the kinds of IDs in UUIDs.
tickid_core::impl_uuid_v8!(SnoId: 5);
