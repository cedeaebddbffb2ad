//! The reasons why a text is not an ID, of the formats that it comes close to.

use tickid_core::counted;
use tickid_detect::{Damage, Format, detect};
use tickid_snowflake::Preset;
use tickid_text::{ParseError, ParseErrorKind};
use uuid::Uuid;

use crate::options::{IdOptions, Scheme};
use crate::reading::{NamedFormat, of_preset, schemes};

/// A format whose texts all have one length and one alphabet.
struct Fixed {
    format: Format,
    len: usize,
    alphabet: &'static str,
    has: fn(&u8) -> bool,
}

/// The number of digits of a ULID, and of a TypeID after its prefix.
const ULID_LEN: usize = 26;

const FIXED: [Fixed; 4] = [
    Fixed {
        format: Format::Ulid,
        len: ULID_LEN,
        alphabet: "0-9, A-Z without I, L, O and U",
        has: |byte| byte.is_ascii_alphanumeric() && !b"ILOU".contains(&byte.to_ascii_uppercase()),
    },
    Fixed {
        format: Format::Ksuid,
        len: 27,
        alphabet: "0-9, A-Z, a-z",
        has: u8::is_ascii_alphanumeric,
    },
    Fixed {
        format: Format::Xid,
        len: 20,
        alphabet: "0-9, a-v",
        has: |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'v'),
    },
    Fixed {
        format: Format::ObjectId,
        len: 24,
        alphabet: "0-9, a-f, A-F",
        has: u8::is_ascii_hexdigit,
    },
];

impl Fixed {
    fn reason(&self, text: &[u8]) -> String {
        let name = with_article(self.format);
        let (Self { len, alphabet, .. }, found) = (self, text.len());
        if found != *len {
            return format!("not {name}: {} long, not {len}", counted(found, "byte"));
        }
        match text.iter().position(|byte| !(self.has)(byte)) {
            Some(place) => {
                let byte = text[place].escape_ascii();
                format!("not {name}: '{byte}' at position {place} is none of {alphabet}")
            }
            None => format!("not {name}: out of its range"),
        }
    }
}

/// Returns a predicate about a text that is not of a format.
pub(super) fn of(named: NamedFormat, text: &[u8], settings: &IdOptions) -> String {
    let NamedFormat { format, text: form } = named;
    if let Some(damage) = of_damage(text) {
        return damage;
    }
    // From the most precise reason to the least. The parsers of the schemes name the character and
    // its position; where there is no such parser, length and alphabet are compared.
    let own = Scheme::of(format);
    let own = own.and_then(|scheme| schemes::read(scheme, form, text, settings)?.err());
    if let Some(error) = own {
        return format!("is {error}");
    }
    if format == Format::Uuid
        && let Some(reason) = of_uuid(text)
    {
        return format!("is {reason}");
    }
    if let Some(reason) = Preset::named(format.key()).and_then(|preset| of_layout(preset, text)) {
        return reason;
    }
    if format == Format::TypeId
        && let Some(reason) = of_type_id(text)
    {
        return format!("is {reason}");
    }
    match FIXED.iter().find(|one| one.format == format) {
        Some(one) => format!("is {}", one.reason(text)),
        None => format!("is not {}", with_article(format)),
    }
}

/// Returns the reason why a text is not an ID of a preset, as a predicate.
fn of_layout(preset: Preset, text: &[u8]) -> Option<String> {
    let max = preset.layout().max_id();
    match of_preset(preset, text) {
        Err(reason) => Some(reason),
        Ok(id) if id > max => {
            let (value, max) = (id.get().into(), max.get().into());
            let kind = ParseErrorKind::TooLarge { value, max };
            Some(format!("is {}", ParseError::new(preset.title(), kind)))
        }
        Ok(_) => None,
    }
}

/// Returns the title of a format with its article.
fn with_article(format: Format) -> String {
    let title = format.title();
    let article = if title.starts_with(['I', 'O', 'X']) { "an" } else { "a" };
    format!("{article} {title}")
}

/// Returns the reason why a text is not a UUID.
fn of_uuid(text: &[u8]) -> Option<String> {
    // Only the parser of text has a reason.
    let text = String::from_utf8_lossy(text);
    Uuid::parse_str(&text).err().map(|error| format!("not a UUID: {error}"))
}

