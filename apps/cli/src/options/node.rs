//! Nodes, as options have them: `N` or `N/BITS` as leases print them, and what a scheme adds to
//! that.

use clap::ValueEnum;
use tickid_convert::{AnyId, AnyScheme, Kind};
use tickid_core::{AnyNode, RangeError};
use tickid_kuid::Node as KuidNode;
use tickid_lease::NodePool;
use tickid_scru64::{NodeIdSize, NodeSpec, NodeSpecError};

use crate::failure::Failure;
use crate::message::shown;
use crate::options::values::number;

/// A node that an option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GivenNode {
    pub(crate) node: AnyNode,
    /// The ID that the node issued last.
    pub(crate) last: Option<AnyId>,
}

impl GivenNode {
    /// The only node of IDs that have none, and how leases print it.
    pub(crate) const NONE: (&'static str, Self) = ("0/0", Self { node: AnyNode::NONE, last: None });

    /// Reads a node that IDs of a scheme carry.
    pub(crate) fn read(scheme: &AnyScheme, hash: NodeHash, text: &str) -> Result<Self, String> {
        let given = Self::read_any(scheme, hash, text)?;
        match (scheme.kind(), scheme.node_bits()) {
            // The size is part of the layout, so the caller compares it.
            (Kind::Scru64, _) | (_, None) => Ok(given),
            (kind, Some(bits)) if given.node.bits() != bits => {
                Err(other_size(given.node, kind, bits, ""))
            }
            _ => Ok(given),
        }
    }

    /// Reads a node of a scheme, which may have more bits than IDs carry: they name a share of the
    /// node's sequences.
    pub(crate) fn read_any(scheme: &AnyScheme, hash: NodeHash, text: &str) -> Result<Self, String> {
        let kind = scheme.kind();
        if kind == Kind::Scru64 {
            return node_spec(text, scheme.settings().node_size)
                .and_then(|spec| Self::try_from(spec).map_err(|error| error.to_string()));
        }
        let node = if kind == Kind::KuidGlobal {
            hash.node(text)?
        } else {
            let bits = scheme.node_bits().ok_or_else(|| format!("a {kind} has no node"))?;
            plain(kind, bits, text)?
        };
        Ok(Self { node, last: None })
    }
}

impl TryFrom<NodeSpec> for GivenNode {
    type Error = RangeError;

