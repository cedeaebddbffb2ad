//! Other libraries' traits, one file for each feature.

#[cfg(feature = "serde")]
mod serde;

#[cfg(feature = "serde")]
pub use self::serde::serde_zero_as_null;
