//! IDs of other systems, to move away from them: they can be converted, and not be made.
//!
//! Their texts are decimal integers, which do not identify their system.
//!
//! # Examples
//! ```
//! use tickid_convert::{Options, convert_exact, foreign::Discord};
//! use tickid_sno::SnoId;
//!
//! let message = Discord(175_928_847_299_117_063);
//! let id: SnoId = convert_exact(message, &Options::default())?;
//! assert_eq!(id.unix_time().as_millis(), 1_462_015_105_796);
//! assert_eq!((id.partition().get(), id.sequence()), (32, 7));
//! # Ok::<(), tickid_convert::ConvertError>(())
//! ```

use tickid_core::{TickScale, UnixTime};
use tickid_nanoflake::Epoch;

use crate::error::ConvertError;
use crate::format::Source;
use crate::options::Layouts;
use crate::parts::{Field, Parts, mask};

/// A timestamp above a node and a sequence, in either order.
struct Layout {
    epoch: Epoch,
    millis_per_tick: u8,
    node_bits: u32,
    sequence_bits: u32,
    order: Order,
}

/// The field in the lowest bits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    SequenceLow,
    NodeLow,
}

impl Layout {
    /// Returns the parts of an integer whose timestamp has all bits that are left, 48 at most.
    #[inline]
    fn parts(&self, id: u64) -> Parts {
        let low_bits = self.node_bits + self.sequence_bits;
        let micros_per_tick = 1_000 * u64::from(self.millis_per_tick);
        // 48 bits of milliseconds, or 40 of 10, and an epoch near ours are far from the ends of 64
        // bits of microseconds.
        let micros = (id >> low_bits).saturating_mul(micros_per_tick).cast_signed();
        let epoch = self.epoch.unix_time();
        let time = UnixTime::from_micros(epoch.as_micros().saturating_add(micros));
        let (node_shift, sequence_shift) = match self.order {
            Order::SequenceLow => (self.sequence_bits, 0),
            Order::NodeLow => (0, self.node_bits),
        };
        let field = |shift: u32, bits| Field::held(id >> shift & mask(bits), bits);
        let sequence = field(sequence_shift, self.sequence_bits);
        let parts = Parts::held(time, TickScale::every(epoch, micros_per_tick), sequence);
        if self.node_bits == 0 {
            return parts;
        }
        parts.with_node(field(node_shift, self.node_bits))
    }
}

const MILLIS: Layout = Layout {
    epoch: Epoch::UNIX,
    millis_per_tick: 1,
    node_bits: 10,
    sequence_bits: 12,
    order: Order::SequenceLow,
};

const SONY: Layout = Layout {
    millis_per_tick: 10,
    node_bits: 16,
    sequence_bits: 8,
    order: Order::NodeLow,
    ..MILLIS
};

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set.
#[inline]
fn positive(id: u64, form: &'static str) -> Result<u64, ConvertError> {
    let sign = id & 1 << 63;
    if sign == 0 { Ok(id) } else { Err(ConvertError::StrayBits { form, bits: sign }) }
}

/// A constant epoch in milliseconds since 1970.
macro_rules! epoch {
    ($unix_millis:literal) => {
        match Epoch::from_unix_millis($unix_millis) {
            Ok(epoch) => epoch,
            Err(_) => panic!("an epoch of our time"),
        }
    };
}

/// A Twitter (X) Snowflake: a bit that is zero, 41 bits of milliseconds since
/// 2010-11-04T01:42:54.657Z, a datacenter and a worker of 5 bits each, a sequence of 12.
///
/// It is a Nanoflake with Twitter's epoch, which is fixed here.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert, foreign::Twitter};
/// use tickid_sno::SnoId;
///
/// let converted = convert::<SnoId>(Twitter(1_541_815_603_606_036_480), &Options::default())?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_656_432_460_104);
/// assert_eq!(converted.id.partition().get(), 378); // datacenter and worker
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Twitter(pub u64);

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set.
impl Source for Twitter {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let id = positive(self.0, "Twitter's form")?;
        Ok(Layout { epoch: Epoch::TWITTER, ..MILLIS }.parts(id))
    }
}

/// A Discord Snowflake: 42 bits of milliseconds since 2015, a worker and a process of 5 bits each,
/// an increment of 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Discord(pub u64);

impl Source for Discord {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(Layout { epoch: Epoch::DISCORD, ..MILLIS }.parts(self.0))
    }
}

