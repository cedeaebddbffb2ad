//! IDs by the name of their scheme or format.

use tickid_convert::foreign::{
    Discord, Instagram, Mastodon, PgEdge, Sonyflake, SonyflakeV2, Twitter,
};
use tickid_convert::{AnyId, Kind, Layouts, Reading, Source as _, Uuid, carry};
use tickid_core::UnixTime;
use tickid_kuid::{GlobalId, LocalId};
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;
use wasm_bindgen::JsValue;

use crate::given::{Thrown, digits, range_error, syntax_error, type_error};

/// Returns the name of a scheme in arguments and results.
pub(crate) const fn key(kind: Kind) -> &'static str {
    match kind {
        Kind::KuidLocal => "kuid-local",
        Kind::KuidGlobal => "kuid-global",
        _ => kind.name(),
    }
}

pub(crate) fn kind(name: &JsValue) -> Result<Kind, Thrown> {
    let name = name.as_string();
    let found = Kind::ALL.into_iter().find(|kind| name.as_deref() == Some(key(*kind)));
    found.ok_or_else(|| {
        let names = Kind::ALL.map(key).join(", ");
        let given = name.map_or_else(|| "no string".to_owned(), |name| format!("{name:?}"));
        type_error(&format!("the scheme is none of {names}: {given}"))
    })
}

/// Returns the ID of an integer.
pub(crate) fn any(kind: Kind, id: &JsValue) -> Result<AnyId, Thrown> {
    of_number(kind, unsigned(id, kind)?)
}

/// Returns an argument that is a `bigint` without a sign.
fn unsigned(id: &JsValue, what: impl core::fmt::Display) -> Result<u128, Thrown> {
    if !id.is_bigint() {
        return Err(type_error("an ID is a bigint; a number loses digits"));
    }
    u128::try_from(id.clone())
        .map_err(|_| Thrown::range(&format!("{} is no {what} ID", digits(id))))
}

/// Returns the ID of a number that may be too large.
pub(crate) fn of_number(kind: Kind, number: u128) -> Result<AnyId, Thrown> {
    let max = match kind {
        Kind::Scru64 => Scru64Id::MAX.get().into(),
        Kind::Nanoflake => i64::MAX.cast_unsigned().into(),
        _ => (1 << (8 * kind.byte_len())) - 1,
    };
    let bytes = number.to_be_bytes();
    let [_, _, _, _, rest @ ..] = bytes;
    let [_, _, ten @ ..] = rest;
    let [_, _, eight @ ..] = ten;
    let id = match kind {
        _ if number > max => None,
        Kind::Scru64 => Scru64Id::from_be_bytes(eight).ok().map(AnyId::from),
        Kind::Nanoflake => NanoflakeId::from_be_bytes(eight).ok().map(AnyId::from),
        Kind::KuidLocal => Some(LocalId::from_be_bytes(eight).into()),
        Kind::KuidGlobal => Some(GlobalId::from_bytes(rest).into()),
        Kind::Sno => Some(SnoId::from_bytes(ten).into()),
        _ => None,
    };
    id.ok_or_else(|| Thrown::range(&format!("{kind} ID {number} is outside of 0..={max}")))
}

/// Returns the integer of a scheme, or of another system, as an ID.
pub(crate) fn reading(format: &JsValue, id: &JsValue) -> Result<Reading, Thrown> {
    let name = format.as_string().unwrap_or_default();
    let of = match &*name {
        "twitter" => |id| Reading::Twitter(Twitter(id)),
        "discord" => |id| Reading::Discord(Discord(id)),
        "instagram" => |id| Reading::Instagram(Instagram(id)),
        "mastodon" => |id| Reading::Mastodon(Mastodon(id)),
        "sonyflake" => |id| Reading::Sonyflake(Sonyflake(id)),
        "sonyflake-v2" => |id| Reading::SonyflakeV2(SonyflakeV2(id)),
        "pgedge" => |id| Reading::PgEdge(PgEdge(id)),
        _ => return Ok(any(kind(format)?, id)?.into()),
    };
    let number = unsigned(id, &name)?;
    let id = u64::try_from(number);
    id.map(of)
        .map_err(|_| Thrown::range(&format!("{name} ID {number} is outside of 0..={}", u64::MAX)))
}

