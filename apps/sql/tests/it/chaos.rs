//! Followers of a table that is written in every way at once read each row once and in order, also
//! while the functions move to other nodes and a standby takes the server's place. If there is time,
//! the server crashes and its clock steps meanwhile.

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::Instant;

use tickid_kuid::{Drift, Kuid};
use tickid_lease::RealmSpec;
use tickid_lease::admin::Start;
use tickid_sql::Script;
use tickid_testkit::Dice;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, Session, TIMED_OUT, TIMEOUT, spec};
use crate::follow::{Follower, Id, id_type, moving_statements, own_server, with_clock};
use crate::loss::{STOP_STANDBY, start_standby};
use crate::sessions::many_ids;

pub(crate) const TESTS: [Test<Postgres>; 1] =
    [("chaos_hides_no_row_from_a_follower", chaos_hides_no_row_from_a_follower)];

const WRITERS: u64 = 8;
/// Of each writer in a round.
const TRANSACTIONS: u32 = 120;
/// In a round that has some.
const MOVES: u32 = 2;

/// What a follower does between its polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    Keeps,
    Forgets,
    Writes,
    TimesOut,
    Slow,
    /// Moves the functions and promotes a standby at first.
    Changes,
}

/// Of a round with and without changes.
const HABITS: [Habit; 5] =
    [Habit::Keeps, Habit::Forgets, Habit::Writes, Habit::TimesOut, Habit::Slow];

/// Procedures like ours, each with a mistake.
const FAULTS: [&str; 3] =
    ["follow_locks_first", "follow_without_prepared", "follow_from_the_present_word"];

/// Makes these of the present node's.
fn plant_faults(base: &Base<'_>) {
    let number = base.psql("SELECT max(number) FROM tickid.generator");
    let name_of_ours = format!("tickid.follow_{number}");
    let ours = base.psql(&format!("SELECT pg_get_functiondef('{name_of_ours}'::regproc)"));
    let part = |from: &str, to: &str| {
        let start = ours.find(from).unwrap();
        &ours[start..start + ours[start..].find(to).unwrap()]
    };
    let word = part("    -- First the word.", "    -- Then the transactions");
    let locks = part("    -- Then the transactions", "    state := ");
    let mode = "AND l.mode = 'RowExclusiveLock'";
    let faults = [
        ours.replace(
            &format!("{word}{locks}"),
            &format!("{locks} PERFORM pg_sleep(0.002);\n{word} settled := least(word, settled);\n"),
        ),
        ours.replace(mode, &format!("{mode} AND l.pid IS NOT NULL")),
        ours.replace("ELSE before -> 'word' END", "ELSE to_jsonb(word) END"),
    ];
    for (name, fault) in FAULTS.into_iter().zip(faults) {
        assert_ne!(fault, ours, "{name}");
        let fault = fault.replacen(&format!("{name_of_ours}("), &format!("tickid.{name}("), 1);
        base.psql(&format!("SET search_path = pg_catalog; {fault}"));
    }
}

/// Of any metabyte, as sno's IDs of a tick do not sort as drawn.
fn draw(kind: Kind) -> String {
    match kind {
        Kind::Sno => "tickid.sno('sno', (random() * 255)::integer)".to_owned(),
        Kind::Nanoflake
        | Kind::Scru64
        | Kind::KuidLocal
        | Kind::Kuid
        | Kind::Discord
        | Kind::JsSafe
        | Kind::Sonyflake
        | Kind::Seconds => kind.draw(),
    }
}

/// The clock of draws, in seconds. It steps by the value of a sequence, in microseconds.
const CLOCK: &str = "(date_part('epoch', pg_catalog.clock_timestamp())
    + pg_catalog.pg_sequence_last_value('public.step') / 1e6::float8)";

fn script_clock(base: &Base<'_>) {
    base.psql(&format!(
        "CREATE SEQUENCE public.step MINVALUE -1000000;
         SELECT setval('public.step', 0);
         CREATE OR REPLACE FUNCTION tickid.clock_v1() RETURNS bigint
         LANGUAGE sql VOLATILE PARALLEL SAFE
         RETURN ({CLOCK} * 1000000)::bigint"
    ));
}

/// What must not happen at the same time.
#[derive(Default)]
struct Locks {
    /// Read during each transaction that writes rows. A promotion waits for the end of all, since the
    /// rows that a standby does not have yet would be lost.
    transactions: RwLock<()>,
    /// A promotion, or a crash of the server or a step of its clock.
    events: Mutex<()>,
}

