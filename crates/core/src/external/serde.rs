//! For scheme crates: what every ID does with serde.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserializer, Visitor};

#[doc(hidden)]
pub use serde as __serde;

/// Implements `Serialize` and `Deserialize` for an ID: its canonical text in human-readable formats,
/// and `$binary` (an integer, or an array of bytes), to and from which it converts, in binary ones.
#[macro_export]
macro_rules! impl_serde {
    ($id:ty, $binary:ty) => {
        const _: () = {
            use $crate::external::serde::{__serde as serde, deserialize_text};

            impl serde::Serialize for $id {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    if serializer.is_human_readable() {
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
                    if deserializer.is_human_readable() {
                        deserialize_text(deserializer)
                    } else {
                        let binary = <$binary as serde::Deserialize>::deserialize(deserializer)?;
                        Self::try_from(binary).map_err(serde::de::Error::custom)
                    }
                }
            }
        };
    };
}

/// Reads a string and parses it.
///
/// # Errors
/// The deserializer's, and the parser's in it.
pub fn deserialize_text<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    struct Text<T>(PhantomData<T>);

    impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the text of an ID")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Text(PhantomData))
}
