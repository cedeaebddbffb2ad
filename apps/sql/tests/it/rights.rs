//! A role with USAGE on the schema can draw, and nothing else.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::thread;

use tickid_lease::admin::Start;
use tickid_lease::session::block_on;
use tickid_sql::Script;
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::{Postgres, Test};

use crate::base::{Base, KINDS, Kind, START, Session, TIMEOUT};

pub(crate) const TESTS: [Test<Postgres>; 12] = [
    ("usage_is_enough_and_gives_no_more", usage_is_enough_and_gives_no_more),
    ("planted_objects_are_never_called", planted_objects_are_never_called),
    ("sessions_in_any_state_draw", sessions_in_any_state_draw),
    ("other_locks_stop_no_draw", other_locks_stop_no_draw),
    ("maintenance_stops_no_draw", maintenance_stops_no_draw),
    ("unread_messages_stop_no_draw", unread_messages_stop_no_draw),
    ("a_message_under_the_lock_is_found", a_message_under_the_lock_is_found),
    ("other_locks_stop_no_installation", other_locks_stop_no_installation),
    ("no_setting_stops_a_draw", no_setting_stops_a_draw),
    ("no_setting_stops_an_installation", no_setting_stops_an_installation),
    ("an_owner_needs_no_superuser", an_owner_needs_no_superuser),
    ("other_names_change_nothing", other_names_change_nothing),
];

fn usage_is_enough_and_gives_no_more(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    let role = format!("app_of_{}", base.name);
    base.psql(&format!(
        "CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role};
         CREATE TABLE public.t (id bigint DEFAULT tickid.nanoflake('nanoflake'), x integer);
         GRANT SELECT, INSERT ON public.t TO {role}"
    ));
    let session = base.session();
    session.ask(&format!("SET SESSION AUTHORIZATION {role}")).unwrap();
    for kind in KINDS {
        session.draws(kind, 10).unwrap();
    }
    session.ask("INSERT INTO public.t (x) SELECT generate_series(1, 10)").unwrap();
    session.one("tickid.sno_min('sno', now())").unwrap();
    let denied = |statement: &str| {
        let error = session.ask(statement).unwrap_err();
        assert!(error.contains("permission denied") || error.contains("must be owner"), "{error}");
    };
    for number in 1..=KINDS.len() {
        for sequence in ["word", "written", "bound", "ready", "flushed", "home", "origin"] {
            let sequence = format!("tickid.{sequence}_{number}");
            denied(&format!("SELECT nextval('{sequence}')"));
            denied(&format!("SELECT setval('{sequence}', 5)"));
            denied(&format!("SELECT last_value FROM {sequence}"));
            denied(&format!("ALTER SEQUENCE {sequence} RESTART"));
        }
        denied(&format!("DO 'BEGIN LOCK TABLE tickid.lock_{number} IN ACCESS SHARE MODE; END'"));
        denied(&format!("SELECT tickid.advance_{number}(0, NULL)"));
    }
    denied("SELECT * FROM tickid.generator");
    denied("SELECT * FROM tickid.health()");
    denied("SELECT tickid.ahead_v1('nanoflake', 1)");
    denied("SELECT tickid.create_public_v1()");
    denied("SELECT tickid.create_draw_v1(1, 'sno', '{}')");
    denied("SELECT tickid.create_functions_v1('x', '{}', true, true, true)");
    denied("SELECT tickid.reserve_v1('x', '{}', 1, NULL)");
    denied("SELECT tickid.lock_realm_v1('x', '{}', '{}', true)");
    denied("CREATE OR REPLACE FUNCTION tickid.clock_v1() RETURNS bigint LANGUAGE sql RETURN 1");
    denied("CREATE FUNCTION tickid.mine() RETURNS bigint LANGUAGE sql RETURN 1");
}

