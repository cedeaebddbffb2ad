//! No role without rights on the schema gets its own functions called, nor does a copied database
//! grant a window twice.

use core::time::Duration;
use std::collections::BTreeSet;

use tickid_lease::admin::Start;
use tickid_lease::session::{Claim, Token};
use tickid_lease::{Store, StoreError};
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::{Postgres, Test};

use crate::error_chain::causes;
use crate::postgres::database::Database;
use crate::sql::{acquire, answer, assert_goes_on, begin, realm, realm_named, renew};

pub(crate) const TESTS: [Test<Postgres>; 5] = [
    ("functions_set_the_search_path", functions_set_the_search_path),
    ("planted_objects_are_never_called", planted_objects_are_never_called),
    ("without_path_functions_call_it", without_path_functions_call_it),
    ("without_path_script_calls_it", without_path_script_calls_it),
    ("copied_database_is_harmless", copied_database_is_harmless),
];

const SCHEMA: &str = include_str!("../../../src/postgres/schema.sql");
const SETTING: &str = " SET search_path = pg_catalog, pg_temp";
/// No lease ends before its test.
const TERM: Duration = Duration::from_secs(3_600);

/// Types. Most of their pairs and triples are planted.
const TYPES: [&str; 15] = [
    "int2",
    "int4",
    "int8",
    "numeric",
    "float8",
    "text",
    "name",
    "json",
    "jsonb",
    "bool",
    "oid",
    "timestamptz",
    "int4[]",
    "anyelement",
    "anyarray",
];
/// The types that functions with three arguments are planted for.
const FEW_TYPES: [&str; 6] = ["int4", "int8", "numeric", "text", "bool", "anyelement"];
/// Of functions with any number of arguments, the calls of the schema as the arguments' types are.
const LONG: [&str; 4] = [
    "text, json, text, int8",
    "text, json, text, json, text, text, text, int8",
    "text, int4, text, int8",
    "text, anyelement",
];

/// The script without comments and without what is between quotes: its words and operators.
fn code() -> String {
    let mut code = String::new();
    for line in SCHEMA.lines() {
        let (line, _) = line.split_once("--").unwrap_or((line, ""));
        for (number, part) in line.split('\'').enumerate() {
            code.push_str(if number % 2 == 0 { part } else { " " });
        }
        code.push('\n');
    }
    code
}

/// All words that a parenthesis follows, and all runs of the characters that operators are made of.
fn words_and_operators() -> (BTreeSet<String>, BTreeSet<String>) {
    let code = code().replace("$$", " ");
    let is_word = |symbol: char| symbol.is_ascii_alphanumeric() || symbol == '_';
    let (mut words, mut operators) = (BTreeSet::new(), BTreeSet::new());
    let (mut word, mut operator) = (String::new(), String::new());
    for symbol in code.chars() {
        if is_word(symbol) {
            word.push(symbol);
        } else {
            if symbol == '(' && !word.is_empty() {
                words.insert(word.clone());
            }
            word.clear();
        }
        if "+-*/<>=~!@#%^&|?".contains(symbol) {
            operator.push(symbol);
        } else if !operator.is_empty() {
            operators.insert(core::mem::take(&mut operator));
        }
    }
    (words, operators)
}

fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = items.into_iter().map(|item| format!("'{item}'")).collect();
    format!("ARRAY[{}]", quoted.join(", "))
}

