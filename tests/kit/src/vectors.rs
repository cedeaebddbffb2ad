//! The recordings of the original programs and of this project's releases, in its `vectors` folder.
//! An entry that is missing, or of another kind, fails the test with a message that names it.

use core::str::FromStr;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use serde_json::Value;

/// Returns the file `name` of the `vectors` folder. It is read once for all tests of a program,
/// because under Miri that takes longer than most tests.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn load(name: &str) -> Arc<Value> {
    static FILES: Mutex<BTreeMap<String, Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(files.entry(name.to_owned()).or_insert_with(|| Arc::new(read(name))))
}

fn read(name: &str) -> Value {
    let path = path(name);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name)
}

/// Returns the recordings of this name of all releases that have one, by their versions.
///
/// # Panics
/// If none has, or one cannot be read.
#[must_use]
pub fn releases(name: &str) -> BTreeMap<String, Value> {
    let folders = fs::read_dir(path("releases")).unwrap();
    let versions = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    let of = |version: &String| format!("releases/{version}/{name}");
    let recorded = versions.filter(|version| path(&of(version)).exists());
    let recorded: BTreeMap<_, _> =
        recorded.map(|version| (version.clone(), read(&of(&version)))).collect();
    assert!(!recorded.is_empty(), "no release has {name}");
    recorded
}

/// Replaces the present release's recording of this name, if the variable `TICKID_RECORD` is set.
///
/// # Panics
/// If it cannot be written.
pub fn record_release(name: &str, record: impl FnOnce() -> Value) {
    if std::env::var_os("TICKID_RECORD").is_none() {
        return;
    }
    let path = path("releases").join(env!("CARGO_PKG_VERSION")).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = serde_json::to_string_pretty(&record()).unwrap();
    fs::write(path, text + "\n").unwrap();
}

/// Returns a field of an object.
///
/// # Panics
/// If the object lacks this field.
#[must_use]
pub fn field<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or_else(|| panic!("no {key} in {value}"))
}

/// Asserts that `value` has exactly these fields, because a field that no test reads is not checked
/// by any test.
///
/// # Panics
/// If the fields differ.
pub fn has_fields(value: &Value, fields: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    let mut expected = fields.to_vec();
    expected.sort_unstable();
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, expected, "fields of {value}");
}

/// Returns the elements of a list.
///
/// # Panics
/// If `value` is not a list.
#[must_use]
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Returns the list `key`, which must have `len` entries, so that a test cannot pass on an empty
/// list.
///
/// # Panics
/// If there is no such list, or if it has another length.
#[must_use]
pub fn list<'a>(value: &'a Value, key: &str, len: usize) -> &'a [Value] {
    let list = array(field(value, key));
    assert_eq!(list.len(), len, "entries in {key}");
    list
}

/// Returns a string.
///
/// # Panics
/// If the field is not a string.
#[must_use]
pub fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    field(value, key).as_str().unwrap_or_else(|| panic!("{key} is not a string in {value}"))
}

/// Returns a string, or `None` for `null`.
///
/// # Panics
/// If the field is neither.
#[must_use]
pub fn string_or_null<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    (!field(value, key).is_null()).then(|| string(value, key))
}

/// Returns a truth value.
///
/// # Panics
/// If the field is not one.
#[must_use]
pub fn boolean(value: &Value, key: &str) -> bool {
    field(value, key).as_bool().unwrap_or_else(|| panic!("{key} is not a truth value in {value}"))
}

/// Returns the elements of a list of strings.
///
/// # Panics
/// If `value` is anything else.
#[must_use]
pub fn strings(value: &Value) -> Vec<&str> {
    let text = |element| Value::as_str(element).unwrap_or_else(|| panic!("no string: {element}"));
    array(value).iter().map(text).collect()
}

/// Returns a number that fits `T`.
///
/// # Panics
/// If the field is not one.
#[must_use]
pub fn number<T: TryFrom<i128>>(value: &Value, key: &str) -> T {
    field(value, key)
        .as_number()
        .and_then(serde_json::Number::as_i128)
        .and_then(|number| T::try_from(number).ok())
        .unwrap_or_else(|| panic!("{key} is not a fitting number in {value}"))
}

/// Returns a number that is recorded as a decimal string.
///
/// # Panics
/// If the field is not one, or does not fit.
#[must_use]
pub fn big<T: FromStr>(value: &Value, key: &str) -> T {
    let parsed = string(value, key).parse().ok();
    parsed.unwrap_or_else(|| panic!("{key} is not a fitting decimal in {value}"))
}

/// Returns `N` bytes that are recorded as lower-case hexadecimal digits.
///
/// # Panics
/// If the field does not hold `N` bytes.
#[must_use]
pub fn bytes<const N: usize>(value: &Value, key: &str) -> [u8; N] {
    let digits = string(value, key).as_bytes();
    assert_eq!(digits.len(), 2 * N, "digits of {key} in {value}");
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("{key} is not hexadecimal in {value}"),
    };
    core::array::from_fn(|at| digit(digits[2 * at]) << 4 | digit(digits[2 * at + 1]))
}

#[cfg(test)]
mod tests {
    use core::fmt::Debug;
    use core::panic::UnwindSafe;
    use std::panic::catch_unwind;

    use serde_json::json;

    use super::*;

    fn fails<T: Debug>(read: impl Fn(&Value) -> T + UnwindSafe, value: Value) {
        let message = catch_unwind(move || read(&value)).unwrap_err();
        assert!(message.is::<String>(), "says where");
    }

    #[test]
    fn reads_what_is_there() {
        let entry = json!({"n": -7, "big": "18446744073709551615", "hex": "0aff", "none": null,
            "yes": true, "list": [1, 2]});
        assert_eq!(number::<i8>(&entry, "n"), -7);
        assert_eq!(big::<u64>(&entry, "big"), u64::MAX);
        assert_eq!(bytes(&entry, "hex"), [10, 255]);
        assert_eq!(string_or_null(&entry, "none"), None);
        assert_eq!(string_or_null(&entry, "hex"), Some("0aff"));
        assert!(boolean(&entry, "yes"));
        assert_eq!(list(&entry, "list", 2).len(), 2);
        has_fields(&entry, &["n", "big", "hex", "none", "yes", "list"]);
    }

    #[test]
    fn fails_for_other_kinds() {
        let entry = json!({"n": 256, "s": "0A", "list": []});
        fails(|entry| string(entry, "missing").to_owned(), entry.clone());
        fails(|entry| string(entry, "n").to_owned(), entry.clone());
        fails(|entry| number::<u8>(entry, "n"), entry.clone());
        fails(|entry| number::<u8>(entry, "s"), entry.clone());
        fails(|entry| big::<u8>(entry, "s"), entry.clone());
        fails(|entry| bytes::<1>(entry, "s"), entry.clone());
        fails(|entry| bytes::<2>(entry, "s"), entry.clone());
        fails(|entry| boolean(entry, "s"), entry.clone());
        fails(|entry| list(entry, "list", 1).len(), entry.clone());
        fails(|entry| list(entry, "s", 0).len(), entry.clone());
        fails(|entry| has_fields(entry, &["n", "s"]), entry.clone());
        fails(|entry| has_fields(entry, &["n", "s", "list", "more"]), entry);
    }

    #[test]
    fn the_files_are_found() {
        for name in ["kuid.json", "sno.json"] {
            assert!(load(name).is_object(), "{name}");
        }
    }
}
