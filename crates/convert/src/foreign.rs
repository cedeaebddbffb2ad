//! IDs of other programs that no scheme's layout describes, for systems that move away from them.
//!
//! The Snowflakes of other systems need nothing from here, because their layouts are presets of
//! `tickid-snowflake`, which [`Settings::snowflake`] takes. The example moves IDs of Discord.
//!
//! # Examples
//! ```
//! use tickid_convert::{Options, Settings, convert_exact};
//! use tickid_sno::SnoId;
//! use tickid_snowflake::{Snowflake, SnowflakeId};
//!
//! let source = Settings { snowflake: Snowflake::DISCORD.into(), ..Settings::default() };
//! let options = Options { source, ..Options::default() };
//! let message = SnowflakeId::new(175_928_847_299_117_063);
//! let id: SnoId = convert_exact(message, &options)?;
//! assert_eq!(id.unix_time().as_millis(), 1_462_015_105_796);
//! assert_eq!((id.partition().get(), id.sequence()), (32, 7));
//! # Ok::<(), tickid_convert::ConvertError>(())
//! ```

use tickid_core::{Field, TickScale, UnixTime};
use tickid_nanoflake::NanoflakeId;

use crate::error::ConvertError;
use crate::options::Settings;
use crate::parts::{Bits, Parts, mask};
use crate::to_parts::ToParts;

/// A Mastodon ID. It has 48 bits of milliseconds since 1970, which are more than a Snowflake's
/// layout can have, and 16 bits of a sequence that starts at random in each millisecond and wraps
/// around. It has no node, so [`Nodes::Set`](crate::Nodes::Set) has to give one to targets that
/// need it.
///
/// # Examples
/// ```
/// use tickid_convert::foreign::Mastodon;
/// use tickid_convert::{Nodes, Options, convert};
/// use tickid_sno::SnoId;
///
/// let options = Options { nodes: Nodes::Set(1), ..Options::default() };
/// let converted = convert::<SnoId>(Mastodon(110_000_000_000_000_000), &options)?;
/// assert_eq!(converted.id.unix_time().as_millis(), 1_678_466_796_872); // the 4 ms of ..875
/// # Ok::<(), tickid_convert::ConvertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mastodon(pub u64);

impl Mastodon {
    const SEQUENCE_BITS: u32 = 16;

    /// The fields that the bits consist of, the highest first.
    pub const FIELDS: [Field; 2] = Field::row([
        ("timestamp", 48, "ms since 1970"),
        ("sequence", Self::SEQUENCE_BITS, "starts at random in each millisecond"),
    ]);

    /// Returns the millisecond of the ID.
    #[inline]
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        // 48 bits of milliseconds are far from the end of 64 bits of microseconds.
        UnixTime::from_micros((self.0 >> Self::SEQUENCE_BITS).saturating_mul(1_000).cast_signed())
    }
}

impl ToParts for Mastodon {
    #[inline]
    fn parts(self, _: &Settings) -> Result<Parts, ConvertError> {
        let sequence = Bits::held(self.0 & mask(Self::SEQUENCE_BITS), Self::SEQUENCE_BITS);
        Ok(Parts::held(self.unix_time(), TickScale::every(UnixTime::EPOCH, 1_000), sequence))
    }
}

/// A Nanoflake as the original programs (Java, JavaScript, Kotlin) write and read it, with the
/// timestamp shifted by 24 bits instead of the documented 22. It has 40 bits of milliseconds since
/// [`Settings::epoch`], 2 zero bits, a generator of 10 bits and a sequence of 12.
///
/// The two forms cannot be distinguished by their integers, so you have to know which program made
/// an ID. Reading one as the other makes its time since the epoch wrong by a factor of four.
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
    fn parts(self, settings: &Settings) -> Result<Parts, ConvertError> {
        let stray = self.0 & Self::GAP;
        if stray != 0 {
            return Err(ConvertError::StrayBits {
                form: "Nanoflake shifted by 24 bits",
                bits: stray,
            });
        }
        // Without the gap, the number is the one of the document.
        let close = (self.0 >> 24) << 22 | self.0 & mask(22);
        NanoflakeId::try_from(close).map_err(ConvertError::Time)?.parts(settings)
    }
}
