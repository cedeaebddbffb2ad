//! The units of Unix times.

use tickid_core::UnixTime;

/// The unit of a Unix time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UnixUnit {
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Millis,
    /// Microseconds since 1970.
    Micros,
    /// Nanoseconds since 1970.
    Nanos,
}

tickid_core::cases! {
    pub(crate) ALL of UnixUnit: Seconds, Millis, Micros, Nanos
}

impl UnixUnit {
    /// Returns the number of units per second.
    pub(crate) const fn per_second(self) -> u64 {
        match self {
            Self::Seconds => 1,
            Self::Millis => 1_000,
            Self::Micros => 1_000_000,
            Self::Nanos => 1_000_000_000,
        }
    }

    /// Returns the time that a number of units is.
    pub(crate) fn time(self, number: u64) -> UnixTime {
        let micros = match self {
            Self::Nanos => number / 1_000,
            Self::Seconds | Self::Millis | Self::Micros => {
                number.saturating_mul(1_000_000 / self.per_second())
            }
        };
        let max = UnixTime::MAX.as_micros().cast_unsigned();
        UnixTime::from_micros(micros.min(max).cast_signed())
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "Unix time in seconds",
            Self::Millis => "Unix time in milliseconds",
            Self::Micros => "Unix time in microseconds",
            Self::Nanos => "Unix time in nanoseconds",
        }
    }
}
