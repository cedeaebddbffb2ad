//! Tests of the etcd cluster that other tests start.

use tickid_testkit::servers::{Etcd, Test};

pub(crate) const TESTS: [Test<Etcd>; 2] = [
    ("a_member_can_be_killed_and_started_again", a_member_can_be_killed_and_started_again),
    ("is_gone_when_dropped", is_gone_when_dropped),
];

/// Counts the connections that are accepted.
fn reachable(etcd: &Etcd) -> usize {
    use std::net::TcpStream;
    etcd.endpoints().iter().filter(|endpoint| TcpStream::connect(endpoint).is_ok()).count()
}

fn a_member_can_be_killed_and_started_again(_: &Etcd) {
    let etcd = Etcd::cluster(3).unwrap();
    assert_eq!(reachable(&etcd), 3);
    etcd.kill(1).unwrap();
    assert_eq!(reachable(&etcd), 2);
    etcd.revive(1).unwrap();
    assert_eq!(reachable(&etcd), 3);
}

fn is_gone_when_dropped(_: &Etcd) {
    use std::net::TcpStream;
    let etcd = Etcd::cluster(1).unwrap();
    let endpoint = etcd.endpoints().remove(0);
    drop(etcd);
    assert!(TcpStream::connect(endpoint).is_err());
}
