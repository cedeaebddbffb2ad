//! Other libraries' traits, one file for each feature.

#[cfg(feature = "serde")]
pub mod serde;
