//! IDs of other systems, to move away from them. Their layouts are the presets of
//! `tickid-snowflake`, which also generates them, and Mastodon's.
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
use tickid_nanoflake::NanoflakeId;
use tickid_snowflake::{Preset, SnowflakeId};

use crate::error::ConvertError;
use crate::options::Layouts;
use crate::parts::{Bits, Parts, mask};
use crate::schemes::snowflake;
use crate::to_parts::ToParts;

/// The systems, and their presets.
macro_rules! systems {
    ($($(#[doc = $doc:literal])+ $variant:ident = $preset:expr;)+) => {
        /// A system whose IDs are integers with a time, a sequence and, but for Mastodon, a node.
        ///
        /// # Examples
        /// ```
        /// use tickid_convert::foreign::System;
        ///
        /// let system: System = "sonyflake".parse()?;
        /// assert_eq!((system, system.name()), (System::Sonyflake, "Sonyflake"));
        /// assert_eq!(system.epoch().as_millis(), 1_409_529_600_000);
        /// # Ok::<(), tickid_convert::foreign::SystemError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum System {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl System {
            /// Every system.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the preset whose layout the IDs have, but for Mastodon's.
            #[inline(always)]
            #[must_use]
            pub const fn preset(self) -> Option<&'static Preset> {
                match self {
                    $(Self::$variant => const { $preset },)+
                }
            }
        }
    };
}

systems! {
    /// [`Preset::TWITTER`]: a Nanoflake with Twitter's epoch, which is fixed here.
    Twitter = Some(&Preset::TWITTER);
    /// [`Preset::DISCORD`].
    Discord = Some(&Preset::DISCORD);
    /// [`Preset::INSTAGRAM`]. It fills 64 bits, so a signed column shows it as negative from 2046
    /// on. Pass the bits as unsigned ([`i64::cast_unsigned`]).
    Instagram = Some(&Preset::INSTAGRAM);
    /// Mastodon: 48 bits of milliseconds since 1970, which are more than a Snowflake's layout can
    /// have, and 16 bits of a sequence that starts at random in each millisecond and wraps around.
    /// It has no node.
    Mastodon = None;
    /// [`Preset::SONYFLAKE`].
    Sonyflake = Some(&Preset::SONYFLAKE);
    /// [`Preset::SONYFLAKE_V2`].
    SonyflakeV2 = Some(&Preset::SONYFLAKE_V2);
    /// [`Preset::PGEDGE`].
    PgEdge = Some(&Preset::PGEDGE);
    /// [`Preset::TSID`].
    Tsid = Some(&Preset::TSID);
    /// [`Preset::JS_SAFE`].
    JsSafe = Some(&Preset::JS_SAFE);
    /// [`Preset::BAIDU`].
    Baidu = Some(&Preset::BAIDU);
}

const MASTODON_SEQUENCE_BITS: u32 = 16;
const MASTODON_FIELDS: [Field; 2] = Field::row([
    ("timestamp", 48, "ms since 1970"),
    ("sequence", MASTODON_SEQUENCE_BITS, "starts at random in each millisecond"),
]);

/// Returns the parts of a Mastodon ID.
#[inline]
const fn mastodon(id: u64) -> Parts {
    const MILLI: u64 = 1_000;
    // 48 bits of milliseconds are far from the end of 64 bits of microseconds.
    let micros = (id >> MASTODON_SEQUENCE_BITS).saturating_mul(MILLI).cast_signed();
    let sequence = Bits::held(id & mask(MASTODON_SEQUENCE_BITS), MASTODON_SEQUENCE_BITS);
    Parts::held(UnixTime::from_micros(micros), TickScale::every(UnixTime::EPOCH, MILLI), sequence)
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
        match self.preset() {
            Some(preset) => preset.name,
            None => "mastodon",
        }
    }

    /// Returns the name of the system's IDs in text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.preset() {
            Some(preset) => preset.title,
            None => "Mastodon ID",
        }
    }

    /// Returns the start of the timestamp 0.
    #[inline(always)]
    #[must_use]
    pub const fn epoch(self) -> UnixTime {
        match self.preset() {
            Some(preset) => preset.layout.shape().epoch,
            None => UnixTime::EPOCH,
        }
    }

    /// Returns the highest number that is an ID.
    #[inline(always)]
    #[must_use]
    pub const fn max(self) -> u64 {
        match self.preset() {
            Some(preset) => preset.layout.max_id().get(),
            None => u64::MAX,
        }
    }

    /// Returns the fields that the bits consist of, the highest first.
    #[must_use]
    pub const fn fields(self) -> &'static [Field] {
        match self.preset() {
            Some(preset) => preset.fields,
            None => &MASTODON_FIELDS,
        }
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

    /// Returns the ID as a Snowflake of its system's preset, if it has one.
    #[must_use]
    pub fn snowflake(self) -> Option<SnowflakeId> {
        self.system.preset().map(|_| SnowflakeId::new(self.number))
    }

    /// Returns the start of the ID's tick.
    #[inline(always)]
    #[must_use]
    pub fn time(self) -> UnixTime {
        match self.system.preset() {
            Some(preset) => snowflake::time(SnowflakeId::new(self.number), preset.layout),
            None => mastodon(self.number).time(),
        }
    }
}

/// The number in decimal.
impl fmt::Display for ForeignId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number.fmt(f)
    }
}

/// # Errors
/// Returns [`ConvertError::StrayBits`] for an ID above the system's [`max`](System::max).
impl ToParts for ForeignId {
    #[inline(always)]
    fn parts(self, _: &Layouts) -> Result<Parts, ConvertError> {
        match self.system.preset() {
            Some(Preset { layout, title, .. }) => {
                snowflake::parts(SnowflakeId::new(self.number), *layout, title)
            }
            None => Ok(mastodon(self.number)),
        }
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
        NanoflakeId::try_from(close).map_err(ConvertError::Time)?.parts(layouts)
    }
}
