//! Nodes that are shares of a node's sequences, and what a program needs to know of its nodes.

use tickid_convert::{AnyScheme, SchemeVariant, SchemeVisitor};
use tickid_core::{AnyNode, Scheme, SequenceBounds, Variants};
use tickid_exec::Variables;
use tickid_lease::RealmSpec;
use tickid_lease::admin::NodeRange;
use tickid_scru64::Scru64;

use crate::failure::Failure;

/// Refuses a realm with shares, because a program that takes one for a whole node issues IDs of
/// other holders.
pub(super) fn refuse(realm: &RealmSpec) -> Result<(), Failure> {
    // The nodes of a range have the same number of bits, so its first one shows whether they are
    // shares.
    let first = |range: &NodeRange| AnyNode::new(range.first(), range.bits());
    let mut nodes = realm.pool().ranges().iter().flat_map(first);
    let share = nodes.find_map(|node| {
        let (field, _) = split(realm, node)?;
        (field.bits() < node.bits()).then_some((node, field))
    });
    let Some((node, field)) = share else { return Ok(()) };
    Err(Failure::Usage(format!(
        "the realm {} has shares of nodes: {node} is a part of the sequences of {field}",
        realm.name()
    ))
    .hinting("with --shares, the program draws from the sequences in $TICKID_SEQUENCES only"))
}

/// Returns the variables of a program that is told its sequences.
pub(super) fn variables(realm: &RealmSpec, nodes: &[AnyNode]) -> Variables {
    let list = |text: fn(&(AnyNode, SequenceBounds)) -> String| {
        let all = nodes.iter().map(|node| split(realm, *node).as_ref().map(text));
        Some(all.collect::<Option<Vec<_>>>()?.join(" "))
    };
    let fields = list(|(field, _)| field.value().to_string());
    let sequences = list(|(_, share)| format!("{}-{}", share.lowest(), share.last()));
    let mut variables = of_scheme(realm, nodes);
    variables.extend([("TICKID_FIELD", fields), ("TICKID_SEQUENCES", sequences)]);
    variables
}

/// Returns the variables of a program that uses whole nodes. Variables for shares that an outer
/// `lease exec` has set are removed.
pub(super) fn without_shares(realm: &RealmSpec, nodes: &[AnyNode]) -> Variables {
    let mut variables = of_scheme(realm, nodes);
    variables.extend([("TICKID_FIELD", None), ("TICKID_SEQUENCES", None)]);
    variables
}

/// Returns the variable that the scheme's libraries read a single node from.
fn of_scheme(realm: &RealmSpec, nodes: &[AnyNode]) -> Variables {
    if realm.scheme() != Scru64::NAME {
        return Vec::new();
    }
    let only = match nodes {
        [node] => Some(node.to_string()),
        _ => None,
    };
    vec![("SCRU64_NODE_SPEC", only)]
}

/// Returns the node that IDs of a realm carry for a node of its pool, and the node's sequences.
/// There is none for IDs without a node, and for a scheme that this release does not know.
fn split(realm: &RealmSpec, node: AnyNode) -> Option<(AnyNode, SequenceBounds)> {
    let has_node = realm.variants() != Variants::WithoutNode;
    let scheme = AnyScheme::from_realm(realm.scheme(), realm.settings(), has_node).ok()?;
    scheme.visit(ShareOfNode(node))
}

struct ShareOfNode(AnyNode);

impl SchemeVisitor for ShareOfNode {
    type Output = Option<(AnyNode, SequenceBounds)>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Self::Output {
        let (field, share) = scheme.split_node(self.0).ok()?;
        Some((AnyNode::of(&field).ok()?, share))
    }
}
