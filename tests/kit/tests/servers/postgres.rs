//! Tests of the PostgreSQL server that other tests start.

use tickid_testkit::servers::{Postgres, Server as _, Test};

pub(crate) const TESTS: [Test<Postgres>; 1] = [("is_gone_when_dropped", is_gone_when_dropped)];

fn is_gone_when_dropped(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let folder = server.socket_folder().to_owned();
    assert!(folder.join("data/postmaster.pid").exists());
    drop(server);
    assert!(!folder.exists());
}
