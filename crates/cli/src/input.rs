//! The inputs of a command, and remarks about them.

use std::io::{self, Read as _};
use std::process::ExitCode;

use clap::Args;
use csv_core::ReadFieldResult;
use tickid_convert::trimmed;

use crate::failure::{Failure, INVALID};
use crate::message::{say, say_error, shown};
use crate::output::Output;

/// The longest line of standard input that is kept, in bytes. No ID is nearly as long.
const MAX_LINE: usize = 64 * 1024;

/// The number of bytes read at once.
const CHUNK: usize = 128 * 1024;

/// The place of the IDs in the lines of standard input.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Selection {
    /// Read IDs from this column of CSV lines: its number from 1, or its name in the first line
    #[arg(long, value_name = "N|NAME", conflicts_with = "field", value_parser = column)]
    column: Option<Column>,
    /// Read IDs from this member of JSON lines: its name, or a JSON pointer (/user/id)
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
}

#[derive(Clone, Debug)]
enum Column {
    Number(usize),
    Name(String),
}

fn column(text: &str) -> Result<Column, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("columns are counted from 1".into()),
        Ok(number) => Ok(Column::Number(number)),
        Err(_) => Ok(Column::Name(text.to_owned())),
    }
}

/// One input and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) text: &'a [u8],
    /// The number of the line of standard input, from 1; `None` for an argument.
    line: Option<u64>,
}

