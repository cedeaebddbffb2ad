//! A later release's statements in a database that has the functions of an earlier one.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::collections::BTreeMap;
use std::thread;

use tickid_lease::Store;
use tickid_lease::admin::Start;
use tickid_lease::session::{Claim, Token, block_on};
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Test};
use tickid_testkit::vectors::{self, Value};

use crate::base::{Base, KINDS, Kind, TIMEOUT};
use crate::follow::{Follower, Id, id_type};

pub(crate) const TESTS: [Test<Postgres>; 4] = [
    ("statements_go_over_those_of_an_earlier_tree", statements_go_over_those_of_an_earlier_tree),
    (
        "holders_go_over_the_tables_of_an_earlier_tree",
        holders_go_over_the_tables_of_an_earlier_tree,
    ),
    ("health_may_have_other_columns", health_may_have_other_columns),
    ("statements_of_an_earlier_release_are_refused", statements_of_an_earlier_release_are_refused),
];

/// What only the statements call, of this tree and of all earlier ones.
const OWN: &str = "'create_functions_v1', 'create_draw_v1', 'create_public_v1', 'ahead_v1',
    'node_facts_v1', 'again_v1', 'snowflake_facts_v1', 'layout_bits_v1', 'lock_realm_v1',
    'reserve_v1', 'tick_v1'";

const FILE: &str = "functions.json";

/// Returns the present statements for realms of all kinds, by line.
fn statements() -> Value {
    let [first, others @ ..] = KINDS.map(|kind| {
        let script = Script::new(&kind.realm(kind.pool().0), Start::Immediately);
        let statements = script.statements().unwrap();
        statements.trim_end().strip_suffix("COMMIT;").unwrap().to_owned()
    });
    // What comes before the last line is the same for all.
    let others = others.iter().map(|statements| statements.lines().last().unwrap());
    Value::from_iter(first.lines().chain(others).chain(["COMMIT;"]))
}

/// Returns those of all releases, by their versions.
fn recorded_statements() -> BTreeMap<String, String> {
    let text = |lines: Value| vectors::strings(&lines).join("\n");
    vectors::releases(FILE).into_iter().map(|(release, lines)| (release, text(lines))).collect()
}

/// Uses functions of a kind in all ways that PostgreSQL knows of.
fn use_functions(base: &Base<'_>, kind: Kind) {
    let (name, function, draw, id_type) =
        (kind.name(), kind.function(), kind.draw(), id_type(kind));
    base.psql(&format!(
        "CREATE TABLE public.{name} (
             id {id_type} PRIMARY KEY DEFAULT {draw},
             at timestamptz GENERATED ALWAYS AS (tickid.{function}_time('{name}', id)) STORED
         );
         CREATE INDEX ON public.{name} (tickid.{function}_encode(id));
         CREATE VIEW public.view_of_{name} AS
             SELECT id, tickid.{function}_time('{name}', id) = at AS is_same FROM public.{name}
             WHERE id >= tickid.{function}_min('{name}', '2026-01-01Z');
         CREATE FUNCTION public.draw_{name}() RETURNS {id_type} LANGUAGE sql VOLATILE
             BEGIN ATOMIC SELECT {draw}; END"
    ));
}

/// The arguments and the result of all functions that an earlier tree had, and the columns of its
/// tables.
fn signatures(base: &Base<'_>, names: &str) -> Vec<String> {
    let all = base.psql(&format!(
        "SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), provolatile
         FROM pg_proc WHERE pronamespace = 'tickid'::regnamespace
             AND proname IN ({names}) AND proname NOT IN ({OWN})
         UNION ALL
         SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), c.relkind
         FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'tickid'::regnamespace AND c.relkind IN ('r', 'v')
             AND a.attnum > 0 AND c.relname IN ({names}) ORDER BY 1, 2"
    ));
    all.lines().map(str::to_owned).collect()
}

