use core::fmt;

/// Text that is no ID of a scheme, or of one of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError {
    what: &'static str,
    kind: ParseErrorKind,
}

/// What is wrong with a text.
// With a discriminant of 8 bytes, an ID that stands in an error's place is aligned as its parts are,
// and is not put together byte by byte: that makes reading sno IDs four times as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u64)]
pub enum ParseErrorKind {
    /// Too short or too long.
    Length {
        /// How many bytes there are.
        found: usize,
        /// The fewest there may be.
        min: usize,
        /// The most there may be.
        max: usize,
    },
    /// A byte that is no character of the alphabet.
    Character {
        /// The byte.
        byte: u8,
        /// Where it is, counted in bytes from 0.
        position: usize,
        /// The characters allowed there.
        expected: &'static str,
    },
    /// Valid characters that spell a number beyond the highest ID.
    TooLarge {
        /// The number; `u128::MAX` stands for everything from there on.
        value: u128,
        /// The highest.
        max: u128,
    },
    /// The last character holds bits that no ID has there, so it is not how this ID is written.
    StrayBits {
        /// The byte.
        byte: u8,
        /// Where it is, counted in bytes from 0.
        position: usize,
    },
}

impl ParseErrorKind {
    /// `value` itself, or that it is too large.
    pub(crate) const fn at_most(value: u128, max: u64) -> Result<u64, Self> {
        let max_wide = max as u128;
        if value <= max_wide {
            #[allow(clippy::cast_possible_truncation, reason = "compared on the line above")]
            Ok(value as u64)
        } else {
            Err(Self::TooLarge { value, max: max_wide })
        }
    }
}

impl ParseError {
    /// For a text that was to be a `what`, as in `"sno ID"`.
    #[must_use]
    pub const fn new(what: &'static str, kind: ParseErrorKind) -> Self {
        Self { what, kind }
    }

    /// What the text was to be.
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a {}: ", self.what)?;
        match self.kind {
            ParseErrorKind::Length { found, min, max } if min == max => {
                write!(f, "{found} bytes long, not {min}")
            }
            ParseErrorKind::Length { found, min, max } => {
                write!(f, "{found} bytes long, not {min} to {max}")
            }
            ParseErrorKind::Character { byte, position, expected } => {
                let byte = byte.escape_ascii();
                write!(f, "'{byte}' at position {position} is none of {expected}")
            }
            ParseErrorKind::TooLarge { value, max } => {
                write!(f, "the number {value} is above {max}")
            }
            ParseErrorKind::StrayBits { byte, position } => {
                let byte = byte.escape_ascii();
                write!(f, "'{byte}' at position {position} holds bits beyond the ID's")
            }
        }
    }
}

impl core::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn messages_name_the_value_the_place_and_the_range() {
        let cases = [
            (ParseErrorKind::Length { found: 3, min: 12, max: 12 }, "3 bytes long, not 12"),
            (ParseErrorKind::Length { found: 0, min: 1, max: 13 }, "0 bytes long, not 1 to 13"),
            (
                ParseErrorKind::Character { byte: b'\n', position: 4, expected: "0-9" },
                "'\\n' at position 4 is none of 0-9",
            ),
            (ParseErrorKind::TooLarge { value: 9, max: 8 }, "the number 9 is above 8"),
            (
                ParseErrorKind::StrayBits { byte: b'z', position: 10 },
                "'z' at position 10 holds bits beyond the ID's",
            ),
        ];
        for (kind, message) in cases {
            let error = ParseError::new("test ID", kind);
            assert_eq!(error.to_string(), std::format!("not a test ID: {message}"));
            assert_eq!((error.what(), error.kind()), ("test ID", kind));
        }
    }
}
