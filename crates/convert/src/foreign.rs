//! IDs of other systems, to move away from them. Their layouts are presets of `tickid-snowflake`,
//! which also generates them; Mastodon's is not one.
//!
//! Their texts are decimal integers, which do not identify their system.
//!
//! # Examples
//! ```
//! use tickid_convert::{Options, convert_exact, foreign::System};
//! use tickid_sno::SnoId;
//!
//! let message = System::Discord.id(175_928_847_299_117_063);
//! let id: SnoId = convert_exact(message, &Options::default())?;
//! assert_eq!(id.unix_time().as_millis(), 1_462_015_105_796);
//! assert_eq!((id.partition().get(), id.sequence()), (32, 7));
//! # Ok::<(), tickid_convert::ConvertError>(())
//! ```

use core::fmt;
use core::str::FromStr;

use tickid_core::{Field, TickScale, UnixTime};
use tickid_nanoflake::Epoch;
use tickid_snowflake::{AnySnowflake, Preset};

use crate::error::ConvertError;
use crate::options::Layouts;
use crate::parts::{Bits, Parts, mask};
use crate::to_parts::ToParts;

/// The names of the systems, and their rows.
macro_rules! systems {
    ($($(#[$doc:meta])+ $variant:ident = $row:expr;)+) => {
        /// A system whose IDs are integers with a time, a sequence and, but for Mastodon, a node.
        ///
        /// # Examples
        /// ```
        /// use tickid_convert::foreign::System;
        ///
        /// let system: System = "sonyflake".parse()?;
        /// assert_eq!((system, system.name()), (System::Sonyflake, "Sonyflake"));
        /// assert_eq!(system.epoch().as_unix_millis(), 1_409_529_600_000);
        /// # Ok::<(), tickid_convert::foreign::SystemError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum System {
            $($(#[$doc])+ $variant,)+
        }

        impl System {
            /// Every system.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            #[inline(always)]
            const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => const { &$row },)+
                }
            }
        }
    };
}

systems! {
    /// Twitter (X): a bit that is zero, 41 bits of milliseconds since 2010-11-04T01:42:54.657Z, a
    /// datacenter and a worker of 5 bits each, a sequence of 12. It is a Nanoflake with Twitter's
    /// epoch, which is fixed here.
    Twitter = Row::of(&Preset::TWITTER);
    /// Discord: 42 bits of milliseconds since 2015, a worker and a process of 5 bits each, an
    /// increment of 12.
    Discord = Row::of(&Preset::DISCORD);
    /// Instagram: 41 bits of milliseconds since 2011-08-24T21:07:01.721Z, a shard of 13 bits, a
    /// sequence of 10. It fills 64 bits, so a signed column shows it as negative from 2046 on. Pass
    /// the bits as unsigned ([`i64::cast_unsigned`]).
    Instagram = Row::of(&Preset::INSTAGRAM);
    /// Mastodon: 48 bits of milliseconds since 1970, 16 bits of a sequence that starts at random in
    /// each millisecond and wraps around. It has no node.
    Mastodon = MASTODON;
    /// Sonyflake with the first version's start time: a bit that is zero, 39 bits of 10 ms since
    /// 2014-09-01, a sequence of 8, a machine of 16.
    Sonyflake = Row::of(&Preset::SONYFLAKE);
    /// Sonyflake with the second version's start time, 2025-01-01.
    SonyflakeV2 = Row::of(&Preset::SONYFLAKE_V2);
    /// pgEdge's extension for PostgreSQL, since its version 1.2: a bit that is zero, 41 bits of
    /// milliseconds since 2023-01-01, a node of 10 bits, a counter of 12.
    PgEdge = Row::of(&Preset::PGEDGE);
}

/// A system's names and layout.
struct Row {
    key: &'static str,
    name: &'static str,
    layout: Layout,
}

/// A timestamp above a node and a sequence, in either order.
#[derive(Clone, Copy)]
struct Layout {
    epoch: Epoch,
    millis_per_tick: u8,
    node_bits: u32,
    sequence_bits: u32,
    order: Order,
    /// Set if the highest bit is part of the timestamp.
    is_unsigned: bool,
    fields: &'static [Field],
}

