//! Vector clocks that own their entries.

use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;

use crate::local::LocalId;
use crate::node::Node;
use crate::vector_clock::{Difference, Entry, descends, descends_except, diff, id_of};

/// A vector clock, which is a list of [entries](Entry), one for each node.
///
/// Two clocks are equal if they hold the same entries, in any order. Of two clocks that differ, one
/// is *less* if the other [descends](Self::descends) from it. If they are in conflict, neither is
/// less, and `partial_cmp` returns `None`.
///
/// | Erlang | here |
/// |---|---|
/// | `uid:vclock()` | [`new`](Self::new), then [`record`](Self::record) |
/// | `uid:vclock(Clock)` | [`record`](Self::record) with an ID of the caller's generator |
/// | `uid:join(A, B)` | [`join`](Self::join) |
/// | `uid:descend(A, B)` | [`descends`](Self::descends) |
/// | `uid:descend(Peer, A, B)` | [`descends_except`](Self::descends_except) |
/// | `uid:diff(A, B)` | [`diff`](Self::diff) |
///
/// # Examples
/// Two nodes write independently, and a third one detects the conflict:
///
/// ```
/// use tickid_kuid::{Local, LocalGenerator, Node, VectorClock};
///
/// let mut generator = LocalGenerator::new(Node::phash2("a@host"))?;
/// let mut base = VectorClock::new();
/// base.record("a@host", generator.with(Local).generate()?);
///
/// let (mut one, mut other) = (base.clone(), base.clone());
/// one.record("a@host", generator.with(Local).generate()?);
/// other.record("b@host", generator.with(Local).generate()?); // b's own generator in real life
/// assert!(one.descends(&base) && other.descends(&base));
/// assert!(!one.descends(&other) && !other.descends(&one));
///
/// let both = one.join(&other);
/// assert!(both > one && both > other);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct VectorClock<N = Node> {
    /// No node comes twice.
    entries: Vec<Entry<N>>,
}

impl<N> VectorClock<N> {
    /// Returns a clock without entries.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::VectorClock;
    ///
    /// let clock: VectorClock = VectorClock::new();
    /// assert!(clock.entries().is_empty());
    /// ```
    #[doc(alias = "vclock")]
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// Returns the entries in the clock's order. This is the order of the list that the clock was
    /// made from, with [recorded](Self::record) nodes in front. After a [join](Self::join), it is
    /// the order of the nodes.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let mut clock = VectorClock::new();
    /// clock.record("a", LocalId::new(1));
    /// clock.record("b", LocalId::new(2));
    /// let nodes: Vec<_> = clock.entries().iter().map(|entry| entry.node).collect();
    /// assert_eq!(nodes, ["b", "a"]); // the one recorded last is in front
    /// ```
    #[must_use]
    pub fn entries(&self) -> &[Entry<N>] {
        &self.entries
    }
}

impl<N: PartialEq> VectorClock<N> {
    /// Returns the last known ID of `node`.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let mut clock = VectorClock::new();
    /// clock.record("a@host".to_owned(), LocalId::new(7));
    /// assert_eq!(clock.get("a@host"), Some(LocalId::new(7)));
    /// assert_eq!(clock.get("b@host"), None);
    /// ```
    #[must_use]
    pub fn get<Q>(&self, node: &Q) -> Option<LocalId>
    where
        N: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        id_of(&self.entries, node)
    }

    /// Records that `node` issued `id`, and moves the node to the front. If the clock already holds
    /// that ID or a later one for the node, it does not change and the result is `false`. This is
    /// Erlang's `uid:vclock(Clock)`, which generates the ID itself.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let mut clock = VectorClock::new();
    /// assert!(clock.record("a@host", LocalId::new(7)));
    /// assert!(clock.record("b@host", LocalId::new(2)));
    /// assert!(!clock.record("a@host", LocalId::new(6))); // known, and more
    /// assert_eq!(clock.get("a@host"), Some(LocalId::new(7)));
    /// assert_eq!(clock.entries()[0].node, "b@host");
    /// ```
    #[doc(alias = "vclock")]
    pub fn record(&mut self, node: N, id: LocalId) -> bool {
        match self.entries.iter().position(|entry| entry.node == node) {
            None => self.entries.insert(0, Entry { node, id }),
            Some(at) if self.entries[at].id < id => {
                self.entries[..=at].rotate_right(1);
                self.entries[0].id = id;
            }
            Some(_) => return false,
        }
        true
    }

    /// Reports whether this clock includes `other`; see [`descends`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let mut before = VectorClock::new();
    /// before.record("a@host", LocalId::new(1));
    /// let mut after = before.clone();
    /// after.record("b@host", LocalId::new(1));
    /// assert!(after.descends(&before) && !before.descends(&after));
    /// assert!(before.descends(&before));
    /// ```
    #[doc(alias = "descend")]
    #[must_use]
    pub fn descends(&self, other: &Self) -> bool {
        descends(&self.entries, &other.entries)
    }

    /// Reports whether this clock includes `other`, ignoring the entries of `peer`; see
    /// [`descends_except`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let ours = VectorClock::<&str>::new();
    /// let mut theirs = ours.clone();
    /// theirs.record("peer@host", LocalId::new(1));
    /// assert!(!ours.descends(&theirs));
    /// assert!(ours.descends_except("peer@host", &theirs)); // news of its own making, no conflict
    /// ```
    #[doc(alias = "descend")]
    #[must_use]
    pub fn descends_except<Q>(&self, peer: &Q, other: &Self) -> bool
    where
        N: Borrow<Q>,
        Q: PartialEq + ?Sized,
    {
        descends_except(peer, &self.entries, &other.entries)
    }

    /// Returns the entries of `other` that this clock lacks or has only an earlier ID for, in the
    /// order of `other`; see [`diff`].
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::vector_clock::Difference;
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let ours = VectorClock::new();
    /// let mut theirs = ours.clone();
    /// theirs.record("a@host", LocalId::new(3));
    /// let missing: Vec<_> = ours.diff(&theirs).collect();
    /// assert!(matches!(missing[..], [Difference::Missing(entry)] if entry.id == LocalId::new(3)));
    /// assert_eq!(theirs.diff(&ours).count(), 0);
    /// ```
    pub fn diff<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Difference<&'a N>> {
        diff(&self.entries, &other.entries)
    }
}

