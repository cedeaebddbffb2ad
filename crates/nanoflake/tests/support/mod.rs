//! Reads the recorded vectors. Whatever is not there, or is of another kind, fails the test and says
//! where.

use core::str::FromStr;
use std::path::Path;

use serde_json::Value;

/// The file `name` of the project's `vectors` folder.
pub(crate) fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The list `key`, which must have `len` entries, so that an empty one is no success.
pub(crate) fn list<'a>(value: &'a Value, key: &str, len: usize) -> &'a [Value] {
    let list = field(value, key).as_array();
    let list = list.unwrap_or_else(|| panic!("{key} is no list"));
    assert_eq!(list.len(), len, "entries in {key}");
    list
}

/// Fails unless `value` has exactly these fields: one that no test reads is one that none asserts.
pub(crate) fn has_fields(value: &Value, fields: &[&str]) {
    let object = value.as_object();
    let object = object.unwrap_or_else(|| panic!("no object: {value}"));
    let mut expected = fields.to_vec();
    expected.sort_unstable();
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "fields of {value}");
}

pub(crate) fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    let field = value.get(key);
    field.unwrap_or_else(|| panic!("no {key} in {value}"))
}

pub(crate) fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    let string = field(value, key).as_str();
    string.unwrap_or_else(|| panic!("{key} is no string in {value}"))
}

/// A string, or `None` where `null` says there is none.
pub(crate) fn string_or_null<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    (!field(value, key).is_null()).then(|| string(value, key))
}

/// A JSON number that fits `T`.
pub(crate) fn number<T: TryFrom<i64>>(value: &Value, key: &str) -> T {
    let number = field(value, key).as_i64();
    number
        .and_then(|number| T::try_from(number).ok())
        .unwrap_or_else(|| panic!("{key} is no fitting number in {value}"))
}

/// A number that is recorded as a decimal string.
pub(crate) fn big<T: FromStr>(value: &Value, key: &str) -> T {
    let parsed = string(value, key).parse().ok();
    parsed.unwrap_or_else(|| panic!("{key} is no fitting decimal in {value}"))
}
