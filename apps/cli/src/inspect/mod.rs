//! `tickid inspect`: shows the readings of each input as cards, JSON or lines of a template.

mod summary;

use core::fmt;
use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Args;
use jiff::tz::TimeZone;
use serde::ser::SerializeMap;
use tickid_convert::Form;
use tickid_core::{Clock as _, SystemClock, UnixTime, counted};
use tickid_detect::{
    Agreement, Confidence, Damage, Format, Identifier, Inspection, Inspections, Reading, Readings,
};

use self::summary::InputSummary;
use crate::failure::{Failure, INVALID};
use crate::input::{self, Content, Input, Selection, Work};
use crate::message::{say, say_error, shown};
use crate::options::given::GivenOptions;
use crate::options::when::{self, zone};
use crate::options::{IdOptions, Scheme};
use crate::output::Output;
use crate::output::json::JsonMap;
use crate::output::picture::{self, Heading};
use crate::output::template::{Place, Template};
use crate::reading::prefix::{Prefixed, Split, without_prefix};
use crate::reading::{NamedFormat, Reader, named, rewritten};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid inspect 0u375nxqh5cq                       any format, likeliest first
  tickid inspect 017f22e2-79b0-7cc3-98c4-dc0c0c07398f --tz local
  tickid inspect --from discord 175928847299117063
  tickid inspect --from nanoflake/decimal --epoch discord 175928847299117063
  tickid gen sno -n 3 | tickid inspect --json       one object per line
  tickid inspect --column id < orders.csv           a column of CSV lines
  tickid inspect --column id --summary < orders.csv the formats, and their times
  tail -f app.log | tickid inspect --find --json    the IDs in each line

Exit status: 1 if a text is not at least likely an ID. With --from it validates a column; without,
integers cannot be told from numbers that are not IDs.")]
pub(crate) struct InspectArguments {
    #[command(flatten)]
    given: GivenOptions,
    /// IDs; lines of standard input unless given, or if the only one is -
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    ids: Vec<String>,
    /// The format of all IDs, with one of its texts if it has several, as in kuid/url; unless
    /// given, every one that fits
    #[arg(long, value_name = "FORMAT", value_enum)]
    from: Option<NamedFormat>,
    /// Print one line per format, with the number of inputs that have it, and their first and last
    /// time, one for the inputs without an ID, and one for empty cells
    #[arg(long, conflicts_with_all = ["all", "tz", "template"])]
    summary: bool,
    /// Look for IDs in each text, as in lines of a log, URLs and JSON
    #[arg(long)]
    find: bool,
    /// Print JSON, one object per line; of several formats that fit the likeliest. The member line
    /// is the number of the line that the ID was read from, and with --find column that of its
    /// first character
    #[arg(long)]
    json: bool,
    /// Show every possible reading; with --json, an object for each
    #[arg(long)]
    all: bool,
    /// Show times in this zone as well, and their age: UTC, local, or as in Europe/Berlin; with
    /// --json as local and age_ms
    #[arg(long, value_name = "ZONE", value_parser = zone)]
    tz: Option<TimeZone>,
    /// Print one line per ID in this form: '{text},{time}'. A line of input without an ID gives one
    /// with empty fields, and the titles of --column NAME give their names, so that `paste` puts each
    /// beside its own
    #[arg(long, value_name = "TEMPLATE", conflicts_with_all = ["json", "tz"])]
    template: Option<Template>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    settings: IdOptions,
}

