//! Generators of a scheme that is known only at run time.

use core::fmt;
use core::marker::PhantomData;
use core::num::NonZeroU32;
#[cfg(feature = "std")]
use core::time::Duration;

#[cfg(target_has_atomic = "64")]
use tickid_core::Generator;
use tickid_core::source_parts::{Chain, Follow, Source, try_generate};
use tickid_core::{
    AnyNode, Backfill, BackfillError, BuildError, Builder, Clock, DefaultClock, Error,
    LocalGenerator, ObserveError, RangeError, Scheme, SequenceBounds, Snapshot, Tick, TickStart,
    UnixTime, Variant as _, Window,
};
use tickid_scru64::NodeIdSize;

use super::each::{
    AnyIds, Each, Family, SchemeOf, VariantOf, each_of, ids_of, map_each, variant_of, with_each,
};
use super::{AnyId, AnyScheme, Kind, with_id};
use crate::error::ConvertError;
use crate::options::Settings;
use crate::parts::Bits;
use crate::schemes::sealed::Assemble as _;
use crate::schemes::{SchemeId, SchemeVariant, SchemeVisitor};
use crate::to_parts::ToParts as _;

/// The options of a generator whose scheme is known only at run time, which `AnyScheme::builder`
/// and [`AnyScheme::seeded_builder`] return. They are the options of [`Builder`] that mean the same
/// for every scheme.
///
/// | option | default |
/// |---|---|
/// | [`clock`](Self::clock) | the system's wall clock, in this process only |
/// | [`metabyte`](Self::metabyte) | 0 |
/// | [`after`](Self::after) | nothing issued before |
/// | [`tick_start`](Self::tick_start) | the start in the scheme's document |
/// | `max_wait` | [`DEFAULT_MAX_WAIT`](tickid_core::DEFAULT_MAX_WAIT) |
///
/// # Examples
/// ```
/// use tickid_convert::{AnyScheme, Kind, Settings};
///
/// let mut settings = Settings::default();
/// Kind::Snowflake.setting_options()[0].set(&mut settings, "sonyflake")?; // as a user enters it
/// let scheme = AnyScheme::new(Kind::Snowflake, &settings);
/// let generator = scheme.builder("7/16".parse()?).build()?;
/// let id = generator.generate()?;
/// assert_eq!(scheme.fields()[3].value(&id.bytes()), 7); // the node
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct AnyBuilder<C = DefaultClock> {
    scheme: AnyScheme,
    node: AnyNode,
    metabyte: u8,
    each: Each<Builders<C>>,
}

struct Builders<C>(PhantomData<C>);

impl<C> Family for Builders<C> {
    type Of<S: Scheme> = Builder<S, C>;
}

#[cfg(target_has_atomic = "64")]
struct SharedGenerators<C>(PhantomData<C>);

#[cfg(target_has_atomic = "64")]
impl<C> Family for SharedGenerators<C> {
    type Of<S: Scheme> = Generator<S, C>;
}

struct LocalGenerators<C>(PhantomData<C>);

impl<C> Family for LocalGenerators<C> {
    type Of<S: Scheme> = LocalGenerator<S, C>;
}

impl AnyScheme {
    /// Returns a builder of a generator for a node. The node may have more bits than IDs carry, and
    /// is then a [share](Scheme::split_node) of a node's sequences. The seed of random starts comes
    /// from the operating system.
    ///
    /// Build one generator for each node and process, and keep it, because two of one node [issue
    /// the same IDs](tickid_core::Generator::builder).
    ///
    /// Where IDs have [no node](Kind::has_node), any node will do, because none of their bits
    /// depends on it.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    ///
    /// let scheme = AnyScheme::new(Kind::Nanoflake, &Settings::default());
    /// let mut generator = scheme.builder("5/10".parse()?).build_local()?;
    /// assert_eq!(generator.generate()?.kind(), Kind::Nanoflake);
    /// assert!(scheme.builder("5/9".parse()?).build_local().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn builder(&self, node: AnyNode) -> AnyBuilder {
        let each = each_of!(self.kind(), Id => {
            let scheme = Id::scheme(self.settings());
            let node = any_node::<Id>(&scheme, node);
            Builder::of_any(scheme, node)
        });
        AnyBuilder { scheme: *self, node, metabyte: 0, each }
    }

    /// Does the same as `builder`, but takes the seed from the caller, as
    /// [`Builder::seeded_of_any`] does. So it works without the feature `std`.
    pub fn seeded_builder(&self, node: AnyNode, seed: u64) -> AnyBuilder {
        let each = each_of!(self.kind(), Id => {
            let scheme = Id::scheme(self.settings());
            let node = any_node::<Id>(&scheme, node);
            Builder::seeded_of_any(scheme, node, seed)
        });
        AnyBuilder { scheme: *self, node, metabyte: 0, each }
    }
}

