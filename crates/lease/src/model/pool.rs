//! The nodes that a realm may lease.

use core::fmt;

use tickid_core::AnyNode;

/// Consecutive nodes of one size.
///
/// # Examples
/// ```
/// use tickid_lease::admin::NodeRange;
///
/// let range = NodeRange::new(128, 255, 8)?;
/// assert_eq!((range.bits(), range.first(), range.last(), range.len()), (8, 128, 255, 128));
/// assert_eq!((range.to_string(), "128-255/8".parse()), ("128-255/8".to_owned(), Ok(range)));
/// assert!(range.contains("128/8".parse()?) && !range.contains("128/9".parse()?));
/// assert!(NodeRange::new(128, 256, 8).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeRange {
    first: AnyNode,
    last: u64,
}

impl NodeRange {
    /// Creates the range of the nodes `first` to `last` of `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`](tickid_core::RangeError) for numbers that do not fit in `bits`, and
    /// for a `last` before `first`.
    pub fn new(first: u64, last: u64, bits: u32) -> Result<Self, tickid_core::RangeError> {
        let (first, last) = (AnyNode::new(first, bits)?, AnyNode::new(last, bits)?.value());
        if last < first.value() {
            let (value, min) = (last.into(), first.value().into());
            return Err(tickid_core::RangeError::new("last node", value, min, (1 << bits) - 1));
        }
        Ok(Self { first, last })
    }

    /// Returns the number of bits of its nodes.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.first.bits()
    }

    /// Returns the first value.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first.value()
    }

    /// Returns the last value.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.last
    }

    /// Returns the number of nodes.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.last - self.first.value() + 1
    }

    /// Returns `false`, since a range has at least one node.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Reports whether `node` is in the range.
    #[must_use]
    pub const fn contains(&self, node: AnyNode) -> bool {
        node.bits() == self.bits() && self.first() <= node.value() && node.value() <= self.last
    }

    pub(crate) fn start(&self) -> u64 {
        *self.first.span().start()
    }

    /// Returns the first node.
    pub(crate) const fn first_node(&self) -> AnyNode {
        self.first
    }

    /// Returns the last node.
    pub(crate) fn last_node(&self) -> AnyNode {
        self.node(self.len() - 1).unwrap_or(self.first)
    }

    pub(crate) fn end(&self) -> u64 {
        *self.last_node().span().end()
    }

    /// Returns the node at this index.
    fn node(&self, index: u64) -> Option<AnyNode> {
        if index < self.len() { AnyNode::new(self.first() + index, self.bits()).ok() } else { None }
    }

    /// Returns the number of nodes that sort before `node`.
    fn rank(&self, node: AnyNode) -> u64 {
        let shift = AnyNode::MAX_BITS - self.bits();
        let start = *node.span().start();
        let value = start >> shift;
        // A prefix sorts before the nodes that start with it.
        let is_before = value << shift < start || self.bits() < node.bits();
        (value + u64::from(is_before)).saturating_sub(self.first())
    }

    /// Returns the nodes of both ranges.
    pub(crate) fn common(&self, other: &Self) -> Option<Self> {
        let (first, last) = (self.first().max(other.first()), self.last.min(other.last));
        let is_common = self.bits() == other.bits() && first <= last;
        if is_common { Self::new(first, last, self.bits()).ok() } else { None }
    }

    /// Returns the nodes that are not in `other`, as up to two ranges.
    pub(crate) fn without(&self, other: &Self) -> impl Iterator<Item = Self> + use<> {
        let (bits, first, last) = (self.bits(), self.first(), self.last);
        let (below, above) = match self.common(other) {
            None => (Some((first, last)), None),
            Some(common) => (
                common.first().checked_sub(1).map(|end| (first, end)),
                common.last().checked_add(1).map(|start| (start, last)),
            ),
        };
        let parts = below.into_iter().chain(above).filter(|(first, last)| first <= last);
        parts.filter_map(move |(first, last)| Self::new(first, last, bits).ok())
    }
}