/// Returns the reason why a text is not a TypeID, if only the case of its digits is wrong.
fn of_type_id(text: &[u8]) -> Option<String> {
    let (prefix, suffix) = text.split_at_checked(text.len().checked_sub(ULID_LEN)?)?;
    let is_upper = suffix.iter().any(u8::is_ascii_uppercase);
    let lower = [prefix, &suffix.to_ascii_lowercase()].concat();
    let found = detect(&lower, &tickid_convert::Settings::default(), None);
    let is_one = found.iter().any(|one| one.format() == Format::TypeId);
    (is_upper && is_one).then(|| {
        let lower = String::from_utf8_lossy(&lower);
        format!("not a TypeID: its 26 digits are lower-case letters and numbers: {lower}")
    })
}

/// Returns a predicate about a number like 1.54182E+18, which has nothing in common with any format,
/// although it is known what has happened to it.
pub(super) fn of_damage(text: &[u8]) -> Option<String> {
    Damage::of_notation(text).map(|damage| format!("is not an ID: {damage}"))
}

/// Returns a predicate about a text that is of no format.
pub(super) fn of_all(text: &[u8], settings: &IdOptions) -> String {
    if text.is_empty() {
        return "is not an ID: there is nothing".into();
    }
    if let Some(damage) = of_damage(text) {
        return damage;
    }
    let len = text.len();
    // Copying by hand mostly loses or doubles one character, so formats are close whose texts are
    // as long, give or take one.
    let is_near = |scheme: &&Scheme| {
        let mut lens = scheme.kinds().map(|kind| kind.text_lens());
        lens.any(|lens| (lens.start() - 1..=lens.end() + 1).contains(&len))
    };
    // Digits have other readings, and other characters are not near misses.
    let snowflake = Scheme::of(Format::Snowflake);
    let own = Scheme::all().iter().filter(|scheme| Some(**scheme) != snowflake).filter(is_near);
    let own = own.filter_map(|scheme| schemes::read(*scheme, None, text, settings)?.err());
    let mut reasons: Vec<String> = own.map(|error| error.to_string()).collect();
    let fixed = FIXED.iter().filter(|one| one.len.abs_diff(len) <= 1);
    reasons.extend(fixed.map(|one| one.reason(text)));
    // UUIDs have 32 digits, 36 characters with hyphens, or 38 with braces, again give or take one.
    match of_type_id(text) {
        Some(reason) => reasons.push(reason),
        None if matches!(len, 31..=39) => reasons.extend(of_uuid(text)),
        None => {}
    }
    if reasons.is_empty() {
        return format!("is not an ID of a known format: none has {len} bytes like these");
    }
    format!("is not an ID of a known format: {}", reasons.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_formats_are_named() {
        for (text, parts) in [
            ("", &["there is nothing"][..]),
            ("!", &["not a Nanoflake ID: '!' at position 0"]),
            ("0u375nxqh5c!", &["not a SCRU64 ID: '!' at position 11"]),
            ("0u375nxqh5cq0!", &["not a Nanoflake ID: 14 bytes long"]),
            ("0u-5nxqh5cq", &["not a SCRU64 ID: 11 bytes long, not 12", "not a kuid local ID"]),
            ("brpk4q72xwf2m63!", &["not a sno ID: '!' at position 15"]),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398", &["not a UUID: ", "expected 12, found 11"]),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398g", &["not a UUID: ", "found `g` at 35"]),
            ("507f1f77bcf86cd79943901", &["not an ObjectId: 23 bytes long, not 24"]),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAU", &["not a ULID: 'U' at position 25", "not a KSUID: 26"]),
            ("9m4e2mr0ui3e8a215n4z", &["not an Xid: 'z' at position 19"]),
            (
                "user_01J1HZW2P7ES59RPW0QFQNR7BC",
                &["known format: not a TypeID: ", "lower-case", "user_01j1hzw2p7es59rpw0qfqnr7bc"],
            ),
            ("User_01j1hzw2p7es59rpw0qfqnr7bc", &["not a UUID: "]),
            ("1.54182E+18", &["spreadsheets round"]),
            ("1.2345E17", &["spreadsheets round"]),
            ("1.4560744691298714e+18", &["a program held this as a floating-point number"]),
            ("a longer text than any ID, with words in it", &["none has 43 bytes"]),
        ] {
            let reason = of_all(text.as_bytes(), &IdOptions::default());
            assert!(parts.iter().all(|part| reason.contains(part)), "{text}: {reason}");
        }
    }
}
