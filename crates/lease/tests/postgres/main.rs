//! The store in PostgreSQL, with a real server: it keeps to the rules, and to what it promises besides.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(all(unix, feature = "postgres-tls"))]
#[path = "../causes/mod.rs"]
mod causes;
#[cfg(all(unix, feature = "postgres-tls"))]
#[path = "../certificates/mod.rs"]
mod certificates;
#[cfg(unix)]
mod database;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod promises;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod search_path;
#[cfg(all(unix, feature = "postgres-tls"))]
mod tls;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
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
fn main() -> ExitCode {
    ExitCode::SUCCESS
}
