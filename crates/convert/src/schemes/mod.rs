//! The facts about each scheme's IDs, in one file for each scheme.

/// The schemes, each with the ID type, the scheme's name, the kind's key, and the name in text. A
/// new scheme is a row here, and a file below that implements [`SchemeId`]. New rows are last,
/// because the order is the one of UUIDs' kinds.
macro_rules! table {
    ($declare:ident) => {
        $declare! {
            Scru64(tickid_scru64::Scru64Id), "scru64", "scru64", "SCRU64";
            Nanoflake(tickid_nanoflake::NanoflakeId), "nanoflake", "nanoflake", "Nanoflake";
            KuidLocal(tickid_kuid::LocalId), "kuid", "kuid-local", "kuid local";
            KuidGlobal(tickid_kuid::GlobalId), "kuid", "kuid-global", "kuid global";
            Sno(tickid_sno::SnoId), "sno", "sno", "sno";
            Snowflake(tickid_snowflake::SnowflakeId), "snowflake", "snowflake", "Snowflake";
        }
    };
}
#[allow(clippy::single_component_path_imports, reason = "it is a macro")]
pub(crate) use table;

/// The texts of an ID type.
macro_rules! own_texts {
    () => {
        type Text = tickid_text::Text<{ Self::TEXT_LEN }>;
        const FORMS: &'static [tickid_text::form::FormOf<Self>] = Self::FORMS;

        #[inline]
        fn parse(text: &[u8]) -> Result<Self, tickid_text::ParseError> {
            Self::parse_bytes(text)
        }

        #[inline]
        fn text(self) -> Self::Text {
            self.encode()
        }
    };
}

/// The number and the bytes of an ID type that is an integer of 64 bits.
macro_rules! own_integer {
    () => {
        type Bytes = [u8; 8];

        fn from_number(number: u128) -> Result<Self, RangeError> {
            super::integer_of(number)
        }

        #[inline]
        fn bytes(self) -> Self::Bytes {
            self.to_be_bytes()
        }

        #[inline]
        fn number(self) -> u128 {
            u64::from(self).into()
        }
    };
}

/// The number and the bytes of an ID type that is an array of `$len` bytes.
macro_rules! own_bytes {
    ($len:expr) => {
        type Bytes = [u8; $len];

        fn from_number(number: u128) -> Result<Self, RangeError> {
            super::bytes_of::<Self, _>(number).map(Self::from_bytes)
        }

        #[inline]
        fn bytes(self) -> Self::Bytes {
            self.to_bytes()
        }

        #[inline]
        fn number(self) -> u128 {
            self.into()
        }
    };
}

/// The times of an ID type whose bits hold the whole time.
macro_rules! own_times {
    () => {
        #[cfg_attr(not(target_family = "wasm"), inline(always))]
        fn unix_time(self, _: &Settings) -> UnixTime {
            self.unix_time()
        }

        fn min_at(time: UnixTime, _: &Settings) -> Result<Self, RangeError> {
            Self::min_at(time)
        }

        fn max_at(time: UnixTime, _: &Settings) -> Result<Self, RangeError> {
            Self::max_at(time)
        }

        fn range(
            times: (core::ops::Bound<UnixTime>, core::ops::Bound<UnixTime>),
            _: &Settings,
        ) -> Option<RangeInclusive<Self>> {
            Self::range(times)
        }
    };
}

pub(crate) mod any_id;
pub(crate) mod kind;
pub(crate) mod kuid;
mod nanoflake;
mod scheme_id;
mod scru64;
mod sno;
mod snowflake;

use tickid_core::{RangeError, Scheme, UnixTime};

pub(crate) use self::scheme_id::sealed;
pub use self::scheme_id::{
    Fields, SchemeId, SchemeVariant, SchemeVisitor, Setting, SettingList, SettingValue,
};
use crate::error::ConvertError;

/// Returns the ID of a number of up to 64 bits.
fn integer_of<I: SchemeId + TryFrom<u64>>(number: u128) -> Result<I, RangeError> {
    let id = u64::try_from(number).ok().and_then(|number| I::try_from(number).ok());
    id.ok_or_else(|| outside::<I>(number))
}

/// Returns the low bytes of a number whose other bytes are zero.
fn bytes_of<I: SchemeId, const N: usize>(number: u128) -> Result<[u8; N], RangeError> {
    let bytes = number.to_be_bytes();
    match bytes.split_last_chunk() {
        Some((_, low)) if number <= I::MAX_NUMBER => Ok(*low),
        _ => Err(outside::<I>(number)),
    }
}

#[cold]
fn outside<I: SchemeId>(number: u128) -> RangeError {
    let number = i128::try_from(number).unwrap_or(i128::MAX);
    RangeError::new(I::KIND.number_name(), number, 0, I::MAX_NUMBER.cast_signed())
}

/// Returns the number of the tick of a time, which `scheme` must have.
#[inline]
fn held<S: Scheme>(scheme: S, tick: i64, time: UnixTime) -> Result<u64, ConvertError> {
    match u64::try_from(tick) {
        Ok(tick) if tick <= scheme.max_tick() => Ok(tick),
        _ => Err(out_of_range(scheme, time)),
    }
}

#[cold]
fn out_of_range<S: Scheme>(scheme: S, time: UnixTime) -> ConvertError {
    match scheme.tick_at(time) {
        Err(error) => ConvertError::Time(error),
        // The scheme and its ticks here number alike.
        Ok(tick) => {
            let (value, max) = (tick.get().into(), scheme.max_tick().into());
            ConvertError::Time(tickid_core::RangeError::new("tick", value, 0, max))
        }
    }
}
