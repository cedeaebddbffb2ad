//! IDs are text in human-readable formats and integers in others.

use tickid_scru64::Scru64Id;
use tickid_testkit::binary_serde::{Document, read, write};

#[test]
fn json_holds_the_canonical_text() {
    let id = Scru64Id::new(110_009_624_767_914_842).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"0u375nxqh5cq\"");
    for text in ["\"0u375nxqh5cq\"", "\"0U375NXQH5CQ\""] {
        assert_eq!(serde_json::from_str::<Scru64Id>(text).unwrap(), id);
    }
}

#[test]
fn json_errors_have_the_reason() {
    let cases = [
        ("\"0u375nxqh5c\"", "11 bytes long, not 12"),
        ("\"0u375nxqh5c-\"", "'-' at position 11"),
        ("7", "the text of an ID"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<Scru64Id>(json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn binary_formats_hold_the_integer() {
    for id in [Scru64Id::MIN, Scru64Id::MAX] {
        let document = Document::U64(id.get());
        assert_eq!(write(&id).as_ref(), Ok(&document));
        assert_eq!(read(document), Ok(id));
    }
    let error = read::<Scru64Id>(Document::U64(36_u64.pow(12))).unwrap_err();
    let expected = "SCRU64 integer 4738381338321616896 is outside of 0..=4738381338321616895";
    assert_eq!(error.to_string(), expected);
}
