//! The inputs of a command, and remarks about them.

mod binary;
mod csv;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read, StdinLock};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use tickid_core::counted;
use tickid_detect::{Damage, trimmed};

pub(crate) use self::csv::Content;
use self::csv::{Column, ColumnReader, column, delimiter};
use crate::failure::{Failure, INVALID};
use crate::message::{say, say_error, shown};
use crate::output::Output;
use crate::output::progress::Progress;
use crate::reading::is_format;
use crate::reading::prefix::Split;

/// The longest line of standard input that is kept, in bytes. No ID is nearly as long.
const MAX_LINE: usize = 64 * 1024;

/// The longest line that is kept if an ID is only a part of it.
const MAX_RECORD: usize = 16 * 1024 * 1024;

/// The number of bytes of a record that are kept for messages, which show fewer.
const MAX_SHOWN: usize = 1024;

/// The number of bytes read in one call.
const CHUNK: usize = 128 * 1024;

/// The place of the IDs in the lines of standard input.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Selection {
    /// Read IDs from this column of CSV: its number from 1, or its title in the first line
    #[arg(long, value_name = "N|NAME", conflicts_with = "field", value_parser = column)]
    column: Option<Column>,
    /// The character between the columns, or tab [default: the one of tab, semicolon and comma that
    /// the first line has most]
    #[arg(long, value_name = "CHAR", requires = "column", value_parser = delimiter)]
    delimiter: Option<u8>,
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
    /// The number of the first character, from 1, of an ID that was found among others.
    pub(crate) column: Option<u64>,
    /// The prefix before the text, if the ID has one.
    pub(crate) prefix: Option<&'a str>,
}

