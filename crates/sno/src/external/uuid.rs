use tickid_text::ParseError;
use uuid::Uuid;

use crate::id::SnoId;

/// The [16 bytes of the text](SnoId::to_text_bytes), for columns and fields of UUIDs. They sort as the IDs do.
///
/// It is no UUID by RFC 9562: no version, no variant.
///
/// # Examples
/// ```
/// use tickid_sno::{SnoId, sno};
/// use uuid::Uuid;
///
/// let id = sno!("brpk4q72xwf2m63l");
/// let uuid = Uuid::from(id);
/// assert_eq!(uuid.as_bytes(), b"brpk4q72xwf2m63l");
/// assert_eq!(SnoId::try_from(uuid), Ok(id));
/// assert!(SnoId::try_from(Uuid::max()).is_err());
/// ```
impl From<SnoId> for Uuid {
    fn from(id: SnoId) -> Self {
        Self::from_bytes(id.to_text_bytes())
    }
}

/// # Errors
/// [`ParseError`] for 16 bytes that are not the text of an ID.
impl TryFrom<Uuid> for SnoId {
    type Error = ParseError;

    fn try_from(uuid: Uuid) -> Result<Self, ParseError> {
        Self::from_text_bytes(uuid.into_bytes())
    }
}
