//! A layout whose order is known only at run time.

use core::fmt;
use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{
    BuildError, Clock, Field, IntoUnixTime, Observable, Plain, Policy, Prefix, RangeError, Scheme,
    SequenceBounds, Slot, Tick, TickScale, UnixTime, Variant,
};

use crate::id::SnowflakeId;
use crate::layout::{LayoutError, Snowflake, Widths};
use crate::node::Node;
use crate::order::{NodeAboveSequence, Order, SequenceAboveNode};

/// A layout whose order is known only at run time, for example one that a user enters.
///
/// It is a scheme like the layouts whose order is a type, and generators of both make the same IDs.
/// Each ID takes one instruction more, because the order is looked up each time. So prefer
/// [`Snowflake`] where the order is fixed.
///
/// # Examples
/// ```
/// use tickid_snowflake::{AnySnowflake, Snowflake};
///
/// let layout = AnySnowflake::named("sonyflake").ok_or("no such layout")?;
/// let generator = layout.builder(7)?.build()?; // once for each node and process
/// let id = generator.generate()?;
/// assert_eq!(layout.node_of(id).get(), 7);
/// assert_eq!("39x10ms/8s/16n@2014-09-01".parse(), Ok(AnySnowflake::from(Snowflake::SONYFLAKE)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "there are two orders")]
pub enum AnySnowflake {
    /// Time, node, sequence.
    NodeAboveSequence(Snowflake<NodeAboveSequence>),
    /// Time, sequence, node.
    SequenceAboveNode(Snowflake<SequenceAboveNode>),
}

/// Evaluates `$body` with `$layout` as the layout in its order.
macro_rules! ordered {
    ($any:expr, $layout:ident => $body:expr) => {
        match $any {
            AnySnowflake::NodeAboveSequence($layout) => $body,
            AnySnowflake::SequenceAboveNode($layout) => $body,
        }
    };
}

impl AnySnowflake {
    /// Returns a builder of a generator with this layout, for the node with this number. Build one
    /// generator for each node and process, and keep it.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the layout has no such node.
    #[cfg(feature = "std")]
    pub fn builder(&self, node: u32) -> Result<tickid_core::Builder<Self>, RangeError> {
        Ok(tickid_core::Builder::of(*self, self.node(node)?))
    }

    /// Returns the node with this number, as [`Snowflake::node`] does.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the layout has no such node.
    pub const fn node(&self, number: u32) -> Result<Node, RangeError> {
        ordered!(self, layout => layout.node(number))
    }

    /// Returns the ID of a timestamp, the number of a node, and a sequence, as
    /// [`Snowflake::from_parts`] does.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if one of them does not fit.
    #[allow(clippy::wrong_self_convention, reason = "the layout makes the ID from its parts")]
    pub const fn from_parts(
        &self,
        timestamp: u64,
        node: u32,
        sequence: u32,
    ) -> Result<SnowflakeId, RangeError> {
        ordered!(self, layout => layout.from_parts(timestamp, node, sequence))
    }

    /// Checks that `id` has no bits above the layout's, as [`Snowflake::check`] does.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`max_id`](Self::max_id).
    pub const fn check(&self, id: SnowflakeId) -> Result<(), RangeError> {
        ordered!(self, layout => layout.check(id))
    }

    /// Returns the highest ID.
    #[must_use]
    pub const fn max_id(&self) -> SnowflakeId {
        ordered!(self, layout => layout.max_id())
    }

    /// Returns the timestamp of `id`, in ticks since the epoch, as [`Snowflake::timestamp_of`]
    /// does.
    #[inline]
    #[must_use]
    pub const fn timestamp_of(&self, id: SnowflakeId) -> u64 {
        ordered!(self, layout => layout.timestamp_of(id))
    }

    /// Returns the node that issued `id`.
    #[inline]
    #[must_use]
    pub const fn node_of(&self, id: SnowflakeId) -> Node {
        ordered!(self, layout => layout.node_of(id))
    }

    /// Returns the sequence of `id`.
    #[inline]
    #[must_use]
    pub const fn sequence_of(&self, id: SnowflakeId) -> u32 {
        ordered!(self, layout => layout.sequence_of(id))
    }

    /// Returns the start of an ID's tick, as [`Snowflake::unix_time`] does.
    #[inline]
    #[must_use]
    pub fn unix_time(&self, id: SnowflakeId) -> UnixTime {
        ordered!(self, layout => layout.unix_time(id))
    }

    /// Returns the lowest ID that shows `time` or a later one, as [`Snowflake::min_at`] does.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after the start of the last tick.
    pub fn min_at(&self, time: impl IntoUnixTime) -> Result<SnowflakeId, RangeError> {
        ordered!(self, layout => layout.min_at(time))
    }

    /// Returns the highest ID that shows `time` or an earlier one, as [`Snowflake::max_at`] does.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before the epoch or after its last tick.
    pub fn max_at(&self, time: impl IntoUnixTime) -> Result<SnowflakeId, RangeError> {
        ordered!(self, layout => layout.max_at(time))
    }

