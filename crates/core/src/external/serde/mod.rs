//! The serde support of every ID, for scheme crates.

mod form;
mod with;

#[doc(hidden)]
pub use serde as __serde;

pub use self::form::{Binary, deserialize, deserialize_array, takes_text};
pub use self::with::{as_bytes, as_integer, as_string, as_text, deserialize_text};

/// Implements `Serialize` and `Deserialize` for an ID. In human-readable formats such as JSON it is
/// its canonical text, because JavaScript would round an integer, and in BSON, whose crate is
/// human-readable half of the time. In other binary ones it is `$binary` (an integer, or an array of
/// bytes), which it converts to and from.
///
/// Where serde buffers a value (in fields that are flattened, and in enums that are untagged or
/// internally tagged), the text and arrays of bytes are read, and an integer if the format is known
/// to be binary. In human-readable formats a number is never an ID, and neither is it in buffers of
/// unknown formats. The reason is that CSV and YAML put a number there for a text that has only
/// digits, for example 12 for `000000000012`, which is a different ID.
#[macro_export]
macro_rules! impl_serde {
    ($id:ident as $binary:ty) => {
        const _: () = {
            use $crate::external::serde::__serde as serde;

            impl serde::Serialize for $id {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    if $crate::external::serde::takes_text(&serializer) {
                        serializer.serialize_str(&self.encode())
                    } else {
                        <$binary>::from(*self).serialize(serializer)
                    }
                }
            }

            impl<'de> serde::Deserialize<'de> for $id {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<Self, D::Error> {
                    $crate::external::serde::deserialize::<Self, $binary, D>(deserializer)
                }
            }
        };
    };
}
