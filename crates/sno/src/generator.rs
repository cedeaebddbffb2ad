//! Names for core's generators with sno.

use tickid_core::DefaultClock;

use crate::scheme::Sno;

/// The shared generator; see [`tickid_core::Generator`] for all its methods.
///
/// Build one for each node and process, and let every thread call it: two generators of one node
/// [issue the same IDs](tickid_core::Generator::builder).
///
/// IDs always carry the clock's current tick (*tick-tock*). When the clock is set back, the
/// tick-tock bit flips and issuing continues immediately, because the bit keeps the new IDs apart
/// from the earlier ones. If the clock is set back a second time, into ticks already used with the
/// other bit, `try_generate` reports how long to wait, and `generate` waits. The same applies when
/// all 65,536 sequences of a tick are used up. [`on_overflow`](tickid_core::Builder::on_overflow)
/// reports this case.
///
/// Generators can share a partition if each is confined to its own sequences, of which it needs at
/// least four. Use [`bounds`](tickid_core::Builder::bounds) for ranges of any size, or a node of
/// more than 16 bits, which has a share of a partition's sequences.
///
/// # Examples
/// ```
/// use tickid_sno::{Generator, Meta, Partition};
///
/// // The second quarter of partition 1: 5 is the partition, 1, and two more bits, 01.
/// let generator = Generator::builder_any("5/18".parse()?).build()?;
/// assert_eq!(generator.node(), Partition::new(1));
/// assert_eq!((generator.bounds().lowest(), generator.bounds().last()), (16_384, 32_767));
///
/// let ids = std::thread::scope(|scope| {
///     let threads = [1, 2].map(|meta| {
///         let generator = &generator;
///         scope.spawn(move || generator.with(Meta(meta)).generate())
///     });
///     threads.map(|thread| thread.join().unwrap())
/// });
/// assert_ne!(ids[0]?, ids[1]?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// sno, "Time and sequence": "Sequence sharding", "Sequence overflow", "Clock drift and the
/// tick-tock toggle".
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Sno, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all its methods. It works like
/// [`Generator`], but without atomics, so it suits a single owner and targets that have no 64-bit
/// atomics. It also skips no sequence.
///
/// Build one for each node and process, and keep it: two generators of one node [issue the same
/// IDs](tickid_core::LocalGenerator::builder).
///
/// # Examples
/// ```
/// use tickid_sno::{LocalGenerator, Partition};
/// use tickid_sno::tickid_core::{ManualClock, UnixTime};
///
/// let clock = ManualClock::new(UnixTime::from_millis(1_700_000_000_000)?);
/// let mut generator = LocalGenerator::builder(Partition::new(7)).clock(&clock).build_local()?;
/// let before = generator.try_generate()?;
///
/// clock.set(UnixTime::from_millis(1_699_999_990_000)?); // ten seconds back
/// let after = generator.try_generate()?;
/// assert!(!before.toggle() && after.toggle());
/// assert_eq!(after.unix_time().as_millis(), 1_699_999_990_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<Sno, C>;

/// The options of a generator; see [`tickid_core::Builder`].
pub type Builder<C = DefaultClock> = tickid_core::Builder<Sno, C>;
