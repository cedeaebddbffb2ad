//! The server, as its clients see it.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod access;
mod http;
mod observe;
mod releases;
mod resp;
mod support;
