use core::ops::RangeInclusive;

use tickid_core::{IntoUnixTime, RangeError, Scheme as _, Slot, Tick, UnixTime};
use tickid_text::base36::TwelveDigits;

use crate::node::NodeIdSize;
use crate::scheme::Scru64;

/// A SCRU64 ID: an integer below 36^12, in 63 bits.
///
/// IDs order by time, then node and counter; integers, bytes and text order alike.
///
/// # Examples
/// ```
/// use tickid_scru64::Scru64Id;
///
/// let id: Scru64Id = "0u375nxqh5cq".parse()?;
/// assert_eq!(id.timestamp(), 6_557_084_606);
/// assert_eq!(id.unix_time().as_millis(), 6_557_084_606 * 256);
/// assert_eq!(id.node_ctr(), 2_777_946);
/// assert_eq!("0U375NXQH5CQ".parse(), Ok(id)); // case does not matter
/// # Ok::<(), tickid_scru64::ParseError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "diesel",
    derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow),
    diesel(sql_type = diesel::sql_types::BigInt)
)]
#[repr(transparent)]
pub struct Scru64Id(u64);

impl Scru64Id {
    /// The lowest value, `000000000000`. Reserved.
    pub const MIN: Self = Self(0);
    /// The highest value, `zzzzzzzzzzzz`. Reserved.
    pub const MAX: Self = Self(36u64.pow(12) - 1);
    /// The last timestamp that fits, in 256 ms ticks.
    pub const MAX_TIMESTAMP: u64 = Self::MAX.0 >> Self::NODE_CTR_BITS;
    /// The highest combination of node ID and counter.
    pub const MAX_NODE_CTR: u32 = (1 << Self::NODE_CTR_BITS) - 1;
    /// The number of bits that node ID and counter share.
    pub const NODE_CTR_BITS: u32 = 24;
    /// The length of the text.
    pub const TEXT_LEN: usize = 12;

    /// Returns the ID with this integer value.
    ///
    /// # Errors
    /// Returns a [`RangeError`] at and above 36^12.
    pub const fn new(value: u64) -> Result<Self, RangeError> {
        if value <= Self::MAX.0 {
            Ok(Self(value))
        } else {
            Err(RangeError::new("SCRU64 integer", value as i128, 0, Self::MAX.0 as i128))
        }
    }

    /// Returns the ID of a timestamp (256 ms ticks since 1970) and a combination of node ID and
    /// counter.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`MAX_TIMESTAMP`](Self::MAX_TIMESTAMP) or
    /// [`MAX_NODE_CTR`](Self::MAX_NODE_CTR).
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::Scru64Id;
    ///
    /// let id = Scru64Id::from_parts(6_557_084_606, 2_777_946)?;
    /// assert_eq!(id.to_string(), "0u375nxqh5cq");
    ///
    /// let error = Scru64Id::from_parts(0, 1 << 24).unwrap_err();
    /// assert_eq!(error.to_string(), "SCRU64 node and counter 16777216 is outside of 0..=16777215");
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub const fn from_parts(timestamp: u64, node_ctr: u32) -> Result<Self, RangeError> {
        if timestamp > Self::MAX_TIMESTAMP {
            let (value, max) = (timestamp as i128, Self::MAX_TIMESTAMP as i128);
            Err(RangeError::new("SCRU64 timestamp", value, 0, max))
        } else if node_ctr > Self::MAX_NODE_CTR {
            let (value, max) = (node_ctr as i128, Self::MAX_NODE_CTR as i128);
            Err(RangeError::new("SCRU64 node and counter", value, 0, max))
        } else {
            // 36^12 is a little more than a multiple of 2^24: the last timestamp has all counters.
            Ok(Self(timestamp << Self::NODE_CTR_BITS | node_ctr as u64))
        }
    }

    /// The prefix has zeros in place of the counter, and both are in range.
    #[inline]
    pub(crate) const fn from_slot(slot: Slot<Scru64>) -> Self {
        Self(slot.low())
    }

    /// Builds an ID from parts that their types keep in range.
    #[inline]
    pub(crate) const fn assemble(tick: Tick<Scru64>, node_ctr: u32) -> Self {
        debug_assert!(node_ctr <= Self::MAX_NODE_CTR);
        Self(tick.get() << Self::NODE_CTR_BITS | node_ctr as u64)
    }

