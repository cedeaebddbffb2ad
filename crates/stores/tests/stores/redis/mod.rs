//! The Redis backend, whatever happens to the server.

mod access;
mod losses;
mod recorded;
mod scale;
mod servers;
mod tls;

use tickid_testkit::servers::{Proxy, Redis, Target, Test};

use crate::distance::{self, Line};
use crate::releases;

pub(crate) fn tests() -> Vec<Test<Redis>> {
    let mut tests =
        tickid_lease::store_scenarios!(Redis: servers::Testbed::new, servers::Testbed::separate)
            .to_vec();
    tests.extend(servers::TESTS);
    tests.extend(losses::TESTS);
    tests.extend(scale::TESTS);
    tests.extend(access::TESTS);
    tests.extend(tls::TESTS);
    tests.extend(releases::tests!(Redis, "redis", recorded::Keys::new));
    tests.extend(distance::tests!(Redis, at_the_end_of_a_line));
    tests
}

fn at_the_end_of_a_line(server: &Redis, test: impl FnOnce(Line<'_>)) {
    let new = || {
        let proxy = Proxy::new(Target::Tcp(server.address())).unwrap();
        let url = format!("redis://{}", proxy.address());
        (proxy, url)
    };
    test(Line { new: &new, patient: &servers::open, near: servers::store(server) });
}
