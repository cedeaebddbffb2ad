//! IDs in PostgreSQL, for diesel. The derives that make an ID usable in queries stand beside its
//! type.

use alloc::string::String;

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use diesel as __diesel;

/// Implements `ToSql` and `FromSql` for an ID in a column of `$sql`, to which its type derives
/// `AsExpression`, by way of a [`Column`](crate::external::Column) to and from which it converts.
#[macro_export]
macro_rules! impl_diesel {
    ([$($generics:tt)*] $id:ty as $column:ty: $sql:ident) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::diesel::__diesel as diesel;

            use diesel::pg::{Pg, PgValue};
            use diesel::sql_types::$sql;
            use diesel::{deserialize, serialize};

            type Owned = <$column as Column>::Owned;

            impl<$($generics)*> serialize::ToSql<$sql, Pg> for $id {
                fn to_sql<'b>(
                    &'b self,
                    out: &mut serialize::Output<'b, '_, Pg>,
                ) -> serialize::Result {
                    let value = <$column>::try_from(*self)?.into_owned();
                    serialize::ToSql::<$sql, Pg>::to_sql(&value, &mut out.reborrow())
                }
            }

            impl<$($generics)*> deserialize::FromSql<$sql, Pg> for $id {
                fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                    let owned: Owned = deserialize::FromSql::<$sql, Pg>::from_sql(value)?;
                    Ok(Self::try_from(<$column>::from_owned(owned)?)?)
                }
            }
        };
    };
    ($id:ident as $column:ty: $sql:ident) => {
        $crate::impl_diesel!([] $id as $column: $sql);
    };
}

impl_diesel!([T: SortedText] AsText<T> as String: Text);
