//! Detection of the scheme of a text: every reading that a parser accepts, and no other.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_convert::{AnyId, Form, Kind, Settings, TextForm, carry};
use tickid_core::UnixTime;
use tickid_detect::{Confidence, Identifier, Inspection, Reading, detect, trimmed};
use tickid_kuid::wide::WideGlobalId;
use tickid_text::form::Characters;

use crate::convert::settings;

pub fn check(data: &[u8]) {
    // The bytes of the options are at the end, so that seeds are texts.
    let (text, options) = data.split_at(data.len().saturating_sub(data.len() / 4));
    let mut options = Unstructured::new(options);
    let settings = settings(&mut options).unwrap_or_default();
    let now = i64::arbitrary(&mut options).ok().map(UnixTime::from_micros);
    for text in [text, data] {
        let found = detect(text, &settings, now);
        let readings: Vec<Reading> = found.iter().copied().collect();
        assert_eq!((readings.len(), readings.is_empty()), (found.len(), found.is_empty()));
        assert!(readings.is_sorted_by_key(Reading::confidence), "likeliest first");
        assert!(found.likely().all(|one| one.confidence() <= Confidence::Likely));
        assert!(
            readings
                .iter()
                .all(|one| { one.doubt().is_some() == (one.confidence() == Confidence::Possible) })
        );
        assert!(trimmed(text).len() <= text.len());
        let ids: Vec<(Identifier, Form)> =
            readings.iter().map(|one| (one.identifier(), one.form())).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id:?} occurs twice");
        }
        for expected in own(text) {
            let is_found = ids.contains(&expected);
            assert!(is_found, "{expected:?} of {text:?}");
        }
        for reading in &readings {
            let id = reading.identifier();
            let fields = id.fields(&settings);
            let whole = fields.iter().filter(|field| !field.is_divided());
            let bits: u32 = whole.map(|field| field.bits()).sum();
            assert_eq!(bits as usize, 8 * id.bytes().len(), "{id:?}");
            let given = String::from_utf8_lossy(text);
            let inspection = Inspection::of(reading, &given, &settings);
            assert_eq!(inspection.bytes(), &*id.bytes());
            assert!(inspection.members().all(|member| !member.name.is_empty()));
            if matches!(reading.form(), Form::Text(_) | Form::Own) {
                is_of(id, inspection.text(), text, &settings);
            }
        }
    }
}

/// Returns every reading as one of the four schemes, by their parsers.
fn own(text: &[u8]) -> Vec<(Identifier, Form)> {
    let used = Characters::used_in(text);
    let forms = Kind::ALL.iter().flat_map(|kind| TextForm::all(*kind));
    // Texts in both cases are not Base36 here.
    let own = forms.filter(|form| form.kind() != Kind::Snowflake && form.fits(text.len(), used));
    let own =
        own.filter_map(|form| Some((Identifier::Scheme(form.parse(text).ok()?), Form::Text(form))));
    let wide = WideGlobalId::FORMS.iter().zip(TextForm::all(Kind::KuidGlobal));
    let wide = wide.filter_map(|(row, form)| {
        Some((Identifier::KuidWide((row.parse)(text).ok()?), Form::Text(form)))
    });
    own.chain(wide).collect()
}

/// Asserts that a reading agrees with the text. `written` is how the ID is written in its form.
fn is_of(id: Identifier, written: &str, text: &[u8], settings: &Settings) {
    let text = str::from_utf8(text).unwrap();
    let lower = text.to_ascii_lowercase();
    // Of a UUID.
    let digits = lower.replace('-', "");
    match id {
        Identifier::Scheme(AnyId::Scru64(id)) => assert_eq!(*id.encode(), lower),
        Identifier::Scheme(AnyId::Nanoflake(id)) if *id.encode() == *written => {
            assert!(written == lower || *id.encode_padded() == lower);
        }
        // A signed column shows a Snowflake of 64 bits as a negative number.
        Identifier::Preset(_, id) | Identifier::Scheme(AnyId::Snowflake(id))
            if text.starts_with('-') =>
        {
            assert_eq!(id.get().cast_signed().to_string(), text);
        }
        Identifier::Scheme(_) | Identifier::KuidWide(_) => assert_eq!(written, text),
        Identifier::Preset(_, id) => assert_eq!(id.get().to_string(), text),
        Identifier::Mastodon(id) => assert_eq!(id.0.to_string(), text),
        Identifier::UnixTime(_, number) => assert_eq!(number.to_string(), text),
        Identifier::Uuid(uuid) => assert!(digits.contains(&uuid.simple().to_string()), "{uuid}"),
        Identifier::Carried(id) => {
            let by_value = [Some(carry::to_uuid(id)), carry::to_uuid_v7(id, settings).ok()];
            let by_text = match id {
                AnyId::Sno(id) => Some(carry::sno_to_uuid(id)),
                _ => None,
            };
            let mut uuids = by_value.into_iter().chain([by_text]).flatten();
            assert!(uuids.any(|uuid| digits.contains(&uuid.simple().to_string())), "{id}");
        }
        Identifier::TypeId { prefix_len: 0, .. } => assert_eq!(text.len(), 26),
        Identifier::TypeId { prefix_len, .. } => {
            assert_eq!(text.len(), usize::from(prefix_len) + 27);
        }
        // In hexadecimal, in decimal, or in digits that take as much room as the bytes at least.
        Identifier::Foreign(foreign) => {
            let bytes = id.bytes();
            assert_eq!(&*bytes, foreign.bytes());
            let number = id.integer().map(|number| number.to_string());
            let is_of_len = text.len() >= bytes.len();
            assert!(bytes.to_string() == lower || number.as_deref() == Some(text) || is_of_len);
        }
        other => panic!("{other:?} of {text}"),
    }
}
