//! The backend in MySQL.

mod faults;
mod promises;
mod server;
mod tls;

use tickid_testkit::servers::{MySql, Test};

pub(crate) fn tests() -> Vec<Test<MySql>> {
    let mut tests =
        tickid_lease::store_scenarios!(MySql: server::Testbed::new, server::Testbed::separate)
            .to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    tests.extend(tls::TESTS);
    tests
}
