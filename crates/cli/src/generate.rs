//! `tickid gen`.

use std::io::Write as _;
use std::process::ExitCode;

use tickid_core::{Form, LocalGenerator, Plain, Scheme};
use tickid_kuid::{Global, GlobalId, Kuid, Local, LocalId, Node};
use tickid_lease::Lease;
use tickid_nanoflake::{Nanoflake, NanoflakeId};
use tickid_scru64::{Scru64, Scru64Id};
use tickid_sno::{Meta, Partition, Sno, SnoId};

use crate::args::{self, Format, GenArguments, GenOptions, GenScheme, Kind};
use crate::failure::Failure;
use crate::lease::nodes;
use crate::output::Output;
use crate::progress::Progress;
use crate::report::{Hex, Report};
use crate::schemes::Describe;
use crate::source::Source;

/// How many IDs are asked for at once.
const BATCH: usize = 1024;

pub(crate) fn run(arguments: &GenArguments) -> Result<ExitCode, Failure> {
    match &arguments.scheme {
        GenScheme::Scru64 { node, lease, scru64, options } => match *node {
            Some(node) => {
                let generator = LocalGenerator::<Scru64>::new(node)?;
                stream(generator, Plain, Scru64Id::MIN, scru64, options)
            }
            None => {
                let leased = |held: &Lease| held.builder(&Scru64);
                let keeper = lease.lease(
                    Scru64,
                    "scru64",
                    nodes(args::Scheme::Scru64, Kind::Global),
                    leased,
                )?;
                stream(keeper, Plain, Scru64Id::MIN, scru64, options)
            }
        },
        GenScheme::Nanoflake { node, lease, nanoflake, options } => {
            let layout = Nanoflake { epoch: nanoflake.epoch() };
            match *node {
                Some(node) => {
                    let generator = LocalGenerator::builder(node).layout(layout).build_local()?;
                    stream(generator, Plain, NanoflakeId::MIN, nanoflake, options)
                }
                None => {
                    let realm = format!("nanoflake-{}", layout.epoch.as_unix_millis());
                    let leased = move |held: &Lease| held.builder(&layout);
                    let keeper = lease.lease(
                        layout,
                        &realm,
                        nodes(args::Scheme::Nanoflake, Kind::Global),
                        leased,
                    )?;
                    stream(keeper, Plain, NanoflakeId::MIN, nanoflake, options)
                }
            }
        }
        GenScheme::Kuid { kind, node, node_hash, lease, kuid, options } => {
            let layout = Kuid { drift: kuid.drift() };
            let node = node.as_deref().map(|node| node_hash.node(node)).transpose();
            match (kind, node.map_err(Failure::Usage)?) {
                (Kind::Global, Some(node)) => {
                    let generator = LocalGenerator::builder(node).layout(layout).build_local()?;
                    stream(generator, Global, GlobalId::MIN, kuid, options)
                }
                (Kind::Global, None) => {
                    let leased = move |held: &Lease| held.builder(&layout);
                    let realm = format!("kuid-{}", layout.drift);
                    let nodes = nodes(args::Scheme::Kuid, *kind);
                    let keeper = lease.lease(layout, &realm, nodes, leased)?;
                    stream(keeper, Global, GlobalId::MIN, kuid, options)
                }
                (Kind::Local, None) => {
                    // Local IDs have no node and no drift: the generator's do not show. One layout
                    // for all, so that they share a realm.
                    let layout = Kuid::default();
                    let leased = move |held: &Lease| held.builder_for(&layout, Node::from_u32(0));
                    let nodes = nodes(args::Scheme::Kuid, *kind);
                    let keeper = lease.lease(layout, "kuid-local", nodes, leased)?;
                    stream(keeper, Local, LocalId::MIN, kuid, options)
                }
                (Kind::Local, Some(_)) => {
                    Err(Failure::Usage("a local kuid has no node: leave out --node".into()))
                }
            }
        }
        GenScheme::Sno { node, meta, lease, options } => match *node {
            Some(node) => {
                let generator = LocalGenerator::<Sno>::new(Partition::new(node))?;
                stream(generator, Meta(*meta), SnoId::ZERO, &(), options)
            }
            None => {
                let leased = |held: &Lease| held.builder(&Sno);
                let keeper =
                    lease.lease(Sno, "sno", nodes(args::Scheme::Sno, Kind::Global), leased)?;
                stream(keeper, Meta(*meta), SnoId::ZERO, &(), options)
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
) -> Result<ExitCode, Failure>
where
    S: Scheme,
    F: Form<S, Id: Describe>,
{
    let mut out = Output::stdout();
    let mut report = Report::default();
    let mut batch = [blank; BATCH];
    let mut progress = Progress::new((!options.forever).then_some(options.count));
    let mut left = if options.forever { u64::MAX } else { options.count };
    while left > 0 {
        let want = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
        let mut len = source.fill(form, &mut batch[..want]);
        if len == 0 {
            // Whoever reads should have everything there is before we sleep.
            out.flush()?;
            batch[0] = source.wait(form)?;
            len = 1;
        }
        let ids = &batch[..len];
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
        anstream::eprintln!("tickid: {failure}");
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
