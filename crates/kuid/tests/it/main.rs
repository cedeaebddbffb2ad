//! The tests of the crate, as its users see it.

#![cfg(feature = "std")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod generator;
#[cfg(target_has_atomic = "64")]
mod process;
mod promises;
mod properties;
mod reference;
#[cfg(feature = "serde")]
mod serde;
mod support;
mod vectors;
#[cfg(target_has_atomic = "64")]
mod wide;