    /// Returns the range of all IDs that show a time within `times`, as [`Snowflake::range`] does.
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        &self,
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<SnowflakeId>> {
        ordered!(self, layout => layout.range(times))
    }

    /// Returns the fields that the bits consist of, as [`Snowflake::fields`] does.
    pub fn fields(&self) -> impl Iterator<Item = Field> + use<> {
        let row = ordered!(self, layout => layout.row());
        row.into_iter().filter(|field| field.bits() > 0)
    }

    /// Returns the parts of the layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::AnySnowflake;
    ///
    /// let layout: AnySnowflake = "39x10ms/8s/16n@2014-09-01".parse()?;
    /// assert_eq!(layout.widths().sequence, 8);
    /// # Ok::<(), tickid_snowflake::LayoutError>(())
    /// ```
    #[must_use]
    pub const fn widths(&self) -> Widths {
        ordered!(self, layout => layout.widths())
    }

    /// Returns the number of bits of the node that is below the sequence.
    #[inline]
    const fn bits_below(&self) -> u32 {
        match self {
            Self::NodeAboveSequence(_) => 0,
            Self::SequenceAboveNode(layout) => layout.node_bits(),
        }
    }
}

/// Does the same as the layout whose order is a type.
impl Scheme for AnySnowflake {
    const NAME: &'static str = <Snowflake as Scheme>::NAME;
    const MAX_TICK: u64 = <Snowflake as Scheme>::MAX_TICK;
    const LAST_TICK: u64 = <Snowflake as Scheme>::LAST_TICK;
    const MAX_SEQUENCE: u32 = <Snowflake as Scheme>::MAX_SEQUENCE;

    type Node = Node;
    type Variant = Plain;

    #[inline]
    fn scale(&self) -> TickScale {
        ordered!(self, layout => layout.scale())
    }

    fn write_settings(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        ordered!(self, layout => layout.write_settings(out))
    }

    fn node_bits(&self) -> Option<u32> {
        ordered!(self, layout => Scheme::node_bits(layout))
    }

    fn prefix(&self, node: &Node, tick: Tick<Self>, _: bool) -> Prefix {
        ordered!(self, layout => layout.prefix_at(*node, tick.get()))
    }

    fn default_policy(&self) -> Policy<Self> {
        Policy::Wait
    }

    #[inline]
    fn max_tick(&self) -> u64 {
        ordered!(self, layout => layout.max_tick())
    }

    #[inline]
    fn last_tick(&self) -> u64 {
        ordered!(self, layout => layout.last_tick())
    }

    fn check_node(&self, node: &Node) -> Result<(), RangeError> {
        ordered!(self, layout => layout.check_node(node))
    }

    fn sequence_bounds(&self, node: &Node) -> SequenceBounds {
        ordered!(self, layout => layout.sequence_bounds(node))
    }

    fn check_start(&self, clock: &impl Clock) -> Result<(), BuildError> {
        ordered!(self, layout => layout.check_start(clock))
    }
}

impl Observable<AnySnowflake> for Plain {
    const LEAST: Self = Self;
}

impl Variant<AnySnowflake> for Plain {
    type Id = SnowflakeId;

    #[inline]
    fn id(self, scheme: &AnySnowflake, slot: Slot<AnySnowflake>) -> SnowflakeId {
        SnowflakeId::new(slot.low().rotate_left(scheme.bits_below()))
    }

    #[inline]
    fn fill(self, scheme: &AnySnowflake, first: Slot<AnySnowflake>, out: &mut [SnowflakeId]) {
        let step = 1 << scheme.bits_below();
        let mut bits = self.id(scheme, first).get();
        for id in out {
            *id = SnowflakeId::new(bits);
            bits = bits.wrapping_add(step);
        }
    }
}

impl From<Snowflake<NodeAboveSequence>> for AnySnowflake {
    fn from(layout: Snowflake<NodeAboveSequence>) -> Self {
        Self::NodeAboveSequence(layout)
    }
}

impl From<Snowflake<SequenceAboveNode>> for AnySnowflake {
    fn from(layout: Snowflake<SequenceAboveNode>) -> Self {
        Self::SequenceAboveNode(layout)
    }
}

/// Returns the layout if it has the order `O`.
///
/// # Errors
/// Returns [`LayoutError::Order`] for the other order.
impl<O: Order> TryFrom<AnySnowflake> for Snowflake<O> {
    type Error = LayoutError;

    fn try_from(layout: AnySnowflake) -> Result<Self, LayoutError> {
        let is_node_lowest = matches!(layout, AnySnowflake::SequenceAboveNode(_));
        if is_node_lowest == O::IS_NODE_LOWEST {
            Self::new(layout.widths())
        } else {
            Err(LayoutError::Order)
        }
    }
}

/// Writes the text of the layout.
impl fmt::Display for AnySnowflake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ordered!(self, layout => layout.fmt(f))
    }
}
