//! The backend in MySQL with a real server passes the conformance scenarios and keeps its own promises.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod server;
#[cfg(unix)]
#[path = "../sql/mod.rs"]
mod sql;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{MySql, Test, run};

    let mut tests: Vec<Test<MySql>> =
        tickid_lease::store_scenarios!(MySql: server::Own::new).to_vec();
    run(&tests)
}

#[cfg(not(unix))]
fn main() {}
