//! Vector clocks: what each of several nodes is known to have done last.
//!
//! A clock is a list of [entries](Entry), one for each node, each with the [`LocalId`] that the node
//! issued last. Comparing two clocks tells whether one has seen all that the other has, or whether both
//! went on without each other (a conflict).
//!
//! [`VectorClock`] owns its list and needs the `alloc` feature. The functions here compare plain slices
//! and need nothing.
//!
//! Nodes may be anything that can be compared: names (`&str`, `String`), fingerprints
//! ([`Node`]). Each look-up is a search from the front of the list, which is the fastest
//! for the tens of nodes that clocks usually have, and slow for many thousands.
//!
//! # Spec
//! fogfish/uid, "v-clock interface" in `uid.erl`.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::borrow::Borrow;
#[cfg(feature = "alloc")]
use core::cmp::Ordering;

use crate::distance::Distance;
use crate::global::GlobalId;
use crate::local::LocalId;
use crate::node::Node;
use crate::scheme::Drift;

/// One node of a vector clock, and the last it is known to have issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry<N = Node> {
    /// The node: its name or its fingerprint.
    pub node: N,
    /// The time and sequence it issued last.
    pub id: LocalId,
}

impl Entry<Node> {
    /// The node and the rest of a global ID that was made with this drift.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::vector_clock::Entry;
    /// use tickid_kuid::{Drift, GlobalId, LocalId, Node};
    ///
    /// let (node, local) = (Node::phash2("a@host"), LocalId::from_parts(1_700, 0, 0, 5)?);
    /// let id = GlobalId::from_local(local, node, Drift::DEFAULT);
    /// let entry = Entry::from_global(id, Drift::DEFAULT);
    /// assert_eq!(entry, Entry { node, id: local });
    /// assert_eq!(entry.to_global(Drift::DEFAULT), id);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[must_use]
    pub const fn from_global(id: GlobalId, drift: Drift) -> Self {
        Self { node: id.node(drift), id: id.to_local(drift) }
    }

    /// The global ID with this drift.
    #[must_use]
    pub const fn to_global(self, drift: Drift) -> GlobalId {
        GlobalId::from_local(self.id, self.node, drift)
    }
}

/// What one clock is behind of another at one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Difference<N = Node> {
    /// It does not know the node, of which the other has this.
    Missing(Entry<N>),
    /// It is behind by so much.
    Behind {
        /// The node.
        node: N,
        /// How far its entry is from the other's.
        distance: Distance,
    },
}

/// Whether clock `a` has seen all that clock `b` has: every node of `b` is in `a`, with the same ID or
/// a later one. Erlang's `uid:descend(A, B)`.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
/// use tickid_kuid::vector_clock::{Entry, descends};
///
/// let at = |node, id| Entry { node, id: LocalId::new(id) };
/// assert!(descends(&[at("a", 2), at("b", 1)], &[at("a", 1)]));
/// assert!(!descends(&[at("a", 2)], &[at("a", 1), at("b", 1)])); // knows nothing of b
/// ```
#[doc(alias = "descend")]
#[must_use]
pub fn descends<N: PartialEq>(a: &[Entry<N>], b: &[Entry<N>]) -> bool {
    b.iter().all(|theirs| covers(a, theirs))
}

/// [`descends`] without regard to what either says of `peer`: finds conflicts that a peer did not make
/// itself. Erlang's `uid:descend(Peer, A, B)`.
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

/// What clock `b` has that clock `a` has not, in the order of `b`. Nothing when `a`
/// [descends] from `b`. Erlang's `uid:diff(A, B)`.
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

/// A vector clock: a list of [entries](Entry), one for each node.
///
/// Two clocks are equal when they say the same, in whatever order; one is *less* than another when the
/// other [descends](Self::descends) from it; and neither is less when they are in conflict.
///
/// | Erlang | here |
/// |---|---|
/// | `uid:vclock()` | [`new`](Self::new), then [`record`](Self::record) |
/// | `uid:vclock(Clock)` | [`record`](Self::record) with an ID of one's own generator |
/// | `uid:join(A, B)` | [`join`](Self::join) |
/// | `uid:descend(A, B)`, `uid:descend(Peer, A, B)` | [`descends`](Self::descends), [`descends_except`](Self::descends_except) |
/// | `uid:diff(A, B)` | [`diff`](Self::diff) |
///
/// # Examples
/// Two nodes write without knowing of each other, and a third one sees the conflict:
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
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct VectorClock<N = Node> {
    /// No node comes twice.
    entries: Vec<Entry<N>>,
}

#[cfg(feature = "alloc")]
impl<N> VectorClock<N> {
    /// The clock that knows no node.
    #[doc(alias = "vclock")]
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The entries in the clock's order: that of the list it was made from, later
    /// [recorded](Self::record) nodes before it; by node after a [join](Self::join).
    #[must_use]
    pub fn entries(&self) -> &[Entry<N>] {
        &self.entries
    }

