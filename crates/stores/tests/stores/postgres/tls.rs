//! Encrypted connections.

use core::time::Duration;

use tickid_lease::backend::StoreErrorKind;
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::{CERTIFICATES, Postgres, Server as _, Test, free_port};

use crate::error_chain::causes;
use crate::postgres::database::open;
use crate::sql::{acquire, answer, begin, realm};

pub(crate) const TESTS: [Test<Postgres>; 2] = [
    ("servers_are_verified", servers_are_verified),
    ("clients_are_authenticated", clients_are_known),
];

/// Starts a server that encrypts under the name `localhost`, with these lines in `pg_hba.conf`.
/// Returns its port, too.
fn start(hba: &str) -> (Postgres, u16) {
    let server = Postgres::start().unwrap();
    server.tell(CERTIFICATES).unwrap();
    server.tell("mv server.crt server.key data && chmod 600 data/server.key").unwrap();
    let port = free_port().unwrap();
    server
        .tell(&format!(
            "printf '%s\\n' \"listen_addresses = 'localhost'\" 'port = {port}' 'ssl = on' \
             \"ssl_ca_file = '../ca.pem'\" >>data/postgresql.conf"
        ))
        .unwrap();
    server.tell(&format!("printf '%s\\n' {hba} >data/pg_hba.conf")).unwrap();
    server.restart("fast").unwrap();
    (server, port)
}

fn trusting(server: &Postgres, mode: &str) -> String {
    format!("sslmode={mode}&sslrootcert={}", server.socket_folder().join("ca.pem").display())
}

fn servers_are_verified(_: &Postgres) {
    let (server, port) = start("'hostssl all all all trust'");
    let url = |host, options: &str| {
        format!("postgres://{}@{host}:{port}/{}?{options}", Postgres::USER, Postgres::DATABASE)
    };
    let few = realm("0-7/3", Duration::from_secs(10));
    for mode in ["prefer", "require", "verify-full"] {
        let store = open(&url("localhost", &trusting(&server, mode)));
        begin(&store, &few);
        acquire(&store, &few).unwrap();
    }
    // The server accepts nothing else.
    let plain = acquire(&open(&url("localhost", "sslmode=disable")), &few).unwrap_err();
    assert_eq!(plain.to_string(), "PostgreSQL store: could not log in without encryption");
    assert!(causes(&plain).contains("no encryption"), "{}", causes(&plain));
    // An unknown authority, and a name that the certificate does not have.
    let trusting = trusting(&server, "require");
    for url in [url("localhost", "sslmode=require"), url("127.0.0.1", &trusting)] {
        let error = acquire(&open(&url), &few).unwrap_err();
        let trust = "PostgreSQL store: could not trust the server's certificate";
        assert_eq!(error.to_string(), trust, "{}", causes(&error));
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error:?}");
    }
}

fn clients_are_known(_: &Postgres) {
    let (server, port) = start(
        "'local all all trust' 'hostssl all keyed all trust clientcert=verify-ca' \
         'hostssl all all all scram-sha-256'",
    );
    let roles = "CREATE ROLE app SUPERUSER LOGIN PASSWORD 'right'; \
                 CREATE ROLE keyed SUPERUSER LOGIN";
    // Not at the port that it was started with.
    let psql = format!(
        "psql -h \"$PWD\" -p {port} -U {} -c \"{roles}\" {}",
        Postgres::USER,
        Postgres::DATABASE
    );
    server.tell(&psql).unwrap();
    let trusting = trusting(&server, "require");
    let ask = |who: &str, options: &str| {
        let place = format!("localhost:{port}/{}", Postgres::DATABASE);
        let store = open(&format!("postgres://{who}@{place}?{trusting}{options}"));
        let result = answer(store.realms());
        // The password is never shown.
        let shown = format!("{store:?} {result:?}");
        assert!(!shown.contains("right") && !shown.contains("wr0ng"), "{shown}");
        result
    };
    ask("app:right", "").unwrap();
    for who in ["app:wr0ng", "app", "nobody:wr0ng"] {
        let error = ask(who, "").unwrap_err();
        assert_eq!(error.to_string(), "PostgreSQL store: could not log in", "{}", causes(&error));
    }
    let file = |name: &str| server.socket_folder().join(name).display().to_string();
    let client = format!("&sslcert={}&sslkey={}", file("client.crt"), file("client.key"));
    ask("keyed", &client).unwrap();
    assert!(ask("keyed", "").is_err());
    // The key of another certificate.
    let other = format!("&sslcert={}&sslkey={}", file("client.crt"), file("ca.key"));
    let place = format!("postgres://keyed@localhost:{port}/a?{trusting}{other}");
    let error = PostgresBackend::open(&place).unwrap_err();
    assert!(causes(&error).contains("sslkey is not the key of sslcert"), "{}", causes(&error));
}
