//! Sessions at the same time, stopped, cancelled, and of leased generators.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;
use std::collections::BTreeSet;
use std::thread;
use std::time::Instant;

use tickid_lease::admin::{Refusal, Standing};
use tickid_lease::session::{Claim, Token, block_on};
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{
    Base, DISCORD, KINDS, Kind, Parts, START, Session, TIMED_OUT, TIMEOUT, distinct,
};

pub(crate) const TESTS: [Test<Postgres>; 14] = [
    ("sessions_draw_distinct_ordered_ids", sessions_draw_distinct_ordered_ids),
    ("pgbench_draws_distinct_ids", pgbench_draws_distinct_ids),
    ("stopped_processes_do_no_harm", stopped_processes_do_no_harm),
    ("storms_of_cancels_do_no_harm", storms_of_cancels_do_no_harm),
    ("ticks_ahead_are_shared_by_sessions", ticks_ahead_are_shared_by_sessions),
    ("full_ticks_are_shared_by_sessions", full_ticks_are_shared_by_sessions),
    ("stopped_sessions_do_no_harm", stopped_sessions_do_no_harm),
    ("cancelled_statements_do_no_harm", cancelled_statements_do_no_harm),
    ("a_missing_lock_is_found", a_missing_lock_is_found),
    ("a_stall_draws_once_into_the_guard", a_stall_draws_once_into_the_guard),
    ("a_missing_look_is_found", a_missing_look_is_found),
    ("long_transactions_hold_no_lock", long_transactions_hold_no_lock),
    ("leases_leave_the_node_out", leases_leave_the_node_out),
    ("pools_leave_the_node_out", pools_leave_the_node_out),
];

