//! The process-wide generator.

use tickid_core::{PerProcess, ProcessError};

use crate::generator::Generator;
use crate::id::SnoId;
use crate::partition::Partition;
use crate::scheme::{Meta, Sno};

/// Generates an ID with this metabyte with the process-wide generator.
///
/// The generator is made at the first call, with a partition that no other generator [of the
/// process](Partition::of_process) gets, and stays. All threads share
/// it. It waits as [`Generator`](crate::Generator)'s `generate` does, for up to [one
/// minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// Two processes that run at the same time have the same partition with a probability of 1 in
/// 65,536; among a hundred processes, two share one with a probability of 7 in 100. Where that is
/// too much, assign partitions and make a [`Generator`](crate::Generator). The child of a `fork`
/// has its own generator, with another partition.
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

/// Returns the process-wide generator.
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
