//! IDs in PostgreSQL, MySQL and SQLite, for diesel.

use alloc::string::String;

use diesel::backend::Backend;
use diesel::serialize::{Output, Result};

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use diesel as __diesel;

/// A database that accepts a value that lives no longer than the call.
#[doc(hidden)]
pub trait SendOwned<Sql, Owned>: Backend {
    /// Writes `value` as a parameter of the type `Sql`.
    ///
    /// # Errors
    /// Returns the error of diesel's implementation for the value's type.
    fn send(value: Owned, out: &mut Output<'_, '_, Self>) -> Result;
}

/// Implements [`SendOwned`] for databases whose client copies the bytes of a parameter.
macro_rules! send_bytes {
    ($database:ty) => {
        impl<Sql, Owned> SendOwned<Sql, Owned> for $database
        where
            Owned: diesel::serialize::ToSql<Sql, Self>,
        {
            fn send(value: Owned, out: &mut Output<'_, '_, Self>) -> Result {
                value.to_sql(&mut out.reborrow())
            }
        }
    };
}

send_bytes!(diesel::mysql::Mysql);
send_bytes!(diesel::pg::Pg);

#[cfg(feature = "diesel_2_sqlite")]
impl<Sql, Owned> SendOwned<Sql, Owned> for diesel::sqlite::Sqlite
where
    Owned: Into<diesel::sqlite::SqliteBindValue<'static>>,
{
    fn send(value: Owned, out: &mut Output<'_, '_, Self>) -> Result {
        out.set_value(value.into());
        Ok(diesel::serialize::IsNull::No)
    }
}

/// Implements `ToSql` and `FromSql` for an ID in a column of `$sql` (its type derives
/// `AsExpression` for that), through a [`Column`](crate::external::Column) that it converts to and
/// from.
#[macro_export]
macro_rules! impl_diesel {
    ([$($generics:tt)*] $id:ty as $column:ty: $sql:ident) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::diesel::{SendOwned, __diesel as diesel};

            use diesel::backend::Backend;
            use diesel::sql_types::$sql;
            use diesel::{deserialize, serialize};

            type Owned = <$column as Column>::Owned;

            #[cfg_attr(docsrs, doc(cfg(feature = "diesel_2")))]
            impl<DB: SendOwned<$sql, Owned>, $($generics)*> serialize::ToSql<$sql, DB> for $id {
                fn to_sql<'b>(
                    &'b self,
                    out: &mut serialize::Output<'b, '_, DB>,
                ) -> serialize::Result {
                    DB::send(<$column>::try_from(*self)?.into_owned(), out)
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "diesel_2")))]
            impl<DB: Backend, $($generics)*> deserialize::FromSql<$sql, DB> for $id
            where
                Owned: deserialize::FromSql<$sql, DB>,
            {
                fn from_sql(value: DB::RawValue<'_>) -> deserialize::Result<Self> {
                    let owned: Owned = deserialize::FromSql::<$sql, DB>::from_sql(value)?;
                    Ok(Self::try_from(<$column>::from_owned(owned)?)?)
                }
            }
        };
    };
    ($id:ident as $column:ty: $sql:ident) => {
        $crate::impl_diesel!([] $id as $column: $sql);

        /// diesel's derives, for a type that they cannot be attached to.
        const _: () = {
            use $crate::external::diesel::__diesel as diesel;

            #[derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow)]
            #[diesel(foreign_derive, sql_type = diesel::sql_types::$sql)]
            #[allow(dead_code, reason = "it carries the derives")]
            struct Proxy($id);
        };
    };
}

impl_diesel!([T: SortedText] AsText<T> as String: Text);
