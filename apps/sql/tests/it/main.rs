//! The functions in PostgreSQL that make IDs, on a real server.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod base;
#[cfg(unix)]
mod chaos;
#[cfg(unix)]
mod clocks;
#[cfg(unix)]
mod follow;
#[cfg(unix)]
mod forms;
#[cfg(unix)]
mod health;
#[cfg(unix)]
mod loss;
#[cfg(unix)]
mod migration;
#[cfg(unix)]
mod model;
#[cfg(unix)]
mod outbox;
#[cfg(unix)]
mod release;
#[cfg(unix)]
mod reservation;
#[cfg(unix)]
mod rights;
#[cfg(unix)]
mod sessions;
#[cfg(unix)]
mod starts;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::Tests;

    if outbox::run() {
        return std::process::ExitCode::FAILURE;
    }

    Tests::default()
        .add("", &forms::TESTS)
        .add("", &model::TESTS)
        .add("", &sessions::TESTS)
        .add("", &starts::TESTS)
        .add("", &loss::TESTS)
        .add("", &reservation::TESTS)
        .add("", &rights::TESTS)
        .add("", &migration::TESTS)
        .add("", &release::TESTS)
        .add("", &clocks::TESTS)
        .add("health", &health::TESTS)
        .add("follow", &follow::TESTS)
        .add("follow", &chaos::TESTS)
        .add("follow", &outbox::TESTS)
        .run()
}

#[cfg(not(unix))]
fn main() {}
