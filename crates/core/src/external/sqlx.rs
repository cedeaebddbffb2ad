//! IDs in PostgreSQL, for sqlx.

use alloc::string::String;

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use sqlx as __sqlx;

/// Implements `Type`, `Encode`, `Decode` and `PgHasArrayType` for an ID, by way of a
/// [`Column`](crate::external::Column) to and from which it converts.
#[macro_export]
macro_rules! impl_sqlx {
    ([$($generics:tt)*] $id:ty as $column:ty) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::sqlx::__sqlx as sqlx;

            use sqlx::Postgres;
            use sqlx::error::BoxDynError;
            use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};

            type Owned = <$column as Column>::Owned;

            impl<$($generics)*> sqlx::Type<Postgres> for $id {
                fn type_info() -> PgTypeInfo {
                    <Owned as sqlx::Type<Postgres>>::type_info()
                }

                fn compatible(ty: &PgTypeInfo) -> bool {
                    <Owned as sqlx::Type<Postgres>>::compatible(ty)
                }
            }

            impl<$($generics)*> PgHasArrayType for $id {
                fn array_type_info() -> PgTypeInfo {
                    <Owned as PgHasArrayType>::array_type_info()
                }
            }

            impl<$($generics)*> sqlx::Encode<'_, Postgres> for $id {
                fn encode_by_ref(
                    &self,
                    out: &mut PgArgumentBuffer,
                ) -> Result<sqlx::encode::IsNull, BoxDynError> {
                    let value = <$column>::try_from(*self)?.into_owned();
                    sqlx::Encode::<Postgres>::encode(value, out)
                }
            }

            impl<$($generics)*> sqlx::Decode<'_, Postgres> for $id {
                fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
                    let owned: Owned = sqlx::Decode::<Postgres>::decode(value)?;
                    Ok(Self::try_from(<$column>::from_owned(owned)?)?)
                }
            }
        };
    };
    ($id:ident as $column:ty) => {
        $crate::impl_sqlx!([] $id as $column);
    };
}

impl_sqlx!([T: SortedText] AsText<T> as String);
