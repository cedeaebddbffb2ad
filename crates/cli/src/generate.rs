//! `tickid gen`.

use std::io::Write as _;
use std::process::ExitCode;

use rand::TryRng as _;
use tickid_core::{Clock, Form, LocalGenerator, Scheme, Sequence};
use tickid_kuid::{Global, GlobalId, Local, LocalId};
use tickid_nanoflake::NanoflakeId;
use tickid_scru64::Scru64Id;
use tickid_sno::{Meta, SnoId};

use crate::args::{Format, GenArguments, GenOptions, GenScheme, Kind};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::report::{Hex, Report};
use crate::schemes::{self, Describe};

/// How many IDs are asked for at once.
const BATCH: usize = 1024;

pub(crate) fn run(arguments: &GenArguments) -> Result<ExitCode, Failure> {
    match &arguments.scheme {
        GenScheme::Scru64 { node, scru64, options } => {
            let generator = schemes::scru64::generator(*node)?;
            stream(generator, tickid_core::Plain, Scru64Id::MIN, scru64, options)
        }
        GenScheme::Nanoflake { node, nanoflake, options } => {
            let generator = schemes::nanoflake::generator(*node, nanoflake)?;
            stream(generator, tickid_core::Plain, NanoflakeId::MIN, nanoflake, options)
        }
        GenScheme::Kuid { kind, node, node_hash, kuid, options } => {
            let node = node.as_deref().map(|node| node_hash.node(node)).transpose();
            let node = node.map_err(Failure::Usage)?;
            match (kind, node) {
                (Kind::Global, node) => {
                    let generator = schemes::kuid::generator(node, kuid)?;
                    stream(generator, Global, GlobalId::MIN, kuid, options)
                }
                (Kind::Local, None) => {
                    let generator = schemes::kuid::generator(None, kuid)?;
                    stream(generator, Local, LocalId::MIN, kuid, options)
                }
                (Kind::Local, Some(_)) => {
                    Err(Failure::Usage("a local kuid has no node: leave out --node".into()))
                }
            }
        }
        GenScheme::Sno { node, meta, options } => {
            let generator = schemes::sno::generator(*node)?;
            stream(generator, Meta(*meta), SnoId::ZERO, &(), options)
        }
    }
}

/// Bytes from the operating system, for a node that nobody chose.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(Failure::Random)?;
    Ok(bytes)
}

/// Writes IDs to standard output, as fast as the scheme and the reader allow.
fn stream<S, F, C, Q>(
    mut generator: LocalGenerator<S, C, Q>,
    form: F,
    blank: F::Id,
    layout: &<F::Id as Describe>::Layout,
    options: &GenOptions,
) -> Result<ExitCode, Failure>
where
    S: Scheme,
    F: Form<S, Id: Describe>,
    C: Clock,
    Q: Sequence,
{
    let mut out = Output::stdout();
    let mut report = Report::default();
    let mut batch = [blank; BATCH];
    let mut progress = Progress::new((!options.forever).then_some(options.count));
    let mut left = if options.forever { u64::MAX } else { options.count };
    while left > 0 {
        let want = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
        let ids = match generator.try_fill_as(form, &mut batch[..want]) {
            Ok(ids) => ids,
            Err(_) => {
                // Whoever reads should have everything there is before we sleep.
                out.flush()?;
                let first = generator.generate_as(form)?;
                let ids = &mut batch[..1];
                ids.fill(first);
                ids
            }
        };
        for id in ids.iter() {
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