impl From<AnyNode> for NodeRange {
    fn from(node: AnyNode) -> Self {
        Self { first: node, last: node.value() }
    }
}

/// Writes `0-255/8`, or `42/8` for a single node.
impl fmt::Display for NodeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.len() {
            1 => fmt::Display::fmt(&self.first, f),
            _ => write!(f, "{}-{}/{}", self.first(), self.last, self.bits()),
        }
    }
}

impl fmt::Debug for NodeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The nodes that a realm may grant, as ranges of nodes of one or more sizes.
///
/// A busy ("hot") SCRU64 node should have few bits, which leaves many for the counter, while a
/// quiet ("cold") one can have many. A pool may have both. For example, `0/1,128-255/8` is one busy
/// node and 128 quiet ones. No node may be a prefix of a different one, as `0/1` is of `127/8`,
/// since their IDs could be equal.
///
/// Its text is a list of ranges, sorted and as short as possible, so `5-9/8,0-4/8` becomes `0-9/8`.
///
/// # Examples
/// ```
/// use tickid_lease::NodePool;
///
/// let pool: NodePool = "0/1,128-191/8,192-255/8".parse()?;
/// assert_eq!((pool.to_string().as_str(), pool.len()), ("0/1,128-255/8", 129));
/// assert!(pool.contains("200/8".parse()?) && !pool.contains("1/1".parse()?));
/// assert_eq!(pool, NodePool::new(pool.ranges().iter().copied())?);
///
/// let error = "0/1,127-255/8".parse::<NodePool>().unwrap_err();
/// assert!(error.to_string().starts_with("the nodes 0/1 and 127/8 are prefix-related"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// SCRU64, "Usage notes": nodes of several sizes have to be prefix-free.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NodePool {
    /// Sorted; no two of the same size touch.
    ranges: Vec<NodeRange>,
}

impl NodePool {
    /// The largest number of nodes.
    pub const MAX_LEN: u64 = 1 << 16;

    /// Creates the pool of these nodes.
    ///
    /// # Errors
    /// Returns a [`PoolError`] for no nodes, for too many, and for nodes that are prefix-related or
    /// named twice.
    pub fn new(ranges: impl IntoIterator<Item = NodeRange>) -> Result<Self, PoolError> {
        let mut sorted: Vec<NodeRange> = ranges.into_iter().collect();
        sorted.sort_by_key(|range| (range.start(), range.bits()));
        let mut ranges = Vec::<NodeRange>::with_capacity(sorted.len());
        for range in sorted {
            match ranges.last_mut() {
                Some(before) if before.end() >= range.start() => {
                    return Err(related(before, &range));
                }
                Some(before)
                    if before.bits() == range.bits() && before.last + 1 == range.first() =>
                {
                    before.last = range.last;
                }
                _ => ranges.push(range),
            }
        }
        // Fewer than 2^63 nodes of each of fewer than 2^64 ranges.
        let len: u128 = ranges.iter().map(|range| u128::from(range.len())).sum();
        match len {
            0 => Err(PoolError::Empty),
            _ if len > Self::MAX_LEN.into() => Err(PoolError::TooMany { len }),
            _ => Ok(Self { ranges }),
        }
    }

    /// Returns the pool of the empty node, for IDs that carry none (kuid's local ones).
    #[must_use]
    pub fn single() -> Self {
        Self::of(AnyNode::NONE)
    }

    /// Returns the pool of one node.
    #[must_use]
    pub fn of(node: AnyNode) -> Self {
        Self { ranges: vec![node.into()] }
    }

    /// Returns the ranges, sorted, as few as possible.
    #[must_use]
    pub fn ranges(&self) -> &[NodeRange] {
        &self.ranges
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ranges.iter().map(NodeRange::len).sum()
    }

    /// Returns `false`, since a pool has at least one node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Reports whether `node` is in the pool.
    #[must_use]
    pub fn contains(&self, node: AnyNode) -> bool {
        let after = self.ranges.partition_point(|range| range.start() <= *node.span().start());
        self.ranges[..after].last().is_some_and(|range| range.contains(node))
    }