/// Connects, as soon as the server is up again.
fn connect(base: &Base<'_>) -> Session {
    let begin = Instant::now();
    loop {
        match Session::try_open(&base.url()) {
            Ok(session) => return session,
            Err(error) => assert!(begin.elapsed() < TIMEOUT, "{error}"),
        }
    }
}

/// Connects again after a crash or a promotion of the server, and takes no other error.
#[track_caller]
fn connect_again(base: &Base<'_>, error: &str) -> Session {
    let lost = [
        "no answer",
        "terminating connection",
        "the server cannot read the sequence",
        // The statements made it anew during the call.
        "could not open relation with OID",
    ];
    assert!(lost.iter().any(|start| error.starts_with(start)), "{error}");
    connect(base)
}

/// Asks until the server answers. Returns the first column of the last row, if there is one.
#[track_caller]
fn ask(base: &Base<'_>, statements: &str) -> String {
    let (begin, mut session) = (Instant::now(), connect(base));
    loop {
        match session.ask(statements) {
            Ok(rows) => return rows.into_iter().next_back().unwrap_or_default(),
            Err(error) => {
                assert!(begin.elapsed() < TIMEOUT, "{error}");
                session = connect_again(base, &error);
            }
        }
    }
}

/// Steps the clock, has the locks of open transactions move to the table of all sessions, and
/// crashes the server now and then.
fn disturb(base: &Base<'_>, session: &Session, dice: &mut Dice, number: u32) -> Result<(), String> {
    if dice.below(4) == 0 {
        let step = [-1_000_000, -400_000, -30_000, 0, 30_000, 300_000, 2_000_000]
            [usize::try_from(dice.below(7)).unwrap()];
        session.one(&format!("setval('public.step', {step})"))?;
    }
    let owner = "SET LOCAL lock_timeout = 5; ALTER SEQUENCE tickid.word_1 OWNER TO CURRENT_USER";
    match session.ask(owner) {
        Err(error) if !error.contains("lock timeout") => return Err(error),
        _ => {}
    }
    match number {
        20 | 60 if dice.below(3) == 0 => base.server.restart("immediate").unwrap(),
        20 | 60 | 100 => {
            // Every other session is lost as well. A victim may have gone in between.
            let own = session.one("pg_backend_pid()")?;
            let victims = session.ask(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()
                 AND state = 'active' AND query LIKE 'INSERT %' ORDER BY random() LIMIT 1",
            )?;
            let victim = victims.first().unwrap_or(&own);
            base.server.tell(&format!("kill -KILL {victim} || kill -KILL {own}")).unwrap();
        }
        _ => {}
    }
    Ok(())
}

/// A pool that has nodes for the moves of all rounds. Local kuids cannot move.
const fn pool(kind: Kind) -> &'static str {
    match kind {
        Kind::Nanoflake | Kind::Discord => "0-777/10",
        Kind::Scru64 => "0-127/8",
        Kind::KuidLocal => "0/0",
        Kind::Kuid => "4294967200-4294967295/32",
        Kind::Sno | Kind::Sonyflake | Kind::Seconds => "0-65535/16",
        Kind::JsSafe => "0-63/6",
    }
}

/// Global kuids of a later node sort below those of an earlier one for an interval, here half a minute.
fn realm(kind: Kind) -> RealmSpec {
    match kind {
        Kind::Kuid => spec(kind.name(), Kuid { drift: Drift::MIN }, pool(kind)),
        Kind::Nanoflake
        | Kind::Scru64
        | Kind::KuidLocal
        | Kind::Sno
        | Kind::Discord
        | Kind::JsSafe
        | Kind::Sonyflake
        | Kind::Seconds => kind.realm(pool(kind)),
    }
}