/// The work of a command on its inputs.
pub(crate) trait Work {
    /// Writes what keeps the place of a line for which nothing else is written, so that the output
    /// can be pasted beside the input. `content` is the line's, which is an ID's if that had a
    /// problem.
    fn keep_line(&self, content: Content, input: Input<'_>, out: &mut Vec<u8>);

    /// Reports whether nothing is written before the last input.
    fn is_silent(&self) -> bool {
        false
    }

    /// Reports whether an input may be as long as a record, because IDs are looked for in it.
    fn is_search(&self) -> bool {
        false
    }

    /// Reports whether the work is to see the first inputs [ahead](Self::preview).
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Sees the first inputs, up to ten, before it is given the last of them. It is called again
    /// whenever more of them have come.
    fn preview(&mut self, _texts: &[Vec<u8>]) {}

    /// Takes note of a cell or a member without a value.
    fn pass_over(&mut self) {}

    /// Works on one input.
    fn input(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure>;
}

/// The number of inputs that are seen ahead.
const AHEAD: usize = 10;

/// Gives `work` every one of `arguments`, or every line of standard input if there are none or the
/// only one is `-`. Skips blank lines and empty cells, and removes quotes and the like around an ID.
/// Reports the problems of the first ten invalid inputs and the number of the others, and continues
/// after each.
pub(crate) fn run(
    arguments: &[String],
    selection: &Selection,
    work: &mut impl Work,
) -> Result<ExitCode, Failure> {
    if !arguments.is_empty() && arguments != ["-"] {
        return of_arguments(arguments, selection, work);
    }
    of_lines(LineSource::stdin(), selection, work)
}

/// Gives `work` every line, as [`run`] does.
pub(crate) fn of_lines(
    source: LineSource,
    selection: &Selection,
    work: &mut impl Work,
) -> Result<ExitCode, Failure> {
    let (mut out, problems) = (Output::stdout(), Problems::of("line"));
    // The problem of one line must not cost the others their answers.
    let ahead = work.looks_ahead().then(Ahead::default);
    let selector = Selector::new(selection, work.is_search());
    let mut lines = Lines { selector, worker: InputRun { work, problems }, ahead };
    if let Err(failure) = for_each_line(source, &mut out, &mut lines) {
        // The lines before it are done.
        lines.release(&mut out)?;
        out.flush()?;
        lines.worker.problems.finish();
        return Err(failure);
    }
    lines.release(&mut out)?;
    if let Some((record, number)) = lines.selector.open {
        let failure = Failure::invalid("starts a record with a quotation mark that never ends");
        let input = Input { text: &record, line: Some(number), column: None, prefix: None };
        lines.worker.problems.settle(input, failure, &mut out)?;
    }
    out.flush()?;
    Ok(lines.worker.problems.finish())
}

fn of_arguments(
    arguments: &[String],
    selection: &Selection,
    work: &mut impl Work,
) -> Result<ExitCode, Failure> {
    let (mut out, problems) = (Output::stdout(), Problems::of("argument"));
    selection.refuse_arguments()?;
    if work.looks_ahead() {
        let texts = arguments.iter().take(AHEAD).map(|text| trimmed(text.as_bytes()).to_vec());
        work.preview(&texts.collect::<Vec<_>>());
    }
    let is_search = work.is_search();
    let mut worker = InputRun { work, problems };
    for text in arguments {
        let bytes = text.as_bytes();
        // Unlike an empty line, an empty argument is a mistake.
        let text_of_id = if is_search { bytes } else { trimmed(bytes) };
        let input = Input { text: text_of_id, line: None, column: None, prefix: None };
        worker.finish(input, Ok(Content::Id), |failure| of_argument(failure, text), &mut out)?;
    }
    out.flush()?;
    Ok(worker.problems.finish())
}

/// The source of lines.
pub(crate) enum LineSource {
    Stdin(StdinLock<'static>),
    File(File),
}

impl LineSource {
    pub(crate) fn stdin() -> Self {
        Self::Stdin(io::stdin().lock())
    }

    fn is_terminal(&self) -> bool {
        match self {
            Self::Stdin(stdin) => stdin.is_terminal(),
            Self::File(file) => file.is_terminal(),
        }
    }

    /// Returns the number of bytes that are left, if it is a file.
    fn len(&self) -> Option<u64> {
        use std::io::Seek as _;

        // Of a copy of the descriptor, because a `File` closes its own. The copy has the same
        // position, which is not 0 if the shell's `read` came before.
        let mut file = match self {
            #[cfg(unix)]
            Self::Stdin(stdin) => {
                use std::os::fd::AsFd as _;

                File::from(stdin.as_fd().try_clone_to_owned().ok()?)
            }
            #[cfg(not(unix))]
            Self::Stdin(_) => return None,
            Self::File(file) => file.try_clone().ok()?,
        };
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        metadata.len().checked_sub(file.stream_position().ok()?)
    }
}

impl Read for LineSource {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stdin(stdin) => stdin.read(buffer),
            Self::File(file) => file.read(buffer),
        }
    }
}

/// The work on inputs, and the problems that they had.
struct InputRun<'a, W> {
    work: &'a mut W,
    problems: Problems,
}

impl<W: Work> InputRun<'_, W> {
    /// Works on an input, unless there is none in its line, or it has a problem already.
    #[inline]
    fn finish(
        &mut self,
        input: Input<'_>,
        content: Result<Content, Failure>,
        explain: impl FnOnce(Failure) -> Failure,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let start = out.len();
        let (content, done) = match content {
            Ok(Content::Id) => (Content::Id, self.work.input(input, out)),
            Ok(Content::Empty) => {
                self.work.pass_over();
                (Content::Gap, Ok(()))
            }
            Ok(other @ (Content::Gap | Content::Titles | Content::Part)) => (other, Ok(())),
            Err(failure) => (Content::Gap, Err(failure)),
        };
        if let Err(failure) = done {
            self.problems.settle(input, explain(failure), out)?;
        }
        if out.len() == start {
            self.work.keep_line(content, input, out.buffer());
        }
        out.drain()
    }
}

/// The lines of standard input on their way to the work.
struct Lines<'a, W> {
    selector: Selector,
    worker: InputRun<'a, W>,
    /// The first inputs, until there are enough of them.
    ahead: Option<Ahead>,
}