/// Returns the given node, or the scheme's first one where IDs have none.
fn any_node<I: SchemeId>(scheme: &I::Scheme, given: AnyNode) -> AnyNode {
    if I::HAS_NODE {
        return given;
    }
    let mut nodes = (1..=AnyNode::MAX_BITS).flat_map(|bits| AnyNode::new(0, bits));
    nodes.find(|node| scheme.split_node(*node).is_ok()).unwrap_or(given)
}

impl<C> AnyBuilder<C> {
    /// Sets the metabyte of the IDs. Schemes without one ignore it; see [`Kind::has_metabyte`].
    pub fn metabyte(self, metabyte: u8) -> Self {
        Self { metabyte, ..self }
    }

    /// Sets the clock, as [`Builder::clock`] does.
    pub fn clock<D>(self, clock: D) -> AnyBuilder<D> {
        let each = map_each!(self.each, Id, builder => builder.clock(clock));
        AnyBuilder { scheme: self.scheme, node: self.node, metabyte: self.metabyte, each }
    }

    /// Continues after the ID that the node issued last, for example in the previous run of the
    /// program. All IDs are greater than it, as far as the scheme orders them. An ID ahead of the
    /// clock is treated as [`Builder::restore`](tickid_core::Builder::restore) describes.
    ///
    /// # Errors
    /// Returns an [`AfterError`] for an ID of a different scheme or node, and for one whose fields
    /// are not a valid time. A sno ID is always an error, because a single ID does not show how far
    /// the other tick-tock bit was used.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{AnyScheme, Kind, Settings};
    ///
    /// let scheme = AnyScheme::new(Kind::Nanoflake, &Settings::default());
    /// let last = scheme.builder("5/10".parse()?).build()?.generate()?;
    /// let next = scheme.builder("5/10".parse()?).after(last)?.build()?.generate()?;
    /// assert!(next.to_u128() > last.to_u128());
    /// assert!(scheme.builder("6/10".parse()?).after(last).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn after(self, id: AnyId) -> Result<Self, AfterError> {
        let (time, sequence) = self.scheme.position(self.node, id)?;
        if self.scheme.has_toggle() {
            return Err(AfterError::Toggle(self.scheme.kind()));
        }
        let each = map_each!(self.each, Id, builder => {
            let scheme = Id::scheme(self.scheme.settings());
            let tick = scheme.tick_at(time).map_err(ConvertError::Time)?;
            builder.restore(Snapshot::at(tick, sequence + 1))
        });
        Ok(Self { each, ..self })
    }

    /// Sets where ticks start, as [`Builder::tick_start`] does.
    pub fn tick_start(self, start: TickStart) -> Self {
        Self { each: map_each!(self.each, Id, builder => builder.tick_start(start)), ..self }
    }

    /// Sets the longest wait of one call, as [`Builder::max_wait`] does.
    #[cfg(feature = "std")]
    pub fn max_wait(self, max_wait: Duration) -> Self {
        Self { each: map_each!(self.each, Id, builder => builder.max_wait(max_wait)), ..self }
    }
}

impl<C: Clock> AnyBuilder<C> {
    /// Builds the shared generator.
    ///
    /// # Errors
    /// Returns the errors of [`Builder::build`].
    #[cfg(target_has_atomic = "64")]
    pub fn build(self) -> Result<AnyGenerator<C>, BuildError> {
        let each = map_each!(self.each, Id, builder => builder.build()?);
        Ok(AnyGenerator { scheme: self.scheme, metabyte: self.metabyte, each })
    }

    /// Builds the exclusive generator.
    ///
    /// # Errors
    /// Returns the errors of [`Builder::build_local`].
    pub fn build_local(self) -> Result<AnyLocalGenerator<C>, BuildError> {
        let each = map_each!(self.each, Id, builder => builder.build_local()?);
        Ok(AnyLocalGenerator { scheme: self.scheme, metabyte: self.metabyte, each })
    }
}

