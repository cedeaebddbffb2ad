//! IDs without a node, of 64 bits.

use core::ops::{RangeBounds, RangeInclusive};

use tickid_core::{Field, IntoUnixTime, RangeError, Scheme as _, Tick, UnixTime};

use crate::codec::impl_texts;
use crate::distance::Distance;
use crate::drift::Kuid;

/// A local ID of 64 bits, which is unique among the IDs of one generator.
///
/// Use it inside one process or database. Before an ID leaves it, make it a
/// [`GlobalId`](crate::GlobalId) with [`from_local`](crate::GlobalId::from_local), because two
/// generators can issue the same local ID.
///
/// ```text
///     20 bits        20 bits    10 bits     14 bits
/// |--------------|------------|---------|-------------|
///  mega-seconds A   seconds B     C        sequence
/// ```
///
/// `{A, B, C}` is a time since 1970 of A million seconds, B seconds and C microseconds. Of the 20
/// bits of C, the ID holds only the high 10, so a tick is 1,024 µs (and the last one of a second
/// 576 µs). IDs order by time, then by sequence, and their integers, bytes and canonical text sort
/// in the same order.
///
/// Every bit pattern is an ID, even with B above 999,999 or C above 999,424, although no generator
/// issues such an ID. Its [`tick`](Self::tick) is `None`, and its [`unix_time`](Self::unix_time) is
/// plain arithmetic, so times need not order as the IDs do.
///
/// # Examples
/// ```
/// use tickid_kuid::LocalId;
///
/// let id = LocalId::from_parts(1539, 625_275, 432_128, 1)?;
/// assert_eq!(id.to_string(), ".5.tXbhdV.3");
/// assert_eq!(".5.tXbhdV.3".parse(), Ok(id));
/// assert_eq!(id.encode_url(), "AGA5intpgAE");
/// assert_eq!(id.unix_time().as_millis(), 1_539_625_275_432);
/// # Ok::<(), tickid_kuid::RangeError>(())
/// ```
///
/// # Spec
/// fogfish/uid, "64-bit, local".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct LocalId(u64);

impl LocalId {
    /// The lowest value, whose time and sequence are 0. This is Erlang's `uid:z()`.
    #[doc(alias = "z")]
    pub const MIN: Self = Self(0);
    /// The highest value.
    pub const MAX: Self = Self(u64::MAX);
    /// The highest mega-seconds A that fit 20 bits.
    pub const MAX_MEGA_SECONDS: u32 = (1 << 20) - 1;
    /// The highest seconds B that fit 20 bits. In a valid time they are below a million.
    pub const MAX_SECONDS: u32 = (1 << 20) - 1;
    /// The highest microseconds C that fit 20 bits of which the low 10 are zero. In a valid time
    /// they are below a million.
    pub const MAX_MICRO_SECONDS: u32 = (1 << 20) - (1 << Self::DROPPED_BITS);
    /// The highest sequence that fits 14 bits, 16,383.
    pub const MAX_SEQUENCE: u32 = (1 << Self::SEQUENCE_BITS) - 1;
    /// The length of either text.
    pub const TEXT_LEN: usize = 11;
    /// The fields that the bits consist of, the highest first.
    pub const FIELDS: [Field; 4] = [
        Field::new("a", 0, 20, "mega-seconds (millions of seconds) since 1970"),
        Field::new("b", 20, 20, "seconds"),
        Field::new("c", 40, 10, "microseconds, in steps of 1,024").times(1 << Self::DROPPED_BITS),
        Field::new("sequence", 50, Self::SEQUENCE_BITS, "distinguishes the IDs of a tick"),
    ];

    const SEQUENCE_BITS: u32 = 14;
    /// The number of low bits of C that an ID does not hold.
    const DROPPED_BITS: u32 = 10;
    const STEP_BITS: u32 = 10;
    const SECONDS_SHIFT: u32 = Self::SEQUENCE_BITS + Self::STEP_BITS;
    const MEGA_SECONDS_SHIFT: u32 = Self::SECONDS_SHIFT + 20;

    /// Returns the ID with this integer value.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// const ID: LocalId = LocalId::new(27_082_559_990_628_353);
    /// assert_eq!(ID.get(), 27_082_559_990_628_353);
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(value: u64) -> Self {
        Self(value)
    }

