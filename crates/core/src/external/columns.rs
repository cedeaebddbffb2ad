//! The values of database columns, for all database libraries.

use alloc::string::String;
use alloc::vec::Vec;

use crate::external::representations::length_error;
use crate::range::RangeError;

/// The value that a database column holds for an ID, which is an integer, an array of bytes or a
/// `String`.
///
/// # Examples
/// ```
/// use tickid_core::external::Column;
///
/// let column = [1, 2, 3].into_owned(); // as database libraries write it
/// assert_eq!(column, vec![1, 2, 3]);
/// assert_eq!(<[u8; 3]>::from_owned(column), Ok([1, 2, 3]));
/// ```
#[doc(hidden)]
pub trait Column: Sized {
    /// The same value as a type that every database library reads and writes. For an array of bytes
    /// it is a vector, for example, because not all libraries know arrays.
    type Owned;

    /// Returns the value as the libraries write it.
    fn into_owned(self) -> Self::Owned;

    /// Returns the value that a library has read.
    ///
    /// # Errors
    /// Returns a [`RangeError`] if the number of bytes is not that of the ID.
    fn from_owned(owned: Self::Owned) -> Result<Self, RangeError>;
}

macro_rules! as_itself {
    ($($value:ty),+) => {$(
        impl Column for $value {
            type Owned = Self;

            fn into_owned(self) -> Self {
                self
            }

            fn from_owned(owned: Self) -> Result<Self, RangeError> {
                Ok(owned)
            }
        }
    )+};
}
as_itself!(i64, u64, String);

impl<const N: usize> Column for [u8; N] {
    type Owned = Vec<u8>;

    fn into_owned(self) -> Vec<u8> {
        self.into()
    }

    fn from_owned(owned: Vec<u8>) -> Result<Self, RangeError> {
        owned.try_into().map_err(|owned: Vec<u8>| length_error(owned.len(), N))
    }
}
