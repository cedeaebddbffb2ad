//! The tests of the crate, as its users see it.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(feature = "std")]
mod concurrent;
#[cfg(feature = "std")]
mod generator;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
mod process;
#[cfg(feature = "std")]
mod promises;
#[cfg(feature = "alloc")]
mod properties;
mod reference;
#[cfg(all(feature = "serde", feature = "alloc"))]
mod serde;
mod support;
#[cfg(feature = "alloc")]
mod vectors;
#[cfg(target_has_atomic = "64")]
mod wide;
