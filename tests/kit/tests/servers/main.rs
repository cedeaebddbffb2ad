//! The servers that other tests start, and what becomes of tests without them.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod etcd;
#[cfg(unix)]
mod missing_server;
#[cfg(unix)]
mod mysql;
#[cfg(unix)]
mod postgres;
#[cfg(unix)]
mod redis;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    missing_server::run_as_child().unwrap_or_else(|| {
        tickid_testkit::servers::Tests::default()
            .add("missing", &missing_server::TESTS)
            .add("etcd", &etcd::TESTS)
            .add("mysql", &mysql::TESTS)
            .add("postgres", &postgres::TESTS)
            .add("redis", &redis::TESTS)
            .run()
    })
}

#[cfg(not(unix))]
fn main() {}
