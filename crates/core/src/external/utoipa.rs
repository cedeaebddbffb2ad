//! IDs in OpenAPI.

#[doc(hidden)]
pub use utoipa as __utoipa;

use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use crate::external::Representations;

/// Implements `ToSchema` for an ID. It is the schema of its text, because that is its form in JSON.
#[macro_export]
macro_rules! impl_utoipa {
    ($id:ident) => {
        const _: () = {
            use $crate::external::utoipa::{__utoipa as utoipa, text_schema};

            extern crate alloc;

            #[cfg_attr(docsrs, doc(cfg(feature = "utoipa_6")))]
            impl utoipa::PartialSchema for $id {
                fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                    text_schema::<$id>().into()
                }
            }

            #[cfg_attr(docsrs, doc(cfg(feature = "utoipa_6")))]
            impl utoipa::ToSchema for $id {
                fn name() -> alloc::borrow::Cow<'static, str> {
                    stringify!($id).into()
                }
            }
        };
    };
}

/// Returns the schema of the texts that are read as IDs.
#[must_use]
#[doc(hidden)]
pub fn text_schema<T: Representations>() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .title(Some(T::NAME))
        .pattern(Some(T::TEXT_PATTERN))
        .min_length(Some(T::MIN_TEXT_LEN))
        .max_length(Some(T::MAX_TEXT_LEN))
        .into()
}
