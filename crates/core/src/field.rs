//! The fields that make up the bits of an ID.

/// One of the fields that make up the bits of an ID, with its name, position, width and meaning.
///
/// Each ID type lists its fields, so that code which shows IDs needs no knowledge of their schemes.
/// The command's `inspect` prints them, for example. Bits are counted from the highest bit of the
/// first byte.
///
/// # Examples
/// ```
/// use tickid_core::Field;
///
/// const FIELDS: [Field; 2] = Field::row([
///     ("seconds", 48, "seconds since 1970"),
///     ("sequence", 16, "counts within a second"),
/// ]);
/// let bytes = [0, 0, 0, 0, 0, 100, 0, 7];
/// assert_eq!(FIELDS.map(|field| field.value(&bytes)), [100, 7]);
/// assert_eq!((FIELDS[1].start(), FIELDS[1].bits()), (48, 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    name: &'static str,
    meaning: &'static str,
    high: Span,
    low: Span,
    factor: u32,
    is_divided: bool,
    is_hex: bool,
}

/// Consecutive bits of an ID, counted from the highest bit of the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Span {
    /// The number of bits above.
    pub start: u32,
    /// The number of bits.
    pub bits: u32,
}

impl Field {
    /// Creates a field of `bits` bits below `start` others. Fields have at most 128 bits. The
    /// [value](Self::value) of a wider one is that of its first 128 bits.
    ///
    /// `meaning` is a phrase for people, such as `ticks of 4 ms since 2010`.
    #[must_use]
    pub const fn new(name: &'static str, start: u32, bits: u32, meaning: &'static str) -> Self {
        let (high, low) = (Span { start, bits }, Span { start: 0, bits: 0 });
        Self { name, meaning, high, low, factor: 1, is_divided: false, is_hex: false }
    }

    /// Creates consecutive fields, the highest first, from names, widths and meanings. The
    /// positions follow from the widths, so they cannot contradict each other.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Field;
    ///
    /// let [high, low] = Field::row([("high", 24, ""), ("low", 8, "")]);
    /// assert_eq!((high.start(), low.start()), (0, 24));
    /// ```
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "in a constant; the arrays are equally long")]
    pub const fn row<const N: usize>(fields: [(&'static str, u32, &'static str); N]) -> [Self; N] {
        let mut row = [Self::new("", 0, 0, ""); N];
        let (mut index, mut start) = (0, 0);
        while index < N {
            let (name, bits, meaning) = fields[index];
            row[index] = Self::new(name, start, bits, meaning);
            start = start.saturating_add(bits);
            index += 1;
        }
        row
    }

    /// Returns the field with its low bits in a place of their own, as in kuid, where the low bits
    /// of the seconds are below the node.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Field;
    ///
    /// let seconds = Field::new("b", 0, 4, "seconds").and_low(12, 4);
    /// assert_eq!(seconds.value(&[0x5f, 0xf7]), 0x57);
    /// assert_eq!(seconds.bits(), 8);
    /// ```
    #[must_use]
    pub const fn and_low(self, start: u32, bits: u32) -> Self {
        Self { low: Span { start, bits }, ..self }
    }

    /// Returns the same field at a different position, below `start` bits.
    #[must_use]
    pub const fn at(self, start: u32) -> Self {
        Self { high: Span { start, bits: self.high.bits }, ..self }
    }

    /// Returns the field with values of `factor` times the bits. For example, kuid's microseconds
    /// are counted in steps of 1,024, so the bits 3 mean 3,072.
    ///
    /// # Examples
    /// ```
    /// use tickid_core::Field;
    ///
    /// let micros = Field::new("c", 0, 8, "microseconds, in steps of 1,024").times(1_024);
    /// assert_eq!(micros.value(&[3]), 3_072);
    /// ```
    #[must_use]
    pub const fn times(self, factor: u32) -> Self {
        Self { factor, ..self }
    }

    /// Marks a field that the fields after it divide, such as a Snowflake's node that consists of a
    /// data centre and a worker. Its bits then appear twice in the list.
    #[must_use]
    pub const fn divided(self) -> Self {
        Self { is_divided: true, ..self }
    }

    /// Marks a field whose value is written in hexadecimal, such as a fingerprint, because its
    /// decimal value would mean nothing to a reader.
    #[must_use]
    pub const fn hex(self) -> Self {
        Self { is_hex: true, ..self }
    }

    /// Returns the name, in the words of the scheme's document, in lower case and with underscores,
    /// for example `node_id`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the meaning, as a phrase for people, for example `ticks of 4 ms since 2010`.
    #[must_use]
    pub const fn meaning(&self) -> &'static str {
        self.meaning
    }

    /// Returns the number of bits above the field's highest bit.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.high.start
    }

    /// Returns the width in bits, of both places if there are two. It saturates at `u32::MAX`.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.high.bits.saturating_add(self.low.bits)
    }

    /// Returns the places of the field's bits, the highest first. There is one, or two if its low
    /// bits are elsewhere.
    pub fn spans(&self) -> impl Iterator<Item = Span> + use<> {
        [self.high, self.low].into_iter().filter(|span| span.bits > 0)
    }

    /// Reports whether the fields after it divide its bits. All other fields together are all bits
    /// of an ID, each once, so skip the divided ones to draw the bits in a row.
    #[must_use]
    pub const fn is_divided(&self) -> bool {
        self.is_divided
    }

    /// Reports whether its value is written in hexadecimal.
    #[must_use]
    pub const fn is_hex(&self) -> bool {
        self.is_hex
    }

    /// Returns the field's value in an ID, which is its bits as a number, [times](Self::times) a
    /// factor. `bytes` are the ID's, the highest first. Bits beyond their end are zero.
    #[must_use]
    pub fn value(&self, bytes: &[u8]) -> u128 {
        let low = if self.low.bits == 0 { 0 } else { self.low.value(bytes) };
        let bits = self.high.value(bytes).checked_shl(self.low.bits).unwrap_or(0) | low;
        if self.factor == 1 { bits } else { bits.saturating_mul(self.factor.into()) }
    }
}

