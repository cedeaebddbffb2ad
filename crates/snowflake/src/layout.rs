//! The layout: where time, node and sequence are, and the unit of time.

use core::fmt;
use core::hash::Hash;
use core::marker::PhantomData;
use core::time::Duration;

use tickid_core::{Field, RangeError, Tick, UnixTime};

use crate::id::SnowflakeId;
use crate::node::{self, Node};
use crate::order::{NodeAboveSequence, Order};

/// The layout of Snowflakes. It consists of the unit and the start of their time, and of the widths
/// of time, node and sequence. The order of node and sequence is the type `O`.
///
/// Every value is a legal layout, because [`new`](Self::new) checks it. It is also written and read
/// as text, with the fields from high to low and the epoch in milliseconds since 1970. For example,
/// `41x1ms/10n/12s@0` has 41 bits of milliseconds since 1970, 10 bits of node and 12 bits of
/// sequence.
///
/// A known layout is a constant, for example [`TWITTER`](Self::TWITTER). For a new one, start the
/// epoch in the year of the first ID, because the years before it are lost. Use
/// [`AnySnowflake`](crate::AnySnowflake) if the order is known only at run time.
///
/// # Examples
/// ```
/// use core::time::Duration;
/// use tickid_snowflake::{SequenceAboveNode, Widths, Snowflake, UnixTime};
///
/// let layout = Snowflake::<SequenceAboveNode>::new(Widths {
///     unit: Duration::from_millis(10),
///     epoch: UnixTime::from_millis(1_409_529_600_000)?,
///     time: 39,
///     sequence: 8,
///     node: 16,
///     is_unsigned: false,
/// })?;
/// assert_eq!(layout, Snowflake::SONYFLAKE);
/// assert_eq!(layout.to_string(), "39x10ms/8s/16n@1409529600000");
/// assert_eq!("39x10ms/8s/16n@2014-09-01".parse(), Ok(layout));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Snowflake<O = NodeAboveSequence> {
    epoch_millis: i64,
    unit_micros: u32,
    time: u8,
    node: u8,
    sequence: u8,
    order: PhantomData<O>,
}

/// The parts of a layout, which [`Snowflake::new`] checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Widths {
    /// The length of a tick, in whole microseconds, from 100 µs to 1 h.
    pub unit: Duration,
    /// The start of the first tick. It is a whole millisecond for which [`UnixTime`] can represent
    /// all ticks.
    pub epoch: UnixTime,
    /// The bits of the time, 8 to 43. For example, 41 bits of milliseconds last 69 years.
    pub time: u32,
    /// The bits of the node, 0 to 22. With 0 bits there can be only one generator.
    pub node: u32,
    /// The bits of the sequence, 1 to 18.
    pub sequence: u32,
    /// Set if the three widths fill 64 bits. Otherwise their sum is at most 63, so that IDs fit a
    /// signed column without becoming negative.
    pub is_unsigned: bool,
}

/// The reason why a layout is not legal.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A width or the epoch is out of range.
    #[error(transparent)]
    Field(#[from] RangeError),
    /// The length of a tick is out of range or not a whole number of microseconds.
    #[error("the unit {0:?} is not a whole number of microseconds from 100 µs to 1 h")]
    Unit(Duration),
    /// The epoch lies between two milliseconds.
    #[error("the epoch {0} is not a whole millisecond")]
    Epoch(UnixTime),
    /// The text is neither the name of a preset nor the text of a layout.
    #[error(
        "not a layout: expected its bits, as in 41x1ms/10n/12s@2026-01-01, or one of the names {}",
        Names(names)
    )]
    Name {
        /// The names of the presets.
        names: &'static [&'static str],
    },
    /// The text is not the text of a layout.
    #[error("not a layout: expected {expected} at position {position}")]
    Text {
        /// The number of bytes before the place where the text is wrong.
        position: usize,
        /// The part that is expected there.
        expected: &'static str,
    },
    /// The order of node and sequence is not the order of the type.
    /// [`AnySnowflake`](crate::AnySnowflake) takes both orders.
    #[error("node and sequence are in the other order")]
    Order,
}

