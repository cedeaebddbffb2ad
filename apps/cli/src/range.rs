//! `tickid range`: the lowest and the highest ID of a time range.

use core::fmt::Display;
use core::ops::RangeInclusive;
use core::time::Duration;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;
use tickid_convert::{AnyId, AnyScheme, Form, Kind};
use tickid_core::{RangeError, UnixTime};
use tickid_detect::{Identifier, Inspection, TimeOrdered};
use tickid_kuid::{GlobalId, LocalId, Node};

use crate::failure::Failure;
use crate::message::{say, shown};
use crate::options::given::GivenOptions;
use crate::options::node::{GivenNode, NodeHash};
use crate::options::values::parse;
use crate::options::when::{self, When, zone};
use crate::options::{IdOptions, KuidKind, SchemeOrLayout, is_text, name_of};
use crate::output::Output;
use crate::output::printed::write_json;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid range sno --since 2024-01-01 --until 2024-01-02
  tickid range scru64 --since yesterday --until today --tz local
  tickid range nanoflake --epoch discord --as int --since '2h ago'
  tickid range discord --since 1704067200000 --until 1704153600000
  tickid range uuid-v7 --since 2024-01-01 --until 2024-01-02
  tickid range kuid --kind local --since '2h ago' --inclusive --json
  tickid range kuid --node uid@127.0.0.1 --as hex --since 2024-01-01
  tickid range sno --since 2026-01-01 --until 2027-01-01 --every month

An ID is in the range of the time that it shows, the start of its tick. The two IDs are the ends of
a BETWEEN: the lowest and the highest that show a time from --since to before --until. The range of
a day ends with --until the next day. A time before the first ID or after the last one is cut to it,
with a remark. With --every, each line is a date and the two ends of the range that starts then;
ranges without IDs are left out.")]
pub(crate) struct RangeArguments {
    #[command(flatten)]
    given: GivenOptions,
    /// The scheme, a layout of Snowflakes by name, or another format that sorts by time
    #[arg(value_enum)]
    scheme: Ranged,
    /// The first time: a date, RFC 3339, milliseconds since 1970, now, yesterday, '2h ago'
    #[arg(long, value_name = "TIME", value_parser = parse::<When>)]
    #[arg(allow_negative_numbers = true)]
    since: When,
    /// The end, which is not part of the range
    #[arg(long, value_name = "TIME", value_parser = parse::<When>)]
    #[arg(allow_negative_numbers = true, default_value = "now")]
    until: When,
    /// Include IDs that show --until itself
    #[arg(long)]
    inclusive: bool,
    /// Cut the range where each of these starts, by --tz; a line for each part: DATE, lowest, highest
    #[arg(long, value_enum)]
    every: Option<Every>,
    /// Time zone for dates and zoneless times: UTC, local, or as in Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = zone, default_value = "UTC")]
    tz: TimeZone,
    /// kuid: local IDs (8 bytes) or global ones (12 bytes)
    #[arg(long, value_enum, default_value_t = KuidKind::Global)]
    kind: KuidKind,
    /// kuid: exact ends for the global IDs of this node: N/32, 0xHEX or an Erlang node name
    #[arg(long, value_name = "N/32|0xHEX|NAME")]
    node: Option<String>,
    /// The hash of node names
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    /// The form of the two IDs: a text of the scheme by its name, int, hex or bytes
    #[arg(id = "as", long, value_name = "FORM", default_value = "text")]
    form: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: IdOptions,
}

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Every {
    Day,
    /// From Monday on
    Week,
    Month,
    Year,
}

impl Every {
    /// Returns the first day of the unit that contains a day.
    fn start(self, day: Date) -> Result<Date, jiff::Error> {
        match self {
            Self::Day => Ok(day),
            Self::Week => day.checked_sub(day.weekday().to_monday_zero_offset().days()),
            Self::Month => Ok(day.first_of_month()),
            Self::Year => Ok(day.first_of_year()),
        }
    }

    /// Returns the first day of the next unit.
    fn next(self, day: Date) -> Result<Date, jiff::Error> {
        self.start(day)?.checked_add(match self {
            Self::Day => 1.day(),
            Self::Week => 1.week(),
            Self::Month => 1.month(),
            Self::Year => 1.year(),
        })
    }
}

/// The IDs of a range.
#[derive(Clone, Copy, Debug)]
enum Ranged {
    Ours(SchemeOrLayout),
    /// Of a format that is only read.
    Other(TimeOrdered),
}

