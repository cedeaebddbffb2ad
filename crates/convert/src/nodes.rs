//! The node that a converted ID gets.

use crate::error::ConvertError;
use crate::loss::NodeLoss;
use crate::parts::{Bits, mask};

/// The choice of the node of a new ID.
///
/// Nodes distinguish IDs of the same tick and sequence, so prefer [`Keep`](Self::Keep) or a
/// [`Table`](Self::Table), which keep different nodes different. The other choices can make
/// different IDs equal. A target without a place for a node (a local kuid, or SCRU64 without a node
/// size) has 0 bits for it.
///
/// # Examples
/// ```
/// use tickid_convert::{ConvertError, Nodes, Options, convert};
/// use tickid_nanoflake::NanoflakeId;
/// use tickid_sno::{Partition, SnoId};
///
/// // 16 bits of partition do not fit 10 bits of generator.
/// let id = SnoId::from_parts(100_000_000_000, false, Partition::new(0x8001), 0)?;
/// let to = |nodes| {
///     let converted = convert::<NanoflakeId>(id, &Options { nodes, ..Options::default() })?;
///     Ok::<_, ConvertError>(converted.id.generator().get())
/// };
/// assert!(matches!(to(Nodes::Keep), Err(ConvertError::NodeTooWide { node: 0x8001, bits: 10 })));
/// assert_eq!(to(Nodes::LowBits), Ok(0x001));
/// assert_eq!(to(Nodes::HighBits), Ok(0x200));
/// assert_eq!(to(Nodes::Set(7)), Ok(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Nodes<'a> {
    /// Keeps the old ID's node. It is an error if the node does not fit, or if one is needed and
    /// there was none.
    #[default]
    Keep,
    /// Sets this node, regardless of the old one. IDs of different nodes may become equal.
    Set(u64),
    /// Takes the node that a table maps the old one to. It is an error if the table does not
    /// contain it.
    Table(NodeTable<'a>),
    /// Keeps the low bits of the old node where there is room for fewer bits.
    LowBits,
    /// Keeps the high bits of the old node where there is room for fewer bits.
    HighBits,
}

impl Nodes<'_> {
    /// Maps a node to `bits` bits, if there is a node, and returns the loss.
    #[inline]
    pub(crate) fn map(
        &self,
        node: Option<Bits>,
        bits: Option<u32>,
    ) -> Result<(Option<Bits>, Option<NodeLoss>), ConvertError> {
        // Snowflakes may have no bits for a node.
        let bits = bits.filter(|bits| *bits > 0);
        let new = match (*self, node) {
            (Self::Set(value), _) => Some(value),
            (_, None) => None,
            (Self::Keep, Some(node)) => Some(node.value()),
            (Self::Table(table), Some(node)) => Some(table.target(node)?),
            (Self::LowBits, Some(node)) => Some(node.value() & mask(bits.unwrap_or(0))),
            (Self::HighBits, Some(node)) => Some(node.high_bits(bits.unwrap_or(0))),
        };
        // Dropping a node is what these two ask for if there are no bits. For the others it is an
        // error, because IDs of two nodes would become equal silently.
        let is_truncation = matches!(self, Self::LowBits | Self::HighBits);
        match (new, bits) {
            (Some(value), Some(bits)) if value <= mask(bits) => {
                let new = Bits::held(value, bits);
                Ok((Some(new), self.lost(node, new)))
            }
            (None, Some(bits)) => Err(ConvertError::NodeMissing { bits }),
            (None, None) => Ok((None, None)),
            (Some(_), None) if is_truncation => {
                Ok((None, node.map(|from| NodeLoss { from, to: None })))
            }
            (Some(value), bits) => {
                Err(ConvertError::NodeTooWide { node: value, bits: bits.unwrap_or(0) })
            }
        }
    }

    /// Returns the part of `node` that is not in `new`.
    fn lost(&self, node: Option<Bits>, new: Bits) -> Option<NodeLoss> {
        let from = node?;
        let is_known = match self {
            Self::Keep | Self::Table(_) => true,
            Self::Set(_) | Self::LowBits => from.value() == new.value(),
            Self::HighBits => from.value() & mask(from.excess_bits(new.bits())) == 0,
        };
        (!is_known).then_some(NodeLoss { from, to: Some(new) })
    }

    /// Returns the node of `bits` bits that `new` was made of. If there are several, it is the
    /// lowest.
    pub(crate) fn unmap(
        &self,
        new: Option<Bits>,
        bits: Option<u32>,
    ) -> Result<Option<Bits>, ConvertError> {
        let Some(bits) = bits.filter(|bits| *bits > 0) else {
            return Ok(None);
        };
        let missing = ConvertError::NodeMissing { bits };
        let value = match (*self, new) {
            (Self::Set(_), _) | (_, None) => return Err(missing),
            (Self::Keep | Self::LowBits, Some(new)) => new.value(),
            (Self::Table(table), Some(new)) => table.source(new)?,
            (Self::HighBits, Some(new)) => {
                new.value().checked_shl(bits.saturating_sub(new.bits())).unwrap_or(0)
            }
        };
        if value > mask(bits) {
            return Err(ConvertError::NodeTooWide { node: value, bits });
        }
        Ok(Some(Bits::held(value, bits)))
    }
}

