//! Names for core's generators with kuid.

use tickid_core::DefaultClock;

use crate::drift::Kuid;

/// The shared generator; see [`tickid_core::Generator`] for all its methods.
///
/// Build one for each node and process, and let every thread call it: two generators of one node
/// [issue the same IDs](tickid_core::Generator::builder).
///
/// Its methods return a [`GlobalId`](crate::GlobalId), and the methods of
/// [`with(Local)`](tickid_core::Generator::with) a [`LocalId`](crate::LocalId). Both kinds are
/// drawn from one sequence, so no two IDs have the same time and sequence, and the IDs of one
/// thread increase, whatever their kind.
///
/// Time never goes back (*ratchet*). While the clock is at most 1 second (977 ticks) behind, the
/// generator keeps issuing at the last tick, and when a tick's 16,384 sequences are used up, it
/// moves on to the next one without a wait. Beyond that, `try_generate` reports how long to wait,
/// and `generate` waits.
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
/// A node of more than 32 bits has a share of a node's sequences in its global IDs. Local IDs carry
/// no node, so they do not differ between two such generators:
///
/// ```
/// use tickid_kuid::{Generator, Node};
///
/// // Half of node 7: the node is 7 × 2 + 1 in 33 bits.
/// let generator = Generator::builder_any("15/33".parse()?).build()?;
/// assert_eq!(generator.node(), Node::new(7));
/// assert_eq!((generator.bounds().lowest(), generator.bounds().last()), (8_192, 16_383));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// fogfish/uid, `uid:l/0` and `uid:g/0`. Their sequence wraps around within a tick, which this one
/// does not, because IDs would repeat.
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Kuid, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all its methods. It works like
/// [`Generator`], but without atomics, so it suits a single owner and targets that have no 64-bit
/// atomics. "Local" refers to its use by one thread and not to the kind of ID. By default it issues
/// global IDs, as [`Generator`] does.
///
/// Build one for each node and process, and keep it: two generators of one node [issue the same
/// IDs](tickid_core::LocalGenerator::builder).
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