static RANGED: LazyLock<Vec<Ranged>> = LazyLock::new(|| {
    let ours = SchemeOrLayout::value_variants().iter().copied().map(Ranged::Ours);
    ours.chain(TimeOrdered::all().map(Ranged::Other)).collect()
});

impl ValueEnum for Ranged {
    fn value_variants<'a>() -> &'a [Self] {
        &RANGED
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Ours(scheme) => scheme.to_possible_value(),
            Self::Other(format) => Some(PossibleValue::new(format.name())),
        }
    }
}

impl Ranged {
    /// Returns the form of these IDs with a name.
    fn form(self, kind: KuidKind, name: &str) -> Result<Form, Failure> {
        let kind = match self {
            Self::Ours(scheme) => scheme.kind(kind),
            Self::Other(_) => {
                // The forms of every ID, and the only text.
                return match Form::named(Kind::Snowflake, name) {
                    Some(Form::Text(_)) if name == "text" => Ok(Form::Own),
                    Some(form @ (Form::Int | Form::Hex | Form::Bytes)) => Ok(form),
                    _ => Err(no_form(&name_of(&self), name, &["text", "int", "hex", "bytes"])),
                };
            }
        };
        let names = || Vec::from_iter(Form::names(kind));
        Form::named(kind, name).ok_or_else(|| no_form(&name_of(&self), name, &names()))
    }

    /// Returns the kinds of IDs that have options.
    fn kinds(self) -> Vec<Kind> {
        match self {
            Self::Ours(scheme) => scheme.kinds(),
            Self::Other(_) => Vec::new(),
        }
    }
}

impl RangeArguments {
    /// Returns the form of the two IDs. JSON has the others beside the text.
    fn form(&self) -> Result<Form, Failure> {
        let form = self.scheme.form(self.kind, &self.form)?;
        if self.every.is_some() && form == Form::Bytes {
            return Err(Failure::Usage("--every prints lines, and --as bytes has none".into()));
        }
        if self.json && !is_text(form) {
            let form = form.name();
            return Err(Failure::Usage(format!(
                "--json has the IDs in all forms, without --as {form}"
            )));
        }
        Ok(form)
    }
}

/// The times of a range.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// Its two ends, as they were given.
    given: [UnixTime; 2],
    is_inclusive: bool,
    /// The first and the last one within the range that an ID may show.
    since: UnixTime,
    last: UnixTime,
}

pub(crate) fn run(arguments: &RangeArguments) -> Result<ExitCode, Failure> {
    arguments.given.check(&name_of(&arguments.scheme), &arguments.scheme.kinds())?;
    let form = arguments.form()?;
    let now = when::now(arguments.tz.clone());
    // Both are resolved by one reading of the clock, or `--since '1h ago'` would not be an hour
    // before the default of --until.
    let (since, end) = (arguments.since.resolve(&now)?, arguments.until.resolve(&now)?);
    if since > end {
        return Err(Failure::Usage(format!("--since {since} is after --until {end}")));
    }
    if since == end && !arguments.inclusive {
        let reason = format!("--until {end} is the start of the range, and not part of it");
        return Err(Failure::Usage(reason).hinting("--inclusive makes it part of the range"));
    }
    // The ends of a BETWEEN are both included, so an excluded end moves back by the smallest step
    // of time, a microsecond. `since` is earlier, as was checked, so the end does not pass it.
    let before = || end.checked_sub(Duration::from_micros(1)).unwrap_or(end);
    let is_inclusive = arguments.inclusive;
    let last = if is_inclusive { end } else { before() };
    let times = Times { given: [since, end], is_inclusive, since, last };
    let (times, remarks) = match arguments.scheme {
        Ranged::Ours(scheme) => {
            let settings = scheme.over(arguments.settings.all());
            let scheme = AnyScheme::new(scheme.kind(arguments.kind), &settings);
            times.cut(scheme.min_at(since), scheme.max_at(last))?
        }
        Ranged::Other(format) => times.cut(format.min_at(since), format.max_at(last))?,
    };
    let mut out = Output::stdout();
    let mut is_empty = true;
    times.each(arguments.every, &arguments.tz, |day, times| {
        let ends = match arguments.scheme {
            Ranged::Ours(scheme) => of_scheme(scheme, times, arguments)?,
            Ranged::Other(format) => of_format(format, times, arguments)?,
        };
        if let Some(ends) = ends {
            is_empty = false;
            print(&mut out, day, ends, times, form, arguments)?;
        }
        out.drain()
    })?;
    // A range within one tick may hold no start of a tick. SCRU64 has ticks of 256 ms, for example,
    // so most ranges of 10 ms have no ID.
    if is_empty {
        let none = format!("no ID shows a time from --since {since} to --until {end}");
        let hint = "an ID shows the start of its tick; a longer range has one";
        return Err(Failure::Usage(none).hinting(hint));
    }
    out.flush()?;
    for remark in remarks {
        say(&remark);
    }
    Ok(ExitCode::SUCCESS)
}

