//! The fuzz targets. Each module is a target, whose `check` takes any bytes and panics if a promise
//! is broken.
//!
//! Targets are functions, so `cargo test` can replay the committed corpora, which include every
//! input that ever failed, without a fuzzer.

#![allow(
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a target fails by panicking"
)]

pub mod convert;
pub mod detect;
pub mod engine;
pub mod node_specs;
mod reference;
pub mod seeds;
pub mod snapshot;
pub mod snowflake;
pub mod store_answer;
pub mod store_file;
pub mod store_url;
mod subjects;

/// A check that takes any bytes, and panics if a promise is broken.
pub type Check = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: &[(&str, Check)] = &[
    ("convert", convert::check),
    ("detect", detect::check),
    ("engine", engine::check),
    ("node_specs", node_specs::check),
    ("server_http", tickid_server::fuzzing::converse_http),
    ("server_requests", tickid_server::fuzzing::parse_requests),
    ("server_resp", tickid_server::fuzzing::converse_resp),
    ("snapshot", snapshot::check),
    ("snowflake", snowflake::check),
    ("store_answer", store_answer::check),
    ("store_file", store_file::check),
    ("store_url", store_url::check),
];
