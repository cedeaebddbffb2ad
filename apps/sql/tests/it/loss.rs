//! No ID is issued again by a server that crashed, or by a copy of the data.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::base::{Base, Kind, Parts, START, Session, distinct};
use crate::follow::{Follower, Id};

pub(crate) const TESTS: [Test<Postgres>; 20] = [
    ("a_crash_repeats_nothing", a_crash_repeats_nothing),
    ("an_unflushed_bound_is_found", an_unflushed_bound_is_found),
    ("a_copied_database_starts_later", a_copied_database_starts_later),
    ("sessions_of_a_fresh_copy_wait_and_draw", sessions_of_a_fresh_copy_wait_and_draw),
    ("copies_apart_draw_at_once", copies_apart_draw_at_once),
    ("a_missing_oid_is_found", a_missing_oid_is_found),
    ("a_loaded_dump_starts_later", a_loaded_dump_starts_later),
    ("a_restored_backup_starts_later", a_restored_backup_starts_later),
    ("a_missing_timeline_is_found", a_missing_timeline_is_found),
    ("a_schema_without_data_is_refused", a_schema_without_data_is_refused),
    ("a_dump_of_the_data_alone_starts_later", a_dump_of_the_data_alone_starts_later),
    ("a_missing_mark_of_dumps_is_found", a_missing_mark_of_dumps_is_found),
    ("a_crash_does_not_hide_a_loaded_dump", a_crash_does_not_hide_a_loaded_dump),
    ("a_crash_does_not_hide_a_dump_without_draws", a_crash_does_not_hide_a_dump_without_draws),
    ("an_interrupted_load_repeats_ids", an_interrupted_load_repeats_ids),
    ("a_log_without_positions_loses_nothing", a_log_without_positions_loses_nothing),
    ("a_standby_draws_nothing_and_then_later", a_standby_draws_nothing_and_then_later),
    ("a_clean_restart_goes_on", a_clean_restart_goes_on),
    ("functions_newer_than_a_standby_are_mended", functions_newer_than_a_standby_are_mended),
    ("functions_newer_than_a_backup_are_mended", functions_newer_than_a_backup_are_mended),
];

const KIND: Kind = Kind::Nanoflake;
/// Five seconds of skew, in ticks of a millisecond.
const SKEW: u64 = 5_000;

/// Kills the server in the midst of draws, with clocks that step back by seconds meanwhile. Returns
/// the IDs that clients have seen.
fn crash(server: &Postgres, base: &Base<'_>, rounds: u32) -> Result<Vec<Parts>, String> {
    let mut ids = Vec::new();
    for round in 0..rounds {
        // The clock runs ten times as fast, and starts at the same time in each round.
        base.psql(&format!(
            "CREATE OR REPLACE FUNCTION tickid.clock_v1() RETURNS bigint
             LANGUAGE sql VOLATILE PARALLEL SAFE
             RETURN {START} + 10 * (date_part('epoch', pg_catalog.clock_timestamp()
                 - pg_catalog.pg_postmaster_start_time()) * 1000000)::bigint",
        ));
        let (is_over, count) = (&AtomicBool::new(false), &AtomicU32::new(0));
        let sessions = [(); 4].map(|()| base.session());
        let of_round = thread::scope(|scope| {
            let draw = move |session: Session| {
                let mut ids = Vec::new();
                loop {
                    match session.draw(KIND) {
                        Ok(id) => {
                            ids.push(id);
                            count.fetch_add(1, Ordering::Relaxed);
                        }
                        // The clock is back at its start.
                        Err(error) if error.contains("behind the next ID") => {}
                        Err(_) if is_over.load(Ordering::Relaxed) => return Ok(ids),
                        Err(error) => return Err(error),
                    }
                }
            };
            let watch = base.session();
            let threads = sessions.map(|session| scope.spawn(move || draw(session)));
            // Until the bound was raised a few times.
            let seconds = format!("tickid.clock_v1() >= {START} + {}", 14_000_000 * (round + 1));
            while watch.one(&seconds).unwrap() == "f" || count.load(Ordering::Relaxed) < 200 {}
            is_over.store(true, Ordering::Relaxed);
            server.kill().unwrap();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<Vec<_>, _>>()
        })?;
        ids.extend(of_round.concat());
        server.begin().unwrap();
    }
    assert!(ids.len() > 300, "only {} IDs", ids.len());
    distinct(ids)
}