    /// Returns the first range with a node of a different size that is prefix-related to `node`.
    pub(crate) fn range_related(&self, node: AnyNode) -> Option<&NodeRange> {
        let after = self.ranges.partition_point(|range| range.end() < *node.span().start());
        let range = self.ranges.get(after).filter(|range| range.start() <= *node.span().end());
        range.filter(|range| range.bits() != node.bits())
    }

    /// Returns all nodes in order.
    ///
    /// # Examples
    /// ```
    /// use tickid_lease::NodePool;
    ///
    /// let pool: NodePool = "0/1,128-129/8".parse()?;
    /// let nodes: Vec<_> = pool.nodes().map(|node| node.to_string()).collect();
    /// assert_eq!(nodes, ["0/1", "128/8", "129/8"]);
    /// # Ok::<(), tickid_lease::admin::LeaseTextError>(())
    /// ```
    pub fn nodes(&self) -> impl Iterator<Item = AnyNode> + '_ {
        self.ranges.iter().flat_map(|range| (0..range.len()).filter_map(|at| range.node(at)))
    }

    /// Returns the node at a position, in order, counting round from the first.
    pub(crate) fn node_at(&self, position: u64) -> AnyNode {
        let mut rest = position % self.len();
        for range in &self.ranges {
            match range.node(rest) {
                Some(node) => return node,
                None => rest -= range.len(),
            }
        }
        self.ranges[0].first
    }

    /// Returns all nodes in order from `start` on, wrapping around from the last to the first.
    pub(crate) fn nodes_from(&self, start: AnyNode) -> impl Iterator<Item = AnyNode> + '_ {
        let skipped = move |range: &NodeRange| match range.first {
            first if first >= start => 0,
            // The first of equal size that does not sort before `start`.
            _ => range.len().min(range.rank(start)),
        };
        let from = self
            .ranges
            .iter()
            .flat_map(move |range| (skipped(range)..range.len()).filter_map(|at| range.node(at)));
        let rest = self
            .ranges
            .iter()
            .flat_map(move |range| (0..skipped(range)).filter_map(|at| range.node(at)));
        from.chain(rest)
    }
}

/// Returns the error for two ranges if the second starts within the first.
fn related(one: &NodeRange, other: &NodeRange) -> PoolError {
    let other = other.first;
    let value = other.span().start() >> (AnyNode::MAX_BITS - one.bits());
    PoolError::Related { one: AnyNode::new(value, one.bits()).unwrap_or(one.first), other }
}

impl fmt::Display for NodePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.ranges.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            fmt::Display::fmt(range, f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for NodePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An error of nodes that do not form a pool.
///
/// # Examples
/// ```
/// use tickid_lease::admin::PoolError;
/// use tickid_lease::NodePool;
///
/// assert_eq!(NodePool::new([]), Err(PoolError::Empty));
/// let error = NodePool::new(["0-65536/32".parse()?]).unwrap_err();
/// assert_eq!(error.to_string(), "a pool has at most 65536 nodes, not 65537");
/// # Ok::<(), tickid_lease::admin::LeaseTextError>(())
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The pool is empty.
    #[error("a pool needs at least one node")]
    Empty,
    /// There are more nodes than [`NodePool::MAX_LEN`].
    #[error("a pool has at most {max} nodes, not {len}", max = NodePool::MAX_LEN)]
    TooMany {
        /// The number of nodes.
        len: u128,
    },
    /// One node is a prefix of the other, or equal to it.
    #[error("the nodes {one} and {other} are prefix-related: their IDs could be equal")]
    Related {
        /// One node.
        one: AnyNode,
        /// The other.
        other: AnyNode,
    },
}

