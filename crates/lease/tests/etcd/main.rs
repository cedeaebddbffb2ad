//! The etcd backend keeps to the rules, whatever happens to the cluster.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod access;
#[cfg(all(unix, feature = "etcd-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(unix)]
#[path = "../error_chain/mod.rs"]
mod error_chain;
#[path = "../herd/mod.rs"]
mod herd;
#[cfg(unix)]
mod member;
#[cfg(unix)]
mod members;
#[cfg(unix)]
mod requests;
#[cfg(all(unix, feature = "etcd-tls"))]
mod tls;
#[path = "../windows/mod.rs"]
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, run};

    let scenarios = tickid_lease::store_scenarios!(Etcd: member::Stage::new);
    let tests = [&scenarios[..], &members::TESTS, &requests::TESTS, &access::TESTS];
    #[cfg(feature = "etcd-tls")]
    let tests = [&tests[..], &[&tls::TESTS[..]]].concat();
    run::<Etcd>(&tests.concat())
}

#[cfg(not(unix))]
fn main() {}