/// A server that writes its log to disk only when it must.
fn lazy_server() -> Postgres {
    let server = Postgres::start().unwrap();
    server.tell("printf \"wal_writer_delay = 10000\\n\" >>data/postgresql.conf").unwrap();
    server.restart("fast").unwrap();
    server
}

fn a_crash_repeats_nothing(_: &Postgres) {
    let server = lazy_server();
    let base = Base::new(&server, &[KIND]);
    crash(&server, &base, 3).unwrap();
}

fn an_unflushed_bound_is_found(_: &Postgres) {
    let server = lazy_server();
    // Full pages of the log are written nonetheless, so that a crash may lose nothing.
    let error = (0..8).find_map(|_| {
        let base = Base::new(&server, &[KIND]);
        base.plant("advance_1", "tickid.log_position_v1(true) >= lsn", "true");
        crash(&server, &base, 3).err()
    });
    let error = error.unwrap_or_else(|| "no ID came twice".to_owned());
    assert!(error.starts_with("twice"), "{error}");
}

/// Draws at a time after which the clock stands, so that a copy is of the very tick.
fn original(base: &Base<'_>) -> Parts {
    base.script_clock();
    base.give_up_soon();
    let session = base.session();
    session.draws(KIND, 100).unwrap();
    session.draw(KIND).unwrap()
}

/// Asserts that a copy issues nothing before the skew has passed, also in sessions that drew
/// before, and then only what lies beyond.
fn starts_later(copy: &Session, last: Parts) -> Result<(), String> {
    let wait = |micros: i64| {
        copy.set_clock(START + micros);
        match copy.draw(KIND) {
            Err(error) if error.contains("behind the next ID") => Ok(()),
            other => Err(format!("{micros} µs later: {other:?}")),
        }
    };
    wait(0)?;
    wait(-1_000_000)?;
    // The original can have been here, beyond the bound in the copy.
    wait(3_000_000)?;
    copy.set_clock(START + 5_010_000);
    let id = copy.draw(KIND)?;
    assert_eq!(id.tick, last.tick + SKEW + 10, "{id:?}");
    copy.draws(KIND, 10)?;
    Ok(())
}

fn copied(base: &Base<'_>) -> Result<(), String> {
    let last = original(base);
    let copy = base.copy();
    let session = base.session();
    starts_later(&copy.session(), last)?;
    // The original continues.
    assert_eq!(session.draw(KIND)?, Parts { sequence: last.sequence + 1, ..last });
    Ok(())
}

fn a_copied_database_starts_later(server: &Postgres) {
    copied(&Base::new(server, &[KIND])).unwrap();
}

/// Half a node's sessions and more, as of a pool that connects. They wait for the skew, and then all
/// want the lock: SCRU64's and kuid's IDs are ahead, so only under it. With ticks of a second, the wait
/// takes a second more.
fn sessions_of_a_fresh_copy_wait_and_draw(server: &Postgres) {
    for kind in [KIND, Kind::Scru64, Kind::Seconds] {
        let base = Base::new(server, &[kind]);
        base.script_clock();
        let last = base.session().draw(kind).unwrap();
        let copy = base.copy();
        copy.give_up_after("1e6");
        let watch = copy.session();
        // The wait starts by the clock that the first of them reads, before the word is at home.
        let drawing = "count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT tickid%'
            AND tickid.is_home_v1('tickid.home_1', 'tickid.word_1')";
        let drawn = thread::scope(|scope| {
            let threads = [(); 24]
                .map(|()| copy.session())
                .map(|session| scope.spawn(move || session.draw(kind)));
            while watch.one(drawing).unwrap() != "24" {
                assert!(!threads.iter().any(|thread| thread.is_finished()), "{kind:?}");
            }
            watch.set_clock(START + 7_000_000);
            threads.map(|thread| thread.join().unwrap())
        });
        let ids = distinct(drawn.map(Result::unwrap)).unwrap();
        let skew = 5_000_000 / kind.micros_per_tick().cast_unsigned();
        assert!(ids[0].tick > last.tick + skew, "{kind:?}: {:?} after {last:?}", ids[0]);
    }
}