    /// Returns the ID of a time `{A, B, C}` since 1970 and a sequence. C is rounded down to a
    /// multiple of 1,024.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for A above [`MAX_MEGA_SECONDS`](Self::MAX_MEGA_SECONDS), B above
    /// [`MAX_SECONDS`](Self::MAX_SECONDS), C of more than 20 bits (1,048,575) or a sequence above
    /// [`MAX_SEQUENCE`](Self::MAX_SEQUENCE). It names the first field that is out of range.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// let id = LocalId::from_parts(1_539, 625_275, 432_999, 1)?;
    /// assert_eq!((id.mega_seconds(), id.seconds(), id.sequence()), (1_539, 625_275, 1));
    /// assert_eq!(id.micro_seconds(), 432_128); // 422 steps of 1,024
    ///
    /// let error = LocalId::from_parts(0, 0, 0, 16_384).unwrap_err();
    /// assert_eq!(error.to_string(), "kuid sequence 16384 is outside of 0..=16383");
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    ///
    /// # Spec
    /// fogfish/uid, "64-bit, local". The Erlang library drops the high bits of fields that do not
    /// fit.
    pub const fn from_parts(
        mega_seconds: u32,
        seconds: u32,
        micro_seconds: u32,
        sequence: u32,
    ) -> Result<Self, RangeError> {
        const MICRO_SECONDS: u32 = (1 << 20) - 1;
        let (what, value, max) = if mega_seconds > Self::MAX_MEGA_SECONDS {
            ("kuid mega-seconds", mega_seconds, Self::MAX_MEGA_SECONDS)
        } else if seconds > Self::MAX_SECONDS {
            ("kuid seconds", seconds, Self::MAX_SECONDS)
        } else if micro_seconds > MICRO_SECONDS {
            ("kuid microseconds", micro_seconds, MICRO_SECONDS)
        } else if sequence > Self::MAX_SEQUENCE {
            ("kuid sequence", sequence, Self::MAX_SEQUENCE)
        } else {
            let step = micro_seconds >> Self::DROPPED_BITS;
            return Ok(Self::assemble(mega_seconds as u64, seconds as u64, step as u64, sequence));
        };
        Err(RangeError::new(what, value as i128, 0, max as i128))
    }

    /// Builds an ID from parts that are in range. `step` is C without its low 10 bits.
    #[inline]
    const fn assemble(mega_seconds: u64, seconds: u64, step: u64, sequence: u32) -> Self {
        debug_assert!(sequence <= Self::MAX_SEQUENCE);
        Self(
            mega_seconds << Self::MEGA_SECONDS_SHIFT
                | seconds << Self::SECONDS_SHIFT
                | step << Self::SEQUENCE_BITS
                | sequence as u64,
        )
    }

    /// Returns the ID of a tick and a sequence that is in range.
    #[inline]
    pub(crate) const fn at(tick: Tick<Kuid>, sequence: u32) -> Self {
        let (seconds, step) =
            (tick.get() / Kuid::TICKS_PER_SECOND, tick.get() % Kuid::TICKS_PER_SECOND);
        Self::assemble(seconds / 1_000_000, seconds % 1_000_000, step, sequence)
    }