impl AnyScheme {
    /// Returns the time and the sequence of an ID, if it is of this scheme and node.
    pub(super) fn position(&self, node: AnyNode, id: AnyId) -> Result<(UnixTime, u32), AfterError> {
        let (found, expected) = (id.kind(), self.kind());
        if found != expected {
            return Err(AfterError::Scheme { found, expected });
        }
        // The size of a SCRU64 node tells its bits from those of the counter.
        let node_size = u8::try_from(node.bits()).ok().and_then(|bits| NodeIdSize::new(bits).ok());
        let settings =
            Settings { node_size: node_size.or(self.settings().node_size), ..*self.settings() };
        let parts = with_id!(id, id => id.parts_of_last(&settings))?;
        let sequence = u32::try_from(parts.sequence().value()).unwrap_or(u32::MAX);
        let (Some((carried, share)), Some(field)) =
            (self.visit(SplitNode(node)), parts.node().map(Bits::value))
        else {
            return Ok((parts.unix_time(), sequence));
        };
        // IDs do not carry the bits that name a share. Their sequence lies in the share instead.
        let share_bits = node.bits() - carried;
        let expected = node.value() >> share_bits;
        if field != expected {
            return Err(AfterError::Node { found: field, expected });
        }
        if !(share.lowest()..=share.last()).contains(&sequence) {
            let found = (field << share_bits) | (u64::from(sequence) / share.pool());
            return Err(AfterError::Node { found, expected: node.value() });
        }
        Ok((parts.unix_time(), sequence))
    }
}

/// Finds how many bits of a node a scheme's IDs carry, and the node's sequences.
struct SplitNode(AnyNode);

impl SchemeVisitor for SplitNode {
    type Output = Option<(u32, SequenceBounds)>;

    fn visit<S: Scheme, V: SchemeVariant<S>>(self, scheme: S, _: V) -> Self::Output {
        let (_, share) = scheme.split_node(self.0).ok()?;
        Some((scheme.node_bits().unwrap_or(self.0.bits()), share))
    }
}

impl<C: Clock> AnyBuilder<C> {
    /// Confines the generator to the ticks that are over at `time`.
    /// [`build_backfill`](Self::build_backfill) needs it, so that no generator of the present
    /// issues the same IDs.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the scheme has no such ticks.
    pub fn before(self, time: UnixTime) -> Result<Self, RangeError> {
        let each = map_each!(self.each, Id, builder => {
            let ceiling = Id::scheme(self.scheme.settings()).tick_at(time)?;
            builder.window(Window::new(Tick::MIN, ceiling.get())?)
        });
        Ok(Self { each, ..self })
    }

    /// Builds a generator for times that have passed, of the ticks [before](Self::before) a time
    /// that is not after the present.
    ///
    /// # Errors
    /// Returns the errors of [`Builder::build_backfill`].
    pub fn build_backfill(self) -> Result<AnyBackfill, BuildError> {
        let Self { scheme, node, metabyte, .. } = self;
        let each = map_each!(self.each, Id, builder => builder.build_backfill()?);
        Ok(AnyBackfill { scheme, node, metabyte, each })
    }
}

/// A generator of IDs for times that have passed, for example the creation times of existing
/// records. It is a [`Backfill`] whose scheme is known only at run time.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyScheme, Kind, Settings};
/// use tickid_core::{AnyNode, UnixTime};
///
/// let scheme = AnyScheme::new(Kind::Nanoflake, &Settings::default());
/// let now = UnixTime::from_millis(1_700_000_000_000)?; // when the run starts
/// let builder = || scheme.builder(AnyNode::new(5, 10)?).before(now);
/// let mut backfill = builder()?.build_backfill()?;
/// let created_at = UnixTime::from_millis(1_600_000_000_000)?;
/// let id = backfill.generate(created_at)?;
/// assert_eq!(scheme.unix_time(id), created_at);
///
/// // The next run continues after the last ID.
/// let mut rest = builder()?.build_backfill()?.after(id)?;
/// assert!(rest.generate(created_at)?.to_u128() > id.to_u128());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnyBackfill {
    scheme: AnyScheme,
    node: AnyNode,
    metabyte: u8,
    each: Each<Backfills>,
}

struct Backfills;

impl Family for Backfills {
    type Of<S: Scheme> = Backfill<S>;
}

impl AnyBackfill {
    /// Lets a time whose tick is used up take IDs of up to `ticks` ticks after it, as
    /// [`Backfill::spill`] does.
    #[must_use]
    pub fn spill(self, ticks: u64) -> Self {
        Self { each: map_each!(self.each, Id, backfill => backfill.spill(ticks)), ..self }
    }