/// Those of a template of test databases go on from its bound, which is at most a second ahead. The
/// statements end that, and what is no copy pauses anyway.
fn copies_apart_draw_at_once(server: &Postgres) {
    for kind in [KIND, Kind::Scru64] {
        let base = Base::empty(server);
        base.create_template(kind);
        base.script_clock();
        let last = base.session().draws(kind, 100).unwrap()[99];
        for (copy, is_clock_back) in [(base.copy(), false), (base.copy(), true)] {
            let session = copy.session();
            // Never at or below what was issued, not even if the clock steps back.
            if is_clock_back {
                session.set_clock(START - 20_000_000);
                assert!(session.draw(kind).unwrap_err().contains("behind the next ID"));
            }
            session.set_clock(START + 1_100_000);
            let first = session.draw(kind).unwrap();
            let most = kind.tick_at(START + 1_100_000);
            assert!(last.tick < first.tick && first.tick <= most, "{first:?} after {last:?}");
            session.draws(kind, 100).unwrap();
            session.set_clock(START + 3_000_000);
            assert_eq!(session.draw(kind).unwrap().tick, kind.tick_at(START + 3_000_000));
        }
    }
    let base = Base::empty(server);
    base.create_template(KIND);
    base.create(&KIND.realm(KIND.pool().0));
    copied(&base).unwrap();
    // A dump, and one of the data alone that is loaded at home, or by a copy that has issued IDs.
    let template = || {
        let base = Base::empty(server);
        base.create_template(KIND);
        base
    };
    loaded(&template(), true).unwrap();
    loaded_at_home(&template(), KIND).unwrap();
    let base = template();
    let last = original(&base);
    let copy = base.copy();
    copy.session().set_clock(START + 2_000_000);
    let issued = copy.session().draws(KIND, 100).unwrap()[99];
    assert_eq!(issued.tick, last.tick + 2_000);
    server
        .tell(&format!(
            "pg_dump --data-only --dbname='{}' >{name}.sql && \
             {{ psql --no-psqlrc --quiet --dbname='{}' --file={name}.sql 2>/dev/null; true; }}",
            base.url(),
            copy.url(),
            name = copy.name,
        ))
        .unwrap();
    starts_later(&copy.session(), last).unwrap();
}

fn a_missing_oid_is_found(server: &Postgres) {
    for without in ["d.oid::bigint", "word::oid::bigint"] {
        let base = Base::new(server, &[KIND]);
        base.plant("home_v1", without, "1");
        base.psql("SELECT setval('tickid.home_1', tickid.home_v1('tickid.word_1'::regclass))");
        let result = match without {
            "d.oid::bigint" => copied(&base),
            _ => loaded(&base, false),
        };
        result.unwrap_err();
    }
}

/// Loads a dump into another database.
fn load<'a>(base: &Base<'a>, option: &str) -> Base<'a> {
    let copy = Base::empty(base.server);
    let (from, to, name) = (base.url(), copy.url(), &copy.name);
    base.server
        .tell(&format!(
            "pg_dump {option} --dbname='{from}' >{name}.sql && \
             psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname='{to}' --file={name}.sql"
        ))
        .unwrap();
    copy
}

/// Loads a dump into a database with the OID of the original, as far as our functions see.
fn loaded(base: &Base<'_>, has_oid: bool) -> Result<(), String> {
    if !has_oid {
        base.plant("home_v1", "d.oid::bigint", "1");
        base.psql("SELECT setval('tickid.home_1', tickid.home_v1('tickid.word_1'::regclass))");
    }
    let last = original(base);
    starts_later(&load(base, "").session(), last)
}

fn a_loaded_dump_starts_later(server: &Postgres) {
    loaded(&Base::new(server, &[KIND]), true).unwrap();
    // The word's OID alone makes the difference.
    loaded(&Base::new(server, &[KIND]), false).unwrap();
}