/// The field in the lowest bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    SequenceLow,
    NodeLow,
}

/// Returns an epoch of our time.
#[allow(clippy::panic, reason = "in constants")]
const fn epoch(unix_millis: i64) -> Epoch {
    match Epoch::from_unix_millis(unix_millis) {
        Ok(epoch) => epoch,
        Err(_) => panic!("not an epoch of our time"),
    }
}

impl Row {
    const fn of(preset: &Preset) -> Self {
        let shape = preset.layout.shape();
        let order = match preset.layout {
            AnySnowflake::NodeAboveSequence(_) => Order::SequenceLow,
            AnySnowflake::SequenceAboveNode(_) => Order::NodeLow,
        };
        #[allow(clippy::cast_possible_truncation, reason = "some milliseconds")]
        let layout = Layout {
            epoch: epoch(shape.epoch.as_millis()),
            millis_per_tick: shape.unit.as_millis() as u8,
            node_bits: shape.node,
            sequence_bits: shape.sequence,
            order,
            is_unsigned: shape.is_unsigned,
            fields: preset.fields,
        };
        Self { key: preset.name, name: preset.title, layout }
    }
}

/// 48 bits of time are more than a Snowflake's layout can have.
const MASTODON: Row = Row {
    key: "mastodon",
    name: "Mastodon ID",
    layout: Layout {
        epoch: Epoch::UNIX,
        millis_per_tick: 1,
        node_bits: 0,
        sequence_bits: 16,
        order: Order::SequenceLow,
        is_unsigned: true,
        fields: &Field::row([
            ("timestamp", 48, "ms since 1970"),
            ("sequence", 16, "starts at random in each millisecond"),
        ]),
    },
};

impl Layout {
    const fn with_epoch(self, epoch: Epoch) -> Self {
        Self { epoch, ..self }
    }

    /// Returns the parts of an integer whose timestamp has all bits that are left, 48 at most.
    #[inline(always)]
    const fn parts(&self, id: u64) -> Parts {
        let low_bits = self.node_bits + self.sequence_bits;
        let micros_per_tick = 1_000 * self.millis_per_tick as u64;
        // 48 bits of milliseconds, or 40 of 10, and an epoch near ours are far from the ends of 64
        // bits of microseconds.
        let micros = (id >> low_bits).saturating_mul(micros_per_tick).cast_signed();
        let epoch = self.epoch.unix_time();
        let time = UnixTime::from_micros(epoch.as_micros().saturating_add(micros));
        let (node_shift, sequence_shift) = match self.order {
            Order::SequenceLow => (self.sequence_bits, 0),
            Order::NodeLow => (0, self.node_bits),
        };
        let sequence =
            Bits::held(id >> sequence_shift & mask(self.sequence_bits), self.sequence_bits);
        let parts = Parts::held(time, TickScale::every(epoch, micros_per_tick), sequence);
        if self.node_bits == 0 {
            return parts;
        }
        parts.with_node(Bits::held(id >> node_shift & mask(self.node_bits), self.node_bits))
    }
}

impl System {
    /// Returns the ID with this number.
    #[inline]
    #[must_use]
    pub const fn id(self, number: u64) -> ForeignId {
        ForeignId { system: self, number }
    }

    /// Returns the name of the system in options and data: lower case, without spaces.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.row().key
    }

    /// Returns the name of the system's IDs in text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the start of the timestamp 0.
    #[inline(always)]
    #[must_use]
    pub const fn epoch(self) -> Epoch {
        self.row().layout.epoch
    }

    /// Returns the length of a tick in milliseconds.
    #[must_use]
    pub const fn millis_per_tick(self) -> u64 {
        self.row().layout.millis_per_tick as u64
    }

    /// Returns the highest number that is an ID.
    #[inline(always)]
    #[must_use]
    pub const fn max(self) -> u64 {
        if self.row().layout.is_unsigned { u64::MAX } else { u64::MAX >> 1 }
    }

    /// Returns the fields that the bits consist of, the highest first.
    #[must_use]
    pub const fn fields(self) -> &'static [Field] {
        self.row().layout.fields
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a [key](System::key).
impl FromStr for System {
    type Err = SystemError;

