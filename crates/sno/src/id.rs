//! The ID: its bits, its bytes and its text.

use core::hash::{Hash, Hasher};
use core::hint::black_box;

use tickid_core::{Field, Prefix, RangeError};
use tickid_text::form::{Characters, Facts, FormOf};
use tickid_text::{Codec as _, ParseError, StaticAlphabet as _};

use crate::codec::{self, Base32, Canonical};
use crate::partition::Partition;

/// A sno ID of 10 bytes. Every array of 10 bytes is an ID, so reading one from bytes cannot fail.
///
/// IDs order by time, then by tick-tock bit, metabyte, partition and sequence. Their bytes and text
/// sort in the same order.
///
/// # Examples
/// ```
/// use tickid_sno::{Partition, SnoId};
///
/// let id: SnoId = "brpk4q72xwf2m63l".parse()?;
/// assert_eq!(id.timestamp(), 168_435_953_744);
/// assert_eq!(id.unix_time().as_millis(), 1_936_047_814_976); // 2031-05-08
/// assert_eq!((id.toggle(), id.meta()), (false, 255));
/// assert_eq!((id.partition(), id.sequence()), (Partition::new(39_434), 4_147));
///
/// assert!("BRPK4Q72XWF2M63L".parse::<SnoId>().is_err()); // case matters
/// # Ok::<(), tickid_sno::ParseError>(())
/// ```
///
/// # Spec
/// sno, "Layout" and "Encoding".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub struct SnoId([u8; 10]);

