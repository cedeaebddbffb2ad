//! The IDs that a conversion makes, and the library's options for it.

use core::fmt::Display;

use tickid_convert::{
    AnyId, AnyScheme, ConvertError, Converted, Form, Kind, Loss, Nodes, Options, Settings,
    ToParts as _, carry, convert_any, restore_any,
};
use tickid_detect::{Format, Identifier, Inspection};
use tickid_scru64::NodeIdSize;
use tickid_snowflake::Preset;
use uuid::Uuid;

use super::args::{ConvertArguments, NodeArguments, NodeEnd, Source, Target};
use super::source::Original;
use crate::failure::Failure;
use crate::message::shown;
use crate::options::node::GivenNode;
use crate::options::{KuidKind, TO, given, name_of};

/// The outcome of a conversion.
#[derive(Clone, Copy, Debug)]
pub(super) enum NewId {
    Id(AnyId),
    Uuid(Uuid),
    Ulid(Uuid),
}

impl NewId {
    /// Returns the ID in the form that the target names. The name is one of its forms, unless the
    /// scheme has it for others of its kinds only.
    pub(super) fn text(&self, to: Target) -> Result<String, Failure> {
        let id = match self {
            Self::Id(id) => id,
            Self::Uuid(uuid) => return Ok(uuid.to_string()),
            Self::Ulid(uuid) => {
                let id = Identifier::from_bytes(Format::Ulid, uuid.as_bytes());
                let id = id.ok_or_else(|| not_converted("it has too many bits"))?;
                return Ok(Inspection::new(id, "", &Settings::default()).text().to_owned());
            }
        };
        let name = match to {
            Target::Scheme { form: Some(name), .. } => name,
            // Restored IDs may be of a scheme although the target is a UUID.
            Target::Scheme { form: None, .. }
            | Target::Uuid
            | Target::UuidV7
            | Target::UuidSno
            | Target::Ulid => return Ok(id.to_string()),
        };
        let form = Form::named(id.kind(), name);
        let text = |form| id.write_in(form, |text| String::from_utf8_lossy(text).into_owned());
        let no_form = || Failure::Usage(format!("--to: no {} has the form {name}", id.kind()));
        form.and_then(text).ok_or_else(no_form)
    }

    /// Returns the bytes as hexadecimal digits.
    pub(super) fn hex(&self) -> String {
        match self {
            Self::Id(id) => id.bytes().to_string(),
            Self::Uuid(uuid) | Self::Ulid(uuid) => uuid.simple().to_string(),
        }
    }
}

impl Target {
    /// Returns the name of the format, as `--to` has it without a form.
    pub(super) fn format(self) -> String {
        match self {
            Self::Scheme { scheme, .. } => name_of(&scheme),
            Self::Uuid | Self::UuidV7 | Self::UuidSno | Self::Ulid => name_of(&self),
        }
    }

    /// Returns the scheme, unless it is a UUID.
    fn kind(self, kind: KuidKind) -> Option<Kind> {
        match self {
            Self::Scheme { scheme, .. } => Some(scheme.kind(kind)),
            Self::Uuid | Self::UuidV7 | Self::UuidSno | Self::Ulid => None,
        }
    }
}

/// Refuses options that neither the IDs given nor the new ones have.
pub(super) fn check_given(arguments: &ConvertArguments) -> Result<(), Failure> {
    let sources = arguments.from.map_or_else(|| Kind::ALL.to_vec(), Source::kinds);
    let targets = match arguments.to {
        Target::Scheme { scheme, .. } => scheme.kinds(),
        Target::Uuid | Target::UuidV7 | Target::UuidSno | Target::Ulid => Vec::new(),
    };
    let kinds = [targets.clone(), sources].concat();
    let has = |option: &str| match option.strip_prefix(TO) {
        Some(option) => given::has(&targets, option),
        // Only new IDs are made with or without a node.
        None if option == "kind" => given::has(&targets, option),
        None => given::has(&kinds, option),
    };
    let to = arguments.to.format();
    let ids =
        arguments.from.map_or_else(|| to.clone(), |from| format!("{} to {to}", name_of(&from)));
    arguments.given.check_by(&ids, has, &kinds)
}

