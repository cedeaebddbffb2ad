//! IDs in every database that sqlx has a driver for.

use alloc::string::String;
use alloc::vec::Vec;

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use sqlx as __sqlx;

/// Implements `Type`, `Encode` and `Decode` for an ID, through a
/// [`Column`](crate::external::Column) that it converts to and from, in all databases that have
/// that column. If a second type follows after `or`, values of that type are read, too.
#[macro_export]
macro_rules! impl_sqlx {
    ([$($generics:tt)*] $id:ty as $column:ty $(, or $other:ty)?) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::sqlx::__sqlx as sqlx;

            use sqlx::Database;
            use sqlx::encode::IsNull;
            use sqlx::error::BoxDynError;

            type Owned = <$column as Column>::Owned;

            #[cfg_attr(docsrs, doc(cfg(feature = "sqlx_0_9")))]
            impl<DB: Database, $($generics)*> sqlx::Type<DB> for $id
            where
                Owned: sqlx::Type<DB>,
                $($other: sqlx::Type<DB>,)?
            {
                fn type_info() -> DB::TypeInfo {
                    <Owned as sqlx::Type<DB>>::type_info()
                }

                fn compatible(ty: &DB::TypeInfo) -> bool {
                    <Owned as sqlx::Type<DB>>::compatible(ty)
                        $(|| <$other as sqlx::Type<DB>>::compatible(ty))?
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sqlx_0_9")))]
            impl<'q, DB: Database, $($generics)*> sqlx::Encode<'q, DB> for $id
            where
                Owned: sqlx::Encode<'q, DB>,
            {
                fn encode_by_ref(
                    &self,
                    out: &mut DB::ArgumentBuffer,
                ) -> Result<IsNull, BoxDynError> {
                    let value = <$column>::try_from(*self)?.into_owned();
                    sqlx::Encode::<DB>::encode(value, out)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "sqlx_0_9")))]
            impl<'r, DB: Database, $($generics)*> sqlx::Decode<'r, DB> for $id
            where
                Owned: sqlx::Decode<'r, DB>,
            {
                fn decode(value: DB::ValueRef<'r>) -> Result<Self, BoxDynError> {
                    let owned: Owned = sqlx::Decode::<DB>::decode(value)?;
                    Ok(Self::try_from(<$column>::from_owned(owned)?)?)
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_sqlx!([] $id as $column);
    };
}

/// Implements `PgHasArrayType` for an ID, so that lists of IDs can be parameters and columns in
/// PostgreSQL, for example in `WHERE id = ANY($1)`.
#[cfg(feature = "sqlx_0_9_postgres")]
#[macro_export]
macro_rules! impl_sqlx_postgres {
    ([$($generics:tt)*] $id:ty as $column:ty) => {
        const _: () = {
            use $crate::external::sqlx::__sqlx::postgres::{PgHasArrayType, PgTypeInfo};

            #[cfg_attr(docsrs, doc(cfg(feature = "sqlx_0_9_postgres")))]
            impl<$($generics)*> PgHasArrayType for $id {
                fn array_type_info() -> PgTypeInfo {
                    <<$column as $crate::external::Column>::Owned>::array_type_info()
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_sqlx_postgres!([] $id as $column);
    };
}

// MySQL reports text whose collation compares bytes as bytes.
impl_sqlx!([T: SortedText] AsText<T> as String, or Vec<u8>);
#[cfg(feature = "sqlx_0_9_postgres")]
impl_sqlx_postgres!([T: SortedText] AsText<T> as String);