/// An Instagram ID: 41 bits of milliseconds since 2011-08-24T21:07:01.721Z, a shard of 13 bits, a
/// sequence of 10.
///
/// It fills 64 bits, so a signed column shows it as negative from 2046 on. Pass the bits as
/// unsigned ([`i64::cast_unsigned`]).
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert, foreign::Instagram};
/// use tickid_sno::SnoId;
///
/// let id = 612_728_911_936_419_721_i64; // as a signed column has it
/// let converted = convert::<SnoId>(Instagram(id.cast_unsigned()), &Options::default())?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_387_263_000_000);
/// assert_eq!(converted.id.partition().get(), 1_341); // the shard
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instagram(pub u64);

impl Instagram {
    /// The start of its timestamp 0.
    pub const EPOCH: Epoch = epoch!(1_314_220_021_721);
}

impl Source for Instagram {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(Layout { epoch: Self::EPOCH, node_bits: 13, sequence_bits: 10, ..MILLIS }.parts(self.0))
    }
}

/// A Mastodon ID: 48 bits of milliseconds since 1970, 16 bits of a sequence that starts at random
/// in each millisecond and wraps around. It has no node.
///
/// # Examples
/// ```
/// use tickid_convert::{Nodes, Options, convert, foreign::Mastodon};
/// use tickid_sno::SnoId;
///
/// // Where it goes, there is a place for a node.
/// let options = Options { nodes: Nodes::Set(1), ..Options::default() };
/// let converted = convert::<SnoId>(Mastodon(110_000_000_000_000_000), &options)?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_678_466_796_872); // the 4 ms of ..875
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mastodon(pub u64);

impl Source for Mastodon {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(Layout { node_bits: 0, sequence_bits: 16, ..MILLIS }.parts(self.0))
    }
}

/// A Sonyflake with the first version's start time: a bit that is zero, 39 bits of 10 ms since
/// 2014-09-01, a sequence of 8, a machine of 16.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert, foreign::Sonyflake};
/// use tickid_sno::SnoId;
///
/// let id = 3_600_000_000_u64 << 24 | 7 << 16 | 0x0a01; // 10,000 hours, machine 10.1
/// let converted = convert::<SnoId>(Sonyflake(id), &Options::default())?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_445_529_600_000);
/// assert_eq!((converted.id.partition().get(), converted.id.sequence()), (0x0a01, 7));
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sonyflake(pub u64);

impl Sonyflake {
    /// The start of its timestamp 0.
    pub const EPOCH: Epoch = epoch!(1_409_529_600_000);
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set.
impl Source for Sonyflake {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let id = positive(self.0, "Sonyflake")?;
        Ok(Layout { epoch: Self::EPOCH, ..SONY }.parts(id))
    }
}

/// A Sonyflake with the second version's start time, 2025-01-01, and otherwise as [`Sonyflake`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SonyflakeV2(pub u64);

impl SonyflakeV2 {
    /// The start of its timestamp 0.
    pub const EPOCH: Epoch = epoch!(1_735_689_600_000);
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set.
impl Source for SonyflakeV2 {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let id = positive(self.0, "Sonyflake")?;
        Ok(Layout { epoch: Self::EPOCH, ..SONY }.parts(id))
    }
}

/// A snowflake of pgEdge's extension for PostgreSQL: a bit that is zero, 41 bits of milliseconds
/// since 2023-01-01, a counter of 12 bits, a node of 10.
///
/// # Examples
/// ```
/// use tickid_convert::{Options, convert, foreign::PgEdge};
/// use tickid_nanoflake::NanoflakeId;
///
/// let id = 86_400_000_u64 << 22 | 5 << 10 | 3; // after one day, on node 3
/// let converted = convert::<NanoflakeId>(PgEdge(id), &Options::default())?;
/// assert_eq!((converted.id.generator().get(), converted.id.sequence()), (3, 5));
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PgEdge(pub u64);

impl PgEdge {
    /// The start of its timestamp 0.
    pub const EPOCH: Epoch = epoch!(1_672_531_200_000);
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] if the highest bit is set.
impl Source for PgEdge {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        let id = positive(self.0, "pgEdge's form")?;
        Ok(Layout { epoch: Self::EPOCH, order: Order::NodeLow, ..MILLIS }.parts(id))
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
impl Source for NanoflakeShift24 {
    #[inline]
    fn parts(self, layouts: &Layouts) -> Result<Parts, ConvertError> {
        let stray = self.0 & Self::GAP;
        if stray != 0 {
            return Err(ConvertError::StrayBits { form: "the 24-bit-shift form", bits: stray });
        }
        // Without the gap it is as the document has it.
        let close = (self.0 >> 24) << 22 | self.0 & mask(22);
        Ok(Layout { epoch: layouts.epoch, ..MILLIS }.parts(close))
    }
}
