//! IDs in PostgreSQL, for diesel. The derives that make an ID usable in queries stand beside its type.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Text};

use crate::external::representations::exact_len;
use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use diesel as __diesel;

/// What a column holds of an ID: `BIGINT` or `BYTEA`.
pub trait Value: Sized {
    /// Writes it.
    ///
    /// # Errors
    /// The library's.
    fn write(&self, out: &mut Output<'_, '_, Pg>) -> serialize::Result;

    /// Reads it.
    ///
    /// # Errors
    /// The library's, and [`RangeError`](crate::RangeError) for another number of bytes.
    fn read(value: PgValue<'_>) -> deserialize::Result<Self>;
}

impl Value for i64 {
    fn write(&self, out: &mut Output<'_, '_, Pg>) -> serialize::Result {
        ToSql::<BigInt, Pg>::to_sql(self, &mut out.reborrow())
    }

    fn read(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<BigInt, Pg>::from_sql(value)
    }
}

impl<const N: usize> Value for [u8; N] {
    fn write(&self, out: &mut Output<'_, '_, Pg>) -> serialize::Result {
        ToSql::<Binary, Pg>::to_sql(self, &mut out.reborrow())
    }

    fn read(value: PgValue<'_>) -> deserialize::Result<Self> {
        let bytes: Vec<u8> = FromSql::<Binary, Pg>::from_sql(value)?;
        Ok(exact_len(&bytes)?)
    }
}

/// Implements `ToSql` and `FromSql` for an ID: as `$value` (`i64` or an array of bytes), to and from which it
/// converts, in a column of `$sql`, to which its type derives `AsExpression`.
#[macro_export]
macro_rules! impl_diesel {
    ($($id:ty as $value:ty: $sql:ident),+) => {$(
        const _: () = {
            use $crate::external::diesel::{__diesel as diesel, Value};

            use diesel::sql_types::$sql;

            impl diesel::serialize::ToSql<$sql, diesel::pg::Pg> for $id {
                fn to_sql<'b>(
                    &'b self,
                    out: &mut diesel::serialize::Output<'b, '_, diesel::pg::Pg>,
                ) -> diesel::serialize::Result {
                    <$value>::try_from(*self)?.write(out)
                }
            }

            impl diesel::deserialize::FromSql<$sql, diesel::pg::Pg> for $id {
                fn from_sql(value: diesel::pg::PgValue<'_>) -> diesel::deserialize::Result<Self> {
                    Ok(Self::try_from(<$value>::read(value)?)?)
                }
            }
        };
    )+};
}

impl<T: SortedText> ToSql<Text, Pg> for AsText<T> {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(&self.0.to_string(), &mut out.reborrow())
    }
}

impl<T: SortedText> FromSql<Text, Pg> for AsText<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let text: String = FromSql::<Text, Pg>::from_sql(value)?;
        Ok(Self(text.parse()?))
    }
}
