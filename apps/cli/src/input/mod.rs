//! The inputs of a command, and remarks about them.

mod csv;

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use tickid_detect::trimmed;

use self::csv::{Column, ColumnReader, column};
use crate::failure::{Failure, INVALID};
use crate::message::{say, say_error, shown};
use crate::output::Output;
use crate::output::progress::Progress;
use crate::reading::is_format;

/// The longest line of standard input that is kept, in bytes. No ID is nearly as long.
const MAX_LINE: usize = 64 * 1024;

/// The longest line that is kept if an ID is only a part of it.
const MAX_RECORD: usize = 16 * 1024 * 1024;

/// The number of bytes read in one call.
const CHUNK: usize = 128 * 1024;

/// The place of the IDs in the lines of standard input.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Selection {
    /// Read IDs from this column of CSV: its number from 1, or its title in the first line
    #[arg(long, value_name = "N|NAME", conflicts_with = "field", value_parser = column)]
    column: Option<Column>,
    /// Read IDs from this member of JSON lines: its name, or a JSON pointer (/user/id)
    #[arg(long, value_name = "NAME")]
    field: Option<String>,
}

impl Selection {
    /// Refuses to select a part of arguments if one of them is likely a file.
    fn refuse_arguments(&self) -> Result<(), Failure> {
        let option = match (&self.column, &self.field) {
            (Some(_), _) => "--column",
            (None, Some(_)) => "--field",
            (None, None) => return Ok(()),
        };
        let reason = format!("{option} selects from standard input, and not from arguments");
        Err(Failure::Usage(reason).hinting(FROM_FILE))
    }
}

/// The hint for a file among the arguments.
const FROM_FILE: &str = "`< FILE` after the options reads the lines of a file";

/// Returns the problem of an argument, which may be a file that holds IDs, or the name of a format.
fn of_argument(failure: Failure, text: &str) -> Failure {
    let Failure::Invalid { reason, hint } = failure else { return failure };
    let hint = if Path::new(text).is_file() {
        Some(FROM_FILE.into())
    } else if is_format(text) {
        Some(format!("did you mean `--from {text}`?").into())
    } else {
        hint
    };
    Failure::Invalid { reason, hint }
}

/// One input and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) text: &'a [u8],
    /// The number of the line of standard input, from 1; `None` for an argument.
    pub(crate) line: Option<u64>,
}

