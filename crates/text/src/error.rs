//! The errors for texts that are not IDs.

use core::fmt;

/// The error for a text that is not a valid ID, or not in the requested form. The message says what
/// the text should have been, what is wrong with it and where, for example `not a word: 'E' at
/// position 7 is none of 0-9, a-f`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParseError {
    what: &'static str,
    kind: ParseErrorKind,
}

/// The reason a text was rejected.
// With a discriminant of 8 bytes, the ID in a `Result` of this error is aligned and need not be
// assembled byte by byte, which makes reading sno IDs four times as fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u64)]
pub enum ParseErrorKind {
    /// A text that is too short or too long. A line break at its end counts, so trim lines before
    /// parsing them.
    Length {
        /// The length in bytes.
        found: usize,
        /// The minimum length.
        min: usize,
        /// The maximum length.
        max: usize,
    },
    /// A byte that is not in the alphabet.
    Character {
        /// The byte.
        byte: u8,
        /// Its position in bytes, from 0.
        position: usize,
        /// The characters allowed there.
        expected: &'static str,
    },
    /// A number beyond the highest ID, although all characters are valid. For example, 13 digits of
    /// Base36 can spell more than 64 bits hold.
    TooLarge {
        /// The number, or `u128::MAX` if it is higher than that.
        value: u128,
        /// The highest number allowed.
        max: u128,
    },
    /// A last character with bits set beyond the end of the ID. The canonical text has zeros there,
    /// so this text would be a second one for the same ID.
    StrayBits {
        /// The byte.
        byte: u8,
        /// Its position in bytes, from 0.
        position: usize,
    },
}

impl ParseErrorKind {
    /// Returns `value`, or the error that it is too large.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::ParseErrorKind;
    ///
    /// assert_eq!(ParseErrorKind::at_most(7, 9), Ok(7));
    /// let error = ParseErrorKind::TooLarge { value: 10, max: 9 };
    /// assert_eq!(ParseErrorKind::at_most(10, 9), Err(error));
    /// ```
    ///
    /// # Errors
    /// Returns [`TooLarge`](Self::TooLarge) above `max`.
    pub const fn at_most(value: u128, max: u64) -> Result<u64, Self> {
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
    /// Creates the error for a text that should have been a `what`, such as `"sno ID"`.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::{ParseError, decimal};
    ///
    /// let port = decimal::decode(b"4x", 100).map_err(|kind| ParseError::new("port", kind));
    /// let error = port.unwrap_err();
    /// assert!(error.to_string().starts_with("not a port: 'x' at position 1"));
    /// ```
    #[must_use]
    pub const fn new(what: &'static str, kind: ParseErrorKind) -> Self {
        Self { what, kind }
    }

    /// Returns the kind of ID that the text should have been, as it was passed to
    /// [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use tickid_text::{ParseError, ParseErrorKind};
    ///
    /// let error = ParseError::new("port", ParseErrorKind::Length { found: 0, min: 1, max: 5 });
    /// assert_eq!(error.what(), "port");
    /// ```
    #[must_use]
    pub const fn what(&self) -> &'static str {
        self.what
    }

    /// Returns the reason, to decide by it or to mark the position in the input.
    ///
    /// # Examples
    /// ```
    /// use tickid_text::{ParseError, ParseErrorKind};
    ///
    /// let error = ParseError::new("port", ParseErrorKind::Length { found: 0, min: 1, max: 5 });
    /// assert!(matches!(error.kind(), ParseErrorKind::Length { found: 0, .. }));
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }
}

/// Returns the ID of a literal in a constant. A literal that does not parse does not compile.
#[doc(hidden)]
#[must_use]
pub const fn parsed<T: Copy>(result: Result<T, ParseError>) -> T {
    #[allow(clippy::panic, reason = "run by the compiler, for a literal")]
    match result {
        Ok(id) => id,
        Err(_) => panic!("the text spells no ID of this type"),
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_vowel = |letter: char| matches!(letter.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o');
        let article = if self.what.starts_with(is_vowel) { "an" } else { "a" };
        write!(f, "not {article} {}: ", self.what)?;
        match self.kind {
            ParseErrorKind::Length { found, min, max } => {
                let s = if found == 1 { "" } else { "s" };
                write!(f, "{found} byte{s} long, not {min}")?;
                if min == max { Ok(()) } else { write!(f, " to {max}") }
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

/// `{:?}` writes the sentence, because a program whose `main` returns the error prints it, and
/// `{:#?}` writes the parts.
impl fmt::Debug for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            return fmt::Display::fmt(self, f);
        }
        let Self { what, kind } = self;
        f.debug_struct("ParseError").field("what", what).field("kind", kind).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;

    #[test]
    fn messages_have_value_and_range() {
        let cases = [
            (ParseErrorKind::Length { found: 3, min: 12, max: 12 }, "3 bytes long, not 12"),
            (ParseErrorKind::Length { found: 0, min: 1, max: 13 }, "0 bytes long, not 1 to 13"),
            (ParseErrorKind::Length { found: 1, min: 12, max: 12 }, "1 byte long, not 12"),
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
            assert_eq!(std::format!("{error:?}"), error.to_string());
            assert!(std::format!("{error:#?}").starts_with("ParseError {\n    what: "));
            assert_eq!((error.what(), error.kind()), ("test ID", kind));
        }
    }

    #[test]
    fn names_have_their_article() {
        let kind = ParseErrorKind::TooLarge { value: 9, max: 8 };
        for (what, start) in [("Instagram ID", "not an I"), ("UID", "not a U"), ("", "not a :")] {
            let message = ParseError::new(what, kind).to_string();
            assert!(message.starts_with(start), "{message}");
        }
    }
}
