//! IDs in SQLite.

use alloc::string::ToString as _;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use rusqlite as __rusqlite;

/// What a column holds of an ID: `INTEGER` or `BLOB`.
pub trait Value: FromSql {
    /// As a value of its own.
    fn into_owned(self) -> rusqlite::types::Value;
}

impl Value for i64 {
    fn into_owned(self) -> rusqlite::types::Value {
        self.into()
    }
}

impl<const N: usize> Value for [u8; N] {
    fn into_owned(self) -> rusqlite::types::Value {
        self.to_vec().into()
    }
}

/// Implements `ToSql` and `FromSql` for an ID: as `$value` (`i64` or an array of bytes), to and from which it
/// converts.
#[macro_export]
macro_rules! impl_rusqlite {
    ($($id:ty as $value:ty),+) => {$(
        const _: () = {
            use $crate::external::rusqlite::{__rusqlite as rusqlite, Value};

            use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

            extern crate alloc;

            impl rusqlite::types::ToSql for $id {
                fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                    <$value>::try_from(*self)
                        .map(|value| ToSqlOutput::Owned(value.into_owned()))
                        .map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
                }
            }

            impl FromSql for $id {
                fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                    <$value>::column_result(value)?.try_into().map_err(FromSqlError::other)
                }
            }
        };
    )+};
}

impl<T: SortedText> ToSql for AsText<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.to_string().into())
    }
}

impl<T: SortedText> FromSql for AsText<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_str()?.parse().map(Self).map_err(FromSqlError::other)
    }
}
