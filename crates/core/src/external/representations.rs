//! The integer, the bytes and the text of an ID. The implementations for other libraries are
//! derived from these three.

use core::error::Error;
use core::fmt::{Debug, Display};
use core::str::FromStr;

use crate::range::RangeError;

/// The representations of an ID that other libraries read and write, which are an integer, bytes
/// and text. The ID converts to and from all of them, so code that is generic over this trait can
/// store any ID.
pub trait Representations:
    Copy
    + Debug
    + Display
    + FromStr<Err: Error + Send + Sync + 'static>
    + Into<Self::Integer>
    + TryFrom<Self::Integer, Error: Display>
    + Into<Self::Bytes>
    + TryFrom<Self::Bytes, Error: Display>
    + Into<Self::Binary>
    + TryFrom<Self::Binary, Error: Display>
{
    /// An integer that holds all IDs. It orders as they do.
    type Integer: Copy + PartialOrd + Display + FromStr;
    /// The bytes, big-endian.
    type Bytes: AsRef<[u8]> + AsMut<[u8]> + Default;
    /// What serde's binary formats hold: an integer, or an array of the bytes.
    type Binary: Copy;

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
    /// The length of the shortest text. By default all texts have one length.
    const MIN_TEXT_LEN: usize = Self::MAX_TEXT_LEN;
}

/// IDs whose text is always of one length and sorts, byte by byte, as the IDs do.
pub trait SortedText: Representations {}

/// Returns the ID with these big-endian `bytes`.
///
/// # Errors
/// Returns a [`RangeError`] if `bytes` is not as long as an ID, or is not an ID.
#[doc(hidden)]
pub fn from_slice<T>(bytes: &[u8]) -> Result<T, RangeError>
where
    T: Representations + TryFrom<T::Bytes, Error: Into<RangeError>>,
{
    let mut own = T::Bytes::default();
    if own.as_ref().len() != bytes.len() {
        return Err(length_error(bytes.len(), own.as_ref().len()));
    }
    own.as_mut().copy_from_slice(bytes);
    T::try_from(own).map_err(Into::into)
}

pub(super) fn length_error(found: usize, expected: usize) -> RangeError {
    let [found, expected] = [found, expected].map(|len| i128::try_from(len).unwrap_or(i128::MAX));
    RangeError::new("length in bytes", found, expected, expected)
}

/// Implements [`Representations`] for an ID, and everything that follows from them. These are
/// `LowerHex`, `UpperHex` and `Binary` of its integer, `TryFrom<&[u8]>` of its bytes, `From` for
/// `String` of its text (with the feature `alloc` of this crate), and the traits of each library
/// whose feature of this crate is on.
#[macro_export]
macro_rules! impl_external {
    (
        $id:ident: $name:literal,
        integer $integer:ty, bytes $bytes:ty, column $column:tt: $sql:ident, serde $binary:ty,
        text $pattern:literal $(from $min_text_len:literal characters)?
    ) => {
        impl $crate::external::Representations for $id {
            type Integer = $integer;
            type Bytes = $bytes;
            type Binary = $binary;

            const NAME: &'static str = $name;
            const MIN: Self = Self::MIN;
            const MAX: Self = Self::MAX;
            const TEXT_PATTERN: &'static str = $pattern;
            $(const MIN_TEXT_LEN: usize = $min_text_len;)?
            const MAX_TEXT_LEN: usize = Self::TEXT_LEN;
        }

        $crate::impl_arbitrary!($id);
        $crate::impl_diesel!($id as $column: $sql);
        $crate::impl_mysql_common!($id as $column);
        $crate::impl_postgres_types!($id as $column);
        $crate::impl_proptest!($id);
        $crate::impl_rusqlite!($id as $column);
        $crate::impl_schemars!($id);
        $crate::impl_sea_orm!($id as $column);
        $crate::impl_serde!($id as $binary);
        $crate::impl_sqlx!($id as $column);
        $crate::impl_sqlx_postgres!($id as $column);
        $crate::impl_utoipa!($id);

        $crate::impl_external!(@radix $id, LowerHex, "hexadecimal digits in lower case");
        $crate::impl_external!(@radix $id, UpperHex, "hexadecimal digits in upper case");
        $crate::impl_external!(@radix $id, Binary, "binary digits");
        $crate::__impl_into_string!($id);

        /// Reads the bytes of an ID, big-endian.
        ///
        /// # Errors
        /// Returns a `RangeError` for any other length, and for bytes that are not an ID.
        impl ::core::convert::TryFrom<&[u8]> for $id {
            type Error = $crate::RangeError;

            fn try_from(bytes: &[u8]) -> ::core::result::Result<Self, $crate::RangeError> {
                $crate::external::from_slice(bytes)
            }
        }
    };
    (@radix $id:ty, $trait:ident, $digits:literal) => {
        #[doc = concat!("Formats the ID's integer, which its bytes are, in ", $digits, ";")]
        /// honours `#`, width and fill.
        impl ::core::fmt::$trait for $id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let integer: <$id as $crate::external::Representations>::Integer = (*self).into();
                ::core::fmt::$trait::fmt(&integer, f)
            }
        }
    };
}

/// The part of [`impl_external`](crate::impl_external) that needs an allocator. It is a macro of
/// its own because a `cfg` within a macro is evaluated in the caller's crate, which has different
/// features.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_into_string {
    ($id:ty) => {
        /// Returns the canonical text.
        impl ::core::convert::From<$id> for $crate::external::__alloc::string::String {
            fn from(id: $id) -> Self {
                $crate::external::__alloc::string::ToString::to_string(&id)
            }
        }
    };
}

#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __impl_into_string {
    ($id:ty) => {};
}