    const fn from_signed(value: i64) -> Result<Self, RangeError> {
        if value >= 0 {
            Self::new(value.cast_unsigned())
        } else {
            Err(RangeError::new("SCRU64 integer", value as i128, 0, Self::MAX.0 as i128))
        }
    }

    /// Returns the integer value.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the integer in 8 bytes, big-endian, which sort as the IDs do.
    #[inline]
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the ID with these 8 big-endian bytes.
    ///
    /// # Errors
    /// Returns a [`RangeError`] at and above 36^12.
    pub const fn from_be_bytes(bytes: [u8; 8]) -> Result<Self, RangeError> {
        Self::new(u64::from_be_bytes(bytes))
    }

    /// Returns the timestamp, in 256 ms ticks since 1970.
    #[inline]
    #[must_use]
    pub const fn timestamp(self) -> u64 {
        self.0 >> Self::NODE_CTR_BITS
    }

    /// Returns the timestamp as a tick.
    #[must_use]
    pub fn tick(self) -> Tick<Scru64> {
        // Every ID's timestamp is in range.
        Tick::new(self.timestamp()).unwrap_or(Tick::MAX)
    }

    /// Returns the start of the ID's tick.
    #[must_use]
    pub const fn unix_time(self) -> UnixTime {
        // At most 2^38.04 ticks of 2^17.97 microseconds.
        Scru64::SCALE.time_of(self.timestamp())
    }

    /// Returns [`unix_time`](Self::unix_time) as a type of another library: `jiff`'s `Timestamp` or
    /// `chrono`'s `DateTime<Utc>`, with the feature of that name.
    ///
    /// # Errors
    /// Returns the error of `T` for a time outside its range. All times of these IDs are in the
    /// range of `jiff` and `chrono`.
    ///
    /// # Examples
    /// ```
    /// # #[cfg(feature = "jiff")] {
    /// use jiff::Timestamp;
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let time: Timestamp = id.time_as()?;
    /// assert_eq!(time.as_millisecond(), 1_678_613_659_136);
    /// assert!((Scru64Id::min_at(time)?..=Scru64Id::max_at(time)?).contains(&id));
    /// # }
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    pub fn time_as<T: TryFrom<UnixTime>>(self) -> Result<T, T::Error> {
        T::try_from(self.unix_time())
    }

    /// Returns node ID and counter as one number of 24 bits.
    #[inline]
    #[must_use]
    pub const fn node_ctr(self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "masked to 24 bits")]
        {
            self.0 as u32 & Self::MAX_NODE_CTR
        }
    }

    /// Returns the node ID, if it has `size` bits.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeIdSize, scru64};
    ///
    /// // The size of the node ID is not stored in the ID.
    /// let id = scru64!("0u375nxqh5cq");
    /// let size = NodeIdSize::new(8)?;
    /// assert_eq!((id.node_id(size), id.counter(size)), (42, 25_434));
    /// let size = NodeIdSize::new(16)?;
    /// assert_eq!((id.node_id(size), id.counter(size)), (10_851, 90));
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn node_id(self, size: NodeIdSize) -> u32 {
        self.node_ctr() >> size.counter_bits()
    }

    /// Returns the counter, if the node ID has `size` bits.
    #[must_use]
    pub const fn counter(self, size: NodeIdSize) -> u32 {
        self.node_ctr() & size.max_counter()
    }

    /// Reports whether the timestamp is the first (0) or the last. Both are reserved: no generator
    /// issues them.
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        self.timestamp() == 0 || self.timestamp() == Self::MAX_TIMESTAMP
    }

    /// Returns the lowest ID of the tick that contains `time`: the inclusive start of a range scan.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a time before 1970 or after the last timestamp.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // All IDs of a day, of all generators.
    /// let day = UnixTime::from_millis(1_678_579_200_000)?;
    /// let night = UnixTime::from_millis(1_678_665_599_999)?;
    /// let range = Scru64Id::min_at(day)?..=Scru64Id::max_at(night)?;
    /// assert!(range.contains(&"0u375nxqh5cq".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn min_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Scru64.tick_at(time.into_unix_time()?).map(|tick| Self::assemble(tick, 0))
    }

    /// Returns the highest ID of the tick that contains `time`: the inclusive end of a range scan.
    ///
    /// # Errors
    /// As [`min_at`](Self::min_at).
    pub fn max_at(time: impl IntoUnixTime) -> Result<Self, RangeError> {
        Scru64.tick_at(time.into_unix_time()?).map(|tick| Self::assemble(tick, Self::MAX_NODE_CTR))
    }

    /// Returns the range of all IDs of the times from `start` to `end`, both included: a range scan
    /// over times that users enter. `None` if no ID has such a time.
    ///
    /// Unlike [`min_at`](Self::min_at) and [`max_at`](Self::max_at), it accepts times outside the
    /// format: the range is clamped to the times that IDs can have.
    ///
    /// # Examples
    /// ```
    /// use std::time::SystemTime;
    /// use tickid_scru64::{Scru64Id, UnixTime};
    ///
    /// // "From" was left empty in a form, and "until" is now.
    /// let keys = Scru64Id::between(UnixTime::MIN, SystemTime::now()).unwrap();
    /// assert!(keys.contains(&"0u375nxqh5cq".parse()?));
    /// assert_eq!(keys.start(), &Scru64Id::MIN);
    ///
    /// // No IDs are from before 1970.
    /// assert_eq!(Scru64Id::between(UnixTime::MIN, UnixTime::from_micros(-1)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn between(
        start: impl IntoUnixTime,
        end: impl IntoUnixTime,
    ) -> Option<RangeInclusive<Self>> {
        let (first, last) = Scru64.ticks_between(start, end)?.into_inner();
        Some(Self::assemble(first, 0)..=Self::assemble(last, Self::MAX_NODE_CTR))
    }
}

