//! Texts of digits alone, and numbers, in human-readable formats: a number is never read as an ID's
//! text, nor a text as its integer. Where serde buffers a value, CSV and YAML make a number of an
//! unquoted text of digits: that is refused, with the reason.

use core::fmt::Debug;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tickid_core::external::Representations;
use tickid_kuid::LocalId;
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Plain<T> {
    id: T,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened<T> {
    #[serde(flatten)]
    rest: Plain<T>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged<T> {
    Id { id: T },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged<T> {
    Id { id: T },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Maybe<T> {
    id: Option<T>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FlattenedOption<T> {
    #[serde(flatten)]
    rest: Maybe<T>,
}

/// As a row of CSV can have it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FlattenedUntagged<T> {
    #[serde(flatten)]
    rest: Untagged<T>,
}

/// As a row of CSV can have it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct FlattenedTagged<T> {
    #[serde(flatten)]
    rest: Tagged<T>,
}

/// Tag and content, which are buffered if the content comes first.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id")]
enum Adjacent<T> {
    Id(T),
}

/// The same positions with a text by `with`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Representations")]
struct ByText<T> {
    #[serde(with = "tickid_sno::serde_as_text")]
    id: T,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Representations")]
struct FlattenedText<T> {
    #[serde(flatten)]
    rest: ByText<T>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Representations")]
struct ByString<T> {
    #[serde(with = "tickid_sno::serde_as_string")]
    id: T,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "T: Representations")]
struct FlattenedString<T> {
    #[serde(flatten)]
    rest: ByString<T>,
}

/// Texts of digits alone, and that look like other numbers or words; whether CSV and YAML take them
/// for such. YAML leaves integers with leading zeros to texts.
const SCRU64: [(&str, bool, bool); 5] = [
    ("000000000007", true, false),
    ("123456789012", true, true),
    ("999999999999", true, true),
    ("0000000001e5", true, true),
    ("0u375nxqh5cq", false, false),
];
const NANOFLAKE: [(&str, bool, bool); 6] = [
    ("7", true, true),
    ("1234567890123", true, true),
    ("12e5", true, true),
    ("inf", true, false),
    ("true", true, true),
    ("1y2p0ij32e8e7", false, false),
];
const KUID: [(&str, bool, bool); 4] = [
    ("01234567893", true, false),
    (".5000000003", true, true),
    ("99999999997", true, true),
    (".5.tXbhdV.3", false, false),
];

type Read<T> = Result<T, String>;

fn csv<T: DeserializeOwned>(cell: &str) -> Read<T> {
    let document = format!("kind,id\nId,{cell}\n");
    let mut reader = csv::Reader::from_reader(document.as_bytes());
    reader.deserialize().next().unwrap().map_err(|error| error.to_string())
}

fn yaml<T: DeserializeOwned>(value: &str) -> Read<T> {
    // The content first, so that it has to be buffered.
    serde_norway::from_str(&format!("id: {value}\nkind: Id\n")).map_err(|error| error.to_string())
}

fn json<T: DeserializeOwned>(value: &str) -> Read<T> {
    let document = format!("{{\"id\":{value},\"kind\":\"Id\"}}");
    serde_json::from_str(&document).map_err(|error| error.to_string())
}

fn toml<T: DeserializeOwned>(value: &str) -> Read<T> {
    toml::from_str(&format!("id = {value}\nkind = \"Id\"\n")).map_err(|error| error.to_string())
}

/// A format that guesses what an unquoted text is, and whether it does so for a text.
type Guess = (fn(&str) -> [Read<String>; 5], bool);

/// Returns the texts of the IDs that CSV reads in every position that serde buffers.
fn csv_positions<T: Representations + DeserializeOwned + ToString>(
    text: &str,
) -> [Read<String>; 5] {
    [
        csv(text).map(|Flattened::<T> { rest }| rest.id.to_string()),
        csv(text).map(|FlattenedUntagged { rest: Untagged::Id::<T> { id } }| id.to_string()),
        csv(text).map(|FlattenedTagged { rest: Tagged::Id::<T> { id } }| id.to_string()),
        csv(text).map(|FlattenedText::<T> { rest }| rest.id.to_string()),
        csv(text).map(|FlattenedOption::<T> { rest }| rest.id.unwrap().to_string()),
    ]
}

fn yaml_positions<T: Representations + DeserializeOwned + ToString>(
    text: &str,
) -> [Read<String>; 5] {
    [
        yaml(text).map(|Flattened::<T> { rest }| rest.id.to_string()),
        yaml(text).map(|Untagged::Id::<T> { id }| id.to_string()),
        yaml(text).map(|Tagged::Id::<T> { id }| id.to_string()),
        yaml(text).map(|Adjacent::Id::<T>(id)| id.to_string()),
        yaml(text).map(|FlattenedText::<T> { rest }| rest.id.to_string()),
    ]
}

/// Asserts that texts are read as they are where nothing is buffered, and elsewhere unless the
/// format takes them for something else.
fn unquoted<T>(texts: &[(&str, bool, bool)])
where
    T: Representations + DeserializeOwned + PartialEq + ToString,
{
    for &(text, csv_guesses, yaml_guesses) in texts {
        let id: T = text.parse().ok().unwrap();
        assert_eq!(csv::<Plain<T>>(text).unwrap().id, id, "{text}");
        assert_eq!(yaml::<Plain<T>>(text).unwrap().id, id, "{text}");
        let guesses: [Guess; 2] =
            [(csv_positions::<T>, csv_guesses), (yaml_positions::<T>, yaml_guesses)];
        for (positions, is_guessed) in guesses {
            for (index, read) in positions(text).into_iter().enumerate() {
                match read {
                    Ok(read) => assert_eq!((read, is_guessed), (id.to_string(), false)),
                    Err(error) => {
                        assert!(is_guessed, "{text} at {index}: {error}");
                        // serde keeps no reason why no variant of an untagged enum matches.
                        let says = error.contains("quote the text");
                        assert!(says || index == 1, "{text} at {index}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn unquoted_digits_are_no_other_id() {
    unquoted::<Scru64Id>(&SCRU64);
    unquoted::<NanoflakeId>(&NANOFLAKE);
    unquoted::<LocalId>(&KUID);
}

/// Asserts that quoted texts are read in every position, and numbers in none.
fn quoted<T>(text: &str)
where
    T: Representations + DeserializeOwned + PartialEq,
{
    fn read<P: DeserializeOwned, T: Representations + PartialEq>(text: &str, id: fn(P) -> T) {
        for format in [yaml, json, toml] {
            assert_eq!(format(&format!("{text:?}")).map(id), Ok(text.parse().ok().unwrap()));
        }
    }
    read(text, |Plain::<T> { id }| id);
    read(text, |Flattened::<T> { rest }| rest.id);
    read(text, |Untagged::Id::<T> { id }| id);
    read(text, |Tagged::Id::<T> { id }| id);
    read(text, |Adjacent::Id::<T>(id)| id);
    read(text, |FlattenedText::<T> { rest }| rest.id);
}

#[test]
fn quoted_digits_are_the_text() {
    SCRU64.iter().for_each(|(text, ..)| quoted::<Scru64Id>(text));
    NANOFLAKE.iter().for_each(|(text, ..)| quoted::<NanoflakeId>(text));
    KUID.iter().for_each(|(text, ..)| quoted::<LocalId>(text));
}

#[test]
fn numbers_are_no_ids_in_any_position() {
    /// Asserts that no format reads `number`; each error has the reason.
    fn refused_at<P: DeserializeOwned>(
        number: &str,
        formats: &[fn(&str) -> Read<P>],
        reason: &str,
    ) {
        for format in formats {
            let error = format(number).map(drop).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
    fn refused<T: Representations + DeserializeOwned>(number: &str) {
        refused_at::<Plain<T>>(number, &[json, toml], "invalid type: integer");
        refused_at::<Flattened<T>>(number, &[json, toml], "quote the text");
        refused_at::<Untagged<T>>(number, &[json, toml], "");
        refused_at::<Tagged<T>>(number, &[json, toml], "quote the text");
        refused_at::<Adjacent<T>>(number, &[json, toml], "");
        refused_at::<FlattenedString<T>>(number, &[json, toml, yaml, csv], "quote the text");
    }
    for number in ["7", "123456789012", "110009624767914842", "4738381338321616895"] {
        refused::<Scru64Id>(number);
        refused::<NanoflakeId>(number);
        refused::<LocalId>(number);
    }
}

/// As integers by `with`, numbers are what is asked for.
#[test]
fn integers_by_with_are_read_from_csv() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Integer {
        #[serde(with = "tickid_scru64::serde_as_integer")]
        id: Scru64Id,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct FlattenedInteger {
        #[serde(flatten)]
        rest: Integer,
    }
    let id = tickid_scru64::scru64!("0u375nxqh5cq");
    let cell = id.get().to_string();
    assert_eq!(csv::<Integer>(&cell), Ok(Integer { id }));
    assert_eq!(csv::<FlattenedInteger>(&cell), Ok(FlattenedInteger { rest: Integer { id } }));
    assert_eq!(yaml::<FlattenedInteger>(&cell), Ok(FlattenedInteger { rest: Integer { id } }));
}
