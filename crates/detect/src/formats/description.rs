//! The text, the fields and the clock of a format that is only read.

use core::ops::RangeInclusive;

use tickid_convert::IdBytes;
use tickid_core::{Field, UnixTime};

use crate::alphabets::Alphabets;
use crate::formats::texts::{self, Digits};

/// A row of the table, for a format that is only read. Everything about such a format follows from
/// it.
#[derive(Debug)]
pub(crate) struct Description {
    /// The features of the text, as a phrase.
    pub(crate) features: &'static str,
    pub(crate) coding: Coding,
    /// The numbers of digits. There are none for decimal and hexadecimal digits.
    pub(crate) lens: RangeInclusive<usize>,
    /// The alphabet whose texts are a mark of the format, beside a likely time.
    pub(crate) marks: Option<Alphabets>,
    /// The fields, the highest first, of whole bytes. Those with the name `unused` are 0.
    pub(crate) fields: &'static [Field],
    /// The place of the field with the time.
    pub(crate) time: usize,
    /// The place of a field with milliseconds, if the one with the time has seconds beside it.
    pub(crate) millis: Option<usize>,
    /// The unit of the time, of both fields if there are two, in microseconds.
    pub(crate) unit: u32,
    pub(crate) epoch: UnixTime,
    /// The place of a field that is counted from 0, so that low values are likelier.
    pub(crate) counted: Option<usize>,
}

/// How the bytes of an ID are written.
#[derive(Debug)]
pub(crate) enum Coding {
    /// In digits of base 32 or 64. Bits beyond those of the ID are 0, and the highest.
    Digits(&'static Digits),
    /// The same as `Digits`, but the bits beyond are the lowest.
    LowDigits(&'static Digits),
    /// In digits of base 62, `0-9A-Za-z`.
    Base62,
    /// In hexadecimal, like any literal of bytes.
    Hexadecimal,
    /// As a decimal integer of 64 bits.
    Decimal,
}

impl Coding {
    /// Returns the digits in the order of their values, if texts have a fixed number of them.
    const fn alphabet(&self) -> Option<&'static [u8]> {
        match self {
            Self::Digits(digits) | Self::LowDigits(digits) => Some(digits.alphabet()),
            Self::Base62 => Some(texts::BASE_62),
            Self::Hexadecimal | Self::Decimal => None,
        }
    }

    /// Reports whether texts, or integers without one, sort as the bytes do.
    pub(crate) fn keeps_order(&self) -> bool {
        self.alphabet().is_none_or(|alphabet| alphabet.is_sorted())
    }
}

impl Description {
    /// The most digits of a text.
    pub(crate) const MAX_LEN: usize = 27;

    /// Returns the number of bytes of an ID.
    pub(crate) fn byte_len(&self) -> usize {
        self.fields.last().map_or(0, |last| (last.start() + last.bits()) as usize / 8)
    }

    /// Reads a text of one of these [`lens`](Self::lens).
    pub(crate) fn read(&self, text: &[u8]) -> Option<IdBytes> {
        let number = match self.coding {
            Coding::Digits(digits) => digits.number(text)?,
            Coding::LowDigits(digits) => {
                let number = digits.number(text)?;
                let beyond = text.len() * digits.bits() - 8 * self.byte_len();
                if number.trailing_zeros() < u32::try_from(beyond).ok()? {
                    return None;
                }
                number >> beyond
            }
            // Its numbers have up to 160 bits.
            Coding::Base62 => {
                let bytes = texts::base_62(text)?;
                let (beyond, id) = bytes.split_at_checked(bytes.len() - self.byte_len())?;
                let is_id = beyond.iter().all(|byte| *byte == 0) && self.accepts(id);
                return is_id.then(|| IdBytes::new(id));
            }
            Coding::Hexadecimal | Coding::Decimal => return None,
        };
        let bits = 8 * self.byte_len();
        if bits < 128 && number >> bits != 0 {
            return None;
        }
        let bytes = number.to_be_bytes();
        let bytes = bytes.get(bytes.len() - bits / 8..)?;
        self.accepts(bytes).then(|| IdBytes::new(bytes))
    }

    /// Returns the text of an ID and its length, which is 0 for decimal and hexadecimal digits.
    pub(crate) fn write(&self, id: &[u8]) -> ([u8; Self::MAX_LEN], usize) {
        let mut text = [0; Self::MAX_LEN];
        let len = (*self.lens.end()).min(text.len());
        let Some(alphabet) = self.coding.alphabet() else { return (text, 0) };
        let mut number = [0; 20];
        number.iter_mut().rev().zip(id.iter().rev()).for_each(|(to, from)| *to = *from);
        // The bits beyond those of the ID are in the last digit, which then holds the fewer of its.
        let mut beyond = match self.coding {
            Coding::LowDigits(digits) => len * digits.bits() - 8 * self.byte_len(),
            Coding::Digits(_) | Coding::Base62 | Coding::Hexadecimal | Coding::Decimal => 0,
        };
        for digit in text.iter_mut().take(len).rev() {
            let value = texts::divide(&mut number, alphabet.len() >> beyond) << beyond;
            *digit = alphabet.get(value).copied().unwrap_or_default();
            beyond = 0;
        }
        (text, len)
    }

