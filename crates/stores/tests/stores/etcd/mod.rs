//! The etcd backend, whatever happens to the cluster.

mod access;
mod member;
mod members;
mod recorded;
mod requests;
mod tls;

use tickid_testkit::servers::{Etcd, Test};

use crate::distance::{self, Line};
use crate::releases;

pub(crate) fn tests() -> Vec<Test<Etcd>> {
    let mut tests = tickid_lease::store_scenarios!(Etcd: member::Testbed::new).to_vec();
    tests.extend(members::TESTS);
    tests.extend(requests::TESTS);
    tests.extend(access::TESTS);
    tests.extend(tls::TESTS);
    tests.extend(releases::tests!(Etcd, "etcd", recorded::Keys::new));
    tests.extend(distance::tests!(Etcd, at_the_end_of_a_line));
    tests
}

fn at_the_end_of_a_line(server: &Etcd, test: impl FnOnce(Line<'_>)) {
    let member = &server.endpoints()[0];
    let new = || {
        let proxy = member::proxy(member);
        let url = format!("etcd://{}", proxy.address());
        (proxy, url)
    };
    let near = members::open(member);
    let patient = |url: &str| members::open(url.strip_prefix("etcd://").unwrap());
    test(Line { new: &new, patient: &patient, near });
}