tickid_core::debug_error! {
    enum LayoutError {
        Field(error), Unit(error), Epoch(error), Name { names }, Text { position, expected },
        Order,
    }
}

impl<O> Snowflake<O> {
    /// The fewest bits of the time.
    pub const MIN_TIME_BITS: u32 = 8;
    /// The most bits of the time.
    pub const MAX_TIME_BITS: u32 = 43;
    /// The most bits of the node.
    pub const MAX_NODE_BITS: u32 = node::MAX_BITS;
    /// The fewest bits of the sequence.
    pub const MIN_SEQUENCE_BITS: u32 = 1;
    /// The most bits of the sequence.
    pub const MAX_SEQUENCE_BITS: u32 = 18;
    /// The shortest unit, 100 µs.
    pub const MIN_UNIT: Duration = Duration::from_micros(100);
    /// The longest unit, an hour.
    pub const MAX_UNIT: Duration = Duration::from_secs(3_600);

    /// Returns the layout with these widths.
    ///
    /// # Errors
    /// Returns a [`LayoutError`] that names the part and its range.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Widths, Snowflake};
    ///
    /// let widths = Snowflake::TWITTER.widths();
    /// let error = <Snowflake>::new(Widths { time: 44, ..widths }).unwrap_err();
    /// assert_eq!(error.to_string(), "time bits 44 is outside of 8..=43");
    /// let error = <Snowflake>::new(Widths { time: 42, ..widths }).unwrap_err();
    /// assert_eq!(error.to_string(), "sum of bits 64 is outside of 9..=63");
    /// assert!(<Snowflake>::new(Widths { time: 42, is_unsigned: true, ..widths }).is_ok());
    /// ```
    pub const fn new(widths: Widths) -> Result<Self, LayoutError> {
        let Widths { unit, epoch, time, node, sequence, is_unsigned } = widths;
        if unit.as_micros() < Self::MIN_UNIT.as_micros()
            || unit.as_micros() > Self::MAX_UNIT.as_micros()
            || !unit.as_nanos().is_multiple_of(1_000)
        {
            return Err(LayoutError::Unit(unit));
        }
        // Check each width, and then their sum. The error names the first that is wrong.
        let least = Self::MIN_TIME_BITS + Self::MIN_SEQUENCE_BITS;
        let (fewest, most) = if is_unsigned { (64, 64) } else { (least as u64, 63) };
        let sum = time as u64 + node as u64 + sequence as u64;
        if time < Self::MIN_TIME_BITS || time > Self::MAX_TIME_BITS {
            return Err(width("time bits", time as u64, Self::MIN_TIME_BITS, Self::MAX_TIME_BITS));
        } else if node > Self::MAX_NODE_BITS {
            return Err(width("node bits", node as u64, 0, Self::MAX_NODE_BITS));
        } else if sequence < Self::MIN_SEQUENCE_BITS || sequence > Self::MAX_SEQUENCE_BITS {
            let (min, max) = (Self::MIN_SEQUENCE_BITS, Self::MAX_SEQUENCE_BITS);
            return Err(width("sequence bits", sequence as u64, min, max));
        } else if sum < fewest || sum > most {
            let (min, max) = (fewest as i128, most as i128);
            return Err(LayoutError::Field(RangeError::new("sum of bits", sum as i128, min, max)));
        }
        let epoch_micros = epoch.as_micros();
        let epoch_millis = epoch_micros.div_euclid(1_000);
        if epoch_micros.rem_euclid(1_000) != 0 {
            return Err(LayoutError::Epoch(epoch));
        }
        // All ticks must be times. The longest are hours in 43 bits, 2^75 µs.
        let min = UnixTime::MIN.as_micros() as i128 / 1_000;
        let max = UnixTime::MAX.as_micros() as i128 + 1 - ((1_i128 << time) * unit_micros(unit));
        let max = max.div_euclid(1_000);
        if max < min {
            // Even the earliest epoch is too late.
            let longest = (UnixTime::MAX.as_micros() as i128 - UnixTime::MIN.as_micros() as i128)
                / unit_micros(unit);
            let max = longest.ilog2();
            return Err(width("time bits", time as u64, Self::MIN_TIME_BITS, max));
        }
        if (epoch_millis as i128) < min || epoch_millis as i128 > max {
            let what = "epoch in milliseconds";
            return Err(LayoutError::Field(RangeError::new(what, epoch_millis as i128, min, max)));
        }
        #[allow(clippy::cast_possible_truncation, reason = "compared before")]
        Ok(Self {
            epoch_millis,
            unit_micros: unit.as_micros() as u32,
            time: time as u8,
            node: node as u8,
            sequence: sequence as u8,
            order: PhantomData,
        })
    }