    /// Returns the integer value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the integer in 8 bytes, big-endian, which sort as the IDs do. This is Erlang's
    /// `uid:encode`.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::LocalId::new(258).to_be_bytes(), [0, 0, 0, 0, 0, 0, 1, 2]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the ID with these 8 big-endian bytes. This is Erlang's `uid:decode`.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_kuid::LocalId::from_be_bytes([0, 0, 0, 0, 0, 0, 1, 2]).get(), 258);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_be_bytes(bytes: [u8; 8]) -> Self {
        Self(u64::from_be_bytes(bytes))
    }

    /// Returns part A of the time, in millions of seconds.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// // Erlang's {1700, 10, 512000}, and a sequence of 7.
    /// let id = LocalId::from_parts(1_700, 10, 512_000, 7)?;
    /// assert_eq!((id.mega_seconds(), id.seconds(), id.micro_seconds()), (1_700, 10, 512_000));
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn mega_seconds(self) -> u32 {
        // 20 bits.
        self.field(Self::MEGA_SECONDS_SHIFT, 20)
    }

    /// Returns part B of the time, in seconds. In a valid time it is below a million.
    #[inline]
    #[must_use]
    pub const fn seconds(self) -> u32 {
        self.field(Self::SECONDS_SHIFT, 20)
    }

    /// Returns part C of the time, in microseconds. It is a multiple of 1,024, and in a valid time
    /// it is below a million.
    #[inline]
    #[must_use]
    pub const fn micro_seconds(self) -> u32 {
        self.step() << Self::DROPPED_BITS
    }

    const fn step(self) -> u32 {
        self.field(Self::SEQUENCE_BITS, Self::STEP_BITS)
    }

    /// Returns the sequence of 14 bits, which distinguishes the IDs of one tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// assert_eq!(LocalId::from_parts(1_700, 10, 512_000, 7)?.sequence(), 7);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn sequence(self) -> u32 {
        self.field(0, Self::SEQUENCE_BITS)
    }

    #[inline]
    const fn field(self, shift: u32, bits: u32) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "masked to `bits`")]
        {
            (self.0 >> shift) as u32 & ((1 << bits) - 1)
        }
    }

    /// Returns the tick, or `None` if B or C is not part of a valid time.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// let id = LocalId::from_parts(0, 2, 3_072, 0)?;
    /// assert_eq!(id.tick().map(|tick| tick.get()), Some(2 * 977 + 3));
    /// assert_eq!(LocalId::from_parts(0, 1_000_000, 0, 0)?.tick(), None); // no valid second
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn tick(self) -> Option<Tick<Kuid>> {
        let (seconds, step) = (self.seconds() as u64, self.step() as u64);
        if seconds >= 1_000_000 || step >= Kuid::TICKS_PER_SECOND {
            return None;
        }
        let seconds = self.mega_seconds() as u64 * 1_000_000 + seconds;
        match Tick::new(seconds * Kuid::TICKS_PER_SECOND + step) {
            Ok(tick) => Some(tick),
            Err(_) => None,
        }
    }

    /// Returns the start of the ID's tick, which is A × 10^12 + B × 10^6 + C microseconds after
    /// 1970, for any B and C. In milliseconds, this is Erlang's `uid:t(Uid)`.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// let id = LocalId::from_parts(1_539, 625_275, 432_999, 1)?;
    /// assert_eq!(id.unix_time().as_micros(), 1_539_625_275_432_128); // C is a multiple of 1,024
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[doc(alias = "t")]
    #[inline]
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        let seconds = self.mega_seconds() as u64 * 1_000_000 + self.seconds() as u64;
        // The microseconds are below 2^60.
        let micros = seconds * 1_000_000 + self.micro_seconds() as u64;
        UnixTime::from_micros(micros.cast_signed())
    }

    /// Returns [`unix_time`](Self::unix_time) as a time type of a different library, for example
    /// `jiff`'s `Timestamp` (with the core's feature `jiff_1`) or `chrono`'s `DateTime<Utc>` (with
    /// `chrono_0_4`).
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range. For example, `jiff` ends with the
    /// year 9999. `chrono` ends after the last kuid, so its conversion always succeeds.
    ///
    /// # Examples
    /// ```
    /// use jiff::Timestamp;
    /// use tickid_kuid::LocalId;
    ///
    /// let id = LocalId::from_parts(1_539, 625_200, 0, 0)?;
    /// let time: Timestamp = id.time_as()?;
    /// assert_eq!(time.as_second(), 1_539_625_200);
    /// assert_eq!(LocalId::min_at(time)?, id);
    ///
    /// let error = LocalId::MAX.time_as::<Timestamp>().unwrap_err(); // of the year 35198
    /// assert_eq!(error.value(), LocalId::MAX.unix_time().as_micros().into());
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self) -> Result<T, T::Error> {
        T::try_from(self.unix_time())
    }

    /// Returns the distance from `earlier` to this ID in time and sequence. It is negative if this
    /// ID comes first. This is Erlang's `uid:d(Uid, Earlier)`.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// let later = LocalId::from_parts(0, 1, 0, 0)?;
    /// let earlier = LocalId::from_parts(0, 0, 999_424, 5)?;
    /// let distance = later.distance(earlier);
    /// assert_eq!((distance.as_micros(), distance.sequence()), (576, -5));
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[doc(alias = "d")]
    #[must_use]
    pub const fn distance(self, earlier: Self) -> Distance {
        Distance::new(
            self.unix_time().as_micros() - earlier.unix_time().as_micros(),
            self.sequence().cast_signed() - earlier.sequence().cast_signed(),
        )
    }

    /// Returns the lowest ID that shows `time` or a later one. Start a range scan with it.
    ///
    /// The half-open range from `min_at(since)` to `min_at(until)` holds the IDs that show a time
    /// from `since` to just before `until`. An ID shows the start of its tick
    /// ([`unix_time`](Self::unix_time)), so a `since` within a tick starts at the next one.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the start of the format's last
    /// tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, UnixTime};
    ///
    /// let time = UnixTime::from_millis(1_700_000_000_000)?;
    /// let (min, max) = (LocalId::min_at(time)?, LocalId::max_at(time)?);
    /// assert_eq!((min.sequence(), max.sequence()), (0, LocalId::MAX_SEQUENCE));
    /// assert_eq!(min.tick(), max.tick());
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    pub fn min_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Kuid::default().first_tick_from(time.into_unix_time()?).map(Self::lowest)
    }

    /// Returns the highest ID that shows `time` or an earlier one. End a range scan with it,
    /// inclusively.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the format's last tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::LocalId;
    ///
    /// let id = LocalId::from_parts(1_539, 625_275, 432_999, 1)?;
    /// let max = LocalId::max_at(id.unix_time())?;
    /// assert_eq!((max.tick(), max.sequence()), (id.tick(), LocalId::MAX_SEQUENCE));
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    pub fn max_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Kuid::default().tick_at(time.into_unix_time()?).map(Self::highest)
    }

    /// Returns the range of all IDs that show a time within `times`, or `None` if there are none.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format and open ends, so it suits times that users enter. If you scan day by day with
    /// half-open ranges, every ID of a valid time lies in exactly one of them.
    ///
    /// # Examples
    /// ```
    /// use tickid_kuid::{LocalId, UnixTime};
    ///
    /// let until = UnixTime::from_millis(1_700_000_000_123)?;
    /// let keys = LocalId::range(..=until).unwrap();
    /// assert_eq!(keys, LocalId::MIN..=LocalId::max_at(until)?);
    /// assert_eq!(LocalId::range(..UnixTime::EPOCH), None);
    /// # Ok::<(), tickid_kuid::RangeError>(())
    /// ```
    #[must_use]
    pub fn range<T: IntoUnixTime + Clone>(
        times: impl RangeBounds<T>,
    ) -> Option<RangeInclusive<Self>> {
        let (first, last) = Kuid::default().ticks_in_range(times)?.into_inner();
        Some(Self::lowest(first)..=Self::highest(last))
    }

    const fn lowest(tick: Tick<Kuid>) -> Self {
        Self::at(tick, 0)
    }

    const fn highest(tick: Tick<Kuid>) -> Self {
        Self::at(tick, Self::MAX_SEQUENCE)
    }
}

