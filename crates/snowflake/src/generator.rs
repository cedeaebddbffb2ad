//! Names for core's generators with Snowflakes.

use tickid_core::DefaultClock;
#[cfg(feature = "std")]
use tickid_core::{AnyNode, RangeError};

use crate::layout::Snowflake;
use crate::order::NodeAboveSequence;
#[cfg(feature = "std")]
use crate::order::Order;

/// The shared generator; see [`tickid_core::Generator`] for all its methods.
///
/// Build one for each node and process, and let every thread call it: two generators of one node
/// [issue the same IDs](tickid_core::Generator::builder).
///
/// IDs carry the clock's current tick, and the sequence starts at 0 in each of them (*wait*). When
/// all are used up, or the clock is behind the last ID, `try_generate` reports how long to wait.
/// `generate` waits for the next tick, or until the clock has caught up, but no longer than
/// [`max_wait`](tickid_core::Builder::max_wait). After the last tick both only return errors.
///
/// There is no default layout, so a generator is built by the layout's
/// [`builder`](Snowflake::builder).
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_snowflake::{RandomStart, Snowflake};
///
/// // Sequences that start at random, so that IDs can be distributed by their remainder.
/// let generator = Snowflake::TWITTER
///     .builder(378)?
///     .sequence(RandomStart::new(0x5eed))
///     .max_wait(Duration::from_secs(1))
///     .build()?;
/// let id = generator.generate()?;
/// assert_eq!(Snowflake::TWITTER.node_of(id), generator.node());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Keep a process-wide generator in a [`PerProcess`](tickid_core::PerProcess), because the child of
/// a `fork` must not continue with its parent's:
///
/// ```
/// use tickid_snowflake::tickid_core::PerProcess;
/// use tickid_snowflake::{Generator, ProcessError, Snowflake, SnowflakeId};
///
/// fn next() -> Result<SnowflakeId, ProcessError> {
///     static GENERATOR: PerProcess<Generator> = PerProcess::new();
///     // With a random node of the 1,024; assign or lease nodes if there are several processes.
///     let node = |parents| Snowflake::DISCORD.random_node(parents);
///     Ok(GENERATOR.generator(Snowflake::DISCORD, node)?.generate()?)
/// }
/// assert!(next()? < next()?);
/// # Ok::<(), ProcessError>(())
/// ```
#[cfg(target_has_atomic = "64")]
pub type Generator<O = NodeAboveSequence, C = DefaultClock> =
    tickid_core::Generator<Snowflake<O>, C>;

/// The exclusive generator; see [`tickid_core::LocalGenerator`] for all its methods. It works like
/// [`Generator`], but without atomics, so it suits a single owner and targets that have no 64-bit
/// atomics.
///
/// Build one for each node and process, and keep it: two generators of one node [issue the same
/// IDs](tickid_core::LocalGenerator::builder).
///
/// # Examples
/// ```
/// use tickid_snowflake::{LocalGenerator, Snowflake};
///
/// let mut generator: LocalGenerator = Snowflake::TWITTER.builder(1)?.build_local()?;
/// assert!(generator.generate()? < generator.generate()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LocalGenerator<O = NodeAboveSequence, C = DefaultClock> =
    tickid_core::LocalGenerator<Snowflake<O>, C>;

/// The options of a generator; see [`tickid_core::Builder`].
pub type Builder<O = NodeAboveSequence, C = DefaultClock> = tickid_core::Builder<Snowflake<O>, C>;

#[cfg(feature = "std")]
impl<O: Order> Snowflake<O> {
    /// Returns a builder of a generator with this layout, for the node with this number. Build one
    /// generator for each node and process, and keep it, because two of one node [issue the same
    /// IDs](tickid_core::Generator::builder). Without `std`, use the core's
    /// [`Builder::seeded_of`](tickid_core::Builder::seeded_of).
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the layout has no such node.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// let generator = Snowflake::SONYFLAKE.builder(7)?.build()?;
    /// let id = generator.generate()?;
    /// assert_eq!(generator.settings().node_of(id).get(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(&self, node: u32) -> Result<Builder<O>, RangeError> {
        Ok(Builder::of(*self, self.node(node)?))
    }

    /// Returns a builder of a generator with this layout, for a node of any size. A node that has
    /// more bits than the layout's nodes is a share of a node's sequences, by the rule of
    /// [`Scheme::split_node`](tickid_core::Scheme::split_node). Use it where a layout has become
    /// too small for the number of generators and cannot be changed. A node that the layout has no
    /// room for is an error of [`build`](tickid_core::Builder::build).
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// // A quarter of machine 7, which has 256 IDs in 10 ms.
    /// let generator = Snowflake::SONYFLAKE.builder_any("31/18".parse()?).build()?;
    /// assert_eq!(generator.node().get(), 7);
    /// assert_eq!((generator.bounds().lowest(), generator.bounds().last()), (192, 255));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder_any(&self, node: AnyNode) -> Builder<O> {
        Builder::of_any(*self, node)
    }
}
