//! The process-wide generator.

use tickid_core::{PerProcess, ProcessError};

use crate::generator::Generator;
use crate::id::NanoflakeId;
use crate::node::GeneratorId;
use crate::scheme::Nanoflake;

/// Generates an ID with the process-wide generator, since [Twitter's
/// epoch](crate::Epoch::TWITTER).
///
/// The first call builds the generator with a random generator ID. It then stays, and all threads
/// share it. Where there is no ID yet, the call waits as [`Generator`](crate::Generator)'s
/// `generate` does, for up to [one minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// **There are only 1,024 generator IDs**, so this function suits a single process. If ten
/// processes run at the same time, two of them have the same generator ID with a probability of 4
/// in 100, and among 38 processes the probability is 1 in 2. For several processes, assign
/// generator IDs or lease them, and build a [`Generator`](crate::Generator) with the result. The
/// child of a `fork` gets a generator of its own, whose random generator ID differs from its
/// parent's.
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

/// Returns the process-wide generator, for example to fill a slice with IDs in one call.
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
