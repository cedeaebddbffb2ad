//! The backend's promises besides the rules.

use core::time::Duration;
use std::thread;

use tickid_lease::{RealmSpec, Store};
use tickid_stores::MySqlBackend;
use tickid_testkit::servers::{MySql, Proxy, Server as _, Target, Test};

use crate::mysql::server::{open, query};
use crate::sql::pools::{self, Rows};
use crate::sql::{TIMEOUT, acquire, answer, begin, realm, renew};
use crate::windows;

pub(crate) const TESTS: [Test<MySql>; 5] = [
    ("requests_are_few", requests_are_few),
    ("applications_need_few_rights", applications_need_few_rights),
    ("local_sockets_and_no_password_work", local_sockets_and_no_password_work),
    ("idle_connections_are_closed", idle_connections_are_closed),
    ("claims_read_few_rows", claims_read_few_rows),
];

/// No lease ends before its test.
const TERM: Duration = Duration::from_secs(3_600);

fn requests_are_few(_: &MySql) {
    let server = MySql::start().unwrap();
    let proxy = Proxy::new(Target::Tcp(server.address())).unwrap();
    let url = server.url().replace(&server.address(), proxy.address());
    // A new connection would be a request more.
    let store = Store::new(MySqlBackend::open(&url).unwrap().with_idle_time(TIMEOUT));
    windows::requests_are_few(&store, || proxy.requests());
}

/// Once the tables exist; without them the error names the missing right.
fn applications_need_few_rights(_: &MySql) {
    let server = MySql::start().unwrap();
    let database = MySql::DATABASE;
    query(
        &server,
        &format!(
            "CREATE USER app IDENTIFIED BY 'app'; \
             GRANT SELECT, INSERT, UPDATE ON {database}.* TO app"
        ),
    );
    let store = || open(&format!("mysql://app:app@{}/{database}", server.address()));
    let realm = realm("0-1/1", TERM);
    let error = acquire(&store(), &realm).unwrap_err();
    assert!(error.to_string().contains("create its tables: CREATE command denied"), "{error}");
    answer(open(&server.url()).realms()).unwrap();
    query(&server, "REVOKE SELECT, INSERT, UPDATE ON tickid.* FROM app");
    // Those that docs/leases/backends.md names.
    for table in ["tickid_realm", "tickid_node"] {
        query(&server, &format!("GRANT SELECT, INSERT, UPDATE ON {table} TO app"));
    }
    let error = acquire(&store(), &realm).unwrap_err();
    assert!(error.to_string().contains("SELECT command denied"), "{error}");
    query(&server, "GRANT SELECT ON tickid_identity TO app");
    let store = store();
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    let lease = renew(&store, &realm, &lease).unwrap();
    answer(store.release(&realm, &lease, None)).unwrap();
    answer(store.reconfigure(&crate::sql::realm("0-3/2", TERM))).unwrap();
    answer(store.invalidate(&crate::sql::realm("0-3/2", TERM))).unwrap();
}

fn local_sockets_and_no_password_work(_: &MySql) {
    let server = MySql::start().unwrap();
    let socket = server.folder().join("socket");
    query(&server, "CREATE USER open; GRANT ALL ON tickid.* TO open");
    for login in ["tickid:secret%20of%20the%20tests@", "open:@", ""] {
        let url = format!("mysql://{login}localhost/tickid?socket={}", socket.display());
        answer(open(&url).realms()).unwrap();
    }
}

fn idle_connections_are_closed(_: &MySql) {
    let server = MySql::start().unwrap();
    let store = open(&server.url());
    answer(store.realms()).unwrap();
    let connected = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'tickid'";
    while server.query(connected).unwrap() != "0" {
        thread::yield_now();
    }
    // It was closed in order, and the store makes another.
    let aborted = "SHOW GLOBAL STATUS LIKE 'Aborted_clients'";
    assert_eq!(server.query(aborted).unwrap(), "Aborted_clients\t0");
    answer(store.realms()).unwrap();
}

fn claims_read_few_rows(_: &MySql) {
    let server = MySql::start().unwrap();
    answer(open(&server.url()).realms()).unwrap();
    pools::claims_read_few_rows(&Filled(server));
}

struct Filled(MySql);

impl Rows for Filled {
    fn open(&self) -> Store {
        open(&self.0.url())
    }

    fn fill(&self, realm: &RealmSpec, bits: u32, free: u32, ceiling: u64) {
        let (name, count) = (realm.name(), 1_u32 << bits);
        query(
            &self.0,
            &format!(
                "DELETE FROM tickid_node WHERE realm = '{name}';
                 INSERT INTO tickid_node
                 SELECT '{name}', CONCAT(LOWER(LPAD(HEX(seq << (63 - {bits})), 16, '0')), \
                     LOWER(LPAD(HEX({bits}), 2, '0'))), 1, @ceiling := IF({free} > 0 AND \
                     seq % GREATEST({free}, 1) = 0, 5, {ceiling}), CONCAT('{{\"record_version\":1,\"node\":\"', \
                     seq, '/{bits}\",\"token\":', IF(@ceiling = 5, 'null', \
                     CONCAT('\"', LPAD(seq, 32, '0'), '\"')), ',\"holder\":\"test\",\"era\":0,\
                     \"floor\":0,\"ceiling\":', @ceiling, '}}') \
                 FROM seq_0_to_65535 WHERE seq < {count} AND {bits} > 0;
                 OPTIMIZE TABLE tickid_node"
            ),
        );
    }

    fn rows_read(&self) -> u64 {
        let status = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Handler_read_first', \
                      'Handler_read_key', 'Handler_read_next', 'Handler_read_prev')";
        let status = self.0.query(status).unwrap();
        let count = |line: &str| line.split('\t').nth(1)?.parse::<u64>().ok();
        status.lines().filter_map(count).sum()
    }
}
