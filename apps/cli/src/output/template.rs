//! Lines in a form of the user's: text with names in braces.

use core::str::FromStr;
use std::io::Write as _;

use tickid_detect::{Confidence, Inspection};

use crate::failure::Failure;
use crate::input::{Content, Input};

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
                // A doubled brace comes first, or `{{` would start a name.
                '{' | '}' if rest.peek() == Some(&next) => {
                    text.push(next);
                    rest.next();
                }
                '{' => {
                    // Which names there are depends on the format of each ID, so they are looked up
                    // only then. Here a name is only told from text, as in `{te xt}`.
                    let mut name = String::new();
                    while let Some(letter) =
                        rest.next_if(|it| it.is_ascii_alphanumeric() || *it == '_')
                    {
                        name.push(letter);
                    }
                    if name.is_empty() || rest.next() != Some('}') {
                        return Err("'{' starts a name, as in {text}; '{{' is a brace".into());
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

/// The place of an ID in the input, as far as it has one, and what stands there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place<'a> {
    line: Option<u64>,
    column: Option<u64>,
    prefix: Option<&'a str>,
    found: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(crate) const fn of(input: Input<'a>) -> Self {
        let Input { line, column, prefix, .. } = input;
        Self { line, column, prefix, found: input.found() }
    }

    /// Returns the number that a name in a template stands for.
    fn named(self, name: &str) -> Option<u64> {
        match name {
            "line" => self.line,
            "column" => self.column,
            _ => None,
        }
    }

    /// Returns the text that a name stands for.
    fn text(self, name: &str) -> Option<&'a str> {
        match name {
            "prefix" => self.prefix,
            "found" => self.found,
            _ => None,
        }
    }
}

impl Template {
    /// Appends a line about an ID.
    ///
    /// # Errors
    /// Fails for a name that the ID has no field of, which others may have, and appends nothing.
    pub(crate) fn write(
        &self,
        id: &Inspection<'_>,
        place: Place<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let start = out.len();
        let written = self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Piece::Name(name) => write_member(name, id, place, out),
        });
        match written {
            Ok(()) => out.push(b'\n'),
            Err(_) => out.truncate(start),
        }
        written
    }

    /// Appends the line for a line of input without an ID: with as many fields as the others, or
    /// with their names for the titles of CSV.
    pub(crate) fn keep_line(&self, content: Content, place: Place<'_>, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match (content, piece) {
                // The rest of the record is in the next lines, and so are its fields.
                (Content::Part, _) => {}
                (Content::Titles, Piece::Text(text) | Piece::Name(text))
                | (Content::Id | Content::Empty | Content::Gap, Piece::Text(text)) => {
                    out.extend_from_slice(text.as_bytes());
                }
                // Writing to memory can't fail.
                (Content::Id | Content::Empty | Content::Gap, Piece::Name(name)) => {
                    let _ = place.named(name).map_or(Ok(()), |number| write!(out, "{number}"));
                }
            }
        }
        out.push(b'\n');
    }
}

/// Appends an integer, for less than `write!` costs.
fn write_int(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The names that IDs of all formats have.
const COMMON: [&str; 8] =
    ["scheme", "text", "hex", "unix_ms", "time", "node", "sequence", "confidence"];

fn write_member(
    name: &str,
    id: &Inspection<'_>,
    place: Place<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    // Writing to memory can't fail.
    match name {
        "scheme" => out.extend_from_slice(id.format().key().as_bytes()),
        "text" => out.extend_from_slice(id.text().as_bytes()),
        "hex" => id.with_hex(|hex| out.extend_from_slice(hex.as_bytes())),
        "unix_ms" => id.unix_time().into_iter().for_each(|time| write_int(time.as_millis(), out)),
        "time" => {
            let _ = id.date_time().map_or(Ok(()), |date| write!(out, "{date}"));
        }
        "int" if id.integer().is_some() => {
            id.integer().into_iter().for_each(|number| write_int(number, out));
        }
        "line" | "column" if place.named(name).is_some() => {
            let _ = place.named(name).map_or(Ok(()), |number| write!(out, "{number}"));
        }
        "confidence" => {
            out.extend_from_slice(id.confidence().map_or("", Confidence::name).as_bytes());
        }
        "prefix" | "found" if place.text(name).is_some() => {
            out.extend_from_slice(place.text(name).unwrap_or_default().as_bytes());
        }
        _ => match (id.member(name), name) {
            (Some(member), _) => {
                let _ = write!(out, "{}", member.value);
            }
            // If the format has no field of this name, as in JSON.
            (None, "node") => {
                let _ = id.node().map_or(Ok(()), |node| write!(out, "{}", node.value()));
            }
            (None, "sequence") => {
                let _ = id.sequence().map_or(Ok(()), |it| write!(out, "{}", it.value()));
            }
            (None, "prefix") => {}
            (None, _) => {
                let int = id.integer().map(|_| "int");
                // A format may have a node or a sequence of its own.
                let own = id.members().map(|member| member.name);
                let own = own.filter(|name| !COMMON.contains(name));
                let numbers = ["line", "column"].into_iter();
                let numbers = numbers.filter(|name| place.named(name).is_some());
                let texts = ["prefix", "found"].into_iter();
                let texts = texts.filter(|name| place.text(name).is_some());
                let names = COMMON.into_iter().chain(int).chain(own).chain(numbers).chain(texts);
                let names: Vec<&str> = names.collect();
                let reason = format!("has no {{{name}}}; it has {}", names.join(", "));
                return Err(Failure::invalid(reason));
            }
        },
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tickid_convert::{AnyId, Kind, Settings};

    use super::*;

    #[test]
    fn names_are_replaced() {
        let id = AnyId::from_u128(Kind::KuidGlobal, 0x06_7f6a_0000_002a_0000_0007).unwrap();
        let id = Inspection::new(id.into(), "", &Settings::default());
        for (template, expected) in [
            ("", "\n"),
            ("{scheme} {kind}", "kuid global\n"),
            ("{{{hex}}}\\t{sequence},{node}\\n", "{00067f6a0000002a00000007}\t7,0000002a\n\n"),
            ("{drift}{text}", &format!("8{}\n", id.text())),
        ] {
            let mut out = Vec::new();
            template.parse::<Template>().unwrap().write(&id, Place::default(), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{template}");
        }
        let unknown: Template = "{text} {nose}".parse().unwrap();
        let mut out = b"before\n".to_vec();
        let error = unknown.write(&id, Place::default(), &mut out).unwrap_err().to_string();
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
