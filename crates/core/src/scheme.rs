//! The description of an identifier scheme. Ticks, nodes, sequences and bits come from here: the
//! engine itself works for any scheme.

use core::fmt;
use core::hash::Hash;
use core::ops::{Bound, RangeBounds, RangeInclusive};
use core::time::Duration;

use crate::any_node::AnyNode;
use crate::clock::Clock;
use crate::error::{BuildError, NodeError};
use crate::node::NodeId;
use crate::policy::Policy;
use crate::range::RangeError;
use crate::scale::TickScale;
use crate::sequence::SequenceBounds;
use crate::slot::{Prefix, Slot};
use crate::snapshot::Snapshot;
use crate::tick::{Tick, Ticks};
use crate::time::{IntoUnixTime, UnixTime};

/// An identifier scheme. A value of the type is the scheme's *settings*, which are what you need to
/// know about an ID and cannot see in its bits, such as Nanoflake's epoch or kuid's drift. A scheme
/// without settings is a unit struct.
///
/// If you implement it for a format of your own, you get generators, policies, windows and leases
/// for it. Start from [`example::Seconds`](crate::example::Seconds), which is as short as a scheme
/// can be. You cannot get the constants wrong silently: they are checked against each other when a
/// generator of the scheme is compiled.
///
/// # Examples
/// ```
/// use tickid_core::{Scheme, Tick, UnixTime, example::Seconds};
///
/// let tick = Seconds.tick_at(UnixTime::from_micros(100_500_000))?;
/// assert_eq!(tick, Tick::new(100)?);
/// assert_eq!(Seconds.time_of(tick), UnixTime::from_micros(100_000_000));
/// # Ok::<(), tickid_core::RangeError>(())
/// ```
pub trait Scheme: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// The scheme's name in messages, lower case.
    const NAME: &'static str;

    /// The last tick that fits the format. If layouts differ in this
    /// ([`max_tick`](Self::max_tick)), it is the last tick of the widest one.
    const MAX_TICK: u64;
    /// The highest sequence of the widest configuration. It must be at least 1, because the engine
    /// counts sequences. A format without a sequence can only be read.
    const MAX_SEQUENCE: u32;

    /// The first tick a generator may issue.
    const FIRST_TICK: u64 = 0;
    /// The last tick a generator may issue. After it, every call fails.
    const LAST_TICK: u64 = Self::MAX_TICK;
    /// The number of bits the tick takes in the engine's word. It must have room for one more than
    /// the last tick that can be issued or restored, because the word holds the tick plus one.
    const TICK_BITS: u32 = u64::BITS - (Self::LAST_TICK + 1).leading_zeros();
    /// Set if IDs have a bit that distinguishes two passes over the same ticks.
    /// [`Policy::TickTock`] needs it.
    const TOGGLE: bool = false;
    /// The fewest sequences a generator may be confined to. For example, it is 4 for sno.
    const MIN_POOL: u32 = 1;
    /// Set if some of the scheme's IDs do not carry the node (kuid's local ones).
    const HAS_NODELESS_IDS: bool = false;
    /// Set if a tick starts at a random sequence instead of the lowest, unless the builder is given
    /// a different rule.
    const RANDOM_START: bool = false;

    /// The part of an ID that distinguishes generators.
    type Node: NodeId;
    /// The caller's choice for each ID, which determines the type of the ID.
    type Variant: Variant<Self> + Default;

    /// Returns the epoch and the length of the scheme's ticks.
    fn scale(&self) -> TickScale;

    /// Writes the settings that determine bits of an ID, such as `drift 8`. If there
    /// are none, it writes nothing.
    ///
    /// A realm of leases records this text, and refuses holders that have another one. So two things
    /// must hold. The text must be complete: two values with the same text and the same
    /// [`scale`](Self::scale) must make the same ID of the same node, tick and sequence. If a
    /// setting were missing, holders that differ in it could issue the same ID. And the text must
    /// not change from one release to the next, or the realm would refuse every holder after an
    /// update.
    ///
    /// # Errors
    /// Returns the errors of `out`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, example::Seconds};
    ///
    /// let mut text = String::new();
    /// Seconds.write_settings(&mut text)?;
    /// assert_eq!(text, ""); // there are no settings
    /// # Ok::<(), core::fmt::Error>(())
    /// ```
    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// Returns the number of bits that the node takes in every ID of this layout, or `None` if
    /// nodes have sizes of their own, as SCRU64's do.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, example::Seconds};
    ///
    /// assert_eq!(Seconds.node_bits(), Some(8));
    /// ```
    fn node_bits(&self) -> Option<u32>;

    /// Returns the bits that all IDs of `node` in `tick` share. Generators call it once per tick,
    /// and not for every ID.
    fn prefix(&self, node: &Self::Node, tick: Tick<Self>, toggle: bool) -> Prefix;

    /// Returns the reaction to a clock rollback that the scheme's document prescribes.
    fn default_policy(&self) -> Policy<Self>;

    /// Returns the last tick that fits this layout, which is at most [`MAX_TICK`](Self::MAX_TICK).
    /// For example, Snowflakes with 39 bits of time have fewer ticks than those with 41.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, example::Seconds};
    ///
    /// assert_eq!(Seconds.max_tick(), Seconds::MAX_TICK); // its layout has no widths to choose
    /// ```
    #[inline]
    fn max_tick(&self) -> u64 {
        Self::MAX_TICK
    }

    /// Returns the last tick that a generator of this layout may issue. It is at most
    /// [`LAST_TICK`](Self::LAST_TICK) and at most [`max_tick`](Self::max_tick).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, example::Seconds};
    ///
    /// assert_eq!(Seconds.last_tick(), Seconds::LAST_TICK);
    /// ```
    #[inline]
    fn last_tick(&self) -> u64 {
        Self::LAST_TICK
    }

    /// Checks that IDs of this layout have room for `node`. Generators call it when they are built.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the node is wider or narrower than the layout's nodes.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::Scheme;
    ///
    /// assert!(Seconds.check_node(&Node(255)).is_ok()); // all its nodes have 8 bits
    /// ```
    fn check_node(&self, node: &Self::Node) -> Result<(), RangeError> {
        let _ = node;
        Ok(())
    }

    /// Splits a node of any size into the node that IDs carry and the sequences that it has in each
    /// tick. This is how a scheme with few nodes makes room for more generators: Nanoflake has 1,024
    /// nodes with 4,096 sequences each, but you can just as well use it as 8,192 nodes of 13 bits
    /// with 512 each.
    ///
    /// The rule is this. Let the field for the node have f [bits](Self::node_bits), and a tick 2^s
    /// sequences. Of a node with b ≥ f bits, the first f are the field's value, `node >> (b - f)`.
    /// The rest are the leading bits of its sequences, which are its *share* of the field's: 2^(s -
    /// b + f) of them. With b = f, the share is all of them.
    ///
    /// Two generators whose nodes are not [prefix-related](AnyNode::is_prefix_related) never issue
    /// equal IDs that carry the node, because they differ in the field or have no sequence in
    /// common. If the nodes are related, the generators need disjoint [windows](crate::Window).
    ///
    /// If nodes have sizes of their own, as SCRU64's do, each is a node of the scheme and has all
    /// sequences that fit beside it.
    ///
    /// # Errors
    /// Returns [`NodeError::Field`] for fewer bits than the field has, [`NodeError::Share`] for a
    /// share of fewer sequences than [`MIN_POOL`](Self::MIN_POOL), and [`NodeError::Range`] for a
    /// size that the scheme does not have.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{Scheme, SequenceBounds};
    ///
    /// // The last quarter of node 5: 10111 are the leading bits.
    /// assert_eq!(Seconds.split_node("23/10".parse()?)?, (Node(5), SequenceBounds::new(192, 255)));
    /// assert_eq!(Seconds.split_node("5/8".parse()?)?, (Node(5), SequenceBounds::new(0, 255)));
    ///
    /// let error = Seconds.split_node("5/7".parse()?).unwrap_err();
    /// assert_eq!(error.to_string(), "node 5/7 has fewer bits than the node's field, which has 8");
    /// let error = Seconds.split_node("5/17".parse()?).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "node 5/17 has 0 of a tick's sequences, fewer than 1: nodes have at most 16 bits",
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn split_node(&self, node: AnyNode) -> Result<(Self::Node, SequenceBounds), NodeError> {
        let of_scheme = |value, bits| {
            let node = Self::Node::from_value(value, bits)?;
            self.check_node(&node).map(|()| node)
        };
        // Without a field of a fixed width there is nothing to split: SCRU64's document names
        // sizes.
        let Some(field_bits) = self.node_bits() else {
            let own = of_scheme(node.value(), node.bits())?;
            return Ok((own, self.sequence_bounds(&own)));
        };
        // The field comes first. A shorter node would stand for several values of it, of which an
        // ID can carry one only.
        let Some(share_bits) = node.bits().checked_sub(field_bits) else {
            return Err(NodeError::Field { node, bits: field_bits });
        };
        let field = of_scheme(node.value() >> share_bits, field_bits)?;
        let all = self.sequence_bounds(&field);
        if share_bits == 0 {
            return Ok((field, all));
        }
        // The rest are leading bits of the sequence. If the number of sequences is not a power of
        // two, the last of them are in no share, so that shares of all sizes are nested.
        let sequence_bits = all.pool().ilog2();
        let pool = (1_u64 << sequence_bits).checked_shr(share_bits).unwrap_or(0);
        if pool < u64::from(Self::MIN_POOL) {
            let max_share_bits =
                sequence_bits.saturating_sub(Self::MIN_POOL.next_power_of_two().ilog2());
            let (min, max_bits) = (Self::MIN_POOL, field_bits + max_share_bits);
            return Err(NodeError::Share { node, pool, min, max_bits });
        }
        let rest = node.value() & ((1 << share_bits) - 1);
        #[allow(clippy::cast_possible_truncation, reason = "at most the bounds' last, a u32")]
        let [lowest, last] =
            [rest * pool, (rest + 1) * pool - 1].map(|offset| all.lowest() + offset as u32);
        Ok((field, SequenceBounds::new(lowest, last)))
    }

    /// Returns the tick that contains `time`, rounding down.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the format has no tick for that time.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, UnixTime, example::Seconds};
    ///
    /// let tick = Seconds.tick_at(UnixTime::from_micros(1_999_999))?;
    /// assert_eq!(tick.get(), 1);
    /// assert!(Seconds.tick_at(UnixTime::from_micros(-1)).is_err());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[inline]
    fn tick_at(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
        let scale = self.scale();
        match scale.tick_at(time) {
            Some(tick) if tick <= self.max_tick() => Ok(Tick::in_range(tick)),
            _ => Err(scale.out_of_range(time, self.max_tick())),
        }
    }

    /// Returns the first tick that starts at `time` or later. An ID shows the start of its tick, so
    /// this is where IDs that are not before `time` begin.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after the start of the last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, UnixTime, example::Seconds};
    ///
    /// let first = |micros| Seconds.first_tick_from(UnixTime::from_micros(micros));
    /// assert_eq!((first(1_000_000)?.get(), first(1_000_001)?.get()), (1, 2));
    /// assert!(first(-1).is_err());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    fn first_tick_from(&self, time: UnixTime) -> Result<Tick<Self>, RangeError> {
        let scale = self.scale();
        match first_tick_from(scale, time) {
            Some(tick) if time >= scale.epoch() && tick <= self.max_tick() => {
                Ok(Tick::in_range(tick))
            }
            _ => {
                let (min, max) = (scale.epoch(), scale.time_of(self.max_tick()));
                let [time, min, max] = [time, min, max].map(|time| time.as_micros().into());
                Err(RangeError::of_time(time, min, max))
            }
        }
    }

    /// Returns the ticks that start within `times`, or `None` if none does.
    ///
    /// An ID shows the start of its tick, so these are the ticks of the IDs that show a time within
    /// `times`. Every tick lies in exactly one of consecutive half-open ranges, so if you count IDs
    /// day by day, you count each of them once. Unlike [`tick_at`](Self::tick_at), this accepts
    /// times that the format does not reach, because people enter them: they write 1970 and mean
    /// "everything".
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, Tick, UnixTime, example::Seconds};
    ///
    /// let time = UnixTime::from_micros;
    /// let ticks = |since, until| Seconds.ticks_in_range(time(since)..time(until));
    /// assert_eq!(ticks(-5, 2_000_000), Some(Tick::MIN..=Tick::new(1)?));
    /// assert_eq!(ticks(2_000_000, 2_000_001), Some(Tick::new(2)?..=Tick::new(2)?));
    /// assert_eq!(ticks(2_000_001, 3_000_000), None);
    /// assert_eq!(Seconds.ticks_in_range(time(-5)..), Some(Tick::MIN..=Tick::MAX));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    fn ticks_in_range<T: IntoUnixTime + Clone>(
        &self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<Tick<Self>>> {
        let scale = self.scale();
        // Exclusive ends as inclusive ones, by a microsecond.
        let since = match times.start_bound() {
            Bound::Included(time) => saturated(time.clone()),
            Bound::Excluded(time) => saturated(time.clone()).checked_add(MICROSECOND)?,
            Bound::Unbounded => UnixTime::MIN,
        };
        let until = match times.end_bound() {
            Bound::Included(time) => saturated(time.clone()),
            Bound::Excluded(time) => saturated(time.clone()).checked_sub(MICROSECOND)?,
            Bound::Unbounded => UnixTime::MAX,
        };
        let first = first_tick_from(scale, since)?;
        let last = scale.tick_at(until)?.min(self.max_tick());
        (first <= last).then(|| Tick::in_range(first)..=Tick::in_range(last))
    }

    /// Returns the start of `tick`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Scheme, Tick, UnixTime, example::Seconds};
    ///
    /// assert_eq!(Seconds.time_of(Tick::new(2)?), UnixTime::from_micros(2_000_000));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[inline]
    fn time_of(&self, tick: Tick<Self>) -> UnixTime {
        self.scale().time_of(tick.get())
    }

    /// Returns the number of whole ticks that fit into `duration`, for example to set the allowance
    /// of a ratchet.
    ///
    /// # Examples
    /// ```
    /// use core::time::Duration;
    /// use tickid_core::{Policy, Scheme, example::Seconds};
    ///
    /// let allowance = Seconds.ticks_in(Duration::from_millis(10_500));
    /// assert_eq!(allowance.get(), 10);
    /// let policy = Policy::Ratchet { allowance };
    /// assert_eq!(policy.to_string(), "ratchet (10 ticks)");
    /// ```
    fn ticks_in(&self, duration: Duration) -> Ticks<Self> {
        Ticks::new(self.scale().whole_ticks_in(duration))
    }

    /// Returns the sequences that fit beside `node`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{Scheme, SequenceBounds};
    ///
    /// assert_eq!(Seconds.sequence_bounds(&Node(7)), SequenceBounds::new(0, 255));
    /// ```
    fn sequence_bounds(&self, node: &Self::Node) -> SequenceBounds {
        let _ = node;
        SequenceBounds::new(0, Self::MAX_SEQUENCE)
    }

    /// Returns the number of leading bits of a tick's first sequence that stay zero if it is random
    /// ([`RANDOM_START`](Self::RANDOM_START)), so that enough sequences are left after it. With one
    /// bit, at least half of the tick is left.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::Scheme;
    ///
    /// assert_eq!(Seconds.guard_bits(&Node(7)), 0);
    /// ```
    fn guard_bits(&self, node: &Self::Node) -> u32 {
        let _ = node;
        0
    }

    /// Returns `bounds` if a generator for `node` may be confined to them.
    ///
    /// # Errors
    /// Returns [`BuildError::SequenceBound`] for a bound outside of
    /// [`sequence_bounds`](Self::sequence_bounds), and [`BuildError::Pool`] for fewer sequences
    /// than [`MIN_POOL`](Self::MIN_POOL).
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Toggling};
    /// use tickid_core::{BuildError, Scheme, SequenceBounds};
    ///
    /// let check_up_to = |last| Toggling.check_bounds(&Node(7), SequenceBounds::new(0, last));
    /// assert!(check_up_to(3).is_ok());
    /// assert!(matches!(check_up_to(2), Err(BuildError::Pool { min: 4, .. })));
    /// assert!(matches!(check_up_to(256), Err(BuildError::SequenceBound(_))));
    /// ```
    fn check_bounds(
        &self,
        node: &Self::Node,
        bounds: SequenceBounds,
    ) -> Result<SequenceBounds, BuildError> {
        let all = self.sequence_bounds(node);
        let (lowest, last, pool) = (bounds.lowest(), bounds.last(), bounds.pool());
        for bound in [lowest, last] {
            if bound < all.lowest() || bound > all.last() {
                let (min, max) = (all.lowest().into(), all.last().into());
                let error = RangeError::new("sequence bound", bound.into(), min, max);
                return Err(BuildError::SequenceBound(error));
            }
        }
        if pool < Self::MIN_POOL.into() {
            return Err(BuildError::Pool { lowest, last, pool, min: Self::MIN_POOL });
        }
        Ok(bounds)
    }

    /// Returns the state that `node` itself records of the IDs issued under it before. SCRU64's
    /// node specs can name the previous ID. Nodes of other schemes record nothing.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::example::{Node, Seconds};
    /// use tickid_core::{Scheme, Snapshot};
    ///
    /// assert_eq!(Seconds.resume(&Node(7)), Snapshot::EMPTY); // its nodes record nothing
    /// ```
    fn resume(&self, node: &Self::Node) -> Snapshot<Self> {
        let _ = node;
        Snapshot::EMPTY
    }

    /// Checks that a generator may start at the clock's present reading. A scheme with a
    /// configurable epoch refuses one that lies in the future, as there is no tick before it.
    ///
    /// # Errors
    /// Returns [`BuildError::Epoch`] if the caller chose an epoch that lies in the future, and
    /// [`BuildError::Clock`] if the clock cannot be read.
    fn check_start(&self, clock: &impl Clock) -> Result<(), BuildError> {
        let _ = clock;
        Ok(())
    }
}

