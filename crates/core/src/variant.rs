//! The choices that a caller makes per ID, such as sno's metabyte.

use core::fmt;

use crate::scheme::Scheme;
use crate::slot::Slot;

/// The variant of schemes that leave the caller nothing to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plain;

/// The caller's choice for one ID, which turns a slot into that ID.
///
/// SCRU64 and Nanoflake have one variant, sno's carries the metabyte, kuid's selects local or
/// global IDs.
///
/// # Examples
/// ```
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{Generator, Slot, Variant};
///
/// /// IDs with the number of a tenant in the highest byte.
/// #[derive(Clone, Copy)]
/// struct Tenant(u8);
///
/// impl Variant<Seconds> for Tenant {
///     type Id = u64;
///
///     fn id(self, _: &Seconds, slot: Slot<Seconds>) -> u64 {
///         u64::from(self.0) << 56 | slot.low()
///     }
/// }
///
/// let generator = Generator::<Seconds>::new(Node(7))?;
/// assert_eq!(generator.with(Tenant(9)).generate()? >> 56, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Variant<S: Scheme>: Copy {
    /// The type of the IDs.
    type Id: Copy;

    /// Reports whether IDs of this variant carry the generator's node. Called only for
    /// schemes with [`HAS_NODELESS_IDS`](Scheme::HAS_NODELESS_IDS).
    #[inline]
    fn has_node(self) -> bool {
        true
    }

    /// Returns the ID of one slot.
    fn id(self, scheme: &S, slot: Slot<S>) -> Self::Id;

    /// Writes the IDs of `first` and the slots after it, as many as `out` has room for. All of them
    /// lie in one tick.
    #[inline]
    fn fill(self, scheme: &S, first: Slot<S>, out: &mut [Self::Id]) {
        let mut slot = first;
        for id in out {
            *id = self.id(scheme, slot);
            slot = slot.next();
        }
    }
}

/// A variant whose IDs generators can [observe](crate::Generator::observe).
///
/// All IDs of one tick must be smaller than those of the next, whatever their nodes are, and the
/// IDs of one node and variant must increase with the sequence. Global kuids are not observable:
/// they sort by node before the last minutes of the time, so a generator with a low node might have
/// to wait for minutes until its IDs are greater than an observed one.
///
/// # Examples
/// ```
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{Generator, Observable, Slot, Variant};
///
/// /// IDs with the number of a shop between node and sequence.
/// #[derive(Clone, Copy)]
/// struct Shop(u8);
///
/// impl Variant<Seconds> for Shop {
///     type Id = u64;
///
///     fn id(self, _: &Seconds, slot: Slot<Seconds>) -> u64 {
///         (slot.low() >> 8 << 8 | u64::from(self.0)) << 8 | slot.low() & 0xff
///     }
/// }
///
/// impl Observable<Seconds> for Shop {
///     const LEAST: Self = Shop(0);
/// }
///
/// let (one, other) = (Generator::<Seconds>::new(Node(1))?, Generator::<Seconds>::new(Node(2))?);
/// let id = one.with(Shop(200)).generate()?;
/// other.with(Shop(9)).observe(id)?;
/// assert!(other.with(Shop(3)).generate()? > id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observable<S: Scheme>: Variant<S, Id: Ord> {
    /// The variant with the least ID of each slot. IDs of this variant that follow an observed ID
    /// do so under every variant of this type.
    const LEAST: Self;
}

/// The variants of IDs that a generator issues, distinguished by whether they carry its node.
///
/// Generators of one realm must not mix the two, because IDs without a node are unique only if no
/// two generators issue them in the same window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variants {
    /// All variants.
    #[default]
    All,
    /// Only variants that carry the node.
    WithNode,
    /// Only variants that do not carry the node.
    WithoutNode,
}

impl Variants {
    /// Reports whether a variant that carries the node, or one that does not, is among these.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Variants;
    ///
    /// assert!(Variants::All.contains(false));
    /// assert!(!Variants::WithNode.contains(false));
    /// ```
    #[inline]
    #[must_use]
    pub const fn contains(self, has_node: bool) -> bool {
        match self {
            Self::All => true,
            Self::WithNode => has_node,
            Self::WithoutNode => !has_node,
        }
    }
}

impl fmt::Display for Variants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::All => "IDs with or without a node",
            Self::WithNode => "IDs with a node",
            Self::WithoutNode => "IDs without a node",
        })
    }
}
