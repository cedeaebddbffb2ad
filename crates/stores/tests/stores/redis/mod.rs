//! The Redis backend, whatever happens to the server.

mod access;
mod losses;
mod scale;
mod servers;
mod tls;

use tickid_testkit::servers::{Redis, Test};

pub(crate) fn tests() -> Vec<Test<Redis>> {
    let mut tests =
        tickid_lease::store_scenarios!(Redis: servers::Testbed::new, servers::Testbed::separate)
            .to_vec();
    tests.extend(servers::TESTS);
    tests.extend(losses::TESTS);
    tests.extend(scale::TESTS);
    tests.extend(access::TESTS);
    tests.extend(tls::TESTS);
    tests
}
