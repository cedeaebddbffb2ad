//! What the command is to work on, and what it says of what it can't.

use std::io::{self, BufRead as _, IsTerminal as _};

use crate::failure::Failure;
use crate::output::Output;

/// One input, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    pub(crate) text: &'a [u8],
    /// Which line of standard input, counted from 1; none for an argument.
    line: Option<u64>,
}

/// Calls `each` with every one of `arguments`, or with every line of standard input if there are none.
pub(crate) fn for_each(
    arguments: &[String],
    mut each: impl FnMut(Input<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !arguments.is_empty() {
        let inputs = arguments.iter().map(|text| Input { text: text.as_bytes(), line: None });
        return inputs.into_iter().try_for_each(each);
    }
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    let mut number = 0;
    while lines.read_until(b'\n', &mut line).map_err(Failure::Read)? > 0 {
        number += 1;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        each(Input { text, line: Some(number) })?;
        line.clear();
    }
    Ok(())
}

impl Input<'_> {
    /// Says something about it on standard error.
    pub(crate) fn remark(&self, out: &mut Output, remark: &str) -> Result<(), Failure> {
        // In the order in which things happened, should both go to the same place.
        if io::stderr().is_terminal() {
            out.flush()?;
        }
        let place = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        anstream::eprintln!("tickid: {place}'{}' {remark}", self.text.escape_ascii());
        Ok(())
    }
}
