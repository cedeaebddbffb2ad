//! The process-wide generator.

use tickid_core::{PerProcess, ProcessError};

use crate::drift::Kuid;
use crate::generator::Generator;
use crate::global::GlobalId;
use crate::local::LocalId;
use crate::node::Node;
use crate::scheme::Local;

/// Generates a global ID with the process-wide generator, as Erlang's `uid:g()` does.
///
/// The first call builds the generator, with a random node and the default drift. It then stays,
/// and all threads share it. Where there is no ID yet, the call waits as
/// [`Generator`](crate::Generator)'s `generate` does, for up to [one
/// minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// Among a thousand processes that run at the same time, two have the same random node with a
/// probability of 1 in 8,600. Where that is too much, or where Erlang nodes take part, build a
/// [`Generator`](crate::Generator) with a [`Node::phash2`] of the node's name. The child of a
/// `fork` gets a generator of its own, with a different random node.
///
/// # Errors
/// Returns a [`ProcessError`] if the operating system has no random numbers, and if no ID can be
/// issued.
///
/// # Examples
/// ```
/// use tickid_kuid::Drift;
///
/// let id = tickid_kuid::new()?;
/// assert_eq!(id.node(Drift::DEFAULT), tickid_kuid::generator()?.node());
/// assert!(tickid_kuid::new()? > id);
/// # Ok::<(), tickid_kuid::ProcessError>(())
/// ```
pub fn new() -> Result<GlobalId, ProcessError> {
    Ok(generator()?.generate()?)
}

/// Generates a local ID with the process-wide generator, as Erlang's `uid:l()` does.
///
/// It is unique within this process, for as long as the process runs. Other processes issue the
/// same IDs, so do not store it in a place that they share.
///
/// # Errors
/// As [`new`].
///
/// # Examples
/// ```
/// let id = tickid_kuid::new_local()?;
/// assert!(tickid_kuid::new_local()? > id);
/// # Ok::<(), tickid_kuid::ProcessError>(())
/// ```
pub fn new_local() -> Result<LocalId, ProcessError> {
    Ok(generator()?.with(Local).generate()?)
}

/// Returns the process-wide generator, for example to fill a slice with IDs in one call.
///
/// # Errors
/// Returns [`ProcessError::Build`] if the operating system has no random numbers.
///
/// # Examples
/// ```
/// let mut ids = [tickid_kuid::GlobalId::MIN; 100];
/// tickid_kuid::generator()?.fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generator() -> Result<&'static Generator, ProcessError> {
    static GENERATOR: PerProcess<Generator> = PerProcess::new();
    GENERATOR.generator(Kuid::default(), |parents| {
        loop {
            let node = Node::random()?;
            if parents != Some(node) {
                return Ok(node);
            }
        }
    })
}
