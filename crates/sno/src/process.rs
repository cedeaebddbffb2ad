//! The process-wide generator.

use tickid_core::{PerProcess, ProcessError};

use crate::generator::Generator;
use crate::id::SnoId;
use crate::partition::Partition;
use crate::scheme::{Meta, Sno};

/// Generates an ID with the process-wide generator. Pass 0 if you have no use for the metabyte.
///
/// The first call builds the generator, with a partition that [`Partition::of_process`] returns to
/// no other caller in the process. It then stays, and all threads share it. Where there is no ID
/// yet, the call waits as [`Generator`](crate::Generator)'s `generate` does, for up to [one
/// minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// Processes choose their partitions at random, so two of them may choose the same one and issue
/// the same IDs. Among processes that run at the same time, the probability is 1 in 65,536 for two,
/// and 7 in 100 for a hundred. Where that is too much, assign partitions or lease them, and build a
/// [`Generator`](crate::Generator) with the result. The child of a `fork` gets a generator of its
/// own, with a different partition.
///
/// # Errors
/// Returns a [`ProcessError`] if the operating system has no random numbers, and if no ID can be
/// issued.
///
/// # Examples
/// ```
/// let id = tickid_sno::new(24)?;
/// assert_eq!(id.meta(), 24);
/// assert_eq!(id.partition(), tickid_sno::generator()?.node());
/// # Ok::<(), tickid_sno::ProcessError>(())
/// ```
pub fn new(meta: u8) -> Result<SnoId, ProcessError> {
    Ok(generator()?.with(Meta(meta)).generate()?)
}

/// Returns the process-wide generator, for example to fill a slice with IDs in one call.
///
/// # Errors
/// Returns [`ProcessError::Build`] if the operating system has no random numbers.
///
/// # Examples
/// ```
/// let mut ids = [tickid_sno::SnoId::ZERO; 100];
/// tickid_sno::generator()?.fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generator() -> Result<&'static Generator, ProcessError> {
    static GENERATOR: PerProcess<Generator> = PerProcess::new();
    GENERATOR.generator(Sno, |parents| {
        loop {
            let node = Partition::of_process()?;
            if parents != Some(node) {
                return Ok(node);
            }
        }
    })
}
