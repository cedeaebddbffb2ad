//! The tests of the crate that need no server.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod altered;
mod bounded;
mod crash_loop;
mod events;
mod file;
mod leased_generator;
mod memory;
#[cfg(feature = "metrics")]
mod metrics;
mod realms;
mod schemes;
mod simulation;
mod static_node;
#[path = "../subjects/mod.rs"]
mod subjects;
