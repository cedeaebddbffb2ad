//! Text forms: strings on the stack, Base36, decimal, and alphabets of 16, 32 and 64 symbols.
//!
//! [`Alphabet`], [`decimal`] and [`base36::decode`] are `const fn` and the same on every target. A
//! [`Codec`] is as fast as the target allows, and [`slices`] are converted as fast as the processor
//! allows; neither ever differs from the former in a value or an error.

mod alphabet;
pub mod base36;
mod codec;
pub mod decimal;
mod error;
mod kernels;
mod lanes;
pub mod slices;
mod stack;

pub use self::alphabet::Alphabet;
pub use self::codec::{Base, Codec, InBase};
pub use self::error::{ParseError, ParseErrorKind};
pub use self::kernels::Level;
pub use self::slices::SliceError;
pub use self::stack::Text;

/// Implements what every ID does with its text: `Display` and `Debug` (both print it), `FromStr` and
/// `TryFrom<&str>`, all over the type's own `encode` and `parse_bytes`.
///
/// For scheme crates. `parse_bytes` gives a [`ParseError`], `encode` a [`Text`].
#[macro_export]
macro_rules! impl_text {
    ($id:ty) => {
        /// The canonical text; honours width and fill.
        impl ::core::fmt::Display for $id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(&self.encode(), f)
            }
        }

        /// The canonical text, as `Display`.
        impl ::core::fmt::Debug for $id {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }

        impl ::core::str::FromStr for $id {
            type Err = $crate::text::ParseError;

            #[inline]
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::parse_bytes(text.as_bytes())
            }
        }

        impl ::core::convert::TryFrom<&str> for $id {
            type Error = $crate::text::ParseError;

            #[inline]
            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::parse_bytes(text.as_bytes())
            }
        }
    };
}