/// Draws in several sessions concurrently, singly and in blocks. Returns the IDs of each.
fn storm(base: &Base<'_>, kind: Kind, sessions: u32, rounds: u32) -> Vec<Vec<Parts>> {
    thread::scope(|scope| {
        let draw = |number: u32| {
            let session = base.session();
            let mut ids = Vec::new();
            for round in 0..rounds {
                if (round + number).is_multiple_of(3) {
                    ids.extend(session.draws(kind, 50).unwrap());
                } else {
                    ids.push(session.draw(kind).unwrap());
                }
            }
            ids
        };
        let threads: Vec<_> =
            (0..sessions).map(|number| scope.spawn(move || draw(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn sessions_draw_distinct_ordered_ids(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    for kind in KINDS {
        // Each round has 17 IDs on the average.
        let of_sessions = storm(&base, kind, 8, 120);
        for ids in &of_sessions {
            assert!(ids.is_sorted_by(|one, two| one < two), "{kind:?}");
        }
        assert!(of_sessions.iter().flatten().all(|id| id.node == kind.pool().1));
        assert!(distinct(of_sessions.concat()).unwrap().len() > 10_000);
    }
}

/// While the clock is behind, sessions draw one at a time, and none of them fails.
fn ticks_ahead_are_shared_by_sessions(server: &Postgres) {
    for kind in [Kind::Scru64, Kind::KuidLocal] {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        let first = base.session().draw(kind).unwrap();
        base.set_clock(START - 500_000);
        let of_sessions = storm(&base, kind, 16, 30);
        for ids in &of_sessions {
            assert!(ids.is_sorted_by(|one, two| one < two), "{kind:?}");
        }
        let ids = distinct(of_sessions.concat()).unwrap();
        assert!(ids.len() > 5_000 && ids.iter().all(|id| first < *id), "{}", ids.len());
    }
}

/// Returns the number of IDs that `cargo xtask verify functions` wants.
pub(crate) fn many_ids() -> Option<u32> {
    std::env::var("TICKID_SQL_IDS").ok().map(|ids| ids.parse().unwrap())
}

/// 64 connections insert rows by the default of a column, by 1 to 33 in a statement.
fn pgbench_draws_distinct_ids(server: &Postgres) {
    let ids = many_ids().unwrap_or(20_000);
    // A transaction has 17 rows on the average: one in a hundred more.
    let transactions = ids.div_ceil(64 * 17) * 101 / 100 + 4;
    let base = Base::new(server, &KINDS);
    let name = &base.name;
    for kind in KINDS {
        let id_type = if matches!(kind, Kind::Kuid | Kind::Sno) { "bytea" } else { "bigint" };
        base.psql(&format!(
            "DROP TABLE IF EXISTS drawn;
             CREATE UNLOGGED TABLE drawn (id {id_type} DEFAULT {}, session int, number bigint)",
            kind.draw()
        ));
        let script = server.socket_folder().join("script");
        let statements = "\\set rows random(1, 33)\n\
             INSERT INTO drawn (session, number) SELECT :client_id, :number + n \
             FROM generate_series(1, :rows) AS n;\n\
             \\set number :number + :rows\n";
        std::fs::write(script, statements).unwrap();
        server
            .tell(&format!(
                "pgbench --host=\"$PWD\" --username=tickid --no-vacuum --client=64 --jobs=2 \
                 --random-seed=1 --transactions={transactions} --define=number=0 --file=script \
                 {name} >pgbench.log 2>&1 || {{ cat pgbench.log; false; }}"
            ))
            .unwrap();
        let order = "PARTITION BY session ORDER BY number";
        let counts = base.psql(&format!(
            "SET work_mem = '256MB';
             SELECT count(*) >= {ids}, count(DISTINCT session), count(*) - count(DISTINCT id),
                 (SELECT count(*) FROM (SELECT id <= lag(id) OVER ({order}) AS is_wrong FROM drawn)
                     AS pair WHERE is_wrong)
             FROM drawn"
        ));
        // Enough IDs of all sessions, none twice, all in order.
        assert_eq!(counts, "t|64|0|0", "{kind:?}");
    }
    base.psql("DROP TABLE drawn");
}

/// Draws in several sessions. In each round `disturb` gets one's process ID, and waits until the
/// others have tried often enough.
fn disturbed(
    server: &Postgres,
    kind: Kind,
    rounds: usize,
    disturb: impl Fn(&Session, &str, &dyn Fn()),
) {
    let base = Base::new(server, &[kind]);
    let sessions = [(); 4].map(|()| base.session());
    let processes = sessions.each_ref().map(|session| session.one("pg_backend_pid()").unwrap());
    let (is_over, tries) = (&AtomicBool::new(false), &AtomicU32::new(0));
    let ids = thread::scope(|scope| {
        let draw = |session: Session| {
            let mut ids = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                match session.draw_within(kind, 100) {
                    Ok(id) => ids.push(id),
                    Err(error) => {
                        assert!(TIMED_OUT.iter().any(|text| error.contains(text)), "{error}");
                    }
                }
                tries.fetch_add(1, Ordering::Relaxed);
            }
            ids
        };
        let threads = sessions.map(|session| scope.spawn(move || draw(session)));
        let watch = base.session();
        for round in 0..rounds {
            let wait = || {
                let (before, begin) = (tries.load(Ordering::Relaxed), Instant::now());
                // A stopped process can hold a lock of the server that no timeout applies to.
                while tries.load(Ordering::Relaxed) < before + 20
                    && begin.elapsed() < Duration::from_millis(300)
                {
                    thread::yield_now();
                }
            };
            disturb(&watch, &processes[round % processes.len()], &wait);
        }
        is_over.store(true, Ordering::Relaxed);
        threads.map(|thread| thread.join().unwrap())
    });
    assert!(ids.iter().all(|ids| ids.is_sorted_by(|one, two| one < two)));
    assert!(distinct(ids.concat()).unwrap().len() > rounds);
    // No lock is left behind.
    base.session().draw(kind).unwrap();
}

/// As by SIGSTOP, a debugger or a host that takes the processor away, anywhere.
fn stopped_processes_do_no_harm(server: &Postgres) {
    disturbed(server, Kind::Nanoflake, 40, |_, process, wait| {
        server.tell(&format!("kill -STOP {process}")).unwrap();
        wait();
        server.tell(&format!("kill -CONT {process}")).unwrap();
    });
}

fn storms_of_cancels_do_no_harm(server: &Postgres) {
    disturbed(server, Kind::KuidLocal, 100, |watch, process, wait| {
        watch.one(&format!("pg_cancel_backend({process})")).unwrap();
        wait();
    });
}

/// The clock runs so slowly that every tick is used up, and allowances are as well.
fn full_ticks_are_shared_by_sessions(server: &Postgres) {
    let kind = Kind::KuidLocal;
    let base = Base::new(server, &[kind]);
    base.script_clock();
    // The last sequences of each tick only.
    base.plant("advance_1", "(target << 19) + 0", "(target << 19) + 16300");
    let ids = distinct(storm(&base, kind, 8, 60).concat()).unwrap();
    let ticks = ids.last().unwrap().tick - ids[0].tick;
    assert!(ticks > 50 && ids.iter().all(|id| id.sequence >= 16_300), "{ticks}");
}

/// Has functions wait for an advisory lock before each of their statements, and between a look and
/// its draw or its set, in sessions that set `test.stop` to its number. Returns the number of
/// places.
fn plant_stops(base: &Base<'_>) -> usize {
    base.psql(
        "CREATE FUNCTION public.stop(place text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
         IF pg_catalog.current_setting('test.stop', true) OPERATOR(pg_catalog.=) place THEN
         PERFORM pg_catalog.pg_advisory_xact_lock(7); END IF; RETURN true; END $$",
    );
    let draw = "pg_catalog.nextval('tickid.word_1')";
    base.plant("draw_1", draw, &format!("CASE WHEN public.stop('0') THEN {draw} END"));
    let set = "THEN setval('tickid.word_1'";
    base.plant("advance_1", set, &format!("AND public.stop('1') {set}"));
    let mut count = 2;
    for function in ["draw_1", "advance_1"] {
        let definition =
            base.psql(&format!("SELECT pg_get_functiondef('tickid.{function}'::regproc)"));
        let (head, body) = definition.split_once("\nBEGIN\n").unwrap();
        let mut text = format!("{head}\nBEGIN\n");
        let mut is_start = true;
        for line in body.lines() {
            let word = line.trim_start();
            let is_statement = word.split_once(" := ").is_some_and(|(name, _)| !name.contains(' '))
                || ["PERFORM ", "RETURN ", "LOCK ", "IF ", "EXIT ", "EXECUTE ", "RAISE "]
                    .iter()
                    .any(|start| word.starts_with(start));
            if is_start && is_statement {
                text.push_str(&format!("PERFORM public.stop('{count}');\n"));
                count += 1;
            }
            text.push_str(line);
            text.push('\n');
            is_start = word.ends_with(';')
                || word.starts_with("--")
                || ["LOOP", "BEGIN", "THEN", "ELSE"].iter().any(|end| word.ends_with(end));
        }
        base.psql(&format!("SET search_path = pg_catalog; {text}"));
    }
    count
}

/// Waits until a session waits for the planted lock or `thread` has ended.
fn is_stopped(
    watch: &Session,
    thread: &thread::ScopedJoinHandle<'_, Result<Parts, String>>,
) -> bool {
    let waits = "count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = \
                 (SELECT oid FROM pg_database WHERE datname = current_database())";
    loop {
        if watch.one(waits).unwrap() != "0" {
            return true;
        }
        if thread.is_finished() {
            return false;
        }
        thread::yield_now();
    }
}

/// Stops a session before each statement, while another one draws and the clock moves. Then it
/// continues, or is cancelled.
fn stop_everywhere(base: &Base<'_>, kind: Kind, is_cancelled: bool) -> Result<usize, String> {
    base.script_clock();
    let stops = plant_stops(base);
    let (mut stopped, mut ids, mut micros) = (0, Vec::new(), START);
    let [keeper, other, watch, stopping] = [(); 4].map(|()| base.session());
    other.draw(kind)?;
    for stop in 0..stops {
        // In a used tick, in a new tick, and when the bound must be raised.
        for pass in [0, kind.micros_per_tick(), 1_000_000] {
            micros += pass;
            keeper.set_clock(micros);
            keeper.one("pg_advisory_lock(7)")?;
            let own = thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    stopping.ask(&format!("SET test.stop = '{stop}'"))?;
                    stopping.draw(kind)
                });
                if is_stopped(&watch, &thread) {
                    stopped += 1;
                    // While it holds the lock, no other session can enter a tick.
                    for _ in 0..3 {
                        ids.extend(other.draw_within(kind, 20).ok());
                        micros += kind.micros_per_tick();
                        keeper.set_clock(micros);
                    }
                    if is_cancelled {
                        watch.one(
                            "bool_or(pg_cancel_backend(pid)) FROM pg_locks
                             WHERE locktype = 'advisory' AND NOT granted",
                        )?;
                    }
                }
                keeper.one("pg_advisory_unlock(7)")?;
                let own = thread.join().unwrap();
                match &own {
                    Err(error) if !error.contains("user request") => Err(error.clone()),
                    _ => Ok(own.ok()),
                }
            })?;
            ids.extend(own);
            ids.push(other.draw(kind)?);
        }
        distinct(ids.clone())?;
    }
    Ok(stopped)
}

fn stopped_sessions_do_no_harm(server: &Postgres) {
    // One scheme, or all of them if there is time.
    let kinds = if many_ids().is_some() { &KINDS[..] } else { &KINDS[..1] };
    for &kind in kinds {
        let base = Base::new(server, &[kind]);
        let stopped = stop_everywhere(&base, kind, false).unwrap();
        assert!(stopped > 40, "{stopped}");
    }
}

fn cancelled_statements_do_no_harm(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    let stopped = stop_everywhere(&base, Kind::Nanoflake, true).unwrap();
    assert!(stopped > 40, "{stopped}");
}

fn a_missing_lock_is_found(server: &Postgres) {
    let lock = "LOCK TABLE tickid.lock_1 IN SHARE UPDATE EXCLUSIVE MODE NOWAIT";
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.plant("advance_1", lock, "PERFORM 1");
    let error = stop_everywhere(&base, Kind::Nanoflake, false).unwrap_err();
    assert!(error.contains("twice"), "{error}");
}

/// Returns the number of draws beyond a full tick in one call that ends with a timeout.
fn draws_into_the_guard(base: &Base<'_>) -> i64 {
    let kind = Kind::Nanoflake;
    base.script_clock();
    base.give_up_soon();
    let session = base.session();
    session.draws(kind, 4_096).unwrap();
    let word = || -> i64 { session.one("last_value FROM tickid.word_1").unwrap().parse().unwrap() };
    let before = word();
    assert!(session.draw(kind).unwrap_err().contains("behind the next ID"));
    word() - before
}

fn a_stall_draws_once_into_the_guard(server: &Postgres) {
    assert!(draws_into_the_guard(&Base::new(server, &[Kind::Nanoflake])) <= 1);
}

fn a_missing_look_is_found(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.plant("draw_1", "OPERATOR(pg_catalog.<) 4095", "OPERATOR(pg_catalog.>=) 0");
    assert!(draws_into_the_guard(&base) > 5);
}

fn long_transactions_hold_no_lock(server: &Postgres) {
    let kind = Kind::Nanoflake;
    let base = Base::new(server, &[kind]);
    base.script_clock();
    let (one, other) = (base.session(), base.session());
    one.ask("BEGIN").unwrap();
    let first = one.draw(kind).unwrap();
    one.set_clock(START + 1_000);
    let second = other.draw(kind).unwrap();
    one.ask("ROLLBACK").unwrap();
    // An ID that was rolled back is not issued again.
    let third = one.draw(kind).unwrap();
    assert!(first < second && second < third);
    one.ask("BEGIN READ ONLY").unwrap();
    assert!(one.draw(kind).unwrap_err().contains("read-only"));
}

fn leases_leave_the_node_out(server: &Postgres) {
    let kind = Kind::Nanoflake;
    let base = Base::empty(server);
    let spec = kind.realm("0-3/10");
    let store = Store::new(base.backend());
    let answer = |claim: &mut Claim| block_on(store.acquire(&spec, claim), TIMEOUT);
    let claim = || Claim::new(Token::random().unwrap(), "test", None);
    // Functions come into a realm with leases.
    block_on(store.create(&spec, tickid_lease::admin::Start::Immediately), TIMEOUT).unwrap();
    let held = [(); 2].map(|()| answer(&mut claim()).unwrap().node);
    base.create(&spec);
    let view = block_on(store.list(spec.name()), TIMEOUT).unwrap();
    let reserved: Vec<_> = view
        .standings()
        .unwrap()
        .into_iter()
        .filter(|(.., standing)| *standing == Standing::Reserved)
        .map(|(node, ..)| node)
        .collect();
    assert_eq!(reserved.len(), 1);
    let node = reserved[0];
    assert!(!held.contains(&node));

    let realm =
        Realm::builder(spec.name().clone(), DISCORD).pool(spec.pool().clone()).build().unwrap();
    let generator = LeasedGenerator::start(store.clone(), realm).unwrap();
    let session = base.session();
    let mut ids = Vec::new();
    for _ in 0..200 {
        let id = generator.generate().unwrap();
        ids.push(kind.parts(&id.get().to_string()));
        ids.push(session.draw(kind).unwrap());
        ids.extend(session.draws(kind, 20).unwrap());
    }
    assert_eq!(distinct(ids.clone()).unwrap().len(), ids.len());
    assert!(ids.iter().any(|id| id.node == node.value()));
    // All other nodes are granted, some again if leases end meanwhile, and this one is neither granted
    // nor freed.
    let mut granted = BTreeSet::from(held);
    let error = loop {
        match answer(&mut claim()) {
            Ok(lease) => drop(granted.insert(lease.node)),
            Err(error) => break error,
        }
    };
    assert!(matches!(error.refusal(), Some(Refusal::NoFreeNode { .. })), "{error}");
    assert!(granted.len() <= 3 && !granted.contains(&node), "{granted:?}");
    let error = block_on(store.repair(spec.name(), node), TIMEOUT).unwrap_err();
    assert!(matches!(error.refusal(), Some(Refusal::Reserved { .. })), "{error}");
    assert!(block_on(store.repair_all(spec.name()), TIMEOUT).unwrap().is_empty());
    block_on(store.invalidate(&spec), TIMEOUT).unwrap();
    assert_eq!(session.draw(kind).unwrap().node, node.value());
    // Not after it left the pool and came back, either.
    block_on(store.reconfigure(&kind.realm("4-5/10")), TIMEOUT).unwrap();
    block_on(store.reconfigure(&spec), TIMEOUT).unwrap();
    let view = block_on(store.list(spec.name()), TIMEOUT).unwrap();
    let row = view.rows[&node].row().unwrap();
    assert_eq!((row.is_reserved(), row.ceiling), (true, spec.end()));
}

/// A pool of another node size must not have IDs of the reserved node.
fn pools_leave_the_node_out(server: &Postgres) {
    let (base, kind) = (Base::empty(server), Kind::Scru64);
    let spec = kind.realm("0-7/5");
    let store = Store::new(base.backend());
    block_on(store.create(&spec, tickid_lease::admin::Start::Immediately), TIMEOUT).unwrap();
    let version = || base.psql("SELECT version FROM tickid.realm").parse::<i64>().unwrap();
    let before = version();
    base.create(&spec);
    // A reconfiguration that read the rows before this does not commit.
    assert!(version() > before);
    let session = base.session();
    let node = session.draw(kind).unwrap().node;
    assert_eq!(node, 7);
    let reconfigure = |pool: &str| block_on(store.reconfigure(&kind.realm(pool)), TIMEOUT);
    for pool in ["0-3/4", "0-15/6", "0-1/3", "14/6", "31/7"] {
        let error = reconfigure(pool).unwrap_err();
        match error.refusal() {
            Some(Refusal::Overlap { node, .. }) => assert_eq!(node.to_string(), "7/5"),
            _ => panic!("{pool}: {error}"),
        }
        let record = block_on(store.realm(spec.name()), TIMEOUT).unwrap();
        assert_eq!(record.realm.pool(), spec.pool());
    }
    // A pool that has the node itself and nodes of other sizes is accepted, and leased.
    let realm = kind.realm("0-2/4,12-13/6,7/5");
    block_on(store.reconfigure(&realm), TIMEOUT).unwrap();
    let mut granted = Vec::new();
    let error = loop {
        let mut claim = Claim::new(Token::random().unwrap(), "test", None);
        match block_on(store.acquire(&realm, &mut claim), TIMEOUT) {
            Ok(lease) => granted.push(lease.node.to_string()),
            Err(error) => break error,
        }
    };
    assert!(matches!(error.refusal(), Some(Refusal::NoFreeNode { .. })), "{error}");
    granted.sort();
    // Leases may end meanwhile.
    granted.dedup();
    assert_eq!(granted, ["0/4", "1/4", "12/6", "13/6", "2/4"]);
    // The functions continue after the node has left the pool.
    reconfigure("0-2/4").unwrap();
    assert_eq!(session.draw(kind).unwrap().node, node);
    assert!(matches!(
        reconfigure("7/4,15/6").unwrap_err().refusal(),
        Some(Refusal::Overlap { .. })
    ));
}