/// Restores a backup of a server that has issued more since.
fn restored(base: &Base<'_>) -> Result<(), String> {
    let (server, last) = (base.server, original(base));
    server
        .tell(
            "pg_basebackup --host=\"$PWD\" --username=tickid --pgdata=backup --checkpoint=fast \
             --wal-method=fetch",
        )
        .unwrap();
    base.set_clock(START + 3_000_000);
    let later = base.session().draws(KIND, 50)?;
    assert_eq!(later[0].tick, last.tick + 3_000);
    server.stop("fast").unwrap();
    server
        .tell(
            "mv data original && mv backup data && touch data/recovery.signal && \
             echo \"restore_command = 'false'\" >>data/postgresql.conf",
        )
        .unwrap();
    server.begin().unwrap();
    while base.server.psql(&base.name, "SELECT pg_is_in_recovery()").unwrap() == "t" {}
    starts_later(&base.session(), last)
}

fn a_restored_backup_starts_later(_: &Postgres) {
    for are_copies_apart in [false, true] {
        let server = Postgres::start().unwrap();
        let base = Base::empty(&server);
        match are_copies_apart {
            true => base.create_template(KIND),
            false => base.create(&KIND.realm(KIND.pool().0)),
        }
        restored(&base).unwrap();
    }
}

fn a_missing_timeline_is_found(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let base = Base::new(&server, &[KIND]);
    base.plant("generation_v1", "left(pg_walfile_name(pg_current_wal_lsn()), 8)", "'00000001'");
    let error = restored(&base).unwrap_err();
    assert!(error.contains("3000000 µs later: Ok"), "{error}");
}

/// Nothing keeps leases in the new database away from the nodes of the old one's functions.
fn a_schema_without_data_is_refused(server: &Postgres) {
    let base = Base::new(server, &[Kind::Scru64, KIND]);
    original(&base);
    let copy = load(&base, "--schema-only");
    let session = copy.session();
    session.set_clock(START);
    for kind in [KIND, Kind::Scru64] {
        let error = session.draw(kind).unwrap_err();
        assert!(error.contains("no node is reserved"), "{error}");
    }
    copy.create(&KIND.realm(KIND.pool().0));
    session.draws(KIND, 10).unwrap();
    assert_eq!(copy.psql("SELECT count(*) FROM tickid.node"), "1");
    let error = session.draw(Kind::Scru64).unwrap_err();
    assert!(error.contains("there are no scru64 functions"), "{error}");
}

/// Loads a dump of the data alone into its own database, which has issued more since, and is ahead
/// of its clock.
fn loaded_at_home(base: &Base<'_>, kind: Kind) -> Result<(), String> {
    let (back, ahead) = (5_000_000, kind == Kind::Scru64);
    base.script_clock();
    base.give_up_soon();
    let session = base.session();
    session.draw(kind)?;
    session.set_clock(START - if ahead { back } else { 0 });
    let mut ids = session.draws(kind, 100)?;
    // Rows that are there are not replaced, and sequences are set nevertheless.
    let (url, name) = (base.url(), &base.name);
    let dump = format!("pg_dump --data-only --dbname='{url}' >{name}.sql");
    base.server.tell(&dump).unwrap();
    session.set_clock(START + if ahead { -back } else { 300_000 });
    ids.extend(session.draws(kind, 1_000)?);
    let last = ids[ids.len() - 1];
    let load = format!("psql --no-psqlrc --quiet --dbname='{url}' --file={name}.sql");
    base.server.tell(&format!("{load} 2>/dev/null")).unwrap();
    for session in [&session, &base.session()] {
        session.set_clock(START + if ahead { -back } else { 400_000 });
        match session.draw(kind) {
            Err(error) if error.contains("behind the next ID") => {}
            other => return Err(format!("draws go on: {other:?}")),
        }
    }
    session.set_clock(START + 6_000_000);
    let later = session.draws(kind, 1_000)?;
    assert!(later[0].tick > last.tick, "{:?} after {last:?}", later[0]);
    distinct(ids.into_iter().chain(later)).map(drop)
}

fn a_dump_of_the_data_alone_starts_later(server: &Postgres) {
    for kind in [Kind::Scru64, KIND] {
        loaded_at_home(&Base::new(server, &[kind]), kind).unwrap();
    }
}