/// Returns the time of the ID's tick, if it has one.
pub(crate) fn time(reading: &Reading, layouts: &Layouts) -> Option<UnixTime> {
    match *reading {
        Reading::Scru64(id) => Some(id.unix_time()),
        Reading::Nanoflake(id, _) => Some(Nanoflake { epoch: layouts.epoch }.unix_time(id)),
        Reading::KuidLocal(id, _) => Some(id.unix_time()),
        Reading::KuidGlobal(id, _) => Some(id.unix_time(layouts.drift)),
        other => other.parts(layouts).ok().map(|parts| parts.time()),
    }
}

/// The words for a form, for the error.
const FORMS: &str = "the form is none of text, decimal, hex, url and uuid";

pub(crate) fn parse(
    kind: Kind,
    text: &[u8],
    form: &str,
    layouts: &Layouts,
) -> Result<AnyId, Thrown> {
    let id = match (form, kind) {
        ("text", Kind::Scru64) => Scru64Id::parse_bytes(text).map(AnyId::from),
        ("text", Kind::Nanoflake) => NanoflakeId::parse_bytes(text).map(AnyId::from),
        ("text", Kind::KuidLocal) => LocalId::parse_bytes(text).map(AnyId::from),
        ("text", Kind::KuidGlobal) => GlobalId::parse_bytes(text).map(AnyId::from),
        ("text", Kind::Sno) => SnoId::parse_bytes(text).map(AnyId::from),
        ("url", Kind::KuidLocal) => LocalId::parse_url(text).map(AnyId::from),
        ("url", Kind::KuidGlobal) => GlobalId::parse_url(text).map(AnyId::from),
        ("url", _) => return Err(type_error("only kuid has a URL-safe text")),
        ("decimal", _) => return decimal(kind, text),
        ("hex", _) => return hex(kind, text),
        ("uuid", _) => return carried(kind, text, layouts),
        _ => return Err(type_error(FORMS)),
    };
    id.map_err(syntax_error)
}

fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

fn decimal(kind: Kind, text: &[u8]) -> Result<AnyId, Thrown> {
    let is_digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let number = str::from_utf8(text).ok().filter(|_| is_digits);
    let number = number
        .and_then(|text| text.parse::<u128>().ok())
        .ok_or_else(|| syntax_error(format!("no decimal integer of {kind}: {:?}", lossy(text))))?;
    of_number(kind, number)
}

fn hex(kind: Kind, text: &[u8]) -> Result<AnyId, Thrown> {
    let len = 2 * kind.byte_len();
    let is_digits = text.len() == len && text.iter().all(u8::is_ascii_hexdigit);
    let number = str::from_utf8(text).ok().filter(|_| is_digits);
    let number = number.and_then(|text| u128::from_str_radix(text, 16).ok()).ok_or_else(|| {
        syntax_error(format!("no {len} hexadecimal digits of {kind}: {:?}", lossy(text)))
    })?;
    of_number(kind, number)
}

fn carried(kind: Kind, text: &[u8], layouts: &Layouts) -> Result<AnyId, Thrown> {
    let uuid = Uuid::try_parse_ascii(text).map_err(syntax_error)?;
    let id = carry::from_uuid(uuid, layouts).map_err(syntax_error)?;
    if id.kind() == kind {
        return Ok(id);
    }
    Err(syntax_error(format!("the UUID holds a {} ID, not {kind}", id.kind())))
}

pub(crate) fn print(id: AnyId, form: &str, layouts: &Layouts) -> Result<String, Thrown> {
    Ok(match (form, id) {
        ("text", id) => text(id),
        ("decimal", id) => id.to_u128().to_string(),
        ("hex", id) => {
            let width = 2 * id.kind().byte_len();
            format!("{:0width$x}", id.to_u128())
        }
        ("url", AnyId::KuidLocal(id)) => id.encode_url().to_string(),
        ("url", AnyId::KuidGlobal(id)) => id.encode_url().to_string(),
        ("url", _) => return Err(type_error("only kuid has a URL-safe text")),
        ("uuid", id) => carry::to_uuid(id).to_string(),
        ("uuid-v7", id) => carry::to_uuid_v7(id, layouts).map_err(range_error)?.to_string(),
        _ => return Err(type_error("the form is none of text, decimal, hex, url, uuid, uuid-v7")),
    })
}

/// Returns the canonical text.
pub(crate) fn text(id: AnyId) -> String {
    match id {
        AnyId::Scru64(id) => id.to_string(),
        AnyId::Nanoflake(id) => id.to_string(),
        AnyId::KuidLocal(id) => id.to_string(),
        AnyId::KuidGlobal(id) => id.to_string(),
        AnyId::Sno(id) => id.to_string(),
        other => other.to_u128().to_string(),
    }
}