/// A mapping of nodes, as pairs of an old node and a new one. No node occurs twice on either side,
/// so the mapping can be reversed, and no IDs become equal by it.
///
/// # Examples
/// ```
/// use tickid_convert::{NodeTable, Nodes, Options, convert_exact};
/// use tickid_kuid::{Drift, GlobalId, LocalId, Node};
/// use tickid_sno::SnoId;
///
/// let [east, west] = ["uid@east", "uid@west"].map(Node::phash2);
/// let mut pairs = [(east.get().into(), 1), (west.get().into(), 2)];
/// let nodes = Nodes::Table(NodeTable::new(&mut pairs)?);
///
/// let local = LocalId::from_parts(1_700, 0, 0, 5)?;
/// let id = GlobalId::from_local(local, west, Drift::DEFAULT);
/// let converted: SnoId = convert_exact(id, &Options { nodes, ..Options::default() })?;
/// assert_eq!(converted.partition().get(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeTable<'a> {
    /// In the order of the old nodes.
    pairs: &'a [(u64, u64)],
}

/// The reason why pairs of nodes are not a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NodeTableError {
    /// One node maps to two.
    #[error("node {node} is to become {first} and {second}")]
    Split {
        /// The old node.
        node: u64,
        /// One of the new nodes.
        first: u64,
        /// The other one.
        second: u64,
    },
    /// Two nodes map to one, so their IDs could become equal.
    #[error("nodes {first} and {second} both map to {node}")]
    Joined {
        /// The new node.
        node: u64,
        /// One of the old nodes.
        first: u64,
        /// The other one.
        second: u64,
    },
}

tickid_core::debug_error! {
    enum NodeTableError { Split { node, first, second }, Joined { node, first, second } }
}

impl<'a> NodeTable<'a> {
    /// Returns the table of these pairs, which it sorts. A pair that occurs twice counts as one.
    ///
    /// # Errors
    /// Returns a [`NodeTableError`] if a node is in two pairs.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::NodeTable;
    ///
    /// assert!(NodeTable::new(&mut [(70_000, 1), (70_001, 2)]).is_ok());
    /// assert!(NodeTable::new(&mut [(70_000, 1), (70_001, 1)]).is_err()); // two nodes become one
    /// ```
    pub fn new(pairs: &'a mut [(u64, u64)]) -> Result<Self, NodeTableError> {
        // By the new node first, so that old ones that would become one are neighbours.
        pairs.sort_unstable_by_key(|(from, to)| (*to, *from));
        for ((first, node), (second, other)) in pairs.iter().zip(pairs.iter().skip(1)) {
            if node == other && first != second {
                let (node, first, second) = (*node, *first, *second);
                return Err(NodeTableError::Joined { node, first, second });
            }
        }
        // And by the old node, in the order in which nodes are looked up.
        pairs.sort_unstable();
        for ((node, first), (other, second)) in pairs.iter().zip(pairs.iter().skip(1)) {
            if node == other && first != second {
                let (node, first, second) = (*node, *first, *second);
                return Err(NodeTableError::Split { node, first, second });
            }
        }
        Ok(Self { pairs })
    }

    fn target(self, node: Bits) -> Result<u64, ConvertError> {
        let found = self.pairs.binary_search_by_key(&node.value(), |(from, _)| *from);
        let pair = found.ok().and_then(|at| self.pairs.get(at));
        pair.map(|(_, to)| *to).ok_or(ConvertError::NodeUnknown { node: node.value() })
    }