fn a_missing_mark_of_dumps_is_found(server: &Postgres) {
    for kind in [Kind::Scru64, KIND] {
        let base = Base::new(server, &[kind]);
        base.plant("advance_1", "w.log_cnt = 0", "false");
        let error = loaded_at_home(&base, kind).unwrap_err();
        assert!(error.contains("draws go on: Ok"), "{error}");
    }
}

/// Before the first draw. With it, the word is lost, and only the log has the old bound.
fn a_crash_does_not_hide_a_loaded_dump(_: &Postgres) {
    let server = Postgres::start().unwrap();
    for (kind, has_checkpoint) in [(KIND, false), (KIND, true), (Kind::Scru64, false)] {
        let base = Base::new(&server, &[kind]);
        base.script_clock();
        base.give_up_soon();
        // A crash alone hides nothing, and stops no draw.
        base.session().draw(kind).unwrap();
        server.restart("immediate").unwrap();
        base.set_clock(START + 2_000_000);
        base.session().draw(kind).unwrap();
        let (url, name) = (base.url(), &base.name);
        server.tell(&format!("pg_dump --data-only --dbname='{url}' >{name}.sql")).unwrap();
        base.set_clock(START + 20_000_000);
        let last = base.session().draws(kind, 100).unwrap()[99];
        let load = format!("psql --no-psqlrc --quiet --dbname='{url}' --file={name}.sql");
        server.tell(&format!("{load} 2>/dev/null")).unwrap();
        // The log has it all.
        base.psql("SET synchronous_commit = on; CREATE TABLE public.flushed ()");
        if has_checkpoint {
            base.psql("CHECKPOINT");
        }
        server.restart("immediate").unwrap();
        // The dump also has the clock.
        base.set_clock(START + 20_000_000);
        let session = base.session();
        let error = session.draw(kind).unwrap_err();
        assert!(error.contains("behind the next ID"), "{kind:?}: {error}");
        session.set_clock(START + 26_000_000);
        let next = session.draw(kind).unwrap();
        assert!(last.tick < next.tick, "{kind:?}: {next:?} after {last:?}");
    }
}

/// The dump is of before the first draw. In long ticks, IDs would be repeated after the crash.
fn a_crash_does_not_hide_a_dump_without_draws(_: &Postgres) {
    let server = Postgres::start().unwrap();
    for kind in [KIND, Kind::Seconds] {
        let base = Base::new(&server, &[kind]);
        base.script_clock();
        base.give_up_soon();
        let (url, name) = (base.url(), &base.name);
        server.tell(&format!("pg_dump --data-only --dbname='{url}' >{name}.sql")).unwrap();
        base.set_clock(START + 20_000_000);
        let ids = base.session().draws(kind, 100).unwrap();
        let load = format!("psql --no-psqlrc --quiet --dbname='{url}' --file={name}.sql");
        server.tell(&format!("{load} 2>/dev/null")).unwrap();
        base.psql("SET synchronous_commit = on; CREATE TABLE public.flushed ()");
        server.restart("immediate").unwrap();
        base.set_clock(START + 20_000_000);
        let session = base.session();
        let error = session.draws(kind, 100).map(|again| distinct([ids.clone(), again].concat()));
        let error = error.unwrap_err();
        assert!(error.contains("behind the next ID"), "{kind:?}: {error}");
        session.set_clock(START + 28_000_000);
        distinct([ids, session.draws(kind, 100).unwrap()].concat()).unwrap();
    }
}

/// What the page warns of: the mark of a dump is what it sets last.
fn an_interrupted_load_repeats_ids(server: &Postgres) {
    let base = Base::new(server, &[Kind::Seconds]);
    base.script_clock();
    let (session, name) = (base.session(), &base.name);
    let mut ids = session.draws(Kind::Seconds, 10).unwrap();
    let dump = format!("pg_dump --data-only --dbname='{}'", base.url());
    server.tell(&format!("{dump} | sed '/written_1/d' >{name}.sql")).unwrap();
    ids.extend(session.draws(Kind::Seconds, 10).unwrap());
    let load = format!("psql --no-psqlrc --quiet --dbname='{}' --file={name}.sql", base.url());
    server.tell(&format!("{load} 2>/dev/null")).unwrap();
    ids.extend(session.draws(Kind::Seconds, 10).unwrap());
    assert!(distinct(ids).unwrap_err().starts_with("twice"));
}

