//! `tickid inspect`.

use std::io;
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use jiff::tz::TimeZone;
use tickid_convert::{
    Candidate, Candidates, Form, Format, NanoflakeText, Plausibility, Reading, detect,
};
use tickid_core::{Clock as _, SystemClock, UnixTime};

use crate::failure::Failure;
use crate::input::{self, Input, Selection};
use crate::near_miss;
use crate::options::{Layouts, Scheme};
use crate::output::Output;
use crate::picture::{self, Heading};
use crate::report::{
    Facts, JsonLine, Report, TimeMembers, Value, describe_foreign, named, plausibility_name,
};
use crate::schemes;
use crate::template::Template;
use crate::when;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid inspect 0u375nxqh5cq                       whatever it may be, likeliest first
  tickid inspect 017f22e2-79b0-7cc3-98c4-dc0c0c07398f --local
  tickid inspect --from discord 175928847299117063
  tickid inspect --from nanoflake --radix 10 --epoch discord 175928847299117063
  tickid gen sno -n 3 | tickid inspect --json       one object per line
  tickid inspect --column id < orders.csv           a column of CSV lines")]
pub(crate) struct InspectArguments {
    /// IDs; lines of standard input unless given, or if the only one is -
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    ids: Vec<String>,
    /// The format of all IDs; unless given, every one that fits
    #[arg(long, visible_alias = "scheme", value_name = "FORMAT", value_parser = formats())]
    from: Option<Format>,
    /// Print JSON, one object per line; of several formats that fit the likeliest
    #[arg(long)]
    json: bool,
    /// Show unlikely readings as well; with --json, an object for every reading
    #[arg(long)]
    all: bool,
    /// Show times in the local zone as well, and their age; with --json as local and age_ms
    #[arg(long)]
    local: bool,
    /// Print one line per ID in this form: '{text} {time}'
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["json", "local"])]
    template: Option<Template>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    layouts: Layouts,
}

/// Returns the parser of a format's key.
fn formats() -> impl clap::builder::TypedValueParser<Value = Format> {
    let keys = PossibleValuesParser::new(Format::ALL.iter().map(|format| format.key()));
    keys.try_map(|key| key.parse::<Format>())
}

pub(crate) fn run(arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    let choice = anstream::AutoStream::choice(&io::stdout());
    let mut inspector = Inspector {
        arguments,
        scheme: arguments.from.and_then(Scheme::of),
        report: Report::default(),
        times: TimeMembers::default(),
        named: Vec::new(),
        now: SystemClock.now().ok(),
        layouts: arguments.layouts.all(),
        colour: choice != anstream::ColorChoice::Never,
        width: picture::width(),
        zone: arguments.local.then(TimeZone::system),
    };
    input::run(&arguments.ids, &arguments.selection, |input, out| inspector.inspect(input, out))
}

/// Takes a reading of a text apart; `inner` is the ID in a UUID, or the reading itself.
fn describe(
    inner: &Reading,
    candidate: &Candidate,
    text: &[u8],
    (options, layouts): (&Layouts, &tickid_convert::Layouts),
    facts: &mut impl Facts,
) {
    if !schemes::describe(inner, options, facts) {
        describe_foreign(candidate, text, layouts, facts);
    }
}

/// Returns the remark on the plausibility of a reading, one of those that were found.
fn remark(candidate: &Candidate, found: &Candidates) -> Option<String> {
    let is_likely = |one: &&Candidate| one.plausibility() == Plausibility::Likely;
    let plausibility = match candidate.plausibility() {
        Plausibility::Likely | Plausibility::Unknown if found.is_certain() => return None,
        Plausibility::Likely => match found.iter().filter(is_likely).count() {
            0 | 1 => "likely".to_owned(),
            number => format!("one of {number} formats that explain the bits about as well"),
        },
        Plausibility::Unknown => "possible".to_owned(),
        Plausibility::NeverIssued => "never issued by a generator".to_owned(),
        _ => "unlikely".to_owned(),
    };
    Some(format!("{plausibility}: {}", candidate.reason()))
}

/// Ends a line with the time in the zone that was asked for.
#[inline(always)]
fn close(mut line: JsonLine<'_>, zone: Option<&TimeZone>, now: Option<UnixTime>) {
    if let Some(zone) = zone {
        write_local(&mut line, zone, now);
    }
    line.close();
}

