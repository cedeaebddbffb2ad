//! The inputs of a command, and remarks about them.

use std::io::{self, BufRead as _, Read as _};
use std::process::ExitCode;

use crate::failure::{Failure, INVALID};
use crate::message::{say, say_error, shown};
use crate::output::Output;

/// The longest line of standard input that is kept, in bytes. No ID is nearly as long.
const MAX_LINE: usize = 64 * 1024;

/// One input and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) text: &'a [u8],
    /// The number of the line of standard input, from 1; `None` for an argument.
    line: Option<u64>,
    /// The full length in bytes. `text` is shorter if the line was too long to be kept.
    len: u64,
}

/// Calls `each` with every one of `arguments`, or with every line of standard input if there are
/// none. Reports the problem of each input that is invalid, with which the others go on.
pub(crate) fn run(
    arguments: &[String],
    mut each: impl FnMut(Input<'_>, &mut Output) -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let mut out = Output::stdout();
    let mut hints: Vec<&'static str> = Vec::new();
    let mut status = ExitCode::SUCCESS;
    for_each(arguments, |input| {
        match input.check_len().and_then(|()| each(input, &mut out)) {
            Err(Failure::Invalid { reason, hint }) => {
                status = ExitCode::from(INVALID);
                let hint = hint.filter(|hint| !hints.contains(hint));
                hints.extend(hint);
                out.before_message()?;
                say_error(&input.message(&reason), hint);
            }
            done => done?,
        }
        out.drain()
    })?;
    out.flush()?;
    Ok(status)
}

fn for_each(
    arguments: &[String],
    mut each: impl FnMut(Input<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !arguments.is_empty() {
        let inputs = arguments.iter().map(String::as_bytes);
        return inputs
            .map(|text| Input { text, line: None, len: text.len() as u64 })
            .try_for_each(each);
    }
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    let mut number = 0;
    // One byte more, to distinguish a line of just that length from a longer one.
    let most = MAX_LINE as u64 + 1;
    while lines.by_ref().take(most).read_until(b'\n', &mut line).map_err(Failure::Read)? > 0 {
        number += 1;
        let mut len = line.len() as u64;
        let text = if len == most && !line.ends_with(b"\n") {
            // With the end of the line, which does not matter here.
            len += lines.skip_until(b'\n').map_err(Failure::Read)? as u64;
            &line[..MAX_LINE]
        } else {
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            len = text.len() as u64;
            text
        };
        each(Input { text, line: Some(number), len })?;
        line.clear();
    }
    Ok(())
}

impl Input<'_> {
    /// Refuses an input that is too long to have been kept as a whole.
    fn check_len(&self) -> Result<(), Failure> {
        if self.len == self.text.len() as u64 {
            return Ok(());
        }
        let reason = format!("is no ID: about {} bytes long, more than {MAX_LINE}", self.len);
        Err(Failure::invalid(reason))
    }

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
