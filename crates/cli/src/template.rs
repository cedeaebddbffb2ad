//! Lines in a form of the user's: text with names in braces.

use core::str::FromStr;
use std::io::Write as _;

use crate::failure::Failure;
use crate::report::{Hex, Report, Value, date_time};

/// Pieces of text, and names of what is written between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(String),
}

/// Names in braces are replaced, `{{` and `}}` are braces, and `\n`, `\t` and `\\` are escapes.
impl FromStr for Template {
    type Err = String;

    fn from_str(template: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = template.chars().peekable();
        while let Some(next) = rest.next() {
            match next {
                '{' | '}' if rest.peek() == Some(&next) => {
                    text.push(next);
                    rest.next();
                }
                '{' => {
                    let mut name = String::new();
                    while let Some(letter) =
                        rest.next_if(|it| it.is_ascii_alphanumeric() || *it == '_')
                    {
                        name.push(letter);
                    }
                    if name.is_empty() || rest.next() != Some('}') {
                        return Err("'{' begins a name, as in {text}; '{{' is a brace".into());
                    }
                    pieces.push(Piece::Text(core::mem::take(&mut text)));
                    pieces.push(Piece::Name(name));
                }
                '}' => return Err("'}' ends no name; '}}' is a brace".into()),
                '\\' => match rest.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('\\') => text.push('\\'),
                    _ => return Err("after '\\' there is n, t or another '\\'".into()),
                },
                other => text.push(other),
            }
        }
        pieces.push(Piece::Text(text));
        Ok(Self(pieces))
    }
}

impl Template {
    /// Appends a line about an ID.
    ///
    /// # Errors
    /// Fails for a name that the ID has no field of, which others may have, and appends nothing.
    pub(crate) fn write(&self, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
        let start = out.len();
        let written = self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Piece::Name(name) => write_field(name, report, out),
        });
        match written {
            Ok(()) => out.push(b'\n'),
            Err(_) => out.truncate(start),
        }
        written
    }
}

fn write_field(name: &str, report: &Report, out: &mut Vec<u8>) -> Result<(), Failure> {
    // Writing to memory can't fail.
    match name {
        "scheme" => out.extend_from_slice(report.scheme.as_bytes()),
        "text" => out.extend_from_slice(&report.text),
        "hex" => out.extend_from_slice(report.hex().digits(&mut [0; _])),
        "unix_ms" => {
            let _ = report.time.map_or(Ok(()), |time| write!(out, "{}", time.as_millis()));
        }
        "time" => {
            let _ = report.time.and_then(date_time).map_or(Ok(()), |date| write!(out, "{date}"));
        }
        _ => match report.fields.iter().find(|(field, _)| *field == name) {
            Some((_, Value::Hex(number, len))) => {
                let bytes = number.to_be_bytes();
                out.extend_from_slice(Hex::low(&bytes, *len).digits(&mut [0; _]));
            }
            Some((_, value)) => {
                let _ = write!(out, "{value}");
            }
            None => {
                let others = report.fields.iter().map(|(field, _)| *field);
                let names: Vec<&str> = ["scheme", "text", "hex", "unix_ms", "time"]
                    .into_iter()
                    .chain(others)
                    .collect();
                let reason = format!("has no {{{name}}}; it has {}", names.join(", "));
                return Err(Failure::invalid(reason));
            }
        },
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tickid_core::UnixTime;

    use super::*;
    use crate::report::Facts as _;

    #[test]
    fn names_are_replaced() {
        let mut report = Report::default();
        let text = |out: &mut Vec<u8>| out.extend_from_slice(b"abc");
        report.start("test", text, &[0xca, 0xfe], Some(UnixTime::from_micros(1_500)));
        report.number("sequence", 7);
        report.field("node", Value::Hex(0x2a, 4));
        for (template, expected) in [
            ("", "\n"),
            ("{text} {time}", "abc 1970-01-01T00:00:00.001Z\n"),
            ("{{{hex}}}\\t{sequence},{node}\\n", "{cafe}\t7,0000002a\n\n"),
            ("{unix_ms}{scheme}", "1test\n"),
        ] {
            let mut out = Vec::new();
            template.parse::<Template>().unwrap().write(&report, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{template}");
        }
        let unknown: Template = "{text} {nose}".parse().unwrap();
        let mut out = b"before\n".to_vec();
        let error = unknown.write(&report, &mut out).unwrap_err().to_string();
        assert!(error.contains("{nose}") && error.contains("sequence"), "{error}");
        assert_eq!(out, b"before\n");
    }

    #[test]
    fn braces_must_match() {
        for template in ["{", "}", "{}", "{te xt}", "{text", "a\\", "\\q"] {
            assert!(template.parse::<Template>().is_err(), "{template}");
        }
    }
}