impl SnoId {
    /// The lowest ID, `2222222222222222`, whose bits are all zero.
    pub const MIN: Self = Self([0; Self::LEN]);
    /// The highest ID, `xxxxxxxxxxxxxxxx`, whose bits are all one.
    pub const MAX: Self = Self([0xff; Self::LEN]);
    /// The original's name for [`MIN`](Self::MIN), which it writes as `null` in JSON.
    pub const ZERO: Self = Self::MIN;
    /// The last timestamp, in 4 ms ticks since 2010. It starts at 2079-09-07T15:47:35.548Z.
    pub const MAX_TIMESTAMP: u64 = (1 << Self::TIMESTAMP_BITS) - 1;
    /// The number of bits of the timestamp.
    pub const TIMESTAMP_BITS: u32 = 39;
    /// The number of bytes of an ID.
    pub const LEN: usize = codec::LEN;
    /// The length of the text.
    pub const TEXT_LEN: usize = codec::TEXT_LEN;
    /// The text forms, of which there is one.
    pub const FORMS: &'static [FormOf<Self>] = &[FormOf {
        form: Facts {
            name: "base32",
            title: "sno",
            features: "16 characters of 2-9a-x",
            characters: Characters::of("23456789abcdefghijklmnopqrstuvwx"),
            lens: (Self::TEXT_LEN, Self::TEXT_LEN),
            is_integer: false,
            sorts: true,
        },
        parse: Self::parse_bytes,
        write: |id| id.encode().widen(),
    }];
    /// The fields that the bits consist of, the highest first.
    pub const FIELDS: [Field; 5] = Field::row([
        ("timestamp", Self::TIMESTAMP_BITS, "ticks of 4 ms since 2010"),
        ("toggle", 1, "the tick-tock bit, which changes when the clock goes back"),
        ("meta", 8, "the metabyte, chosen by the program"),
        ("partition", 16, "distinguishes generators"),
        ("sequence", 16, "distinguishes the IDs of a tick"),
    ]);

    /// The shift of the timestamp in the first eight bytes, where it is above the tick-tock bit,
    /// the metabyte and the partition.
    const TIMESTAMP_SHIFT: u32 = u64::BITS - Self::TIMESTAMP_BITS;
    const TOGGLE_SHIFT: u32 = Self::TIMESTAMP_SHIFT - 1;
    const META_SHIFT: u32 = 16;

    /// Returns the ID of a timestamp (4 ms ticks since 2010-01-01T00:00:00Z), the tick-tock bit, a
    /// partition and a sequence. Its metabyte is zero, and [`with_meta`](Self::with_meta) sets it.
    ///
    /// Use it to rebuild an ID from parts that were stored. New IDs come from a
    /// [`Generator`](crate::Generator), because this function cannot know which parts were used
    /// before.
    ///
    /// # Errors
    /// Returns a [`RangeError`] above [`MAX_TIMESTAMP`](Self::MAX_TIMESTAMP). The other values
    /// always fit.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, SnoId};
    ///
    /// let id = SnoId::from_parts(1 << 38, true, Partition::new(7), 65_535)?;
    /// assert_eq!((id.timestamp(), id.toggle(), id.meta()), (1 << 38, true, 0));
    /// assert_eq!((id.partition().get(), id.sequence()), (7, 65_535));
    /// assert!(SnoId::from_parts(1 << 39, false, Partition::new(0), 0).is_err());
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    pub const fn from_parts(
        timestamp: u64,
        toggle: bool,
        partition: Partition,
        sequence: u16,
    ) -> Result<Self, RangeError> {
        if timestamp <= Self::MAX_TIMESTAMP {
            Ok(Self::assemble(timestamp, toggle, 0, partition, sequence))
        } else {
            let (value, max) = (timestamp as i128, Self::MAX_TIMESTAMP as i128);
            Err(RangeError::new("sno timestamp", value, 0, max))
        }
    }

    /// Returns the ID of the first 8 bytes as laid out in memory, with zero for the metabyte, a
    /// metabyte and a sequence.
    #[inline]
    pub(crate) const fn from_head(head: u64, meta: u8, sequence: u64) -> Self {
        Self::join(Self::head_with(head, meta), sequence)
    }

    /// The same with the sequences from `first` on.
    #[inline]
    pub(crate) fn fill_from_head(head: u64, meta: u8, first: u64, out: &mut [Self]) {
        // Opaque: else the compiler takes the head apart and puts it together for every ID.
        let head = black_box(Self::head_with(head, meta));
        for (id, sequence) in out.iter_mut().zip(first..) {
            *id = Self::join(head, sequence);
        }
    }

    #[inline]
    const fn head_with(head: u64, meta: u8) -> u64 {
        head | u64::from_ne_bytes([0, 0, 0, 0, 0, meta, 0, 0])
    }

    #[inline]
    const fn join(head: u64, sequence: u64) -> Self {
        let [a, b, c, d, e, f, g, h] = head.to_ne_bytes();
        #[allow(clippy::cast_possible_truncation, reason = "sequences have 16 bits")]
        let [i, j] = (sequence as u16).to_be_bytes();
        Self([a, b, c, d, e, f, g, h, i, j])
    }

    /// Returns the prefix of an ID with metabyte and sequence 0.
    pub(crate) const fn prefix(self) -> Prefix {
        let [a, b, c, d, e, f, g, h, _, _] = self.0;
        Prefix::new(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), 0)
    }

    /// Builds an ID from a timestamp that is in range.
    #[inline]
    pub(crate) const fn assemble(
        timestamp: u64,
        toggle: bool,
        meta: u8,
        partition: Partition,
        sequence: u16,
    ) -> Self {
        debug_assert!(timestamp <= Self::MAX_TIMESTAMP);
        let head = timestamp << Self::TIMESTAMP_SHIFT
            | (toggle as u64) << Self::TOGGLE_SHIFT
            | (meta as u64) << Self::META_SHIFT
            | partition.get() as u64;
        let ([a, b, c, d, e, f, g, h], [i, j]) = (head.to_be_bytes(), sequence.to_be_bytes());
        Self([a, b, c, d, e, f, g, h, i, j])
    }

    fn from_integer(value: u128) -> Result<Self, RangeError> {
        const MAX: i128 = (1 << (8 * SnoId::LEN)) - 1;
        match value.to_be_bytes() {
            [0, 0, 0, 0, 0, 0, bytes @ ..] => Ok(Self(bytes)),
            _ => {
                let value = i128::try_from(value).unwrap_or(i128::MAX);
                Err(RangeError::new("sno integer", value, 0, MAX))
            }
        }
    }

    /// Returns the 10 bytes, which sort as the IDs do.
    ///
    /// # Examples
    /// ```
    /// let id = tickid_sno::sno!("brpk4q72xwf2m63l");
    /// assert_eq!(id.to_bytes(), [0x4e, 0x6f, 0x21, 0x60, 0xa0, 0xff, 0x9a, 0x0a, 0x10, 0x33]);
    /// ```
    #[inline]
    #[must_use]
    pub const fn to_bytes(self) -> [u8; Self::LEN] {
        self.0
    }

    /// Returns the ID of these 10 bytes.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(SnoId::from_bytes(id.to_bytes()), id);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Returns the canonical text as 16 bytes, which a column for UUIDs can hold. They sort as the
    /// IDs do.
    ///
    /// They are not a UUID by RFC 9562, because they have neither a version nor a variant. Use them
    /// only where the database does not check these.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(&id.to_text_bytes(), b"brpk4q72xwf2m63l");
    /// assert_eq!(SnoId::from_text_bytes(id.to_text_bytes()), Ok(id));
    /// ```
    #[inline]
    #[must_use]
    pub fn to_text_bytes(self) -> [u8; Self::TEXT_LEN] {
        Canonical::encode(&self.0)
    }

    /// Returns the ID with this [text](Self::to_text_bytes) of 16 bytes.
    ///
    /// # Errors
    /// As [`parse_bytes`](Self::parse_bytes).
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// let id = sno!("brpk4q72xwf2m63l");
    /// assert_eq!(SnoId::from_text_bytes(*b"brpk4q72xwf2m63l"), Ok(id));
    /// assert!(SnoId::from_text_bytes([0; 16]).is_err());
    /// ```
    #[inline]
    pub fn from_text_bytes(text: [u8; Self::TEXT_LEN]) -> Result<Self, ParseError> {
        Self::parse_bytes(&text)
    }

    /// Returns the first eight bytes, which hold everything but the sequence.
    #[inline]
    const fn head(self) -> u64 {
        let [a, b, c, d, e, f, g, h, _, _] = self.0;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns the timestamp of 39 bits, in 4 ms ticks since 2010-01-01T00:00:00Z.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, SnoId};
    ///
    /// let id = SnoId::from_parts(1_000, true, Partition::new(7), 42)?;
    /// assert_eq!(id.timestamp(), 1_000);
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn timestamp(self) -> u64 {
        self.head() >> Self::TIMESTAMP_SHIFT
    }

    /// Returns the tick-tock bit, which distinguishes two passes over the same ticks. A generator
    /// flips it when its clock goes back.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, SnoId};
    ///
    /// assert!(SnoId::from_parts(1_000, true, Partition::new(7), 42)?.toggle());
    /// # Ok::<(), tickid_sno::RangeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn toggle(self) -> bool {
        self.head() >> Self::TOGGLE_SHIFT & 1 == 1
    }

    /// Returns the metabyte, which the caller chose.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::sno!("brpk4q72xwf2m63l").meta(), 255);
    /// ```
    #[inline]
    #[must_use]
    pub const fn meta(self) -> u8 {
        self.0[5]
    }

    /// Returns the partition.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::sno!("brpk4q72xwf2m63l").partition().get(), 39_434);
    /// ```
    #[inline]
    #[must_use]
    pub const fn partition(self) -> Partition {
        Partition::from_bytes([self.0[6], self.0[7]])
    }

    /// Returns the sequence, which distinguishes the IDs of one tick, metabyte and partition.
    ///
    /// # Examples
    /// ```
    /// assert_eq!(tickid_sno::sno!("brpk4q72xwf2m63l").sequence(), 4_147);
    /// ```
    #[inline]
    #[must_use]
    pub const fn sequence(self) -> u16 {
        u16::from_be_bytes([self.0[8], self.0[9]])
    }

    /// Returns this ID with a different metabyte.
    ///
    /// Use it for the ends of range scans and for tests, but not to make new IDs, because a
    /// generator may have issued the resulting ID already. For a new ID with a metabyte, use
    /// `generator.with(Meta(24)).generate()`.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// const ID: SnoId = sno!("brpk4q72xwf2m63l").with_meta(24);
    /// assert_eq!((ID.meta(), ID.sequence()), (24, 4_147));
    /// ```
    #[must_use]
    pub const fn with_meta(self, meta: u8) -> Self {
        let mut bytes = self.0;
        bytes[5] = meta;
        Self(bytes)
    }

    /// Returns this ID with a different partition. See [`with_meta`](Self::with_meta) for the
    /// limits of its use.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{Partition, SnoId, sno};
    ///
    /// const ID: SnoId = sno!("brpk4q72xwf2m63l").with_partition(Partition::new(7));
    /// assert_eq!((ID.meta(), ID.partition().get(), ID.sequence()), (255, 7, 4_147));
    /// ```
    #[must_use]
    pub const fn with_partition(self, partition: Partition) -> Self {
        let mut bytes = self.0;
        [bytes[6], bytes[7]] = partition.to_bytes();
        Self(bytes)
    }

    /// Returns this ID with a different sequence. See [`with_meta`](Self::with_meta) for the limits
    /// of its use.
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::{SnoId, sno};
    ///
    /// const ID: SnoId = sno!("brpk4q72xwf2m63l").with_sequence(65_535);
    /// assert_eq!((ID.partition().get(), ID.sequence()), (39_434, 65_535));
    /// ```
    #[must_use]
    pub const fn with_sequence(self, sequence: u16) -> Self {
        let mut bytes = self.0;
        [bytes[8], bytes[9]] = sequence.to_be_bytes();
        Self(bytes)
    }

    /// Reports whether this is [`ZERO`](Self::ZERO).
    ///
    /// # Examples
    /// ```
    /// use tickid_sno::SnoId;
    ///
    /// assert!(SnoId::ZERO.is_zero() && !SnoId::MAX.is_zero());
    /// ```
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.head() == 0 && self.sequence() == 0
    }
}

