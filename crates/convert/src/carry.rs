//! IDs of up to 96 bits in UUIDs, `u128` or 16 bytes, with their scheme and without loss.
//!
//! Use them where a column or an interface takes only UUIDs. [`to_uuid`] is the usual choice,
//! because it needs no layout. Choose [`to_uuid_v7`] if IDs of several schemes share a column and
//! have to sort by time.
//!
//! There are three forms, which differ in version and variant:
//!
//! | | [`to_uuid`] | [`to_uuid_v7`] | [`sno_to_uuid`] |
//! |---|---|---|---|
//! | holds | any ID | any ID whose time is known and fits | a sno ID |
//! | shaped as | a UUID of version 8 | a UUID of version 7 | no UUID: 16 ASCII characters |
//! | sorts | as the IDs of a scheme do | by the millisecond across schemes | as the IDs do |
//! | needs to be read | nothing | epoch and drift, to be held against | nothing |
//!
//! A UUID's 16 bytes and its integer sort as its text does, so there is one order for all three.
//! Most databases use it too, but the UUID types of SQL Server and ClickHouse compare other bytes
//! first.
//!
//! ```text
//!  version 8: the ID's 96 bits (shorter ones with zeros after them), a mark and the kind
//! ┌─────────────────────────┬──────┬─────────┬────┬────────────────┬─────────┬────────┐
//! │ ID: high 48 bits        │ 1000 │ next 12 │ 10 │ low 36 bits    │ 0x71c1d │ kind 6 │
//! └─────────────────────────┴──────┴─────────┴────┴────────────────┴─────────┴────────┘
//!  version 7: milliseconds since 1970, the rest of the ID, and what it needs to be put together
//! ┌─────────────────────────┬──────┬─────────┬────┬──────────────────────┬────┬───────┬────────┐
//! │ milliseconds, 48 bits   │ 0111 │ high 12 │ 10 │ low 52 bits of 64    │ 00 │drift 4│ kind 4 │
//! └─────────────────────────┴──────┴─────────┴────┴──────────────────────┴────┴───────┴────────┘
//! ```
//!
//! The kinds are 1 SCRU64, 2 Nanoflake, 3 kuid local, 4 kuid global, 5 sno and 6 Snowflake. In
//! version 7 the 64 bits hold the whole ID if it has at most 64 bits. Of a sno ID they hold all but
//! the timestamp (41 bits), and of a global kuid the node and the sequence (46 bits), followed by
//! zeros. A kuid's tick is recovered from the millisecond, because no two ticks start in the same
//! one.
//!
//! These UUIDs follow RFC 9562 in shape only, because they hold no random bits. They reveal time
//! and node, so do not use them as secrets.
//!
//! # Examples
//! ```
//! use tickid_convert::{AnyId, Settings, carry};
//! use tickid_sno::sno;
//!
//! let id = sno!("brpk4q72xwf2m63l");
//! let uuid = carry::to_uuid(id);
//! assert_eq!(uuid.to_string(), "4e6f2160-a0ff-89a0-a840-cc0001c70745"); // a column of type UUID
//! assert_eq!(carry::from_uuid(uuid, &Settings::default()), Ok(AnyId::Sno(id)));
//!
//! let number = carry::to_uuid(id).as_u128(); // the same bits
//! assert_eq!(carry::from_uuid(uuid::Uuid::from_u128(number), &Settings::default()), Ok(id.into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use tickid_core::RangeError;
use tickid_core::external::uuid as v8;
use tickid_sno::{Sno, SnoId};
use uuid::Uuid;

use crate::any::{AnyId, Kind, with_id, with_type};
pub use crate::error::CarryError;
use crate::options::Settings;
use crate::parts::mask;
use crate::schemes::sealed::Assemble as _;

/// The number of bits of a version-7 UUID's milliseconds.
const MILLIS_BITS: u32 = 48;
/// The number of bits of a version-7 UUID below the rest of an ID.
const TAG_BITS: u32 = 10;

