//! The tests of the crate, as its users see it.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "std")]
mod concurrent;
#[cfg(feature = "std")]
mod process;
#[cfg(feature = "std")]
mod promises;
mod properties;
mod reference;
#[cfg(feature = "serde")]
mod serde;
mod support;
#[cfg(feature = "std")]
mod vectors;
