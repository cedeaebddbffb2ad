//! Names for core's generators with Nanoflake.

use tickid_core::DefaultClock;

use crate::scheme::Nanoflake;

/// The shared generator; see [`tickid_core::Generator`] for all its methods.
///
/// Build one for each node and process, and let every thread call it: two generators of one node
/// [issue the same IDs](tickid_core::Generator::builder).
///
/// IDs carry the clock's current millisecond, and the sequence starts at 0 in each of them
/// (*wait*). When all 4,096 are used up, or the clock is behind the last ID, `try_generate` reports
/// how long to wait. `generate` waits for the next millisecond, or until the clock has caught up,
/// but no longer than [`max_wait`](tickid_core::Builder::max_wait). After the last timestamp, both
/// return errors only.
///
/// # Examples
/// With a custom epoch, which must not lie in the future:
///
/// ```
/// use core::time::Duration;
/// use tickid_nanoflake::{Epoch, Generator, GeneratorId, Nanoflake};
///
/// let epoch = Epoch::from_unix_millis(1_577_836_800_000)?; // 2020-01-01
/// let generator = Generator::builder(GeneratorId::from_datacenter_worker(3, 7)?)
///     .settings(Nanoflake { epoch })
///     .max_wait(Duration::from_secs(1))
///     .build()?;
/// let id = generator.generate()?;
/// assert_eq!(id.generator().worker(), 7);
/// assert!(generator.settings().unix_time(id) > epoch.unix_time());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If a generator issues at most one ID per millisecond, every sequence is 0, so every ID is a
/// multiple of 4,096. This is bad where IDs are distributed by their remainder. For example, of 16
/// shards all but the first stay empty. A random start avoids this, at the price of fewer IDs per
/// millisecond:
///
/// ```
/// use tickid_nanoflake::{Generator, GeneratorId, NanoflakeId, RandomStart};
///
/// let start = RandomStart::new(0x5eed); // 0 to 2047
/// let generator = Generator::builder(GeneratorId::MIN).sequence(start).build()?;
/// assert!(generator.generate()?.sequence() <= NanoflakeId::MAX_SEQUENCE);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If 1,024 generators are not enough, give nodes more than 10 bits. Such a node has a share of a
/// generator ID's sequences. With 13 bits, for example, there are 8,192 nodes with 512 IDs per
/// millisecond each:
///
/// ```
/// use tickid_nanoflake::{Generator, GeneratorId};
///
/// let generator = Generator::builder_any("8191/13".parse()?).build()?;
/// assert_eq!(generator.node(), GeneratorId::MAX);
/// assert_eq!((generator.bounds().lowest(), generator.bounds().last()), (3_584, 4_095));
/// assert!(generator.generate()?.sequence() >= 3_584);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Spec
/// Nanoflakes, "Generating Nanoflakes".
#[cfg(target_has_atomic = "64")]
pub type Generator<C = DefaultClock> = tickid_core::Generator<Nanoflake, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all its methods. It works like
/// [`Generator`], but without atomics, so it suits a single owner and targets that have no 64-bit
/// atomics.
///
/// Build one for each node and process, and keep it: two generators of one node [issue the same
/// IDs](tickid_core::LocalGenerator::builder).
///
/// # Examples
/// ```
/// use tickid_nanoflake::{GeneratorId, LocalGenerator};
///
/// let mut generator = LocalGenerator::new(GeneratorId::new(1)?)?;
/// assert!(generator.generate()? < generator.generate()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalGenerator<C = DefaultClock> = tickid_core::LocalGenerator<Nanoflake, C>;

/// The options of a generator; see [`tickid_core::Builder`].
pub type Builder<C = DefaultClock> = tickid_core::Builder<Nanoflake, C>;
