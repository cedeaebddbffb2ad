//! Detection of the scheme of a text: every reading that a parser accepts, and no other.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_convert::{AnyId, Layouts, carry};
use tickid_core::UnixTime;
use tickid_detect::{
    Confidence, Encoding, Identifier, Inspection, Notation, Reading, detect, trimmed,
};
use tickid_kuid::{GlobalId, LocalId, WideGlobalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::SnoId;

use crate::convert::layouts;

pub fn check(data: &[u8]) {
    // The bytes of the options are at the end, so that seeds are texts.
    let (text, options) = data.split_at(data.len().saturating_sub(data.len() / 4));
    let mut options = Unstructured::new(options);
    let layouts = layouts(&mut options).unwrap_or_default();
    let now = i64::arbitrary(&mut options).ok().map(UnixTime::from_micros);
    for text in [text, data] {
        let found = detect(text, &layouts, now);
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
        let ids: Vec<(Identifier, Encoding)> =
            readings.iter().map(|one| (one.identifier(), one.encoding())).collect();
        for (index, id) in ids.iter().enumerate() {
            assert!(!ids[..index].contains(id), "{id:?} occurs twice");
        }
        for expected in own(text) {
            let is_found = ids.iter().any(|(id, _)| *id == expected);
            assert!(is_found, "{expected:?} of {text:?}");
        }
        for reading in &readings {
            let id = reading.identifier();
            let fields = id.fields(&layouts);
            let whole = fields.iter().filter(|field| !field.is_divided());
            let bits: u32 = whole.map(|field| field.bits()).sum();
            assert_eq!(bits as usize, 8 * id.bytes().len(), "{id:?}");
            let given = String::from_utf8_lossy(text);
            let inspection = Inspection::of(reading, &given, &layouts);
            assert_eq!(inspection.bytes(), &*id.bytes());
            assert!(inspection.members().all(|member| !member.name.is_empty()));
            if reading.encoding() == Encoding::Text {
                is_of(id, text, &layouts);
            }
        }
    }
}

/// Returns every reading as one of the four schemes, by their parsers.
fn own(text: &[u8]) -> Vec<Identifier> {
    use Notation::{Canonical, Decimal, Url};
    fn scheme(notation: Notation) -> impl Fn(AnyId) -> Identifier {
        move |id| Identifier::Scheme(id, notation)
    }
    // Texts in both cases are not Base36 here.
    let is_mixed =
        text.iter().any(u8::is_ascii_uppercase) && text.iter().any(u8::is_ascii_lowercase);
    let base36 = if is_mixed { &[] } else { text };
    let all = [
        Scru64Id::parse_bytes(base36).map(AnyId::from).map(scheme(Canonical)),
        SnoId::parse_bytes(text).map(AnyId::from).map(scheme(Canonical)),
        NanoflakeId::parse_bytes(base36).map(AnyId::from).map(scheme(Canonical)),
        NanoflakeId::parse_decimal(text).map(AnyId::from).map(scheme(Decimal)),
        LocalId::parse_bytes(text).map(AnyId::from).map(scheme(Canonical)),
        LocalId::parse_url(text).map(AnyId::from).map(scheme(Url)),
        GlobalId::parse_bytes(text).map(AnyId::from).map(scheme(Canonical)),
        GlobalId::parse_url(text).map(AnyId::from).map(scheme(Url)),
        WideGlobalId::parse_bytes(text).map(|id| Identifier::KuidWide(id, Canonical)),
        WideGlobalId::parse_url(text).map(|id| Identifier::KuidWide(id, Url)),
    ];
    all.into_iter().flatten().collect()
}

/// Asserts that a reading agrees with the text.
fn is_of(id: Identifier, text: &[u8], layouts: &Layouts) {
    let text = str::from_utf8(text).unwrap();
    let lower = text.to_ascii_lowercase();
    // Of a UUID.
    let digits = lower.replace('-', "");
    match id {
        Identifier::Scheme(AnyId::Scru64(id), _) => assert_eq!(*id.encode(), lower),
        Identifier::Scheme(AnyId::Nanoflake(id), Notation::Canonical) => {
            assert!(*id.encode() == lower || *id.encode_padded() == lower);
        }
        // A signed column shows a Snowflake of 64 bits as a negative number.
        Identifier::Preset(_, id) | Identifier::Scheme(AnyId::Snowflake(id), Notation::Decimal)
            if text.starts_with('-') =>
        {
            assert_eq!(id.get().cast_signed().to_string(), text);
        }
        Identifier::Scheme(id, Notation::Decimal) => assert_eq!(id.to_u128().to_string(), text),
        Identifier::Scheme(id, Notation::Url) => assert_eq!(&*id.url_text().unwrap(), text),
        Identifier::Scheme(id, _) => assert_eq!(&*id.text(), text),
        Identifier::KuidWide(id, Notation::Url) => assert_eq!(*id.encode_url(), *text),
        Identifier::KuidWide(id, _) => assert_eq!(*id.encode(), *text),
        Identifier::Preset(_, id) => assert_eq!(id.get().to_string(), text),
        Identifier::Mastodon(id) => assert_eq!(id.0.to_string(), text),
        Identifier::UnixTime(_, number) => assert_eq!(number.to_string(), text),
        Identifier::Uuid(uuid) => assert!(digits.contains(&uuid.simple().to_string()), "{uuid}"),
        Identifier::Carried(id) => {
            let by_value = [Some(carry::to_uuid(id)), carry::to_uuid_v7(id, layouts).ok()];
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