/// Moves the functions to other nodes, one after another. Each time, the node from before is ahead
/// of the next one, by then or because it draws on until the commit, and the follower is there.
fn move_on(base: &Base<'_>, kind: Kind, follower: &mut Follower) {
    let statements = moving_statements(&realm(kind), CLOCK);
    for number in 0..MOVES {
        // Each time further, but within the skew.
        let step = 1_500_000 + 2_500_000 * number;
        let is_late = number % 2 == 1;
        if is_late {
            // Else the follower would take this transaction for one from before the last move.
            let drawn = Id::new(&ask(base, &format!("SELECT {}", kind.draw())));
            read_up_to(base, kind, follower, &drawn);
        }
        let mut session = connect(base);
        let ask = |statement: &str| session.ask(statement).map(drop);
        let mut read_ahead = || {
            let session = connect(base);
            session.one(&format!("setval('public.step', {step})"))?;
            let ahead = Id::new(&session.one(&kind.draw())?);
            read_up_to(base, kind, follower, &ahead);
            session.one("setval('public.step', 0)").map(drop)
        };
        let moved = if is_late { Ok(()) } else { read_ahead() }
            .and_then(|()| ask("BEGIN"))
            .and_then(|()| ask(&statements))
            .and_then(|()| if is_late { read_ahead() } else { Ok(()) })
            .and_then(|()| ask("COMMIT"));
        if let Err(error) = moved {
            session = connect_again(base, &error);
            session.one("setval('public.step', 0)").unwrap();
        }
    }
}

/// Has a standby take the server's place, under its URL. It has all rows, but its bound of IDs is
/// below the last ones that were drawn, and the followers are there. Functions that are newer than
/// the standby need their statements once more.
fn promote(
    base: &Base<'_>,
    kind: Kind,
    follower: &mut Follower,
    standby: &Session,
    are_newer: bool,
    locks: &Locks,
) {
    let _alone = locks.events.lock().unwrap();
    let no_transactions = locks.transactions.write().unwrap();
    let draw = format!("SELECT {}", kind.draw());
    ask(base, "SET LOCAL synchronous_commit = on; SELECT setval('public.step', 0)");
    let position = ask(base, "SELECT pg_current_wal_flush_lsn()");
    while standby.one(&format!("pg_last_wal_replay_lsn() >= '{position}'")).unwrap() == "f" {}
    base.server.tell(STOP_STANDBY).unwrap();
    // Within the skew.
    ask(base, "SELECT setval('public.step', 4000000)");
    let ahead = Id::new(&ask(base, &draw));
    read_up_to(base, kind, follower, &ahead);
    base.server
        .tell(
            "pg_ctl stop --wait --mode=immediate --pgdata=data && rm -rf data && \
             mv standby data && sed -i /unix_socket_directories.*sockets/d data/postgresql.conf && \
             { pg_ctl start --wait --pgdata=data --log=server.log \
             --options='-c hot_standby=off -c primary_conninfo=' || \
             { cat server.log; false; }; } && pg_ctl promote --wait --pgdata=data",
        )
        .unwrap();
    if are_newer {
        let script = Script::new(&realm(kind), Start::Delayed);
        ask(base, &with_clock(&script, CLOCK));
    }
    drop(no_transactions);
    // The clock must not step back before the pause is over.
    ask(base, &draw);
}

/// Has a follower read a part of the rows.
fn keep_up(base: &Base<'_>, kind: Kind, follower: &mut Follower) {
    for _ in 0..10 {
        let drawn = Id::new(&ask(base, &format!("SELECT {}", kind.draw())));
        read_up_to(base, kind, follower, &drawn);
    }
}

/// Has a follower read all rows up to an ID.
fn read_up_to(base: &Base<'_>, kind: Kind, follower: &mut Follower, end: &Id) {
    let (mut answered, mut session) = (Instant::now(), connect(base));
    loop {
        match session.one(&kind.draw()).and_then(|_| follower.poll(&session)) {
            Ok(last) if last >= *end => return,
            Ok(_) => answered = Instant::now(),
            Err(error) => {
                assert!(answered.elapsed() < TIMEOUT, "{error}");
                session = go_on(base, follower, &error);
            }
        }
    }
}

/// Inserts in transactions of every form. The first writer also disturbs all.
fn write(base: &Base<'_>, kind: Kind, seed: u64, locks: &Locks) {
    let (mut session, mut dice) = (connect(base), Dice::new(seed));
    for number in 0..TRANSACTIONS {
        let name = format!("{seed}-{number}");
        let mut result = Ok(());
        if is_long() && seed.is_multiple_of(WRITERS) {
            let _alone = locks.events.lock().unwrap();
            result = disturb(base, &session, &mut dice, number);
        }
        let _open = locks.transactions.read().unwrap();
        result = result.and_then(|()| insert(&session, kind, &mut dice, &name));
        while let Err(error) = result {
            session = connect_again(base, &error);
            // It may have been prepared.
            result = match session.ask(&format!("COMMIT PREPARED '{name}'")) {
                Err(error) if !error.contains("does not exist") => Err(error),
                _ => Ok(()),
            };
        }
    }
}