    /// Continues after the last ID of an earlier run with the same node.
    ///
    /// # Errors
    /// Returns an [`AfterError`] for an ID of a different scheme or node, and for one whose fields
    /// are not a valid time. A sno ID whose tick-tock bit is set is an error as well, because no
    /// backfill issues such IDs.
    pub fn after(self, id: AnyId) -> Result<Self, AfterError> {
        let (time, sequence) = self.scheme.position(self.node, id)?;
        if id.parts(self.scheme.settings()).is_ok_and(|parts| parts.toggle() == Some(true)) {
            return Err(AfterError::Toggle(self.scheme.kind()));
        }
        let each = map_each!(self.each, Id, backfill => {
            let scheme = Id::scheme(self.scheme.settings());
            let tick = scheme.tick_at(time).map_err(ConvertError::Time)?;
            let snapshot = Snapshot::at(tick, sequence + 1);
            backfill.resume(snapshot).map_err(ConvertError::Sequence)?
        });
        Ok(Self { each, ..self })
    }

    /// Returns an ID for `time`, which must not be before the times of earlier calls. So sort old
    /// records by time before you give them IDs.
    ///
    /// # Errors
    /// Returns a [`BackfillError`], and changes nothing.
    pub fn generate(&mut self, time: UnixTime) -> Result<AnyId, BackfillError> {
        with_each!(&mut self.each, Id, backfill => {
            backfill.generate_as(variant_of::<Id>(self.metabyte), time).map(AnyId::from)
        })
    }
}

/// The reason why a generator cannot continue after an ID.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AfterError {
    /// The ID is of a different scheme.
    #[error("a {found} ID, and not one of {expected}")]
    Scheme {
        /// The scheme of the ID.
        found: Kind,
        /// The scheme of the generator.
        expected: Kind,
    },
    /// The ID is of a different node.
    #[error("an ID of the node {found}, and not of {expected}")]
    Node {
        /// The node of the ID.
        found: u64,
        /// The node of the generator.
        expected: u64,
    },
    /// A single ID does not show which ticks were used under the other value of the tick-tock bit.
    /// A [`Snapshot`] does.
    #[error("a single {0} ID does not say how far the other tick-tock bit was used")]
    Toggle(Kind),
    /// No generator issues an ID with these fields.
    #[error(transparent)]
    Fields(#[from] ConvertError),
}

tickid_core::debug_error! {
    enum AfterError { Scheme { found, expected }, Node { found, expected }, Toggle(kind), Fields(error) }
}

/// Generates an ID as a number. It is a function of its own, because the fast paths of all schemes
/// together are too long for one function.
#[inline(never)]
pub(super) fn one_number<I, D>(source: D, metabyte: u8) -> Result<u128, D::Error>
where
    I: SchemeId,
    D: Source<Scheme = SchemeOf<I>>,
{
    try_generate(source, variant_of::<I>(metabyte)).map(I::number)
}