/// The operators, functions and types that draws use, in a schema that every search path has first.
/// They are exact matches for the arguments of draws, which would be preferred.
fn plant(base: &Base<'_>) {
    let mut text = String::from("CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;");
    let mut create = |operator: &str, left: &str, right: &str, result: &str| {
        text.push_str(&format!(
            "CREATE OR REPLACE FUNCTION evil.to_{result}(pg_catalog.{left}, pg_catalog.{right})
             RETURNS pg_catalog.{result} LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'planted operator'; END $$;
             CREATE OPERATOR evil.{operator}
             (LEFTARG = pg_catalog.{left}, RIGHTARG = pg_catalog.{right},
              FUNCTION = evil.to_{result});"
        ));
    };
    for (left, right) in [("int8", "int8"), ("int8", "int4"), ("int4", "int8")] {
        for operator in ["&", "|", "+", "-", "*", "/", "%"] {
            create(operator, left, right, "int8");
        }
    }
    create("#", "int8", "int8", "int8");
    for operator in ["<", "<=", ">", ">=", "=", "<>"] {
        create(operator, "int8", "int4", "bool");
    }
    create("<<", "int8", "int4", "int8");
    create(">>", "int8", "int4", "int8");
    for call in [
        "nextval(pg_catalog.regclass)",
        "pg_sequence_last_value(pg_catalog.regclass)",
        "int8send(pg_catalog.int8)",
        "abs(pg_catalog.int8)",
        "clock_timestamp()",
        "random()",
        "now()",
    ] {
        text.push_str(&format!(
            "CREATE FUNCTION evil.{call} RETURNS pg_catalog.int8 LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'planted function'; END $$;"
        ));
    }
    text.push_str("CREATE DOMAIN evil.int8 AS pg_catalog.int8 CHECK (false);");
    base.psql(&format!("SET search_path = pg_catalog; {text}"));
}

fn planted_objects_are_never_called(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    base.script_clock();
    plant(&base);
    let path = "SET search_path = evil, pg_catalog";
    let session = base.session();
    session.ask(path).unwrap();
    // The planted objects work.
    assert!(session.one("1::pg_catalog.int8 & 1").unwrap_err().contains("planted"));
    // Beyond the bound, and within it.
    for micros in [0, 300_000, 2_000_000, 2_300_000, 4_000_000, 4_300_000] {
        session.set_clock(START + micros);
        for kind in KINDS {
            session.draw(kind).unwrap();
            session.draw(kind).unwrap();
        }
    }
    for form in [
        "nanoflake_next_text('nanoflake')",
        "scru64_next_text('scru64')",
        "sno_next_text('sno')",
        "kuid_next_text('kuid')",
        "kuid_local_bytes('kuid_local')",
        "sno_time('sno', tickid.sno_min('sno', pg_catalog.now()))",
        "kuid_time('kuid', tickid.kuid_max('kuid', pg_catalog.now()))",
        "scru64_time('scru64', tickid.scru64_max('scru64', pg_catalog.now()))",
    ] {
        session.one(&format!("tickid.{form}")).unwrap();
    }
    // Without a qualified name or a search path, a draw would call them.
    let is_hit = |micros| {
        let session = base.session();
        session.ask(path).unwrap();
        session.set_clock(START + micros);
        assert!(session.draw(Kind::Nanoflake).unwrap_err().contains("planted"));
    };
    base.psql("ALTER FUNCTION tickid.advance_1 RESET search_path");
    is_hit(4_400_000);
    base.plant("draw_1", "OPERATOR(pg_catalog.&)", "&");
    is_hit(4_500_000);
}

