use uuid::Uuid;

use crate::global::WideGlobalId;

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
impl From<WideGlobalId> for Uuid {
    fn from(id: WideGlobalId) -> Self {
        Self::from_bytes(id.to_bytes())
    }
}

/// Any 16 bytes are an ID.
impl From<Uuid> for WideGlobalId {
    fn from(uuid: Uuid) -> Self {
        Self::from_bytes(uuid.into_bytes())
    }
}
