//! The backend in PostgreSQL.

mod database;
mod faults;
mod promises;
mod search_path;
mod tls;

use tickid_testkit::servers::{Postgres, Test};

pub(crate) fn tests() -> Vec<Test<Postgres>> {
    let mut tests = tickid_lease::store_scenarios!(Postgres: database::Database::empty).to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    tests.extend(search_path::TESTS);
    tests.extend(tls::TESTS);
    tests
}
