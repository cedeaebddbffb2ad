//! Crashes, silence, standbys, restored backups, and other programs on the port.

use core::time::Duration;
use std::thread;

use tickid_lease::backend::StoreErrorKind;
use tickid_lease::{Lease, RealmSpec, Store};
use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::postgres::database::{Database, open, open_for};
use crate::sql::failures::{self, Failing};
use crate::sql::{acquire, answer, assert_goes_on, begin, claim, realm, reconnected, renew};

pub(crate) const TESTS: [Test<Postgres>; 11] = [
    ("a_missing_database_may_come_later", a_missing_database_may_come_later),
    ("a_crash_loses_nothing", a_crash_loses_nothing),
    ("silence_ends_with_the_timeout", silence_ends_with_the_timeout),
    ("restored_backup_ends_leases", restored_backup_ends_leases),
    ("unnoticed_backup_is_proven", unnoticed_backup_is_proven),
    ("loaded_dump_ends_leases", loaded_dump_ends_leases),
    ("a_standby_grants_nothing", a_standby_grants_nothing),
    ("a_log_without_positions_grants", a_log_without_positions_grants),
    ("only_standbys_are_called_standbys", only_standbys_are_called_standbys),
    ("a_lost_connection_is_made_anew", a_lost_connection_is_made_anew),
    ("a_slow_connection_is_made_once", a_slow_connection_is_made_once),
];

/// No lease ends before its test.
const TERM: Duration = Duration::from_secs(3_600);

fn a_crash_loses_nothing(_: &Postgres) {
    let server = Postgres::start().unwrap();
    failures::a_crash_loses_nothing(&Database::new(&server));
}

fn a_missing_database_may_come_later(server: &Postgres) {
    let store = open(&server.url_of("later"));
    let error = answer(store.realms()).unwrap_err();
    assert!(error.passes() && !error.is_unreachable(), "{error:?}");
    server.psql(Postgres::DATABASE, "CREATE DATABASE later").unwrap();
    assert_eq!(answer(store.realms()).unwrap(), []);
}

fn a_lost_connection_is_made_anew(server: &Postgres) {
    failures::a_lost_connection_is_made_anew(&Database::new(server));
}

impl Failing for Database<'_> {
    fn open(&self) -> Store {
        self.client()
    }

    fn crash(&self) {
        self.server.stop("immediate").unwrap();
    }

    fn come_back(&self) {
        self.server.begin().unwrap();
    }

    fn disconnect(&self) {
        self.psql(
            "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
    }
}

/// A request without an answer is carried out nevertheless, and its repetition finds the result.
fn silence_ends_with_the_timeout(server: &Postgres) {
    let database = Database::new(server);
    let (proxy, url) = database.proxy();
    let (realm, mut again) = (realm("0-3/2", TERM), claim());
    let patient = database.client();
    begin(&patient, &realm);
    let store = open_for(&url, Duration::from_millis(200));
    let lease = acquire(&patient, &realm).unwrap();
    // The store reads the record.
    while answer(store.realm(realm.name())).is_err() {}
    proxy.drop_answers(true);
    assert!(renew(&store, &realm, &lease).unwrap_err().is_unreachable());
    let error = answer(store.acquire(&realm, &mut again)).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error}");
    proxy.drop_answers(false);
    let found = answer(patient.acquire(&realm, &mut again)).unwrap();
    assert_goes_on(&lease, &renew(&patient, &realm, &lease).unwrap());
    let view = answer(patient.list(realm.name())).unwrap();
    assert_eq!(view.rows.len(), 2);
    assert_eq!(view.rows[&found.node].row().unwrap().token, Some(again.token));
}

/// Copies the data to `backup`. Returns a lease from before and one from after.
fn around_a_backup(server: &Postgres, store: &Store, realm: &RealmSpec) -> [Lease; 2] {
    begin(store, realm);
    let before = acquire(store, realm).unwrap();
    server.stop("fast").unwrap();
    server.tell("cp -R data backup").unwrap();
    server.begin().unwrap();
    let since = reconnected(|| acquire(store, realm)).unwrap();
    [renew(store, realm, &before).unwrap(), since]
}

/// Detected by the server's timeline, which changes at the end of recovery.
fn restored_backup_ends_leases(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-1/1", TERM));
    let leases = around_a_backup(&server, &store, &realm);
    server.stop("fast").unwrap();
    server.tell("rm -r data && mv backup data && touch data/recovery.signal").unwrap();
    server.tell("echo \"restore_command = 'false'\" >>data/postgresql.conf").unwrap();
    server.begin().unwrap();
    while database.psql("SELECT pg_is_in_recovery()") == "t" {
        thread::yield_now();
    }
    for lease in leases {
        let error = reconnected(|| renew(&store, &realm, &lease)).unwrap_err();
        assert!(error.is_lost(), "{error}");
    }
    let record = answer(store.realm(realm.name())).unwrap();
    assert!(record.generation.contains("timeline 00000002 database "), "{record:?}");
    assert!(leases.iter().all(|lease| lease.ceiling <= record.floor), "{record:?}");
}

