//! How a format that is only read looks: its text, its fields and its clock.

use core::ops::RangeInclusive;

use tickid_convert::IdBytes;
use tickid_core::{Field, UnixTime};

use crate::alphabets::Alphabets;
use crate::formats::texts::{self, Digits};

/// What a row of the table says about a format that is only read. Everything about such a format
/// follows from it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Description {
    /// The features of the text, as a phrase.
    pub(crate) features: &'static str,
    pub(crate) coding: Coding,
    /// The alphabet whose texts are a mark of the format, beside a likely time.
    pub(crate) marks: Option<Alphabets>,
    /// The fields, the highest first, of whole bytes. Those with the name `unused` are 0.
    pub(crate) fields: &'static [Field],
    /// The name of the field with the time, the microseconds of its unit, and its epoch.
    pub(crate) clock: (&'static str, i64, UnixTime),
    /// The name of a field that is counted from 0, so that low values are likelier.
    pub(crate) counted: &'static str,
}

/// How the bytes of an ID are written.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Coding {
    /// In so many digits of base 32 or 64. Bits beyond those of the ID are 0, and the highest.
    Digits(&'static Digits, RangeInclusive<usize>),
    /// As `Digits`, but the bits beyond are the lowest.
    LowDigits(&'static Digits, RangeInclusive<usize>),
    /// In so many digits of base 62, `0-9A-Za-z`.
    Base62(usize),
    /// In hexadecimal, as any literal of bytes.
    Hexadecimal,
    /// As a decimal integer of 64 bits.
    Decimal,
}

impl Description {
    /// Returns the number of bytes of an ID.
    pub(crate) fn byte_len(&self) -> usize {
        self.fields.iter().map(|field| field.bits() as usize).sum::<usize>() / 8
    }

    /// Reads the digits of a text that is not decimal or hexadecimal.
    pub(crate) fn read(&self, text: &[u8]) -> Option<IdBytes> {
        let bits = 8 * self.byte_len();
        let number = match &self.coding {
            Coding::Digits(digits, lens) if lens.contains(&text.len()) => digits.number(text)?,
            Coding::LowDigits(digits, lens) if lens.contains(&text.len()) => {
                let number = digits.number(text)?;
                let beyond = text.len() * digits.bits() - bits;
                if number.trailing_zeros() < u32::try_from(beyond).ok()? {
                    return None;
                }
                number >> beyond
            }
            Coding::Base62(len) if *len == text.len() => {
                return texts::base_62(text).map(|bytes| IdBytes::new(&bytes));
            }
            _ => return None,
        };
        if bits < 128 && number >> bits != 0 {
            return None;
        }
        let bytes = number.to_be_bytes();
        self.accept(bytes.get(bytes.len() - bits / 8..)?)
    }

    /// Returns bytes that may be an ID: as many as it has, with zeros where it has no field.
    pub(crate) fn accept(&self, bytes: &[u8]) -> Option<IdBytes> {
        let is_unused = |field: &&Field| field.name() == "unused";
        let mut unused = self.fields.iter().filter(is_unused);
        (bytes.len() == self.byte_len() && unused.all(|field| field.value(bytes) == 0))
            .then(|| IdBytes::new(bytes))
    }

    /// Returns the time of an ID. No format has one beyond the years that can be named.
    pub(crate) fn unix_time(&self, bytes: &[u8]) -> Option<UnixTime> {
        let (name, unit, epoch) = self.clock;
        let field = self.fields.iter().find(|field| field.name() == name)?;
        let micros = i64::try_from(field.value(bytes)).ok()?.checked_mul(unit)?;
        Some(UnixTime::from_micros(epoch.as_micros().checked_add(micros)?))
    }

    /// Returns the bits of a text of as many digits without a meaning, unless other kinds of texts
    /// are written so too and are weighed by themselves.
    pub(crate) fn chance(&self, text: &[u8]) -> Option<u32> {
        let digits = match &self.coding {
            Coding::Digits(digits, _) | Coding::LowDigits(digits, _) => digits,
            _ => return None,
        };
        u32::try_from(text.len() * digits.bits()).ok()
    }
}