/// Has a role that may create objects in `public`, and nothing else, plant there every function and
/// operator of `pg_catalog` that the script names, for all plausible types, and domains that are
/// called as the types are. Each raises an error when it is called. Returns the number of functions
/// or of operators, whichever is lower.
fn plant(database: &Database<'_>) -> usize {
    let mallory = format!("mallory_of_{}", database.name);
    let (words, operators) = words_and_operators();
    let words = list(words.iter().map(String::as_str));
    let operators = list(operators.iter().map(String::as_str));
    let (types, few, long) = (list(TYPES), list(FEW_TYPES), list(LONG));
    database.psql(&format!(
        "CREATE ROLE {mallory}; GRANT CREATE, USAGE ON SCHEMA public TO {mallory};
SET SESSION AUTHORIZATION {mallory}; SET search_path = pg_catalog;
CREATE TYPE public.planted AS ENUM ();
DO $plant$
DECLARE
    types text[] := {types};
    few text[] := {few};
    name text;
    arguments text;
    a text;
    b text;
BEGIN
    FOR name, arguments IN
        WITH called AS (
            SELECT DISTINCT proname, pronargs, provariadic <> 0 AS is_variadic FROM pg_proc
            WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY ({words})
        ),
        one AS (SELECT unnest(types) AS args),
        two AS (SELECT x.args || ', ' || y.args AS args FROM one AS x, one AS y),
        small AS (SELECT unnest(few) AS args),
        three AS (
            SELECT x.args || ', ' || y.args || ', ' || z.args AS args
            FROM small AS x, small AS y, small AS z
        )
        SELECT proname, '' FROM called WHERE pronargs = 0
        UNION SELECT proname, args FROM called, one WHERE pronargs = 1
        UNION SELECT proname, args FROM called, two WHERE pronargs = 2
        UNION SELECT proname, args FROM called, three WHERE pronargs = 3
        UNION SELECT proname, unnest({long}) FROM called WHERE is_variadic
    LOOP
        EXECUTE format(
            'CREATE FUNCTION public.%I(%s) RETURNS public.planted LANGUAGE plpgsql AS '
                '$f$ BEGIN RAISE EXCEPTION ''planted function %s''; END $f$',
            name, arguments, name
        );
    END LOOP;
    FOREACH a IN ARRAY types LOOP
        EXECUTE format('CREATE FUNCTION public.planted_operator(%s) RETURNS public.planted LANGUAGE plpgsql AS '
            '$f$ BEGIN RAISE EXCEPTION ''planted operator''; END $f$', a);
        FOREACH b IN ARRAY types LOOP
            EXECUTE format('CREATE FUNCTION public.planted_operator(%s, %s) RETURNS public.planted '
                'LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''planted operator''; END $f$', a, b);
        END LOOP;
    END LOOP;
    FOR name, a, b IN
        SELECT DISTINCT oprname, CASE WHEN oprkind = 'b' THEN x END, y
        FROM pg_operator, unnest(types) AS x, unnest(types) AS y
        WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = ANY ({operators})
    LOOP
        EXECUTE format('CREATE OPERATOR public.%s (%sRIGHTARG = %s, FUNCTION = public.planted_operator)',
            name, coalesce('LEFTARG = ' || a || ', ', ''), b);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['text', 'json', 'jsonb', 'bigint', 'int8', 'int4', 'numeric'] LOOP
        EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.text CHECK (false)', name);
    END LOOP;
END
$plant$"
    ));
    let count = |table: &str, namespace: &str| -> usize {
        let count = database.psql(&format!(
            "SET search_path = pg_catalog; SELECT count(*) FROM {table} \
             WHERE {namespace} = 'public'::regnamespace"
        ));
        count.parse().unwrap()
    };
    count("pg_proc", "pronamespace").min(count("pg_operator", "oprnamespace"))
}

/// Sends every request that there is. The store connects as an administrator.
fn use_all(store: &Store) -> Result<(), StoreError> {
    // One size of nodes, then two.
    for (name, pool) in [("test", "0-3/2"), ("mixed", "0/1,2-3/2")] {
        let realm = realm_named(name, pool, TERM);
        answer(store.create(&realm, Start::Immediately))?;
        answer(store.reconfigure(&realm_named(name, "0-1/2", TERM)))?;
        answer(store.reconfigure(&realm))?;
        let mut claim = Claim::new(Token::random().unwrap(), "a test", Some(1 << 45));
        let lease = answer(store.acquire(&realm, &mut claim))?;
        assert_eq!(answer(store.acquire(&realm, &mut claim))?.node, lease.node);
        let mut lease = answer(store.acquire(&realm, &mut claim))?;
        for _ in 0..2 {
            lease = renew(store, &realm, &lease)?;
        }
        answer(store.release(&realm, &lease, Some(lease.floor)))?;
        loop {
            match acquire(store, &realm) {
                Ok(_) => {}
                Err(error) if error.refusal().is_some() => break,
                Err(error) => return Err(error),
            }
        }
        answer(store.list(realm.name()))?;
        answer(store.invalidate(&realm))?;
        answer(store.repair_all(realm.name()))?;
    }
    answer(store.realms()).map(drop)
}

/// Puts `public` before `pg_catalog` for all sessions to come: the worst that a setting can do.
fn put_public_first(database: &Database<'_>) {
    let name = &database.name;
    database.psql(&format!("ALTER DATABASE {name} SET search_path = public, pg_catalog"));
}

