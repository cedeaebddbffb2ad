//! Crashes, silence, standbys, restored backups.

use core::time::Duration;
use std::thread;

use tickid_lease::{Hold, Node, PostgresStore, Realm, Store as _, StoreErrorKind};
use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::database::{Database, acquire, answer, claim, open, realm, renew};
use crate::promises::assert_disjoint;
use crate::proxy::Proxy;

pub(crate) const TESTS: [Test<Postgres>; 7] = [
    (
        "a_crash_is_silence_and_nothing_is_given_twice",
        a_crash_is_silence_and_nothing_is_given_twice,
    ),
    ("silence_ends_with_the_time_and_is_no_loss", silence_ends_with_the_time_and_is_no_loss),
    ("a_backup_that_was_restored_is_noticed", a_backup_that_was_restored_is_noticed),
    (
        "a_backup_that_nothing_tells_from_its_server_is_recovered",
        a_backup_that_nothing_tells_from_its_server_is_recovered,
    ),
    ("a_standby_grants_nothing", a_standby_grants_nothing),
    ("a_lost_connection_is_made_anew", a_lost_connection_is_made_anew),
    ("a_connection_that_takes_long_is_made_once", a_connection_that_takes_long_is_made_once),
];

const TERM: Duration = Duration::from_secs(10);

/// Who holds a lease goes on with it, on the same client.
fn a_crash_is_silence_and_nothing_is_given_twice(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-3/2", TERM));
    let grants = [(); 2].map(|()| acquire(&store, &realm).unwrap());
    let mut windows: Vec<(Node, u64, u64)> = Vec::new();
    for _ in 0..3 {
        server.stop("immediate").unwrap();
        let error = renew(&store, &realm, &grants[0].hold).unwrap_err();
        assert!(error.is_unreachable(), "{error}");
        assert!(core::error::Error::source(&error).is_some());
        let again = claim();
        assert!(answer(store.acquire(&realm, &again)).unwrap_err().is_unreachable());
        server.begin().unwrap();
        let grant = answer(store.acquire(&realm, &again)).unwrap();
        let used = grant.ceiling - 1;
        answer(store.release(realm.name(), &grant.hold, Some(used))).unwrap();
        windows.push((grant.hold.node, grant.hold.floor, used + 1));
        for grant in &grants {
            assert_eq!(renew(&store, &realm, &grant.hold).unwrap().hold, grant.hold);
        }
    }
    for grant in &grants {
        let ceiling = renew(&store, &realm, &grant.hold).unwrap().ceiling;
        windows.push((grant.hold.node, grant.hold.floor, ceiling));
    }
    assert_disjoint(windows);
}

/// What was asked is done nevertheless; to ask the same again finds it.
fn silence_ends_with_the_time_and_is_no_loss(server: &Postgres) {
    let (database, proxy) = (Database::new(server), Proxy::new(server));
    let (realm, again) = (realm("0-3/2", TERM), claim());
    let store = open(&proxy.url(&database.name));
    let grant = acquire(&store, &realm).unwrap();
    let store = store.with_timeout(Duration::from_millis(100));
    proxy.set_silent(true);
    let error = answer(store.acquire(&realm, &again)).unwrap_err();
    assert!(error.is_unreachable() && !error.is_lost(), "{error}");
    assert!(renew(&store, &realm, &grant.hold).unwrap_err().is_unreachable());
    proxy.set_silent(false);
    let store = store.with_timeout(Duration::from_secs(60));
    let found = answer(store.acquire(&realm, &again)).unwrap();
    assert_eq!(renew(&store, &realm, &grant.hold).unwrap().hold, grant.hold);
    let listing = answer(store.list(realm.name())).unwrap();
    assert_eq!(listing.rows.len(), 2);
    assert_eq!(listing.rows[&found.hold.node].row.token, Some(again.token));
}

/// Makes a copy of the data, `backup`. A lease from before it and one from after it, and how far they reach.
fn around_a_backup(server: &Postgres, store: &PostgresStore, realm: &Realm) -> ([Hold; 2], u64) {
    let before = acquire(store, realm).unwrap();
    server.stop("fast").unwrap();
    server.tell("cp -R data backup").unwrap();
    server.begin().unwrap();
    let since = acquire(store, realm).unwrap();
    let renewed = renew(store, realm, &before.hold).unwrap();
    ([before.hold, since.hold], since.ceiling.max(renewed.ceiling))
}

