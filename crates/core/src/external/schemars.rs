//! IDs in JSON Schema.

#[doc(hidden)]
pub use schemars as __schemars;

use crate::external::Representations;

/// Implements `JsonSchema` for an ID. It is the schema of its text, because that is its form in
/// JSON.
#[macro_export]
macro_rules! impl_schemars {
    ($id:ident) => {
        const _: () = {
            use $crate::external::schemars::{__schemars as schemars, text_schema};

            extern crate alloc;

            #[cfg_attr(docsrs, doc(cfg(feature = "schemars_1")))]
            impl schemars::JsonSchema for $id {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> alloc::borrow::Cow<'static, str> {
                    stringify!($id).into()
                }

                fn schema_id() -> alloc::borrow::Cow<'static, str> {
                    concat!(module_path!(), "::", stringify!($id)).into()
                }

                fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    text_schema::<$id>()
                }
            }
        };
    };
}

/// Returns the schema of the texts that are read as IDs.
#[must_use]
#[doc(hidden)]
pub fn text_schema<T: Representations>() -> schemars::Schema {
    schemars::json_schema!({
        "type": "string",
        "title": T::NAME,
        "pattern": T::TEXT_PATTERN,
        "minLength": T::MIN_TEXT_LEN,
        "maxLength": T::MAX_TEXT_LEN,
    })
}