/// Calls `each` with every one of `arguments`, or with every line of standard input if there are
/// none or the only one is `-`. Passes over blank lines and removes what is pasted around an ID.
/// Reports the problem of each invalid input, and continues with the others.
///
/// With `keeps_lines`, a line for which `each` writes nothing becomes an empty line of output, so
/// that the output can be pasted beside the input.
pub(crate) fn run(
    arguments: &[String],
    selection: &Selection,
    keeps_lines: bool,
    mut each: impl FnMut(Input<'_>, &mut Output) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let mut out = Output::stdout();
    let mut problems = Problems { hints: Vec::new(), status: ExitCode::SUCCESS };
    let end_line = |out: &mut Output, start: u64| {
        if keeps_lines && out.len() == start {
            out.buffer().push(b'\n');
        }
        out.drain()
    };
    if !arguments.is_empty() && arguments != ["-"] {
        selection.refuse_arguments()?;
        for text in arguments {
            let start = out.len();
            // One that is empty is a mistake.
            let input = Input { text: trimmed(text.as_bytes()), line: None };
            if let Err(failure) = each(input, &mut out) {
                problems.settle(input, of_argument(failure, text), &mut out)?;
            }
            end_line(&mut out, start)?;
        }
        out.flush()?;
        return Ok(problems.status);
    }
    // The problem of one line must not cost the others their answers.
    let mut selector = Selector::new(selection);
    let done = for_each_line(selector.longest_line(), &mut out, |line, number, out| {
        let start = out.len();
        let done = match selector.select(line, number) {
            Ok(Some(input)) => each(input, out).map_err(|failure| (input, failure)),
            Ok(None) => Ok(()),
            Err((input, failure)) => Err((input, *failure)),
        };
        if let Err((input, failure)) = done {
            problems.settle(input, failure, out)?;
        }
        end_line(out, start)
    });
    if let Err(failure) = done {
        // The lines before it are done.
        out.flush()?;
        return Err(failure);
    }
    if let Some((line, number)) = selector.open {
        let failure = Failure::invalid("starts a record with a quotation mark that never ends");
        problems.settle(Input { text: &line, line: Some(number) }, failure, &mut out)?;
    }
    out.flush()?;
    Ok(problems.status)
}

/// The problems of inputs, after which others follow.
struct Problems {
    /// The hints that were given. Each is given only once.
    hints: Vec<Cow<'static, str>>,
    status: ExitCode,
}

impl Problems {
    /// Reports the problem of an input; other failures end the command.
    fn settle(
        &mut self,
        input: Input<'_>,
        failure: Failure,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let Failure::Invalid { reason, hint } = failure else { return Err(failure) };
        self.status = ExitCode::from(INVALID);
        let hint = hint.filter(|hint| !self.hints.contains(hint));
        out.before_message()?;
        say_error(&input.message(&reason), hint.as_deref());
        self.hints.extend(hint);
        Ok(())
    }
}

/// A line of input without its end.
enum InputLine<'a> {
    Whole(&'a [u8]),
    /// The start of a line that is too long to be kept, and its length.
    Cut(&'a [u8], usize),
}

/// Calls `each` with the lines of standard input and their numbers, from 1. If a line is longer
/// than `longest`, only its start is kept.
///
/// The output is flushed before each read, which may wait: a terminal, or a program that writes
/// now and then, gets the answer to a line before it sends the next one. A file is read in large
/// pieces, so this costs it nothing.
fn for_each_line(
    longest: usize,
    out: &mut Output,
    mut each: impl FnMut(InputLine<'_>, u64, &mut Output) -> Result<(), Failure>,
) -> Result<(), Failure> {
    /// Some programs write it before the first line.
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    /// The same of texts that PowerShell writes, before its version 6.
    const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

    let mut stdin = io::stdin().lock();
    if stdin.is_terminal() {
        say("reading IDs from the terminal, one per line; Ctrl-D ends");
    }
    let mut progress = Progress::new("lines", len_of_stdin(), out);
    // The start of a line that has not ended yet is at the front.
    let mut buffer = vec![0; longest + CHUNK];
    let (mut kept, mut cut, mut number, mut bytes) = (0, 0, 0, 0);
    loop {
        out.flush()?;
        progress.show(number, bytes);
        let read = match stdin.read(&mut buffer[kept..kept + CHUNK]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(Failure::Read)?,
        };
        let filled = kept + read;
        bytes += read as u64;
        // Another encoding would make every line invalid, for no reason that one could see.
        if number == 0 && UTF_16.iter().any(|mark| buffer[..filled].starts_with(mark)) {
            let error = "it is UTF-16, and not UTF-8";
            let failure = Failure::Read(io::Error::new(io::ErrorKind::InvalidData, error));
            return Err(failure.hinting("`iconv -f UTF-16 -t UTF-8 FILE` converts it"));
        }
        // Hand out each line that has ended. The bytes that were kept hold no end of a line.
        let mut start = 0;
        let mut searched = kept;
        if number == 0 && buffer[..filled].starts_with(BYTE_ORDER_MARK) {
            start = BYTE_ORDER_MARK.len();
        }
        while let Some(place) = memchr::memchr(b'\n', &buffer[searched..filled]) {
            let end = searched + place;
            number += 1;
            each(whole(&buffer[start..end], longest, cut), number, out)?;
            (start, searched, cut) = (end + 1, end + 1, 0);
        }
        // The last line may end with the input.
        if read == 0 {
            if start < filled {
                each(whole(&buffer[start..filled], longest, cut), number + 1, out)?;
            }
            return Ok(());
        }
        // Keep the start of the line that continues, because its end is still to be read.
        kept = filled - start;
        buffer.copy_within(start..filled, 0);
        if kept > longest {
            // The rest of the line is counted only.
            cut += kept - longest;
            kept = longest;
        }
    }
}

/// Returns the number of bytes that standard input has left, if it is a file.
fn len_of_stdin() -> Option<u64> {
    #[cfg(unix)]
    {
        use std::fs::File;
        use std::io::Seek as _;
        use std::os::fd::AsFd as _;

        let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        metadata.len().checked_sub(file.stream_position().ok()?)
    }
    #[cfg(not(unix))]
    None
}

/// Returns a line, without the `cut` bytes that were not kept.
fn whole(line: &[u8], longest: usize, cut: usize) -> InputLine<'_> {
    let text = line.strip_suffix(b"\r").unwrap_or(line);
    if cut == 0 && text.len() <= longest {
        return InputLine::Whole(text);
    }
    InputLine::Cut(&text[..text.len().min(longest)], text.len() + cut)
}

/// Finds the IDs in lines.
struct Selector {
    part: LinePart,
    /// The first line of a record that continues, and its number.
    open: Option<(Vec<u8>, u64)>,
    /// The same of a record of several lines that has just ended.
    ended: Option<(Vec<u8>, u64)>,
    /// The text of a JSON member.
    text: Vec<u8>,
}

/// The part of a line that is an ID.
enum LinePart {
    All,
    Column(Box<ColumnReader>),
    Member(String),
}

impl Selector {
    fn new(selection: &Selection) -> Self {
        let part = match (&selection.column, &selection.field) {
            (Some(column), _) => LinePart::Column(Box::new(ColumnReader::new(column.clone()))),
            (None, Some(name)) => LinePart::Member(name.clone()),
            (None, None) => LinePart::All,
        };
        Self { part, open: None, ended: None, text: Vec::new() }
    }

    const fn longest_line(&self) -> usize {
        if matches!(self.part, LinePart::All) { MAX_LINE } else { MAX_RECORD }
    }

    /// Returns the ID in a line; `None` for a line that has to hold none. A problem comes with the
    /// line that has it; of a record of several lines, that is the first.
    #[inline]
    fn select<'a>(
        &'a mut self,
        line: InputLine<'a>,
        number: u64,
    ) -> Result<Option<Input<'a>>, (Input<'a>, Box<Failure>)> {
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::Cut(line, len) => {
                let longest = self.longest_line();
                let reason = format!("is not an ID: about {len} bytes long, more than {longest}");
                let place = Input { text: line, line: Some(number) };
                return Err((place, Failure::invalid(reason).into()));
            }
        };
        let text = trimmed(line);
        if text.is_empty() && self.open.is_none() {
            return Ok(None);
        }
        let place = Input { text: line, line: Some(number) };
        match &mut self.part {
            LinePart::All => Ok(Some(Input { text, ..place })),
            LinePart::Column(column) => {
                let is_there = column.read(line);
                if column.is_open() {
                    self.open.get_or_insert_with(|| (line.to_vec(), number));
                    return Ok(None);
                }
                self.ended = self.open.take();
                let place = match &self.ended {
                    Some((text, number)) => Input { text, line: Some(*number) },
                    None => place,
                };
                let is_there = is_there.map_err(|failure| (place, failure.into()))?;
                Ok(is_there.then(|| Input { text: trimmed(column.field()), ..place }))
            }
            LinePart::Member(name) => {
                self.text = member(line, name).map_err(|failure| (place, failure.into()))?;
                Ok(Some(Input { text: trimmed(&self.text), ..place }))
            }
        }
    }
}

/// Returns the text of a member of a JSON value.
fn member(line: &[u8], name: &str) -> Result<Vec<u8>, Failure> {
    use serde_json::Value;

    let value: Value = serde_json::from_slice(line).map_err(|error| Failure::Invalid {
        reason: format!("is not JSON: {error}"),
        hint: Some(
            "--field needs a JSON value in each line; `jq --compact-output` makes such".into(),
        ),
    })?;
    let member = if name.starts_with('/') { value.pointer(name) } else { value.get(name) };
    match member {
        Some(Value::String(text)) => Ok(text.clone().into_bytes()),
        Some(Value::Number(number)) if number.is_f64() => Err(Failure::Invalid {
            reason: format!("has a member {name} that is not an integer of up to 64 bits"),
            hint: Some("larger integers are read from strings: {\"id\": \"…\"}".into()),
        }),
        Some(Value::Number(number)) => Ok(number.to_string().into_bytes()),
        Some(_) => {
            Err(Failure::invalid(format!("has a member {name} that is neither text nor a number")))
        }
        None => Err(Failure::invalid(format!("has no member {name}"))),
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
