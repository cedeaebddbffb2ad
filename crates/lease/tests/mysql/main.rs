//! The backend in MySQL with a real server passes the conformance scenarios and keeps its own
//! promises.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(all(unix, feature = "mysql-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(all(unix, feature = "mysql-tls"))]
#[path = "../error_chain/mod.rs"]
mod error_chain;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod promises;
#[cfg(unix)]
mod server;
#[cfg(unix)]
#[path = "../sql/mod.rs"]
mod sql;
#[cfg(all(unix, feature = "mysql-tls"))]
mod tls;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{MySql, Test, run};

    let mut tests: Vec<Test<MySql>> =
        tickid_lease::store_scenarios!(MySql: server::Own::new).to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    #[cfg(feature = "mysql-tls")]
    tests.extend(tls::TESTS);
    run(&tests)
}

#[cfg(not(unix))]
fn main() {}
