//! Other libraries' traits, one file for each feature.

#[cfg(feature = "serde")]
mod serde;