/// As the writer of Amazon Aurora without logical replication: the functions of the log's position
/// refuse.
fn a_log_without_positions_loses_nothing(_: &Postgres) {
    let server = lazy_server();
    let base = Base::empty(&server);
    for position in ["pg_current_wal_lsn", "pg_current_wal_insert_lsn", "pg_current_wal_flush_lsn"]
    {
        base.psql(&format!(
            "ALTER FUNCTION pg_catalog.{position}() RENAME TO own_{position};
             CREATE FUNCTION pg_catalog.{position}() RETURNS pg_lsn LANGUAGE plpgsql AS
             $$ BEGIN
                 RAISE 'logical replication is not enabled' USING ERRCODE = '55000';
             END $$"
        ));
    }
    base.create(&KIND.realm(KIND.pool().0));
    crash(&server, &base, 2).unwrap();
    assert!(base.psql("SELECT tickid.generation_v1()").contains(" timeline unknown "));
}

/// Starts a standby, and returns a session of it. `STOP_STANDBY` stops it.
pub(crate) fn start_standby(base: &Base<'_>) -> Session {
    base.server
        .tell(
            "pg_basebackup --host=\"$PWD\" --username=tickid --pgdata=standby --checkpoint=fast \
             --wal-method=stream --write-recovery-conf && mkdir -p sockets && \
             echo \"unix_socket_directories = '$PWD/sockets'\" >>standby/postgresql.conf && \
             { pg_ctl start --wait --pgdata=standby --log=standby.log || \
             { cat standby.log; false; }; }",
        )
        .unwrap();
    let folder = base.server.socket_folder().join("sockets");
    let (name, user) = (&base.name, Postgres::USER);
    Session::open(&format!("postgresql:///{name}?host={}&user={user}", folder.display()))
}

pub(crate) const STOP_STANDBY: &str = "pg_ctl stop --wait --mode=immediate --pgdata=standby";

fn a_standby_draws_nothing_and_then_later(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let base = Base::new(&server, &[KIND]);
    let last = original(&base);
    let standby = start_standby(&base);
    standby.draw(KIND).unwrap_err();
    server.stop("immediate").unwrap();
    server.tell("pg_ctl promote --wait --pgdata=standby").unwrap();
    let result = starts_later(&standby, last);
    server.tell(STOP_STANDBY).unwrap();
    result.unwrap();
}

/// Without a crash, the word is what it was.
fn a_clean_restart_goes_on(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let base = Base::new(&server, &[KIND]);
    let last = original(&base);
    server.restart("fast").unwrap();
    let next = base.session().draw(KIND).unwrap();
    assert_eq!(next, Parts { sequence: last.sequence + 1, ..last });
}

/// The original and its follower, with functions that are newer than the copy.
fn new_functions(base: &Base<'_>, create: fn(&Base<'_>)) -> (Parts, Follower) {
    create(base);
    let last = original(base);
    base.psql("CREATE TABLE public.nanoflake (id bigint DEFAULT tickid.nanoflake('nanoflake'))");
    let mut follower = Follower::new(KIND);
    let session = base.session();
    session.ask("INSERT INTO public.nanoflake DEFAULT VALUES").unwrap();
    follower.poll(&session).unwrap();
    assert_eq!(follower.read.len(), 1);
    (last, follower)
}

fn create(base: &Base<'_>) {
    base.create(&KIND.realm(KIND.pool().0));
}

/// Whether the server reads the sequences of functions that are newer than the copy. PostgreSQL 18.6
/// does, and 15 does not. Then nothing needs to be mended.
fn reads_new_sequences(session: &Session, last: Parts) -> bool {
    if session.one("tickid.is_readable_v1('tickid.word_1')").unwrap() == "f" {
        return false;
    }
    starts_later(session, Parts { sequence: last.sequence + 1, ..last }).unwrap();
    true
}

