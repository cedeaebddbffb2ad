//! IDs in MySQL and MariaDB, for the `mysql` and `mysql_async` clients.

use alloc::string::String;

use crate::external::{AsText, SortedText};

#[doc(hidden)]
pub use mysql_common as __mysql_common;

/// Implements `From` for `Value`, and `FromValue`, for an ID, through a
/// [`Column`](crate::external::Column) that it converts to and from. Unsigned integers stay
/// unsigned, since the clients have both kinds.
#[macro_export]
macro_rules! impl_mysql_common {
    ([$($generics:tt)*] $id:ty as $column:ty) => {
        const _: () = {
            use $crate::external::Column;
            use $crate::external::mysql_common::__mysql_common::value::Value;
            use $crate::external::mysql_common::__mysql_common::value::convert::{
                FromValue, FromValueError,
            };

            #[cfg_attr(docsrs, doc(cfg(feature = "mysql_common_0_37")))]
            impl<$($generics)*> From<$id> for Value {
                fn from(id: $id) -> Self {
                    <$column>::from(id).into_owned().into()
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "mysql_common_0_37")))]
            impl<$($generics)*> TryFrom<Value> for $id {
                type Error = FromValueError;

                fn try_from(value: Value) -> Result<Self, FromValueError> {
                    let owned = <<$column as Column>::Owned>::from_value_opt(value)?;
                    let id = <$column>::from_owned(owned.clone()).ok().map(Self::try_from);
                    id.and_then(Result::ok).ok_or_else(|| FromValueError(owned.into()))
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "mysql_common_0_37")))]
            impl<$($generics)*> FromValue for $id {
                type Intermediate = Self;
            }
        };
    };
    ($id:ident as i64) => {
        $crate::impl_mysql_common! {
            [] $id as <$id as $crate::external::Representations>::Integer
        }
    };
    ($id:ident as $column:ty) => {
        $crate::impl_mysql_common!([] $id as $column);
    };
}

impl_mysql_common!([T: SortedText] AsText<T> as String);
