//! The ID: its bits, its integer and its text.

use tickid_core::{Field, RangeError};
use tickid_text::base36::TwelveDigits;
use tickid_text::form::{Characters, Facts, FormOf};

use crate::node_size::{self, NodeIdSize};

/// A SCRU64 ID, which is an integer below 36^12 and fits 63 bits.
///
/// IDs order by time, then by node and counter. Their integers, bytes and text sort in the same
/// order, so it does not matter which of these forms a database stores.
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
#[repr(transparent)]
pub struct Scru64Id(u64);

impl Scru64Id {
    /// The lowest value, `000000000000`. It is reserved, so no generator issues it, and it can
    /// serve as a placeholder.
    pub const MIN: Self = Self(0);
    /// The highest value, `zzzzzzzzzzzz`, which is reserved as well.
    pub const MAX: Self = Self(36u64.pow(12) - 1);
    /// The last timestamp that fits, in 256 ms ticks.
    pub const MAX_TIMESTAMP: u64 = Self::MAX.0 >> Self::NODE_CTR_BITS;
    /// The highest combination of node ID and counter.
    pub const MAX_NODE_CTR: u32 = (1 << Self::NODE_CTR_BITS) - 1;
    /// The number of bits that node ID and counter share.
    pub const NODE_CTR_BITS: u32 = node_size::NODE_CTR_BITS;
    /// The length of the text.
    pub const TEXT_LEN: usize = 12;
    /// The text forms, of which there is one.
    pub const FORMS: &'static [FormOf<Self>] = &[FormOf {
        form: Facts {
            name: "base36",
            title: "SCRU64",
            features: "12 digits of Base36",
            characters: Characters::BASE36,
            lens: (Self::TEXT_LEN, Self::TEXT_LEN),
            is_integer: false,
            sorts: true,
        },
        parse: Self::parse_bytes,
        write: |id| id.encode().widen(),
    }];
    /// The fields of every ID, the highest first. Where the size of the node ID is known,
    /// [`fields`](Self::fields) divides `node_ctr` further.
    pub const FIELDS: [Field; 2] = Field::row([
        ("timestamp", 64 - Self::NODE_CTR_BITS, "ticks of 256 ms since 1970"),
        ("node_ctr", Self::NODE_CTR_BITS, "node ID and counter; a node size divides them"),
    ]);

    /// Returns the fields of IDs whose node ID has this size. These are the fields of [every
    /// ID](Self::FIELDS) and the two that `node_ctr` is divided into.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeIdSize, Scru64Id};
    ///
    /// let fields = Scru64Id::fields(NodeIdSize::new(8)?);
    /// let names = fields.map(|field| field.name());
    /// assert_eq!(names, ["timestamp", "node_ctr", "node_id", "counter"]);
    /// assert_eq!(fields[2].bits(), 8);
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn fields(size: NodeIdSize) -> [Field; 4] {
        let [timestamp, node_ctr] = Self::FIELDS;
        let (start, node_bits) = (node_ctr.start(), size.get() as u32);
        let counter_start = start + node_bits;
        [
            timestamp,
            node_ctr.divided(),
            Field::new("node_id", start, node_bits, "distinguishes generators"),
            Field::new(
                "counter",
                counter_start,
                size.counter_bits(),
                "distinguishes the IDs of a tick",
            ),
        ]
    }

    /// Returns the ID with this integer value.
    ///
    /// # Errors
    /// Returns a [`RangeError`] at and above 36^12.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{RangeError, Scru64Id};
    ///
    /// const ID: Result<Scru64Id, RangeError> = Scru64Id::new(110_009_624_767_914_842);
    /// assert_eq!(ID?.to_string(), "0u375nxqh5cq");
    /// assert!(Scru64Id::new(u64::MAX).is_err());
    /// # Ok::<(), RangeError>(())
    /// ```
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
    /// Use it to rebuild an ID from parts that were stored. New IDs come from a
    /// [`Generator`](crate::Generator), because this function cannot know which parts were used
    /// before.
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
    /// assert!(error.to_string().ends_with("16777216 is outside of 0..=16777215"));
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

    /// Returns the ID of an integer that is in range.
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        debug_assert!(bits <= Self::MAX.0);
        Self(bits)
    }

    /// Builds an ID from parts that are in range.
    #[inline]
    pub(crate) const fn assemble(timestamp: u64, node_ctr: u32) -> Self {
        debug_assert!(timestamp <= Self::MAX_TIMESTAMP && node_ctr <= Self::MAX_NODE_CTR);
        Self(timestamp << Self::NODE_CTR_BITS | node_ctr as u64)
    }

    const fn from_signed(value: i64) -> Result<Self, RangeError> {
        if value >= 0 {
            Self::new(value.cast_unsigned())
        } else {
            Err(RangeError::new("SCRU64 integer", value as i128, 0, Self::MAX.0 as i128))
        }
    }

    /// Returns the integer value.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::scru64!("0u375nxqh5cq").get(), 110_009_624_767_914_842);
    /// ```
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the integer in 8 bytes, big-endian, which sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_scru64::scru64!("0u375nxqh5cq");
    /// assert_eq!(id.to_be_bytes(), [1, 134, 213, 43, 190, 42, 99, 90]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_be_bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the ID with these 8 big-endian bytes.
    ///
    /// # Errors
    /// Returns a [`RangeError`] at and above 36^12.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// assert_eq!(Scru64Id::from_be_bytes(id.to_be_bytes()), Ok(id));
    /// assert!(Scru64Id::from_be_bytes([0xff; 8]).is_err());
    /// ```
    pub const fn from_be_bytes(bytes: [u8; 8]) -> Result<Self, RangeError> {
        Self::new(u64::from_be_bytes(bytes))
    }

    /// Returns the timestamp, in 256 ms ticks since 1970.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::scru64!("0u375nxqh5cq").timestamp(), 6_557_084_606);
    /// ```
    #[inline]
    #[must_use]
    pub const fn timestamp(self) -> u64 {
        self.0 >> Self::NODE_CTR_BITS
    }

    /// Returns node ID and counter as one number of 24 bits.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_scru64::scru64!("0u375nxqh5cq").node_ctr(), 2_777_946);
    /// ```
    #[inline]
    #[must_use]
    pub const fn node_ctr(self) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "masked to 24 bits")]
        {
            self.0 as u32 & Self::MAX_NODE_CTR
        }
    }

    /// Returns the node ID, given that it has `size` bits. The caller has to know the size, because
    /// an ID does not contain it.
    ///
    /// Use it for inspection, for example in a log. The specification advises against identifying a
    /// generator by the node ID, because a node ID may pass to a different generator later, and
    /// sizes may change.
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

    /// Returns the counter, given that the node ID has `size` bits; see [`node_id`](Self::node_id).
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{NodeIdSize, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// assert_eq!(id.counter(NodeIdSize::new(8)?), 2_777_946 % (1 << 16));
    /// # Ok::<(), tickid_scru64::RangeError>(())
    /// ```
    #[must_use]
    pub const fn counter(self, size: NodeIdSize) -> u32 {
        self.node_ctr() & size.max_counter()
    }

    /// Reports whether the timestamp is the first (0) or the last. The specification reserves both,
    /// so no generator issues such an ID.
    ///
    /// # Examples
    /// ```
    /// use tickid_scru64::{Scru64Id, scru64};
    ///
    /// assert!(Scru64Id::MIN.is_reserved() && Scru64Id::MAX.is_reserved());
    /// assert!(!scru64!("0u375nxqh5cq").is_reserved());
    /// ```
    #[must_use]
    pub const fn is_reserved(self) -> bool {
        self.timestamp() == 0 || self.timestamp() == Self::MAX_TIMESTAMP
    }
}

tickid_text::impl_codec! {
    tickid_scru64::Scru64Id: "SCRU64 ID", TwelveDigits, from Self, to Self::get,
    const |text| TwelveDigits::parse_const(text),
    /// Parses 12 digits of Base36 in either case. White space around them is an error, so trim the
    /// input of users first.
    ///
    /// # Errors
    /// Returns a [`ParseError`](crate::ParseError) for any other length and for the first byte that
    /// is not a digit.
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
}
