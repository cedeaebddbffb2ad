//! The kinds of variants that a generator issues.

use core::fmt;

/// The variants of IDs that a generator issues, by whether they carry its node.
///
/// For example, kuid's global IDs carry the node, and its local ones do not. Generators of one
/// realm must not mix the two, because IDs without a node are unique only if no two generators
/// issue them in the same window.
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
    /// Reports whether these include variants that carry the node, or, if `has_node` is false,
    /// variants that do not.
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
