//! The store in Redis keeps to the rules, whatever becomes of the server.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod access;
#[cfg(unix)]
mod by_the_rules;
#[cfg(unix)]
#[path = "../causes/mod.rs"]
mod causes;
#[cfg(all(unix, feature = "redis-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
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
    let tests = [&scenarios[..], &servers::TESTS[..], &by_the_rules::TESTS[..], &access::TESTS[..]];
    #[cfg(feature = "redis-tls")]
    let tests = [&tests[..], &[&tls::TESTS[..]]].concat();
    run::<Redis>(&tests.concat())
}

#[cfg(not(unix))]
fn main() {}
