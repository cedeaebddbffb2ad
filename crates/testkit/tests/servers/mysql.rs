//! Tests of the MariaDB server that other tests start.

use tickid_testkit::servers::{MySql, Server as _, Test};

pub(crate) const TESTS: [Test<MySql>; 3] = [
    ("keeps_rows_over_a_crash", keeps_rows_over_a_crash),
    ("its_clock_can_be_set", its_clock_can_be_set),
    ("is_gone_when_dropped", is_gone_when_dropped),
];

fn keeps_rows_over_a_crash(_: &MySql) {
    let server = MySql::start().unwrap();
    server
        .query("CREATE TABLE tickid.t (a INT) ENGINE=InnoDB; INSERT INTO tickid.t VALUES (7)")
        .unwrap();
    server.kill().unwrap();
    server.revive().unwrap();
    assert_eq!(server.query("SELECT a FROM tickid.t").unwrap(), "7");
}

fn its_clock_can_be_set(_: &MySql) {
    let server = MySql::with_settable_clock().unwrap();
    let now = || -> u64 { server.query("SELECT UNIX_TIMESTAMP()").unwrap().parse().unwrap() };
    let before = now();
    server.set_clock_forward(3_600).unwrap();
    assert!(now() >= before + 3_600);
    server.set_clock_forward(0).unwrap();
    assert!(now() < before + 3_600);
}

fn is_gone_when_dropped(_: &MySql) {
    let server = MySql::start().unwrap();
    let address = server.address();
    drop(server);
    assert!(std::net::TcpStream::connect(address).is_err());
}