/// Returns the options of the conversion. `table` is room for the table of nodes.
pub(super) fn options<'a>(
    arguments: &ConvertArguments,
    table: &'a mut [(u64, u64)],
) -> Result<Options<'a>, Failure> {
    let mut source = arguments.settings.all();
    let kind = arguments.to.kind(arguments.kind);
    let mut target = arguments.target_settings.0.over(source);
    if let Target::Scheme { scheme, .. } = arguments.to {
        target = scheme.over(target);
        if arguments.from.is_some_and(|from| from.format().format == Format::Uuid) {
            // A UUID does not show the layout of its ID.
            source = arguments.settings.values.over(scheme.over(Settings::default()));
        }
    }
    if let Some(Source::Format(named)) = arguments.from
        && let Some(preset) = Preset::named(named.format.key())
    {
        source.snowflake = preset.layout();
    }
    let NodeArguments { node, truncate_node, .. } = &arguments.nodes;
    let nodes = match (node, truncate_node) {
        (Some(node), _) => {
            // The node of the IDs that a conversion makes, or made.
            let (kind, settings) = match arguments.from {
                Some(from) if arguments.restore => (from.kind(), &mut source),
                _ => (kind, &mut target),
            };
            Nodes::Set(set_node(arguments, kind, node, settings)?)
        }
        (None, Some(NodeEnd::Low)) => Nodes::LowBits,
        (None, Some(NodeEnd::High)) => Nodes::HighBits,
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
    settings: &mut Settings,
) -> Result<u64, Failure> {
    let hash = arguments.nodes.node_hash;
    let parsed = match kind {
        None => {
            let target = name_of(&arguments.to);
            Err(format!("an ID goes into a {target} as it is, with the node it has"))
        }
        Some(Kind::Scru64) => scru64_node(arguments, node, settings),
        Some(kind) => {
            let scheme = AnyScheme::new(kind, settings);
            GivenNode::read(&scheme, hash, node).map(|given| given.node.value())
        }
    };
    parsed.map_err(|error| Failure::Usage(format!("--node '{}': {error}", shown(node))))
}

/// Returns the node ID of a node spec, or of a number if an option has its size.
fn scru64_node(
    arguments: &ConvertArguments,
    node: &str,
    settings: &mut Settings,
) -> Result<u64, String> {
    if !node.contains('/') && settings.node_size.is_none() {
        return Err("a SCRU64 node needs its size: 42/8, or --to-node-size".into());
    }
    let known = Settings { node_size: settings.node_size, ..Settings::default() };
    let scheme = AnyScheme::new(Kind::Scru64, &known);
    let node = GivenNode::read(&scheme, arguments.nodes.node_hash, node)?.node;
    let size = u8::try_from(node.bits()).map_err(|error| error.to_string())?;
    let size = NodeIdSize::new(size).map_err(|error| error.to_string())?;
    // The option for the size of these nodes: --node-size is also for the other IDs, if any of them
    // has a use for it.
    let is_scru64 = |from: Source| from.kind() == Some(Kind::Scru64);
    let is_shared = !arguments.restore && arguments.from.is_none_or(is_scru64);
    let of_target = arguments.target_settings.0.over(Settings::default()).node_size;
    let others = [
        ("--to-node-size", of_target.filter(|_| !arguments.restore)),
        ("--node-size", arguments.settings.all().node_size.filter(|_| !is_shared)),
    ];
    for (option, other) in others {
        if let Some(other) = other.filter(|other| *other != size) {
            return Err(format!("a node of {} bits, but {option} {}", size.get(), other.get()));
        }
    }
    settings.node_size = Some(size);
    Ok(node.value())
}

