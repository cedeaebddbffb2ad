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

    /// Reads an ID, or nothing as the zero ID. The zero ID's text is read, too.
    ///
    /// # Errors
    /// Returns the error of the deserializer, or of the parser in it.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SnoId, D::Error> {
        Option::deserialize(deserializer).map(|id| id.unwrap_or(SnoId::ZERO))
    }
}

/// Two bytes, as the original writes it.
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

/// The number of sno IDs among the kinds of IDs in UUIDs.
#[cfg(feature = "uuid")]
const UUID_KIND: u8 = 5;

/// Holds the ID in a UUID of version 8, which sorts as the ID does.
///
/// `tickid_convert::carry` makes and reads the same UUIDs. The sno document stores an ID's text in
/// the 16 bytes of a UUID instead, which is no UUID by RFC 9562: for such columns use
/// [`SnoId::to_text_bytes`] and [`SnoId::from_text_bytes`].
///
/// # Examples
/// ```
/// use tickid_sno::{SnoId, sno};
/// use uuid::Uuid;
///
/// let id = sno!("brpk4q72xwf2m63l");
/// let uuid = Uuid::from(id);
/// assert_eq!(uuid.to_string(), "4e6f2160-a0ff-89a0-a840-cc0001c70745");
/// assert_eq!(SnoId::try_from(uuid), Ok(id));
/// assert!(SnoId::try_from(Uuid::max()).is_err());
///
/// let text = Uuid::from_bytes(id.to_text_bytes()); // as the sno document has it
/// assert_eq!(SnoId::from_text_bytes(text.into_bytes()), Ok(id));
/// ```
#[cfg(feature = "uuid")]
impl From<SnoId> for uuid::Uuid {
    fn from(id: SnoId) -> Self {
        tickid_core::external::uuid::to_uuid(id, UUID_KIND)
    }
}

/// # Errors
/// Returns [`UuidError`](crate::UuidError) for a UUID that is made of no sno ID.
#[cfg(feature = "uuid")]
impl TryFrom<uuid::Uuid> for SnoId {
    type Error = crate::UuidError;

    fn try_from(uuid: uuid::Uuid) -> Result<Self, Self::Error> {
        tickid_core::external::uuid::from_uuid(uuid, UUID_KIND)
    }
}