impl<N: Ord + Clone> VectorClock<N> {
    /// Returns the least clock that includes both. It has every node of either, with the later of
    /// its IDs, in the order of the nodes. Use it for the result of merging two versions of a
    /// record, because it descends from the clocks of both. This is Erlang's `uid:join(A, B)`.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, VectorClock};
    ///
    /// let (mut one, mut other) = (VectorClock::new(), VectorClock::new());
    /// one.record("b@host", LocalId::new(1));
    /// one.record("a@host", LocalId::new(5));
    /// other.record("a@host", LocalId::new(3));
    /// let both = one.join(&other);
    /// assert_eq!(both.get("a@host"), Some(LocalId::new(5))); // the later one
    /// assert_eq!(both, one.join(&both));
    /// assert_eq!(both, other.join(&one));
    /// ```
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        entries.extend_from_slice(&self.entries);
        entries.extend_from_slice(&other.entries);
        // The later of two entries of a node first, which is the one that stays.
        entries.sort_by(|one, two| one.node.cmp(&two.node).then(two.id.cmp(&one.id)));
        entries.dedup_by(|later, first| later.node == first.node);
        Self { entries }
    }
}

impl<N> Default for VectorClock<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Keeps the order of the entries. A node that comes twice keeps its first place and gets the later
/// of its IDs.
impl<N: PartialEq> FromIterator<Entry<N>> for VectorClock<N> {
    fn from_iter<I: IntoIterator<Item = Entry<N>>>(entries: I) -> Self {
        let mut clock = Self::new();
        for entry in entries {
            let known = clock.entries.iter_mut().find(|known| known.node == entry.node);
            match known {
                Some(known) => known.id = known.id.max(entry.id),
                None => clock.entries.push(entry),
            }
        }
        clock
    }
}

impl<N> IntoIterator for VectorClock<N> {
    type Item = Entry<N>;
    type IntoIter = alloc::vec::IntoIter<Entry<N>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// Reports whether both hold the same entries, in any order.
impl<N: PartialEq> PartialEq for VectorClock<N> {
    fn eq(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len() && self.descends(other) && other.descends(self)
    }
}

impl<N: Eq> Eq for VectorClock<N> {}

/// Returns `Greater` if this clock descends from the other, and `None` for a conflict.
impl<N: PartialEq> PartialOrd for VectorClock<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.descends(other), other.descends(self)) {
            (true, true) => Some(Ordering::Equal),
            (true, false) => Some(Ordering::Greater),
            (false, true) => Some(Ordering::Less),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    fn entry(node: &str, id: u64) -> Entry<&str> {
        let id = LocalId::new(id);
        Entry { node, id }
    }

    #[test]
    fn recording_moves_to_the_front() {
        let mut clock: VectorClock<_> =
            [entry("a", 5), entry("b", 5), entry("c", 5)].into_iter().collect();
        assert!(clock.record("c", LocalId::new(6)));
        assert!(!clock.record("b", LocalId::new(5)));
        assert!(!clock.record("b", LocalId::new(4)));
        assert!(clock.record("d", LocalId::new(1)));
        let expected = vec![entry("d", 1), entry("c", 6), entry("a", 5), entry("b", 5)];
        assert_eq!(clock.entries(), expected);
        assert_eq!(clock.get("c"), Some(LocalId::new(6)));
        assert_eq!(clock.get("e"), None);
    }

    #[test]
    fn later_id_of_a_node_counts() {
        let clock: VectorClock<_> =
            [entry("a", 5), entry("b", 1), entry("a", 6), entry("a", 2)].into_iter().collect();
        assert_eq!(clock.entries(), [entry("a", 6), entry("b", 1)]);
    }
}