fn write_local(line: &mut JsonLine<'_>, zone: &TimeZone, now: Option<UnixTime>) {
    let Some(time) = line.time else { return };
    if let Some(local) = when::rfc3339(time, zone) {
        line.string("local", &local);
    }
    if let Some(now) = now {
        let age = now.as_millis().saturating_sub(time.as_millis());
        line.field("age_ms", Value::Number(age));
    }
}

struct Inspector<'a> {
    arguments: &'a InspectArguments,
    /// The scheme that `--from` names, if it is one of the four.
    scheme: Option<Scheme>,
    /// Made once, to be filled again and again.
    report: Report,
    times: TimeMembers,
    /// The formats beside which others were named, each of which is once.
    named: Vec<Format>,
    /// The time relative to which others are judged; without a clock all are equally likely.
    now: Option<UnixTime>,
    layouts: tickid_convert::Layouts,
    colour: bool,
    width: usize,
    /// The zone of the times that are shown beside those in UTC.
    zone: Option<TimeZone>,
}

impl Inspector<'_> {
    /// Reports on one input.
    fn inspect(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        if let Some(scheme) = self.scheme
            && let Ok(reading) = schemes::read(scheme, input.text, &self.arguments.layouts)
        {
            let layouts = &self.arguments.layouts;
            if self.arguments.json {
                let mut line = JsonLine::open(out.buffer(), &mut self.times);
                schemes::describe(&reading, layouts, &mut line);
                close(line, self.zone.as_ref(), self.now);
                return Ok(());
            }
            schemes::describe(&reading, layouts, &mut self.report);
            return self.show(&Heading { name: reading.to_string(), ..Heading::default() }, out);
        }
        let found = detect(input.text, &self.layouts, self.now);
        match self.arguments.from {
            Some(format) => self.one(input, &found, format, out),
            None => self.any(input, &found, out),
        }
    }

    /// Reports on a text as an ID of the format that was named: the form that is likeliest.
    fn one(
        &mut self,
        input: Input<'_>,
        found: &Candidates,
        format: Format,
        out: &mut Output,
    ) -> Result<(), Failure> {
        // A Nanoflake of Twitter's epoch is Twitter's, and one of Discord's is Discord's.
        let is_named = |one: &&Candidate| {
            let is_decimal = matches!(one.reading(), Reading::Nanoflake(_, NanoflakeText::Decimal));
            one.format() == format || (is_decimal && self.stands_for(format))
        };
        match found.iter().find(is_named) {
            Some(candidate) => self.candidate(input, candidate, None, out),
            None => {
                let reason = near_miss::of(format, input.text, &self.arguments.layouts);
                let others = "`tickid inspect ID`, without --from, shows what it may be";
                let hint = (!found.is_empty()).then_some(others);
                Err(Failure::Invalid { reason, hint })
            }
        }
    }

    /// Reports on every likely reading of a text.
    fn any(
        &mut self,
        input: Input<'_>,
        found: &Candidates,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let InspectArguments { json, all, ref template, .. } = *self.arguments;
        let is_one = (json && !all) || template.is_some();
        let mut shown = 0;
        for candidate in found.iter() {
            let is_possible =
                matches!(candidate.plausibility(), Plausibility::Likely | Plausibility::Unknown);
            if !(is_possible || all) || !self.is_asked_for(candidate, input.text) {
                continue;
            }
            self.candidate(input, candidate, Some(found), out)?;
            shown += 1;
            if is_one {
                break;
            }
        }
        if shown == 0 {
            return Err(self.nothing(input.text, found));
        }
        if is_one && !found.is_clear() {
            return self.name_rivals(input, found, out);
        }
        Ok(())
    }

    /// Reports on one reading of a text. `found` are all of them, unless the format was given.
    fn candidate(
        &mut self,
        input: Input<'_>,
        candidate: &Candidate,
        found: Option<&Candidates>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let (reading, plausibility) = (candidate.reading(), candidate.plausibility());
        let inner = match reading {
            Reading::Carried(id) => id.into(),
            other => other,
        };
        let layouts = (&self.arguments.layouts, &self.layouts);
        if self.arguments.json {
            let mut line = JsonLine::open(out.buffer(), &mut self.times);
            describe(&inner, candidate, input.text, layouts, &mut line);
            if matches!(reading, Reading::Carried(_)) {
                line.field("carried_in", Value::Word("uuid"));
            }
            let is_doubtful = |found: &Candidates| match plausibility {
                Plausibility::Likely => false,
                Plausibility::Unknown => !found.is_certain(),
                _ => true,
            };
            if found.is_some_and(is_doubtful) {
                line.field("plausibility", Value::Word(plausibility_name(plausibility)));
            }
            close(line, self.zone.as_ref(), self.now);
            return Ok(());
        }
        describe(&inner, candidate, input.text, layouts, &mut self.report);
        let mut name = reading.to_string();
        let is_decimal = matches!(reading, Reading::Nanoflake(_, NanoflakeText::Decimal));
        let mut systems = [Format::Twitter, Format::Discord].into_iter();
        if let Some(system) = systems.find(|system| is_decimal && self.stands_for(*system)) {
            name = format!("{name}, or {}", system.name());
        }
        if candidate.form() != Form::Text {
            name = format!("{name}, {}", candidate.form().name());
        }
        let remark = found.and_then(|found| remark(candidate, found));
        self.show(&Heading { name, remark, ..Heading::default() }, out)
    }

    /// Writes the report in the form that was asked for.
    fn show(&mut self, heading: &Heading, out: &mut Output) -> Result<(), Failure> {
        if let Some(template) = &self.arguments.template {
            return template.write(&self.report, out.buffer());
        }
        let local = match (&self.zone, self.report.time) {
            (Some(zone), Some(time)) => when::local(time, zone, self.now),
            _ => None,
        };
        let heading = Heading { local, ..heading.clone() };
        let mut picture = picture::draw(&self.report, &heading, self.width);
        if !self.colour {
            picture = anstream::adapter::strip_str(&picture).to_string();
        }
        out.buffer().extend_from_slice(picture.as_bytes());
        Ok(())
    }

    /// Reports whether decimal Nanoflakes under the given epoch are IDs of this format.
    fn stands_for(&self, format: Format) -> bool {
        let epoch = self.layouts.epoch;
        (format == Format::Twitter && epoch == tickid_nanoflake::Epoch::TWITTER)
            || (format == Format::Discord && epoch == tickid_nanoflake::Epoch::DISCORD)
    }

    /// Reports whether a reading is one that the options ask for. An alphabet or a radix that is
    /// given excludes the others.
    fn is_asked_for(&self, candidate: &Candidate, text: &[u8]) -> bool {
        let layouts = &self.arguments.layouts;
        let is_chosen = match candidate.reading() {
            Reading::Nanoflake(..) => layouts.nanoflake.radix.is_some(),
            Reading::KuidLocal(..) | Reading::KuidGlobal(..) | Reading::KuidWide(..) => {
                layouts.kuid.alphabet.is_some()
            }
            _ => false,
        };
        candidate.form() != Form::Text
            || !is_chosen
            || schemes::is_asked_for(&candidate.reading(), text, layouts)
    }

    /// Returns the error for a text without a likely reading.
    fn nothing(&self, text: &[u8], found: &Candidates) -> Failure {
        if !found.is_empty() {
            let named: Vec<String> = found.iter().map(named).collect();
            return Failure::Invalid {
                reason: format!("is no ID of a likely time; it fits: {}", named.join(", ")),
                hint: Some(
                    "`tickid inspect --all ID` shows unlikely readings; --epoch is for others",
                ),
            };
        }
        Failure::Invalid {
            reason: near_miss::of_all(text, &self.arguments.layouts),
            hint: Some("`tickid inspect --help` lists the formats"),
        }
    }

    /// Names the readings that are as plausible as the one that was written.
    fn name_rivals(
        &mut self,
        input: Input<'_>,
        found: &Candidates,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut asked_for = found.possible().filter(|one| self.is_asked_for(one, input.text));
        let Some(first) = asked_for.next() else { return Ok(()) };
        if self.named.contains(&first.format()) {
            return Ok(());
        }
        let is_rival = |one: &&Candidate| {
            one.plausibility() == first.plausibility() && !matches!(one.reading(), Reading::Uuid(_))
        };
        let rivals: Vec<String> = asked_for.filter(is_rival).map(named).collect();
        if rivals.is_empty() {
            return Ok(());
        }
        self.named.push(first.format());
        let rivals = rivals.join(", ");
        input.remark(
            out,
            &format!("is taken for {first}; its bits fit as well: {rivals}", first = named(first)),
        )
    }
}