fn insert(session: &Session, kind: Kind, dice: &mut Dice, name: &str) -> Result<(), String> {
    let ask = |statement: &str| session.ask(statement);
    let (table, draw) = (format!("public.{}", kind.name()), draw(kind));
    let insert = |rows: u64| {
        ask(&format!("INSERT INTO {table} SELECT {draw} FROM generate_series(1, {rows})"))
    };
    ask("BEGIN")?;
    let mut kept = Vec::new();
    for _ in 0..=dice.below(3) {
        if dice.below(10) < 3 {
            kept.extend(ask(&format!("SELECT {draw}"))?);
        }
        if dice.below(10) < 2 {
            ask("SAVEPOINT a")?;
            insert(1 + dice.below(5))?;
            // Inserted later, wherever it was drawn.
            kept.extend(ask(&format!("SELECT {draw}"))?);
            ask(["ROLLBACK TO a", "RELEASE a"][usize::from(dice.below(2) == 0)])?;
        }
        if dice.below(10) == 0 {
            ask(&format!(
                "DO $$ BEGIN INSERT INTO {table} VALUES ({draw}); PERFORM 1 / 0;
                 EXCEPTION WHEN division_by_zero THEN NULL; END $$"
            ))?;
            ask("DISCARD SEQUENCES")?;
        }
        if dice.below(10) < 4 {
            ask(&format!("SELECT pg_sleep({} / 1e6)", dice.below(5_000)))?;
        }
        if dice.below(10) < 8 {
            insert(1 + dice.below(30))?;
        }
    }
    for id in kept {
        ask(&format!("INSERT INTO {table} VALUES ('{id}')"))?;
    }
    match dice.below(100) {
        0..8 => {
            ask(&format!("PREPARE TRANSACTION '{name}'"))?;
            ask(&format!("SELECT pg_sleep({} / 1e6)", dice.below(100_000)))?;
            let end = ["ROLLBACK", "COMMIT"][usize::from(dice.below(4) > 0)];
            ask(&format!("{end} PREPARED '{name}'"))
        }
        8..18 => ask("ROLLBACK"),
        _ => ask("COMMIT"),
    }
    .map(drop)
}

/// Polls as one does who keeps, loses or shares what was returned.
fn poll(
    base: &Base<'_>,
    follower: &mut Follower,
    session: &mut Session,
    habit: Habit,
    dice: &mut Dice,
) -> Result<(), String> {
    match habit {
        Habit::Keeps | Habit::Changes => drop(follower.poll(session)?),
        Habit::Slow => {
            session.one("pg_sleep(0.05)")?;
            follower.poll(session)?;
        }
        Habit::Forgets => {
            follower.poll(session)?;
            if dice.below(20) == 0 {
                (follower.state, *session) = (None, connect(base));
            }
        }
        Habit::TimesOut => {
            let mut next = follower.clone();
            let timeout = format!("SET statement_timeout = {}", dice.below(6));
            // The setting itself may time out.
            match session.ask(&timeout).and_then(|_| next.poll(session)) {
                Ok(_) => *follower = next,
                Err(error) if TIMED_OUT.iter().any(|why| error.contains(why)) => {}
                Err(error) => return Err(error),
            }
        }
        Habit::Writes => {
            let mut next = follower.clone();
            session.ask("BEGIN")?;
            next.poll(session)?;
            if dice.below(5) == 0 {
                session.ask("INSERT INTO public.written VALUES (1)")?;
            }
            if dice.below(10) == 0 {
                session.ask("ROLLBACK")?;
            } else {
                session.ask("COMMIT")?;
                *follower = next;
            }
        }
    }
    Ok(())
}

/// Counts a thread that writes until it ends, also by a panic.
struct Writing<'a>(&'a AtomicU64);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the functions move in a round, and whether a standby is promoted then. There are no moves
/// after a promotion, which `tickid lease invalidate` would have to follow.
fn changes(kind: Kind, round: u64) -> (bool, bool) {
    let (is_odd, first) = (round % 2 == 1, if is_long() { 3 } else { 1 });
    let has_moves = is_odd && round <= first && kind != Kind::KuidLocal;
    (has_moves, is_odd && round >= first && (is_long() || round == first))
}

