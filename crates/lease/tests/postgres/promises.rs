//! What the store promises besides the rules.

use core::time::Duration;
use std::collections::BTreeMap;
use std::thread;
use std::time::Instant;

use tickid_core::{Scheme, UnixTime};
use tickid_lease::conformance::claims::realm_of;
use tickid_lease::{Hold, Node, PostgresStore, Realm, Store as _, StoreErrorKind, Token};
use tickid_testkit::Dice;
use tickid_testkit::servers::{Postgres, Test};

use crate::database::{Database, acquire, answer, claim, open, realm, renew};
use crate::proxy::Proxy;

pub(crate) const TESTS: [Test<Postgres>; 8] = [
    ("ticks_are_converted_as_the_schemes_do", ticks_are_converted_as_the_schemes_do),
    ("to_acquire_and_to_renew_is_one_round_trip", to_acquire_and_to_renew_is_one_round_trip),
    (
        "two_connections_that_race_get_disjoint_windows",
        two_connections_that_race_get_disjoint_windows,
    ),
    ("many_may_be_the_first", many_may_be_the_first),
    ("an_application_needs_few_rights", an_application_needs_few_rights),
    (
        "answers_are_durable_whatever_the_session_says",
        answers_are_durable_whatever_the_session_says,
    ),
    ("numbers_too_large_are_refused", numbers_too_large_are_refused),
    ("a_fresh_process_has_its_node_soon", a_fresh_process_has_its_node_soon),
];

const TERM: Duration = Duration::from_secs(10);

/// The database's formula is the scale's: at random times, at both ends of ticks and of seconds, before
/// the epoch, and after the end.
fn ticks_are_converted_as_the_schemes_do(server: &Postgres) {
    let database = Database::new(server);
    let store = database.client();
    let seconds = tickid_core::example::Seconds;
    agree(&database, &store, &tickid_scru64::Scru64, "0-1/8");
    agree(&database, &store, &tickid_nanoflake::Nanoflake::default(), "0-1/10");
    let epoch = tickid_nanoflake::Epoch::from_unix_millis(-86_400_123).unwrap();
    agree(&database, &store, &tickid_nanoflake::Nanoflake { epoch }, "0-1/10");
    agree(&database, &store, &tickid_kuid::Kuid::default(), "0-1/32");
    agree(&database, &store, &tickid_sno::Sno, "0-1/16");
    agree(&database, &store, &seconds, "0-1/8");
}

fn agree<S: Scheme>(database: &Database<'_>, store: &PostgresStore, layout: &S, pool: &str) {
    let realm = realm_of(layout, pool);
    acquire(store, &realm).unwrap();
    let (scale, mut dice) = (realm.scale(), Dice::new(5));
    let epoch = scale.epoch().as_micros();
    let mut times = vec![i64::MIN, epoch - 1, epoch, epoch + 1, 0, i64::MAX];
    let end = scale.time_of(realm.end()).as_micros();
    times.extend([end - 1, end, end + 1]);
    for _ in 0..200 {
        let micros = epoch + dice.within(0..1 << 51);
        let begin =
            scale.time_of(scale.tick_at(UnixTime::from_micros(micros)).unwrap()).as_micros();
        let second = micros - micros.rem_euclid(1_000_000);
        times.extend([micros, begin - 1, begin, second - 1, second, second + 976 * 1_024]);
    }
    let list = times.iter().map(|time| format!("({time})")).collect::<Vec<_>>().join(",");
    let ticks = database.psql(&format!(
        "SELECT coalesce(tickid.tick_v1(r, m::bigint)::text, 'none') FROM tickid.realm AS r, \
         (VALUES {list}) AS v (m) WHERE r.name = '{}'",
        realm.name()
    ));
    let expected = times.iter().map(|&micros| {
        let tick = realm.tick_at(UnixTime::from_micros(micros));
        tick.map_or_else(|| "none".to_owned(), |tick| tick.to_string())
    });
    assert!(ticks.lines().map(str::to_owned).eq(expected), "{}", realm.scheme());
}

/// Counted by what a client sends before it waits: also for the first of them, but for connecting.
fn to_acquire_and_to_renew_is_one_round_trip(server: &Postgres) {
    let (database, proxy) = (Database::new(server), Proxy::new(server));
    let realm = realm("0-7/8", TERM);
    let first = acquire(&database.client(), &realm).unwrap();
    let store = open(&proxy.url(&database.name));
    let grant = acquire(&store, &realm).unwrap();
    assert_eq!(proxy.round_trips(), 2, "one of them to connect");
    for _ in 0..3 {
        renew(&store, &realm, &grant.hold).unwrap();
        assert_eq!(proxy.round_trips(), 1);
        acquire(&store, &realm).unwrap();
        assert_eq!(proxy.round_trips(), 1);
    }
    // One that was used before.
    answer(store.release(realm.name(), &first.hold, Some(first.hold.floor))).unwrap();
    proxy.round_trips();
    assert_eq!(acquire(&store, &realm).unwrap().hold.node, first.hold.node);
    assert_eq!(proxy.round_trips(), 1);
}

