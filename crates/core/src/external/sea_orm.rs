//! IDs in the entities of sea-orm.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Display;

use sea_orm::sea_query::{ColumnType, StringLen};
use sea_orm::{ColIdx, DbErr, QueryResult, TryGetError, TryGetable};

use crate::external::{AsText, Column, Representations, SortedText};

#[doc(hidden)]
pub use sea_orm as __sea_orm;

/// A [`Column`] of a table that sea-orm creates and reads.
#[doc(hidden)]
pub trait EntityColumn: Column {
    /// The column's type in statements that create tables.
    const TYPE: ColumnType;

    /// Reads the column of a row.
    ///
    /// # Errors
    /// Returns sea-orm's error.
    fn read<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self::Owned, TryGetError>;
}

impl EntityColumn for i64 {
    const TYPE: ColumnType = ColumnType::BigInteger;

    fn read<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        TryGetable::try_get_by(row, index)
    }
}

impl<const N: usize> EntityColumn for [u8; N] {
    #[allow(clippy::cast_possible_truncation, reason = "the length of an ID")]
    const TYPE: ColumnType = ColumnType::Binary(N as u32);

    fn read<I: ColIdx>(row: &QueryResult, index: I) -> Result<Vec<u8>, TryGetError> {
        TryGetable::try_get_by(row, index)
    }
}

impl EntityColumn for String {
    const TYPE: ColumnType = ColumnType::String(StringLen::None);

    fn read<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        Self::try_get_by(row, index).or_else(|error| {
            // MySQL reports text whose collation compares bytes as bytes.
            let Ok(bytes) = Vec::<u8>::try_get_by(row, index) else { return Err(error) };
            Self::from_utf8(bytes).map_err(|_| error)
        })
    }
}

/// Returns the error for a value of the right type that is not an ID.
#[doc(hidden)]
pub fn type_error(error: impl Display) -> TryGetError {
    TryGetError::DbErr(DbErr::Type(error.to_string()))
}

/// Returns the value of an ID that does not fit an `i64`. Databases refuse this text in a column of
/// integers, which is the only way to report the error, because sea-orm's conversion to a value
/// cannot fail.
#[must_use]
#[doc(hidden)]
pub fn beyond<T: Representations>(id: T) -> String {
    let integer: T::Integer = id.into();
    integer.to_string()
}

/// Implements `TryGetable`, `ValueType` and the other traits of an entity's fields for an ID,
/// through a [`Column`](crate::external::Column) that it converts to and from.
#[macro_export]
macro_rules! impl_sea_orm {
    ([$($generics:tt)*] $id:ty as $column:ty, or $fallback:path) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::sea_orm::{EntityColumn, __sea_orm as sea_orm, type_error};

            // `ValueType` is not imported: its `try_from` would be ambiguous.
            use sea_orm::sea_query::{self, ArrayType, ColumnType, Nullable, ValueTypeErr};
            use sea_orm::{
                ActiveValue, ColIdx, DbErr, IntoActiveValue, QueryResult, TryFromU64, TryGetError,
                TryGetable, Value,
            };

            extern crate alloc;

            type Owned = <$column as Column>::Owned;

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> From<$id> for Value {
                fn from(id: $id) -> Self {
                    match <$column>::try_from(id) {
                        Ok(value) => value.into_owned().into(),
                        Err(_) => $fallback(id).into(),
                    }
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> TryGetable for $id {
                fn try_get_by<I: ColIdx>(
                    row: &QueryResult,
                    index: I,
                ) -> Result<Self, TryGetError> {
                    let owned = <$column>::read(row, index)?;
                    let value = <$column>::from_owned(owned).map_err(type_error)?;
                    Self::try_from(value).map_err(type_error)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> sea_query::ValueType for $id {
                fn try_from(value: Value) -> Result<Self, ValueTypeErr> {
                    let owned = <Owned as sea_query::ValueType>::try_from(value)?;
                    let value = <$column>::from_owned(owned).map_err(|_| ValueTypeErr)?;
                    TryFrom::try_from(value).map_err(|_| ValueTypeErr)
                }

                fn type_name() -> alloc::string::String {
                    alloc::string::String::from(stringify!($id))
                }

                fn array_type() -> ArrayType {
                    <Owned as sea_query::ValueType>::array_type()
                }

                fn column_type() -> ColumnType {
                    <$column as EntityColumn>::TYPE
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> Nullable for $id {
                fn null() -> Value {
                    <Owned as Nullable>::null()
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> IntoActiveValue<$id> for $id {
                fn into_active_value(self) -> ActiveValue<$id> {
                    ActiveValue::Set(self)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sea_orm_2")))]
            impl<$($generics)*> TryFromU64 for $id {
                fn try_from_u64(number: u64) -> Result<Self, DbErr> {
                    let error = || DbErr::ConvertFromU64(stringify!($id));
                    let value = <$column>::from_owned(Owned::try_from_u64(number)?);
                    Self::try_from(value.map_err(|_| error())?).map_err(|_| error())
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_sea_orm!([] $id as $column, or $crate::external::sea_orm::beyond);
    };
}

impl_sea_orm!([T: SortedText] AsText<T> as String, or String::from);