    /// Returns the parts of the layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// let widths = Snowflake::DISCORD.widths();
    /// assert_eq!((widths.time, widths.node, widths.sequence), (42, 10, 12));
    /// assert!(widths.is_unsigned);
    /// ```
    #[must_use]
    pub const fn widths(&self) -> Widths {
        Widths {
            unit: Duration::from_micros(self.unit_micros as u64),
            epoch: self.epoch(),
            time: self.time as u32,
            node: self.node as u32,
            sequence: self.sequence as u32,
            is_unsigned: self.is_unsigned(),
        }
    }

    /// Returns the time of timestamp 0.
    #[must_use]
    pub const fn epoch(&self) -> UnixTime {
        // Within the range that `new` checked.
        UnixTime::from_micros(self.epoch_millis * 1_000)
    }

    pub(crate) const fn epoch_millis(&self) -> i64 {
        self.epoch_millis
    }

    /// Returns the length of a tick in microseconds.
    #[must_use]
    pub const fn micros_per_tick(&self) -> u64 {
        self.unit_micros as u64
    }

    /// Returns the number of bits that IDs have.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        (self.time + self.node + self.sequence) as u32
    }

    /// Reports whether IDs have 64 bits. In a signed column the later ones of them are negative.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// assert!(Snowflake::INSTAGRAM.is_unsigned() && !Snowflake::TWITTER.is_unsigned());
    /// ```
    #[must_use]
    pub const fn is_unsigned(&self) -> bool {
        self.bits() == u64::BITS
    }

    /// Returns the last timestamp.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// assert_eq!(Snowflake::TWITTER.max_timestamp(), (1 << 41) - 1);
    /// ```
    #[must_use]
    pub const fn max_timestamp(&self) -> u64 {
        mask(self.time)
    }

    /// Returns the highest sequence.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_snowflake::Snowflake::TWITTER.max_sequence(), 4_095);
    /// ```
    #[must_use]
    pub const fn max_sequence(&self) -> u32 {
        (1 << self.sequence) - 1
    }

    /// Returns the highest ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// assert_eq!(Snowflake::JS_SAFE.max_id().get(), (1 << 53) - 1); // Number.MAX_SAFE_INTEGER
    /// ```
    #[must_use]
    pub const fn max_id(&self) -> SnowflakeId {
        SnowflakeId::new(u64::MAX >> (u64::BITS - self.bits()))
    }

    /// Returns the node with this number.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the layout has no such node.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// assert_eq!(Snowflake::TWITTER.node(1_023)?.get(), 1_023);
    /// let error = Snowflake::TWITTER.node(1_024).unwrap_err();
    /// assert_eq!(error.to_string(), "node 1024 is outside of 0..=1023");
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub const fn node(&self, number: u32) -> Result<Node, RangeError> {
        Node::new(number, self.node as u32)
    }

    /// Returns a random node, from the operating system's random numbers, but not `except`. In a
    /// child of a `fork`, pass the parent's node there, because the parent still uses it.
    ///
    /// Generators that choose at random may choose the same node, and if they run at the same time,
    /// they may issue the same IDs. For two generators with nodes of 10 bits, for example, the
    /// probability is 1 in 1,024.
    ///
    /// # Errors
    /// Returns [`BuildError::Seed`](tickid_core::BuildError::Seed) if the operating system has no
    /// random numbers.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// let node = Snowflake::TWITTER.random_node(None)?;
    /// assert_ne!(Snowflake::TWITTER.random_node(Some(node))?, node);
    /// # Ok::<(), tickid_core::BuildError>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn random_node(&self, except: Option<Node>) -> Result<Node, tickid_core::BuildError> {
        let random = u32::from_be_bytes(tickid_core::external::random_bytes()?);
        let highest = (1 << self.node) - 1;
        let node = Node::in_range(random & highest, self.node.into());
        // A layout may have a single node.
        let is_other = highest == 0 || except != Some(node);
        Ok(if is_other { node } else { Node::in_range(node.get() ^ 1, self.node.into()) })
    }

    pub(crate) const fn timestamp_shift(&self) -> u32 {
        (self.node + self.sequence) as u32
    }

    pub(crate) const fn node_bits(&self) -> u32 {
        self.node as u32
    }

    pub(crate) const fn sequence_bits(&self) -> u32 {
        self.sequence as u32
    }

    /// Checks that `id` has no bits above the layout's. Call it for IDs from outside the program,
    /// because the accessors do not check. It cannot detect an ID of a different layout whose bits
    /// fit this one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`max_id`](Self::max_id).
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(1 << 63);
    /// assert!(Snowflake::DISCORD.check(id).is_ok());
    /// assert!(Snowflake::TWITTER.check(id).is_err()); // the sign
    /// ```
    pub const fn check(&self, id: SnowflakeId) -> Result<(), RangeError> {
        let max = self.max_id().get();
        if id.get() <= max {
            Ok(())
        } else {
            Err(RangeError::new("Snowflake of this layout", id.get() as i128, 0, max as i128))
        }
    }

    /// Returns the timestamp of `id`, in ticks since the epoch. It is above
    /// [`max_timestamp`](Self::max_timestamp) if the ID is not of this layout, which
    /// [`check`](Self::check) finds out.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// assert_eq!(Snowflake::DISCORD.timestamp_of(id), 41_944_705_796);
    /// ```
    #[inline]
    #[must_use]
    pub const fn timestamp_of(&self, id: SnowflakeId) -> u64 {
        id.get() >> self.timestamp_shift()
    }
}