    fn try_from(spec: NodeSpec) -> Result<Self, RangeError> {
        Ok(Self { node: AnyNode::of(&spec)?, last: spec.node_prev().map(AnyId::from) })
    }
}

/// Refuses nodes of other sizes than an option names. `nodes` says whose they are.
pub(crate) fn check_sizes(scheme: &AnyScheme, nodes: &str, pool: &NodePool) -> Result<(), Failure> {
    match scheme.settings().node_size.map(|size| u32::from(size.get())) {
        Some(said) if pool.ranges().iter().any(|range| range.bits() != said) => {
            Err(Failure::Usage(format!("{nodes}, but --node-size is {said}")))
        }
        _ => Ok(()),
    }
}

/// Parses a node that is a number: N, of as many bits as IDs carry, or N/BITS as leases print it.
fn plain(kind: Kind, bits: u32, text: &str) -> Result<AnyNode, String> {
    let (value, size) = match text.split_once('/') {
        Some((value, size)) => {
            let size = number("node size in bits", 0..=AnyNode::MAX_BITS.into(), size)
                .map_err(|error| format!("'{}': {error}", shown(text)))?;
            (value, size)
        }
        None => (text, bits),
    };
    let value = number("node", 0..=u64::MAX.checked_shr(u64::BITS - size).unwrap_or(0), value)?;
    let node = AnyNode::new(value, size).map_err(|error| error.to_string())?;
    if size < bits { Err(other_size(node, kind, bits, " or more")) } else { Ok(node) }
}

/// Returns the message about a node of another size than IDs carry.
fn other_size(node: AnyNode, kind: Kind, bits: u32, or_more: &str) -> String {
    let (value, found, scheme) = (node.value(), node.bits(), kind.name());
    format!(
        "node {value} of {found} bits is not of this scheme: a {scheme} node has {bits} \
         bits{or_more}"
    )
}

/// Parses a SCRU64 node spec, or a node ID if an option has its size.
fn node_spec(text: &str, size: Option<NodeIdSize>) -> Result<NodeSpec, String> {
    // `--node 42 --node-size 8`. A spec with a size of its own is read as it is, and the caller
    // compares the sizes.
    if let (Some(size), false) = (size, text.contains('/')) {
        let id = number("node ID", 0..=size.max_node_id().into(), text)?;
        return NodeSpec::with_node_id(id, size).map_err(|error| error.to_string());
    }
    // A number alone has no meaning, as node 42 of 8 bits and node 42 of 12 bits are different
    // nodes. The hint proposes the least usual size that has room for it.
    let id = text.parse::<u32>().ok().filter(|_| !text.starts_with('+'));
    let size = [8, 16, 23].into_iter().find(|size| id.is_some_and(|id| id >> size == 0));
    if let Some(size) = size {
        return Err(format!(
            "node ID {text} needs a size in bits: {text}/{size}, or --node-size {size}"
        ));
    }
    text.parse().map_err(|error: NodeSpecError| {
        let is_range = matches!(error, NodeSpecError::Range(_));
        let form =
            "as in 42/8: node ID 42 (0 to 255) in 8 bits (1 to 23), or 42 with --node-size 8";
        if is_range { error.to_string() } else { format!("{error}; {form}") }
    })
}

/// The hash of an Erlang node's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NodeHash {
    /// Today's library
    Phash2,
    /// The library's documentation
    Phash,
}

impl NodeHash {
    /// Returns the kuid node of a number, or of an Erlang node name.
    fn node(self, text: &str) -> Result<AnyNode, String> {
        let hashed = match (kuid_number(text)?, self) {
            (Some(node), _) => return Ok(node),
            (None, _) if text.is_empty() => {
                return Err("the name of a node has at least one character".into());
            }
            (None, Self::Phash2) => KuidNode::phash2(text),
            (None, Self::Phash) => KuidNode::phash(text),
        };
        AnyNode::of(&hashed).map_err(|error| error.to_string())
    }
}

/// Parses a kuid node that is a number: N/BITS as leases print it, or a fingerprint after 0x.
/// `None` is a name. A text that is never the name of a node is a mistyped number: one without a
/// letter, or with spaces, `/` or `,`.
fn kuid_number(text: &str) -> Result<Option<AnyNode>, String> {
    let (value, size) = text.split_once('/').unzip();
    let value = value.unwrap_or(text);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let node = |text| plain(Kind::KuidGlobal, u32::BITS, text);
    // `60145/32`, as leases print it, and `0xeaf1/32`.
    if size.is_some_and(is_number) && (value.starts_with("0x") || is_number(value)) {
        return node(text).map(Some);
    }
    let text_shown = shown(text);
    if value.starts_with("0x") {
        return node(text).map(Some).map_err(|_| {
            format!("'{text_shown}' is not a fingerprint: 0x and 1 to 8 hexadecimal digits")
        });
    }
    // Fingerprints are written in decimal and in hexadecimal, and `60145` may be meant as either,
    // which are different nodes.
    if is_number(text) {
        return Err(format!(
            "{text_shown} is a number, and not the name of a node: write {text_shown}/32, or 0x \
             and its hexadecimal digits"
        ));
    }
    // Any text can be hashed, so a mistyped number, such as `60145,32`, would quietly become
    // another node.
    let is_strange = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '/' | ',');
    if !text.is_empty() && (text.contains(is_strange) || !text.contains(char::is_alphabetic)) {
        return Err(format!(
            "'{text_shown}' is neither the name of a node, as in uid@127.0.0.1, nor a number, as \
             in 60145/32"
        ));
    }
    Ok(None)
}
