//! The store in Redis keeps to the rules, whatever becomes of the server.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod by_the_rules;
#[cfg(unix)]
mod servers;
#[path = "../windows/mod.rs"]
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Redis, run};

    let scenarios = tickid_lease::store_scenarios!(Redis: servers::Stage::new);
    run::<Redis>(&[&scenarios[..], &servers::TESTS[..], &by_the_rules::TESTS[..]].concat())
}

#[cfg(not(unix))]
fn main() {}
