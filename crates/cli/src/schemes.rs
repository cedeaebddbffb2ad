//! The texts of the schemes' IDs, as the options have them.

use tickid_convert::{AnyId, Kind};
use tickid_detect::{Form, Format, Identifier, Notation, Reading, detect};
use tickid_kuid::{LocalId, WideGlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_text::ParseError;

use crate::options::{Layouts, Scheme};

pub(crate) const ALL: [Scheme; 4] = [Scheme::Scru64, Scheme::Sno, Scheme::Kuid, Scheme::Nanoflake];

/// Reads `text` as an ID of `scheme`: a kuid as the kind of its length, or otherwise as a global
/// ID.
pub(crate) fn read(
    scheme: Scheme,
    text: &[u8],
    layouts: &Layouts,
) -> Result<Identifier, ParseError> {
    let kind = match scheme {
        Scheme::Scru64 => Kind::Scru64,
        Scheme::Nanoflake => Kind::Nanoflake,
        Scheme::Kuid if text.len() == LocalId::TEXT_LEN => Kind::KuidLocal,
        Scheme::Kuid => Kind::KuidGlobal,
        Scheme::Sno => Kind::Sno,
    };
    let notation = notation_of(kind, text, layouts);
    if scheme == Scheme::Kuid && text.len() == WideGlobalId::TEXT_LEN {
        let is_url = notation == Notation::Url;
        let parse = if is_url { WideGlobalId::parse_url } else { WideGlobalId::parse_bytes };
        return parse(text).map(|id| Identifier::KuidWide(id, notation));
    }
    let id = match notation {
        Notation::Decimal => NanoflakeId::parse_decimal(text).map(AnyId::from),
        Notation::Url => AnyId::parse_url(kind, text).unwrap_or_else(|| AnyId::parse(kind, text)),
        _ => AnyId::parse(kind, text),
    };
    Ok(Identifier::Scheme(id?, notation))
}

/// Returns the notation of `text`. Without a radix, a Nanoflake that can only be decimal is taken
/// for decimal: more digits than Base36 has.
fn notation_of(kind: Kind, text: &[u8], layouts: &Layouts) -> Notation {
    let is_decimal = text.len() > NanoflakeId::TEXT_LEN && text.iter().all(u8::is_ascii_digit);
    match kind {
        Kind::Nanoflake if layouts.nanoflake.radix.is_none() && is_decimal => Notation::Decimal,
        Kind::Nanoflake => layouts.nanoflake.notation(),
        Kind::KuidLocal | Kind::KuidGlobal => layouts.kuid.notation(),
        _ => Notation::Canonical,
    }
}

/// Reads `text` as an integer, hexadecimal digits or bytes of `scheme`.
#[cold]
pub(crate) fn other_form(
    scheme: Scheme,
    text: &[u8],
    layouts: &tickid_convert::Layouts,
) -> Option<Identifier> {
    let found = detect(text, layouts, None);
    let is_it =
        |one: &&Reading| Scheme::of(one.format()) == Some(scheme) && one.form() != Form::Text;
    found.iter().find(is_it).map(Reading::identifier)
}

/// Reports whether a reading of a text is the one that the options ask for: kuid's alphabets and
/// Nanoflake's numbers are never guessed.
pub(crate) fn is_asked_for(reading: &Reading, text: &[u8], layouts: &Layouts) -> bool {
    match reading.identifier() {
        _ if reading.form() != Form::Text => true,
        Identifier::Scheme(id, found) => found == notation_of(id.kind(), text, layouts),
        Identifier::KuidWide(_, found) => found == layouts.kuid.notation(),
        _ => true,
    }
}

/// As [`is_asked_for`], where options that are not given ask for nothing.
pub(crate) fn is_not_excluded(reading: &Reading, text: &[u8], layouts: &Layouts) -> bool {
    let is_chosen = match reading.format() {
        Format::Nanoflake => layouts.nanoflake.radix.is_some(),
        Format::Kuid => layouts.kuid.alphabet.is_some(),
        _ => false,
    };
    !is_chosen || is_asked_for(reading, text, layouts)
}
