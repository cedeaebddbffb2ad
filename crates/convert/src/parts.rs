//! IDs taken apart. Every conversion goes through this form.

use tickid_core::{RangeError, TickScale, UnixTime};
use tickid_kuid::Drift;

/// A number with its width, for the value of a field and its capacity.
///
/// # Examples
/// ```
/// use tickid_convert::Bits;
///
/// let node = Bits::new(42, 8)?;
/// assert_eq!((node.value(), node.bits()), (42, 8));
/// let error = Bits::new(300, 8).unwrap_err();
/// assert_eq!(error.to_string(), "value of a field 300 is outside of 0..=255");
/// # Ok::<(), tickid_core::RangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    value: u64,
    bits: u32,
}

impl Bits {
    /// Returns `value` in `bits` bits.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for more than 64 bits, and for a value that does not fit.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::Bits;
    ///
    /// assert_eq!(Bits::new(5, 10)?.value(), 5);
    /// assert!(Bits::new(1_024, 10).is_err()); // eleven bits
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(value: u64, bits: u32) -> Result<Self, RangeError> {
        if bits > u64::BITS {
            return Err(RangeError::new("width of a field", bits as i128, 0, u64::BITS as i128));
        }
        if value > mask(bits) {
            let max = mask(bits) as i128;
            return Err(RangeError::new("value of a field", value as i128, 0, max));
        }
        Ok(Self { value, bits })
    }

    /// Returns `value` in `bits` bits, at most 64, or an error that names it.
    pub(crate) const fn of(what: &'static str, value: u64, bits: u32) -> Result<Self, RangeError> {
        if value <= mask(bits) {
            return Ok(Self { value, bits });
        }
        Err(RangeError::new(what, value as i128, 0, mask(bits) as i128))
    }

    /// Returns a value that fits.
    #[inline]
    pub(crate) const fn held(value: u64, bits: u32) -> Self {
        debug_assert!(bits <= u64::BITS && value <= mask(bits));
        Self { value, bits }
    }

    /// Returns the number.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// Returns the number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the number of bits that this field has beyond `bits`.
    pub(crate) const fn excess_bits(self, bits: u32) -> u32 {
        self.bits.saturating_sub(bits)
    }

    /// Returns the highest `bits` bits, or all of them if the field is narrower.
    pub(crate) fn high_bits(self, bits: u32) -> u64 {
        self.value.checked_shr(self.excess_bits(bits)).unwrap_or(0)
    }
}

/// Returns the highest number of `bits` bits, at most 64.
#[inline]
pub(crate) const fn mask(bits: u32) -> u64 {
    match u64::MAX.checked_shr(u64::BITS - bits) {
        Some(mask) => mask,
        None => 0,
    }
}

/// An ID taken apart into scheme-independent terms. These are time, node and sequence, and the
/// fields that only one scheme has.
///
/// [`ToParts::parts`](crate::ToParts::parts) splits any ID into parts, and
/// [`convert_exact`](crate::convert_exact) turns parts into any ID. Build parts yourself to convert
/// IDs of formats that this crate does not support:
///
/// # Examples
/// ```
/// use tickid_convert::{Bits, Options, Parts, convert_exact};
/// use tickid_core::{TickScale, UnixTime};
/// use tickid_sno::SnoId;
///
/// // Milliseconds since 1970, 6 bits of shard, 10 of sequence.
/// let time = UnixTime::from_millis(1_700_000_000_000)?;
/// let millis = TickScale::every(UnixTime::EPOCH, 1_000);
/// let parts = Parts::new(time, millis, Bits::new(5, 10)?)?.with_node(Bits::new(33, 6)?);
/// let id: SnoId = convert_exact(parts, &Options::default())?;
/// assert_eq!((id.partition().get(), id.sequence()), (33, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    pub(crate) time: UnixTime,
    pub(crate) scale: TickScale,
    pub(crate) node: Option<Bits>,
    pub(crate) sequence: Bits,
    pub(crate) toggle: Option<bool>,
    pub(crate) metabyte: Option<u8>,
    pub(crate) drift: Option<Drift>,
}

impl Parts {
    /// The widest sequence that parts can have.
    pub const MAX_SEQUENCE_BITS: u32 = 32;

