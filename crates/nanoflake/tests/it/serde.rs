//! IDs are text in human-readable formats and integers in others.

use tickid_nanoflake::NanoflakeId;
use tickid_testkit::binary_serde::{Document, read, write};

#[test]
fn json_holds_the_canonical_text() {
    let id = NanoflakeId::new(1_541_815_603_606_036_480).unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), "\"bppc0m3ju134\"");
    for text in ["\"bppc0m3ju134\"", "\"0BPPC0M3JU134\""] {
        assert_eq!(serde_json::from_str::<NanoflakeId>(text).unwrap(), id);
    }
}

#[test]
fn json_errors_have_the_reason() {
    let cases = [
        ("\"00\"", "'0' at position 0"),
        ("\"1y2p0ij32e8e8\"", "is above 9223372036854775807"),
        ("7", "the text of an ID"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<NanoflakeId>(json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn binary_formats_hold_the_integer() {
    for value in [0, 1, 1_541_815_603_606_036_480, i64::MAX] {
        let id = NanoflakeId::new(value).unwrap();
        let document = Document::I64(value);
        assert_eq!(write(&id).as_ref(), Ok(&document));
        assert_eq!(read(document), Ok(id));
    }
    let error = read::<NanoflakeId>(Document::I64(-1)).unwrap_err();
    let expected = "Nanoflake integer -1 is outside of 0..=9223372036854775807";
    assert_eq!(error.to_string(), expected);
}
