//! `tickid range`: the lowest and the highest ID of a time range.

use core::ops::RangeInclusive;
use core::time::Duration;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use jiff::tz::TimeZone;
use serde::Serialize;
use tickid_convert::{AnyId, AnyScheme, Form, Kind};
use tickid_core::{RangeError, UnixTime};
use tickid_detect::{Identifier, Inspection, TimeOrdered};
use tickid_kuid::{GlobalId, LocalId, Node};

use crate::failure::Failure;
use crate::message::shown;
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

An ID is in the range of the time that it shows, the start of its tick. The two IDs are the ends of
a BETWEEN: the lowest and the highest that show a time from --since to before --until. The range of
a day ends with --until the next day.")]
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
    since: UnixTime,
    /// The end, as it was given.
    until: UnixTime,
    /// The last one within the range.
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
    let last = if arguments.inclusive { end } else { before() };
    let times = Times { since, until: end, last };
    let ends = match arguments.scheme {
        Ranged::Ours(scheme) => of_scheme(scheme, times, arguments)?,
        Ranged::Other(format) => of_format(format, times, arguments)?,
    };
    // A range within one tick may hold no start of a tick. SCRU64 has ticks of 256 ms, for example,
    // so most ranges of 10 ms have no ID.
    let ends = ends.ok_or_else(|| {
        Failure::Usage(format!("no ID shows a time from --since {since} to --until {end}"))
            .hinting("an ID shows the start of its tick; a longer range has one")
    })?;
    print(ends, times, form, arguments)
}

/// Returns the lowest and the highest ID, or `None` if no ID shows one of the times.
fn of_scheme(
    scheme: SchemeOrLayout,
    Times { since, until, last }: Times,
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
    scheme.min_at(since).map_err(|error| no_tick("--since", since, &error))?;
    scheme.max_at(last).map_err(|error| no_tick("--until", until, &error))?;
    Ok(ends.map(|ends| [*ends.start(), *ends.end()].map(Identifier::Scheme)))
}

/// The same for a format that is only read.
fn of_format(
    format: TimeOrdered,
    Times { since, until, last }: Times,
    arguments: &RangeArguments,
) -> Result<Option<[Identifier; 2]>, Failure> {
    if arguments.node.is_some() {
        return Err(of_node(KUIDS_ONLY));
    }
    let min = format.min_at(since).map_err(|error| no_tick("--since", since, &error))?;
    let max = format.max_at(last).map_err(|error| no_tick("--until", until, &error))?;
    // They are the other way round where no tick starts within the range.
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

fn print(
    ends: [Identifier; 2],
    times: Times,
    form: Form,
    arguments: &RangeArguments,
) -> Result<ExitCode, Failure> {
    let options = &arguments.settings;
    let mut out = Output::stdout();
    if arguments.json {
        let instant =
            |time: UnixTime| ShownTime { unix_ms: time.as_millis(), time: when::date_time(time) };
        let [since, until] = [times.since, times.until].map(instant);
        let [min, max] = ends.map(|id| RangeEnd::new(id, form, options));
        let (scheme, inclusive) = (name_of(&arguments.scheme), arguments.inclusive);
        write_json(&ShownRange { scheme, since, until, inclusive, min, max }, out.buffer())?;
    } else {
        for id in ends {
            let end = RangeEnd::new(id, form, options);
            let line = match form {
                Form::Text(_) | Form::Own | Form::Tuple => end.text,
                Form::Int => end.int.ok_or_else(|| no_integer(arguments))?,
                Form::Hex => end.hex,
                // No line break follows, because it would be read as a byte of an ID.
                Form::Bytes => {
                    out.buffer().extend_from_slice(&id.bytes());
                    continue;
                }
            };
            out.buffer().extend_from_slice(line.as_bytes());
            out.buffer().push(b'\n');
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
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
