//! The backend in MySQL.

mod faults;
mod promises;
mod server;
mod tls;

use tickid_testkit::servers::{MySql, Proxy, Target, Test};

use crate::distance::{self, Line};
use crate::releases;

pub(crate) fn tests() -> Vec<Test<MySql>> {
    let mut tests =
        tickid_lease::store_scenarios!(MySql: server::Testbed::new, server::Testbed::separate)
            .to_vec();
    tests.extend(promises::TESTS);
    tests.extend(faults::TESTS);
    tests.extend(tls::TESTS);
    tests.extend(releases::tests!(MySql, "mysql", server::Testbed::new));
    tests.extend(distance::tests!(MySql, at_the_end_of_a_line));
    tests
}

fn at_the_end_of_a_line(server: &MySql, test: impl FnOnce(Line<'_>)) {
    let new = || {
        let proxy = Proxy::new(Target::Tcp(server.address())).unwrap();
        let url = server.url().replace(&server.address(), proxy.address());
        (proxy, url)
    };
    test(Line { new: &new, patient: &server::open, near: server::open(&server.url()) });
}
