//! Crashes, silence, replicas, restored dumps, and servers that lose commits.

use core::time::Duration;
use std::process::Command;

use tickid_lease::Store;
use tickid_lease::backend::StoreErrorKind;
use tickid_testkit::servers::{MySql, Server as _, Test};

use crate::mysql::server::{open, open_for, query};
use crate::sql::failures::{self, Failing};
use crate::sql::{acquire, answer, assert_goes_on, begin, realm, reconnected, renew};

pub(crate) const TESTS: [Test<MySql>; 10] = [
    ("a_missing_database_may_come_later", a_missing_database_may_come_later),
    ("a_crash_loses_nothing", a_crash_loses_nothing),
    ("silence_ends_with_the_timeout", silence_ends_with_the_timeout),
    ("loaded_dump_ends_leases", loaded_dump_ends_leases),
    ("copied_tables_repeat_no_window", copied_tables_repeat_no_window),
    ("files_that_change_keep_leases", files_that_change_keep_leases),
    ("copied_files_end_leases", copied_files_end_leases),
    ("a_replica_grants_nothing", a_replica_grants_nothing),
    ("lossy_server_is_refused", lossy_server_is_refused),
    ("a_lost_connection_is_made_anew", a_lost_connection_is_made_anew),
];

/// No lease ends before its test.
const TERM: Duration = Duration::from_secs(3_600);

fn a_crash_loses_nothing(_: &MySql) {
    failures::a_crash_loses_nothing(&MySql::start().unwrap());
}

fn a_lost_connection_is_made_anew(_: &MySql) {
    failures::a_lost_connection_is_made_anew(&MySql::start().unwrap());
}

impl Failing for MySql {
    fn open(&self) -> Store {
        open(&self.url())
    }

    fn crash(&self) {
        self.kill().unwrap();
    }

    fn come_back(&self) {
        self.revive().unwrap();
    }

    fn disconnect(&self) {
        query(self, "KILL USER tickid");
    }
}

fn silence_ends_with_the_timeout(_: &MySql) {
    let server = MySql::start().unwrap();
    let realm = realm("0-3/2", TERM);
    begin(&open(&server.url()), &realm);
    let store = open_for(&server.url(), Duration::from_millis(300));
    let lease = acquire(&open(&server.url()), &realm).unwrap();
    // The store reads the record.
    while answer(store.realm(realm.name())).is_err() {}
    server.pause().unwrap();
    for _ in 0..3 {
        let error = renew(&store, &realm, &lease).unwrap_err();
        assert!(error.is_unreachable() && !error.is_lost(), "{error}");
    }
    server.resume().unwrap();
    // Whether or not the requests were carried out, the lease continues.
    assert_goes_on(&lease, &renew(&open(&server.url()), &realm, &lease).unwrap());
}

/// Loads a dump of the database into a database.
fn dump_into(server: &MySql, database: &str) {
    let login = "--no-defaults --user=root --socket=\"$PWD/socket\"";
    let from = MySql::DATABASE;
    shell(
        server,
        &format!("mariadb-dump {login} {from} >dump && mariadb {login} {database} <dump"),
    );
}

/// Waits until tables and files that change from now on show another time than they do now. Both
/// have a resolution of a second, and a server's generation has one of them.
fn outlast_second(server: &MySql) {
    let age = "SELECT NOW() > MAX(GREATEST(create_time, COALESCE(update_time, create_time))) \
               FROM information_schema.tables WHERE table_name LIKE 'tickid%'";
    while server.query(age).unwrap() != "1" {}
}