/// Settings, objects and transactions of a session change no ID, and nothing is drawn twice.
fn sessions_in_any_state_draw(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    let role = format!("odd_of_{}", base.name);
    base.psql(&format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role}"));
    let session = base.session();
    let mut last = KINDS.map(|kind| session.draw(kind).unwrap());
    let mut draw_all = |state: &str| {
        for (kind, last) in KINDS.into_iter().zip(&mut last) {
            let id = session.draw(kind).unwrap_or_else(|error| panic!("{state}: {error}"));
            assert!(*last < id, "{kind:?}, {state}: {id:?} after {last:?}");
            *last = id;
        }
    };
    for state in [
        "SET standard_conforming_strings = off; SET escape_string_warning = off",
        "SET bytea_output = hex; SET IntervalStyle = sql_standard; SET DateStyle = German",
        "SET extra_float_digits = -15; SET TimeZone = 'Asia/Kolkata'",
        "SET quote_all_identifiers = on; SET transform_null_equals = on",
        "SET plan_cache_mode = force_custom_plan; SET jit_above_cost = 0",
        "SET plpgsql.extra_errors = 'all'; SET lock_timeout = 1",
        "SET max_parallel_workers_per_gather = 8; SET parallel_setup_cost = 0",
        "SET default_transaction_isolation = serializable",
        "CREATE TEMP SEQUENCE word_1; CREATE TEMP TABLE lock_1 (); CREATE TEMP TABLE generator ()",
        "CREATE FUNCTION pg_temp.clock_v1() RETURNS bigint LANGUAGE sql RETURN 1",
        "SET search_path = pg_temp, tickid",
        "BEGIN; SAVEPOINT one; SELECT tickid.nanoflake('nanoflake'); ROLLBACK TO one",
        "DECLARE cursor CURSOR FOR SELECT tickid.sno('sno'); FETCH 1 FROM cursor",
        "COMMIT",
        "BEGIN; SELECT tickid.kuid('kuid')",
        "ROLLBACK",
        "DO $$ BEGIN PERFORM tickid.sno('sno'); RAISE 'x'; EXCEPTION WHEN OTHERS THEN NULL; END $$",
        "DISCARD ALL",
        &format!("SET ROLE {role}"),
        &format!("SET SESSION AUTHORIZATION {role}"),
        "SET search_path = ''",
    ] {
        session.ask(state).unwrap();
        draw_all(state);
    }
    for form in [
        "nanoflake_next_text('nanoflake')",
        "scru64_next_text('scru64')",
        "kuid_next_text('kuid')",
        "kuid_local_next_text('kuid_local')",
        "sno_next_text('sno', 3)",
    ] {
        let settings = "SET standard_conforming_strings = off; SET bytea_output = escape";
        session.ask(settings).unwrap();
        session.one(&format!("tickid.{form}")).unwrap();
    }
}

/// A draw takes no lock that another role can take, and keeps none.
fn other_locks_stop_no_draw(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    let role = format!("stranger_of_{}", base.name);
    base.psql(&format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role}"));
    base.script_clock();
    let (stranger, session) = (base.session(), base.session());
    stranger.ask(&format!("SET SESSION AUTHORIZATION {role}")).unwrap();
    stranger.ask("BEGIN").unwrap();
    stranger.draw(Kind::Nanoflake).unwrap();
    session.set_clock(START + 1_000_000);
    stranger.draw(Kind::Nanoflake).unwrap();
    let held = "count(*) FROM pg_locks WHERE relation = 'tickid.lock_1'::regclass OR database = \
                (SELECT oid FROM pg_database WHERE datname = current_database()) \
                AND locktype = 'advisory'";
    assert_eq!(session.one(held).unwrap(), "0");
    session.set_clock(START + 2_000_000);
    session.draw(Kind::Nanoflake).unwrap();
}

/// `ANALYZE` locks every table of the owner until its transaction ends.
fn maintenance_stops_no_draw(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.script_clock();
    base.give_up_soon();
    let (owner, session) = (base.session(), base.session());
    owner.ask("BEGIN; ANALYZE").unwrap();
    for second in 1..4 {
        session.set_clock(START + second * 1_000_000);
        session.draw(Kind::Nanoflake).unwrap();
    }
    owner.ask("COMMIT; BEGIN; LOCK TABLE tickid.lock_1 IN SHARE UPDATE EXCLUSIVE MODE").unwrap();
    session.set_clock(START + 5_000_000);
    let error = session.draw(Kind::Nanoflake).unwrap_err();
    assert!(error.contains("another session holds the lock of tickid.lock_1"), "{error}");
}

/// A client that reads no answer to what it sends.
struct Mute {
    stream: UnixStream,
    process: i32,
}

impl Mute {
    fn open(base: &Base<'_>, role: &str) -> Self {
        let socket = base.server.socket_folder().join(".s.PGSQL.5432");
        let mut stream = UnixStream::connect(socket).unwrap();
        let mut start = 196_608_i32.to_be_bytes().to_vec();
        start.extend(format!("user\0{role}\0database\0{}\0\0", base.name).bytes());
        let length = i32::try_from(start.len() + 4).unwrap();
        stream.write_all(&length.to_be_bytes()).unwrap();
        stream.write_all(&start).unwrap();
        let mut process = 0;
        loop {
            let mut head = [0; 5];
            stream.read_exact(&mut head).unwrap();
            let [kind, length @ ..] = head;
            let mut body = vec![0; usize::try_from(i32::from_be_bytes(length)).unwrap() - 4];
            stream.read_exact(&mut body).unwrap();
            match kind {
                // The backend's key.
                b'K' => process = i32::from_be_bytes(body[..4].try_into().unwrap()),
                b'E' => panic!("{}", String::from_utf8_lossy(&body)),
                b'Z' => return Self { stream, process },
                _ => {}
            }
        }
    }