/// 200 windows of three nodes; some are given back, of some the time is over.
fn two_connections_that_race_get_disjoint_windows(server: &Postgres) {
    let database = Database::new(server);
    let realm = realm("0/1,4-5/3", Duration::from_millis(5));
    let race = |seed| {
        let (store, mut dice, realm) = (database.client(), Dice::new(seed), &realm);
        move || {
            let mut windows = Vec::new();
            while windows.len() < 100 {
                // Where there is none, somebody has it.
                let Ok(grant) = acquire(&store, realm) else { continue };
                let Hold { node, floor, .. } = grant.hold;
                let used = floor.max(grant.ceiling - dice.within(1..9).unsigned_abs());
                if dice.within(0..4) == 0 {
                    windows.push((node, floor, grant.ceiling));
                } else if answer(store.release(realm.name(), &grant.hold, Some(used))).is_ok() {
                    windows.push((node, floor, used + 1));
                } else {
                    // Its time was over, and somebody else has the node.
                    windows.push((node, floor, grant.ceiling));
                }
            }
            windows
        }
    };
    let windows: Vec<(Node, u64, u64)> = thread::scope(|scope| {
        let races = [1, 2].map(|seed| scope.spawn(race(seed)));
        races.into_iter().flat_map(|race| race.join().unwrap()).collect()
    });
    assert_eq!(windows.len(), 200);
    assert_disjoint(windows);
}

pub(crate) fn assert_disjoint(windows: Vec<(Node, u64, u64)>) {
    let mut of_node = BTreeMap::<Node, Vec<(u64, u64)>>::new();
    for (node, floor, ceiling) in windows {
        of_node.entry(node).or_default().push((floor, ceiling));
    }
    for (node, mut windows) in of_node {
        windows.sort_unstable();
        for pair in windows.windows(2) {
            assert!(pair[0].1 <= pair[1].0, "of node {node}: {pair:?}");
        }
    }
}

/// Nobody has to create the schema first, nor the realm.
fn many_may_be_the_first(server: &Postgres) {
    let database = Database::empty(server);
    let realm = realm("0-15/4", TERM);
    let mut nodes = thread::scope(|scope| {
        let first = [(); 8].map(|()| scope.spawn(|| acquire(&database.client(), &realm)));
        first.map(|first| first.join().unwrap().unwrap().hold.node.value())
    });
    nodes.sort_unstable();
    assert!(nodes.windows(2).all(|pair| pair[0] < pair[1]), "{nodes:?}");
}

/// Those that the documentation names, once the schema is there; without them it says what is missing.
fn an_application_needs_few_rights(server: &Postgres) {
    let database = Database::empty(server);
    let user = format!("user_of_{}", database.name);
    database.psql(&format!("CREATE ROLE {user} LOGIN"));
    let url = database.url().replace(&format!("user={}", Postgres::USER), &format!("user={user}"));
    let (store, realm) = (open(&url), realm("0-1/1", TERM));
    let error = acquire(&store, &realm).unwrap_err();
    assert!(error.to_string().contains("create its schema: permission denied"), "{error}");
    answer(database.client().init()).unwrap();
    database.psql(&format!(
        "GRANT USAGE ON SCHEMA tickid TO {user};
         GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA tickid TO {user}"
    ));
    let grant = acquire(&store, &realm).unwrap();
    renew(&store, &realm, &grant.hold).unwrap();
    answer(store.release(realm.name(), &grant.hold, None)).unwrap();
    answer(store.reshape(&realm)).unwrap();
    answer(store.recover(&realm)).unwrap();
}

/// The test server's settings say off.
fn answers_are_durable_whatever_the_session_says(server: &Postgres) {
    let database = Database::new(server);
    let settings = "SHOW synchronous_commit; SELECT 'then ' || count(*) FROM \
                    (SELECT tickid.settings_v1()) AS s; SHOW synchronous_commit";
    assert_eq!(database.psql(settings), "off\nthen 1\non");
    // Every function that clients call to write does so.
    let calls = "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = \
                 'tickid'::regnamespace AND prosrc LIKE '%PERFORM tickid.settings_v1();%'";
    assert_eq!(database.psql(calls), "acquire_v1 commit_v1 renew_v1");
}

/// Rather than rounded.
fn numbers_too_large_are_refused(server: &Postgres) {
    let database = Database::new(server);
    let mut terms = realm("0-1/1", TERM).terms();
    terms.allowance = u64::MAX;
    let endless: Realm = realm("0-1/1", TERM).with_terms(terms).unwrap();
    let error = acquire(&database.client(), &endless).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Failed { .. }), "{error}");
    assert!(error.to_string().contains("18446744073709551615 ticks of allowance"), "{error}");
    // Floors and nodes of leases come from outside, too.
    let node = Node::new(63, u64::MAX >> 1).unwrap();
    let hold = Hold { node, token: Token::random().unwrap(), floor: u64::MAX };
    let few = realm("0-1/1", TERM);
    acquire(&database.client(), &few).unwrap();
    assert!(renew(&database.client(), &few, &hold).unwrap_err().is_lost());
}

/// How soon is told, and not judged: it is the machine's business.
#[allow(clippy::print_stderr, reason = "it is what this is for")]
fn a_fresh_process_has_its_node_soon(server: &Postgres) {
    let database = Database::new(server);
    let realm = realm("0-65535/16", TERM);
    acquire(&database.client(), &realm).unwrap();
    let mut times: Vec<Duration> = (0..9)
        .map(|_| {
            let begin = Instant::now();
            let store = open(&database.url());
            answer(store.acquire(&realm, &claim())).unwrap();
            begin.elapsed()
        })
        .collect();
    times.sort_unstable();
    eprintln!("a node after {:?} (of 9: {:?} to {:?})", times[4], times[0], times[8]);
}
