//! The tests of the crate, as its users see it.

#![cfg(feature = "std")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod backfill;
mod generator;
mod promises;
mod properties;
mod reference;
#[cfg(feature = "serde")]
mod serde;
mod snapshot;
mod support;
mod vectors;
mod with_time;
