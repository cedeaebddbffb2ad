//! `tickid inspect`.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use tickid_core::text::ParseError;
use tickid_core::{Clock as _, SystemClock};

use crate::args::{InspectArguments, Scheme};
use crate::failure::{Failure, INVALID};
use crate::output::Output;
use crate::picture;
use crate::report::Report;
use crate::schemes;

pub(crate) fn run(arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    let mut inspector = Inspector::new(arguments);
    if arguments.ids.is_empty() {
        let mut lines = io::stdin().lock();
        let mut line = Vec::new();
        let mut number = 0;
        while lines.read_until(b'\n', &mut line).map_err(Failure::Read)? > 0 {
            number += 1;
            let text = line.strip_suffix(b"\n").unwrap_or(&line);
            let text = text.strip_suffix(b"\r").unwrap_or(text);
            inspector.inspect(text, Some(number))?;
            line.clear();
        }
    } else {
        for id in &arguments.ids {
            inspector.inspect(id.as_bytes(), None)?;
        }
    }
    inspector.out.flush()?;
    Ok(if inspector.invalid { ExitCode::from(INVALID) } else { ExitCode::SUCCESS })
}

struct Inspector<'a> {
    arguments: &'a InspectArguments,
    out: Output,
    /// Reports of the schemes that fit, likeliest first; those beyond are there to be used again.
    reports: Vec<Report>,
    /// Why the other schemes don't fit.
    errors: Vec<ParseError>,
    /// In milliseconds since 1970, to judge times by.
    now: i64,
    colour: bool,
    invalid: bool,
}

impl<'a> Inspector<'a> {
    fn new(arguments: &'a InspectArguments) -> Self {
        let choice = anstream::AutoStream::choice(&io::stdout());
        Self {
            arguments,
            out: Output::stdout(),
            reports: schemes::ALL.map(|_| Report::default()).into(),
            errors: Vec::new(),
            // Without a clock all times are as likely.
            now: SystemClock.now().map_or(0, |now| now.as_millis()),
            colour: choice != anstream::ColorChoice::Never,
            invalid: false,
        }
    }

    /// Reports on one input, the `line`th of standard input unless it is an argument.
    fn inspect(&mut self, text: &[u8], line: Option<u64>) -> Result<(), Failure> {
        let fitting = match self.describe(text) {
            Ok(fitting) => fitting,
            Err(reason) => {
                // In the order in which things happened, should both go to the same place.
                if io::stderr().is_terminal() {
                    self.out.flush()?;
                }
                let place = line.map_or_else(String::new, |line| format!("line {line}: "));
                anstream::eprintln!("tickid: {place}'{}' is {reason}", text.escape_ascii());
                self.invalid = true;
                return Ok(());
            }
        };
        let arguments = self.arguments;
        let shown = if arguments.json && !arguments.all { 1 } else { fitting };
        for report in &self.reports[..shown] {
            if arguments.json {
                report.write_json(self.out.buffer());
            } else {
                let picture = picture::draw(report);
                let plain;
                let picture = if self.colour {
                    &picture
                } else {
                    plain = anstream::adapter::strip_str(&picture).to_string();
                    &plain
                };
                self.out.buffer().extend_from_slice(picture.as_bytes());
            }
        }
        self.out.drain()
    }

    /// Fills the first reports with what fits, likeliest first, and says how many do; or why none does.
    fn describe(&mut self, text: &[u8]) -> Result<usize, String> {
        let one;
        let schemes: &[Scheme] = match self.arguments.scheme {
            Some(scheme) => {
                one = [scheme];
                &one
            }
            None => &schemes::ALL,
        };
        let layouts = &self.arguments.layouts;
        let mut fitting = 0;
        self.errors.clear();
        for &scheme in schemes {
            match schemes::describe(scheme, text, layouts, &mut self.reports[fitting]) {
                Ok(()) => fitting += 1,
                Err(error) => self.errors.push(error),
            }
        }
        if fitting == 0 {
            let reasons: Vec<String> = self.errors.iter().map(ToString::to_string).collect();
            return Err(reasons.join("; "));
        }
        // Stable: schemes that are as likely keep their order.
        let now = self.now;
        self.reports[..fitting].sort_by_key(|report| distance(report, now));
        Ok(fitting)
    }
}

/// How far an ID's time is from the present, which is how unlikely it is.
fn distance(report: &Report, now: i64) -> u64 {
    report.time.map_or(u64::MAX, |time| time.as_millis().abs_diff(now))
}