pub(crate) fn run(arguments: &InspectArguments) -> Result<ExitCode, Failure> {
    // Without --from, the options may be those of any scheme.
    if let Some(from) = arguments.from {
        arguments.given.check(from.format.key(), &Scheme::kinds_of(from.format))?;
    }
    // Decide on colours here, because cards are written to a buffer and not to the terminal itself.
    let choice = anstream::AutoStream::choice(&io::stdout());
    let mut inspector = Inspector {
        arguments,
        reader: Reader::new(&arguments.settings, arguments.settings.all()),
        named: Vec::new(),
        rounded: Some(0),
        is_order_named: false,
        is_ahead_named: false,
        finds: arguments.find.then(Finds::default),
        summary: arguments.summary.then(InputSummary::default),
        agreement: Agreement::default(),
        colour: choice != anstream::ColorChoice::Never,
        width: picture::width(),
        zone: arguments.tz.clone(),
    };
    let read = input::run(&arguments.ids, &arguments.selection, &mut inspector);
    // Print the summary even if the input could not be read to its end: the lines before count.
    let status = match inspector.summary.take() {
        Some(summary) => {
            let is_clear = summary.is_clear();
            write_summary(summary, arguments.json)?;
            let status = read?;
            if is_clear { status } else { ExitCode::from(INVALID) }
        }
        None => read?,
    };
    // Most lines of a log have no ID, and none of them is an error. If no line has one, the search
    // has failed, like grep's.
    match inspector.finds {
        Some(Finds { lines: 1.., ids: 0, .. }) => {
            say_error("no ID was found", None);
            return Ok(ExitCode::from(INVALID));
        }
        // A terminal shows what was found, and a summary has the numbers itself.
        Some(finds) if finds.ids > 0 && !arguments.summary && !io::stdout().is_terminal() => {
            say(&finds.to_string());
        }
        Some(_) | None => {}
    }
    Ok(status)
}

fn write_summary(summary: InputSummary, is_json: bool) -> Result<(), Failure> {
    let mut out = Output::stdout();
    if is_json {
        summary.write_json(out.buffer())?;
    } else {
        summary.write_table(out.buffer());
    }
    out.flush()
}

/// Returns the number of characters of a text. Each invalid byte counts as one.
fn chars(text: &[u8]) -> u64 {
    let chunks = text.utf8_chunks();
    chunks.map(|chunk| (chunk.valid().chars().count() + chunk.invalid().len()) as u64).sum()
}

/// Returns the remark on the confidence in a reading, one of those that were found. `lines` is the
/// number of lines that agree on it, if any do.
fn remark(reading: &Inspection<'_>, found: &Readings, lines: Option<usize>) -> Option<String> {
    let confidence = reading.confidence().filter(|it| *it != Confidence::Certain)?;
    let reason = reading.reason()?;
    let agreeing = lines.map_or_else(String::new, |lines| format!(", and {lines} lines agree"));
    Some(match (confidence, reading.doubt(), found.likely().count()) {
        (_, Some(doubt), _) => format!("{confidence}: {reason}; {doubt}"),
        (_, None, 0 | 1) => format!("{confidence}: {reason}{agreeing}"),
        (_, None, number) => {
            format!(
                "{number} formats fit equally well; this is one: {reason}{agreeing}; --from decides"
            )
        }
    })
}

/// The numbers of lines that were searched, of those that have an ID, and of IDs. Arguments are not
/// lines.
#[derive(Default)]
struct Finds {
    lines: u64,
    hits: u64,
    ids: u64,
}

impl fmt::Display for Finds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines, hits, ids } = self;
        write!(f, "{}", counted(*ids, "ID"))?;
        if *lines > 0 {
            write!(f, " in {hits} of {}", counted(*lines, "line"))?;
        }
        Ok(())
    }
}

/// An inspection, with the time in another zone if one was asked for, and its place.
struct InspectedLine<'a> {
    inspection: &'a Inspection<'a>,
    local: Option<String>,
    age_ms: Option<i64>,
    line: Option<u64>,
    column: Option<u64>,
    prefix: Option<&'a str>,
    /// What stands in the line, if the ID was found there.
    found: Option<&'a str>,
}

impl InspectedLine<'_> {
    /// Appends a line of JSON.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        let mut map = JsonMap::new(out);
        self.members(&mut map).map_err(|error| Failure::Write(error.into()))?;
        map.end().map_err(|error| Failure::Write(error.into()))?;
        out.push(b'\n');
        Ok(())
    }

    /// Serializes the members. `serde(flatten)` would copy each first.
    fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.inspection.serialize_members(map)?;
        for (name, text) in [("prefix", self.prefix), ("found", self.found)] {
            if let Some(text) = text {
                map.serialize_entry(name, text)?;
            }
        }
        if let Some(local) = &self.local {
            map.serialize_entry("local", local)?;
        }
        if let Some(age) = self.age_ms {
            map.serialize_entry("age_ms", &age)?;
        }
        for (name, number) in [("line", self.line), ("column", self.column)] {
            if let Some(number) = number {
                map.serialize_entry(name, &number)?;
            }
        }
        Ok(())
    }
}

