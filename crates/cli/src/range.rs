//! `tickid range`.

use core::time::Duration;
use std::process::ExitCode;

use clap::Args;
use jiff::tz::TimeZone;
use tickid_core::{RangeError, UnixTime};
use tickid_kuid::{GlobalId, Kuid, LocalId};
use tickid_nanoflake::Nanoflake;
use tickid_scru64::Scru64;
use tickid_sno::Sno;

use crate::describe::{Describe, write_id};
use crate::failure::Failure;
use crate::json::Object;
use crate::options::{Format, Kind, Layouts, NodeHash, Scheme, name_of};
use crate::output::Output;
use crate::report::{Hex, write_time};
use crate::values::parse;
use crate::when::{self, When, zone};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid range sno --since 2024-01-01 --until 2024-01-02
  tickid range scru64 --since yesterday --until today --tz local
  tickid range nanoflake --epoch discord --format int --since '2h ago'
  tickid range nanoflake --epoch discord --format int --since 1704067200000 --until 1704153600000
  tickid range kuid --kind local --since 2024-01-01 --until 2024-01-01 --inclusive --json
  tickid range kuid --node uid@127.0.0.1 --format hex --since 1704067200000 --until 1704153600000

The two IDs are the ends of a BETWEEN: the lowest of the first tick, and the highest of the last
tick that begins before --until. The range of a day ends with --until the next day.")]
pub(crate) struct RangeArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    /// The first time: a date, RFC 3339, milliseconds since 1970, now, yesterday, '2h ago'
    #[arg(long, visible_alias = "from", value_name = "TIME", value_parser = parse::<When>)]
    #[arg(allow_negative_numbers = true)]
    since: When,
    /// The end; its tick is not part of the range
    #[arg(long, visible_alias = "to", value_name = "TIME", value_parser = parse::<When>)]
    #[arg(allow_negative_numbers = true, default_value = "now")]
    until: When,
    /// Include the tick of --until
    #[arg(long)]
    inclusive: bool,
    /// The zone of dates, and of times without one: UTC, local, or as in Europe/Berlin
    #[arg(long, value_name = "ZONE", value_parser = zone, default_value = "UTC")]
    tz: TimeZone,
    /// kuid: local IDs (8 bytes) or global ones (12 bytes)
    #[arg(long, value_enum, default_value_t = Kind::Global)]
    kind: Kind,
    /// kuid: exact ends for the global IDs of this node: an Erlang node name, or a fingerprint in
    /// hexadecimal after 0x
    #[arg(long, value_name = "NAME|0xHEX")]
    node: Option<String>,
    /// The hash of node names
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    /// The form of the two IDs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print one JSON object
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    layouts: Layouts,
}

pub(crate) fn run(arguments: &RangeArguments) -> Result<ExitCode, Failure> {
    let now = when::now(arguments.tz.clone());
    let (since, end) = (arguments.since.resolve(&now)?, arguments.until.resolve(&now)?);
    if since > end {
        return Err(Failure::Usage(format!("--since {since} is after --until {end}")));
    }
    if since == end && !arguments.inclusive {
        let reason = format!("--until {end} is where the range begins, and not part of it");
        return Err(Failure::Usage(reason).hinting("--inclusive makes its tick part of the range"));
    }
    let before = || end.checked_sub(Duration::from_micros(1)).unwrap_or(end);
    let until = if arguments.inclusive { end } else { before() };
    let times = Times { since, end };
    let layouts = &arguments.layouts;
    let drift = layouts.kuid.drift();
    let usage = |reason: &str| Failure::Usage(format!("--node: {reason}"));
    let node = arguments.node.as_deref().map(|node| arguments.node_hash.node(node)).transpose();
    match (arguments.scheme, arguments.kind, node.map_err(|error| usage(&error))?) {
        // Global kuids sort by node before the end of their time, so that the ends for one node are
        // others. IDs of other nodes may lie between them, too.
        (Scheme::Kuid, Kind::Global, Some(node)) => {
            let global = |local| GlobalId::from_local(local, node, drift);
            let (min, max) = (LocalId::min_at(since), LocalId::max_at(until));
            print(min.map(global), max.map(global), &layouts.kuid, times, arguments)
        }
        (_, _, Some(_)) => Err(usage("it makes a difference to global kuids only")),
        (Scheme::Scru64, ..) => {
            print(Scru64.min_at(since), Scru64.max_at(until), &layouts.scru64, times, arguments)
        }
        (Scheme::Nanoflake, ..) => {
            let layout = Nanoflake { epoch: layouts.nanoflake.epoch() };
            print(layout.min_at(since), layout.max_at(until), &layouts.nanoflake, times, arguments)
        }
        (Scheme::Kuid, Kind::Local, None) => {
            print(LocalId::min_at(since), LocalId::max_at(until), &layouts.kuid, times, arguments)
        }
        (Scheme::Kuid, Kind::Global, None) => {
            let layout = Kuid { drift };
            print(layout.min_at(since), layout.max_at(until), &layouts.kuid, times, arguments)
        }
        (Scheme::Sno, ..) => print(Sno.min_at(since), Sno.max_at(until), &(), times, arguments),
    }
}

/// The ends as they were given.
#[derive(Clone, Copy)]
struct Times {
    since: UnixTime,
    end: UnixTime,
}

fn print<I: Describe>(
    min: Result<I, RangeError>,
    max: Result<I, RangeError>,
    layout: &I::Layout,
    times: Times,
    arguments: &RangeArguments,
) -> Result<ExitCode, Failure> {
    let min = min.map_err(|error| no_tick("--since", times.since, &error))?;
    let max = max.map_err(|error| no_tick("--until", times.end, &error))?;
    let mut out = Output::stdout();
    if arguments.json {
        let mut object = Object::open(out.buffer());
        object.string("scheme", name_of(&arguments.scheme).as_bytes());
        for (name, time) in [("from", times.since), ("to", times.end)] {
            let mut inner = object.object(name);
            write_time(Some(time), &mut inner);
            inner.close();
        }
        object.boolean("inclusive", arguments.inclusive);
        write_end(&min, layout, object.object("min"));
        write_end(&max, layout, object.object("max"));
        object.close();
        out.buffer().push(b'\n');
    } else {
        for id in [min, max] {
            write_id(&id, layout, arguments.format, out.buffer());
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the error for a time that a scheme has no tick for.
fn no_tick(option: &str, time: UnixTime, error: &RangeError) -> Failure {
    let [min, max] = [error.min(), error.max()].map(|micros| i64::try_from(micros).ok());
    match (min.map(UnixTime::from_micros), max.map(UnixTime::from_micros)) {
        (Some(min), Some(max)) if i128::from(time.as_micros()) == error.value() => Failure::Usage(
            format!("{option} {time} is outside of the scheme's time, {min} to {max}"),
        ),
        _ => Failure::Usage(format!("{option} {time}: {error}")),
    }
}

/// Writes one end of the range in every form that a database may need.
fn write_end<I: Describe>(id: &I, layout: &I::Layout, mut object: Object<'_>) {
    let mut text = Vec::new();
    id.write_text(layout, &mut text);
    object.string("text", &text);
    object.string("hex", Hex(id.bytes().as_ref()).digits(&mut [0; _]));
    object.string("int", id.integer().to_string().as_bytes());
    object.close();
}