tickid_text::impl_codec! {
    tickid_scru64::Scru64Id: "SCRU64 ID", TwelveDigits, from Self, to Self::get,
    const |text| TwelveDigits::parse_const(text),
    /// Parses 12 digits of Base36 in either case.
    ///
    /// # Errors
    /// Returns a [`ParseError`](crate::ParseError) for any other length and for the first byte that
    /// is no digit.
    "0u375nxqh5cq"
}

tickid_core::impl_conversions! { Scru64Id:
    try_from u64 = Scru64Id::new;
    try_from i64 = Scru64Id::from_signed;
    try_from [u8; 8] = Scru64Id::from_be_bytes;
    into u64 = Scru64Id::get;
    // 63 bits.
    into i64 = |id: Scru64Id| id.0.cast_signed();
    into [u8; 8] = Scru64Id::to_be_bytes;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_eight_bytes() {
        assert_eq!(size_of::<Scru64Id>(), 8);
    }

    #[test]
    fn last_timestamp_has_all_counters() {
        let last = Scru64Id::from_parts(Scru64Id::MAX_TIMESTAMP, Scru64Id::MAX_NODE_CTR);
        assert_eq!(last, Ok(Scru64Id::MAX));
    }

    #[test]
    fn only_both_ends_are_reserved() {
        let reserved = |timestamp| Scru64Id::from_parts(timestamp, 7).unwrap().is_reserved();
        assert!(reserved(0));
        assert!(!reserved(1));
        assert!(!reserved(Scru64Id::MAX_TIMESTAMP - 1));
        assert!(reserved(Scru64Id::MAX_TIMESTAMP));
    }

    #[test]
    fn ranges_hold_the_ids_of_a_tick() {
        let time = UnixTime::from_micros(256_000 * 5);
        let (min, max) = (Scru64Id::min_at(time).unwrap(), Scru64Id::max_at(time).unwrap());
        assert_eq!((min.timestamp(), max.timestamp()), (5, 5));
        assert_eq!(min.get() - 1, Scru64Id::from_parts(4, Scru64Id::MAX_NODE_CTR).unwrap().get());
        assert_eq!(max.get() + 1, Scru64Id::from_parts(6, 0).unwrap().get());
        let before = UnixTime::from_micros(256_000 * 5 - 1);
        assert_eq!(Scru64Id::max_at(before).unwrap().get(), min.get() - 1);
    }

    #[test]
    fn time_errors_name_the_range() {
        for micros in [-1, i64::MIN, i64::MAX, 72_301_961_339_136_000] {
            let error = Scru64Id::min_at(UnixTime::from_micros(micros)).unwrap_err();
            assert_eq!(error.value(), i128::from(micros));
            assert_eq!((error.min(), error.max()), (0, 72_301_961_339_135_999));
        }
        let last = UnixTime::from_micros(72_301_961_339_135_999);
        assert_eq!(Scru64Id::max_at(last), Ok(Scru64Id::MAX));
    }
}