/// A snapshot of the disk, started as it is, is detected by the first holder that renews.
fn unnoticed_backup_is_proven(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-1/1", TERM));
    let leases = around_a_backup(&server, &store, &realm);
    server.stop("fast").unwrap();
    server.tell("rm -r data && mv backup data").unwrap();
    server.begin().unwrap();
    let unnoticed = reconnected(|| answer(store.list(realm.name()))).unwrap();
    assert_eq!((unnoticed.record.unwrap().0.era, unnoticed.rows.len()), (0, 1));
    for lease in leases {
        assert!(renew(&store, &realm, &lease).unwrap_err().is_lost());
    }
    let record = answer(store.realm(realm.name())).unwrap();
    assert!(leases.iter().all(|lease| lease.ceiling <= record.floor), "{record:?}");
    assert!(acquire(&store, &realm).unwrap_err().refusal().is_some());
}

/// Loads a dump under a holder, with the client connected: it creates the tables anew.
fn loaded_dump_ends_leases(server: &Postgres) {
    let database = Database::new(server);
    let (store, realm) = (database.client(), realm("0-1/1", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    let place = format!("-h \"$PWD\" -U {} -d {}", Postgres::USER, database.name);
    let dump =
        format!("pg_dump {place} --clean -f dump && psql {place} -v ON_ERROR_STOP=1 -f dump");
    server.tell(&dump).unwrap();
    assert!(renew(&store, &realm, &lease).unwrap_err().is_lost());
    let record = answer(store.realm(realm.name())).unwrap();
    assert!(record.era == 1 && record.floor >= lease.ceiling, "{record:?}");
}

/// The error names the cause, and is neither a loss nor unreachable.
fn a_standby_grants_nothing(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-3/2", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    server.stop("fast").unwrap();
    server.tell("touch data/standby.signal").unwrap();
    server.begin().unwrap();
    // The connection is lost.
    while renew(&store, &realm, &lease).unwrap_err().is_unreachable() {}
    for error in [
        acquire(&store, &realm).unwrap_err(),
        renew(&store, &realm, &lease).unwrap_err(),
        answer(store.release(&realm, &lease, None)).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), StoreErrorKind::NotReady { .. }), "{error}");
        assert!(error.to_string().contains("accepts no writes"), "{error}");
    }
    // Promoted, it is another store.
    server.tell("pg_ctl promote --wait --pgdata=data").unwrap();
    assert!(renew(&store, &realm, &lease).unwrap_err().is_lost());
}

/// As the writer of Amazon Aurora without logical replication, which refuses with the code that a
/// standby has.
fn a_log_without_positions_grants(server: &Postgres) {
    let database = Database::empty(server);
    database.psql(
        "ALTER FUNCTION pg_catalog.pg_current_wal_lsn() RENAME TO own_pg_current_wal_lsn; \
         CREATE FUNCTION pg_catalog.pg_current_wal_lsn() RETURNS pg_lsn \
         LANGUAGE plpgsql AS $$ BEGIN \
             RAISE 'logical replication is not enabled' USING ERRCODE = '55000'; \
         END $$",
    );
    let (store, realm) = (database.client(), realm("0-3/2", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    assert_goes_on(&lease, &renew(&store, &realm, &lease).unwrap());
    let record = answer(store.realm(realm.name())).unwrap();
    assert!(record.generation.contains(" timeline unknown database "), "{record:?}");
    // A copy is another store nevertheless.
    database.psql("ALTER TABLE tickid.realm RENAME TO old");
    database.psql(
        "CREATE TABLE tickid.realm (LIKE tickid.old INCLUDING ALL); \
         INSERT INTO tickid.realm SELECT * FROM tickid.old",
    );
    assert!(renew(&store, &realm, &lease).unwrap_err().is_lost());
}

/// The error of a server that accepts writes has the server's own words.
fn only_standbys_are_called_standbys(server: &Postgres) {
    let database = Database::new(server);
    let realm = realm("0-3/2", TERM);
    begin(&database.client(), &realm);
    database.psql(
        "CREATE OR REPLACE FUNCTION tickid.now_micros_v1() RETURNS bigint LANGUAGE plpgsql AS \
         $$ BEGIN RAISE 'not in the \"state\" of ''a''' USING ERRCODE = '55000'; END $$",
    );
    let error = acquire(&database.client(), &realm).unwrap_err().to_string();
    assert!(error.contains("read a realm: not in the \"state\" of 'a'"), "{error}");
}

/// Otherwise, if a server took long to accept many clients, each of them would start over.
fn a_slow_connection_is_made_once(server: &Postgres) {
    let database = Database::new(server);
    let (proxy, url) = database.proxy();
    let store = open_for(&url, Duration::from_millis(50));
    proxy.hold_answers(true);
    for _ in 0..3 {
        assert!(answer(store.realms()).unwrap_err().is_unreachable());
    }
    assert_eq!(proxy.connections(), 1);
    proxy.hold_answers(false);
    while answer(store.realms()).is_err() {}
}