pub(crate) const fn not_carried(reason: &'static str) -> CarryError {
    CarryError::NotCarried { reason }
}

/// Returns the UUID of version 8 that holds an ID. It sorts as the ID does among IDs of the same
/// scheme.
///
/// For a sno ID it is the one that `Uuid::from` makes with the feature `uuid` of `tickid-sno`.
///
/// # Examples
/// ```
/// use tickid_convert::carry;
/// use tickid_sno::sno;
///
/// let uuid = carry::to_uuid(sno!("brpk4q72xwf2m63l"));
/// assert_eq!(uuid.to_string(), "4e6f2160-a0ff-89a0-a840-cc0001c70745");
/// ```
#[must_use]
pub fn to_uuid(id: impl Into<AnyId>) -> Uuid {
    let id = id.into();
    let code = code(id.kind());
    with_id!(id, id => v8::to_uuid(id, code))
}

/// Returns the ID in a UUID shaped as of version 7. It sorts by the time of the ID's tick, and
/// within the same millisecond by the rest of the ID.
///
/// Global kuids therefore sort by time here, whatever their nodes and drift, although as kuids they
/// do not.
///
/// # Errors
/// Returns [`CarryError::Time`] for a time before 1970 or after the year 10889, and for a kuid
/// whose fields are not a valid time.
///
/// # Examples
/// ```
/// use tickid_convert::{Settings, carry};
/// use tickid_nanoflake::{Epoch, NanoflakeId};
///
/// let discord = Settings { epoch: Epoch::DISCORD, ..Settings::default() };
/// let id = NanoflakeId::new(175_928_847_299_117_063)?;
/// let uuid = carry::to_uuid_v7(id, &discord)?;
/// assert_eq!(uuid.get_timestamp().map(|time| time.to_unix().0), Some(1_462_015_105));
/// assert_eq!(carry::from_uuid(uuid, &discord), Ok(id.into()));
///
/// // Under another epoch it would be another time: an error, not a guess.
/// assert!(carry::from_uuid(uuid, &Settings::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn to_uuid_v7(id: impl Into<AnyId>, settings: &Settings) -> Result<Uuid, CarryError> {
    let id = id.into();
    let time = with_id!(id, id => id.time_to_carry(settings)).map_err(CarryError::Time)?;
    let max = mask(MILLIS_BITS);
    let millis = u64::try_from(time.as_millis()).ok().filter(|millis| *millis <= max);
    let millis = millis.ok_or_else(|| {
        let max = i128::from(max) * 1_000 + 999;
        CarryError::Time(RangeError::of_time(time.as_micros().into(), 0, max))
    })?;
    let rest = with_id!(id, id => id.rest_to_carry(settings));
    // Which bits of a global kuid are time depends on its drift, which the ID does not hold.
    let drift = if has_drift(id.kind()) { u128::from(settings.drift.get()) } else { 0 };
    let tag = drift << 4 | u128::from(code(id.kind()));
    let fields = (u128::from(millis) << u64::BITS | u128::from(rest)) << TAG_BITS | tag;
    Ok(v8::shaped(fields, 7))
}

/// Returns the text of a sno ID as 16 bytes, which a column for UUIDs holds. It is not a UUID by
/// RFC 9562, because it has neither a version nor a variant.
///
/// # Examples
/// ```
/// use tickid_convert::{Settings, carry};
/// use tickid_sno::sno;
///
/// let id = sno!("brpk4q72xwf2m63l");
/// let uuid = carry::sno_to_uuid(id);
/// assert_eq!(uuid.as_bytes(), b"brpk4q72xwf2m63l");
/// assert_eq!(carry::from_uuid(uuid, &Settings::default()), Ok(id.into()));
/// ```
///
/// # Spec
/// sno, "Encoding".
#[must_use]
pub fn sno_to_uuid(id: SnoId) -> Uuid {
    Uuid::from_bytes(id.to_text_bytes())
}

