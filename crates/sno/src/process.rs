//! The process-wide generator.

use tickid_core::{BuildError, DefaultClock, Error, Generator, PerProcess, ProcessClock};

use crate::id::SnoId;
use crate::partition::Partition;
use crate::scheme::{Meta, Sno};

/// An ID with this metabyte from the process-wide generator.
///
/// The generator is made at the first call, with a random partition, and stays. All threads share it.
/// It waits as [`Generator`]'s `generate` does, for up to [one minute](tickid_core::DEFAULT_MAX_WAIT).
///
/// Two processes that run at the same time have the same partition with a probability of 1 in 65,536,
/// of a hundred processes some two with 7 in 100; where that is too much, give out partitions and make
/// a [`Generator`] of your own. The child of a `fork` has a generator of its own, with another random partition.
///
/// # Errors
/// [`ProcessError`] when the operating system gives no random number, and when no ID can be issued.
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

/// The process-wide generator itself.
///
/// # Errors
/// [`ProcessError::Build`] when the operating system gives no random number.
///
/// # Examples
/// ```
/// let mut ids = [tickid_sno::SnoId::ZERO; 100];
/// tickid_sno::generator()?.fill(&mut ids)?;
/// assert!(ids.is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generator() -> Result<&'static ProcessGenerator, ProcessError> {
    static GENERATOR: PerProcess<ProcessGenerator> = PerProcess::new();
    match GENERATOR.get() {
        Some(generator) => Ok(generator),
        None => {
            let clock = ProcessClock::new(DefaultClock::default());
            let mut partition = Partition::random()?;
            while GENERATOR.inherited().is_some_and(|parents| parents.node() == partition) {
                partition = Partition::random()?;
            }
            let candidate = Generator::builder(partition).clock(clock).build()?;
            // Of threads that race here one generator stays; the others have issued nothing.
            Ok(GENERATOR.set(candidate))
        }
    }
}

/// What [`generator`] returns: a generator for one process. In a child that was forked since, it issues nothing.
pub type ProcessGenerator = Generator<Sno, ProcessClock<DefaultClock>>;

/// Why the process-wide generator gave no ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The generator could not be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The generator could not issue an ID.
    #[error(transparent)]
    Generate(#[from] Error),
}
