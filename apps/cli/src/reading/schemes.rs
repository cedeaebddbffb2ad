//! The texts of the schemes' IDs, as the options have them.

use tickid_convert::{AnyId, Form, Kind, TextForm};
use tickid_detect::{Identifier, Reading};
use tickid_kuid::wide::WideGlobalId;
use tickid_text::form::Characters;
use tickid_text::{ParseError, ParseErrorKind};

use crate::options::{IdOptions, KuidKind, Scheme};

/// Reads `text` as an ID of `scheme`: as the kind with texts of its length, or otherwise as one
/// with a node. `named` is the name of the text form, if one was named. Returns `None` if that kind
/// has no such form.
pub(crate) fn read(
    scheme: Scheme,
    named: Option<&str>,
    text: &[u8],
    settings: &IdOptions,
) -> Option<Result<(Identifier, Form), ParseError>> {
    let of_length = scheme.kinds().find(|kind| kind.text_lens().contains(&text.len()));
    let kind = of_length.unwrap_or_else(|| scheme.kind(KuidKind::Global));
    let form = match named {
        Some(name) => TextForm::named(kind, name)?,
        None => usual_form(kind, text),
    };
    Some(read_form(form, text, settings))
}

fn read_form(
    form: TextForm,
    text: &[u8],
    settings: &IdOptions,
) -> Result<(Identifier, Form), ParseError> {
    let kind = form.kind();
    // No kind has 128 bits, which only global kuids with a wide node have.
    if kind == Kind::KuidGlobal && text.len() == WideGlobalId::TEXT_LEN {
        let mut rows = WideGlobalId::FORMS.iter().zip(TextForm::all(kind));
        if let Some((row, _)) = rows.find(|(_, each)| *each == form) {
            return (row.parse)(text).map(|id| (Identifier::KuidWide(id), Form::Text(form)));
        }
    }
    let id = form.parse(text)?;
    // The parser takes any 64 bits, but a layout may have fewer.
    if let AnyId::Snowflake(id) = id {
        let max = settings.all().snowflake.max_id();
        if id > max {
            let (value, max) = (id.get().into(), max.get().into());
            let kind = ParseErrorKind::TooLarge { value, max };
            return Err(ParseError::new("Snowflake of this layout", kind));
        }
    }
    Ok((Identifier::Scheme(id), Form::Text(form)))
}

/// Returns the form that is taken for that of `text` if none is named: the canonical one, unless the
/// text has a length that only one of the others has.
fn usual_form(kind: Kind, text: &[u8]) -> TextForm {
    let canonical = TextForm::canonical(kind);
    let (min, max) = canonical.lens;
    // Nearly every text has this length. Only for the others is it worth the time to look at their
    // characters, once for all forms.
    if (min..=max).contains(&text.len()) {
        return canonical;
    }
    let characters = Characters::used_in(text);
    // Where no form fits, the parser of the canonical one says what is wrong with the text.
    TextForm::all(kind).find(|form| form.fits(text.len(), characters)).unwrap_or(canonical)
}

/// Reports whether a reading of a text has the form that is taken for it: forms of one length are
/// never guessed.
pub(crate) fn is_usual(reading: &Reading, text: &[u8]) -> bool {
    match reading.form() {
        // A wide kuid is longer than other forms of global ones.
        Form::Text(found) if matches!(reading.identifier(), Identifier::KuidWide(_)) => {
            found == TextForm::canonical(found.kind())
        }
        Form::Text(found) => found == usual_form(found.kind(), text),
        // Formats that are no scheme have one text.
        Form::Own | Form::Int | Form::Hex | Form::Bytes | Form::Tuple => true,
    }
}