/// Calls `each` with every one of `arguments`, or with every line of standard input if there are
/// none or the only one is `-`. Passes over blank lines and removes what is pasted around an ID.
/// Reports the problem of each input that is invalid, with which the others go on.
pub(crate) fn run(
    arguments: &[String],
    selection: &Selection,
    mut each: impl FnMut(Input<'_>, &mut Output) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let mut out = Output::stdout();
    let mut hints: Vec<String> = Vec::new();
    let mut status = ExitCode::SUCCESS;
    let mut selector = Selector::new(selection);
    for_each(arguments, |line, number| {
        let input = match line {
            Line::Whole(line) => match selector.select(line, number) {
                Ok(Some(text)) => Ok(Input { text, line: number }),
                Ok(None) => return Ok(()),
                Err(reason) => Err((Input { text: line, line: number }, Failure::invalid(reason))),
            },
            Line::Cut(text, len) => {
                let reason = format!("is no ID: about {len} bytes long, more than {MAX_LINE}");
                Err((Input { text, line: number }, Failure::invalid(reason)))
            }
        };
        let done = match input {
            Ok(input) => each(input, &mut out).map_err(|failure| (input, failure)),
            Err(error) => Err(error),
        };
        match done {
            Err((input, Failure::Invalid { reason, hint })) => {
                status = ExitCode::from(INVALID);
                let hint = hint.filter(|hint| !hints.iter().any(|said| said == hint));
                out.before_message()?;
                say_error(&input.message(&reason), hint);
                hints.extend(hint.map(str::to_owned));
            }
            Err((_, failure)) => return Err(failure),
            Ok(()) => {}
        }
        out.drain()
    })?;
    out.flush()?;
    Ok(status)
}

/// A line of input without its end.
enum Line<'a> {
    Whole(&'a [u8]),
    /// The beginning of a line that is too long to be kept, and its length.
    Cut(&'a [u8], usize),
}

fn for_each(
    arguments: &[String],
    mut each: impl FnMut(Line<'_>, Option<u64>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !arguments.is_empty() && arguments != ["-"] {
        return arguments.iter().try_for_each(|text| each(Line::Whole(text.as_bytes()), None));
    }
    let mut stdin = io::stdin().lock();
    // The beginning of a line that has yet to end is at the front.
    let mut buffer = vec![0; MAX_LINE + CHUNK];
    let (mut kept, mut cut, mut number) = (0, 0, 0);
    loop {
        let read = match stdin.read(&mut buffer[kept..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(Failure::Read)?,
        };
        let filled = kept + read;
        let mut start = 0;
        // The bytes that were kept hold no end of a line.
        let mut searched = kept;
        while let Some(place) = memchr::memchr(b'\n', &buffer[searched..filled]) {
            let end = searched + place;
            number += 1;
            each(whole(&buffer[start..end], cut), Some(number))?;
            (start, searched, cut) = (end + 1, end + 1, 0);
        }
        if read == 0 {
            if start < filled {
                each(whole(&buffer[start..filled], cut), Some(number + 1))?;
            }
            return Ok(());
        }
        kept = filled - start;
        buffer.copy_within(start..filled, 0);
        if kept > MAX_LINE {
            // The rest of the line is counted only.
            cut += kept - MAX_LINE;
            kept = MAX_LINE;
        }
    }
}

/// Returns a line, of which `cut` bytes were not kept.
fn whole(line: &[u8], cut: usize) -> Line<'_> {
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    if cut == 0 && text.len() <= MAX_LINE {
        return Line::Whole(text);
    }
    Line::Cut(&text[..text.len().min(MAX_LINE)], text.len() + cut)
}

/// Finds the IDs in lines.
struct Selector {
    selection: Selection,
    reader: csv_core::Reader,
    buffer: Vec<u8>,
}

impl Selector {
    fn new(selection: &Selection) -> Self {
        let reader = csv_core::Reader::new();
        Self { selection: selection.clone(), reader, buffer: Vec::new() }
    }

    /// Returns the ID in a line; `None` for a line that has to hold none. The error is a predicate.
    #[inline]
    fn select<'a>(
        &'a mut self,
        line: &'a [u8],
        number: Option<u64>,
    ) -> Result<Option<&'a [u8]>, String> {
        let text = trimmed(line);
        let is_plain = self.selection.column.is_none() && self.selection.field.is_none();
        if is_plain || number.is_none() || text.is_empty() {
            // An argument that is empty is a mistake.
            return Ok((!text.is_empty() || number.is_none()).then_some(text));
        }
        self.select_part(line)
    }

    fn select_part(&mut self, line: &[u8]) -> Result<Option<&[u8]>, String> {
        if let Some(name) = &self.selection.field {
            let json: serde_json::Value =
                serde_json::from_slice(line).map_err(|error| format!("is no JSON: {error}"))?;
            let member = if name.starts_with('/') { json.pointer(name) } else { json.get(name) };
            self.buffer = match member {
                Some(serde_json::Value::String(text)) => text.clone().into_bytes(),
                Some(serde_json::Value::Number(number)) => number.to_string().into_bytes(),
                Some(_) => return Err(format!("has a member {name} that is no text or number")),
                None => return Err(format!("has no member {name}")),
            };
            return Ok(Some(trimmed(&self.buffer)));
        }
        let column = match &self.selection.column {
            Some(Column::Number(column)) => *column,
            Some(Column::Name(name)) => {
                let name = name.clone();
                let found = self.place_of(line, name.as_bytes());
                let found = found.ok_or_else(|| format!("is a first line without {name}"))?;
                self.selection.column = Some(Column::Number(found));
                return Ok(None);
            }
            None => return Ok(None),
        };
        let field = self.column(line, column);
        field.map(|field| Some(trimmed(field))).ok_or_else(|| format!("has no column {column}"))
    }

    /// Returns the number of the column with this title.
    fn place_of(&mut self, titles: &[u8], title: &[u8]) -> Option<usize> {
        for column in 1.. {
            if self.column(titles, column)? == title {
                return Some(column);
            }
        }
        None
    }

    /// Returns a field of a CSV line, counted from 1.
    fn column(&mut self, line: &[u8], column: usize) -> Option<&[u8]> {
        self.reader.reset();
        // No field is longer than the line.
        self.buffer.resize(line.len() + 1, 0);
        let (mut rest, mut index, mut len) = (line, 1, 0);
        loop {
            let (result, read, written) = self.reader.read_field(rest, &mut self.buffer[len..]);
            rest = &rest[read..];
            len += written;
            match result {
                ReadFieldResult::Field { .. } if index == column => {
                    return Some(&self.buffer[..len]);
                }
                ReadFieldResult::Field { record_end: false } => (index, len) = (index + 1, 0),
                // Another call with nothing to read ends the record.
                ReadFieldResult::InputEmpty => {}
                _ => return None,
            }
        }
    }
}

impl Input<'_> {
    /// Writes a remark about the input to standard error.
    pub(crate) fn remark(&self, out: &mut Output, remark: &str) -> Result<(), Failure> {
        out.before_message()?;
        say(&self.message(remark));
        Ok(())
    }

    fn message(&self, predicate: &str) -> String {
        let place = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{place}'{}' {predicate}", shown(self.text))
    }
}