impl Times {
    /// Cuts the range to the times that IDs show, if its lowest or its highest ID is an error, with a
    /// remark for each end. Nothing may be left of it.
    fn cut<T>(
        self,
        lowest: Result<T, RangeError>,
        highest: Result<T, RangeError>,
    ) -> Result<(Self, Vec<String>), Failure> {
        let micros = |time: UnixTime| i128::from(time.as_micros());
        // The epoch and the last tick of every scheme are times.
        let time = |micros: i128| UnixTime::from_micros(i64::try_from(micros).unwrap_or(i64::MAX));
        let ([since, until], mut cut, mut remarks) = (self.given, self, Vec::new());
        if let Err(error) = lowest {
            if micros(since) > error.min() {
                return Err(no_tick("--since", since, &error));
            }
            cut.since = time(error.min());
            let first = cut.since;
            remarks
                .push(format!("--since {since}: the range starts with the first ID, of {first}"));
        }
        if let Err(error) = highest {
            if micros(self.last) < error.max() {
                return Err(no_tick("--until", until, &error));
            }
            cut.last = time(error.max());
            let last = cut.last;
            remarks.push(format!("--until {until}: the range ends with the last ID, of {last}"));
        }
        Ok((cut, remarks))
    }

    /// Calls `part` with each part of the range that starts with a unit in a zone, and its first day,
    /// or with the whole range.
    fn each(
        self,
        every: Option<Every>,
        zone: &TimeZone,
        mut part: impl FnMut(Option<Date>, Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let Some(every) = every else { return part(None, self) };
        let [since, until] = self.given;
        let day_of = |time: UnixTime| {
            let time = Timestamp::try_from(time).map_err(|error| no_part(&error))?;
            Ok::<_, Failure>(time.to_zoned_datetime(zone.clone()).date())
        };
        // Days do not all start at 00:00.
        let start_of = |day: Date| {
            let start = day.to_zoned_datetime(zone.clone()).map_err(|error| no_part(&error))?;
            UnixTime::try_from(start.timestamp()).map_err(|error| no_part(&error))
        };
        // Start with the unit of the first ID, and not with all those before it.
        let first = every.start(day_of(self.since)?).map_err(|error| no_part(&error))?;
        let mut start = since.max(start_of(first)?);
        let mut day = day_of(start)?;
        while start <= self.last {
            let next_day = every.next(day).map_err(|error| no_part(&error))?;
            let next = start_of(next_day)?;
            let before = next.checked_sub(Duration::from_micros(1)).unwrap_or(next);
            let times = Self {
                given: [start, until.min(next)],
                is_inclusive: self.is_inclusive && until < next,
                since: self.since.max(start),
                last: self.last.min(before),
            };
            part(Some(day), times)?;
            (day, start) = (next_day, next);
        }
        Ok(())
    }
}

fn no_part(error: &dyn Display) -> Failure {
    Failure::Usage(format!("--every: {error}"))
}

/// Returns the lowest and the highest ID, or `None` if no ID shows one of the times.
fn of_scheme(
    scheme: SchemeOrLayout,
    Times { since, last, .. }: Times,
    arguments: &RangeArguments,
) -> Result<Option<[Identifier; 2]>, Failure> {
    let settings = scheme.over(arguments.settings.all());
    let kind = scheme.kind(arguments.kind);
    let scheme = AnyScheme::new(kind, &settings);
    let ends = match &arguments.node {
        // Global kuids sort by node before the end of their time, so that the ends for one node are
        // others. IDs of other nodes may lie between them, too.
        Some(node) if kind == Kind::KuidGlobal => {
            let node = GivenNode::read(&scheme, arguments.node_hash, node);
            let node = node.map_err(|error| of_node(&error))?.node.value();
            #[allow(clippy::cast_possible_truncation, reason = "32 bits")]
            let node = Node::new(node as u32);
            let global = |local| AnyId::from(GlobalId::from_local(local, node, settings.drift));
            let range = LocalId::range(since..=last).map(RangeInclusive::into_inner);
            range.map(|(min, max)| global(min)..=global(max))
        }
        Some(_) => return Err(of_node(KUIDS_ONLY)),
        None => scheme.range(since..=last),
    };
    Ok(ends.map(|ends| [*ends.start(), *ends.end()].map(Identifier::Scheme)))
}

/// The same for a format that is only read.
fn of_format(
    format: TimeOrdered,
    Times { since, last, .. }: Times,
    arguments: &RangeArguments,
) -> Result<Option<[Identifier; 2]>, Failure> {
    if arguments.node.is_some() {
        return Err(of_node(KUIDS_ONLY));
    }
    let min = format.min_at(since).map_err(|error| no_tick("--since", since, &error))?;
    let max = format.max_at(last).map_err(|error| no_tick("--until", last, &error))?;
    // If no tick starts within the range, the lowest ID is above the highest.
    Ok((*min.bytes() <= *max.bytes()).then_some([min, max]))
}

const KUIDS_ONLY: &str = "it makes a difference to global kuids only";

fn of_node(reason: &str) -> Failure {
    Failure::Usage(format!("--node: {reason}"))
}

/// A range as JSON.
#[derive(Serialize)]
struct ShownRange {
    scheme: String,
    since: ShownTime,
    until: ShownTime,
    inclusive: bool,
    min: RangeEnd,
    max: RangeEnd,
}

#[derive(Serialize)]
struct ShownTime {
    unix_ms: i64,
    time: Option<String>,
}

/// One end of a range in every form that a database may need.
#[derive(Serialize)]
struct RangeEnd {
    text: String,
    hex: String,
    /// `None` if it has more than 128 bits.
    int: Option<String>,
}

impl RangeEnd {
    fn new(id: Identifier, form: Form, options: &IdOptions) -> Self {
        let inspection = Inspection::new(id, "", &options.all());
        let inspection = inspection.in_form(form).unwrap_or(inspection);
        let integer = inspection.forms().find(|(name, _)| *name == Form::Int.name());
        Self {
            text: inspection.text().to_owned(),
            hex: inspection.with_hex(str::to_owned),
            int: integer.map(|(_, number)| number.to_string()),
        }
    }
}

/// Prints a range, which starts with a day if there are several.
fn print(
    out: &mut Output,
    day: Option<Date>,
    ends: [Identifier; 2],
    times: Times,
    form: Form,
    arguments: &RangeArguments,
) -> Result<(), Failure> {
    let options = &arguments.settings;
    if arguments.json {
        let instant =
            |time: UnixTime| ShownTime { unix_ms: time.as_millis(), time: when::date_time(time) };
        let [since, until] = times.given.map(instant);
        let [min, max] = ends.map(|id| RangeEnd::new(id, form, options));
        let (scheme, inclusive) = (name_of(&arguments.scheme), times.is_inclusive);
        return write_json(&ShownRange { scheme, since, until, inclusive, min, max }, out.buffer());
    }
    if let Some(day) = day {
        out.buffer().extend_from_slice(day.to_string().as_bytes());
    }
    for (place, id) in ends.into_iter().enumerate() {
        let end = RangeEnd::new(id, form, options);
        let text = match form {
            Form::Text(_) | Form::Own | Form::Tuple => end.text,
            Form::Int => end.int.ok_or_else(|| no_integer(arguments))?,
            Form::Hex => end.hex,
            // No line break follows, because it would be read as a byte of an ID.
            Form::Bytes => {
                out.buffer().extend_from_slice(&id.bytes());
                continue;
            }
        };
        let before = if day.is_some() { "\t" } else { "" };
        let after = if day.is_some() && place == 0 { "" } else { "\n" };
        out.buffer().extend_from_slice(format!("{before}{text}{after}").as_bytes());
    }
    Ok(())
}

fn no_form(scheme: &str, name: &str, names: &[&str]) -> Failure {
    let names = names.join(", ");
    Failure::Usage(format!("--as: {scheme} has no form '{}'; it has {names}", shown(name)))
}

fn no_integer(arguments: &RangeArguments) -> Failure {
    let scheme = name_of(&arguments.scheme);
    Failure::Usage(format!("IDs of {scheme} have more than 128 bits, and no integer"))
        .hinting("--as hex prints their bytes")
}

/// Returns the error for a time that a scheme has no tick for.
fn no_tick(option: &str, time: UnixTime, error: &RangeError) -> Failure {
    let error = RangeError::of_time(time.as_micros().into(), error.min(), error.max());
    Failure::Usage(format!("{option}: {error}"))
}