/// The first inputs, which the work sees ahead.
#[derive(Default)]
struct Ahead {
    texts: Vec<Vec<u8>>,
    /// The inputs that the work was not given yet, with the lines without one between them.
    held: Vec<WaitingInput>,
}

/// An input that waits for others.
struct WaitingInput {
    text: Vec<u8>,
    line: Option<u64>,
    content: Result<Content, Failure>,
}

impl<W: Work> Lines<'_, W> {
    /// Takes the next line.
    #[inline]
    fn line(&mut self, line: InputLine<'_>, number: u64, out: &mut Output) -> Result<(), Failure> {
        let (input, content) = self.selector.select(line, number);
        let Some(ahead) = &mut self.ahead else {
            return self.worker.finish(input, content, |failure| failure, out);
        };
        let text = input.text.to_vec();
        if matches!(content, Ok(Content::Id)) {
            ahead.texts.push(text.clone());
        }
        ahead.held.push(WaitingInput { text, line: input.line, content });
        if ahead.texts.len() == AHEAD {
            self.release(out)?;
            self.ahead = None;
        }
        Ok(())
    }

    /// Gives the work the inputs that wait: there are enough, or the next one may take a while.
    fn release(&mut self, out: &mut Output) -> Result<(), Failure> {
        let Some(ahead) = self.ahead.as_mut().filter(|ahead| !ahead.held.is_empty()) else {
            return Ok(());
        };
        self.worker.work.preview(&ahead.texts);
        for WaitingInput { text, line, content } in ahead.held.drain(..) {
            let input = Input { text: &text, line, column: None, prefix: None };
            self.worker.finish(input, content, |failure| failure, out)?;
        }
        Ok(())
    }
}

/// The number of inputs about which there is a message. A file may have a million of the same kind.
pub(crate) const MESSAGES: u64 = 10;

/// Returns a number of inputs with their name, `line`, after the first ones.
pub(crate) fn further(count: u64, noun: &str) -> String {
    counted(count, &format!("further {noun}")).to_string()
}

/// The problems of inputs, after which others follow.
struct Problems {
    /// The name of one input.
    noun: &'static str,
    /// The hints that were given. Each is given only once.
    hints: Vec<Cow<'static, str>>,
    count: u64,
}

impl Problems {
    const fn of(noun: &'static str) -> Self {
        Self { noun, hints: Vec::new(), count: 0 }
    }

    /// Reports the number of the problems that had no message, and returns the exit status.
    fn finish(&self) -> ExitCode {
        if self.count > MESSAGES {
            say_error(&format!("{} failed", further(self.count - MESSAGES, self.noun)), None);
        }
        if self.count > 0 { ExitCode::from(INVALID) } else { ExitCode::SUCCESS }
    }

