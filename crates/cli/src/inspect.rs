//! `tickid inspect`.

use std::io;
use std::process::ExitCode;

use clap::Args;
use tickid_convert::{Candidate, Candidates, Plausibility, Reading, detect};
use tickid_core::{Clock as _, SystemClock, UnixTime};

use crate::failure::Failure;
use crate::input::{self, Input};
use crate::options::{Layouts, Scheme};
use crate::output::Output;
use crate::picture;
use crate::report::{Report, Value, named, plausibility_name};
use crate::schemes;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid inspect 0u375nxqh5cq                       whatever it may be, likeliest first
  tickid inspect --from nanoflake --radix 10 --epoch discord 175928847299117063
  tickid gen sno -n 3 | tickid inspect --json       one object per line")]
pub(crate) struct InspectArguments {
    /// IDs; lines of standard input unless given
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The scheme of all IDs; unless given, every one that fits
    #[arg(long, visible_alias = "scheme", value_enum)]
    from: Option<Scheme>,
    /// Print JSON, one object per line; of several schemes that fit the likeliest
    #[arg(long)]
    json: bool,
    /// With --json, an object for every scheme that fits
    #[arg(long, requires = "json")]
    all: bool,
    #[command(flatten)]
    layouts: Layouts,
}

pub(crate) fn run(arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    let choice = anstream::AutoStream::choice(&io::stdout());
    let mut inspector = Inspector {
        arguments,
        report: Report::default(),
        now: SystemClock.now().ok(),
        layouts: arguments.layouts.all(),
        colour: choice != anstream::ColorChoice::Never,
    };
    input::run(&arguments.ids, |input, out| inspector.inspect(input, out))
}

struct Inspector<'a> {
    arguments: &'a InspectArguments,
    /// Made once, to be filled again and again.
    report: Report,
    /// The time relative to which others are judged; without a clock all are equally likely.
    now: Option<UnixTime>,
    layouts: tickid_convert::Layouts,
    colour: bool,
}

impl Inspector<'_> {
    /// Reports on one input.
    fn inspect(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        let InspectArguments { json, all, from, ref layouts, .. } = *self.arguments;
        let mut is_any = false;
        match from {
            Some(scheme) => {
                if let Ok(reading) = schemes::read(scheme, input.text, layouts) {
                    is_any = self.show(&reading, None, out);
                }
            }
            None => {
                let found = detect(input.text, &self.layouts, self.now);
                for candidate in found.iter() {
                    let reading = candidate.reading();
                    let plausibility = Some(candidate.plausibility());
                    if schemes::is_asked_for(&reading, input.text, layouts)
                        && self.show(&reading, plausibility, out)
                    {
                        is_any = true;
                        if json && !all {
                            break;
                        }
                    }
                }
                if is_any && !json {
                    name_rivals(input, &found, out)?;
                }
            }
        }
        if is_any { Ok(()) } else { Err(Failure::invalid(self.why_not(input.text))) }
    }

    /// Reports on an ID, with doubts if it was only guessed to be one; `false` for a reading that
    /// is no ID of the schemes.
    fn show(
        &mut self,
        reading: &Reading,
        plausibility: Option<Plausibility>,
        out: &mut Output,
    ) -> bool {
        let report = &mut self.report;
        if !schemes::describe(reading, &self.arguments.layouts, report) {
            return false;
        }
        if let Some(doubt) = plausibility.filter(|it| *it != Plausibility::Likely) {
            report.field("plausibility", Value::Word(plausibility_name(doubt)));
        }
        if self.arguments.json {
            report.write_json(out.buffer());
        } else {
            let mut picture = picture::draw(report);
            if !self.colour {
                picture = anstream::adapter::strip_str(&picture).to_string();
            }
            out.buffer().extend_from_slice(picture.as_bytes());
        }
        true
    }

    /// Returns the other readings of a text that is no ID of the schemes, or their parsers' errors.
    fn why_not(&self, text: &[u8]) -> String {
        if self.arguments.from.is_none() {
            let found = detect(text, &self.layouts, self.now);
            let is_other = |one: &&Candidate| match one.reading() {
                Reading::Carried(_) => true,
                Reading::KuidWide(..) => false,
                reading => reading.id().is_none(),
            };
            let named: Vec<String> = found.iter().filter(is_other).map(named).collect();
            if !named.is_empty() {
                return format!("is no ID of the four schemes; it may be: {}", named.join(", "));
            }
        }
        let is_asked_for =
            |scheme: &&Scheme| self.arguments.from.is_none_or(|from| from == **scheme);
        let schemes = schemes::ALL.iter().filter(is_asked_for);
        let errors = schemes
            .filter_map(|scheme| schemes::read(*scheme, text, &self.arguments.layouts).err());
        format!("is {}", errors.map(|error| error.to_string()).collect::<Vec<_>>().join("; "))
    }
}

/// Names the readings that are as plausible as those shown, which are guesses.
fn name_rivals(input: Input<'_>, found: &Candidates, out: &mut Output) -> Result<(), Failure> {
    let best = found.iter().map(Candidate::plausibility).min();
    let is_rival = |one: &&Candidate| {
        one.reading().id().is_none()
            && !matches!(one.reading(), Reading::KuidWide(..))
            && best == Some(one.plausibility())
    };
    let rivals: Vec<String> = found.iter().filter(is_rival).map(named).collect();
    if rivals.is_empty() {
        return Ok(());
    }
    input.remark(out, &format!("may as well be: {}", rivals.join(", ")))
}
