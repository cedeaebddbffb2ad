//! IDs of up to 96 bits in UUIDs of version 8.
//!
//! ```text
//! ┌─────────────────────────┬──────┬─────────┬────┬────────────────┬─────────┬────────┐
//! │ ID: high 48 bits        │ 1000 │ next 12 │ 10 │ low 36 bits    │ 0x71c1d │ kind 6 │
//! └─────────────────────────┴──────┴─────────┴────┴────────────────┴─────────┴────────┘
//! ```
//!
//! Shorter IDs are followed by zeros. UUIDs of one kind sort as the IDs in them do, because the ID
//! comes first.

#[doc(hidden)]
pub use uuid as __uuid;
use uuid::Uuid;

use crate::external::Representations;

/// Implements the conversions of an ID of up to 96 bits to and from a UUID of version 8 with this
/// number of its kind.
#[macro_export]
macro_rules! impl_uuid_v8 {
    ($id:ident: $kind:literal) => {
        const _: () = {
            use $crate::external::uuid::{__uuid::Uuid, UuidError, from_uuid, to_uuid};

            /// Holds the ID in a UUID of version 8, which sorts as the ID does, as
            /// `tickid_convert::carry` does.
            #[cfg_attr(docsrs, doc(cfg(feature = "uuid_1")))]
            impl From<$id> for Uuid {
                fn from(id: $id) -> Self {
                    to_uuid(id, $kind)
                }
            }

            /// # Errors
            /// Returns `UuidError` for a UUID that was not made of such an ID.
            #[cfg_attr(docsrs, doc(cfg(feature = "uuid_1")))]
            impl TryFrom<Uuid> for $id {
                type Error = UuidError;

                fn try_from(uuid: Uuid) -> Result<Self, UuidError> {
                    from_uuid(uuid, $kind)
                }
            }
        };
    };
}

/// Implements the conversions of an ID of 16 bytes to and from the UUID with these bytes.
#[macro_export]
macro_rules! impl_uuid_bytes {
    ($id:ident) => {
        const _: () = {
            use $crate::external::uuid::__uuid::Uuid;

            /// Takes the 16 bytes as they are, for columns and fields of UUIDs. They sort as the
            /// IDs do.
            ///
            /// The result is not a UUID by RFC 9562, because it has neither version nor variant. A
            /// database column does not care, but a program that looks at the version might.
            #[cfg_attr(docsrs, doc(cfg(feature = "uuid_1")))]
            impl From<$id> for Uuid {
                fn from(id: $id) -> Self {
                    Self::from_bytes(id.into())
                }
            }

            /// Takes the 16 bytes as they are. It cannot fail, because any 16 bytes are an ID.
            #[cfg_attr(docsrs, doc(cfg(feature = "uuid_1")))]
            impl From<Uuid> for $id {
                fn from(uuid: Uuid) -> Self {
                    Self::from(uuid.into_bytes())
                }
            }
        };
    };
}

/// The mark of these UUIDs, by which they are recognized. One in a million version-8 UUIDs of other
/// origin has it, too.
const MARK: u128 = 0x71c1d;
const MARK_BITS: u32 = 20;
const KIND_BITS: u32 = 6;
const ID_BYTES: usize = 12;
/// The number of bits between the version and the variant.
const MIDDLE_BITS: u32 = 12;
/// The number of bits below the variant.
const TAIL_BITS: u32 = 62;

/// The reason why a UUID holds no ID of the requested scheme.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the UUID holds no {name}: {reason}")]
pub struct UuidError {
    name: &'static str,
    reason: &'static str,
}

crate::debug_error! {
    struct UuidError { name, reason }
}

