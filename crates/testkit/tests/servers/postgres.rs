//! Tests of the PostgreSQL server that other tests start.

use tickid_testkit::servers::{Postgres, Server as _, Test};

pub(crate) const TESTS: [Test<Postgres>; 3] = [
    ("takes_connections", takes_connections),
    ("is_gone_when_dropped", is_gone_when_dropped),
    ("keeps_what_was_committed_before_a_crash", keeps_what_was_committed_before_a_crash),
];

/// Requests encryption on a connection, and expects PostgreSQL to reply that it is not supported.
fn takes_connections(server: &Postgres) {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
    let mut stream = UnixStream::connect(server.socket_folder().join(".s.PGSQL.5432")).unwrap();
    stream.write_all(&SSL_REQUEST).unwrap();
    let mut answer = [0];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"N");
}

fn is_gone_when_dropped(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let folder = server.socket_folder().to_owned();
    assert!(folder.join("data/postmaster.pid").exists());
    drop(server);
    assert!(!folder.exists());
}

fn keeps_what_was_committed_before_a_crash(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let commit = "SET synchronous_commit = on; CREATE TABLE a AS SELECT 7 AS b";
    server.psql(Postgres::DATABASE, commit).unwrap();
    server.restart("immediate").unwrap();
    assert_eq!(server.psql(Postgres::DATABASE, "SELECT b FROM a").unwrap(), "7");
    let error = server.psql(Postgres::DATABASE, "SELECT c FROM a").unwrap_err();
    assert!(error.to_string().contains("does not exist"), "{error}");
}
