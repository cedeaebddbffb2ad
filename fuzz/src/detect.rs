//! Detection of the scheme of a text: every reading that a parser accepts, and no other.

use arbitrary::{Arbitrary as _, Unstructured};
use tickid_convert::{
    AnyId, Candidate, Form, KuidAlphabet, Layouts, NanoflakeText, Reading, carry, detect, trimmed,
};
use tickid_core::UnixTime;
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
        let candidates: Vec<Candidate> = found.iter().copied().collect();
        assert_eq!((candidates.len(), candidates.is_empty()), (found.len(), found.is_empty()));
        assert!(candidates.is_sorted_by_key(Candidate::plausibility), "likeliest first");
        assert!(found.possible().count() <= found.len());
        assert!(!found.is_certain() || !candidates.is_empty());
        assert!(trimmed(text).len() <= text.len());
        let readings: Vec<(Reading, Form)> =
            candidates.iter().map(|one| (one.reading(), one.form())).collect();
        for (index, reading) in readings.iter().enumerate() {
            assert!(!readings[..index].contains(reading), "{reading:?} occurs twice");
        }
        for expected in own(text) {
            let is_found = readings.iter().any(|(reading, _)| *reading == expected);
            assert!(is_found, "{expected:?} of {text:?}");
        }
        for (reading, form) in readings {
            let bits: u32 = reading.fields(&layouts).map(|field| field.bits()).sum();
            assert_eq!(bits as usize, 8 * reading.bytes().len(), "{reading:?}");
            if form == Form::Text {
                is_of(reading, text, &layouts);
            }
        }
    }
}

/// Returns every reading as one of the four schemes, by their parsers.
fn own(text: &[u8]) -> Vec<Reading> {
    use KuidAlphabet::{Sortable, Url};
    use NanoflakeText::{Base36, Decimal};
    let all = [
        Scru64Id::parse_bytes(text).map(Reading::Scru64),
        SnoId::parse_bytes(text).map(Reading::Sno),
        NanoflakeId::parse_bytes(text).map(|id| Reading::Nanoflake(id, Base36)),
        NanoflakeId::parse_decimal(text).map(|id| Reading::Nanoflake(id, Decimal)),
        LocalId::parse_bytes(text).map(|id| Reading::KuidLocal(id, Sortable)),
        LocalId::parse_url(text).map(|id| Reading::KuidLocal(id, Url)),
        GlobalId::parse_bytes(text).map(|id| Reading::KuidGlobal(id, Sortable)),
        GlobalId::parse_url(text).map(|id| Reading::KuidGlobal(id, Url)),
        WideGlobalId::parse_bytes(text).map(|id| Reading::KuidWide(id, Sortable)),
        WideGlobalId::parse_url(text).map(|id| Reading::KuidWide(id, Url)),
    ];
    all.into_iter().flatten().collect()
}

/// Asserts that a reading agrees with the text.
fn is_of(reading: Reading, text: &[u8], layouts: &Layouts) {
    let text = str::from_utf8(text).unwrap();
    let lower = text.to_ascii_lowercase();
    // Of a UUID.
    let digits = lower.replace('-', "");
    match reading {
        Reading::Scru64(id) => assert_eq!(*id.encode(), lower),
        Reading::Sno(id) => assert_eq!(*id.encode(), *text),
        Reading::Nanoflake(id, NanoflakeText::Base36) => {
            assert!(*id.encode() == lower || *id.encode_padded() == lower);
        }
        Reading::Nanoflake(id, _) => assert_eq!(id.get().to_string(), text),
        Reading::KuidLocal(id, KuidAlphabet::Sortable) => assert_eq!(*id.encode(), *text),
        Reading::KuidLocal(id, _) => assert_eq!(*id.encode_url(), *text),
        Reading::KuidGlobal(id, KuidAlphabet::Sortable) => assert_eq!(*id.encode(), *text),
        Reading::KuidGlobal(id, _) => assert_eq!(*id.encode_url(), *text),
        Reading::KuidWide(id, KuidAlphabet::Sortable) => assert_eq!(*id.encode(), *text),
        Reading::KuidWide(id, _) => assert_eq!(*id.encode_url(), *text),
        Reading::Twitter(id) => assert_eq!(id.0.to_string(), text),
        Reading::Discord(id) => assert_eq!(id.0.to_string(), text),
        Reading::Instagram(id) => assert_eq!(id.0.to_string(), text),
        Reading::Mastodon(id) => assert_eq!(id.0.to_string(), text),
        Reading::Uuid(uuid) => assert!(digits.contains(&uuid.simple().to_string()), "{uuid}"),
        Reading::Carried(id) => {
            let by_value = [Some(carry::to_uuid(id)), carry::to_uuid_v7(id, layouts).ok()];
            let by_text = match id {
                AnyId::Sno(id) => Some(carry::sno_to_uuid(id)),
                _ => None,
            };
            let mut uuids = by_value.into_iter().chain([by_text]).flatten();
            assert!(uuids.any(|uuid| digits.contains(&uuid.simple().to_string())), "{id}");
        }
        Reading::Sonyflake(id) => assert_eq!(id.0.to_string(), text),
        Reading::SonyflakeV2(id) => assert_eq!(id.0.to_string(), text),
        Reading::PgEdge(id) => assert_eq!(id.0.to_string(), text),
        Reading::Ulid(_) => assert_eq!(text.len(), 26),
        Reading::Ksuid(_) => assert_eq!(text.len(), 27),
        Reading::Xid(_) => assert_eq!(text.len(), 20),
        Reading::TypeId { prefix_len: 0, .. } => assert_eq!(text.len(), 26),
        Reading::TypeId { prefix_len, .. } => {
            assert_eq!(text.len(), usize::from(prefix_len) + 27);
        }
        Reading::ObjectId(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits, lower);
        }
        other => panic!("{other:?} of {text}"),
    }
}