    /// Returns the parts of an ID with nothing but a sequence. Its tick starts at `time` and is
    /// counted by `scale`.
    ///
    /// Use the same scale and the same width of sequences for all IDs of one format, because
    /// conversions do not keep their order otherwise. A time in the middle of a tick counts as that
    /// tick.
    ///
    /// # Errors
    /// Returns a [`RangeError`] for a sequence wider than
    /// [`MAX_SEQUENCE_BITS`](Self::MAX_SEQUENCE_BITS).
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Bits, Parts};
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let seconds = TickScale::every(UnixTime::EPOCH, 1_000_000);
    /// let parts = |bits| Parts::new(UnixTime::EPOCH, seconds, Bits::new(5, bits)?);
    /// assert_eq!(parts(8)?.sequence().value(), 5);
    /// assert!(parts(33).is_err());
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    pub const fn new(time: UnixTime, scale: TickScale, sequence: Bits) -> Result<Self, RangeError> {
        if sequence.bits > Self::MAX_SEQUENCE_BITS {
            let (bits, max) = (sequence.bits as i128, Self::MAX_SEQUENCE_BITS as i128);
            return Err(RangeError::new("width of a sequence", bits, 0, max));
        }
        Ok(Self::held(time, scale, sequence))
    }

    /// Returns the parts with a sequence that is not too wide.
    #[inline]
    pub(crate) const fn held(time: UnixTime, scale: TickScale, sequence: Bits) -> Self {
        Self { time, scale, node: None, sequence, toggle: None, metabyte: None, drift: None }
    }

    /// Sets the node.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Bits, Parts};
    /// use tickid_core::{TickScale, UnixTime};
    ///
    /// let seconds = TickScale::every(UnixTime::EPOCH, 1_000_000);
    /// let parts = Parts::new(UnixTime::EPOCH, seconds, Bits::new(5, 8)?)?;
    /// assert_eq!(parts.with_node(Bits::new(33, 6)?).node(), Some(Bits::new(33, 6)?));
    /// # Ok::<(), tickid_core::RangeError>(())
    /// ```
    #[must_use]
    pub const fn with_node(self, node: Bits) -> Self {
        Self { node: Some(node), ..self }
    }

    /// Sets sno's tick-tock bit, which is above the sequence when IDs are compared.
    #[must_use]
    pub const fn with_toggle(self, toggle: bool) -> Self {
        Self { toggle: Some(toggle), ..self }
    }

    /// Sets sno's metabyte.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Bits, Options, Parts, convert_exact};
    /// use tickid_core::{Scheme, UnixTime};
    /// use tickid_sno::{Sno, SnoId};
    ///
    /// let time = UnixTime::from_millis(1_700_000_000_000)?;
    /// let parts = Parts::new(time, Sno.scale(), Bits::new(5, 16)?)?;
    /// let parts = parts.with_node(Bits::new(7, 16)?).with_metabyte(24);
    /// let id: SnoId = convert_exact(parts, &Options::default())?;
    /// assert_eq!(id.meta(), 24);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_metabyte(self, metabyte: u8) -> Self {
        Self { metabyte: Some(metabyte), ..self }
    }

    /// Sets the drift of a global kuid. It is not in the ID, so leaving it out is not a loss.
    #[must_use]
    pub const fn with_drift(self, drift: Drift) -> Self {
        Self { drift: Some(drift), ..self }
    }

    /// Returns the start of the ID's tick.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Settings, ToParts};
    /// use tickid_scru64::scru64;
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// let parts = id.parts(&Settings::default())?;
    /// assert_eq!(parts.unix_time(), id.unix_time());
    /// assert_eq!(parts.scale().micros_per_tick(), 256_000);
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    #[must_use]
    pub const fn unix_time(&self) -> UnixTime {
        self.time
    }

    /// Returns the scale of the ID's ticks.
    #[must_use]
    pub const fn scale(&self) -> TickScale {
        self.scale
    }

    /// Returns the node, if the ID holds one. A SCRU64 ID without a known node size does not.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Settings, ToParts};
    /// use tickid_scru64::{NodeIdSize, scru64};
    ///
    /// let id = scru64!("0u375nxqh5cq");
    /// assert_eq!(id.parts(&Settings::default())?.node(), None);
    /// let settings = Settings { node_size: Some(NodeIdSize::new(8)?), ..Settings::default() };
    /// assert_eq!(id.parts(&settings)?.node().map(|node| node.bits()), Some(8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn node(&self) -> Option<Bits> {
        self.node
    }

    /// Returns the sequence, which distinguishes the ID from others of its node and tick.
    #[must_use]
    pub const fn sequence(&self) -> Bits {
        self.sequence
    }

    /// Returns the tick-tock bit of a sno ID, or `None` for other schemes.
    #[must_use]
    pub const fn toggle(&self) -> Option<bool> {
        self.toggle
    }

    /// Returns the metabyte of a sno ID, or `None` for other schemes.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Settings, ToParts};
    /// use tickid_scru64::scru64;
    /// use tickid_sno::sno;
    ///
    /// let (sno, scru64) = (sno!("brpk4q72xwf2m63l"), scru64!("0u375nxqh5cq"));
    /// let settings = Settings::default();
    /// assert_eq!(sno.parts(&settings)?.metabyte(), Some(sno.meta()));
    /// assert_eq!(sno.parts(&settings)?.toggle(), Some(sno.toggle()));
    /// assert_eq!(scru64.parts(&settings)?.metabyte(), None);
    /// # Ok::<(), tickid_convert::ConvertError>(())
    /// ```
    #[must_use]
    pub const fn metabyte(&self) -> Option<u8> {
        self.metabyte
    }

    /// Returns the drift that a global kuid was read with.
    #[must_use]
    pub const fn drift(&self) -> Option<Drift> {
        self.drift
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_as_many_bits() {
        for bits in 0..=64 {
            assert_eq!(mask(bits).count_ones(), bits);
            assert_eq!(mask(bits).trailing_ones(), bits);
        }
    }

    #[test]
    fn width_errors_name_the_range() {
        let error = Bits::new(0, 65).unwrap_err();
        assert_eq!((error.value(), error.min(), error.max()), (65, 0, 64));
        let error = Bits::new(256, 8).unwrap_err();
        assert_eq!((error.value(), error.min(), error.max()), (256, 0, 255));
        assert!(Bits::new(u64::MAX, 64).is_ok() && Bits::new(0, 0).is_ok());
        assert!(Bits::new(1, 0).is_err());

        let parts = |bits| {
            let sequence = Bits::new(0, bits).unwrap();
            Parts::new(UnixTime::EPOCH, TickScale::every(UnixTime::EPOCH, 1_000), sequence)
        };
        assert!(parts(32).is_ok());
        let error = parts(33).unwrap_err();
        assert_eq!((error.value(), error.min(), error.max()), (33, 0, 32));
    }
}
