//! No node is used by functions and leased at once, whatever happens to the row that reserves it,
//! and functions can move to another one.

use tickid_lease::admin::{Refusal, Start};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{RealmSpec, Store};
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, DISCORD, Kind, START, TIMEOUT, spec};

pub(crate) const TESTS: [Test<Postgres>; 10] = [
    ("a_lost_reservation_grants_nothing", a_lost_reservation_grants_nothing),
    ("no_snapshot_hides_a_lost_reservation", no_snapshot_hides_a_lost_reservation),
    ("uncommitted_losses_stop_no_draw", uncommitted_losses_stop_no_draw),
    ("a_missing_check_is_found", a_missing_check_is_found),
    ("a_lost_reservation_keeps_its_pool_out", a_lost_reservation_keeps_its_pool_out),
    ("functions_reserve_their_node_again", functions_reserve_their_node_again),
    ("functions_follow_moved_tables", functions_follow_moved_tables),
    ("another_node_starts_at_the_clock", another_node_starts_at_the_clock),
    ("a_move_needs_functions", a_move_needs_functions),
    ("functions_take_a_whole_node", functions_take_a_whole_node),
];

const KIND: Kind = Kind::Nanoflake;
/// The bound of ticks of a millisecond is at most a second ahead.
const BEYOND_BOUND: i64 = 1_001_000;

/// The ways to lose the row that reserves the functions' node.
const LOSSES: [&str; 3] = ["deleted", "unreadable", "older dump"];

/// Installs functions of a pool of two nodes, of which one is reserved, and returns a dump of the
/// two tables from before that.
fn installed<'a>(server: &'a Postgres, spec: &RealmSpec) -> (Base<'a>, String) {
    let base = Base::empty(server);
    let store = Store::new(base.backend());
    block_on(store.create(spec, Start::Immediately), TIMEOUT).unwrap();
    let dump = format!("{}.sql", base.name);
    server
        .tell(&format!(
            "pg_dump --data-only --table=tickid.realm --table=tickid.node --dbname='{}' >{dump}",
            base.url()
        ))
        .unwrap();
    base.create(spec);
    base.script_clock();
    (base, dump)
}

fn lose(base: &Base<'_>, how: &str, dump: &str) {
    match how {
        "deleted" => drop(base.psql("DELETE FROM tickid.node")),
        "unreadable" => drop(base.psql("UPDATE tickid.node SET data = '{\"record_version\": 1}'")),
        _ => {
            base.psql("DELETE FROM tickid.node; DELETE FROM tickid.realm");
            let url = base.url();
            base.server
                .tell(&format!("psql --no-psqlrc --set=ON_ERROR_STOP=1 --dbname='{url}' <{dump}"))
                .unwrap();
        }
    }
}

/// Does what the pages say after such a loss.
fn mend(store: &Store, spec: &RealmSpec, how: &str) {
    match how {
        "deleted" => {}
        "unreadable" => {
            let repaired = block_on(store.repair_all(spec.name()), TIMEOUT).unwrap();
            assert!(
                matches!(&repaired[..], [] | [(_, Err(Refusal::Reserved { .. }) | Ok(_))]),
                "{repaired:?}"
            );
        }
        _ => drop(block_on(store.invalidate(spec), TIMEOUT).unwrap()),
    }
}

/// Leases all nodes that the store grants.
fn claim_all(store: &Store, spec: &RealmSpec) -> Vec<u64> {
    let mut granted = Vec::new();
    loop {
        let mut claim = Claim::new(Token::random().unwrap(), "test", None);
        match block_on(store.acquire(spec, &mut claim), TIMEOUT) {
            Ok(lease) => granted.push(lease.node.value()),
            Err(error) => {
                assert!(matches!(error.refusal(), Some(Refusal::NoFreeNode { .. })), "{error}");
                granted.sort_unstable();
                return granted;
            }
        }
    }
}

