//! Tests of the MariaDB server that other tests start.

use tickid_testkit::servers::{MySql, Server as _, Test};

pub(crate) const TESTS: [Test<MySql>; 1] = [("is_gone_when_dropped", is_gone_when_dropped)];

fn is_gone_when_dropped(_: &MySql) {
    let server = MySql::start().unwrap();
    let address = server.address();
    drop(server);
    assert!(std::net::TcpStream::connect(address).is_err());
}