    fn send(&mut self, statements: &str) {
        let length = i32::try_from(statements.len() + 5).unwrap();
        self.stream.write_all(b"Q").unwrap();
        self.stream.write_all(&length.to_be_bytes()).unwrap();
        self.stream.write_all(statements.as_bytes()).unwrap();
        self.stream.write_all(&[0]).unwrap();
    }
}

/// Fills the sockets of clients that ask for all messages and read none, at every message of a
/// draw. Those of parse trees would fill them before the lock. Returns the number of those that stopped with the lock.
fn stopped_with_the_lock(base: &Base<'_>) -> u32 {
    let role = format!("mute_of_{}", base.name);
    base.psql(&format!("CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA tickid TO {role}"));
    let watch = base.session();
    let mut count = 0;
    for messages in 0..14 {
        let mut mute = Mute::open(base, &role);
        mute.send(&format!(
            "SET client_min_messages = debug5; SET debug_print_plan = on;
             DO $$ BEGIN
                 FOR i IN 1..{messages} LOOP RAISE NOTICE 'one more'; END LOOP;
                 LOOP
                     FOR i IN 1..200 LOOP PERFORM tickid.nanoflake('nanoflake'); END LOOP;
                     RAISE NOTICE 'one more';
                 END LOOP;
             END $$"
        ));
        let process = mute.process;
        let waits = format!("wait_event FROM pg_stat_activity WHERE pid = {process}");
        while watch.one(&waits).unwrap() != "ClientWrite" {
            thread::yield_now();
        }
        let holds = format!(
            "count(*) FROM pg_locks WHERE pid = {process} AND relation = 'tickid.lock_1'::regclass"
        );
        if watch.one(&holds).unwrap() == "0" {
            watch.draws(Kind::Nanoflake, 5_000).unwrap();
        } else {
            count += 1;
        }
        drop(mute);
        // The next one finds the lock free.
        let lives = format!("count(*) FROM pg_stat_activity WHERE pid = {process}");
        while watch.one(&lives).unwrap() != "0" {
            thread::yield_now();
        }
    }
    count
}

fn unread_messages_stop_no_draw(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    assert_eq!(stopped_with_the_lock(&base), 0);
}

fn a_message_under_the_lock_is_found(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.psql("ALTER FUNCTION tickid.advance_1 RESET client_min_messages");
    assert!(stopped_with_the_lock(&base) > 0);
}

/// No role can take the lock that installations wait for, and they do wait for each other.
fn other_locks_stop_no_installation(server: &Postgres) {
    let base = Base::empty(server);
    let realm = Kind::Nanoflake.realm(Kind::Nanoflake.pool().0);
    let script = Script::new(&realm, Start::Immediately).statements().unwrap();
    assert!(!script.contains("advisory"));
    // Several create the schema.
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| base.psql(&script));
        }
    });
    assert_eq!(base.psql("SELECT count(*) FROM tickid.node"), "1");
    let role = format!("locker_of_{}", base.name);
    base.psql(&format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role}"));
    let stranger = base.session();
    stranger.ask(&format!("SET SESSION AUTHORIZATION {role}; BEGIN")).unwrap();
    let lock = "LOCK TABLE tickid.realm IN ACCESS SHARE MODE";
    assert!(stranger.ask(lock).unwrap_err().contains("permission denied"));
}

/// Settings of a database or role, from the session's start on.
fn no_setting_stops_an_installation(server: &Postgres) {
    for setting in ["standard_conforming_strings = off", "plpgsql.extra_errors = 'all'"] {
        let base = Base::empty(server);
        base.psql(&format!("ALTER DATABASE {} SET {setting}", base.name));
        let realm = Kind::Nanoflake.realm(Kind::Nanoflake.pool().0);
        base.create(&realm);
        base.psql(&Script::new(&realm, Start::Immediately).statements().unwrap());
        base.session().draws(Kind::Nanoflake, 10).unwrap();
    }
}