/// Loses the reservation while the functions draw. Neither may they draw beyond the bound, nor may
/// the node be granted; then they continue.
fn lost(base: &Base<'_>, spec: &RealmSpec, how: &str, dump: &str) -> Result<(), String> {
    let (store, session) = (Store::new(base.backend()), base.session());
    let last = session.draw(KIND)?;
    assert_eq!(last.node, 1, "the functions reserve the last node");
    lose(base, how, dump);
    session.set_clock(START + BEYOND_BOUND);
    match session.draw(KIND) {
        Err(error) if error.contains("no node is reserved") => {}
        other => return Err(format!("{how}: draws go on: {other:?}")),
    }
    mend(&store, spec, how);
    // An hour later, when a node that was repaired or invalidated is free.
    base.psql(
        "CREATE OR REPLACE FUNCTION tickid.now_micros_v1() RETURNS bigint LANGUAGE sql AS
         'SELECT tickid.micros_v1(clock_timestamp()) + 3600000000'",
    );
    if claim_all(&store, spec).contains(&last.node) {
        return Err(format!("{how}: the functions' node is granted"));
    }
    let view = block_on(store.list(spec.name()), TIMEOUT).unwrap();
    let rows: Vec<_> = view.rows.values().filter_map(|state| state.row()).collect();
    if !rows.iter().any(|row| row.node.value() == last.node && row.is_reserved()) {
        return Err(format!("{how}: the row is not back: {rows:?}"));
    }
    let next = session.draw(KIND)?;
    assert!(last < next && next.node == last.node, "{next:?} after {last:?}");
    Ok(())
}

fn a_lost_reservation_grants_nothing(server: &Postgres) {
    let spec = KIND.realm("0-1/10");
    for how in LOSSES {
        let (base, dump) = installed(server, &spec);
        lost(&base, &spec, how, &dump).unwrap();
    }
}

const LEVELS: [&str; 3] = ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"];

/// A transaction that began before the loss neither draws on nor raises the bound for the others.
fn no_snapshot_hides_a_lost_reservation(server: &Postgres) {
    let spec = KIND.realm("0-1/10");
    for (level, how) in LEVELS.into_iter().flat_map(|level| LOSSES.map(|how| (level, how))) {
        let (base, dump) = installed(server, &spec);
        let (old, other) = (base.session(), base.session());
        old.ask(&format!("BEGIN ISOLATION LEVEL {level}; TABLE tickid.node")).unwrap();
        old.draw(KIND).unwrap();
        lose(&base, how, &dump);
        if how == "older dump" {
            // The functions' row is not in it, but a lease may have the node.
            base.psql(
                "INSERT INTO tickid.node VALUES
                 ('nanoflake', '00200000000000000a', 7, 0, '{\"record_version\": 1}')",
            );
        }
        other.set_clock(START + BEYOND_BOUND);
        let error = old.draw(KIND).unwrap_err();
        let expected = match level {
            "READ COMMITTED" => "no node is reserved",
            _ => "could not serialize access",
        };
        assert!(error.contains(expected), "{level}, {how}: {error}");
        let error = other.draw(KIND).unwrap_err();
        assert!(error.contains("no node is reserved"), "{level}, {how}: {error}");
        old.ask("ROLLBACK").unwrap();
        base.create(&spec);
        base.script_clock();
        other.set_clock(START + 2 * BEYOND_BOUND);
        old.ask(&format!("BEGIN ISOLATION LEVEL {level}")).unwrap();
        old.draw(KIND).unwrap();
    }
}

