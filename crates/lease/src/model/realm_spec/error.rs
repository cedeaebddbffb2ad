//! The errors of a realm's description.

use core::convert::Infallible;
use core::time::Duration;

use tickid_core::NodeError;

use crate::model::text::LeaseTextError;

/// An error of a realm's description.
///
/// # Examples
/// ```
/// use tickid_lease::Realm;
/// use tickid_sno::Sno;
///
/// let error = Realm::builder("orders", Sno).pool("0/0").build().unwrap_err();
/// assert_eq!(error.to_string(), "sno has no IDs without a node, which the pool 0/0 is for");
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RealmError {
    /// The name or the pool cannot be read.
    #[error(transparent)]
    Text(#[from] LeaseTextError),
    /// The realm has no pool.
    #[error("the realm has no pool of nodes")]
    NoPool,
    /// A node of the pool does not exist in the scheme.
    #[error("{scheme} has no such node: {error}")]
    Node {
        /// The scheme.
        scheme: &'static str,
        /// The reason.
        error: NodeError,
    },
    /// The pool is the empty node, but all IDs of the scheme carry a node.
    #[error("{scheme} has no IDs without a node, which the pool 0/0 is for")]
    NoNodelessIds {
        /// The scheme.
        scheme: &'static str,
    },
    /// The term or the skew is too short or too long.
    #[error("a {what} of {duration:?} is outside of {shortest:?}..={longest:?}")]
    Duration {
        /// The setting, either `"term"` or `"skew"`.
        what: &'static str,
        /// Its value.
        duration: Duration,
        /// The shortest possible.
        shortest: Duration,
        /// The longest possible.
        longest: Duration,
    },
}

tickid_core::debug_error! {
    enum RealmError {
        Text(error), NoPool, Node { scheme, error }, NoNodelessIds { scheme },
        Duration { what, duration, shortest, longest },
    }
}

impl From<Infallible> for RealmError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