/// Ends the writers, also if their test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Inserts until told otherwise, and takes no error.
fn insert_rows(base: &Base<'_>, kind: Kind, is_over: &AtomicBool, count: &AtomicU32) {
    let (session, mut last) = (base.session(), Id::new(""));
    let name = kind.name();
    while !is_over.load(Ordering::Relaxed) {
        for statement in [
            format!("INSERT INTO public.{name} DEFAULT VALUES RETURNING id"),
            format!("INSERT INTO public.{name} VALUES (public.draw_{name}()) RETURNING id"),
        ] {
            let id = Id::new(&session.ask(&statement).unwrap()[0]);
            assert!(last < id, "{kind:?}: {id:?} after {last:?}");
            last = id;
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Returns once each table has a few rows more.
fn await_rows(counts: &[AtomicU32]) {
    let before: Vec<_> = counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    let has_more = |(count, before): (&AtomicU32, &u32)| count.load(Ordering::Relaxed) > before + 9;
    while !counts.iter().zip(&before).all(has_more) {
        thread::yield_now();
    }
}

/// Those of one realm at a time, under load. The functions of the other realms stay as they are, and
/// call those that all share.
fn statements_go_over_those_of_an_earlier_tree(server: &Postgres) {
    vectors::record_release(FILE, statements);
    for (release, statements) in recorded_statements() {
        statements_go_over(server, &release, &statements);
    }
}

fn statements_go_over(server: &Postgres, release: &str, earlier: &str) {
    let base = Base::empty(server);
    base.psql(earlier);
    // A release before may have had other arguments where only its statements call.
    base.psql(
        "CREATE FUNCTION tickid.create_functions_v1(text, jsonb) RETURNS void LANGUAGE sql
             RETURN NULL;
         CREATE FUNCTION tickid.create_draw_v1(text) RETURNS void LANGUAGE sql RETURN NULL;
         CREATE FUNCTION tickid.reserve_v1(text) RETURNS void LANGUAGE sql RETURN NULL",
    );
    let names = base.psql(
        "SELECT string_agg(quote_literal(name), ', ') FROM (
             SELECT proname FROM pg_proc WHERE pronamespace = 'tickid'::regnamespace
             UNION SELECT relname FROM pg_class WHERE relnamespace = 'tickid'::regnamespace
         ) AS n (name)",
    );
    let before = signatures(&base, &names);
    for kind in KINDS {
        use_functions(&base, kind);
    }
    let (base, is_over) = (&base, &AtomicBool::new(false));
    let counts = &KINDS.map(|_| AtomicU32::new(0));
    let mut followers = KINDS.map(Follower::new);
    thread::scope(|scope| {
        for (kind, count) in KINDS.into_iter().zip(counts) {
            scope.spawn(move || insert_rows(base, kind, is_over, count));
        }
        let _over = Over(is_over);
        let session = base.session();
        let mut poll_all = || {
            await_rows(counts);
            for follower in &mut followers {
                follower.poll(&session).unwrap();
            }
        };
        poll_all();
        for (number, kind) in KINDS.into_iter().enumerate() {
            let script = Script::new(&kind.realm(kind.pool().0), Start::Delayed);
            if number % 2 == 0 {
                base.psql(&script.statements().unwrap());
            } else {
                run_in_transaction(base, &script.in_transaction().statements().unwrap());
            }
            poll_all();
        }
    });
    assert_eq!(signatures(base, &names), before, "{release}");
    let session = base.session();
    for (kind, mut follower) in KINDS.into_iter().zip(followers) {
        let name = kind.name();
        let newest = Id::new(&session.one(&kind.draw()).unwrap());
        while follower.poll(&session).unwrap() < newest {
            session.one(&kind.draw()).unwrap();
        }
        let rows = session.ask(&format!("SELECT id FROM public.{name} ORDER BY id")).unwrap();
        let rows: Vec<_> = rows.iter().map(|column| Id::new(column)).collect();
        assert_eq!(follower.read, rows, "{kind:?}");
        let seen = format!("count(*) FILTER (WHERE is_same) FROM public.view_of_{name}");
        assert_eq!(session.one(&seen).unwrap(), rows.len().to_string(), "{kind:?}");
    }
}

fn run_in_transaction(base: &Base<'_>, statements: &str) {
    let session = base.session();
    session.ask("BEGIN").unwrap();
    session.ask(statements).unwrap();
    session.ask("COMMIT").unwrap();
}

/// The first holder of this tree creates what it calls. Those of the earlier one go on.
fn holders_go_over_the_tables_of_an_earlier_tree(server: &Postgres) {
    let base = Base::empty(server);
    base.psql(&recorded_statements()["0.0.0"]);
    let (store, realm) = (Store::new(base.backend()), Kind::Nanoflake.realm("0-777/10"));
    let mut claim = Claim::new(Token::random().unwrap(), "test", None);
    let lease = block_on(store.acquire(&realm, &mut claim), TIMEOUT).unwrap();
    // As the earlier tree's holders renew the same lease.
    let row = "FROM tickid.node WHERE realm = 'nanoflake' AND data -> 'reserved' IS NULL";
    let session = base.session();
    let version = session.one(&format!("version {row}")).unwrap();
    let renew = format!(
        "SELECT tickid.commit_v1(realm, tickid.generation_v1(), (
                 SELECT r.version::text FROM tickid.realm AS r WHERE r.name = realm
             ), NULL, node, '{version}', NULL, data::text, ceiling::text, '0',
             '9223372036854775807') {row}"
    );
    assert_eq!(session.ask(&renew).unwrap(), ["done"]);
    assert_eq!(session.ask(&renew).unwrap(), [""; 0], "another version");
    block_on(store.renew(&realm, &lease), TIMEOUT).unwrap();
}

