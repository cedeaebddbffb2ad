//! The inputs that a target starts from: those committed in `corpus`, and the texts of `vectors`.
//!
//! `corpus/TARGET.txt` has one input per line, in double quotes and escaped as in a Rust byte
//! string. Lines that start with `#` are comments, such as the name of a regression. The texts of
//! the vectors are not repeated there. `xtask` compiles this file, too, because it passes the
//! inputs to the fuzzer.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

/// The recordings whose texts are inputs of a target, by the names of both.
const RECORDINGS: &[(&str, &[&str])] = &[
    ("detect", &["kuid", "nanoflake", "scru64", "sno"]),
    ("node_specs", &["scru64"]),
    ("snapshot", &["sno"]),
    (
        "snowflake",
        &["snowflake/discord", "snowflake/pgedge", "snowflake/sonyflake", "snowflake/tsid"],
    ),
];

/// Returns the inputs of a target, from the repository at `root`: the committed ones first.
///
/// # Errors
/// Returns the error of reading the files; one that is malformed is [`io::ErrorKind::InvalidData`].
pub fn inputs(root: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let path = root.join("fuzz/corpus").join(target).with_extension("txt");
    let mut inputs = unpack(&fs::read_to_string(path)?)?;
    inputs.extend(of_recordings(root, target)?);
    Ok(inputs)
}

/// Returns the inputs of a target that the recorded vectors give.
///
/// # Errors
/// As [`inputs`].
pub fn of_recordings(root: &Path, target: &str) -> io::Result<Vec<Vec<u8>>> {
    let mut inputs = Vec::new();
    for (_, names) in RECORDINGS.iter().filter(|(name, _)| *name == target) {
        for name in *names {
            let path = root.join("tests/vectors").join(name).with_extension("json");
            collect(&serde_json::from_str(&fs::read_to_string(path)?)?, &mut inputs);
        }
    }
    inputs.sort();
    inputs.dedup();
    Ok(inputs)
}

/// Adds every string, and the bytes of those that are hexadecimal.
fn collect(value: &Value, inputs: &mut Vec<Vec<u8>>) {
    match value {
        Value::String(text) => {
            inputs.push(text.clone().into_bytes());
            inputs.extend(bytes_of_hex(text));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, inputs)),
        Value::Object(members) => members.values().for_each(|value| collect(value, inputs)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|pair| byte_of_hex(*pair)).collect()
}

fn byte_of_hex(pair: [u8; 2]) -> Option<u8> {
    let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
    u8::try_from(high? << 4 | low?).ok()
}

/// Returns the line of one input.
#[must_use]
pub fn pack(input: &[u8]) -> String {
    format!("\"{}\"", input.escape_ascii())
}

/// Reads packed inputs.
///
/// # Errors
/// Returns [`io::ErrorKind::InvalidData`] that names the first line which is not an input.
pub fn unpack(text: &str) -> io::Result<Vec<Vec<u8>>> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
    lines
        .map(|(number, line)| {
            let malformed = || format!("line {number} is not an escaped input: {line}");
            unescape(line).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, malformed()))
        })
        .collect()
}

/// Reverses [`pack`].
fn unescape(line: &str) -> Option<Vec<u8>> {
    let line = line.strip_prefix('"')?.strip_suffix('"')?;
    let mut input = Vec::with_capacity(line.len());
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        input.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => byte_of_hex([bytes.next()?, bytes.next()?])?,
                escaped @ (b'\\' | b'"' | b'\'') => escaped,
                _ => return None,
            },
            b' '..=b'~' if byte != b'"' => byte,
            _ => return None,
        });
    }
    Some(input)
}