struct Inspector<'a> {
    arguments: &'a InspectArguments,
    reader: Reader<'a>,
    /// The formats that others were named beside. Each is named only once.
    named: Vec<Format>,
    /// The number of integers so far, as long as each looks like one that JavaScript has rounded.
    /// A single one looks so by accident, but a whole column does not. `None` after the remark.
    rounded: Option<u32>,
    /// Set after the remark on the order of a UUID's bytes.
    is_order_named: bool,
    /// Set after the remark on a time that no clock shows for long.
    is_ahead_named: bool,
    /// The finds, if IDs are looked for.
    finds: Option<Finds>,
    /// The summary, if one was asked for in place of each input.
    summary: Option<InputSummary>,
    /// The formats that the first lines agree on.
    agreement: Agreement,
    colour: bool,
    width: usize,
    /// The zone of the times that are shown beside those in UTC.
    zone: Option<TimeZone>,
}

impl Work for Inspector<'_> {
    fn keep_line(&self, content: Content, input: Input<'_>, out: &mut Vec<u8>) {
        let Some(template) = &self.arguments.template else { return };
        // IDs that are looked for have the number of their line instead.
        if !self.arguments.find || content == Content::Titles {
            template.keep_line(content, Place::of(input), out);
        }
    }

    fn is_silent(&self) -> bool {
        self.arguments.summary
    }

    fn is_search(&self) -> bool {
        self.arguments.find
    }

    fn looks_ahead(&self) -> bool {
        self.arguments.from.is_none() && !self.arguments.find
    }

    fn preview(&mut self, texts: &[Vec<u8>]) {
        let texts = texts.iter().map(|text| without_prefix(text));
        self.agreement = self.reader.detector.agreement(texts);
    }

    fn pass_over(&mut self) {
        if let Some(summary) = &mut self.summary {
            summary.add_empty();
        }
    }

    fn input(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        match self.arguments.from {
            _ if self.arguments.find => self.search(input, out),
            Some(format) => self.one(input, format, out),
            None => {
                let mut found = self.reader.detect(input.text);
                found.agree(&mut self.agreement);
                if found.readings().likely().next().is_none() {
                    let all = self.arguments.all;
                    let behind = self.reader.behind_prefix(input.text, &mut self.agreement, all);
                    if !behind.is_empty() {
                        let done = self.prefixed(input, &behind, out);
                        // As a whole, the text is no more than possibly an ID.
                        if all && self.summary.is_none() && !found.readings().is_empty() {
                            return match self.any(input, &found, out) {
                                Ok(()) | Err(Failure::Invalid { .. }) => done,
                                Err(failure) => Err(failure),
                            };
                        }
                        return done;
                    }
                }
                self.any(input, &found, out)
            }
        }
    }
}

