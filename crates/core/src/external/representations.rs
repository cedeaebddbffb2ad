use core::error::Error;
use core::fmt::{Debug, Display};
use core::str::FromStr;

/// The representations of an ID that other libraries read and write: an integer, bytes and text, to
/// and from all of which the ID converts.
pub trait Representations:
    Copy
    + Debug
    + Display
    + FromStr<Err: Error + Send + Sync + 'static>
    + Into<Self::Integer>
    + TryFrom<Self::Integer, Error: Display>
    + Into<Self::Bytes>
    + TryFrom<Self::Bytes, Error: Display>
{
    /// An integer that holds all IDs, which order as the integers do.
    type Integer: Copy + PartialOrd + Display + FromStr;
    /// The bytes, big-endian.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Default;

    /// The name of such an ID, for messages and schemas.
    const NAME: &'static str;
    /// The lowest ID. All integers from it to the highest are IDs.
    const MIN: Self;
    /// The highest ID.
    const MAX: Self;
    /// A regular expression for the texts that are read as IDs.
    const TEXT_PATTERN: &'static str;
    /// The length of the longest text.
    const MAX_TEXT_LEN: usize;
    /// The length of the shortest text, which is that of all but where a scheme says otherwise.
    const MIN_TEXT_LEN: usize = Self::MAX_TEXT_LEN;
}

/// IDs whose text is always of one length and sorts, byte by byte, as the IDs do.
pub trait SortedText: Representations {}

/// Returns the bytes that a column holds, which must be as many as an ID has.
#[cfg(any(feature = "diesel", feature = "postgres-types", feature = "sqlx"))]
pub(super) fn exact_len<const N: usize>(bytes: &[u8]) -> Result<[u8; N], crate::RangeError> {
    bytes.try_into().map_err(|_| {
        let [found, expected] =
            [bytes.len(), N].map(|len| i128::try_from(len).unwrap_or(i128::MAX));
        crate::RangeError::new("length in bytes", found, expected, expected)
    })
}
