//! The tests of the crate, as its users see it.

#![cfg(feature = "std")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod backfill;
mod process;
mod promises;
mod properties;
mod reference;
mod support;
mod vectors;
