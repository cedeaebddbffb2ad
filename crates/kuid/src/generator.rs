use tickid_core::DefaultClock;

use crate::scheme::Kuid;

/// The shared generator; see [`tickid_core::Generator`] for all it can do.
///
/// Its methods give a [`GlobalId`](crate::GlobalId); those of
/// [`with(Local)`](tickid_core::Generator::with) give a [`LocalId`](crate::LocalId). Both kinds come from one sequence, so that
/// no two IDs have the same time and sequence, and those of one thread increase, whatever their kind.
///
/// Time never goes back (*ratchet*): while the clock is at most 1 second (977 ticks) behind, IDs go on
/// at the last tick; when a tick's 16,384 sequences are used up, they go on in the next one. Beyond
/// that `try_generate` says how long to wait, and `generate` waits.
///
/// # Examples
/// ```
/// use tickid_kuid::{Drift, Generator, Local, Node};
///
/// let generator = Generator::new(Node::phash2("uid@127.0.0.1"))?;
/// let global = generator.generate()?;
/// let local = generator.with(Local).generate()?;
/// assert!(global.to_local(Drift::DEFAULT) < local);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// fogfish/uid, `uid:l/0` and `uid:g/0`, whose sequence wraps around within a tick; this one does not.
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Kuid, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all it can do. It does what
/// [`Generator`] does, without atomics. Its name says who may use it, not which IDs it gives: those are
/// global unless asked otherwise.
///
/// # Examples
/// ```
/// use tickid_kuid::{Local, LocalGenerator, Node};
///
/// let mut generator = LocalGenerator::new(Node::phash2("uid@127.0.0.1"))?;
/// assert!(generator.generate()? < generator.generate()?);
/// assert!(generator.with(Local).generate()? < generator.with(Local).generate()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<Kuid, C>;

/// The options of a generator; see [`tickid_core::Builder`].
pub type Builder<C = DefaultClock> = tickid_core::Builder<Kuid, C>;