/// Returns the first tick of `scale` that starts at `time` or later.
fn first_tick_from(scale: TickScale, time: UnixTime) -> Option<u64> {
    let time = time.max(scale.epoch());
    let tick = scale.tick_at(time)?;
    if scale.time_of(tick) < time { tick.checked_add(1) } else { Some(tick) }
}

/// The resolution of [`UnixTime`].
const MICROSECOND: Duration = Duration::from_micros(1);

/// Returns `time`, or the end of all times that is closest to it.
fn saturated(time: impl IntoUnixTime) -> UnixTime {
    time.into_unix_time().unwrap_or_else(|error| {
        if error.value() < error.min() { UnixTime::MIN } else { UnixTime::MAX }
    })
}

/// The variant of schemes that leave the caller nothing to choose, such as SCRU64 and Nanoflake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plain;

/// The caller's choice for one ID, which also turns a slot into that ID.
///
/// sno's variant carries the metabyte, and kuid's selects local or global IDs. SCRU64 and Nanoflake
/// have a single variant, [`Plain`]. Two slots must never become the same ID under one variant,
/// because only slots are unique.
///
/// # Examples
/// ```
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{Generator, Slot, Variant};
///
/// /// IDs with the number of a tenant in the highest byte.
/// #[derive(Clone, Copy)]
/// struct Tenant(u8);
///
/// impl Variant<Seconds> for Tenant {
///     type Id = u64;
///
///     fn id(self, _: &Seconds, slot: Slot<Seconds>) -> u64 {
///         u64::from(self.0) << 56 | slot.low()
///     }
/// }
///
/// let generator = Generator::<Seconds>::new(Node(7))?;
/// assert_eq!(generator.with(Tenant(9)).generate()? >> 56, 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a variant of the IDs of `{S}`",
    label = "not a variant",
    note = "use `Meta(24)` for sno's metabyte, and `Local` or `Global` for kuid; other schemes have \
            `Plain`"
)]
pub trait Variant<S: Scheme>: Copy {
    /// The type of the IDs.
    type Id: Copy;

