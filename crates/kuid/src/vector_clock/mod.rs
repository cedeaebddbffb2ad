//! Vector clocks, which hold the last known ID of each of several nodes.
//!
//! A clock is a list of [entries](Entry), one for each node, each with the [`LocalId`] that the
//! node issued last. Comparing two clocks shows whether one includes every event of the other, or
//! whether both advanced independently, which is a conflict. For example, if two replicas change
//! the same record while they cannot reach each other, the record's clocks are in conflict
//! afterwards, and the program has to merge the two versions.
//!
//! [`VectorClock`] owns its list and needs the `alloc` feature. The functions here compare plain
//! slices and need no feature.
//!
//! Nodes can be anything that can be compared, for example names (`&str`, `String`) or fingerprints
//! ([`Node`]). Each look-up is a search from the front of the list, which is the fastest for the
//! tens of nodes that clocks usually have, and slow for many thousands. So limit the length of a
//! list that an untrusted peer sends.
//!
//! # Spec
//! fogfish/uid, "v-clock interface" in `uid.erl`.

#[cfg(feature = "alloc")]
mod owned;

use core::borrow::Borrow;

#[cfg(feature = "alloc")]
pub use self::owned::VectorClock;

use crate::distance::Distance;
use crate::local::LocalId;
use crate::node::Node;

/// One node of a vector clock, and the last ID that it is known to have issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry<N = Node> {
    /// The node, for example its name or its fingerprint.
    pub node: N,
    /// The time and sequence that it issued last.
    pub id: LocalId,
}

/// One node at which a clock lags behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Difference<N = Node> {
    /// The clock has no entry for the node, and the other clock has this one.
    Missing(Entry<N>),
    /// The clock has an earlier ID for the node.
    Behind {
        /// The node.
        node: N,
        /// The distance from its entry to the other clock's entry.
        distance: Distance,
    },
}

/// Reports whether clock `a` includes clock `b`. It does if every node of `b` is in `a`, with the
/// same ID or a later one. This is Erlang's `uid:descend(A, B)`.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
/// use tickid_kuid::vector_clock::{Entry, descends};
///
/// let at = |node, id| Entry { node, id: LocalId::new(id) };
/// assert!(descends(&[at("a", 2), at("b", 1)], &[at("a", 1)]));
/// assert!(!descends(&[at("a", 2)], &[at("a", 1), at("b", 1)])); // has no entry for b
/// ```
#[doc(alias = "descend")]
#[must_use]
pub fn descends<N: PartialEq>(a: &[Entry<N>], b: &[Entry<N>]) -> bool {
    b.iter().all(|theirs| covers(a, theirs))
}

/// Reports whether clock `a` includes clock `b`, as [`descends`], ignoring the entries of `peer`.
/// It finds conflicts that a peer did not cause itself. This is Erlang's `uid:descend(Peer, A, B)`.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
/// use tickid_kuid::vector_clock::{Entry, descends_except};
///
/// let at = |node, id| Entry { node, id: LocalId::new(id) };
/// let (ours, theirs) = ([at("a", 2)], [at("a", 1), at("b", 1)]);
/// assert!(descends_except("b", &ours, &theirs)); // b itself made all that is new to us
/// assert!(!descends_except("a", &ours, &theirs));
/// ```
#[doc(alias = "descend")]
#[must_use]
pub fn descends_except<N, Q>(peer: &Q, a: &[Entry<N>], b: &[Entry<N>]) -> bool
where
    N: PartialEq + Borrow<Q>,
    Q: PartialEq + ?Sized,
{
    b.iter().filter(|theirs| theirs.node.borrow() != peer).all(|theirs| covers(a, theirs))
}

/// Returns the entries of clock `b` that clock `a` lacks or has only an earlier ID for, in the
/// order of `b`. There are none if `a` [descends] from `b`. This is Erlang's `uid:diff(A, B)`.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
/// use tickid_kuid::vector_clock::{Difference, Entry, diff};
///
/// let at = |node, id| Entry { node, id: LocalId::new(id) };
/// let (ours, theirs) = ([at("a", 1), at("b", 9)], [at("a", 4), at("b", 1), at("c", 1)]);
/// let mut behind = diff(&ours, &theirs);
/// assert!(matches!(
///     behind.next(),
///     Some(Difference::Behind { node: &"a", distance }) if distance.sequence() == 3
/// ));
/// assert!(matches!(behind.next(), Some(Difference::Missing(entry)) if entry.node == &"c"));
/// assert!(behind.next().is_none());
/// ```
pub fn diff<'a, N: PartialEq>(
    a: &'a [Entry<N>],
    b: &'a [Entry<N>],
) -> impl Iterator<Item = Difference<&'a N>> {
    b.iter().filter_map(|theirs| match id_of(a, &theirs.node) {
        None => Some(Difference::Missing(Entry { node: &theirs.node, id: theirs.id })),
        Some(ours) if ours < theirs.id => {
            Some(Difference::Behind { node: &theirs.node, distance: theirs.id.distance(ours) })
        }
        Some(_) => None,
    })
}

fn covers<N: PartialEq>(clock: &[Entry<N>], entry: &Entry<N>) -> bool {
    id_of(clock, &entry.node).is_some_and(|id| id >= entry.id)
}

fn id_of<N, Q>(clock: &[Entry<N>], node: &Q) -> Option<LocalId>
where
    N: Borrow<Q>,
    Q: PartialEq + ?Sized,
{
    let entry = clock.iter().find(|entry| entry.node.borrow() == node)?;
    Some(entry.id)
}
