//! IDs in PostgreSQL, for sqlx.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx::{Decode, Encode, Postgres, Type};

use crate::external::representations::exact_len;
use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use sqlx as __sqlx;

/// What a column holds of an ID: `BIGINT` or `BYTEA`.
pub trait Value: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The library's, and [`RangeError`](crate::RangeError) for another number of bytes.
    fn read(value: PgValueRef<'_>) -> Result<Self, BoxDynError>;
}

impl Value for i64 {
    fn read(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        Decode::<Postgres>::decode(value)
    }
}

impl<const N: usize> Value for [u8; N] {
    fn read(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let bytes: Vec<u8> = Decode::<Postgres>::decode(value)?;
        Ok(exact_len(&bytes)?)
    }
}

/// Implements `Type`, `Encode`, `Decode` and `PgHasArrayType` for an ID: as `$value` (`i64` or an array of
/// bytes), to and from which it converts.
#[macro_export]
macro_rules! impl_sqlx {
    ($($id:ty as $value:ty),+) => {$(
        const _: () = {
            use $crate::external::sqlx::{__sqlx as sqlx, Value};

            use sqlx::Postgres;
            use sqlx::error::BoxDynError;
            use sqlx::postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};

            impl sqlx::Type<Postgres> for $id {
                fn type_info() -> PgTypeInfo {
                    <$value as sqlx::Type<Postgres>>::type_info()
                }

                fn compatible(ty: &PgTypeInfo) -> bool {
                    <$value as sqlx::Type<Postgres>>::compatible(ty)
                }
            }

            impl PgHasArrayType for $id {
                fn array_type_info() -> PgTypeInfo {
                    <$value as PgHasArrayType>::array_type_info()
                }
            }

            impl sqlx::Encode<'_, Postgres> for $id {
                fn encode_by_ref(
                    &self,
                    out: &mut PgArgumentBuffer,
                ) -> Result<sqlx::encode::IsNull, BoxDynError> {
                    sqlx::Encode::<Postgres>::encode(<$value>::try_from(*self)?, out)
                }
            }

            impl sqlx::Decode<'_, Postgres> for $id {
                fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
                    Ok(Self::try_from(<$value>::read(value)?)?)
                }
            }
        };
    )+};
}

impl<T: SortedText> Type<Postgres> for AsText<T> {
    fn type_info() -> PgTypeInfo {
        <str as Type<Postgres>>::type_info()
    }

    fn compatible(ty: &PgTypeInfo) -> bool {
        <str as Type<Postgres>>::compatible(ty)
    }
}

impl<T: SortedText> PgHasArrayType for AsText<T> {
    fn array_type_info() -> PgTypeInfo {
        <&str as PgHasArrayType>::array_type_info()
    }
}

impl<T: SortedText> Encode<'_, Postgres> for AsText<T> {
    fn encode_by_ref(&self, out: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        Encode::<Postgres>::encode(self.0.to_string(), out)
    }
}

impl<T: SortedText> Decode<'_, Postgres> for AsText<T> {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Self(<&str as Decode<'_, Postgres>>::decode(value)?.parse()?))
    }
}
