//! IDs in SQLite, for rusqlite.

use alloc::string::String;

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use rusqlite as __rusqlite;

/// Implements `ToSql` and `FromSql` for an ID, through a [`Column`](crate::external::Column) that
/// it converts to and from.
#[macro_export]
macro_rules! impl_rusqlite {
    ([$($generics:tt)*] $id:ty as $column:ty) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::rusqlite::__rusqlite as rusqlite;

            use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

            #[cfg_attr(docsrs, doc(cfg(feature = "rusqlite")))]
            impl<$($generics)*> rusqlite::types::ToSql for $id {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    <$column>::try_from(*self)
                        .map(|value| ToSqlOutput::Owned(value.into_owned().into()))
                        .map_err(Into::into)
                        .map_err(rusqlite::Error::ToSqlConversionFailure)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "rusqlite")))]
            impl<$($generics)*> FromSql for $id {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    let owned = <<$column as Column>::Owned>::column_result(value)?;
                    let value = <$column>::from_owned(owned);
                    let value = value.map_err(|e| FromSqlError::Other(e.into()))?;
                    Self::try_from(value).map_err(|e| FromSqlError::Other(e.into()))
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_rusqlite!([] $id as $column);
    };
}

impl_rusqlite!([T: SortedText] AsText<T> as String);