/// Every value of every switch that a role without rights can set, the ends of every range, and
/// texts. `exit_on_error` would end the session with a message under the lock, and before version
/// 17 a flush takes a table, which needs a tablespace.
fn no_setting_stops_a_draw(server: &Postgres) {
    let base = Base::new(server, &[Kind::Nanoflake]);
    base.script_clock();
    let (role, watch) = (format!("setter_of_{}", base.name), base.session());
    base.psql(&format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role}"));
    let mut settings = watch
        .ask(
            "SELECT name || ' = ' || quote_literal(value) FROM pg_settings,
                 unnest(CASE vartype WHEN 'bool' THEN '{on,off}' WHEN 'enum' THEN enumvals
                     ELSE ARRAY[min_val, max_val] END) AS value
             WHERE context = 'user' AND vartype <> 'string'
                 -- These say that nothing is to be written, or for how long.
                 AND name NOT IN ('default_transaction_read_only', 'transaction_read_only',
                     'statement_timeout')
             ORDER BY name",
        )
        .unwrap();
    assert!(settings.len() > 200, "{settings:?}");
    settings.extend(
        [
            "default_tablespace = pg_global",
            "temp_tablespaces = pg_global",
            "client_encoding = SJIS",
            "datestyle = 'SQL, MDY'",
            "restrict_nonsystem_relation_kind = 'view, foreign-table'",
        ]
        .map(str::to_owned),
    );
    let mut failed = Vec::new();
    for (second, setting) in settings.iter().enumerate() {
        let session = base.session();
        session.ask(&format!("SET SESSION AUTHORIZATION {role}")).unwrap();
        if session.ask(&format!("SET {setting}")).is_err() {
            continue;
        }
        // Starts a tick beyond the bound, which is flushed.
        watch.set_clock(START + 10_000_000 * i64::try_from(second).unwrap());
        if let Err(error) = session.draws(Kind::Nanoflake, 10) {
            failed.push(format!("{setting}: {error}"));
        }
        // But for snapshots from before the call.
        let is_refused =
            setting.starts_with("default_transaction_isolation") && !setting.contains("read ");
        let called = session.ask("CALL tickid.nanoflake_follow('nanoflake', 0)");
        if called.is_ok() == is_refused {
            failed.push(format!("{setting}: {called:?}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

fn an_owner_needs_no_superuser(server: &Postgres) {
    let base = Base::empty(server);
    let role = format!("owner_of_{}", base.name);
    base.psql(&format!(
        "CREATE ROLE {role} LOGIN; GRANT CREATE ON DATABASE {} TO {role}",
        base.name
    ));
    let url = base.url().replace(&format!("user={}", Postgres::USER), &format!("user={role}"));
    let backend = PostgresBackend::open(&url).unwrap();
    let realm = Kind::Sno.realm(Kind::Sno.pool().0);
    block_on(Script::new(&realm, Start::Immediately).install(&backend), TIMEOUT).unwrap();
    let session = Session::open(&url);
    for _ in 0..5 {
        session.draws(Kind::Sno, 100).unwrap();
    }
}

/// Neither a database nor the functions' owner is known by its name.
fn other_names_change_nothing(server: &Postgres) {
    let base = Base::empty(server);
    let owner = format!("owner_of_{}", base.name);
    base.psql(&format!(
        "CREATE ROLE {owner} LOGIN; GRANT CREATE ON DATABASE {} TO {owner}",
        base.name
    ));
    let url = base.url().replace(&format!("user={}", Postgres::USER), &format!("user={owner}"));
    let backend = PostgresBackend::open(&url).unwrap().with_timeout(TIMEOUT);
    for kind in KINDS {
        let script = Script::new(&kind.realm(kind.pool().0), Start::Immediately);
        block_on(script.install(&backend), TIMEOUT).unwrap();
    }
    drop(backend);
    let before = KINDS.map(|kind| base.session().draw(kind).unwrap());
    let renamed = Base { server, name: format!("{}_renamed", base.name) };
    let rename = format!(
        "ALTER DATABASE {} RENAME TO {}; ALTER ROLE {owner} RENAME TO {owner}_renamed",
        base.name, renamed.name
    );
    while server.psql(Postgres::DATABASE, &rename).is_err_and(|error| {
        assert!(error.to_string().contains("being accessed"), "{error}");
        true
    }) {}
    let session = renamed.session();
    for (kind, before) in KINDS.into_iter().zip(before) {
        let next = session.draw(kind).unwrap();
        assert!(next > before && next.node == before.node, "{kind:?}: {before:?}, {next:?}");
    }
}