/// Makes the calls of generators whose scheme is known at run time methods of a type. `$this` is
/// `self`, and `$receiver` is the form in which the methods take it. `$error` is their error, and
/// `$refusal` the error of `observe`.
macro_rules! any_calls {
    ($this:ident, ($($receiver:tt)+), ($($borrow:tt)+), $error:ty, $refusal:ty) => {
        /// Returns the scheme.
        #[must_use]
        pub const fn scheme(&self) -> &AnyScheme {
            &self.scheme
        }

        /// Generates an ID without blocking.
        ///
        /// # Errors
        /// Returns the generator's error if no ID can be issued at the current clock reading.
        #[inline]
        pub fn try_generate($($receiver)+) -> Result<AnyId, $error> {
            with_each!($($borrow)+ $this.each, Id, generator => {
                let variant = variant_of::<Id>($this.metabyte);
                generator.with(variant).try_generate().map(AnyId::from)
            })
        }

        /// Does the same as [`try_generate`](Self::try_generate), but returns the ID as a number,
        /// which is faster. The number is the one of [`AnyId::to_u128`].
        ///
        /// # Errors
        /// Returns the errors of `try_generate`.
        #[inline]
        pub fn try_number($($receiver)+) -> Result<u128, $error> {
            with_each!($($borrow)+ $this.each, Id, generator => {
                $crate::any::generator::one_number::<Id, _>(generator, $this.metabyte)
            })
        }

        /// Draws at least one and at most `n` IDs of one tick without blocking. There can be fewer
        /// than `n`, for example at the end of a tick, so call it again for the rest.
        ///
        /// # Errors
        /// Returns the generator's error if no ID can be issued at the current clock reading.
        pub fn try_block($($receiver)+, n: NonZeroU32) -> Result<AnyIds, $error> {
            let metabyte = $this.metabyte;
            $this.try_block_with(metabyte, n)
        }

        /// Does the same as [`try_block`](Self::try_block) for IDs with this metabyte, which
        /// schemes without one ignore.
        ///
        /// # Errors
        /// Returns the generator's error if no ID can be issued at the current clock reading.
        pub fn try_block_with(
            $($receiver)+,
            metabyte: u8,
            n: NonZeroU32,
        ) -> Result<AnyIds, $error> {
            ids_of!($($borrow)+ $this.each, Id, generator => {
                generator.with(variant_of::<Id>(metabyte)).try_block(n)
            })
        }

        /// Observes an ID that comes from elsewhere, as
        /// [`Generator::observe`](tickid_core::Generator::observe) does, so that later IDs are
        /// greater than it.
        ///
        /// # Errors
        /// Returns an [`AnyObserveError`], and changes nothing.
        pub fn observe($($receiver)+, id: AnyId) -> Result<(), AnyObserveError<$refusal>> {
            let (found, expected) = (id.kind(), $this.scheme.kind());
            if found != expected {
                return Err(AnyObserveError::Scheme { found, expected });
            }
            let number = id.to_u128();
            with_each!($($borrow)+ $this.each, Id, generator => {
                let least = <VariantOf<Id> as SchemeVariant<SchemeOf<Id>>>::LEAST;
                let least = least.ok_or(AnyObserveError::NotObservable(found))?;
                let followed =
                    generator.follow(|scheme, slot| least.id(scheme, slot).number() > number);
                followed.map_err(AnyObserveError::Refused)
            })
        }

        $crate::any::generator::any_waiting_calls! { $this, ($($receiver)+), ($($borrow)+), $error }
    };
}
#[cfg(feature = "lease")]
pub(super) use any_calls;

/// Makes the calls that wait methods of a type, as [`any_calls`] does.
#[cfg(feature = "std")]
macro_rules! any_waiting_calls {
    ($this:ident, ($($receiver:tt)+), ($($borrow:tt)+), $error:ty) => {
        /// Generates an ID, and sleeps until one can be issued.
        ///
        /// # Errors
        /// Returns the generator's error if the wait would take longer than its `max_wait`, or if
        /// waiting does not help.
        #[inline]
        pub fn generate($($receiver)+) -> Result<AnyId, $error> {
            with_each!($($borrow)+ $this.each, Id, generator => {
                let variant = variant_of::<Id>($this.metabyte);
                generator.with(variant).generate().map(AnyId::from)
            })
        }

        /// Draws at least one and at most `n` IDs of one tick, and sleeps until there are any.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        pub fn block($($receiver)+, n: NonZeroU32) -> Result<AnyIds, $error> {
            ids_of!($($borrow)+ $this.each, Id, generator => {
                generator.with(variant_of::<Id>($this.metabyte)).block(n)
            })
        }

        /// Does the same as [`block`](Self::block) with this metabyte, and waits for at most
        /// `within`.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        pub fn block_within(
            $($receiver)+,
            metabyte: u8,
            n: NonZeroU32,
            within: Duration,
        ) -> Result<AnyIds, $error> {
            ids_of!($($borrow)+ $this.each, Id, generator => {
                generator.with(variant_of::<Id>(metabyte)).block_within(n, within)
            })
        }

        /// Does the same as [`block_within`](Self::block_within), but as a future. While it waits,
        /// it awaits `sleep`, the executor's timer, for at most 50 milliseconds at a time.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        pub async fn block_within_async<F, Fut>(
            $($receiver)+,
            metabyte: u8,
            n: NonZeroU32,
            within: Duration,
            sleep: F,
        ) -> Result<AnyIds, $error>
        where
            F: Fn(Duration) -> Fut,
            Fut: Future<Output = ()>,
        {
            ids_of!($($borrow)+ $this.each, Id, generator => {
                let view = generator.with(variant_of::<Id>(metabyte));
                view.block_within_async(n, within, sleep).await
            })
        }

        /// Waits until an ID can be issued, for at most `within`, without drawing one.
        ///
        /// # Errors
        /// Returns the errors of [`generate`](Self::generate).
        pub fn wait_ready($($receiver)+, within: Duration) -> Result<(), $error> {
            with_each!($($borrow)+ $this.each, Id, generator => generator.wait_ready(within))
        }
    };
}