impl_texts! {
    LocalId: "kuid local ID", "kuid local", 8 bytes, "11", from Self::from_be_bytes, to Self::to_be_bytes,
    "Also for a last character that holds more than the ID's last 4 bits, which the Erlang library takes.",
    ".5.tXbhdV.3"
}

tickid_core::impl_conversions! { LocalId:
    from u64 = LocalId::new;
    from [u8; 8] = LocalId::from_be_bytes;
    into u64 = LocalId::get;
    into [u8; 8] = LocalId::to_be_bytes;
    /// For signed 64-bit columns, which hold and sort every ID up to the year 18583.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a negative number.
    try_from i64 = |value: i64| u64::try_from(value).map_or(Err(unsigned(value)), |v| Ok(LocalId(v)));
    /// For signed 64-bit columns.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for an ID from the year 18584 on, because its highest bit is set.
    try_into i64 = |id: LocalId| i64::try_from(id.0).map_err(|_| unsigned(id.0));
}

/// Returns the error of a number that fits only one of `i64` and `u64`.
fn unsigned(value: impl Into<i128>) -> RangeError {
    RangeError::new("kuid local ID", value.into(), 0, i64::MAX.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<LocalId>(), 8);
    }

    #[test]
    fn highest_parts_make_highest_id() {
        let highest = LocalId::from_parts(
            LocalId::MAX_MEGA_SECONDS,
            LocalId::MAX_SECONDS,
            LocalId::MAX_MICRO_SECONDS,
            LocalId::MAX_SEQUENCE,
        );
        assert_eq!(highest, Ok(LocalId::MAX));
    }

    #[test]
    fn only_valid_times_have_a_tick() {
        let tick = |seconds, micro_seconds| {
            let id = LocalId::from_parts(0, seconds, micro_seconds, 7).unwrap();
            id.tick().map(Tick::get)
        };
        assert_eq!(tick(0, 0), Some(0));
        assert_eq!(tick(0, 999_999), Some(976));
        assert_eq!(tick(1, 0), Some(977));
        assert_eq!(tick(999_999, 999_424), Some(976_999_999));
        assert_eq!(tick(0, 1_000_448), None);
        assert_eq!(tick(1_000_000, 0), None);
    }

    #[test]
    fn signed_columns_hold_lower_half() {
        assert_eq!(i64::try_from(LocalId::new(7)), Ok(7));
        assert_eq!(LocalId::try_from(7_i64), Ok(LocalId::new(7)));
        let error = i64::try_from(LocalId::MAX).unwrap_err();
        assert_eq!(error.value(), u64::MAX.into());
        assert_eq!(LocalId::try_from(-1_i64).unwrap_err().value(), -1);
    }
}
