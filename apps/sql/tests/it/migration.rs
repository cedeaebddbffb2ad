//! The statements as a part of a migration tool's transaction.

use core::time::Duration;
use std::collections::BTreeSet;
use std::thread;

use tickid_lease::admin::Start;
use tickid_lease::session::block_on;
use tickid_lease::{LeasedGenerator, Realm, Store};
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, DISCORD, KINDS, Kind, Session, TIMEOUT};

pub(crate) const TESTS: [Test<Postgres>; 5] = [
    ("a_transaction_keeps_its_settings", a_transaction_keeps_its_settings),
    ("outside_of_a_transaction_nothing_is_done", outside_of_a_transaction_nothing_is_done),
    ("nothing_looks_like_a_parameter", nothing_looks_like_a_parameter),
    ("leases_renew_beside_a_migration", leases_renew_beside_a_migration),
    ("a_move_is_no_part_of_a_migration", a_move_is_no_part_of_a_migration),
];

fn script(kind: Kind) -> Script {
    Script::new(&kind.realm(kind.pool().0), Start::Immediately)
}

fn in_transaction(kind: Kind) -> String {
    script(kind).in_transaction().statements().unwrap()
}

/// All settings that a session can see. Those of PL/pgSQL appear with its first function.
fn settings(session: &Session) -> BTreeSet<String> {
    session.ask("DO 'BEGIN END'").unwrap();
    let settings = session.ask("SELECT name || ' = ' || setting FROM pg_settings").unwrap();
    settings.into_iter().collect()
}

/// The tool's own settings are in force for its next statement, and it decides what is done.
fn a_transaction_keeps_its_settings(server: &Postgres) {
    let base = Base::empty(server);
    base.psql(
        "CREATE SCHEMA evil; CREATE DOMAIN evil.text AS pg_catalog.text CHECK (false);
         CREATE FUNCTION evil.never(pg_catalog.text, pg_catalog.text) RETURNS pg_catalog.bool
         LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted operator'; END $$;
         CREATE OPERATOR evil.= (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text,
             FUNCTION = evil.never)",
    );
    for own in [
        "SET search_path = public; SET client_min_messages = debug1; SET lock_timeout = 0",
        "SET standard_conforming_strings = off; SET plpgsql.extra_errors = 'all'",
        "SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = '77s'",
        "SET search_path = evil, pg_catalog",
    ] {
        let session = base.session();
        let own = format!("BEGIN; {own}");
        for end in ["ROLLBACK", "COMMIT", "COMMIT"] {
            session.ask(&own).unwrap();
            let before = settings(&session);
            session.ask(&in_transaction(Kind::Nanoflake)).unwrap();
            let after = settings(&session);
            assert_eq!(after.difference(&before).collect::<Vec<_>>(), [""; 0], "{own}");
            session.ask("CREATE TABLE IF NOT EXISTS public.of_the_tool (id bigint)").unwrap();
            session.ask(end).unwrap();
            let is_there = "to_regclass('public.of_the_tool') IS NOT NULL
                AND to_regproc('tickid.nanoflake') IS NOT NULL";
            let is_committed = base.psql(&format!("SELECT {is_there}"));
            assert_eq!(is_committed, if end == "COMMIT" { "t" } else { "f" }, "{own}");
        }
        session.draws(Kind::Nanoflake, 10).unwrap();
        base.psql("DROP TABLE public.of_the_tool; DROP SCHEMA tickid CASCADE");
    }
}

/// Neither if the tool stops at the first error, nor if it goes on with the next statement.
fn outside_of_a_transaction_nothing_is_done(server: &Postgres) {
    let base = Base::empty(server);
    let (file, url) = (format!("{}.sql", base.name), base.url());
    std::fs::write(server.socket_folder().join(&file), in_transaction(Kind::Scru64)).unwrap();
    for (stops, status) in [("on", 3), ("off", 0)] {
        server
            .tell(&format!(
                "psql --no-psqlrc --quiet --set=ON_ERROR_STOP={stops} --dbname='{url}' \
                 --file={file} 2>{file}.errors; test $? = {status} && \
                 grep 'must run in a transaction, and there is none' {file}.errors"
            ))
            .unwrap();
        assert_eq!(base.psql("SELECT to_regnamespace('tickid') IS NULL"), "t");
    }
    server
        .tell(&format!(
            "psql --no-psqlrc --quiet --set=ON_ERROR_STOP=on --dbname='{url}' \
             --single-transaction --file={file}"
        ))
        .unwrap();
    base.session().draws(Kind::Scru64, 10).unwrap();
}

/// Returns what SQLAlchemy, JDBC, DBAL, node or PostgreSQL itself could take for parameters.
fn parameters(statements: &str) -> Vec<&str> {
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let bytes = statements.as_bytes();
    let is_one = |&at: &usize| match (bytes[at - 1], bytes[at], bytes[at + 1]) {
        (before, b':', after) => before != b':' && !is_word(before) && is_word(after),
        (before, b'$', after) => before != b'%' && !is_word(before) && after.is_ascii_digit(),
        (_, byte, _) => byte == b'?',
    };
    (1..bytes.len() - 1).filter(is_one).map(|at| &statements[at - 1..at + 2]).collect()
}

fn nothing_looks_like_a_parameter(_: &Postgres) {
    for kind in KINDS.into_iter().chain([Kind::Seconds]) {
        for statements in [script(kind).statements().unwrap(), in_transaction(kind)] {
            assert_eq!(parameters(&statements), [""; 0], "{kind:?}");
        }
    }
    assert_eq!(parameters(r#"{"a":1, "b": ':c' = $1 OR x = ? :: d::e}"#).len(), 4);
}

/// Renewals wait for the commit, and then go on: they are not refused, and no lease is lost.
fn leases_renew_beside_a_migration(server: &Postgres) {
    let base = Base::empty(server);
    let store = Store::new(base.backend());
    let realm = Realm::builder("other", DISCORD).pool("0-3/10").term(Duration::from_secs(10));
    let realm = realm.build().unwrap();
    block_on(store.create(realm.spec(), Start::Immediately), TIMEOUT).unwrap();
    let generator = LeasedGenerator::start(store, realm).unwrap();
    let node = generator.generate().unwrap().generator();
    let watch = base.session();
    let ceiling = || -> u64 {
        watch.one("ceiling FROM tickid.node WHERE realm = 'other'").unwrap().parse().unwrap()
    };
    let migration = base.session();
    for kind in [Kind::Nanoflake, Kind::Scru64] {
        migration.ask("BEGIN; CREATE TABLE IF NOT EXISTS public.of_the_tool (id bigint)").unwrap();
        migration.ask(&in_transaction(kind)).unwrap();
        let waiting =
            "count(*) FROM pg_locks WHERE relation = 'tickid.realm'::regclass AND NOT granted";
        while watch.one(waiting).unwrap() == "0" {
            thread::yield_now();
        }
        let before = ceiling();
        assert_eq!(generator.generate().unwrap().generator(), node);
        migration.ask("COMMIT").unwrap();
        while ceiling() == before {
            thread::yield_now();
        }
        assert_eq!(generator.generate().unwrap().generator(), node);
        migration.draws(kind, 10).unwrap();
    }
}

/// The node from before draws on until the commit, which may be long after.
fn a_move_is_no_part_of_a_migration(_: &Postgres) {
    let script = script(Kind::Nanoflake).another_node();
    script.statements().unwrap();
    let error = script.in_transaction().statements().unwrap_err();
    assert!(error.to_string().contains("is a transaction of its own"), "{error}");
}
