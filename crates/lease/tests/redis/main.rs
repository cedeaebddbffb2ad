//! The Redis backend keeps to the rules, whatever happens to the server.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod access;
#[cfg(all(unix, feature = "redis-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(unix)]
#[path = "../error_chain/mod.rs"]
mod error_chain;
#[path = "../herd/mod.rs"]
mod herd;
#[cfg(unix)]
mod losses;
#[cfg(unix)]
mod scale;
#[cfg(unix)]
mod servers;
#[cfg(all(unix, feature = "redis-tls"))]
mod tls;
#[path = "../windows/mod.rs"]
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Redis, run};

    let scenarios = tickid_lease::store_scenarios!(Redis: servers::Stage::new);
    let tests = [&scenarios[..], &servers::TESTS, &losses::TESTS, &scale::TESTS, &access::TESTS];
    #[cfg(feature = "redis-tls")]
    let tests = [&tests[..], &[&tls::TESTS[..]]].concat();
    run::<Redis>(&tests.concat())
}

#[cfg(not(unix))]
fn main() {}