/// What is deleted and not committed is still there, and a call neither waits for the end nor takes
/// it for its own lock. Nor does it keep a lock of the row.
fn uncommitted_losses_stop_no_draw(server: &Postgres) {
    let spec = KIND.realm("0-1/10");
    for (level, loss) in LEVELS.into_iter().flat_map(|level| {
        ["DELETE FROM tickid.node", "TRUNCATE tickid.node"].map(|loss| (level, loss))
    }) {
        let (base, _) = installed(server, &spec);
        base.give_up_soon();
        let (old, other, losing) = (base.session(), base.session(), base.session());
        for (second, end) in [(1, "ROLLBACK"), (2, "COMMIT")] {
            old.ask(&format!("BEGIN ISOLATION LEVEL {level}; TABLE tickid.realm")).unwrap();
            old.draw(KIND).unwrap();
            losing.ask(&format!("SET lock_timeout = 1000; BEGIN; {loss}")).unwrap();
            other.set_clock(START + 2 * second * BEYOND_BOUND);
            old.draw(KIND).unwrap();
            other.draw(KIND).unwrap();
            losing.ask(end).unwrap();
            old.ask("COMMIT").unwrap();
        }
        other.set_clock(START + 5 * BEYOND_BOUND);
        for session in [&old, &other] {
            let error = session.draw(KIND).unwrap_err();
            assert!(error.contains("no node is reserved"), "{level}, {loss}: {error}");
        }
    }
}

/// Each of the two safeguards is found if it is missing.
fn a_missing_check_is_found(server: &Postgres) {
    let spec = KIND.realm("0-1/10");
    for how in LOSSES {
        let (base, dump) = installed(server, &spec);
        let check = "PERFORM tickid.check_reserved_v1('nanoflake', '00200000000000000a');";
        base.plant("advance_1", check, "");
        let error = lost(&base, &spec, how, &dump).unwrap_err();
        assert!(error.contains("draws go on"), "{error}");
    }
    for how in LOSSES {
        let (base, dump) = installed(server, &spec);
        base.plant("commit_v2", "tickid.restore_reserved_v1(realm_name)", "false");
        let error = lost(&base, &spec, how, &dump).unwrap_err();
        assert!(error.contains("node is granted"), "{error}");
    }
}

/// Nodes of another size share IDs with a reserved one, also if its row was lost.
fn a_lost_reservation_keeps_its_pool_out(server: &Postgres) {
    let (base, kind) = (Base::empty(server), Kind::Scru64);
    let spec = kind.realm("0-7/5");
    base.create(&spec);
    base.psql("DELETE FROM tickid.node");
    let store = Store::new(base.backend());
    let error = block_on(store.reconfigure(&kind.realm("0-3/4")), TIMEOUT).unwrap_err();
    match error.refusal() {
        Some(Refusal::Overlap { node, .. }) => assert_eq!(node.to_string(), "7/5"),
        _ => panic!("{error}"),
    }
}

/// If no lease brings the row back, the statements do.
fn functions_reserve_their_node_again(server: &Postgres) {
    let spec = KIND.realm("0-1/10");
    let (base, dump) = installed(server, &spec);
    let session = base.session();
    session.draw(KIND).unwrap();
    lose(&base, "deleted", &dump);
    session.set_clock(START + BEYOND_BOUND);
    assert!(session.draw(KIND).unwrap_err().contains("no node is reserved"));
    base.create(&spec);
    assert_eq!(
        base.psql("SELECT count(*) FROM tickid.node WHERE data @> '{\"reserved\": true}'"),
        "1"
    );
    // The clock is the server's again, and behind.
    assert!(session.draw(KIND).unwrap_err().contains("behind the next ID"));
}

/// The three tables move to a database that has no functions yet.
fn functions_follow_moved_tables(server: &Postgres) {
    let spec = KIND.realm("0-2/10");
    let (old, _) = installed(server, &spec);
    let base = Base::empty(server);
    let store = Store::new(base.backend());
    block_on(store.realms(), TIMEOUT).unwrap();
    let (from, to) = (old.url(), base.url());
    server
        .tell(&format!(
            "pg_dump --data-only --table=tickid.realm --table=tickid.node \
             --table=tickid.generator --dbname='{from}' | \
             psql --no-psqlrc --set=ON_ERROR_STOP=1 --dbname='{to}'"
        ))
        .unwrap();
    block_on(store.invalidate(&spec), TIMEOUT).unwrap();
    let script = Script::new(&spec, Start::Delayed);
    block_on(script.install(&base.backend()), TIMEOUT).unwrap();
    base.script_clock();
    // The other database may still use its node.
    assert_eq!(base.session().draw(KIND).unwrap().node, 1);
    assert_eq!(old.session().draw(KIND).unwrap().node, 2);
}