/// Makes the new ID.
pub(super) fn make(
    original: Original,
    arguments: &ConvertArguments,
    options: &Options<'_>,
) -> Result<(NewId, Loss), Failure> {
    let kind = arguments.to.kind(arguments.kind);
    let mut source = options.source;
    // Only IDs of schemes can be restored, or go into a UUID.
    let id = match original {
        Original::Read(Identifier::Preset(preset, id)) => {
            source.snowflake = preset.layout();
            Some(id.into())
        }
        Original::Read(id) => id.scheme_id(),
        Original::Shift24(_) => None,
    };
    if arguments.restore {
        let (Some(id), Some(kind)) = (id, kind) else {
            return Err(not_converted("conversions do not make such IDs"));
        };
        let restored = restore_any(id, kind, options);
        let restored = restored.map_err(|error| problem(&error, &original, kind, options))?;
        return Ok((NewId::Id(restored), Loss::default()));
    }
    // A conversion needs a kind of IDs as its target. Everything else is a UUID.
    if let Some(kind) = kind {
        let converted = convert_any(original, kind, options);
        let Converted { id, loss, .. } =
            converted.map_err(|error| problem(&error, &original, kind, options))?;
        return Ok((NewId::Id(id), loss));
    }
    // A UUID may hold the bits of a ULID, whatever they mean there.
    if arguments.to == Target::Uuid
        && let Original::Read(Identifier::Foreign(id)) = original
        && let Ok(uuid) = Uuid::from_slice(id.bytes())
    {
        return Ok((NewId::Uuid(uuid), Loss::default()));
    }
    if arguments.to == Target::Ulid {
        let Original::Read(Identifier::Uuid(uuid)) = original else {
            let reason = "only UUIDs have the bits of a ULID; --from uuid takes those of any";
            return Err(not_converted(format!("a {}: {reason}", original.name())));
        };
        return Ok((NewId::Ulid(uuid), Loss::default()));
    }
    let Some(id) = id else {
        // Which fails for a reading without fields.
        original.parts(&source).map_err(not_converted)?;
        let reason = "only IDs of the schemes, of up to 96 bits, go into UUIDs";
        return Err(not_converted(format!("a {}: {reason}", original.name())));
    };
    let uuid = match (arguments.to, id) {
        (Target::UuidV7, _) => carry::to_uuid_v7(id, &source).map_err(not_converted)?,
        (Target::UuidSno, AnyId::Sno(id)) => carry::sno_to_uuid(id),
        (Target::UuidSno, _) => {
            return Err(not_converted(format!("a {}, and not a sno ID", id.kind())));
        }
        (Target::Uuid | Target::Ulid | Target::Scheme { .. }, _) => carry::to_uuid(id),
    };
    Ok((NewId::Uuid(uuid), Loss::default()))
}

/// Returns the problem of an ID that cannot be converted.
pub(super) fn not_converted(reason: impl Display) -> Failure {
    Failure::invalid(format!("can't be converted: {reason}"))
}

/// Returns the problem of a conversion, with the option that may be missing.
fn problem(
    error: &ConvertError,
    original: &Original,
    target: Kind,
    options: &Options<'_>,
) -> Failure {
    const SIZE: &str = "name the size of SCRU64 nodes: --node-size BITS for the IDs given, \
                        --to-node-size BITS for new ones";
    let lacks_size = [options.source, options.target].iter().any(|it| it.node_size.is_none());
    let is_set = matches!(options.nodes, Nodes::Set(_));
    let hint = match error {
        ConvertError::NodeMissing { .. } if original.is_scru64() && lacks_size => Some(SIZE),
        // As long as the size is not known, SCRU64 has no bits for a node.
        ConvertError::NodeTooWide { bits: 0, .. } if target == Kind::Scru64 => Some(SIZE),
        ConvertError::NodeMissing { .. } if !is_set => Some("--node NODE gives the new IDs a node"),
        ConvertError::NodeTooWide { bits: 1.., .. } if !is_set => {
            Some("--node, --node-table and --truncate-node choose another")
        }
        ConvertError::NodeMissing { .. }
        | ConvertError::NodeTooWide { .. }
        | ConvertError::Time(_)
        | ConvertError::NoTime(_)
        | ConvertError::Node(_)
        | ConvertError::Sequence(_)
        | ConvertError::NodeUnknown { .. }
        | ConvertError::Lossy(_)
        | ConvertError::StrayBits { .. }
        | ConvertError::NoFields { .. }
        | ConvertError::NeverConverted => None,
        _ => None,
    };
    Failure::Invalid { reason: format!("can't be converted: {error}"), hint: hint.map(Into::into) }
}
