//! The new IDs.

use core::fmt::Display;

use tickid_convert::{
    AnyId, ConvertError, Converted, Kind, Layouts, Loss, Nodes, Options, Source as _, carry,
    convert_any, restore_any,
};
use uuid::Uuid;

use super::args::{ConvertArguments, End, Goal, NodeArguments, Origin};
use super::origin::Original;
use crate::failure::Failure;
use crate::message::shown;
use crate::options::{self, name_of};
use crate::printed;
use crate::values::{generator_id, node_spec, number, partition};

/// The outcome of a conversion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Made {
    Id(AnyId),
    Uuid(Uuid),
}

impl Made {
    /// Returns the text in the form that the options select.
    pub(super) fn text(&self, options: &options::Layouts) -> String {
        match self {
            Self::Id(id) => {
                let notation = match id.kind() {
                    Kind::Nanoflake => options.nanoflake.notation(),
                    _ => options.kuid.notation(),
                };
                printed::text(*id, notation)
            }
            Self::Uuid(uuid) => uuid.to_string(),
        }
    }

    /// Returns the bytes as hexadecimal digits.
    pub(super) fn hex(&self) -> String {
        match self {
            Self::Id(id) => id.bytes().to_string(),
            Self::Uuid(uuid) => uuid.simple().to_string(),
        }
    }
}

impl Goal {
    /// Returns the scheme, unless it is a UUID.
    fn kind(self, kind: options::Kind) -> Option<Kind> {
        match (self, kind) {
            (Self::Scru64, _) => Some(Kind::Scru64),
            (Self::Nanoflake, _) => Some(Kind::Nanoflake),
            (Self::Kuid, options::Kind::Local) => Some(Kind::KuidLocal),
            (Self::Kuid, options::Kind::Global) => Some(Kind::KuidGlobal),
            (Self::Sno, _) => Some(Kind::Sno),
            (Self::Uuid | Self::UuidV7 | Self::UuidSno, _) => None,
        }
    }
}

/// Returns the options of the conversion. `table` is room for the table of nodes.
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
            // The node of the IDs that a conversion makes, or made.
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

/// Returns the node of all new IDs, which must fit them.
fn set_node(
    arguments: &ConvertArguments,
    kind: Option<Kind>,
    node: &str,
    layouts: &mut Layouts,
) -> Result<u64, Failure> {
    let parsed = match kind {
        None => {
            let goal = name_of(&arguments.to);
            Err(format!("an ID goes into a {goal} as it is, with the node it has"))
        }
        Some(Kind::Scru64) => scru64_node(arguments, node, layouts),
        Some(Kind::Nanoflake) => generator_id(node).map(|id| id.get().into()),
        Some(Kind::KuidGlobal) => {
            arguments.nodes.node_hash.node(node).map(|node| node.get().into())
        }
        Some(Kind::Sno) => partition(node).map(|partition| partition.get().into()),
        Some(_) => Err("a local kuid has no node".to_owned()),
    };
    parsed.map_err(|error| Failure::Usage(format!("--node '{}': {error}", shown(node))))
}

/// Returns the node ID of a node spec, or of a number if an option has its size.
fn scru64_node(
    arguments: &ConvertArguments,
    node: &str,
    layouts: &mut Layouts,
) -> Result<u64, String> {
    if !node.contains('/') {
        let size =
            layouts.node_size.ok_or("a SCRU64 node needs its size: 42/8, or --to-node-size")?;
        return number("node ID", 0..=size.max_node_id().into(), node);
    }
    let spec = node_spec(node, None)?;
    let size = spec.node_id_size();
    // The option for the size of these nodes: --node-size is also for the other IDs, if any of them
    // has a use for it.
    let is_shared = !arguments.restore && arguments.from.is_none_or(|from| from == Origin::Scru64);
    let others = [
        ("--to-node-size", arguments.to_node_size.filter(|_| !arguments.restore)),
        ("--node-size", arguments.layouts.scru64.node_size.filter(|_| !is_shared)),
    ];
    for (option, other) in others {
        if let Some(other) = other.filter(|other| *other != size) {
            return Err(format!("a node of {} bits, but {option} {}", size.get(), other.get()));
        }
    }
    layouts.node_size = Some(size);
    Ok(spec.node_id().into())
}

/// Makes the new ID.
pub(super) fn make(
    original: Original,
    arguments: &ConvertArguments,
    options: &Options<'_>,
) -> Result<(Made, Loss), Failure> {
    let kind = arguments.to.kind(arguments.kind);
    if arguments.restore {
        let id = match original {
            Original::Read(id) => id.scheme_id(),
            Original::Shift24(_) => None,
        };
        let (Some(id), Some(kind)) = (id, kind) else {
            return Err(not_converted("only IDs of the four schemes are made by conversions"));
        };
        let restored = restore_any(id, kind, options);
        let restored = restored.map_err(|error| problem(&error, &original, kind, options))?;
        return Ok((Made::Id(restored), Loss::default()));
    }
    if let Some(kind) = kind {
        let converted = convert_any(original, kind, options);
        let Converted { id, loss, .. } =
            converted.map_err(|error| problem(&error, &original, kind, options))?;
        return Ok((Made::Id(id), loss));
    }
    let Original::Read(identifier) = original else {
        return Err(not_converted("only IDs of the four schemes, of up to 96 bits, go into UUIDs"));
    };
    let Some(id) = identifier.scheme_id() else {
        // Which fails for a reading without fields.
        identifier.parts(&options.source).map_err(not_converted)?;
        let reason = "only IDs of the four schemes, of up to 96 bits, go into UUIDs";
        return Err(not_converted(format!("a {identifier}: {reason}")));
    };
    let uuid = match (arguments.to, id) {
        (Goal::UuidV7, _) => carry::to_uuid_v7(id, &options.source).map_err(not_converted)?,
        (Goal::UuidSno, AnyId::Sno(id)) => carry::sno_to_uuid(id),
        (Goal::UuidSno, _) => {
            return Err(not_converted(format!("a {}, and not a sno ID", id.kind())));
        }
        _ => carry::to_uuid(id),
    };
    Ok((Made::Uuid(uuid), Loss::default()))
}

/// Returns the problem of an ID that cannot be converted.
pub(super) fn not_converted(reason: impl Display) -> Failure {
    Failure::invalid(format!("can't be converted: {reason}"))
}

/// Returns the problem of a conversion, with the option that may be missing.
fn problem(
    error: &ConvertError,
    original: &Original,
    goal: Kind,
    options: &Options<'_>,
) -> Failure {
    const SIZE: &str = "name the size of SCRU64 nodes: --node-size BITS for the IDs given, \
                        --to-node-size BITS for new ones";
    let lacks_size = [options.source, options.target].iter().any(|it| it.node_size.is_none());
    let is_set = matches!(options.nodes, Nodes::Set(_));
    let hint = match error {
        ConvertError::NodeMissing { .. } if original.is_scru64() && lacks_size => Some(SIZE),
        ConvertError::NodeTooWide { bits: 0, .. } if goal == Kind::Scru64 => Some(SIZE),
        ConvertError::NodeMissing { .. } if !is_set => Some("--node NODE gives the new IDs a node"),
        ConvertError::NodeTooWide { bits: 1.., .. } if !is_set => {
            Some("--node, --node-table and --truncate-node choose another")
        }
        _ => None,
    };
    Failure::Invalid { reason: format!("can't be converted: {error}"), hint }
}