/// They use all sequences of a node, so they leave shares to leases, and refuse a pool of these.
fn functions_take_a_whole_node(server: &Postgres) {
    for (kind, mixed, shares, node, granted) in [
        (Kind::Nanoflake, "0-1/13,5/10,8190-8191/13", "0-7/13", 5, &[0, 1, 8_190, 8_191][..]),
        (Kind::Kuid, "15/33,3/32", "14-15/33", 3, &[15]),
        (Kind::Sno, "1/16,8-9/18", "8-9/18", 1, &[8, 9]),
        (Kind::Discord, "7/10,16-17/11", "16-17/11", 7, &[16, 17]),
        (Kind::Sonyflake, "7/16,16-17/17", "16-17/17", 7, &[16, 17]),
    ] {
        let base = Base::empty(server);
        let refused = base.try_create(&kind.realm(shares)).unwrap_err();
        let said = format!("the realm {} has no whole node, of ", kind.name());
        assert!(format!("{refused:?}").contains(&said), "{refused:?}");
        let spec = kind.realm(mixed);
        base.create(&spec);
        let drawn = base.session().draws(kind, 10).unwrap();
        assert!(drawn.iter().all(|id| id.node == node), "{kind:?}: {drawn:?}");
        assert_eq!(claim_all(&Store::new(base.backend()), &spec), granted, "{kind:?}");
    }
}

/// After a moment of a clock that was a year ahead.
fn another_node_starts_at_the_clock(server: &Postgres) {
    let spec = KIND.realm("0-2/10");
    let (base, _) = installed(server, &spec);
    let session = base.session();
    session.set_clock(START + 365 * 86_400_000_000);
    let ahead = session.draw(KIND).unwrap();
    session.set_clock(START);
    let error = session.draw(KIND).unwrap_err();
    assert!(error.contains("the clock is 3153"), "{error}");
    let clock = base.psql("SELECT pg_get_functiondef('tickid.clock_v1'::regproc)");
    let move_functions = Script::new(&spec, Start::Delayed).another_node().statements().unwrap();
    base.psql(&move_functions);
    base.psql(&clock);
    // Also in the session that has drawn from the other one.
    let next = session.draw(KIND).unwrap();
    assert_eq!((next.tick, ahead.node, next.node), (KIND.tick_at(START), 2, 1));
    // Both stay reserved, also after their rows were lost.
    base.psql("DELETE FROM tickid.node");
    assert_eq!(claim_all(&Store::new(base.backend()), &spec), [0]);
    session.set_clock(START + BEYOND_BOUND);
    assert_eq!(session.draw(KIND).unwrap().node, next.node);
    let error = base.server.psql(&base.name, &move_functions);
    assert!(error.unwrap_err().to_string().contains("has no free node"));
}

/// The name of the realm may be mistyped, which creates nothing.
fn a_move_needs_functions(server: &Postgres) {
    let base = Base::new(server, &[KIND]);
    let store = Store::new(base.backend());
    let leased = Kind::Scru64.realm("0-255/8");
    block_on(store.create(&leased, Start::Immediately), TIMEOUT).unwrap();
    let kept = "TABLE tickid.realm; TABLE tickid.generator; TABLE tickid.node";
    let before = base.psql(kept);
    for realm in [spec("nanoflak", DISCORD, "0-777/10"), leased] {
        let script = Script::new(&realm, Start::Delayed).another_node();
        let error = block_on(script.install(&base.backend()), TIMEOUT).unwrap_err();
        let said = format!("the realm {} has no functions in this database", realm.name());
        assert!(format!("{error:?}").contains(&said), "{error:?}");
        assert_eq!(base.psql(kept), before);
    }
}