/// Returns the rows of a round and what each follower has read. Faults are those of a node, and so
/// have no part in a round with moves.
fn round(base: &Base<'_>, kind: Kind, round: u64) -> (Vec<Id>, Vec<(String, Vec<Id>)>) {
    let id_type = id_type(kind);
    let table = format!("public.{}", kind.name());
    base.psql(&format!(
        "DROP TABLE IF EXISTS {table}, public.written;
         CREATE TABLE {table} (id {id_type} PRIMARY KEY DEFAULT {draw});
         CREATE TABLE public.written (id integer, drawn {id_type} DEFAULT {draw})",
        draw = draw(kind)
    ));
    let mut followers: Vec<_> =
        HABITS.map(|habit| (format!("{habit:?}"), habit, Follower::new(kind))).into();
    let (writing, locks) = (&AtomicU64::new(WRITERS), &Locks::default());
    let (has_moves, has_promotion) = changes(kind, round);
    if has_moves || has_promotion {
        writing.fetch_add(1, Ordering::SeqCst);
        followers.push(("Changes".to_owned(), Habit::Changes, Follower::new(kind)));
    }
    if !has_moves {
        plant_faults(base);
        let planted =
            FAULTS.map(|fault| (fault.to_owned(), Habit::Keeps, Follower::new(kind).by(fault)));
        followers.extend(planted);
    }
    let standby = &Mutex::new(has_promotion.then(|| start_standby(base)));
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                let _writing = Writing(writing);
                write(base, kind, round * WRITERS + writer, locks);
            });
        }
        let threads: Vec<_> = followers
            .into_iter()
            .map(|(name, habit, mut follower)| {
                // The rows of an earlier node may be ahead of what is drawn.
                let newest = format!("SELECT id FROM {table} ORDER BY id DESC LIMIT 1");
                scope.spawn(move || {
                    if habit == Habit::Changes {
                        let _writing = Writing(writing);
                        if has_moves {
                            move_on(base, kind, &mut follower);
                        } else {
                            keep_up(base, kind, &mut follower);
                        }
                        if let Some(standby) = standby.lock().unwrap().take() {
                            promote(base, kind, &mut follower, &standby, has_moves, locks);
                        }
                    }
                    let (mut session, mut dice) = (connect(base), Dice::new(round));
                    while writing.load(Ordering::SeqCst) > 0 {
                        let polled = poll(base, &mut follower, &mut session, habit, &mut dice);
                        if let Err(error) = polled {
                            session = go_on(base, &mut follower, &error);
                        }
                    }
                    session = base.session();
                    let mut end = session.ask(&newest).unwrap();
                    end.extend(session.one(&kind.draw()));
                    let end = end.iter().map(|column| Id::new(column)).max().unwrap();
                    read_up_to(base, kind, &mut follower, &end);
                    (name, follower.read)
                })
            })
            .collect();
        let read = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        let rows = base.session().ask(&format!("SELECT id FROM {table} ORDER BY id")).unwrap();
        (rows.iter().map(|column| Id::new(column)).collect(), read)
    })
}

/// Starts a follower again that the functions have moved away from, or connects again.
fn go_on(base: &Base<'_>, follower: &mut Follower, error: &str) -> Session {
    let session = connect(base);
    if follower.starts_again(&session, error) { session } else { connect_again(base, error) }
}

/// Reports whether there is time for all schemes, and for crashes.
fn is_long() -> bool {
    many_ids().is_some()
}

/// Each round compares all rows, and there are as many as it takes to find the planted faults.
fn chaos_hides_no_row_from_a_follower(_: &Postgres) {
    let server = own_server();
    let (kinds, least) = if is_long() { (&KINDS[..], 6) } else { (&KINDS[..1], 3) };
    for &kind in kinds {
        let base = Base::empty(&server);
        base.create(&realm(kind));
        script_clock(&base);
        if is_long() {
            // The server keeps what it has committed when it crashes.
            base.psql(&format!("ALTER DATABASE {} SET synchronous_commit = on", base.name));
        }
        let (mut found, mut count) = (BTreeSet::new(), 0);
        for number in 0..least + 30 {
            let (rows, followers) = round(&base, kind, number);
            count += rows.len();
            for (name, read) in followers {
                if FAULTS.contains(&&*name) {
                    found.extend((read != rows).then_some(name));
                    continue;
                }
                let (all, got) = (rows.iter().collect::<BTreeSet<_>>(), read.iter().collect());
                let missed: Vec<_> = all.difference(&got).take(5).collect();
                assert!(read == rows, "{kind:?}, round {number}: {name} misses {missed:?}");
            }
            if number + 1 >= least && found.len() == FAULTS.len() {
                break;
            }
        }
        assert_eq!(found.len(), FAULTS.len(), "{kind:?}, {count} rows: found only {found:?}");
    }
}