/// Returns the ID that a UUID of any of the three forms holds.
///
/// # Errors
/// Returns [`CarryError::NotCarried`] for a UUID that was not made here. If `settings` has a
/// different epoch or drift than a UUID of version 7 was made with, the error is
/// [`CarryError::Epoch`] or [`CarryError::Drift`], because the ID would show a wrong time.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyId, Settings, carry, carry::CarryError};
/// use uuid::Uuid;
///
/// let uuid = Uuid::parse_str("4e6f2160-a0ff-89a0-a840-cc0001c70745")?;
/// let id = carry::from_uuid(uuid, &Settings::default())?;
/// assert!(matches!(id, AnyId::Sno(_)));
///
/// let other = Uuid::parse_str("f47ac10b-58cc-4372-a567-0e02b2c3d479")?; // random
/// let error = carry::from_uuid(other, &Settings::default()).unwrap_err();
/// assert!(matches!(error, CarryError::NotCarried { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn from_uuid(uuid: Uuid, settings: &Settings) -> Result<AnyId, CarryError> {
    // ASCII has the highest bit zero, the variant of RFC 9562 has it set.
    if uuid.as_bytes().is_ascii() {
        let id = SnoId::from_text_bytes(uuid.into_bytes());
        return id.map(AnyId::Sno).map_err(|_| not_carried("16 characters that are not a sno ID"));
    }
    if uuid.get_variant() != uuid::Variant::RFC4122 {
        return Err(not_carried("neither RFC 9562's variant nor the text of a sno ID"));
    }
    match uuid.get_version_num() {
        8 => from_v8(uuid),
        7 => from_v7(v8::unshaped(uuid), settings),
        _ => Err(not_carried("neither version 7 nor version 8")),
    }
}

fn from_v8(uuid: Uuid) -> Result<AnyId, CarryError> {
    let code = v8::kind_of(uuid).map_err(not_carried)?;
    let kind = kind(code).ok_or(not_carried("an unknown kind"))?;
    let id = with_type!(kind, Id => v8::from_uuid::<Id>(uuid, code).map(AnyId::from));
    id.map_err(|error| not_carried(error.reason()))
}

fn from_v7(fields: u128, settings: &Settings) -> Result<AnyId, CarryError> {
    let tag = fields & u128::from(mask(TAG_BITS));
    #[allow(clippy::cast_possible_truncation, reason = "4 bits")]
    let kind = kind((tag & 0xf) as u8).ok_or(not_carried("version 7 with an unknown kind"))?;
    let drift = u8::try_from(tag >> 4).ok().filter(|drift| *drift <= 0xf);
    let drift = drift.ok_or(not_carried("version 7 with bits set that are always zero"))?;
    if !has_drift(kind) && drift != 0 {
        return Err(not_carried("a drift where there is none"));
    }
    let rest = u64::try_from(fields >> TAG_BITS & u128::from(u64::MAX)).unwrap_or(0);
    // 48 bits.
    let millis = i64::try_from(fields >> (u64::BITS + TAG_BITS)).unwrap_or(i64::MAX);
    with_type!(kind, Id => Id::from_v7(millis, rest, drift, settings).map(AnyId::from))
}

/// Reports whether the time of an ID depends on a drift.
const fn has_drift(kind: Kind) -> bool {
    match kind {
        Kind::KuidGlobal => true,
        Kind::Scru64 | Kind::Nanoflake | Kind::KuidLocal | Kind::Sno | Kind::Snowflake => false,
    }
}

/// Returns the number of a kind in UUIDs.
const fn code(kind: Kind) -> u8 {
    kind as u8 + 1
}

fn kind(code: u8) -> Option<Kind> {
    Kind::ALL.get(usize::from(code).checked_sub(1)?).copied()
}

const _: () = assert!(Sno::EPOCH.as_micros() % 1_000 == 0, "sno's ticks are whole milliseconds");