impl<O: Order> Snowflake<O> {
    /// Returns the ID of a timestamp (ticks since the epoch), the number of a node, and a sequence.
    ///
    /// Use it to rebuild an ID from parts that were stored. New IDs come from a
    /// [generator](Self::builder), because this function cannot know which parts were used before.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if one of them does not fit.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// let id = Snowflake::DISCORD.from_parts(41_944_705_796, 32, 7)?;
    /// assert_eq!(id.get(), 175_928_847_299_117_063);
    /// let error = Snowflake::DISCORD.from_parts(0, 0, 4_096).unwrap_err();
    /// assert_eq!(error.to_string(), "sequence 4096 is outside of 0..=4095");
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    #[allow(clippy::wrong_self_convention, reason = "the layout makes the ID from its parts")]
    pub const fn from_parts(
        &self,
        timestamp: u64,
        node: u32,
        sequence: u32,
    ) -> Result<SnowflakeId, RangeError> {
        if timestamp > self.max_timestamp() {
            let (value, max) = (timestamp as i128, self.max_timestamp() as i128);
            return Err(RangeError::new("timestamp", value, 0, max));
        }
        if let Err(error) = self.node(node) {
            return Err(error);
        }
        if sequence > self.max_sequence() {
            let (value, max) = (sequence as i128, self.max_sequence() as i128);
            return Err(RangeError::new("sequence", value, 0, max));
        }
        let low = (node as u64) << self.node_shift() | (sequence as u64) << self.sequence_shift();
        Ok(SnowflakeId::new(timestamp << self.timestamp_shift() | low))
    }

