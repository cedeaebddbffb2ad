//! The process-wide generator.

use alloc::string::{String, ToString as _};
use std::env::{self, VarError};

use tickid_core::{BuildError, Error, PerProcess};

use crate::generator::Generator;
use crate::id::Scru64Id;
use crate::node::{NodeSpec, NodeSpecError};
use crate::scheme::Scru64;

/// The environment variable that holds the node spec of the process-wide generator.
pub const NODE_SPEC_VARIABLE: &str = "SCRU64_NODE_SPEC";

/// Generates an ID with the process-wide generator.
///
/// The first call that finds a valid node spec in the environment variable `SCRU64_NODE_SPEC`
/// builds the generator. It then stays, so later changes of the variable have no effect, and all
/// threads share it. Where there is no ID yet, the call waits as [`Generator`](crate::Generator)'s
/// `generate` does, for up to [one minute](tickid_core::DEFAULT_MAX_WAIT). A spec whose previous ID
/// is further ahead of the clock than that and the policy's ten seconds is an error
/// ([`BuildError::Ahead`]).
///
/// After a `fork`, the child has no generator as long as the variable holds its parent's node,
/// because the two would issue the same IDs. Set the variable to a different node in the child, and
/// its next call builds a generator. This is detected only if the parent had built its generator
/// before the fork. Otherwise nothing distinguishes the children from other processes with the same
/// variable, and you have to give each its own node.
///
/// # Errors
/// Returns [`EnvironmentError`] if the variable is not set, or holds no node spec, the parent's
/// node, or a previous ID too far ahead of the clock, and if no ID can be issued.
///
/// # Examples
/// ```
/// # // As `SCRU64_NODE_SPEC=42/8 program` does; here nothing else runs yet.
/// # unsafe { std::env::set_var("SCRU64_NODE_SPEC", "42/8") };
/// // With `SCRU64_NODE_SPEC=42/8` in the environment:
/// let id = tickid_scru64::new()?;
/// assert!(tickid_scru64::new()? > id);
/// # Ok::<(), tickid_scru64::EnvironmentError>(())
/// ```
pub fn new() -> Result<Scru64Id, EnvironmentError> {
    Ok(generator()?.generate()?)
}

/// Generates an ID with the process-wide generator and returns its text, for example
/// `0u375nxqh5cq`.
///
/// # Errors
/// As [`new`].
///
/// # Examples
/// ```
/// # // As `SCRU64_NODE_SPEC=42/8 program` does; here nothing else runs yet.
/// # unsafe { std::env::set_var("SCRU64_NODE_SPEC", "42/8") };
/// // With `SCRU64_NODE_SPEC=42/8` in the environment:
/// let text = tickid_scru64::new_string()?;
/// assert_eq!(text.len(), 12);
/// # Ok::<(), tickid_scru64::EnvironmentError>(())
/// ```
pub fn new_string() -> Result<String, EnvironmentError> {
    new().map(|id| id.to_string())
}

/// Returns the process-wide generator, for example to fill a slice with IDs in one call.
///
/// # Errors
/// As [`new`].
///
/// # Examples
/// ```
/// # // As `SCRU64_NODE_SPEC=42/8 program` does; here nothing else runs yet.
/// # unsafe { std::env::set_var("SCRU64_NODE_SPEC", "42/8") };
/// // With `SCRU64_NODE_SPEC=42/8` in the environment:
/// let generator = tickid_scru64::generator()?;
/// let mut ids = [tickid_scru64::Scru64Id::MIN; 100];
/// generator.fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// assert_eq!(generator.node().to_string(), "42/8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generator() -> Result<&'static Generator, EnvironmentError> {
    static GENERATOR: PerProcess<Generator> = PerProcess::new();
    GENERATOR.generator(Scru64, |parents| {
        let node = node_spec()?;
        if parents.is_some_and(|parents| is_same_node(parents, node)) {
            return Err(EnvironmentError::Forked { node });
        }
        Ok(node)
    })
}

fn is_same_node(a: NodeSpec, b: NodeSpec) -> bool {
    (a.node_id(), a.node_id_size()) == (b.node_id(), b.node_id_size())
}

fn node_spec() -> Result<NodeSpec, EnvironmentError> {
    match env::var(NODE_SPEC_VARIABLE) {
        Ok(text) => text.parse().map_err(|reason| EnvironmentError::NodeSpec { text, reason }),
        Err(VarError::NotPresent) => Err(EnvironmentError::NotSet),
        Err(VarError::NotUnicode(value)) => {
            Err(EnvironmentError::NotUnicode(value.to_string_lossy().into_owned()))
        }
    }
}

/// The reason why the process-wide generator issued no ID.
///
/// The other schemes have no such type. SCRU64 needs it because its node comes from the
/// environment.
///
/// # Examples
/// ```
/// use tickid_scru64::EnvironmentError;
///
/// // Where the variable is missing:
/// match tickid_scru64::new() {
///     Err(error @ EnvironmentError::NotSet) => {
///         assert_eq!(error.to_string(), "the environment variable SCRU64_NODE_SPEC is not set");
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The environment variable is not set.
    #[error("the environment variable SCRU64_NODE_SPEC is not set")]
    NotSet,
    /// The environment variable holds bytes that are not text. In the value here, replacement
    /// characters stand for them.
    #[error("the environment variable SCRU64_NODE_SPEC is not Unicode: {0}")]
    NotUnicode(String),
    /// The environment variable holds no node spec.
    #[error("the environment variable SCRU64_NODE_SPEC holds {text:?}: {reason}")]
    NodeSpec {
        /// The value of the variable.
        text: String,
        /// The reason it is not a node spec.
        reason: NodeSpecError,
    },
    /// The environment variable holds the node of the process that this one was forked from, so
    /// both would issue the same IDs.
    #[error(
        "node {node} in the environment variable SCRU64_NODE_SPEC is the parent process's; a child of a fork \
         needs a node of its own"
    )]
    Forked {
        /// The value of the variable.
        node: NodeSpec,
    },
    /// The generator could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The generator could not issue an ID.
    #[error(transparent)]
    Generate(#[from] Error),
}

tickid_core::debug_error! {
    enum EnvironmentError {
        NotSet, NotUnicode(error), NodeSpec { text, reason }, Forked { node }, Build(error),
        Generate(error),
    }
}