    /// Reports the problem of an input; other failures end the command.
    fn settle(
        &mut self,
        input: Input<'_>,
        failure: Failure,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let Failure::Invalid { reason, hint } = failure else { return Err(failure) };
        self.count += 1;
        if self.count > MESSAGES {
            return Ok(());
        }
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

/// Hands out the lines of a source and their numbers, from 1. Of a line that is longer than any ID
/// or record, only the start is kept.
///
/// The output is flushed before each read, which may wait: a terminal, or a program that writes
/// now and then, gets the answer to a line before it sends the next one. A file is read in large
/// pieces, so this costs it nothing.
fn for_each_line(
    mut source: LineSource,
    out: &mut Output,
    lines: &mut Lines<'_, impl Work>,
) -> Result<(), Failure> {
    /// Some programs write it before the first line.
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    /// The same of texts that PowerShell writes, before its version 6.
    const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

    let longest = lines.selector.longest_line();
    if source.is_terminal() {
        say("reading lines from the terminal; Ctrl-D ends");
    }
    let is_free = lines.worker.work.is_silent() || !out.is_terminal();
    let mut progress = Progress::new("lines", source.len(), is_free);
    // The start of a line that has not ended yet is at the front.
    let mut buffer = vec![0; longest + CHUNK];
    let (mut kept, mut cut, mut number, mut bytes) = (0, 0, 0, 0);
    loop {
        lines.release(out)?;
        out.flush()?;
        progress.show(number, bytes);
        let read = match source.read(&mut buffer[kept..kept + CHUNK]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(Failure::Read)?,
        };
        let filled = kept + read;
        if bytes == 0
            && let Some(kind) = binary::of(&buffer[..filled], lines.selector.is_search)
        {
            return Err(not_text(&format!("it is {}, and not text", kind.name), kind.hint));
        }
        bytes += read as u64;
        // Another encoding would make every line invalid, for no reason that one could see.
        if number == 0 && UTF_16.iter().any(|mark| buffer[..filled].starts_with(mark)) {
            let hint = "`iconv -f UTF-16 -t UTF-8 FILE` converts it";
            return Err(not_text("it is UTF-16, and not UTF-8", hint));
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
            lines.line(whole(&buffer[start..end], longest, cut), number, out)?;
            (start, searched, cut) = (end + 1, end + 1, 0);
        }
        // The last line may end with the input.
        if read == 0 {
            if start < filled {
                lines.line(whole(&buffer[start..filled], longest, cut), number + 1, out)?;
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

/// Returns the problem of an input that is not text.
fn not_text(problem: &str, hint: &str) -> Failure {
    Failure::Read(io::Error::new(io::ErrorKind::InvalidData, problem)).hinting(hint)
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
    /// Set if IDs are looked for in the part, so that all of it is kept.
    is_search: bool,
    /// The lines of a record that continues, as far as messages show them, and the number of the
    /// first.
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
    fn new(selection: &Selection, is_search: bool) -> Self {
        let part = match (&selection.column, &selection.field) {
            (Some(column), _) => {
                let reader = ColumnReader::new(column.clone(), selection.delimiter);
                LinePart::Column(Box::new(reader))
            }
            (None, Some(name)) => LinePart::Member(name.clone()),
            (None, None) => LinePart::All,
        };
        Self { part, is_search, open: None, ended: None, text: Vec::new() }
    }

    const fn longest_line(&self) -> usize {
        match self.part {
            LinePart::All if !self.is_search => MAX_LINE,
            LinePart::All | LinePart::Column(_) | LinePart::Member(_) => MAX_RECORD,
        }
    }

    /// Returns the ID in a line, and what the line holds: it may have to hold none, as one whose
    /// cell is empty. Without an ID, it is the line itself, or the record of several lines that it
    /// ends.
    #[inline]
    fn select<'a>(
        &'a mut self,
        line: InputLine<'a>,
        number: u64,
    ) -> (Input<'a>, Result<Content, Failure>) {
        let place = |text| Input { text, line: Some(number), column: None, prefix: None };
        // A line that was cut off is too long for an ID or a record.
        let line = match line {
            InputLine::Whole(line) => line,
            InputLine::Cut(line, len) => {
                let longest = self.longest_line();
                let reason = format!("is not an ID: about {len} bytes long, more than {longest}");
                return (place(line), Err(Failure::invalid(reason)));
            }
        };
        let is_search = self.is_search;
        let id = |text| if is_search { text } else { trimmed(text) };
        let cell = |text, place| {
            let content = if trimmed(text).is_empty() { Content::Empty } else { Content::Id };
            (Input { text: id(text), ..place }, Ok(content))
        };
        let place = place(line);
        // Inside a quoted field, a blank line is a part of it.
        if self.open.is_none() && is_blank(line) {
            return (place, Ok(Content::Gap));
        }
        match &mut self.part {
            LinePart::All => (Input { text: id(line), ..place }, Ok(Content::Id)),
            LinePart::Column(column) => {
                let content = column.read(line);
                // Messages quote the record as a whole, and name its first line.
                if column.is_open() || self.open.is_some() {
                    let (record, _) = self.open.get_or_insert_with(|| (Vec::new(), number));
                    let room = MAX_SHOWN.saturating_sub(record.len());
                    let end = if record.is_empty() { &b""[..] } else { b"\n" };
                    record.extend(end.iter().chain(line).take(room));
                }
                if column.is_open() {
                    return (place, Ok(Content::Part));
                }
                self.ended = self.open.take();
                let place = match &self.ended {
                    Some((text, number)) => Input { text, line: Some(*number), ..place },
                    None => place,
                };
                match content {
                    Ok(Content::Id) => cell(column.field(), place),
                    other => (place, other),
                }
            }
            LinePart::Member(name) => match member(line, name) {
                Ok(text) => {
                    self.text = text;
                    cell(&self.text, place)
                }
                Err(failure) => (place, Err(failure)),
            },
        }
    }
}

/// Reports whether a line has nothing in it but spaces, quotes and the like.
fn is_blank(line: &[u8]) -> bool {
    !line.first().is_some_and(u8::is_ascii_alphanumeric) && trimmed(line).is_empty()
}

/// Returns the text of a member of a JSON value, which is empty for null.
fn member(line: &[u8], name: &str) -> Result<Vec<u8>, Failure> {
    use serde_json::Value;

    let value: Value = serde_json::from_slice(line).map_err(|error| Failure::Invalid {
        reason: format!("is not JSON: {error}"),
        hint: Some(
            "--field needs a JSON value in each line; `jq --compact-output` makes such".into(),
        ),
    })?;
    // JSON pointers start with a slash (RFC 6901). A member whose own name does is reached as
    // `/~1name`.
    let member = if name.starts_with('/') { value.pointer(name) } else { value.get(name) };
    match member {
        Some(Value::String(text)) => Ok(text.clone().into_bytes()),
        Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Number(number)) if number.is_f64() => Err(of_float(name, number)),
        Some(Value::Number(number)) => Ok(number.to_string().into_bytes()),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            Err(Failure::invalid(format!("has a member {name} that is neither text nor a number")))
        }
        None => Err(Failure::invalid(format!("has no member {name}"))),
    }
}

/// Returns the problem of a number that JSON has not as an integer of up to 64 bits.
fn of_float(name: &str, number: &serde_json::Number) -> Failure {
    // serde_json reads a larger integer as a double as well, which has lost digits of the ID by then.
    const LARGE: f64 = 18_446_744_073_709_551_616.0;

    let reason = format!("has a member {name} that is not an integer of up to 64 bits");
    let is_large = number.as_f64().is_some_and(|number| number.abs() >= LARGE);
    if is_large {
        let hint = "larger integers are read from strings: {\"id\": \"…\"}".into();
        return Failure::Invalid { reason, hint: Some(hint) };
    }
    match Damage::of_notation(number.to_string().as_bytes()) {
        Some(damage) => {
            Failure::invalid(format!("has a member {name} that is not an ID: {damage}"))
        }
        None => Failure::invalid(reason),
    }
}

impl<'a> Input<'a> {
    /// Returns what stands in the line, if the ID was found there among others.
    pub(crate) const fn found(self) -> Option<&'a str> {
        if self.column.is_none() {
            return None;
        }
        match str::from_utf8(self.text) {
            Ok(text) => Some(text),
            Err(_) => None,
        }
    }

    /// Writes a remark about the input to standard error.
    pub(crate) fn remark(&self, out: &mut Output, remark: &str) -> Result<(), Failure> {
        out.before_message()?;
        say(&self.message(remark));
        Ok(())
    }

    /// Returns the input behind a prefix.
    pub(crate) const fn behind<'t>(&self, split: Split<'t>) -> Input<'t> {
        Input { text: split.id, prefix: Some(split.prefix), line: self.line, column: self.column }
    }

    /// Returns the line and the column in words, as far as there are any.
    pub(crate) fn place(&self) -> Option<String> {
        let numbers = [("line", self.line), ("column", self.column)];
        let places = numbers.into_iter().filter_map(|(name, number)| Some((name, number?)));
        let places: Vec<String> = places.map(|(name, number)| format!("{name} {number}")).collect();
        (!places.is_empty()).then(|| places.join(", "))
    }

    fn message(&self, predicate: &str) -> String {
        let place = self.place().map_or_else(String::new, |place| format!("{place}: "));
        format!("{place}'{}' {predicate}", shown(self.text))
    }
}
