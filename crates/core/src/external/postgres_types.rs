//! IDs in PostgreSQL, for the `postgres` and `tokio-postgres` clients.

use alloc::string::String;

use postgres_types::private::BytesMut;
use postgres_types::{IsNull, ToSql, Type, WrongType};

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use postgres_types as __postgres_types;

type AnyError = alloc::boxed::Box<dyn core::error::Error + Sync + Send>;

/// Implements `ToSql` and `FromSql` for an ID, through a [`Column`](crate::external::Column) that
/// it converts to and from.
#[macro_export]
macro_rules! impl_postgres_types {
    ([$($generics:tt)*] $id:ty as $column:ty) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::postgres_types::{__postgres_types, to_sql_checked};

            use __postgres_types::private::BytesMut;
            use __postgres_types::{FromSql, IsNull, ToSql, Type};

            extern crate alloc;

            type AnyError = alloc::boxed::Box<dyn ::core::error::Error + Sync + Send>;
            type Owned = <$column as Column>::Owned;

            #[cfg_attr(docsrs, doc(cfg(feature = "postgres_types_0_2")))]
            impl<$($generics)*> ToSql for $id {
                fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, AnyError> {
                    <$column>::try_from(*self)?.into_owned().to_sql(ty, out)
                }

                fn accepts(ty: &Type) -> bool {
                    <Owned as ToSql>::accepts(ty)
                }

                fn to_sql_checked(
                    &self,
                    ty: &Type,
                    out: &mut BytesMut,
                ) -> Result<IsNull, AnyError> {
                    to_sql_checked(self, ty, out)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "postgres_types_0_2")))]
            impl<$($generics)*> FromSql<'_> for $id {
                fn from_sql(ty: &Type, raw: &[u8]) -> Result<Self, AnyError> {
                    Ok(Self::try_from(<$column>::from_owned(Owned::from_sql(ty, raw)?)?)?)
                }

                fn accepts(ty: &Type) -> bool {
                    <Owned as FromSql<'_>>::accepts(ty)
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_postgres_types!([] $id as $column);
    };
}

/// Writes `value` if `T` accepts `ty`, as the library's own macro does. That macro cannot be used
/// here, since the code that it generates names the crate `bytes`, on which scheme crates do not
/// depend.
///
/// # Errors
/// Returns the error of `to_sql`, or [`WrongType`] if `T` does not accept `ty`.
#[doc(hidden)]
pub fn to_sql_checked<T: ToSql>(
    value: &T,
    ty: &Type,
    out: &mut BytesMut,
) -> Result<IsNull, AnyError> {
    if T::accepts(ty) { value.to_sql(ty, out) } else { Err(WrongType::new::<T>(ty.clone()).into()) }
}

impl_postgres_types!([T: SortedText] AsText<T> as String);