impl UuidError {
    /// Returns the part of the message after the colon, for example `not version 8`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

/// Returns the UUID that holds `id` and the number of its kind (below 64).
#[must_use]
#[doc(hidden)]
pub fn to_uuid<T: Representations>(id: T, kind: u8) -> Uuid {
    let bytes: T::Bytes = id.into();
    let mut padded = [0; 16];
    let (_, room) = padded.split_at_mut(16 - ID_BYTES);
    for (to, from) in room.iter_mut().zip(bytes.as_ref()) {
        *to = *from;
    }
    let id = u128::from_be_bytes(padded);
    let kind = u128::from(kind) & low_bits(KIND_BITS);
    shaped((id << MARK_BITS | MARK) << KIND_BITS | kind, 8)
}

/// Returns the number of the kind of ID in a UUID.
///
/// # Errors
/// Returns the reason if the UUID is not of version 8 or lacks the mark.
///
/// # Examples
/// ```
/// use tickid_core::external::uuid::kind_of;
/// use uuid::Uuid;
///
/// let sno = Uuid::from_u128(0x4e6f2160_a0ff_89a0_a840_cc0001c70745);
/// assert_eq!(kind_of(sno), Ok(5));
/// assert_eq!(kind_of(Uuid::nil()), Err("not version 8"));
/// ```
#[doc(hidden)]
pub fn kind_of(uuid: Uuid) -> Result<u8, &'static str> {
    if uuid.get_variant() != uuid::Variant::RFC4122 || uuid.get_version_num() != 8 {
        return Err("not version 8");
    }
    let fields = unshaped(uuid);
    if fields >> KIND_BITS & low_bits(MARK_BITS) != MARK {
        return Err("version 8 without the mark");
    }
    #[allow(clippy::cast_possible_truncation, reason = "6 bits")]
    Ok((fields & low_bits(KIND_BITS)) as u8)
}

/// Returns the ID that `uuid` holds if its kind has the number `kind`.
///
/// # Errors
/// Returns a [`UuidError`] if there is no ID of this kind that [`to_uuid`] converts to `uuid`.
#[doc(hidden)]
pub fn from_uuid<T: Representations>(uuid: Uuid, kind: u8) -> Result<T, UuidError> {
    let error = |reason| UuidError { name: T::NAME, reason };
    if kind_of(uuid).map_err(error)? != kind {
        return Err(error("an ID of another scheme"));
    }
    let padded = (unshaped(uuid) >> (MARK_BITS + KIND_BITS)).to_be_bytes();
    let mut bytes = T::Bytes::default();
    let (_, found) = padded.split_at(16 - ID_BYTES);
    let mut found = found.iter();
    for (to, from) in bytes.as_mut().iter_mut().zip(&mut found) {
        *to = *from;
    }
    if found.any(|byte| *byte != 0) {
        return Err(error("more bits than the kind has"));
    }
    T::try_from(bytes).map_err(|_| error("a number beyond the highest ID"))
}

/// Returns the UUID with these 122 bits and this version. Version and variant take the other 6
/// bits.
///
/// # Examples
/// ```
/// use tickid_core::external::uuid::{shaped, unshaped};
///
/// let uuid = shaped(42, 8);
/// assert_eq!(uuid.to_string(), "00000000-0000-8000-8000-00000000002a");
/// assert_eq!(unshaped(uuid), 42);
/// ```
#[must_use]
#[doc(hidden)]
pub fn shaped(fields: u128, version: u8) -> Uuid {
    let high = fields >> (MIDDLE_BITS + TAIL_BITS);
    let middle = fields >> TAIL_BITS & low_bits(MIDDLE_BITS);
    let tail = fields & low_bits(TAIL_BITS);
    let head = (high << 4 | u128::from(version)) << MIDDLE_BITS | middle;
    Uuid::from_u128(head << 64 | 0b10 << TAIL_BITS | tail)
}

/// Returns the 122 bits of a UUID that are neither version nor variant.
///
/// # Examples
/// ```
/// use tickid_core::external::uuid::unshaped;
/// use uuid::Uuid;
///
/// assert_eq!(unshaped(Uuid::max()), (1 << 122) - 1);
/// ```
#[must_use]
#[doc(hidden)]
pub fn unshaped(uuid: Uuid) -> u128 {
    let value = uuid.as_u128();
    let (high, middle) = (value >> 80, value >> 64 & low_bits(MIDDLE_BITS));
    (high << MIDDLE_BITS | middle) << TAIL_BITS | value & low_bits(TAIL_BITS)
}

/// Returns the highest number of `bits` bits.
const fn low_bits(bits: u32) -> u128 {
    (1 << bits) - 1
}
