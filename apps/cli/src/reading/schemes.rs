//! The texts of the schemes' IDs, as the options have them.

use tickid_convert::{AnyId, Kind};
use tickid_detect::{Encoding, Identifier, Notation, Reading};
use tickid_kuid::WideGlobalId;
use tickid_nanoflake::NanoflakeId;
use tickid_snowflake::SnowflakeId;
use tickid_text::{ParseError, ParseErrorKind};

use crate::options::{KuidKind, Layouts, Scheme};

/// Reads `text` as an ID of `scheme`: as the kind with texts of its length, or otherwise as one
/// with a node.
pub(crate) fn read(
    scheme: Scheme,
    text: &[u8],
    layouts: &Layouts,
) -> Result<Identifier, ParseError> {
    let of_length = scheme.kinds().find(|kind| kind.text_lens().contains(&text.len()));
    let kind = of_length.unwrap_or_else(|| scheme.kind(KuidKind::Global));
    let notation = notation_of(kind, text, layouts);
    // No kind has 128 bits, which only global kuids with a wide node have.
    if kind == Kind::KuidGlobal && text.len() == WideGlobalId::TEXT_LEN {
        let is_url = notation == Notation::Url;
        let parse = if is_url { WideGlobalId::parse_url } else { WideGlobalId::parse_bytes };
        return parse(text).map(|id| Identifier::KuidWide(id, notation));
    }
    // The parser takes any 64 bits, but a layout may have fewer.
    if kind == Kind::Snowflake {
        let id = SnowflakeId::parse_bytes(text)?;
        let max = layouts.all().snowflake.max_id();
        if id > max {
            let (value, max) = (id.get().into(), max.get().into());
            let kind = ParseErrorKind::TooLarge { value, max };
            return Err(ParseError::new("Snowflake of this layout", kind));
        }
    }
    let id = match notation {
        Notation::Decimal if kind == Kind::Nanoflake => {
            NanoflakeId::parse_decimal(text).map(AnyId::from)
        }
        Notation::Url => AnyId::parse_url(kind, text).unwrap_or_else(|| AnyId::parse(kind, text)),
        _ => AnyId::parse(kind, text),
    };
    Ok(Identifier::Scheme(id?, notation))
}

/// Returns the notation of `text`. Without a radix, a Nanoflake that can only be decimal is taken
/// for decimal: more digits than Base36 has.
fn notation_of(kind: Kind, text: &[u8], layouts: &Layouts) -> Notation {
    let is_decimal = text.len() > NanoflakeId::TEXT_LEN && text.iter().all(u8::is_ascii_digit);
    if kind == Kind::Nanoflake && layouts.radix.is_none() && is_decimal {
        return Notation::Decimal;
    }
    layouts.notation(kind)
}

/// Reports whether a reading of a text is the one that the options ask for: kuid's alphabets and
/// Nanoflake's numbers are never guessed.
pub(crate) fn is_asked_for(reading: &Reading, text: &[u8], layouts: &Layouts) -> bool {
    match reading.identifier() {
        _ if reading.encoding() != Encoding::Text => true,
        Identifier::Scheme(id, found) => found == notation_of(id.kind(), text, layouts),
        Identifier::KuidWide(_, found) => found == layouts.notation(Kind::KuidGlobal),
        _ => true,
    }
}
