//! Encrypted connections.

use core::error::Error;
use core::time::Duration;
use std::net::TcpListener;

use tickid_lease::{PostgresStore, StoreErrorKind};
use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::database::{acquire, open, realm};

pub(crate) const TESTS: [Test<Postgres>; 1] =
    [("servers_are_verified_and_connections_encrypted", servers_are_verified)];

/// An authority, and a certificate of it for `localhost`.
const CERTIFICATES: &str = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=tests' \
    -keyout ca.key -out ca.pem && \
    openssl req -newkey rsa:2048 -nodes -subj '/CN=localhost' -keyout data/server.key \
    -out server.csr && \
    echo subjectAltName=DNS:localhost >names && \
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
    -extfile names -out data/server.crt";

fn servers_are_verified(_: &Postgres) {
    let server = Postgres::start().unwrap();
    server.tell(CERTIFICATES).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    server
        .tell(&format!(
            "printf '%s\\n' \"listen_addresses = 'localhost'\" 'port = {port}' 'ssl = on' \
             >>data/postgresql.conf"
        ))
        .unwrap();
    server.tell("printf '%s\\n' 'hostssl all all all trust' >data/pg_hba.conf").unwrap();
    server.restart("fast").unwrap();

    let roots = server.socket_folder().join("ca.pem");
    let url = |host, options: &str| {
        format!("postgres://{}@{host}:{port}/{}?{options}", Postgres::USER, Postgres::DATABASE)
    };
    let trusting = |mode| format!("sslmode={mode}&sslrootcert={}", roots.display());
    let few = realm("0-7/3", Duration::from_secs(10));
    for mode in ["prefer", "require", "verify-full"] {
        acquire(&open(&url("localhost", &trusting(mode))), &few).unwrap();
    }
    // The server takes nothing else.
    let plain = acquire(&open(&url("localhost", "sslmode=disable")), &few).unwrap_err();
    assert!(matches!(plain.kind(), StoreErrorKind::Failed { .. }), "{plain}");
    // An authority that nobody has heard of, and a name that the certificate does not have.
    for url in [url("localhost", "sslmode=require"), url("127.0.0.1", &trusting("require"))] {
        let store: PostgresStore = open(&url);
        let error = acquire(&store, &few).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error}");
        assert!(causes(&error).contains("certificate"), "{}", causes(&error));
    }
}

fn causes(error: &dyn Error) -> String {
    let source = error.source().map(causes).unwrap_or_default();
    format!("{error}: {source}")
}
