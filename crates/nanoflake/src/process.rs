//! The process-wide generator.

use tickid_core::{PerProcess, ProcessError};

use crate::generator::Generator;
use crate::id::NanoflakeId;
use crate::node::GeneratorId;
use crate::scheme::Nanoflake;

/// Generates an ID with the process-wide generator, since [Twitter's
/// epoch](crate::Epoch::TWITTER).
///
/// The generator is made at the first call, with a random generator ID, and stays. All threads
/// share it. It waits as [`Generator`](crate::Generator)'s `generate` does, for up to [one
/// minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// **There are only 1,024 generator IDs**: of ten processes that run at the same time, two have the
/// same one with a probability of 4 in 100, of 38 processes with 1 in 2. It suits a single process;
/// for several, assign generator IDs or lease them, and make a [`Generator`](crate::Generator). The
/// child of a `fork` has its own generator, with another random generator ID.
///
/// # Errors
/// Returns a [`ProcessError`] if the operating system has no random numbers, and if no ID can be
/// issued.
///
/// # Examples
/// ```
/// let id = tickid_nanoflake::new()?;
/// assert_eq!(id.generator(), tickid_nanoflake::generator()?.node());
/// assert!(tickid_nanoflake::new()? > id);
/// # Ok::<(), tickid_nanoflake::ProcessError>(())
/// ```
pub fn new() -> Result<NanoflakeId, ProcessError> {
    Ok(generator()?.generate()?)
}

/// Returns the process-wide generator.
///
/// # Errors
/// Returns [`ProcessError::Build`] if the operating system has no random numbers.
///
/// # Examples
/// ```
/// let mut ids = [tickid_nanoflake::NanoflakeId::MIN; 100];
/// tickid_nanoflake::generator()?.fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generator() -> Result<&'static Generator, ProcessError> {
    static GENERATOR: PerProcess<Generator> = PerProcess::new();
    GENERATOR.generator(Nanoflake::default(), |parents| {
        loop {
            let node = GeneratorId::random()?;
            if parents != Some(node) {
                return Ok(node);
            }
        }
    })
}
