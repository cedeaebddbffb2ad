//! The text forms of nodes, pools and tokens, and errors of parsing.

use core::str::FromStr;

use tickid_core::{AnyNode, ParseNodeError, RangeError};

use crate::model::pool::{NodePool, NodeRange, PoolError};
use crate::model::token::Token;

/// The highest version of records and rows that this release can read. It reads all earlier ones and
/// writes this one.
pub(crate) const RECORD_VERSION: u32 = 1;

/// Parses a type from the texts that options of builders take, as its `FromStr` does.
macro_rules! try_from_text {
    ($type:ty) => {
        impl TryFrom<&str> for $type {
            type Error = LeaseTextError;

            fn try_from(text: &str) -> Result<Self, LeaseTextError> {
                text.parse()
            }
        }

        impl TryFrom<String> for $type {
            type Error = LeaseTextError;

            fn try_from(text: String) -> Result<Self, LeaseTextError> {
                text.parse()
            }
        }
    };
}
pub(crate) use try_from_text;

/// An error from parsing a text.
///
/// # Examples
/// ```
/// use tickid_core::AnyNode;
/// use tickid_lease::NodePool;
///
/// let error = "300/8".parse::<AnyNode>().unwrap_err();
/// assert_eq!(error.to_string(), "node 300 is outside of 0..=255");
/// let error = "all".parse::<NodePool>().unwrap_err();
/// assert!(error.to_string().starts_with(r#""all" is not FIRST-LAST/BITS"#));
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseTextError {
    /// The text does not have the form.
    #[error("{text:?} is not {form}")]
    Form {
        /// The text.
        text: String,
        /// The form.
        form: &'static str,
    },
    /// A number is out of range.
    #[error(transparent)]
    Range(#[from] RangeError),
    /// The nodes do not form a pool.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// A store's data cannot be read.
    #[error("not a {what}: {why}")]
    Malformed {
        /// The kind of data.
        what: &'static str,
        /// The reason.
        why: String,
    },
    /// A later release wrote a store's data in a version that this one cannot read.
    #[error(
        "the {what} has version {record_version}, and this release knows versions up to \
         {RECORD_VERSION}: update this program"
    )]
    Newer {
        /// The kind of data.
        what: &'static str,
        /// The record's version.
        record_version: u32,
    },
}

tickid_core::debug_error! {
    enum LeaseTextError {
        Form { text, form }, Range(error), Pool(error), Malformed { what, why },
        Newer { what, record_version },
    }
}

impl LeaseTextError {
    pub(crate) fn form(text: &str, form: &'static str) -> Self {
        Self::Form { text: text.chars().take(300).collect(), form }
    }
}

/// Parses a node. The error names the text, which the core's error cannot.
pub(crate) fn node(text: &str) -> Result<AnyNode, LeaseTextError> {
    text.parse().map_err(|error| match error {
        ParseNodeError::Range(error) => error.into(),
        ParseNodeError::Form { .. } => LeaseTextError::form(text, "N/BITS, as in 42/8"),
        _ => LeaseTextError::form(text, "N/BITS, as in 42/8"),
    })
}

impl FromStr for NodeRange {
    type Err = LeaseTextError;

    fn from_str(text: &str) -> Result<Self, LeaseTextError> {
        let numbers = text.split_once('/').and_then(|(values, bits)| {
            let (first, last) = values.split_once('-').unwrap_or((values, values));
            Some((number(first)?, number(last)?, number(bits)?))
        });
        let (first, last, bits) = numbers.ok_or_else(|| {
            LeaseTextError::form(text, "FIRST-LAST/BITS or N/BITS, as in 0-255/8")
        })?;
        Ok(Self::new(first, last, bits)?)
    }
}

try_from_text! { NodePool }

impl FromStr for NodePool {
    type Err = LeaseTextError;

    fn from_str(text: &str) -> Result<Self, LeaseTextError> {
        let ranges = text.split(',').map(str::parse).collect::<Result<Vec<NodeRange>, _>>()?;
        Ok(Self::new(ranges)?)
    }
}

impl FromStr for Token {
    type Err = LeaseTextError;

    fn from_str(text: &str) -> Result<Self, LeaseTextError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_token = text.len() == 32 && text.bytes().all(is_digit);
        let bits = if is_token { u128::from_str_radix(text, 16).ok() } else { None };
        bits.map(Self::from_bits).ok_or_else(|| LeaseTextError::form(text, "32 hexadecimal digits"))
    }
}

/// Parses a number of decimal digits without a sign.
pub(crate) fn number<N: FromStr>(text: &str) -> Option<N> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_nodes_name_the_text() {
        assert_eq!(node("42/8"), Ok(AnyNode::new(42, 8).unwrap()));
        let message = |text| node(text).unwrap_err().to_string();
        assert_eq!(message("42"), "\"42\" is not N/BITS, as in 42/8");
        assert_eq!(message("256/8"), "node 256 is outside of 0..=255");
    }

    #[test]
    fn only_tokens_parse() {
        for bits in [0, 1, u128::MAX, 0xabc << 64] {
            let token = Token::from_bits(bits);
            assert_eq!(token.to_string().parse(), Ok(token));
        }
        let upper = "A".repeat(32);
        for text in ["", "0", &"0".repeat(33), &upper, &format!("+{}", "0".repeat(31))] {
            assert!(text.parse::<Token>().is_err(), "{text}");
        }
    }
}
