//! The backend in PostgreSQL with a real server passes the conformance scenarios and keeps its own
//! promises.

#![cfg_attr(not(unix), allow(dead_code, unused_imports, reason = "there is no server"))]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(all(unix, feature = "postgres-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(unix)]
mod database;
#[cfg(all(unix, feature = "postgres-tls"))]
#[path = "../error_chain/mod.rs"]
mod error_chain;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod promises;
#[cfg(unix)]
mod search_path;
#[cfg(unix)]
#[path = "../sql/mod.rs"]
mod sql;
#[cfg(all(unix, feature = "postgres-tls"))]
mod tls;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    use tickid_testkit::servers::{Postgres, Test, run};

    let mut tests: Vec<Test<Postgres>> =
        tickid_lease::store_scenarios!(Postgres: database::Database::new).to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    tests.extend(search_path::TESTS);
    #[cfg(feature = "postgres-tls")]
    tests.extend(tls::TESTS);
    run(&tests)
}

#[cfg(not(unix))]
fn main() {}
