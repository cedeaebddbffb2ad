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
#[cfg(all(
    target_os = "linux",
    feature = "etcd",
    feature = "mysql",
    feature = "postgres",
    feature = "redis"
))]
#[path = "../error_chain/mod.rs"]
mod error_chain;
mod file;
#[cfg(all(
    target_os = "linux",
    feature = "etcd",
    feature = "mysql",
    feature = "postgres",
    feature = "redis"
))]
mod hostile;
mod leased_generator;
mod memory;
#[cfg(feature = "metrics")]
mod metrics;
mod realms;
mod schemes;
#[cfg(all(
    target_os = "linux",
    feature = "etcd",
    feature = "mysql",
    feature = "postgres",
    feature = "redis"
))]
mod separate;
mod simulation;
mod static_node;
#[path = "../subjects/mod.rs"]
mod subjects;
