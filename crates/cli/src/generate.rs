//! `tickid gen`.

use std::io::Write as _;
use std::process::ExitCode;

use tickid_core::{LocalGenerator, Plain, Scheme, Variant};
use tickid_kuid::{Global, GlobalId, Kuid, Local, LocalId, Node};
use tickid_lease::Lease;
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Meta, Partition, Sno, SnoId};

use crate::args::{self, Format, GenArguments, GenOptions, GenScheme, Kind};
use crate::failure::Failure;
use crate::lease::nodes;
use crate::output::Output;
use crate::patience::Patience;
use crate::progress::Progress;
use crate::report::{Hex, Report};
use crate::schemes::Describe;
use crate::shown::say;
use crate::source::Source;

/// How many IDs are asked for at once.
const BATCH: usize = 1024;

pub(crate) fn run(arguments: &GenArguments) -> Result<ExitCode, Failure> {
    let mut patience = Patience::new(arguments.scheme.options().max_wait);
    let max_wait = patience.max_wait();
    match &arguments.scheme {
        GenScheme::Scru64 { node, lease, scru64, options } => match *node {
            Some(node) => {
                let generator = LocalGenerator::<Scru64>::builder(node).max_wait(max_wait);
                let generator = generator.build_local()?;
                stream(generator, Plain, Scru64Id::MIN, scru64, options, patience)
            }
            None => {
                let leased = |held: &Lease| held.builder(&Scru64);
                let keeper = lease.lease(
                    Scru64,
                    "scru64",
                    nodes(args::Scheme::Scru64, Kind::Global),
                    &mut patience,
                    leased,
                )?;
                stream(keeper, Plain, Scru64Id::MIN, scru64, options, patience)
            }
        },
        GenScheme::Nanoflake { node, lease, nanoflake, options } => {
            let layout = Nanoflake { epoch: nanoflake.epoch() };
            match *node {
                Some(node) => {
                    let generator = LocalGenerator::builder(node)
                        .layout(layout)
                        .max_wait(max_wait)
                        .build_local()?;
                    stream(generator, Plain, NanoflakeId::MIN, nanoflake, options, patience)
                }
                None => {
                    let realm = format!("nanoflake-{}", layout.epoch.as_unix_millis());
                    let leased = move |held: &Lease| held.builder(&layout);
                    let keeper = lease.lease(
                        layout,
                        &realm,
                        nodes(args::Scheme::Nanoflake, Kind::Global),
                        &mut patience,
                        leased,
                    )?;
                    stream(keeper, Plain, NanoflakeId::MIN, nanoflake, options, patience)
                }
            }
        }
        GenScheme::Kuid { kind, node, node_hash, lease, kuid, options } => {
            let layout = Kuid { drift: kuid.drift() };
            let node = node.as_deref().map(|node| node_hash.node(node)).transpose();
            match (kind, node.map_err(Failure::Usage)?) {
                (Kind::Global, Some(node)) => {
                    let generator = LocalGenerator::builder(node)
                        .layout(layout)
                        .max_wait(max_wait)
                        .build_local()?;
                    stream(generator, Global, GlobalId::MIN, kuid, options, patience)
                }
                (Kind::Global, None) => {
                    let leased = move |held: &Lease| held.builder(&layout);
                    let realm = format!("kuid-{}", layout.drift);
                    let nodes = nodes(args::Scheme::Kuid, *kind);
                    let keeper = lease.lease(layout, &realm, nodes, &mut patience, leased)?;
                    stream(keeper, Global, GlobalId::MIN, kuid, options, patience)
                }
                (Kind::Local, None) => {
                    // Local IDs have no node and no drift: the generator's do not show. One layout
                    // for all, so that they share a realm.
                    let layout = Kuid::default();
                    let leased = move |held: &Lease| held.builder_for(&layout, Node::from_u32(0));
                    let nodes = nodes(args::Scheme::Kuid, *kind);
                    let keeper = lease.lease(layout, "kuid-local", nodes, &mut patience, leased)?;
                    stream(keeper, Local, LocalId::MIN, kuid, options, patience)
                }
                (Kind::Local, Some(_)) => {
                    Err(Failure::Usage("a local kuid has no node: leave out --node".into()))
                }
            }
        }
        GenScheme::Sno { node, meta, lease, options } => match *node {
            Some(node) => {
                let generator =
                    LocalGenerator::<Sno>::builder(Partition::new(node)).max_wait(max_wait);
                let generator = generator.build_local()?;
                stream(generator, Meta(*meta), SnoId::ZERO, &(), options, patience)
            }
            None => {
                let leased = |held: &Lease| held.builder(&Sno);
                let keeper = lease.lease(
                    Sno,
                    "sno",
                    nodes(args::Scheme::Sno, Kind::Global),
                    &mut patience,
                    leased,
                )?;
                stream(keeper, Meta(*meta), SnoId::ZERO, &(), options, patience)
            }
        },
    }
}

/// Writes IDs to standard output, as fast as the scheme and the reader allow.
fn stream<S, F>(
    mut source: impl Source<S>,
    form: F,
    blank: F::Id,
    layout: &<F::Id as Describe>::Layout,
    options: &GenOptions,
    mut patience: Patience,
) -> Result<ExitCode, Failure>
where
    S: Scheme,
    F: Variant<S, Id: Describe>,
{
    let mut out = Output::stdout();
    let mut report = Report::default();
    let mut batch = [blank; BATCH];
    let mut progress = Progress::new((!options.forever).then_some(options.count));
    let mut left = if options.forever { u64::MAX } else { options.count };
    while left > 0 {
        let want = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
        let ids = match source.try_fill(form, &mut batch[..want]) {
            Ok(len) => &batch[..len],
            Err(stall) => {
                // The reader gets everything there is before the pause.
                out.flush()?;
                patience.pause(stall)?;
                continue;
            }
        };
        patience.succeeded();
        for id in ids {
            if options.json {
                id.describe(layout, &mut report);
                report.write_json(out.buffer());
            } else {
                write_id(id, layout, options.format, out.buffer());
            }
        }
        if !options.forever {
            left -= ids.len() as u64;
        }
        out.drain()?;
        progress.show(left);
    }
    out.flush()?;
    progress.clear();
    if let Err(failure) = source.finish() {
        // The IDs are out, and good.
        say(&failure.to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// Appends one ID as a line (but for raw bytes, which have nothing in between).
pub(crate) fn write_id<I: Describe>(id: &I, layout: &I::Layout, format: Format, out: &mut Vec<u8>) {
    let (number, len) = id.integer();
    let bytes = &number.to_be_bytes()[size_of::<u128>() - len..];
    match format {
        Format::Text => id.write_text(layout, out),
        // Writing to memory can't fail.
        Format::Int => drop(write!(out, "{number}")),
        Format::Hex => out.extend_from_slice(Hex(bytes).digits(&mut [0; _])),
        Format::Bytes => return out.extend_from_slice(bytes),
    }
    out.push(b'\n');
}
