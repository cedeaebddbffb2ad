//! Texts read as IDs of other systems, and the names of readings.

pub(crate) mod schemes;

use tickid_detect::{Format, Identifier, Reading};
use tickid_snowflake::{Preset, SnowflakeId};
use tickid_text::{ParseError, decimal};

/// Reads the ID of a preset: an integer, or a TSID's text. The error is a predicate.
pub(crate) fn of_preset(preset: Preset, text: &[u8]) -> Result<Identifier, String> {
    let id = if preset == Preset::Tsid && text.len() == SnowflakeId::CROCKFORD_LEN {
        SnowflakeId::parse_crockford(text).map_err(|error| format!("is {error}"))?
    } else {
        SnowflakeId::new(integer(text, preset.title())?)
    };
    Ok(Identifier::Preset(preset, id))
}

/// Reads a decimal integer, as IDs of the format `name` have it. The error is a predicate.
pub(crate) fn integer(text: &[u8], name: &'static str) -> Result<u64, String> {
    decimal::decode(text, u64::MAX).map_err(|kind| format!("is {}", ParseError::new(name, kind)))
}

/// Returns the name of a reading, with the time that the ID then has.
pub(crate) fn named(reading: &Reading) -> String {
    match reading.unix_time() {
        Some(time) => format!("{} ({time})", reading.identifier()),
        None => reading.identifier().to_string(),
    }
}

/// Reports whether a text is the name of a format.
pub(crate) fn is_format(text: &str) -> bool {
    text.parse::<Format>().is_ok() || Preset::named(text).is_some()
}
