//! The backend's promises besides the rules.

use core::time::Duration;
use std::thread;

use tickid_lease::{RealmSpec, Store};
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::postgres::database::{Database, open};
use crate::sql::pools::{self, Rows};
use crate::sql::{TIMEOUT, acquire, answer, begin, realm, renew};
use crate::windows;

pub(crate) const TESTS: [Test<Postgres>; 6] = [
    ("requests_are_few", requests_are_few),
    ("applications_need_few_rights", applications_need_few_rights),
    ("answers_are_always_durable", answers_are_always_durable),
    ("writes_make_no_multixacts", writes_make_no_multixacts),
    ("idle_connections_are_closed", idle_connections_are_closed),
    ("claims_read_few_rows", claims_read_few_rows),
];

/// No lease ends before its test.
const TERM: Duration = Duration::from_secs(3_600);

fn requests_are_few(server: &Postgres) {
    let database = Database::new(server);
    let (proxy, url) = database.proxy();
    // A new connection would be a request more.
    let store = Store::new(PostgresBackend::open(&url).unwrap().with_idle_time(TIMEOUT));
    answer(store.realms()).unwrap();
    assert_eq!(proxy.requests(), 2, "one of them to connect");
    windows::requests_are_few(&store, || proxy.requests());
}

/// Once the schema exists; without it the error names the missing right.
fn applications_need_few_rights(server: &Postgres) {
    let database = Database::empty(server);
    let user = format!("user_of_{}", database.name);
    database.psql(&format!("CREATE ROLE {user} LOGIN"));
    let url = database.url().replace(&format!("user={}", Postgres::USER), &format!("user={user}"));
    let (store, realm) = (open(&url), realm("0-1/1", TERM));
    let error = acquire(&store, &realm).unwrap_err();
    assert!(error.to_string().contains("create its schema: permission denied"), "{error}");
    answer(database.client().realms()).unwrap();
    database.psql(&format!(
        "GRANT USAGE ON SCHEMA tickid TO {user};
         GRANT SELECT, INSERT, UPDATE ON tickid.realm, tickid.node TO {user}"
    ));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    let lease = renew(&store, &realm, &lease).unwrap();
    answer(store.release(&realm, &lease, None)).unwrap();
    // A database of an earlier release.
    database.psql("DROP FUNCTION tickid.commit_v2");
    let error = acquire(&store, &realm).unwrap_err();
    assert!(error.to_string().contains("create its schema: permission denied"), "{error}");
    answer(database.client().list(realm.name())).unwrap();
    let more = crate::sql::realm("0-3/2", TERM);
    answer(store.reconfigure(&more)).unwrap();
    answer(store.invalidate(&more)).unwrap();
}

/// The test server's settings turn it off.
fn answers_are_always_durable(server: &Postgres) {
    let database = Database::new(server);
    let settings = "SHOW synchronous_commit; SELECT 'then ' || count(*) FROM \
                    (SELECT tickid.settings_v1()) AS s; SHOW synchronous_commit";
    assert_eq!(database.psql(settings), "off\nthen 1\non");
    // The function that writes sets it.
    let calls = "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc \
                 WHERE pronamespace = 'tickid'::regnamespace \
                 AND prosrc LIKE '%PERFORM tickid.settings_v1();%'";
    assert_eq!(database.psql(calls), "commit_v2");
}

fn writes_make_no_multixacts(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let next = || {
        database.psql("CHECKPOINT");
        database.psql("SELECT next_multixact_id, next_multi_offset FROM pg_control_checkpoint()")
    };
    let before = next();
    let realm = realm("0-15/4", TERM);
    begin(&database.client(), &realm);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let store = database.client();
                let mut lease = acquire(&store, &realm).unwrap();
                for _ in 0..50 {
                    lease = renew(&store, &realm, &lease).unwrap();
                }
                answer(store.release(&realm, &lease, None)).unwrap();
            });
        }
    });
    assert_eq!(next(), before);
}

fn idle_connections_are_closed(server: &Postgres) {
    let database = Database::new(server);
    let store = database.client();
    answer(store.realms()).unwrap();
    let connected = "SELECT count(*) FROM pg_stat_activity \
                     WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while database.psql(connected) != "0" {
        thread::yield_now();
    }
    answer(store.realms()).unwrap();
}

fn claims_read_few_rows(server: &Postgres) {
    pools::claims_read_few_rows(&Database::new(server));
}

impl Rows for Database<'_> {
    fn open(&self) -> Store {
        self.client()
    }

    fn fill(&self, realm: &RealmSpec, bits: u32, free: u32, ceiling: u64) {
        let (name, last) = (realm.name(), (1_i64 << bits) - 1);
        self.psql(&format!(
            "DELETE FROM tickid.node WHERE realm = '{name}';
             INSERT INTO tickid.node
             SELECT '{name}', lpad(to_hex(v << (63 - {bits})), 16, '0') || lpad(to_hex({bits}), 2, '0'),
                 1, ceiling, jsonb_build_object('record_version', 1, 'node', v || '/{bits}', 'token',
                     CASE WHEN ceiling > 5 THEN lpad(v::text, 32, '0') END, 'holder', 'test',
                     'era', 0, 'floor', 0, 'ceiling', ceiling)
             FROM generate_series(0::bigint, {last}) AS v, LATERAL (
                 SELECT CASE WHEN {free} > 0 AND v % greatest({free}, 1) = 0 THEN 5 ELSE {ceiling} END
             ) AS c (ceiling)
             WHERE {bits} > 0"
        ));
        self.psql("VACUUM ANALYZE tickid.node");
    }

    fn rows_read(&self) -> u64 {
        let others = "SELECT count(*) FROM pg_stat_activity \
                      WHERE datname = current_database() AND pid <> pg_backend_pid()";
        while self.psql(others) != "0" {
            thread::yield_now();
        }
        let read = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables \
                    WHERE schemaname = 'tickid' AND relname = 'node'";
        self.psql(read).parse().unwrap()
    }
}
