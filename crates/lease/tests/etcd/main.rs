//! The store in etcd keeps to the rules, whatever becomes of the cluster's members.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod front;
#[cfg(unix)]
mod members;
#[path = "../windows/mod.rs"]
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, run};

    let scenarios = tickid_lease::store_scenarios!(Etcd: members::Stage::new);
    run::<Etcd>(&[&scenarios[..], &members::TESTS[..]].concat())
}

#[cfg(not(unix))]
fn main() {}
