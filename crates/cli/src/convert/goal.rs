//! What is made of the IDs.

use tickid_convert::{
    AnyId, Converted, Kind, Layouts, Loss, Nodes, Options, Source as _, carry, convert_any,
    restore_any,
};
use tickid_core::RangeError;
use tickid_nanoflake::GeneratorId;
use tickid_scru64::NodeSpec;
use uuid::Uuid;

use super::args::{ConvertArguments, End, Goal, NodeArguments, number};
use super::origin::Original;
use crate::args;
use crate::failure::Failure;
use crate::schemes::Describe as _;

/// What came out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    Id(AnyId),
    Uuid(Uuid),
}

impl Made {
    /// Appends the text that the options ask for.
    pub(super) fn write_text(&self, options: &args::Layouts, out: &mut Vec<u8>) {
        match self {
            Self::Id(AnyId::Nanoflake(id)) => id.write_text(&options.nanoflake, out),
            Self::Id(AnyId::KuidLocal(id)) => id.write_text(&options.kuid, out),
            Self::Id(AnyId::KuidGlobal(id)) => id.write_text(&options.kuid, out),
            Self::Id(id) => out.extend_from_slice(id.to_string().as_bytes()),
            Self::Uuid(uuid) => {
                let mut text = [0; uuid::fmt::Hyphenated::LENGTH];
                out.extend_from_slice(uuid.hyphenated().encode_lower(&mut text).as_bytes());
            }
        }
    }

    /// As a number, and how many bytes it has.
    pub(super) fn integer(&self) -> (u128, usize) {
        match self {
            Self::Id(id) => (id.to_u128(), id.kind().byte_len()),
            Self::Uuid(uuid) => (uuid.as_u128(), size_of::<Uuid>()),
        }
    }
}

impl Goal {
    /// The scheme, unless it is a UUID.
    fn kind(self, kind: args::Kind) -> Option<Kind> {
        match (self, kind) {
            (Self::Scru64, _) => Some(Kind::Scru64),
            (Self::Nanoflake, _) => Some(Kind::Nanoflake),
            (Self::Kuid, args::Kind::Local) => Some(Kind::KuidLocal),
            (Self::Kuid, args::Kind::Global) => Some(Kind::KuidGlobal),
            (Self::Sno, _) => Some(Kind::Sno),
            (Self::Uuid | Self::UuidV7 | Self::UuidSno, _) => None,
        }
    }

    /// Its name, as `--to` has it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Scru64 => args::Scheme::Scru64.name(),
            Self::Nanoflake => args::Scheme::Nanoflake.name(),
            Self::Kuid => args::Scheme::Kuid.name(),
            Self::Sno => args::Scheme::Sno.name(),
            Self::Uuid => "uuid",
            Self::UuidV7 => "uuid-v7",
            Self::UuidSno => "uuid-sno",
        }
    }
}

/// How to convert, as the arguments say. `table` is room for the table of nodes.
pub(super) fn options<'a>(
    arguments: &ConvertArguments,
    table: &'a mut [(u64, u64)],
) -> Result<Options<'a>, Failure> {
    let mut source = arguments.layouts.all();
    let goal = arguments.to.kind(arguments.kind);
    let mut target = Layouts {
        epoch: arguments.to_epoch.unwrap_or(source.epoch),
        node_size: arguments.to_node_size.or(source.node_size),
        drift: arguments.to_drift.unwrap_or(source.drift),
    };
    let NodeArguments { node, truncate_node, .. } = &arguments.nodes;
    let nodes = match (node, truncate_node) {
        (Some(node), _) => {
            // The node is that of the IDs which are, or were, made.
            let (made, layouts) = match arguments.from {
                Some(origin) if arguments.restore => (origin.kind(), &mut source),
                _ => (goal, &mut target),
            };
            Nodes::Set(set_node(arguments, made, node, layouts)?)
        }
        (None, Some(End::Low)) => Nodes::LowBits,
        (None, Some(End::High)) => Nodes::HighBits,
        (None, None) if table.is_empty() => Nodes::Keep,
        (None, None) => {
            let table = tickid_convert::NodeTable::new(table);
            Nodes::Table(table.map_err(|error| Failure::Usage(error.to_string()))?)
        }
    };
    // Going back, what was made is what there is.
    let (source, target) = if arguments.restore { (target, source) } else { (source, target) };
    Ok(Options { source, target, nodes, metabyte: arguments.meta })
}