/// Nothing but people calls it, so that a later release can change it. Here an earlier one had other
/// columns, and was used by a view.
fn health_may_have_other_columns(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake, Kind::Scru64]);
    let set = |columns: &str| {
        base.psql(&format!(
            "DROP FUNCTION tickid.health();
             CREATE FUNCTION tickid.health() RETURNS TABLE ({columns})
             LANGUAGE plpgsql AS 'BEGIN END'"
        ));
        for (number, arguments) in [(1, "jsonb"), (2, "jsonb, boolean")] {
            base.psql(&format!(
                "DROP FUNCTION tickid.health_{number};
                 CREATE FUNCTION tickid.health_{number}({arguments}, OUT why text, OUT other text)
                 LANGUAGE sql RETURN ('of before'::text, 'other'::text)"
            ));
        }
    };
    let script = Script::new(&Kind::Nanoflake.realm(Kind::Nanoflake.pool().0), Start::Delayed);
    let statements = script.statements().unwrap();
    set("realm text, other integer");
    base.psql(&statements);
    let rows = "SELECT realm, bound IS NOT NULL, why FROM tickid.health() ORDER BY realm";
    assert_eq!(base.psql(rows), "nanoflake|t|\nscru64|f|of before");
    base.psql("CREATE VIEW public.seen AS SELECT * FROM tickid.health()");
    base.psql(&statements);
    base.psql("DROP VIEW public.seen");
    set("realm text, other integer");
    base.psql("CREATE VIEW public.seen AS SELECT * FROM tickid.health()");
    let error = server.psql(&base.name, &statements).unwrap_err().to_string();
    assert!(error.contains("view public.seen depends on function tickid.health()"), "{error}");
    assert_eq!(base.psql("SELECT other FROM public.seen"), "");
    base.psql(&format!("DROP VIEW public.seen; {statements}"));
    assert_eq!(base.psql(rows), "nanoflake|t|\nscru64|f|of before");
}

/// Those of a later one are not replaced by rules that it has changed.
fn statements_of_an_earlier_release_are_refused(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    let present = env!("CARGO_PKG_VERSION");
    let set = |version: &str| {
        base.psql(&format!(
            "CREATE OR REPLACE FUNCTION tickid.version_v1() RETURNS text
             LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '{version}'"
        ));
    };
    let functions = "SELECT md5(string_agg(prosrc, '' ORDER BY oid)) FROM pg_proc";
    let script = Script::new(&Kind::Nanoflake.realm(Kind::Nanoflake.pool().0), Start::Delayed);
    for later in ["10.0.0", "0.100.0"] {
        set(later);
        let before = base.psql(functions);
        let error = server.psql(&base.name, &script.statements().unwrap()).unwrap_err();
        let said = format!(
            "has the functions of tickid {later}, and these statements are of the earlier release"
        );
        assert!(error.to_string().contains(&said), "{error}");
        assert_eq!(base.psql(functions), before);
        base.session().draw(Kind::Nanoflake).unwrap();
    }
    set("0.0.9");
    base.psql(&script.statements().unwrap());
    assert!(present.starts_with(&base.psql("SELECT tickid.version_v1()")));
}
