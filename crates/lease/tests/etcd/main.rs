//! The store in etcd keeps to the rules, whatever becomes of the cluster's members.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
mod access;
#[cfg(unix)]
#[path = "../causes/mod.rs"]
mod causes;
#[cfg(all(unix, feature = "etcd-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(unix)]
mod front;
#[cfg(unix)]
mod leases;
#[cfg(unix)]
mod members;
#[cfg(all(unix, feature = "etcd-tls"))]
mod tls;
#[path = "../windows/mod.rs"]
mod windows;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Etcd, Tests};

    let scenarios = tickid_lease::store_scenarios!(Etcd: members::Stage::new);
    let with_leases = tickid_lease::store_scenarios!(Etcd: members::Stage::with_leases);
    let mut tests = [&scenarios[..], &members::TESTS[..], &access::TESTS[..]].concat();
    tests.extend(leases::TESTS);
    #[cfg(feature = "etcd-tls")]
    tests.extend(tls::TESTS);
    Tests::default().add("", &tests).add("with_leases", &with_leases).run()
}

#[cfg(not(unix))]
fn main() {}