fn functions_set_the_search_path(server: &Postgres) {
    let database = Database::new(server);
    database.psql(PostgresBackend::RESERVATIONS);
    let functions = "SELECT count(*), count(*) FILTER (WHERE proconfig @> \
                     ARRAY['search_path=pg_catalog, pg_temp']) FROM pg_proc \
                     WHERE pronamespace = 'tickid'::regnamespace";
    let count = PostgresBackend::RESERVATIONS.matches("CREATE OR REPLACE FUNCTION").count();
    assert_eq!(database.psql(functions), format!("{count}|{count}"));
}

fn planted_objects_are_never_called(server: &Postgres) {
    let database = Database::empty(server);
    let planted = plant(&database);
    assert!(planted > 900, "only {planted} functions and operators");
    // The caller is an administrator, the most valuable target.
    let use_it = || use_all(&database.client()).map_err(|error| causes(&error));
    use_it().unwrap();
    database.psql("DROP SCHEMA tickid CASCADE");
    put_public_first(&database);
    use_it().unwrap();
}

/// A call of each function, as an administrator may write it.
const CALLS: [(&str, &str); 7] = [
    ("generation_v1", "tickid.generation_v1()"),
    ("now_micros_v1", "tickid.now_micros_v1()"),
    ("settings_v1", "tickid.settings_v1()"),
    ("restore_reserved_v1", "tickid.restore_reserved_v1('test')"),
    ("read_v1", "* FROM tickid.read_v1('test', '', '', '5', '5')"),
    (
        "commit_v1",
        "tickid.commit_v1('test', 'x', '0', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ),
    (
        "commit_v2",
        "tickid.commit_v2('test', 'x', '0', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ),
];

/// Shows that the test above can fail, for each function and for every caller.
fn without_path_functions_call_it(server: &Postgres) {
    let database = Database::empty(server);
    plant(&database);
    put_public_first(&database);
    database.psql(SCHEMA);
    use_all(&database.client()).unwrap();
    let functions: Vec<_> = SCHEMA
        .split_inclusive("\n$$;\n")
        .filter_map(|statement| {
            let at = statement.find("CREATE OR REPLACE FUNCTION tickid.")?;
            let function = &statement[at..];
            let (name, _) =
                function["CREATE OR REPLACE FUNCTION tickid.".len()..].split_once('(')?;
            Some((name, function))
        })
        .collect();
    assert_eq!(functions.len(), CALLS.len());
    for (name, function) in functions {
        let (_, call) = CALLS.iter().find(|(called, _)| *called == name).unwrap();
        let call = format!("SELECT {call}");
        database.psql(&call);
        let unset = function.replacen(SETTING, "", 1);
        assert_ne!(unset, function);
        // The types of its arguments would be the planted ones, too.
        database.psql(&format!("SET search_path = pg_catalog; {unset}"));
        // Only the setting has changed, so the planted objects are the reason, by a call or by
        // their types.
        assert!(server.psql(&database.name, &call).is_err(), "{name} does without its setting");
        database.psql(&format!("SET search_path = pg_catalog; {function}"));
        database.psql(&call);
    }
}

/// Not before anything else is looked up either.
fn without_path_script_calls_it(server: &Postgres) {
    let database = Database::empty(server);
    plant(&database);
    put_public_first(&database);
    let (_, rest) = SCHEMA.split_once("SET LOCAL search_path = pg_catalog, pg_temp;").unwrap();
    let error = server.psql(&database.name, rest).unwrap_err().to_string();
    assert!(error.contains("planted function to_regnamespace"), "{error}");
    database.psql(SCHEMA);
}

/// A copy within one server keeps the system's identifier and the timeline.
fn copied_database_is_harmless(server: &Postgres) {
    let database = Database::new(server);
    let realm = realm("0/1", TERM);
    let original = database.client();
    begin(&original, &realm);
    let first = acquire(&original, &realm).unwrap();
    // A database that sessions use cannot be copied.
    drop(original);
    let (name, copy) = (&database.name, format!("copy_of_{}", database.name));
    let create = format!("CREATE DATABASE {copy} TEMPLATE {name}");
    while server.psql(Postgres::DATABASE, &create).is_err_and(|error| {
        assert!(error.to_string().contains("being accessed"), "{error}");
        true
    }) {}
    let copy = Database { server, name: copy }.client();

    let error = renew(&copy, &realm, &first).unwrap_err();
    assert!(error.is_lost(), "{error}");
    // The leases of the original end below the copy's floor.
    let renewed = renew(&database.client(), &realm, &first).unwrap();
    assert_goes_on(&first, &renewed);
    let floor = answer(copy.realm(realm.name())).unwrap().floor;
    assert!(floor >= renewed.ceiling, "{floor} < {renewed:?}");
}