tickid_core::debug_error! {
    enum PoolError { Empty, TooMany { len }, Related { one, other } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::LeaseTextError;

    fn pool(text: &str) -> Result<NodePool, LeaseTextError> {
        text.parse()
    }

    #[test]
    fn pools_are_prefix_free() {
        for text in ["0/0", "0/1,1/1", "0/1,128-255/8", "0-3/3,8/4,9/4", "0-65535/16"] {
            assert!(pool(text).is_ok(), "{text}");
        }
        for (text, one, other) in [
            ("0/0,5/8", "0/0", "5/8"),
            ("5/8,5/8", "5/8", "5/8"),
            ("0-9/8,9-12/8", "9/8", "9/8"),
            ("100-130/8,1/1", "128/8", "1/1"),
            ("1/1,200/8", "1/1", "200/8"),
            ("0-7/4,64/8,31/6", "4/4", "64/8"),
        ] {
            let (one, other) = (one.parse().unwrap(), other.parse().unwrap());
            assert_eq!(pool(text), Err(PoolError::Related { one, other }.into()), "{text}");
        }
    }

    #[test]
    fn sizes_are_bounded() {
        assert_eq!(NodePool::new([]), Err(PoolError::Empty));
        let error = pool("0-65536/32").unwrap_err();
        assert_eq!(error.to_string(), "a pool has at most 65536 nodes, not 65537");
    }

    #[test]
    fn ranges_are_not_reversed() {
        let error = NodeRange::new(9, 8, 8).unwrap_err();
        assert_eq!(error.to_string(), "last node 8 is outside of 9..=255");
        assert_eq!(NodeRange::new(9, 9, 8).unwrap().len(), 1);
    }

    #[test]
    fn spelling_does_not_matter() {
        assert_eq!(pool("5-9/8,0-4/8").unwrap(), pool("0-9/8").unwrap());
        assert_eq!(pool("5-9/8,0-4/8").unwrap().to_string(), "0-9/8");
        assert_eq!(pool("1/1,0-127/8").unwrap().to_string(), "0-127/8,1/1");
    }

    #[test]
    fn every_node_comes_once() {
        let pool = pool("0-2/3,6/4,1/1").unwrap();
        let sorted: Vec<AnyNode> = pool.nodes().collect();
        assert!(sorted.is_sorted());
        for (position, &start) in (0..).zip(&sorted) {
            assert_eq!(pool.node_at(position), start);
            assert_eq!(pool.node_at(position + pool.len()), start);
        }
        for start in ["0/0", "0/1", "0/3", "5/4", "2/2", "6/4", "13/5", "1/1", "4/3", "7/3"] {
            let start: AnyNode = start.parse().unwrap();
            let mut rotated = sorted.clone();
            rotated.rotate_left(sorted.partition_point(|&node| node < start));
            assert_eq!(pool.nodes_from(start).collect::<Vec<_>>(), rotated, "{start}");
        }
        assert!(sorted.iter().all(|&node| pool.contains(node)));
    }

    #[test]
    fn related_ranges_are_found() {
        let pool = pool("0/1,128-129/8").unwrap();
        // The first and the last of the smallest nodes below each range, and those beside them.
        let ends = [(0, true), (0x3fff_ffff_ffff_ffff, true), (0x4000_0000_0000_0000, true)];
        let last = (130 << 55) - 1;
        for (value, is_related) in ends.into_iter().chain([(last, true), (last + 1, false)]) {
            let node = AnyNode::new(value, AnyNode::MAX_BITS).unwrap();
            assert_eq!(pool.range_related(node).is_some(), is_related, "{node}");
        }
        // The same size is the node itself, which needs no room beside it.
        assert_eq!(pool.range_related("128/8".parse().unwrap()), None);
        assert_eq!(pool.range_related("5/3".parse().unwrap()), None);
    }

    #[test]
    fn taking_away_leaves_the_rest() {
        let all = NodeRange::new(3, 9, 8).unwrap();
        let rest = |first, last| {
            let taken = NodeRange::new(first, last, 8).unwrap();
            all.without(&taken).map(|range| range.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(rest(0, 2), ["3-9/8"]);
        assert_eq!(rest(0, 3), ["4-9/8"]);
        assert_eq!(rest(5, 6), ["3-4/8", "7-9/8"]);
        assert_eq!(rest(9, 20), ["3-8/8"]);
        assert_eq!(rest(0, 255), [""; 0]);
    }
}
