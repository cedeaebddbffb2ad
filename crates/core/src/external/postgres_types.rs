//! IDs in PostgreSQL, for the `postgres` and `tokio-postgres` clients.

use alloc::boxed::Box;
use alloc::string::ToString as _;
use core::error::Error;

use postgres_types::private::BytesMut;
use postgres_types::{FromSql, IsNull, ToSql, Type, WrongType};

use crate::external::representations::exact_len;
use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use postgres_types as __postgres_types;

type AnyError = Box<dyn Error + Sync + Send>;

/// What a column holds of an ID: `BIGINT` or `BYTEA`.
pub trait Value: Sized {
    /// Whether a column of type `ty` can hold it.
    fn accepts(ty: &Type) -> bool;

    /// Writes it.
    ///
    /// # Errors
    /// The library's.
    fn write(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError>;

    /// Reads it.
    ///
    /// # Errors
    /// The library's, and [`RangeError`](crate::RangeError) for another number of bytes.
    fn read(ty: &Type, raw: &[u8]) -> Result<Self, AnyError>;
}

impl Value for i64 {
    fn accepts(ty: &Type) -> bool {
        <Self as ToSql>::accepts(ty)
    }

    fn write(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        self.to_sql(ty, out)
    }

    fn read(ty: &Type, raw: &[u8]) -> Result<Self, AnyError> {
        Self::from_sql(ty, raw)
    }
}

impl<const N: usize> Value for [u8; N] {
    fn accepts(ty: &Type) -> bool {
        <&[u8] as ToSql>::accepts(ty)
    }

    fn write(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        self.as_slice().to_sql(ty, out)
    }

    fn read(ty: &Type, raw: &[u8]) -> Result<Self, AnyError> {
        Ok(exact_len(<&[u8]>::from_sql(ty, raw)?)?)
    }
}

/// Implements `ToSql` and `FromSql` for an ID: as `$value` (`i64` or an array of bytes), to and from which it
/// converts.
#[macro_export]
macro_rules! impl_postgres_types {
    ($($id:ty as $value:ty),+) => {$(
        const _: () = {
            use $crate::external::postgres_types::{__postgres_types as postgres_types, Value};

            extern crate alloc;

            type AnyError = alloc::boxed::Box<dyn ::core::error::Error + Sync + Send>;

            impl postgres_types::ToSql for $id {
                fn to_sql(
                    &self,
                    ty: &postgres_types::Type,
                    out: &mut postgres_types::private::BytesMut,
                ) -> Result<postgres_types::IsNull, AnyError> {
                    <$value>::try_from(*self)?.write(ty, out)
                }

                fn accepts(ty: &postgres_types::Type) -> bool {
                    <$value as Value>::accepts(ty)
                }

                fn to_sql_checked(
                    &self,
                    ty: &postgres_types::Type,
                    out: &mut postgres_types::private::BytesMut,
                ) -> Result<postgres_types::IsNull, AnyError> {
                    $crate::external::postgres_types::to_sql_checked(self, ty, out)
                }
            }

            impl postgres_types::FromSql<'_> for $id {
                fn from_sql(ty: &postgres_types::Type, raw: &[u8]) -> Result<Self, AnyError> {
                    Ok(Self::try_from(<$value>::read(ty, raw)?)?)
                }

                fn accepts(ty: &postgres_types::Type) -> bool {
                    <$value as Value>::accepts(ty)
                }
            }
        };
    )+};
}

/// What the library's macro of this name does, which takes for granted that there is `std`.
///
/// # Errors
/// [`WrongType`] for a column that can't hold `value`, and what writing it gives.
pub fn to_sql_checked<T: ToSql>(
    value: &T,
    ty: &Type,
    out: &mut BytesMut,
) -> Result<IsNull, AnyError> {
    if T::accepts(ty) { value.to_sql(ty, out) } else { Err(WrongType::new::<T>(ty.clone()).into()) }
}

impl<T: SortedText> ToSql for AsText<T> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        self.0.to_string().to_sql(ty, out)
    }

    fn accepts(ty: &Type) -> bool {
        <&str as ToSql>::accepts(ty)
    }

    fn to_sql_checked(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
        to_sql_checked(self, ty, out)
    }
}

impl<T: SortedText> FromSql<'_> for AsText<T> {
    fn from_sql(ty: &Type, raw: &[u8]) -> Result<Self, AnyError> {
        Ok(Self(<&str>::from_sql(ty, raw)?.parse()?))
    }

    fn accepts(ty: &Type) -> bool {
        <&str as FromSql<'_>>::accepts(ty)
    }
}