/// By its timeline, which ends where recovery does. What was granted after the backup is used up.
fn a_backup_that_was_restored_is_noticed(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-1/1", TERM));
    let (holds, last) = around_a_backup(&server, &store, &realm);
    server.stop("fast").unwrap();
    server.tell("rm -r data && mv backup data && touch data/recovery.signal").unwrap();
    server.tell("echo \"restore_command = 'false'\" >>data/postgresql.conf").unwrap();
    server.begin().unwrap();
    until_it_takes_writes(&database);
    for hold in holds {
        let error = renew(&store, &realm, &hold).unwrap_err();
        assert!(error.is_lost(), "{error}");
    }
    let listing = answer(store.list(realm.name())).unwrap();
    assert!(listing.record.generation.contains("timeline 00000002 database "), "{listing:?}");
    assert!(listing.record.floor >= last, "{listing:?}");
    let rows = "SELECT count(*) FROM tickid.node WHERE ceiling > 0";
    assert_eq!(database.psql(rows), "1", "the backup knows one of them");
}

/// As a snapshot of the disk that is started as it is: by somebody who knows of it.
fn a_backup_that_nothing_tells_from_its_server_is_recovered(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-1/1", TERM));
    let (holds, last) = around_a_backup(&server, &store, &realm);
    server.stop("fast").unwrap();
    server.tell("rm -r data && mv backup data").unwrap();
    server.begin().unwrap();

    // It would go on, and give the node of the other out again.
    let unnoticed = answer(store.list(realm.name())).unwrap();
    assert_eq!((unnoticed.record.era, unnoticed.rows.len()), (0, 1));
    let floor = answer(store.recover(&realm)).unwrap();
    assert!(floor >= last, "{floor} after {last}");
    for hold in holds {
        assert!(renew(&store, &realm, &hold).unwrap_err().is_lost());
    }
    let error = acquire(&store, &realm).unwrap_err();
    assert!(error.refusal().is_some(), "nothing is free before {floor}: {error}");
}

fn until_it_takes_writes(database: &Database<'_>) {
    while database.psql("SELECT pg_is_in_recovery()") == "t" {
        thread::yield_now();
    }
}

/// An error that says so, and neither loss nor silence.
fn a_standby_grants_nothing(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let database = Database::new(&server);
    let (store, realm) = (database.client(), realm("0-3/2", TERM));
    let grant = acquire(&store, &realm).unwrap();
    server.stop("fast").unwrap();
    server.tell("touch data/standby.signal").unwrap();
    server.begin().unwrap();
    for error in [
        acquire(&store, &realm).unwrap_err(),
        renew(&store, &realm, &grant.hold).unwrap_err(),
        answer(store.release(realm.name(), &grant.hold, None)).unwrap_err(),
    ] {
        assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error}");
        assert!(error.to_string().contains("takes no writes"), "{error}");
    }
    // Promoted, it is another store.
    server.tell("pg_ctl promote --wait --pgdata=data").unwrap();
    assert!(renew(&store, &realm, &grant.hold).unwrap_err().is_lost());
}

/// Nobody is bothered with it who did not ask meanwhile.
/// Else a server that is slow to let many in would have each of them begin again and again.
fn a_connection_that_takes_long_is_made_once(server: &Postgres) {
    let (database, proxy) = (Database::new(server), Proxy::new(server));
    let realm = realm("0-3/2", TERM);
    acquire(&database.client(), &realm).unwrap();
    let store = open(&proxy.url(&database.name)).with_timeout(Duration::from_millis(50));
    proxy.hold_back(true);
    for _ in 0..3 {
        assert!(acquire(&store, &realm).unwrap_err().is_unreachable());
    }
    proxy.hold_back(false);
    let store = store.with_timeout(Duration::from_secs(60));
    acquire(&store, &realm).unwrap();
    assert_eq!(proxy.connections(), 1);
}

fn a_lost_connection_is_made_anew(server: &Postgres) {
    let database = Database::new(server);
    let (store, realm) = (database.client(), realm("0-3/2", TERM));
    let grant = acquire(&store, &realm).unwrap();
    let end = "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    for _ in 0..3 {
        assert_eq!(database.psql(end), "1");
        // The client may not have noticed yet.
        let renewed = renew(&store, &realm, &grant.hold);
        if let Err(error) = renewed {
            assert!(error.is_unreachable(), "{error}");
            renew(&store, &realm, &grant.hold).unwrap();
        }
    }
}