impl Inspector<'_> {
    /// Reports on the IDs in a text.
    fn search(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        let reader = self.reader;
        let found: Box<dyn Iterator<Item = _>> = match self.arguments.from {
            Some(format) => Box::new(reader.detector.find_if(input.text, move |found| {
                found.iter().any(|one| reader.may_be(one, format))
            })),
            None => Box::new(reader.detector.find(input.text)),
        };
        let (mut ids, mut column, mut end, mut problem) = (0, 1, 0, None);
        for (place, found) in found {
            // Count the columns from the ID before, so that a line with many IDs is read only once.
            column += chars(&input.text[end..place.start]);
            let text = &input.text[place.clone()];
            let one = Input { text, column: Some(column), ..input };
            column += text.len() as u64;
            end = place.end;
            ids += 1;
            let format = self.arguments.from;
            let is_it = |reading: &&Reading| format.is_some_and(|it| reader.may_be(reading, it));
            let done = match found.readings().iter().find(is_it) {
                Some(reading) => {
                    let text = str::from_utf8(text).unwrap_or_default();
                    self.show(one, &Inspection::of(reading, text, &reader.settings), None, out)
                }
                None => self.any(one, &found, out),
            };
            // A problem of one ID must not hide the others in the line.
            if let Err(failure) = done {
                problem.get_or_insert(failure);
            }
        }
        if let Some(finds) = &mut self.finds {
            finds.lines += u64::from(input.line.is_some());
            finds.hits += u64::from(ids > 0);
            finds.ids += ids;
        }
        // A line of a log may well have none.
        if ids == 0 && input.line.is_none() {
            return Err(Failure::invalid("has no ID in it"));
        }
        problem.map_or(Ok(()), Err)
    }

    /// Reports on a text as an ID of the format that was named.
    fn one(
        &mut self,
        input: Input<'_>,
        named: NamedFormat,
        out: &mut Output,
    ) -> Result<(), Failure> {
        match self.reader.read_as(named, input.text) {
            Ok(read) => self.show_named(input, read, out),
            Err(reason) => {
                let behind = self.reader.read_behind_prefix(named, input.text);
                if let [first, ..] = *behind {
                    return self.named_behind_prefix(input, first, &behind, out);
                }
                // A summary counts the texts without an ID. It replaces a message for each of them.
                if let Some(summary) = &mut self.summary {
                    summary.add(input.line, &[]);
                    return Ok(());
                }
                // The hint is given only if it leads somewhere.
                let others = "`tickid inspect ID`, without --from, shows what it may be";
                let is_any = !self.reader.detect(input.text).readings().is_empty();
                let own = self.reader.rewritten(input.text, Some(named), input.line.is_some());
                let hint = own.map(Cow::Owned).or_else(|| is_any.then_some(others.into()));
                Err(Failure::Invalid { reason, hint })
            }
        }
    }

    /// Writes an ID of the format that was named.
    fn show_named(
        &mut self,
        input: Input<'_>,
        (id, form): (Identifier, Form),
        out: &mut Output,
    ) -> Result<(), Failure> {
        let text = str::from_utf8(input.text).unwrap_or_default();
        let id = Inspection::new(id, text, &self.reader.settings);
        let id = id.in_form(form).ok_or_else(|| Failure::invalid("has no such form"))?;
        self.show(input, &id, None, out)?;
        self.name_ahead(input, id.unix_time(), out)
    }

    /// Reports on IDs of the format that was named, behind a prefix. All are cards, and otherwise
    /// there is one for each input.
    fn named_behind_prefix(
        &mut self,
        input: Input<'_>,
        (first, read): (Split<'_>, (Identifier, Form)),
        behind: &[(Split<'_>, (Identifier, Form))],
        out: &mut Output,
    ) -> Result<(), Failure> {
        if self.is_one() || self.summary.is_some() {
            self.show_named(input.behind(first), read, out)?;
            return self.name_splits(input, behind.iter().map(|(split, _)| *split), out);
        }
        behind
            .iter()
            .try_for_each(|(split, read)| self.show_named(input.behind(*split), *read, out))
    }

    /// Reports on the readings of a text behind a prefix.
    fn prefixed(
        &mut self,
        input: Input<'_>,
        behind: &[Prefixed<'_>],
        out: &mut Output,
    ) -> Result<(), Failure> {
        if let Some(summary) = &mut self.summary {
            let likely = behind.iter().flat_map(|one| one.found.readings().likely());
            let likely = likely.map(|one| (one.identifier().shown_format(), one.unix_time()));
            summary.add(input.line, &likely.collect::<Vec<_>>());
            return Ok(());
        }
        let shown = if self.is_one() { &behind[..1] } else { behind };
        let mut done = Ok(());
        for Prefixed { split, found } in shown {
            done = done.and(self.any(input.behind(*split), found, out));
        }
        if shown.len() < behind.len() && self.summary.is_none() {
            self.name_splits(input, behind.iter().map(|one| one.split), out)?;
        }
        done
    }

    /// Names the other prefixes that a text may have, of which the first was taken.
    fn name_splits<'s>(
        &self,
        input: Input<'_>,
        splits: impl Iterator<Item = Split<'s>>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let prefixes: Vec<&str> = splits.map(|split| split.prefix).collect();
        if self.summary.is_some() || prefixes.len() < 2 {
            return Ok(());
        }
        let (first, others) = (prefixes[0], prefixes[1..].join(" or "));
        input.remark(out, &format!("is read behind the prefix {first}; it may also be {others}"))
    }

    /// Reports whether each input has one line, that of its likeliest reading.
    const fn is_one(&self) -> bool {
        (self.arguments.json && !self.arguments.all) || self.arguments.template.is_some()
    }

    /// Reports on every likely reading of a text.
    fn any(
        &mut self,
        input: Input<'_>,
        found: &Inspections<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let (all, is_one) = (self.arguments.all, self.is_one());
        let text = str::from_utf8(input.text).unwrap_or_default();
        let found = found.readings();
        // A summary counts every likely format, of which the most frequent one decides at the end.
        if let Some(summary) = &mut self.summary {
            let likely =
                found.likely().map(|one| (one.identifier().shown_format(), one.unix_time()));
            summary.add(input.line, &likely.collect::<Vec<_>>());
            return Ok(());
        }
        // The likely ones come first; JSON and templates have one per input unless all are wanted.
        let (mut shown, mut is_likely) = (0, false);
        for reading in found.iter() {
            if reading.confidence() == Confidence::Possible && !all {
                break;
            }
            is_likely |= reading.confidence() <= Confidence::Likely;
            let id = Inspection::of(reading, text, &self.reader.settings);
            self.show(input, &id, Some(found), out)?;
            shown += 1;
            if is_one {
                break;
            }
        }
        // Remarks follow what they are about.
        self.name_damage(input, out)?;
        self.name_order(input, found, out)?;
        let likely = found.likely().next();
        self.name_ahead(input, likely.and_then(|one| one.unix_time()), out)?;
        if shown == 0 {
            return Err(self.nothing(input, found));
        }
        if !is_likely {
            return Err(Failure::invalid("is not likely any of these"));
        }
        if is_one && !found.is_clear() {
            return self.name_rivals(input, found, out);
        }
        Ok(())
    }

    /// Writes an inspection in the form that was asked for. `found` are all readings of the text,
    /// unless the format was given.
    fn show(
        &mut self,
        input: Input<'_>,
        inspection: &Inspection<'_>,
        found: Option<&Readings>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if let Some(summary) = &mut self.summary {
            summary.add(input.line, &[(inspection.format(), inspection.unix_time())]);
            return Ok(());
        }
        // JSON has the time in the zone that was asked for beside the one in UTC.
        if self.arguments.json {
            let in_zone = self.zone.as_ref().zip(inspection.unix_time());
            let age = |time: UnixTime| {
                let now = SystemClock.now().ok()?;
                Some(now.as_millis().saturating_sub(time.as_millis()))
            };
            let line = InspectedLine {
                inspection,
                local: in_zone.and_then(|(zone, time)| when::rfc3339(time, zone)),
                age_ms: in_zone.and_then(|(_, time)| age(time)),
                line: input.line,
                column: input.column,
                prefix: input.prefix,
                found: input.found(),
            };
            return line.write_json(out.buffer());
        }
        if let Some(template) = &self.arguments.template {
            return template.write(inspection, Place::of(input), out.buffer());
        }
        // A card names the place of an ID among others.
        let mut name = inspection.name().to_string();
        if let Some(prefix) = input.prefix {
            name = format!("{name}, behind the prefix {prefix}");
        }
        if let Some(place) = input.place().filter(|_| input.column.is_some()) {
            name = format!("{name}, {place}");
        }
        let local = match (&self.zone, inspection.unix_time()) {
            (Some(zone), Some(time)) => when::local(time, zone, SystemClock.now().ok()),
            _ => None,
        };
        // The remark says how sure the reading is, and which lines decided that.
        let has_agreed = self.agreement.has(inspection.format());
        let lines = has_agreed.then(|| self.agreement.lines());
        let remark = found.and_then(|found| remark(inspection, found, lines));
        let mut picture = picture::draw(inspection, &Heading { name, local, remark }, self.width);
        if !self.colour {
            picture = anstream::adapter::strip_str(&picture).to_string();
        }
        out.buffer().extend_from_slice(picture.as_bytes());
        Ok(())
    }

    /// Returns the error for a text without a likely reading.
    fn nothing(&self, input: Input<'_>, found: &Readings) -> Failure {
        if let Some((place, _)) = self.reader.detector.find(input.text).next() {
            let id = shown(&input.text[place]);
            let hint = match input.line {
                // A hint is given once, and the next line has another ID.
                Some(_) => "--find looks for the IDs in each line".to_owned(),
                None => format!("`tickid inspect --find` finds {id} in it"),
            };
            let reason = "is not an ID, but has one in it".to_owned();
            return Failure::Invalid { reason, hint: Some(hint.into()) };
        }
        let own = self.reader.rewritten(input.text, None, input.line.is_some());
        if !found.is_empty() {
            // Nearly every number fits a dozen formats.
            const NAMED: usize = 3;
            let mut all: Vec<String> = found.iter().take(NAMED).map(named).collect();
            match found.iter().count().saturating_sub(NAMED) {
                0 => {}
                1 => all.extend(found.iter().nth(NAMED).map(named)),
                others => all.push(format!("or of {others} other formats")),
            }
            return Failure::Invalid {
                reason: format!("is not likely an ID; it may be: {}", all.join(", ")),
                hint: Some(own.map_or_else(
                    || "`tickid inspect --all ID` shows these readings, --from says which".into(),
                    Cow::Owned,
                )),
            };
        }
        Failure::Invalid {
            reason: self.reader.near_misses(input.text),
            hint: Some(
                own.map_or_else(|| "`tickid inspect --help` lists the formats".into(), Cow::Owned),
            ),
        }
    }

    /// Says that JavaScript may have rounded an integer, or the first three of a column.
    fn name_damage(&mut self, input: Input<'_>, out: &mut Output) -> Result<(), Failure> {
        /// The fewest digits of integers above 2^53.
        const DIGITS: usize = 16;
        let Some(before) = self.rounded else { return Ok(()) };
        if input.text.len() < DIGITS || !input.text.iter().all(u8::is_ascii_digit) {
            return Ok(());
        }
        let damage = Damage::of(input.text);
        self.rounded = damage.map(|_| before + 1);
        let enough = if input.line.is_some() { 3 } else { 1 };
        match damage {
            Some(damage) if before + 1 >= enough => {
                self.rounded = None;
                input.remark(out, &format!("is the shortest text of its double: {damage}"))
            }
            _ => Ok(()),
        }
    }

    /// Says that an ID is of a time long after now, which its format may allow.
    fn name_ahead(
        &mut self,
        input: Input<'_>,
        time: Option<UnixTime>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        /// The fewest years. Examples are of the next decades.
        const LONG: i64 = 100;
        /// 2126, before which no time is so long ahead. The clock is read only for later ones.
        const SINCE: UnixTime = UnixTime::from_micros(4_922_899_200_000_000);
        const MICROS_PER_YEAR: i64 = 31_556_952_000_000;
        let Some(time) = time.filter(|time| *time >= SINCE && !self.is_ahead_named) else {
            return Ok(());
        };
        let now = SystemClock.now().unwrap_or(SINCE);
        let years = time.as_micros().saturating_sub(now.as_micros()) / MICROS_PER_YEAR;
        if years < LONG || self.summary.is_some() {
            return Ok(());
        }
        // Say it once, as all lines of a column may be ahead.
        self.is_ahead_named = true;
        let years = match years {
            1_000.. => format!("{},{:03}", years / 1_000, years % 1_000),
            _ => years.to_string(),
        };
        input.remark(out, &format!("is of a time {years} years ahead"))
    }

    /// Says that a UUID without a version has one in another order of its bytes.
    fn name_order(
        &mut self,
        input: Input<'_>,
        found: &Readings,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let is_unversioned = found.first().is_some_and(|one| {
            let Identifier::Uuid(uuid) = one.identifier() else { return false };
            one.doubt().is_none() && !rewritten::has_version(&uuid)
        });
        // Say it once, as all lines of a column have the same order.
        if !is_unversioned || self.is_order_named {
            return Ok(());
        }
        match self.reader.rewritten(input.text, None, input.line.is_some()) {
            Some(own) => {
                self.is_order_named = true;
                input.remark(out, &format!("has no version of a UUID; {own}"))
            }
            None => Ok(()),
        }
    }

    /// Names the readings that are as plausible as the one that was written.
    fn name_rivals(
        &mut self,
        input: Input<'_>,
        found: &Readings,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut likely = found.likely();
        let Some(first) = likely.next() else { return Ok(()) };
        // Name them once for each format, as a column has the same rivals in every line.
        if self.named.contains(&first.format()) {
            return Ok(());
        }
        // The UUID that holds an ID is no other reading of it.
        let is_rival = |one: &&Reading| !matches!(one.identifier(), Identifier::Uuid(_));
        let rivals: Vec<String> = likely.filter(is_rival).map(named).collect();
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
