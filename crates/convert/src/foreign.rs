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

use tickid_core::{Scheme as _, UnixTime};
use tickid_nanoflake::{Epoch, Nanoflake};

use crate::error::ConvertError;
use crate::format::Source;
use crate::options::Layouts;
use crate::parts::{Field, Parts, mask};

/// Milliseconds, a node and a sequence, one above the other.
struct Layout {
    epoch: Epoch,
    node_bits: u32,
    sequence_bits: u32,
}

impl Layout {
    /// Returns the parts of an integer whose timestamp has all bits that are left, 48 at most.
    #[inline]
    fn parts(&self, id: u64) -> Parts {
        let low_bits = self.node_bits + self.sequence_bits;
        // 48 bits of milliseconds and an epoch near ours are far from the ends of 64 bits of
        // microseconds.
        let millis = self.epoch.as_unix_millis() + (id >> low_bits).cast_signed();
        let time = UnixTime::from_micros(millis.saturating_mul(1_000));
        let sequence = Field::held(id & mask(self.sequence_bits), self.sequence_bits);
        let parts = Parts::held(time, Nanoflake { epoch: self.epoch }.scale(), sequence);
        if self.node_bits == 0 {
            return parts;
        }
        let node = id >> self.sequence_bits & mask(self.node_bits);
        parts.with_node(Field::held(node, self.node_bits))
    }
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
        let sign = self.0 & 1 << 63;
        if sign != 0 {
            return Err(ConvertError::StrayBits { form: "Twitter's form", bits: sign });
        }
        Ok(Layout { epoch: Epoch::TWITTER, node_bits: 10, sequence_bits: 12 }.parts(self.0))
    }
}

/// A Discord Snowflake: 42 bits of milliseconds since 2015, a worker and a process of 5 bits each,
/// an increment of 12.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Discord(pub u64);

impl Source for Discord {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(Layout { epoch: Epoch::DISCORD, node_bits: 10, sequence_bits: 12 }.parts(self.0))
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
    pub const EPOCH: Epoch = match Epoch::from_unix_millis(1_314_220_021_721) {
        Ok(epoch) => epoch,
        Err(_) => panic!("an epoch of our time"),
    };
}

impl Source for Instagram {
    #[inline]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        Ok(Layout { epoch: Self::EPOCH, node_bits: 13, sequence_bits: 10 }.parts(self.0))
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
        Ok(Layout { epoch: Epoch::UNIX, node_bits: 0, sequence_bits: 16 }.parts(self.0))
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
        Ok(Layout { epoch: layouts.epoch, node_bits: 10, sequence_bits: 12 }.parts(close))
    }
}