    fn source(self, new: Bits) -> Result<u64, ConvertError> {
        let pair = self.pairs.iter().find(|(_, to)| *to == new.value());
        pair.map(|(from, _)| *from).ok_or(ConvertError::NodeUnknown { node: new.value() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(value: u64, bits: u32) -> Bits {
        Bits::new(value, bits).unwrap()
    }

    fn map(nodes: Nodes<'_>, node: Bits, bits: u32) -> Result<(u64, bool), ConvertError> {
        let (new, loss) = nodes.map(Some(node), Some(bits))?;
        Ok((new.unwrap().value(), loss.is_some()))
    }

    #[test]
    fn nodes_are_kept_or_do_not_fit() {
        assert_eq!(map(Nodes::Keep, field(1_023, 32), 10), Ok((1_023, false)));
        let error = ConvertError::NodeTooWide { node: 1_024, bits: 10 };
        assert_eq!(map(Nodes::Keep, field(1_024, 32), 10), Err(error));
        assert_eq!(Nodes::Keep.map(None, None), Ok((None, None)));
        let missing = ConvertError::NodeMissing { bits: 16 };
        assert_eq!(Nodes::Keep.map(None, Some(16)), Err(missing));
        let no_place = ConvertError::NodeTooWide { node: 7, bits: 0 };
        assert_eq!(Nodes::Keep.map(Some(field(7, 10)), None), Err(no_place));
        assert_eq!(Nodes::Set(7).map(None, None), Err(no_place));
    }

    #[test]
    fn replacing_a_node_is_a_loss() {
        assert_eq!(Nodes::Set(7).map(None, Some(16)), Ok((Some(field(7, 16)), None)));
        assert_eq!(map(Nodes::Set(7), field(7, 10), 16), Ok((7, false)));
        assert_eq!(map(Nodes::Set(7), field(8, 10), 16), Ok((7, true)));
        let error = ConvertError::NodeTooWide { node: 1_024, bits: 10 };
        assert_eq!(map(Nodes::Set(1_024), field(1, 10), 10), Err(error));
    }

    #[test]
    fn truncations_keep_named_bits() {
        let node = field(0xabcd_0012, 32);
        assert_eq!(map(Nodes::LowBits, node, 16), Ok((0x12, true)));
        assert_eq!(map(Nodes::LowBits, field(0x12, 32), 16), Ok((0x12, false)));
        assert_eq!(map(Nodes::HighBits, node, 16), Ok((0xabcd, true)));
        assert_eq!(map(Nodes::HighBits, field(0xabcd_0000, 32), 16), Ok((0xabcd, false)));
        // Where there is room for all bits, they stay where they are.
        for nodes in [Nodes::LowBits, Nodes::HighBits] {
            assert_eq!(map(nodes, field(5, 10), 16), Ok((5, false)));
            let dropped = NodeLoss { from: field(0, 10), to: None };
            assert_eq!(nodes.map(Some(field(0, 10)), None), Ok((None, Some(dropped))));
        }
    }

    #[test]
    fn tables_must_have_the_node() {
        let mut pairs = [(9, 1), (3, 7), (5, 0), (3, 7)];
        let nodes = Nodes::Table(NodeTable::new(&mut pairs).unwrap());
        for (from, to) in [(9, 1), (3, 7), (5, 0)] {
            assert_eq!(map(nodes, field(from, 32), 10), Ok((to, false)));
            assert_eq!(nodes.unmap(Some(field(to, 10)), Some(32)), Ok(Some(field(from, 32))));
        }
        let unknown = ConvertError::NodeUnknown { node: 4 };
        assert_eq!(map(nodes, field(4, 32), 10), Err(unknown));
        assert_eq!(nodes.unmap(Some(field(4, 10)), Some(32)), Err(unknown));
        let error = ConvertError::NodeTooWide { node: 7, bits: 2 };
        assert_eq!(map(nodes, field(3, 32), 2), Err(error));
    }

    #[test]
    fn tables_have_each_node_once() {
        let error = NodeTable::new(&mut [(1, 5), (2, 6), (3, 5)]).unwrap_err();
        assert_eq!(error, NodeTableError::Joined { node: 5, first: 1, second: 3 });
        let error = NodeTable::new(&mut [(1, 5), (2, 6), (1, 7)]).unwrap_err();
        assert_eq!(error, NodeTableError::Split { node: 1, first: 5, second: 7 });
    }

    #[test]
    fn lossless_nodes_are_restored() {
        for nodes in [Nodes::Keep, Nodes::LowBits, Nodes::HighBits] {
            for (value, bits) in [(0, 10), (5, 16), (0xabcd_0000, 32), (1, 32), (0xffff, 16)] {
                for room in [1, 10, 16, 23, 32] {
                    let Ok((new, loss)) = nodes.map(Some(field(value, bits)), Some(room)) else {
                        continue;
                    };
                    let found = nodes.unmap(new, Some(bits)).unwrap().unwrap();
                    assert_eq!(found == field(value, bits), loss.is_none(), "{nodes:?} {value}");
                }
            }
        }
    }
}