tickid_text::impl_codec! {
    tickid_sno::SnoId: "sno ID", Canonical, from Self::from_bytes, to Self::to_bytes,
    const |text| Base32::ALPHABET.decode::<{ SnoId::LEN }, { SnoId::TEXT_LEN }>(text),
    /// Parses 16 characters of the alphabet `23456789abcdefghijklmnopqrstuvwx`.
    ///
    /// # Errors
    /// Returns a [`ParseError`] for any other length and for the first byte that is not in the
    /// alphabet, for example an upper-case letter, `0`, `1`, `y` or `z`. (The original takes any 16
    /// bytes.)
    "brpk4q72xwf2m63l"
}

/// Hashes all bytes in one call, because hashers are slow at many small pieces.
impl Hash for SnoId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0);
    }
}

impl AsRef<[u8]> for SnoId {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

tickid_core::impl_conversions! { SnoId:
    from [u8; SnoId::LEN] = SnoId::from_bytes;
    into [u8; SnoId::LEN] = SnoId::to_bytes;
    /// The bytes as one big-endian integer, of 80 bits.
    into u128 = |id: SnoId| u128::from(id.head()) << u16::BITS | u128::from(id.sequence());
    /// From the bytes as one big-endian integer.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for 2^80 and above. (In the error, [`i128::MAX`] stands for any
    /// number above it.)
    try_from u128 = SnoId::from_integer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_ten_bytes_anywhere() {
        assert_eq!((size_of::<SnoId>(), align_of::<SnoId>()), (10, 1));
    }

    #[test]
    fn replacing_keeps_other_fields() {
        for id in [SnoId::MIN, SnoId::MAX, SnoId::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])] {
            let (meta, partition, sequence) = (0xa5, Partition::new(0x1234), 0xfedc);
            let parts = |meta, partition, sequence| {
                let parts = SnoId::from_parts(id.timestamp(), id.toggle(), partition, sequence);
                parts.unwrap().with_meta(meta)
            };
            assert_eq!(id.with_meta(meta), parts(meta, id.partition(), id.sequence()));
            assert_eq!(id.with_partition(partition), parts(id.meta(), partition, id.sequence()));
            assert_eq!(id.with_sequence(sequence), parts(id.meta(), id.partition(), sequence));
            let all = id.with_sequence(sequence).with_meta(meta).with_partition(partition);
            assert_eq!(all, parts(meta, partition, sequence));
        }
    }

    #[test]
    fn only_timestamps_have_a_range() {
        let last = SnoId::MAX_TIMESTAMP;
        let id = |timestamp| {
            let id = SnoId::from_parts(timestamp, true, Partition::new(u16::MAX), u16::MAX);
            id.map(|id| id.with_meta(u8::MAX))
        };
        assert_eq!(id(last), Ok(SnoId::MAX));
        for timestamp in [last + 1, u64::MAX] {
            let error = id(timestamp).unwrap_err();
            assert_eq!(error.value(), i128::from(timestamp));
            assert_eq!((error.min(), error.max()), (0, i128::from(last)));
        }
    }

    #[test]
    fn wide_integers_are_refused() {
        assert_eq!(u128::from(SnoId::MAX), (1 << 80) - 1);
        assert_eq!(SnoId::try_from((1 << 80) - 1), Ok(SnoId::MAX));
        for value in [1 << 80, i128::MAX.unsigned_abs()] {
            let error = SnoId::try_from(value).unwrap_err();
            assert_eq!(error.value().unsigned_abs(), value);
            assert_eq!((error.min(), error.max()), (0, (1 << 80) - 1));
        }
        let error = SnoId::try_from(u128::MAX).unwrap_err();
        assert_eq!(error.value(), i128::MAX);
    }
}
