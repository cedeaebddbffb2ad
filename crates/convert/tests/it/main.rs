//! The tests of the crate, as its users see it.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod carry;
mod foreign;
mod generators;
mod limits;
mod order;
mod ranges;
mod schemes;
mod snowflakes;
mod support;
mod table;