/// There are no such calls without an operating system.
#[cfg(not(feature = "std"))]
macro_rules! any_waiting_calls {
    ($($arguments:tt)*) => {};
}
pub(super) use any_waiting_calls;

/// Makes the call that closes a generator that no lease holds.
#[cfg(feature = "std")]
macro_rules! any_closing_call {
    ($this:ident, ($($receiver:tt)+), ($($borrow:tt)+)) => {
        /// Closes the generator, and waits until its clock is past the last ID, for at most
        /// `within`, as [`Generator::close_and_wait`] does. From then on, a new generator of the
        /// node issues none of its IDs.
        ///
        /// # Errors
        /// Returns the errors of `Generator::close_and_wait`.
        pub fn close_and_wait($($receiver)+, within: Duration) -> Result<(), Error> {
            with_each!($($borrow)+ $this.each, Id, generator => {
                generator.close_and_wait(within).map(drop)
            })
        }
    };
}

/// The shared generator of a scheme that is known only at run time. Threads draw IDs through
/// `&self` without a lock, as from a [`Generator`].
///
/// Each call looks up the scheme once, even if it draws a whole block. Hand the block to a
/// [visitor](AnyIds::visit), because that handles IDs of one type and need not look up the scheme
/// for each of them.
///
/// # Examples
/// ```
/// use tickid_convert::AnyScheme;
///
/// // As the realm of a lease store records it.
/// let scheme = AnyScheme::from_realm("kuid", "drift 8", true)?;
/// let generator = scheme.builder("60145/32".parse()?).build()?;
/// let ids = generator.block(100.try_into()?)?;
/// assert!(ids.len() > 0 && ids.map(|id| id.to_u128()).is_sorted());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(target_has_atomic = "64")]
#[derive(Debug)]
pub struct AnyGenerator<C = DefaultClock> {
    scheme: AnyScheme,
    metabyte: u8,
    each: Each<SharedGenerators<C>>,
}

#[cfg(target_has_atomic = "64")]
impl<C: Clock> AnyGenerator<C> {
    any_calls! { self, (&self), (&), Error, ObserveError }
}

#[cfg(all(feature = "std", target_has_atomic = "64"))]
impl<C: Clock> AnyGenerator<C> {
    any_closing_call! { self, (&self), (&) }
}

/// The exclusive generator of a scheme that is known only at run time. Its methods take `&mut
/// self`, as those of a [`LocalGenerator`] do.
///
/// # Examples
/// ```
/// use tickid_convert::{AnyScheme, Kind, Settings};
///
/// let scheme = AnyScheme::new(Kind::Sno, &Settings::default());
/// let mut generator = scheme.builder("258/16".parse()?).metabyte(24).build_local()?;
/// let id = generator.generate()?;
/// assert_eq!(scheme.fields()[2].value(&id.bytes()), 24);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AnyLocalGenerator<C = DefaultClock> {
    scheme: AnyScheme,
    metabyte: u8,
    each: Each<LocalGenerators<C>>,
}

impl<C: Clock> AnyLocalGenerator<C> {
    any_calls! { self, (&mut self), (&mut), Error, ObserveError }
}

#[cfg(feature = "std")]
impl<C: Clock> AnyLocalGenerator<C> {
    any_closing_call! { self, (&mut self), (&mut) }
}

/// The reason why a generator did not observe an ID. The generator has not changed.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnyObserveError<E = ObserveError> {
    /// The ID is of a different scheme.
    #[error("a {found} ID, and not one of {expected}")]
    Scheme {
        /// The scheme of the ID.
        found: Kind,
        /// The scheme of the generator.
        expected: Kind,
    },
    /// IDs of the scheme are not [observable](tickid_core::Observable). For example, global kuids
    /// are not, because they sort by node before the last part of their time.
    #[error("{0} IDs cannot be observed: they sort by node before the last part of their time")]
    NotObservable(Kind),
    /// The generator refused the ID.
    #[error(transparent)]
    Refused(E),
}

impl<E: core::error::Error + 'static> fmt::Debug for AnyObserveError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(&Chain(self), f);
        }
        match self {
            Self::Scheme { found, expected } => {
                f.debug_struct("Scheme").field("found", found).field("expected", expected).finish()
            }
            Self::NotObservable(kind) => f.debug_tuple("NotObservable").field(kind).finish(),
            Self::Refused(error) => f.debug_tuple("Refused").field(error).finish(),
        }
    }
}