    /// The entries, without the clock.
    #[must_use]
    pub fn into_entries(self) -> Vec<Entry<N>> {
        self.entries
    }
}

#[cfg(feature = "alloc")]
impl<N: PartialEq> VectorClock<N> {
    /// What is known of `node`.
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

    /// Takes note that `node` issued `id`, and moves it to the front. `false`, and nothing is changed,
    /// when the clock already knows that ID of it or a later one. Erlang's `uid:vclock(Clock)`, which
    /// makes the ID itself.
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

    /// Whether this clock has seen all that `other` has; see [`descends`].
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

    /// [`descends`](Self::descends) without regard to `peer`; see [`descends_except`].
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

    /// What `other` has that this clock has not, in the order of `other`; see [`diff`].
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

#[cfg(feature = "alloc")]
impl<N: Ord + Clone> VectorClock<N> {
    /// The clock that has seen all that either has: every node of both with the later of its IDs, in
    /// the order of the nodes. Erlang's `uid:join(A, B)`.
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

#[cfg(feature = "alloc")]
impl<N> Default for VectorClock<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// In the order of the entries. Of a node that comes twice, the later ID counts, in the first place.
#[cfg(feature = "alloc")]
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

#[cfg(feature = "alloc")]
impl<N> IntoIterator for VectorClock<N> {
    type Item = Entry<N>;
    type IntoIter = alloc::vec::IntoIter<Entry<N>>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// Whether both say the same, in whatever order.
#[cfg(feature = "alloc")]
impl<N: PartialEq> PartialEq for VectorClock<N> {
    fn eq(&self, other: &Self) -> bool {
        self.entries.len() == other.entries.len() && self.descends(other) && other.descends(self)
    }
}

#[cfg(feature = "alloc")]
impl<N: Eq> Eq for VectorClock<N> {}

/// Greater is what descends from the other; `None` is a conflict.
#[cfg(feature = "alloc")]
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
    use super::*;

    fn entry(node: &str, id: u64) -> Entry<&str> {
        let id = LocalId::new(id);
        Entry { node, id }
    }

    #[test]
    fn slices_compare_as_clocks_do() {
        let (a, b) = ([entry("a", 1), entry("b", 2)], [entry("a", 1), entry("b", 3)]);
        assert!(descends(&b, &a) && !descends(&a, &b));
        assert!(descends_except("b", &a, &b) && !descends_except("a", &a, &b));
        assert_eq!(diff(&b, &a).count(), 0);
        let behind =
            Difference::Behind { node: &"b", distance: LocalId::new(3).distance(LocalId::new(2)) };
        assert!(diff(&a, &b).eq([behind]));
        let missing = Difference::Missing(Entry { node: &"b", id: LocalId::new(3) });
        assert!(diff(&a[..1], &b).eq([missing]));
    }

    #[test]
    fn a_global_id_is_an_entry() {
        let drift = Drift::MAX;
        let node = Node::phash2("a@host");
        let id = GlobalId::from_local(LocalId::new(7), node, drift);
        let entry = Entry::from_global(id, drift);
        assert_eq!((entry.node, entry.id), (node, LocalId::new(7)));
        assert_eq!(entry.to_global(drift), id);
    }

    #[cfg(feature = "alloc")]
    mod owned {
        use std::vec;

        use super::*;

        #[test]
        fn recording_moves_to_the_front_and_never_back_in_time() {
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
            assert_eq!(clock.into_entries(), expected);
        }

        #[test]
        fn of_a_node_that_comes_twice_the_later_id_counts() {
            let clock: VectorClock<_> =
                [entry("a", 5), entry("b", 1), entry("a", 6), entry("a", 2)].into_iter().collect();
            assert_eq!(clock.entries(), [entry("a", 6), entry("b", 1)]);
        }

        #[test]
        fn order_is_causal_and_does_not_regard_the_list() {
            let clock = |entries: &[Entry<&'static str>]| -> VectorClock<_> {
                entries.iter().copied().collect()
            };
            let base = clock(&[entry("a", 1), entry("b", 1)]);
            let same = clock(&[entry("b", 1), entry("a", 1)]);
            let later = clock(&[entry("b", 2), entry("a", 1)]);
            let other = clock(&[entry("a", 2)]);
            assert_eq!(base, same);
            assert_eq!(base.partial_cmp(&same), Some(Ordering::Equal));
            assert_eq!(later.partial_cmp(&base), Some(Ordering::Greater));
            assert_eq!(base.partial_cmp(&later), Some(Ordering::Less));
            assert_ne!(later, base);
            assert_eq!(later.partial_cmp(&other), None);
            assert_ne!(later, other);
            assert!(VectorClock::default() < other);
        }
    }
}