    fn from_str(key: &str) -> Result<Self, SystemError> {
        Self::ALL.iter().copied().find(|system| system.key() == key).ok_or(SystemError)
    }
}

/// The error for a text that is the key of no system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no system has this name")]
#[non_exhaustive]
pub struct SystemError;

/// An ID of another system.
///
/// As a [`ToParts`], IDs of one system are meant to be converted together.
///
/// # Examples
/// ```
/// use tickid_convert::{Nodes, Options, convert, foreign::System};
/// use tickid_sno::SnoId;
///
/// let id = 612_728_911_936_419_721_i64; // as a signed column has it
/// let id = System::Instagram.id(id.cast_unsigned());
/// let converted = convert::<SnoId>(id, &Options::default())?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_387_263_000_000);
/// assert_eq!(converted.id.partition().get(), 1_341); // the shard
///
/// let id = System::Sonyflake.id(3_600_000_000 << 24 | 7 << 16 | 0x0a01); // 10,000 hours
/// let converted = convert::<SnoId>(id, &Options::default())?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_445_529_600_000);
/// assert_eq!((converted.id.partition().get(), converted.id.sequence()), (0x0a01, 7));
///
/// // Mastodon's have no node; where they go, there is a place for one.
/// let options = Options { nodes: Nodes::Set(1), ..Options::default() };
/// let converted = convert::<SnoId>(System::Mastodon.id(110_000_000_000_000_000), &options)?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_678_466_796_872); // the 4 ms of ..875
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForeignId {
    system: System,
    number: u64,
}

impl ForeignId {
    /// Returns the system.
    #[inline]
    #[must_use]
    pub const fn system(self) -> System {
        self.system
    }

    /// Returns the ID as an unsigned integer.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.number
    }

    /// Returns the start of the ID's tick.
    #[inline(always)]
    #[must_use]
    pub const fn time(self) -> UnixTime {
        self.system.row().layout.parts(self.number).time()
    }
}

/// The number in decimal.
impl fmt::Display for ForeignId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)
    }
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set and the system leaves it zero.
impl ToParts for ForeignId {
    #[inline(always)]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let Row { name, layout, .. } = self.system.row();
        let sign = self.number & 1 << 63;
        if sign != 0 && !layout.is_unsigned {
            return Err(ConvertError::StrayBits { form: name, bits: sign });
        }
        Ok(layout.parts(self.number))
    }
}

/// A Nanoflake as the original programs (Java, JavaScript, Kotlin) write and read it, with the
/// timestamp shifted by 24 bits instead of the documented 22: 40 bits of milliseconds since
/// [`Layouts::epoch`], 2 zero bits, a generator of 10 bits, a sequence of 12.
///
/// The two forms cannot be distinguished by their integers. Reading one as the other makes its time
/// wrong by a factor of four.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert_exact, foreign::NanoflakeShift24};
/// use tickid_nanoflake::{Nanoflake, NanoflakeId};
///
/// let old = NanoflakeShift24(1_865_039_641_825_116_167);
/// let id: NanoflakeId = convert_exact(old, &Options::default())?;
/// assert_eq!(Nanoflake::default().unix_time(id).as_millis(), 1_400_000_000_000);
/// assert_eq!((id.generator().get(), id.sequence()), (32, 7));
///
/// let as_documented = NanoflakeId::new(1_865_039_641_825_116_167);
/// assert_ne!(as_documented.map(NanoflakeId::timestamp), Ok(id.timestamp()));
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NanoflakeShift24(pub u64);

impl NanoflakeShift24 {
    /// The bits between timestamp and generator, which are zero.
    const GAP: u64 = 0b11 << 22;
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] if one of the two bits above the generator is set.
impl ToParts for NanoflakeShift24 {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let stray = self.0 & Self::GAP;
        if stray != 0 {
            return Err(ConvertError::StrayBits {
                form: "Nanoflake shifted by 24 bits",
                bits: stray,
            });
        }
        // Without the gap it is as the document has it.
        let close = (self.0 >> 24) << 22 | self.0 & mask(22);
        Ok(System::Twitter.row().layout.with_epoch(layouts.epoch).parts(close))
    }
}