/// Loads a dump under a holder, with the client connected.
fn loaded_dump_ends_leases(_: &MySql) {
    let server = MySql::start().unwrap();
    let (store, realm) = (open(&server.url()), realm("0-1/1", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    outlast_second(&server);
    dump_into(&server, MySql::DATABASE);
    assert!(renew(&store, &realm, &lease).unwrap_err().is_lost());
    let record = answer(store.realm(realm.name())).unwrap();
    assert!(record.era == 1 && record.floor >= lease.ceiling, "{record:?}");
}

fn copied_tables_repeat_no_window(_: &MySql) {
    let server = MySql::start().unwrap();
    let (store, realm) = (open(&server.url()), realm("0-1/1", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    server.query("CREATE DATABASE copy; GRANT ALL ON copy.* TO tickid").unwrap();
    dump_into(&server, "copy");
    let url = server.url();
    let copy = open(&format!("{}/copy", url.strip_suffix("/tickid").unwrap()));
    assert!(renew(&copy, &realm, &lease).unwrap_err().is_lost());
    assert_goes_on(&lease, &renew(&store, &realm, &lease).unwrap());
}

/// Runs a line of a shell in the server's folder.
fn shell(server: &MySql, line: &str) {
    let status = Command::new("sh").args(["-c", line]).current_dir(server.folder()).status();
    assert!(status.unwrap().success(), "{line}");
}

/// The server shows a file's change of mode as the time of a table's creation.
fn files_that_change_keep_leases(_: &MySql) {
    let server = MySql::start().unwrap();
    let (store, realm) = (open(&server.url()), realm("0-1/1", TERM));
    begin(&store, &realm);
    let mut lease = acquire(&store, &realm).unwrap();
    let mut keep = |what: &str| {
        let renewed = reconnected(|| renew(&store, &realm, &lease));
        let renewed = renewed.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_goes_on(&lease, &renewed);
        lease = renewed;
    };
    outlast_second(&server);
    shell(&server, "chmod -R g+r data && chmod -R g-r data");
    server.query("FLUSH TABLES").unwrap();
    keep("chmod");
    server.query("SET GLOBAL time_zone = '+05:00'").unwrap();
    keep("a time zone");
    server.kill().unwrap();
    shell(&server, "chmod -R g+r data && chmod -R g-r data");
    server.revive().unwrap();
    keep("a restart");
}

/// Like those in a backup.
fn copied_files_end_leases(_: &MySql) {
    let server = MySql::start().unwrap();
    let (store, realm) = (open(&server.url()), realm("0-1/1", TERM));
    begin(&store, &realm);
    let lease = acquire(&store, &realm).unwrap();
    outlast_second(&server);
    server.kill().unwrap();
    shell(&server, "mv data old && cp -R --preserve=mode,ownership old data");
    server.revive().unwrap();
    assert!(reconnected(|| renew(&store, &realm, &lease)).unwrap_err().is_lost());
}

/// A user without rights to any database of that name is told that it has none.
fn a_missing_database_may_come_later(server: &MySql) {
    let user = MySql::USER;
    query(server, &format!("GRANT ALL ON later.* TO {user}@'%'"));
    let store = open(&server.url_of("later"));
    let error = answer(store.realms()).unwrap_err();
    assert!(error.passes() && !error.is_unreachable(), "{error:?}");
    query(server, "CREATE DATABASE later");
    assert_eq!(answer(store.realms()).unwrap(), []);
}

/// The error names the cause, and is neither a loss nor unreachable; also for a user with the right
/// to write nevertheless.
fn a_replica_grants_nothing(_: &MySql) {
    let server = MySql::start().unwrap();
    query(&server, "GRANT READ_ONLY ADMIN ON *.* TO tickid");
    query(&server, "CREATE USER app IDENTIFIED BY 'app'; GRANT ALL ON tickid.* TO app");
    let app = format!("mysql://app:app@{}/tickid", server.address());
    let realm = realm("0-3/2", TERM);
    for url in [server.url(), app] {
        let store = open(&url);
        begin(&store, &realm);
        let lease = acquire(&store, &realm).unwrap();
        server.query("SET GLOBAL read_only = 1").unwrap();
        for error in [
            acquire(&store, &realm).unwrap_err(),
            renew(&store, &realm, &lease).unwrap_err(),
            answer(store.release(&realm, &lease, None)).unwrap_err(),
        ] {
            assert!(matches!(error.kind(), StoreErrorKind::NotReady { .. }), "{error}");
            assert!(error.to_string().contains("accepts no writes"), "{error}");
        }
        server.query("SET GLOBAL read_only = 0").unwrap();
        assert_goes_on(&lease, &renew(&store, &realm, &lease).unwrap());
    }
}

fn lossy_server_is_refused(_: &MySql) {
    let server = MySql::with_options("true", "--log-bin --sync-binlog=0").unwrap();
    let unfit = |why: &str| {
        let error = answer(open(&server.url()).realms()).unwrap_err();
        assert!(matches!(error.kind(), StoreErrorKind::Unfit { .. }), "{error:?}");
        assert!(error.to_string().contains(why), "{error}");
    };
    unfit("sync_binlog");
    server.query("SET GLOBAL sync_binlog = 1").unwrap();
    answer(open(&server.url()).realms()).unwrap();
    for setting in [0, 2] {
        let set = format!("SET GLOBAL innodb_flush_log_at_trx_commit = {setting}");
        server.query(&set).unwrap();
        unfit("innodb_flush_log_at_trx_commit");
    }
}