impl Span {
    /// Returns up to 128 bits of `bytes`.
    fn value(self, bytes: &[u8]) -> u128 {
        /// Nearly all fields lie in eight bytes, which no loop has to copy.
        const NEAR: u32 = u64::BITS;
        let Self { start, bits } = self;
        let first = ((start / 8) as usize).min(bytes.len().saturating_sub(8));
        if let Some(eight) = bytes.get(first..).and_then(<[u8]>::first_chunk)
            && let Some(above) = start.checked_sub(8 * u32::try_from(first).unwrap_or(u32::MAX / 8))
            && bits <= NEAR.saturating_sub(above)
        {
            let number = u64::from_be_bytes(*eight).checked_shl(above).unwrap_or(0);
            return number.checked_shr(NEAR - bits).unwrap_or(0).into();
        }
        // Read from the byte with the first bit on; 128 bits that start within one end in a 17th.
        let rest = bytes.get((start / 8) as usize..).unwrap_or_default();
        let mut near = [0; 17];
        let len = rest.len().min(near.len());
        if let (Some(to), Some(from)) = (near.get_mut(..len), rest.get(..len)) {
            to.copy_from_slice(from);
        }
        let [first @ .., last] = near;
        let above = u128::from_be_bytes(first) << (start % 8);
        let all = above | u128::from(last) >> (8 - start % 8);
        all.checked_shr(u128::BITS.saturating_sub(bits)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_at_any_bit() {
        let bytes = 0x0123_4567_89ab_cdef_u64.to_be_bytes();
        let whole = u128::from(u64::from_be_bytes(bytes));
        for start in 0..64 {
            for bits in 0..=64 - start {
                let expected = whole >> (64 - start - bits) & ((1 << bits) - 1);
                assert_eq!(
                    Field::new("", start, bits, "").value(&bytes),
                    expected,
                    "{start} {bits}"
                );
            }
        }
        assert_eq!(Field::new("", 32, 128, "").value(&[255; 20]), u128::MAX);
        assert_eq!(Field::new("", 60, 8, "").value(&bytes), 0xf0, "beyond the end");
    }

    /// Nothing overflows, whatever the widths, and the whole of a wide field is its first 128 bits.
    #[test]
    fn any_width_is_a_field() {
        let widths = [0, 1, 7, 8, 63, 64, 127, 128, 129, u32::MAX - 1, u32::MAX];
        let bytes = [0xff; 40];
        let ones = |bits: u32| u128::MAX.checked_shr(u128::BITS.saturating_sub(bits)).unwrap_or(0);
        for (start, bits) in widths.iter().flat_map(|start| widths.map(|bits| (*start, bits))) {
            let field = Field::new("", start, bits, "");
            let value = field.value(&bytes);
            if start <= 129 {
                assert_eq!(value, ones(bits), "{start} {bits}");
            }
            for low in widths {
                let both = field.and_low(start, low);
                assert_eq!(both.bits(), bits.saturating_add(low), "{bits} {low}");
                let high = value.checked_shl(low).unwrap_or(0);
                assert_eq!(both.value(&bytes), high | Field::new("", start, low, "").value(&bytes));
            }
            let [_, second, third] = Field::row([("", start, ""), ("", bits, ""), ("", 8, "")]);
            assert_eq!(second.start(), start);
            assert_eq!(third.start(), start.saturating_add(bits));
            let _ = third.at(start).times(u32::MAX).value(&bytes);
        }
    }

    #[test]
    fn values_are_multiplied_and_saturate() {
        let field = Field::new("", 0, 128, "").times(1_024);
        for (bits, value) in [
            (0, 0),
            (3, 3_072),
            (u128::MAX >> 10, u128::MAX - 1_023),
            ((u128::MAX >> 10) + 1, u128::MAX),
            (u128::MAX, u128::MAX),
        ] {
            assert_eq!(field.value(&bits.to_be_bytes()), value, "{bits}");
        }
    }

    /// A value has 128 bits, and the low ones take them all.
    #[test]
    fn high_bits_beside_128_low_ones_do_not_count() {
        let mut bytes = [0; 17];
        bytes[0] = 0xff;
        for low in [128, 129, u32::MAX] {
            assert_eq!(Field::new("", 0, 8, "").and_low(8, low).value(&bytes), 0, "{low}");
        }
        assert_eq!(Field::new("", 0, 8, "").and_low(8, 127).value(&bytes), 1 << 127);
    }

    #[test]
    fn a_field_may_be_in_two_places() {
        let bytes = 0x0123_4567_89ab_cdef_u64.to_be_bytes();
        let field = Field::new("", 4, 8, "").and_low(52, 12);
        assert_eq!((field.value(&bytes), field.bits()), (0x12_def, 20));
        assert_eq!(field.spans().map(|span| span.start).sum::<u32>(), 56);
    }
}
