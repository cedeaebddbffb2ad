//! The process-wide generator.

use alloc::string::{String, ToString as _};
use std::env::{self, VarError};
use std::sync::OnceLock;

use tickid_core::{BuildError, Error};

use crate::generator::Generator;
use crate::id::Scru64Id;
use crate::node::{NodeSpec, NodeSpecError};

/// The environment variable that holds the node spec of the process-wide generator.
pub const NODE_SPEC_VARIABLE: &str = "SCRU64_NODE_SPEC";

/// An ID from the process-wide generator.
///
/// The generator is made at the first call that finds a valid node spec in the environment variable
/// `SCRU64_NODE_SPEC`, and stays. All threads share it. It waits as [`Generator`]'s `generate` does.
///
/// The child of a `fork` inherits the node and must not go on with it while the parent does: the two
/// would issue the same IDs.
///
/// # Errors
/// [`ProcessError`] when the variable is not set or holds no node spec, and when no ID can be issued.
pub fn new() -> Result<Scru64Id, ProcessError> {
    Ok(generator()?.generate()?)
}

/// The text of an ID from the process-wide generator.
///
/// # Errors
/// As [`new`].
pub fn new_string() -> Result<String, ProcessError> {
    new().map(|id| id.to_string())
}

/// The process-wide generator itself.
///
/// # Errors
/// As [`new`].
pub fn generator() -> Result<&'static Generator, ProcessError> {
    static GENERATOR: OnceLock<Generator> = OnceLock::new();
    match GENERATOR.get() {
        Some(generator) => Ok(generator),
        None => {
            let candidate = Generator::new(node_spec()?)?;
            // Of threads that race here one generator stays; the others have issued nothing.
            Ok(GENERATOR.get_or_init(|| candidate))
        }
    }
}

fn node_spec() -> Result<NodeSpec, ProcessError> {
    match env::var(NODE_SPEC_VARIABLE) {
        Ok(text) => text.parse().map_err(|source| ProcessError::NodeSpec { text, source }),
        Err(VarError::NotPresent) => Err(ProcessError::NotSet),
        Err(VarError::NotUnicode(value)) => {
            Err(ProcessError::NotUnicode(value.to_string_lossy().into_owned()))
        }
    }
}

/// Why the process-wide generator gave no ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The environment variable is not set.
    #[error("the environment variable SCRU64_NODE_SPEC is not set")]
    NotSet,
    /// The environment variable holds bytes that are no text; here with replacement characters.
    #[error("the environment variable SCRU64_NODE_SPEC is not Unicode: {0}")]
    NotUnicode(String),
    /// The environment variable holds no node spec.
    #[error("the environment variable SCRU64_NODE_SPEC holds {text:?}: {source}")]
    NodeSpec {
        /// What it holds.
        text: String,
        /// What is wrong with it.
        source: NodeSpecError,
    },
    /// The generator could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The generator could not issue an ID.
    #[error(transparent)]
    Generate(#[from] Error),
}