/// The node that all new IDs are to have, which must fit them.
fn set_node(
    arguments: &ConvertArguments,
    kind: Option<Kind>,
    node: &str,
    layouts: &mut Layouts,
) -> Result<u64, Failure> {
    let usage = |error: &dyn ToString| Failure::Usage(format!("--node: {}", error.to_string()));
    let Some(kind) = kind else {
        let goal = arguments.to.name();
        return Err(usage(&format!("an ID goes into a {goal} as it is, with the node it has")));
    };
    match kind {
        Kind::Scru64 if node.contains('/') => {
            let spec: NodeSpec = node.parse().map_err(|error| usage(&error))?;
            let (size, other) = (spec.node_id_size(), arguments.to_node_size);
            if let Some(other) = other.filter(|other| *other != size) {
                let (size, other) = (size.get(), other.get());
                return Err(usage(&format!("a node of {size} bits, but --to-node-size {other}")));
            }
            layouts.node_size = Some(size);
            Ok(spec.node_id().into())
        }
        Kind::Scru64 => {
            let size = layouts
                .node_size
                .ok_or_else(|| usage(&"a SCRU64 node needs its size: 42/8, or --to-node-size"))?;
            number_up_to("node ID", size.max_node_id().into(), node).map_err(|error| usage(&error))
        }
        Kind::Nanoflake => {
            let max = GeneratorId::MAX.get().into();
            number_up_to("generator ID", max, node).map_err(|error| usage(&error))
        }
        Kind::KuidLocal => Err(usage(&"a local kuid has no node")),
        Kind::KuidGlobal => {
            let node = arguments.nodes.node_hash.node(node).map_err(|error| usage(&error))?;
            Ok(node.get().into())
        }
        Kind::Sno => {
            number_up_to("partition", u16::MAX.into(), node).map_err(|error| usage(&error))
        }
        _ => Err(usage(&"no node is known for this")),
    }
}

fn number_up_to(what: &'static str, max: u64, text: &str) -> Result<u64, String> {
    let found = number(text)?;
    if found > max {
        return Err(RangeError::new(what, found.into(), 0, max.into()).to_string());
    }
    Ok(found)
}

/// Makes what is wanted of one ID.
pub(super) fn make(
    original: Original,
    arguments: &ConvertArguments,
    options: &Options<'_>,
) -> Result<(Made, Loss), String> {
    let kind = arguments.to.kind(arguments.kind);
    if arguments.restore {
        let id = match original {
            Original::Read(reading) => reading.id(),
            Original::Shift24(_) => None,
        };
        let (Some(id), Some(kind)) = (id, kind) else {
            return Err("only IDs of the four schemes are made by conversions".into());
        };
        let restored = restore_any(id, kind, options).map_err(|error| error.to_string())?;
        return Ok((Made::Id(restored), Loss::default()));
    }
    if let Some(kind) = kind {
        let converted = convert_any(original, kind, options).map_err(|error| error.to_string());
        let Converted { id, loss, .. } = converted?;
        return Ok((Made::Id(id), loss));
    }
    let Original::Read(reading) = original else {
        return Err("only IDs of the four schemes, of up to 96 bits, go into UUIDs".into());
    };
    let Some(id) = reading.id() else {
        // Say so of what has no fields, too.
        reading.parts(&options.source).map_err(|error| error.to_string())?;
        return Err(format!(
            "a {reading}: only IDs of the four schemes, of up to 96 bits, go into UUIDs"
        ));
    };
    let uuid = match (arguments.to, id) {
        (Goal::UuidV7, _) => {
            carry::to_uuid_v7(id, &options.source).map_err(|error| error.to_string())?
        }
        (Goal::UuidSno, AnyId::Sno(id)) => carry::sno_to_uuid(id),
        (Goal::UuidSno, _) => return Err(format!("a {}, and not a sno ID", id.kind())),
        _ => carry::to_uuid(id),
    };
    Ok((Made::Uuid(uuid), Loss::default()))
}
