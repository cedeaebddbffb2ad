//! Tests of the etcd cluster that other tests start.

use tickid_testkit::servers::{Etcd, Test};

pub(crate) const TESTS: [Test<Etcd>; 1] = [("is_gone_when_dropped", is_gone_when_dropped)];

fn is_gone_when_dropped(_: &Etcd) {
    use std::net::TcpStream;
    let etcd = Etcd::cluster(1).unwrap();
    let endpoint = etcd.endpoints().remove(0);
    drop(etcd);
    assert!(TcpStream::connect(endpoint).is_err());
}