    /// Reports whether bytes may be an ID, that is whether there are as many as it has, with zeros
    /// where it has no field.
    pub(crate) fn accepts(&self, bytes: &[u8]) -> bool {
        let is_unused = |field: &&Field| field.name() == "unused";
        let mut unused = self.fields.iter().filter(is_unused);
        bytes.len() == self.byte_len() && unused.all(|field| value(field, bytes) == Some(0))
    }

    /// Reports whether an ID has milliseconds of the next second.
    pub(crate) fn is_never_issued(&self, bytes: &[u8]) -> bool {
        let millis = self.millis.and_then(|place| value(self.fields.get(place)?, bytes));
        millis.is_some_and(|millis| millis >= MILLIS.unsigned_abs())
    }

    /// Returns the fields beside the time, with their places.
    pub(crate) fn others(&self) -> impl Iterator<Item = (usize, &'static Field)> {
        let fields = self.fields.iter().enumerate();
        fields.filter(|(place, field)| {
            *place != self.time && Some(*place) != self.millis && field.name() != "unused"
        })
    }

    /// Returns the time of an ID. No format here reaches beyond the years of a [`UnixTime`].
    pub(crate) fn unix_time(&self, bytes: &[u8]) -> Option<UnixTime> {
        let mut ticks = i64::try_from(value(self.fields.get(self.time)?, bytes)?).ok()?;
        if let Some(millis) = self.millis {
            let millis = value(self.fields.get(millis)?, bytes)?;
            ticks = ticks.checked_mul(MILLIS)?.checked_add(i64::try_from(millis).ok()?)?;
        }
        let micros = ticks.checked_mul(self.unit.into())?;
        Some(UnixTime::from_micros(self.epoch.as_micros().checked_add(micros)?))
    }

    /// Returns the bits of a text without a meaning that has as many digits. There are none where
    /// other kinds of texts look the same, because these are weighed by themselves.
    pub(crate) fn chance(&self, text: &[u8]) -> Option<u32> {
        let (Coding::Digits(digits) | Coding::LowDigits(digits)) = self.coding else {
            return None;
        };
        u32::try_from(text.len() * digits.bits()).ok()
    }
}

/// The milliseconds of a second.
const MILLIS: i64 = 1_000;

/// Returns the value of a field of up to 64 bits.
#[inline]
pub(crate) fn value(field: &Field, bytes: &[u8]) -> Option<u64> {
    // Integers are most of what is read, and shifting one takes a tenth of the time.
    let Ok(bytes) = bytes.try_into() else { return u64::try_from(field.value(bytes)).ok() };
    let below = u64::from_be_bytes(bytes) >> u64::BITS.checked_sub(field.start() + field.bits())?;
    Some(below & (u64::MAX >> u64::BITS.checked_sub(field.bits())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No format has such texts yet, and one needs nothing but its row.
    #[test]
    fn texts_of_base_62_have_the_bytes_of_the_row() {
        const FIELDS: &[Field] =
            &Field::row([("timestamp", 48, "ms since 1970"), ("random", 80, "random bits")]);
        let row = Description {
            features: "22 digits of base 62, 128 bits",
            coding: Coding::Base62,
            lens: 22..=22,
            marks: None,
            fields: FIELDS,
            time: 0,
            millis: None,
            unit: 1_000,
            epoch: UnixTime::EPOCH,
            counted: None,
        };
        for number in [0, 61, 0x0163_3aee_6a7d_8b25_3e42_a3b9_1f16_c4a7, u128::MAX] {
            let id = number.to_be_bytes();
            let (text, len) = row.write(&id);
            assert_eq!(row.read(&text[..len]).as_deref(), Some(&id[..]), "{number}");
        }
        let time = row.unix_time(&(1_525_813_955_000_u128 << 80).to_be_bytes());
        assert_eq!(time.map(UnixTime::as_millis), Some(1_525_813_955_000));
        // 2^128, and more than 160 bits.
        for text in ["7n42DGM5Tflk9n8mt7Fhc8", "zzzzzzzzzzzzzzzzzzzzzz"] {
            assert_eq!(row.read(text.as_bytes()).as_deref(), None, "{text}");
        }
    }
}