/// PostgreSQL has made empty files of the unlogged sequences. No call goes on, until the statements
/// run again or the server crashes, and then all that a restored backup must do is done.
fn mended(base: &Base<'_>, cure: Option<fn(&Base<'_>)>, last: Parts, follower: &mut Follower) {
    let session = base.session();
    let draw = format!("SELECT {}", KIND.draw());
    for error in [session.draw(KIND).unwrap_err(), follower.poll(&session).unwrap_err()] {
        assert!(error.starts_with("the server cannot read the sequence tickid.word_1"), "{error}");
    }
    let hint = session.hint(&draw);
    assert!(hint.contains("statements of tickid sql") && hint.contains("immediate"), "{hint}");
    drop(session);
    if let Some(create) = cure {
        create(base);
        base.script_clock();
        base.give_up_soon();
    } else {
        base.server.restart("immediate").unwrap();
    }
    let session = base.session();
    starts_later(&session, Parts { sequence: last.sequence + 1, ..last }).unwrap();
    let row = session.ask("INSERT INTO public.nanoflake DEFAULT VALUES RETURNING id").unwrap();
    let newest = follower.poll(&session).unwrap();
    assert_eq!((newest, follower.read.len()), (Id::new(&row[0]), 2));
}

/// It streams while they are made, and is promoted before its next restartpoint.
fn functions_newer_than_a_standby_are_mended(_: &Postgres) {
    let server = Postgres::start().unwrap();
    let base = Base::empty(&server);
    let standby = start_standby(&base);
    // Nor are these copies by TEMPLATE, which need not pause.
    let create = |base: &Base<'_>| base.create_template(KIND);
    let (last, mut follower) = new_functions(&base, create);
    let position = base.psql("SELECT pg_current_wal_insert_lsn()");
    let is_there = format!("pg_last_wal_replay_lsn() >= '{position}'");
    while standby.one(&is_there).unwrap() == "f" {}
    server.stop("immediate").unwrap();
    server.tell("pg_ctl promote --wait --pgdata=standby").unwrap();
    // A session that has asked the standby.
    if reads_new_sequences(&standby, last) {
        server.tell(STOP_STANDBY).unwrap();
        return;
    }
    let error = standby.draw(KIND).unwrap_err();
    assert!(error.starts_with("the server cannot read the sequence tickid.word_1"), "{error}");
    drop(standby);
    // A clean restart in the place of the original does not help.
    server
        .tell(
            "pg_ctl stop --wait --mode=fast --pgdata=standby && mv data original && \
             mv standby data && sed -i /unix_socket_directories.*sockets/d data/postgresql.conf",
        )
        .unwrap();
    server.begin().unwrap();
    let before = base.psql("SELECT 'tickid.word_1'::regclass::oid");
    mended(&base, Some(create), last, &mut follower);
    // As a call finds it that the statements overtake.
    let check = format!("tickid.check_readable_v1({before}::regclass)");
    let error = base.session().one(&check).unwrap_err();
    assert!(error.starts_with("the server cannot read the sequence"), "{error}");
}

/// It is recovered to a point after that.
fn functions_newer_than_a_backup_are_mended(_: &Postgres) {
    for cure in [Some(create as fn(&Base<'_>)), None] {
        let server = Postgres::start().unwrap();
        let base = Base::empty(&server);
        server
            .tell(
                "pg_basebackup --host=\"$PWD\" --username=tickid --pgdata=backup \
                 --checkpoint=fast --wal-method=fetch",
            )
            .unwrap();
        let (last, mut follower) = new_functions(&base, create);
        server.stop("fast").unwrap();
        server
            .tell(
                "mv data original && mv backup data && touch data/recovery.signal && \
                 echo \"restore_command = 'cp ../original/pg_wal/%f %p'\" \
                 >>data/postgresql.conf",
            )
            .unwrap();
        server.begin().unwrap();
        while server.psql(&base.name, "SELECT pg_is_in_recovery()").unwrap() == "t" {}
        if !reads_new_sequences(&base.session(), last) {
            mended(&base, cure, last, &mut follower);
        }
    }
}
