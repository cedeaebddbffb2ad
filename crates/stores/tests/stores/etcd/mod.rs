//! The etcd backend, whatever happens to the cluster.

mod access;
mod member;
mod members;
mod requests;
mod tls;

use tickid_testkit::servers::{Etcd, Test};

pub(crate) fn tests() -> Vec<Test<Etcd>> {
    let mut tests = tickid_lease::store_scenarios!(Etcd: member::Testbed::new).to_vec();
    tests.extend(members::TESTS);
    tests.extend(requests::TESTS);
    tests.extend(access::TESTS);
    tests.extend(tls::TESTS);
    tests
}