    /// Reports whether IDs of this variant carry the generator's node. It is called only for
    /// schemes with [`HAS_NODELESS_IDS`](Scheme::HAS_NODELESS_IDS).
    #[inline]
    fn has_node(self) -> bool {
        true
    }

    /// Returns the ID of one slot.
    fn id(self, scheme: &S, slot: Slot<S>) -> Self::Id;

    /// Writes the IDs of `first` and the slots after it, as many as `out` has room for. All of them
    /// lie in one tick. Override it if a scheme can assemble many IDs faster than one by one, as
    /// sno does.
    #[inline]
    fn fill(self, scheme: &S, first: Slot<S>, out: &mut [Self::Id]) {
        let mut slot = first;
        for id in out {
            *id = self.id(scheme, slot);
            slot = slot.next();
        }
    }
}

/// A variant whose IDs generators can [observe](crate::Generator::observe).
///
/// All IDs of one tick must be smaller than those of the next, whatever their nodes are, and the
/// IDs of one node and variant must increase with the sequence. Global kuids are not observable,
/// because they sort by node before the last minutes of the time. A generator with a low node might
/// therefore have to wait for minutes until its IDs are greater than an observed one.
///
/// # Examples
/// ```
/// use tickid_core::example::{Node, Seconds};
/// use tickid_core::{Generator, Observable, Slot, Variant};
///
/// /// IDs with the number of a shop between node and sequence.
/// #[derive(Clone, Copy)]
/// struct Shop(u8);
///
/// impl Variant<Seconds> for Shop {
///     type Id = u64;
///
///     fn id(self, _: &Seconds, slot: Slot<Seconds>) -> u64 {
///         (slot.low() >> 8 << 8 | u64::from(self.0)) << 8 | slot.low() & 0xff
///     }
/// }
///
/// impl Observable<Seconds> for Shop {
///     const LEAST: Self = Shop(0);
/// }
///
/// let (one, other) = (Generator::<Seconds>::new(Node(1))?, Generator::<Seconds>::new(Node(2))?);
/// let id = one.with(Shop(200)).generate()?;
/// other.with(Shop(9)).observe(id)?;
/// assert!(other.with(Shop(3)).generate()? > id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "IDs of the variant `{Self}` of `{S}` cannot be observed",
    label = "not observable",
    note = "kuid's global IDs are not in order; observe a local one: `with(Local).observe(id)`"
)]
pub trait Observable<S: Scheme>: Variant<S, Id: Ord> {
    /// The variant with the least ID of each slot. If a slot's ID under this variant follows an
    /// observed ID, it does so under every variant of this type. For example, it is the metabyte 0
    /// for sno.
    const LEAST: Self;
}

/// The type of the IDs that a generator of scheme `S` issues under the default variant.
pub type Id<S> = <<S as Scheme>::Variant as Variant<S>>::Id;

impl<S: Scheme> Tick<S> {
    /// The first tick of the format.
    pub const MIN: Self = Self::in_range(0);
    /// The last tick of the format. Generators may stop before it, at [`Scheme::LAST_TICK`].
    pub const MAX: Self = Self::in_range(S::MAX_TICK);

    /// Returns the tick `ticks` after the scheme's epoch.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above `S::MAX_TICK`.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::{Tick, example::Seconds};
    ///
    /// assert_eq!(Tick::<Seconds>::new(100)?.get(), 100);
    /// assert!(Tick::<Seconds>::new(1 << 32).is_err());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub const fn new(ticks: u64) -> Result<Self, RangeError> {
        if ticks <= S::MAX_TICK {
            Ok(Self::in_range(ticks))
        } else {
            Err(RangeError::new("tick", ticks as i128, 0, S::MAX_TICK as i128))
        }
    }
}
