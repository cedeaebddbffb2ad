//! IDs are text in human-readable formats and integers in others.

use tickid_snowflake::SnowflakeId;
use tickid_testkit::binary_serde::{Document, read, write};

#[test]
fn json_holds_the_decimal_as_text() {
    let id = SnowflakeId::MAX;
    let json = "\"18446744073709551615\"";
    assert_eq!(serde_json::to_string(&id).unwrap(), json);
    assert_eq!(serde_json::from_str::<SnowflakeId>(json).unwrap(), id);
}

#[test]
fn json_errors_have_the_reason() {
    let cases = [
        ("\"00\"", "'0' at position 0"),
        ("\"18446744073709551616\"", "is above 18446744073709551615"),
        ("7", "the text of an ID"),
    ];
    for (json, expected) in cases {
        let error = serde_json::from_str::<SnowflakeId>(json).unwrap_err();
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn binary_formats_hold_the_integer() {
    for value in [0, 1, 1_541_815_603_606_036_480, u64::MAX] {
        let id = SnowflakeId::new(value);
        let document = Document::U64(value);
        assert_eq!(write(&id).as_ref(), Ok(&document));
        assert_eq!(read(document), Ok(id));
    }
}