    /// Returns the node that issued `id`.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// assert_eq!(Snowflake::DISCORD.node_of(id).get(), 32);
    /// ```
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "22 bits at most")]
    pub const fn node_of(&self, id: SnowflakeId) -> Node {
        let number = id.get() >> self.node_shift() & mask(self.node);
        Node::in_range(number as u32, self.node as u32)
    }

    /// Returns the sequence of `id`, which distinguishes the IDs of one node and tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// assert_eq!(Snowflake::DISCORD.sequence_of(id), 7);
    /// ```
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "18 bits at most")]
    pub const fn sequence_of(&self, id: SnowflakeId) -> u32 {
        (id.get() >> self.sequence_shift() & mask(self.sequence)) as u32
    }

    /// Returns the timestamp of `id` as a tick.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the ID is not of this layout.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::{Snowflake, SnowflakeId};
    ///
    /// let id = SnowflakeId::new(175_928_847_299_117_063);
    /// assert_eq!(Snowflake::DISCORD.tick(id)?.get(), 41_944_705_796);
    /// # Ok::<(), tickid_snowflake::RangeError>(())
    /// ```
    pub fn tick(&self, id: SnowflakeId) -> Result<Tick<Self>, RangeError> {
        self.check(id)?;
        Tick::new(self.timestamp_of(id))
    }

    const fn node_shift(&self) -> u32 {
        if O::IS_NODE_LOWEST { 0 } else { self.sequence as u32 }
    }

    const fn sequence_shift(&self) -> u32 {
        if O::IS_NODE_LOWEST { self.node as u32 } else { 0 }
    }

    /// Returns the fields that the bits consist of, the highest first. Fields without bits are left
    /// out.
    ///
    /// # Examples
    /// ```
    /// use tickid_snowflake::Snowflake;
    ///
    /// let of = |fields: Vec<tickid_core::Field>| {
    ///     fields.iter().map(|field| (field.name(), field.bits())).collect::<Vec<_>>()
    /// };
    /// let sonyflake = Snowflake::SONYFLAKE.fields().collect();
    /// let expected = [("unused", 1), ("timestamp", 39), ("sequence", 8), ("node", 16)];
    /// assert_eq!(of(sonyflake), expected);
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = Field> + use<O> {
        self.row().into_iter().filter(|field| field.bits() > 0)
    }

    /// Returns the fields, the highest first, of which some may have no bits.
    pub(crate) fn row(&self) -> [Field; 4] {
        let unused = ("unused", u64::BITS - self.bits(), "always 0");
        let time = ("timestamp", self.time.into(), "ticks since the epoch");
        let node = ("node", self.node.into(), "distinguishes generators");
        let sequence = ("sequence", self.sequence.into(), "distinguishes the IDs of a tick");
        match O::IS_NODE_LOWEST {
            true => Field::row([unused, time, sequence, node]),
            false => Field::row([unused, time, node, sequence]),
        }
    }

    pub(crate) fn check_node_bits(&self, node: &Node) -> Result<(), RangeError> {
        let (bits, own) = (i128::from(node.bits()), i128::from(self.node));
        if bits == own { Ok(()) } else { Err(RangeError::new("node bits", bits, own, own)) }
    }
}

/// Returns the text, as [`Display`](fmt::Display) does.
impl<O: Order> fmt::Debug for Snowflake<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Displays names as a list.
struct Names<'a>(&'a [&'static str]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            write!(f, "{}{name}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

const fn width(what: &'static str, bits: u64, min: u32, max: u32) -> LayoutError {
    LayoutError::Field(RangeError::new(what, bits as i128, min as i128, max as i128))
}

const fn unit_micros(unit: Duration) -> i128 {
    unit.as_micros().cast_signed()
}

const fn mask(bits: u8) -> u64 {
    (1 << bits) - 1
}
