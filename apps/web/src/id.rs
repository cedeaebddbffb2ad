//! IDs by the name of their scheme or format.

use core::fmt::Display;

use tickid_convert::foreign::Mastodon;
use tickid_convert::{AnyId, Form, FormError, Kind, Settings, Uuid, carry};
use tickid_detect::{Format, Identifier};
use tickid_snowflake::{AnySnowflake, Preset, SnowflakeId};
use wasm_bindgen::JsValue;

use crate::given::{Thrown, digits, range_error, syntax_error, type_error};

/// Returns the scheme that a name stands for: its own, or Snowflake by the name or the text of a
/// layout, which becomes one of the settings.
pub(crate) fn scheme(name: &JsValue, settings: &mut Settings) -> Result<Kind, Thrown> {
    let name = name.as_string().ok_or_else(|| type_error("the scheme is not a string"))?;
    if let Ok(kind) = name.parse() {
        return Ok(kind);
    }
    settings.snowflake = AnySnowflake::read(&name).map_err(|error| {
        let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.key()).collect();
        let names = names.join(", ");
        type_error(&format!("the scheme is none of {names}: '{name}'; as a layout: {error}"))
    })?;
    Ok(Kind::Snowflake)
}

/// Returns the ID of an integer.
pub(crate) fn any(kind: Kind, id: &JsValue) -> Result<AnyId, Thrown> {
    AnyId::from_u128(kind, unsigned(id, kind)?).map_err(range_error)
}

/// Returns an argument that is a `bigint` without a sign.
fn unsigned(id: &JsValue, what: impl Display) -> Result<u128, Thrown> {
    if !id.is_bigint() {
        return Err(type_error("an ID is a bigint; a number loses digits"));
    }
    u128::try_from(id.clone())
        .map_err(|_| Thrown::range(&format!("{} is no {what} ID", digits(id))))
}

/// Returns the integer of a scheme, of a preset or of Mastodon, as an ID.
pub(crate) fn identifier(
    format: &JsValue,
    id: &JsValue,
    settings: &mut Settings,
) -> Result<Identifier, Thrown> {
    let name = format.as_string().unwrap_or_default();
    let preset = Preset::named(&name);
    if preset.is_none() && name != Format::Mastodon.key() {
        return Ok(any(scheme(format, settings)?, id)?.into());
    }
    let number = unsigned(id, &name)?;
    let number = u64::try_from(number).map_err(|_| {
        Thrown::range(&format!("{name} ID {number} is outside of 0..={}", u64::MAX))
    })?;
    Ok(match preset {
        Some(preset) => Identifier::Preset(preset, SnowflakeId::new(number)),
        None => Identifier::Mastodon(Mastodon(number)),
    })
}

pub(crate) fn parse(
    kind: Kind,
    text: &[u8],
    form: &str,
    settings: &Settings,
) -> Result<AnyId, Thrown> {
    if form == "uuid" {
        return carried(kind, text, settings);
    }
    let form = own_form(kind, form, "uuid")?;
    // Bytes that are left out would be zeros.
    let len = 2 * kind.byte_len();
    if form == Form::Hex && text.len() != len {
        return Err(syntax_error(format!(
            "no {len} hexadecimal digits of {kind}: '{}'",
            lossy(text)
        )));
    }
    form.read(kind, text).map_err(|error| {
        if let FormError::Number(error) = error {
            range_error(error)
        } else {
            syntax_error(format!("{error}: '{}'", lossy(text)))
        }
    })
}

/// Returns the form of a scheme's IDs with this name, which is text in JavaScript. `others` are the
/// names that the caller knows beside it.
fn own_form(kind: Kind, name: &str, others: &str) -> Result<Form, Thrown> {
    let is_text = |name: &&str| *name != Form::Bytes.name();
    Form::named(kind, name).filter(|form| is_text(&form.name())).ok_or_else(|| {
        let names = Vec::from_iter(Form::names(kind).filter(is_text)).join(", ");
        type_error(&format!("{kind} has no form '{name}'; it has {names}, {others}"))
    })
}

fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}

fn carried(kind: Kind, text: &[u8], settings: &Settings) -> Result<AnyId, Thrown> {
    let uuid = Uuid::try_parse_ascii(text).map_err(syntax_error)?;
    let id = carry::from_uuid(uuid, settings).map_err(syntax_error)?;
    if id.kind() == kind {
        return Ok(id);
    }
    Err(syntax_error(format!("the UUID holds a {} ID, not {kind}", id.kind())))
}

pub(crate) fn print(id: AnyId, form: &str, settings: &Settings) -> Result<String, Thrown> {
    Ok(match form {
        "uuid" => carry::to_uuid(id).to_string(),
        "uuid-v7" => carry::to_uuid_v7(id, settings).map_err(range_error)?.to_string(),
        name => {
            let form = own_form(id.kind(), name, "uuid, uuid-v7")?;
            let text = id.write_in(form, |text| lossy(text).into_owned());
            text.ok_or_else(|| type_error("the form is one of other IDs"))?
        }
    })
}
