//! `tickid range`.

use std::process::ExitCode;

use clap::Args;
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
use crate::values::time;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tickid range sno --from 2024-01-01T00:00:00Z --to 2024-01-02T00:00:00Z
  tickid range nanoflake --epoch discord --format int --from 1704067200000 --to 1704153600000
  tickid range kuid --kind local --from 2024-01-01T00:00:00Z --to 2024-01-01T00:00:00Z --json
  tickid range kuid --node uid@127.0.0.1 --format hex --from 1704067200000 --to 1704153600000")]
pub(crate) struct RangeArguments {
    /// The scheme
    #[arg(value_enum)]
    scheme: Scheme,
    /// The first time, in milliseconds since 1970 or in RFC 3339
    #[arg(long, value_name = "MS|RFC3339", value_parser = time, allow_negative_numbers = true)]
    from: UnixTime,
    /// The last time; the IDs of its tick are in the range
    #[arg(long, value_name = "MS|RFC3339", value_parser = time, allow_negative_numbers = true)]
    to: UnixTime,
    /// kuid: local IDs (8 bytes) or global ones (12 bytes)
    #[arg(long, value_enum, default_value_t = Kind::Global)]
    kind: Kind,
    /// kuid: ends between which the global IDs of this node are exactly those of the times: an Erlang
    /// node name, or a fingerprint in hexadecimal after 0x
    #[arg(long, value_name = "NAME|0xHEX")]
    node: Option<String>,
    /// How a node name becomes a fingerprint
    #[arg(long, value_enum, default_value_t = NodeHash::Phash2)]
    node_hash: NodeHash,
    /// What to print of the two IDs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print one JSON object
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    layouts: Layouts,
}

pub(crate) fn run(arguments: &RangeArguments) -> Result<ExitCode, Failure> {
    let (from, to) = (arguments.from, arguments.to);
    if from > to {
        return Err(Failure::Usage(format!("--from {from} is after --to {to}")));
    }
    let layouts = &arguments.layouts;
    let drift = layouts.kuid.drift();
    let usage = |reason: &str| Failure::Usage(format!("--node: {reason}"));
    let node = arguments.node.as_deref().map(|node| arguments.node_hash.node(node)).transpose();
    match (arguments.scheme, arguments.kind, node.map_err(|error| usage(&error))?) {
        // Global kuids sort by node before the end of their time, so that the ends for one node are
        // others. IDs of other nodes may lie between them, too.
        (Scheme::Kuid, Kind::Global, Some(node)) => {
            let global = |local| GlobalId::from_local(local, node, drift);
            let (min, max) = (LocalId::min_at(from), LocalId::max_at(to));
            print(min.map(global), max.map(global), &layouts.kuid, arguments)
        }
        (_, _, Some(_)) => Err(usage("it makes a difference to global kuids only")),
        (Scheme::Scru64, ..) => {
            print(Scru64.min_at(from), Scru64.max_at(to), &layouts.scru64, arguments)
        }
        (Scheme::Nanoflake, ..) => {
            let layout = Nanoflake { epoch: layouts.nanoflake.epoch() };
            print(layout.min_at(from), layout.max_at(to), &layouts.nanoflake, arguments)
        }
        (Scheme::Kuid, Kind::Local, None) => {
            print(LocalId::min_at(from), LocalId::max_at(to), &layouts.kuid, arguments)
        }
        (Scheme::Kuid, Kind::Global, None) => {
            let layout = Kuid { drift };
            print(layout.min_at(from), layout.max_at(to), &layouts.kuid, arguments)
        }
        (Scheme::Sno, ..) => print(Sno.min_at(from), Sno.max_at(to), &(), arguments),
    }
}

fn print<I: Describe>(
    min: Result<I, RangeError>,
    max: Result<I, RangeError>,
    layout: &I::Layout,
    arguments: &RangeArguments,
) -> Result<ExitCode, Failure> {
    let min = min.map_err(|error| no_tick("--from", arguments.from, &error))?;
    let max = max.map_err(|error| no_tick("--to", arguments.to, &error))?;
    let mut out = Output::stdout();
    if arguments.json {
        let mut object = Object::open(out.buffer());
        object.string("scheme", name_of(&arguments.scheme).as_bytes());
        for (name, time) in [("from", arguments.from), ("to", arguments.to)] {
            let mut inner = object.object(name);
            write_time(Some(time), &mut inner);
            inner.close();
        }
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
    Failure::Usage(format!("{option} {time}: {error}"))
}

/// Writes one end of the range in every form that a database may want.
fn write_end<I: Describe>(id: &I, layout: &I::Layout, mut object: Object<'_>) {
    let mut text = Vec::new();
    id.write_text(layout, &mut text);
    object.string("text", &text);
    object.string("hex", Hex(id.bytes().as_ref()).digits(&mut [0; _]));
    object.string("int", id.integer().to_string().as_bytes());
    object.close();
}
