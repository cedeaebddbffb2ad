//! How an ID is written, as one of its texts or otherwise.

use core::fmt;

use super::{AnyId, Kind, TextForm, with_id};
use crate::schemes::SchemeId;

/// How an ID is written: as one of its texts, or as its number or its bytes, which every ID has.
///
/// The enum is exhaustive, so code that must decide about a new form does not compile without it.
///
/// # Examples
/// ```
/// use tickid_convert::{Form, Kind};
///
/// let names = |kind| Vec::from_iter(Form::names(kind));
/// assert_eq!(names(Kind::Sno), ["text", "int", "hex", "bytes", "base32"]);
/// let form = Form::named(Kind::Sno, "hex").ok_or("no such form")?;
/// let is_hex = form.write(tickid_sno::SnoId::MAX, |text| text == b"ffffffffffffffffffff");
/// assert_eq!(is_hex, Some(true));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "a new form must be decided about wherever one is read")]
pub enum Form {
    /// A text of its scheme.
    Text(TextForm),
    /// The text of a format that is no scheme, for example of a ULID.
    Own,
    /// The number in decimal.
    Int,
    /// The bytes in hexadecimal, the highest first.
    Hex,
    /// The bytes themselves, the highest first, or a literal of them.
    Bytes,
    /// The tuple of a kuid as Erlang prints it, for example `{uid,{1539,625275,432128},1}`.
    Tuple,
}

impl Form {
    /// The names of the forms that IDs of every scheme have. `text` is the canonical text.
    const SHARED: [&'static str; 4] = ["text", "int", "hex", "bytes"];

    /// Returns the canonical text of a scheme's IDs.
    #[must_use]
    pub const fn canonical(kind: Kind) -> Self {
        Self::Text(TextForm::canonical(kind))
    }

    /// Returns the form in which a scheme's IDs have this name. `text` is the canonical text.
    #[must_use]
    pub fn named(kind: Kind, name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::canonical(kind)),
            "int" => Some(Self::Int),
            "hex" => Some(Self::Hex),
            "bytes" => Some(Self::Bytes),
            name => TextForm::named(kind, name).map(Self::Text),
        }
    }

    /// Returns the names of all forms in which a scheme's IDs can be written.
    pub fn names(kind: Kind) -> impl Iterator<Item = &'static str> + Clone {
        let texts = TextForm::all(kind).map(|form| form.facts().name);
        Self::SHARED.into_iter().chain(texts)
    }

    /// Returns the name in options and data, for example `hex`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text(form) => form.facts().name,
            Self::Own => "text",
            Self::Int => "int",
            Self::Hex => "hex",
            Self::Bytes => "bytes",
            Self::Tuple => "tuple",
        }
    }

    /// Reports whether the form is the decimal digits of the ID's integer, which says nothing about
    /// the ID's format.
    #[inline]
    #[must_use]
    pub const fn is_integer(self) -> bool {
        match self {
            Self::Text(form) => form.facts().is_integer,
            Self::Int => true,
            Self::Own | Self::Hex | Self::Bytes | Self::Tuple => false,
        }
    }

    /// Calls a function with an ID in this form. The result is `None` if the scheme has no such
    /// form, so a form of this scheme that has a [name](Self::named) always gives a result.
    #[inline]
    pub fn write<I: SchemeId, T>(self, id: I, call: impl FnOnce(&[u8]) -> T) -> Option<T> {
        match self {
            // Nearly all IDs are written so, and the function is inlined.
            Self::Text(form) if form == TextForm::canonical(I::KIND) => {
                Some(call(SchemeId::text(id).as_bytes()))
            }
            Self::Text(form) => Some(call((form.of::<I>()?.write)(id).as_bytes())),
            Self::Int => Some(match u64::try_from(id.number()) {
                Ok(number) => call(tickid_text::decimal::encode(number).as_bytes()),
                Err(_) => call(decimal(id.number(), &mut [0; 39])),
            }),
            Self::Hex => Some(call(hexadecimal(id.bytes().as_ref(), &mut [0; 40]))),
            Self::Bytes => Some(call(id.bytes().as_ref())),
            Self::Own | Self::Tuple => None,
        }
    }

    /// Reads an ID in this form. Integers and hexadecimal digits may have leading zeros.
    ///
    /// # Errors
    /// Returns the reason why the text is not an ID of the scheme in this form.
    ///
    /// # Examples
    /// ```
    /// use tickid_convert::{Form, Kind};
    ///
    /// let id = Form::Int.read(Kind::Sno, b"77")?;
    /// assert_eq!(id, Form::Hex.read(Kind::Sno, b"4d")?);
    /// assert!(Form::Int.read(Kind::Sno, b"4d").is_err());
    /// # Ok::<(), tickid_convert::FormError>(())
    /// ```
    pub fn read(self, kind: Kind, text: &[u8]) -> Result<AnyId, FormError> {
        match self {
            Self::Text(form) if form.kind() == kind => Ok(form.parse(text)?),
            Self::Int => Ok(AnyId::from_u128(kind, number(text, 10)?)?),
            Self::Hex => Ok(AnyId::from_u128(kind, number(text, 16)?)?),
            Self::Bytes => Ok(AnyId::from_bytes(kind, text)?),
            Self::Text(_) | Self::Own | Self::Tuple => {
                Err(FormError::OtherScheme { form: self.name(), kind })
            }
        }
    }
}

impl AnyId {
    /// Calls a function with this ID in a form, as [`Form::write`] does.
    pub fn write_in<T>(self, form: Form, call: impl FnOnce(&[u8]) -> T) -> Option<T> {
        with_id!(self, id => form.write(id, call))
    }
}

/// Writes the form for people, for example `hexadecimal`. A text is called by its name.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Text(_) | Self::Own | Self::Bytes => self.name(),
            Self::Int => "integer",
            Self::Hex => "hexadecimal",
            Self::Tuple => "Erlang tuple",
        })
    }
}

/// The reason why a text is not an ID in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormError {
    /// The text is not one of the scheme.
    #[error(transparent)]
    Text(#[from] tickid_text::ParseError),
    /// The text is not an integer in this base, or needs more than 128 bits.
    #[error("not an integer of up to 128 bits in base {radix}")]
    Digits {
        /// The base, 10 or 16.
        radix: u32,
    },
    /// The number is not an ID of the scheme.
    #[error(transparent)]
    Number(#[from] tickid_core::RangeError),
    /// The form is one of other IDs.
    #[error("no {kind} has the form {form}")]
    OtherScheme {
        /// The name of the form.
        form: &'static str,
        /// The scheme.
        kind: Kind,
    },
}

fn number(text: &[u8], radix: u32) -> Result<u128, FormError> {
    // `from_str_radix` takes a sign.
    let is_digits = text.iter().all(|byte| char::from(*byte).is_digit(radix));
    let text = str::from_utf8(text).ok().filter(|_| is_digits);
    let number = text.and_then(|text| u128::from_str_radix(text, radix).ok());
    number.ok_or(FormError::Digits { radix })
}

fn decimal(mut number: u128, out: &mut [u8; 39]) -> &[u8] {
    let mut start = out.len();
    for (at, digit) in out.iter_mut().enumerate().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        (number, start) = (number / 10, at);
        if number == 0 {
            break;
        }
    }
    out.get(start..).unwrap_or_default()
}

fn hexadecimal<'a>(bytes: &[u8], out: &'a mut [u8; 40]) -> &'a [u8] {
    const DIGITS: [u8; 16] = *b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    out.iter_mut().zip(digits).for_each(|(to, digit)| *to = DIGITS[usize::from(digit)]);
    out.get(..2 * bytes.len()).unwrap_or_default()
}
