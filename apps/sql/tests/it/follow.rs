//! Who follows a table by ID misses no row, and only open transactions that drew hold it back.

use std::thread;

use tickid_lease::admin::Start;
use tickid_lease::{LeasedGenerator, Realm, RealmSpec, Store};
use tickid_nanoflake::NanoflakeId;
use tickid_sql::Script;
use tickid_testkit::servers::{Postgres, Server as _, Test};

use crate::base::{Base, DISCORD, KINDS, Kind, START, Session};
use crate::loss::{STOP_STANDBY, start_standby};

pub(crate) const TESTS: [Test<Postgres>; 22] = [
    ("only_open_drawers_hold_a_follower_back", only_open_drawers_hold_a_follower_back),
    ("rows_that_commit_late_are_followed", rows_that_commit_late_are_followed),
    ("a_base_of_the_present_word_is_found", a_base_of_the_present_word_is_found),
    ("a_follower_counts_its_own_draws", a_follower_counts_its_own_draws),
    ("programs_join_by_an_observed_draw", programs_join_by_an_observed_draw),
    ("prepared_rows_are_followed_across_a_crash", prepared_rows_are_followed_across_a_crash),
    ("ignored_prepared_drawers_are_found", ignored_prepared_drawers_are_found),
    ("ignored_names_of_a_restart_are_found", ignored_names_of_a_restart_are_found),
    ("rows_that_await_a_standby_are_followed", rows_that_await_a_standby_are_followed),
    ("a_standby_is_read_after_a_wait", a_standby_is_read_after_a_wait),
    ("old_snapshots_are_refused", old_snapshots_are_refused),
    ("followers_need_only_usage", followers_need_only_usage),
    ("a_copy_ignores_the_state_of_its_original", a_copy_ignores_the_state_of_its_original),
    ("followers_start_again_below_their_node", followers_start_again_below_their_node),
    ("two_moves_hide_no_row", two_moves_hide_no_row),
    ("a_long_move_hides_no_row", a_long_move_hides_no_row),
    ("followers_go_on_above_their_node", followers_go_on_above_their_node),
    ("drawers_of_an_earlier_node_are_awaited", drawers_of_an_earlier_node_are_awaited),
    ("plans_of_an_earlier_node_hide_no_row", plans_of_an_earlier_node_hide_no_row),
    ("ignored_plans_of_an_earlier_node_are_found", ignored_plans_of_an_earlier_node_are_found),
    ("followers_of_sno_check_the_reservation", followers_of_sno_check_the_reservation),
    ("a_server_that_keeps_no_lock_is_refused", a_server_that_keeps_no_lock_is_refused),
];

const KIND: Kind = Kind::Nanoflake;

pub(crate) const fn is_bytes(kind: Kind) -> bool {
    matches!(kind, Kind::Kuid | Kind::Sno)
}

pub(crate) const fn id_type(kind: Kind) -> &'static str {
    if is_bytes(kind) { "bytea" } else { "bigint" }
}

/// The text of a column, in the order of its values: the length first, since numbers are positive
/// and all bytes of a kind as many, except for the empty ones.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(usize, String);

impl Id {
    pub(crate) fn new(column: &str) -> Self {
        Self(column.len(), column.to_owned())
    }
}

/// What a follower keeps, and the rows that it has read.
#[derive(Clone, Debug)]
pub(crate) struct Follower {
    procedure: String,
    table: &'static str,
    pub(crate) last: String,
    pub(crate) state: Option<String>,
    pub(crate) read: Vec<Id>,
}

impl Follower {
    pub(crate) fn new(kind: Kind) -> Self {
        let procedure = format!("{}_follow('{}', ", kind.function(), kind.name());
        let last = if is_bytes(kind) { "\\x" } else { "0" }.to_owned();
        Self { procedure, table: kind.name(), last, state: None, read: Vec::new() }
    }

    /// Calls another procedure, of realm 1.
    pub(crate) fn by(self, procedure: &str) -> Self {
        Self { procedure: format!("{procedure}("), ..self }
    }

    /// Calls the procedure and reads the rows, in two statements. Returns the last ID.
    pub(crate) fn poll(&mut self, session: &Session) -> Result<Id, String> {
        self.poll_then_read(session, || Ok(session))
    }

    /// After an error, starts again where its hint says, without a state. Rows from there on are
    /// read again, and must be the same. Returns whether there was this error.
    pub(crate) fn starts_again(&mut self, session: &Session, error: &str) -> bool {
        if !error.contains("have moved to a node whose IDs start below") {
            return false;
        }
        let state = self.state.take().map_or("NULL".to_owned(), |state| format!("'{state}'"));
        let hint =
            session.hint(&format!("CALL tickid.{}'{}', {state})", self.procedure, self.last));
        let start = hint.strip_prefix("Start again after ").unwrap().strip_suffix('.').unwrap();
        let start = Id::new(start);
        assert!(start < Id::new(&self.last), "{start:?} is not below {}", self.last);
        self.read.retain(|id| *id <= start);
        self.last = start.1;
        true
    }

    /// Reads the rows in the session that is returned after the call.
    fn poll_then_read<'a>(
        &mut self,
        session: &Session,
        reader: impl FnOnce() -> Result<&'a Session, String>,
    ) -> Result<Id, String> {
        let (last, state) = session.follow(&self.procedure, &self.last, self.state.as_deref())?;
        let read = reader()?.ask(&format!(
            "SELECT id FROM public.{} WHERE id > '{}' AND id <= '{last}' ORDER BY id",
            self.table, self.last
        ))?;
        if Id::new(&last) < Id::new(&self.last) {
            return Err(format!("{last} after {}", self.last));
        }
        self.read.extend(read.iter().map(|column| Id::new(column)));
        (self.last, self.state) = (last, Some(state));
        Ok(Id::new(&self.last))
    }
}

/// A table of one kind of IDs, under a scripted clock.
struct Table<'a> {
    base: &'a Base<'a>,
    session: Session,
    kind: Kind,
}

impl<'a> Table<'a> {
    fn new(base: &'a Base<'a>, kind: Kind) -> Self {
        let id_type = id_type(kind);
        if base.psql("SELECT to_regclass('public.clock')").is_empty() {
            base.script_clock();
        }
        base.psql(&format!(
            "CREATE TABLE public.{} (id {id_type} PRIMARY KEY DEFAULT {})",
            kind.name(),
            kind.draw()
        ));
        Self { base, session: base.session(), kind }
    }

    /// Inserts a row, and then moves the clock to another tick, without which the last tick of sno
    /// is not over.
    fn insert(&self) -> Id {
        let id = insert(&self.session, self.kind);
        self.move_clock(2 * self.kind.micros_per_tick());
        id
    }

    fn move_clock(&self, by: i64) {
        let now = self.session.one("tickid.clock_v1()").unwrap();
        self.session.set_clock(now.parse::<i64>().unwrap() + by);
    }

    /// Asserts that a follower reads the newest row, and passes nothing that is drawn later.
    fn covers(&self, follower: &mut Follower, session: &Session) {
        let newest = self.insert();
        let last = follower.poll(session).unwrap();
        let next = Id::new(&self.session.one(&self.kind.draw()).unwrap());
        assert!(newest <= last && last < next, "{:?}: {newest:?}, {last:?}, {next:?}", self.kind);
    }

    /// Compares the rows that a follower has read with all rows.
    fn has_all(&self, follower: &Follower) -> Result<(), String> {
        let all = format!("SELECT id FROM public.{} ORDER BY id", self.kind.name());
        let all: Vec<_> = self.session.ask(&all)?.iter().map(|column| Id::new(column)).collect();
        if follower.read == all {
            return Ok(());
        }
        Err(format!("{:?}: read {:?}, not {all:?}", self.kind, follower.read))
    }
}

/// Inserts a row, also in a transaction.
fn insert(session: &Session, kind: Kind) -> Id {
    let statement = format!("INSERT INTO public.{} DEFAULT VALUES RETURNING id", kind.name());
    Id::new(&session.ask(&statement).unwrap()[0])
}

/// Has a copy wait until it is beyond its original.
fn leave_original(copy: &Base<'_>, kinds: &[Kind]) {
    copy.give_up_soon();
    let session = copy.session();
    for &kind in kinds {
        assert!(session.draw(kind).unwrap_err().contains("behind the next ID"));
    }
    copy.set_clock(START + 60_000_000);
}

fn only_open_drawers_hold_a_follower_back(server: &Postgres) {
    let (base, away) = (Base::new(server, &KINDS), Base::new(server, &[KIND]));
    base.script_clock();
    let copy = base.copy();
    leave_original(&copy, &KINDS);
    let [reader, writer, drawer, session] = [(); 4].map(|()| base.session());
    let [foreign, copied] = [&away, &copy].map(|base| base.session());
    for kind in KINDS {
        let table = Table::new(&base, kind);
        let other = if kind == KIND { Kind::Scru64 } else { KIND };
        reader.ask("BEGIN ISOLATION LEVEL REPEATABLE READ; TABLE tickid.generator").unwrap();
        writer.ask("BEGIN; CREATE TABLE public.written (n integer)").unwrap();
        foreign.ask(&format!("BEGIN; SELECT {}", KIND.draw())).unwrap();
        // Its word has the same OID.
        copied.ask(&format!("BEGIN; SELECT {}", kind.draw())).unwrap();
        drawer.ask(&format!("BEGIN; SELECT {}", other.draw())).unwrap();
        table.covers(&mut Follower::new(kind), &session);
        for session in [&reader, &writer, &foreign, &copied, &drawer] {
            session.ask("ROLLBACK").unwrap();
        }
    }
}

/// A row is drawn, another one is drawn later and committed, and then the first one is.
fn commit_late(base: &Base<'_>, kind: Kind) -> Result<(), String> {
    let table = Table::new(base, kind);
    let [drawer, session] = [(); 2].map(|()| base.session());
    let mut follower = Follower::new(kind);
    table.covers(&mut follower, &session);
    let before = follower.poll(&session)?;
    drawer.ask("BEGIN; SAVEPOINT a")?;
    let drawn = drawer.one(&kind.draw())?;
    // The draw outlives the savepoint, and so does the lock.
    drawer.ask("ROLLBACK TO a; DISCARD SEQUENCES")?;
    let mut late = Follower { last: before.1.clone(), ..Follower::new(kind) };
    for _ in 0..3 {
        let newest = table.insert();
        let last = follower.poll(&session)?;
        if last >= Id::new(&drawn) {
            return Err(format!("{kind:?}: {last:?} passes {drawn}"));
        }
        assert!(before <= last && last < newest, "{before:?}, {last:?}, {newest:?}");
        // Without a state, nothing is known of the drawer.
        late.state = None;
        assert_eq!(late.poll(&session)?, before);
    }
    drawer.ask(&format!("INSERT INTO public.{} VALUES ('{drawn}'); COMMIT", kind.name()))?;
    table.covers(&mut follower, &session);
    table.covers(&mut late, &session);
    follower.poll(&session)?;
    table.has_all(&follower)
}

fn rows_that_commit_late_are_followed(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    for kind in KINDS {
        commit_late(&base, kind).unwrap();
    }
}

fn a_base_of_the_present_word_is_found(server: &Postgres) {
    let base = Base::new(server, &[KIND]);
    base.plant("follow_1", "ELSE before -> 'word' END", "ELSE to_jsonb(word) END");
    assert!(commit_late(&base, KIND).unwrap_err().contains("passes"));
}

/// Also those of sno, whose call draws itself.
fn a_follower_counts_its_own_draws(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    for kind in KINDS {
        let table = Table::new(&base, kind);
        let session = base.session();
        let mut follower = Follower::new(kind);
        table.covers(&mut follower, &session);
        session.ask("BEGIN").unwrap();
        let drawn = session.one(&kind.draw()).unwrap();
        for _ in 0..2 {
            table.insert();
            let last = follower.poll(&session).unwrap();
            assert!(last < Id::new(&drawn), "{kind:?}: {last:?} passes {drawn}");
        }
        let statement = format!("INSERT INTO public.{} VALUES ('{drawn}'); COMMIT", kind.name());
        session.ask(&statement).unwrap();
        table.covers(&mut follower, &session);
        table.has_all(&follower).unwrap();
    }
}

/// The transaction that draws one ID counts as a drawer, whose IDs are greater.
fn programs_join_by_an_observed_draw(server: &Postgres) {
    let base = Base::new(server, &[KIND]);
    let realm = Realm::builder(KIND.name(), DISCORD).pool(KIND.pool().0).build().unwrap();
    let generator = LeasedGenerator::start(Store::new(base.backend()), realm).unwrap();
    let [program, other, session] = [(); 3].map(|()| base.session());
    base.psql("CREATE TABLE public.nanoflake (id bigint DEFAULT tickid.nanoflake('nanoflake'))");
    let (mut follower, mut ids) = (Follower::new(KIND), Vec::new());
    follower.poll(&session).unwrap();
    for _ in 0..50 {
        program.ask("BEGIN").unwrap();
        let drawn: i64 = program.one(&KIND.draw()).unwrap().parse().unwrap();
        // Under wait, a node below the functions' follows the ID when its tick is over.
        while let Err(error) = generator.observe(NanoflakeId::new(drawn).unwrap()) {
            assert!(error.to_string().contains("ahead of the clock"), "{error}");
        }
        let made = generator.generate().unwrap().get();
        assert!(drawn < made);
        program.ask(&format!("INSERT INTO public.nanoflake VALUES ({made})")).unwrap();
        insert(&other, KIND);
        let last = follower.poll(&session).unwrap();
        assert!(last < Id::new(&made.to_string()), "{last:?} passes {made}");
        program.ask("COMMIT").unwrap();
        ids.push(made);
    }
    // They are read when the functions have drawn a greater one.
    while follower.poll(&session).unwrap() < Id::new(&ids[ids.len() - 1].to_string()) {
        insert(&other, KIND);
    }
    let missed = ids.iter().find(|id| !follower.read.contains(&Id::new(&id.to_string())));
    assert_eq!(missed, None);
}

/// A server that prepares transactions, and has the data of those that waited for the log.
pub(crate) fn own_server() -> Postgres {
    let server = Postgres::start().unwrap();
    server.tell("printf 'max_prepared_transactions = 20\\n' >>data/postgresql.conf").unwrap();
    server.restart("fast").unwrap();
    server
}

fn prepare_and_crash(base: &Base<'_>) -> Result<(), String> {
    let table = Table::new(base, KIND);
    let [drawer, session] = [(); 2].map(|()| base.session());
    table.session.ask("SET synchronous_commit = on")?;
    let mut follower = Follower::new(KIND);
    table.covers(&mut follower, &session);
    drawer.ask("BEGIN")?;
    let prepared = insert(&drawer, KIND);
    drawer.ask("PREPARE TRANSACTION 'one'")?;
    for _ in 0..2 {
        table.insert();
        let last = follower.poll(&session)?;
        if last >= prepared {
            return Err(format!("{last:?} passes {prepared:?}"));
        }
    }
    let newest = table.insert();
    drop((table, drawer, session));
    base.server.restart("immediate").unwrap();
    base.set_clock(START + 60_000_000);
    let table = Table { base, session: base.session(), kind: KIND };
    let session = base.session();
    // Its name is another one now. Nobody has drawn, and the word is lost.
    assert_eq!(base.psql("SELECT is_called FROM tickid.word_1"), "f");
    let mut forgetful = Follower { state: None, ..follower.clone() };
    for follower in [&mut follower, &mut forgetful] {
        let last = follower.poll(&session)?;
        if last >= prepared {
            return Err(format!("{last:?} passes {prepared:?} after a crash"));
        }
    }
    table.session.ask("COMMIT PREPARED 'one'")?;
    for follower in [&mut follower, &mut forgetful] {
        // Up to where the lost word starts, before any draw.
        let last = follower.poll(&session)?;
        assert!(newest <= last, "{last:?}");
        assert!(last < table.insert());
        follower.poll(&session)?;
    }
    follower.poll(&session)?;
    table.has_all(&follower).and(table.has_all(&forgetful))
}

fn prepared_rows_are_followed_across_a_crash(_: &Postgres) {
    let server = own_server();
    prepare_and_crash(&Base::new(&server, &[KIND])).unwrap();
}

fn ignored_prepared_drawers_are_found(_: &Postgres) {
    let server = own_server();
    let base = Base::new(&server, &[KIND]);
    let mode = "AND l.mode = 'RowExclusiveLock'";
    base.plant("follow_1", mode, &format!("{mode} AND l.pid IS NOT NULL"));
    let error = prepare_and_crash(&base).unwrap_err();
    assert!(error.contains("passes") && !error.contains("crash"), "{error}");
}

fn ignored_names_of_a_restart_are_found(_: &Postgres) {
    let server = own_server();
    let base = Base::new(&server, &[KIND]);
    base.plant("follow_1", "l.virtualtransaction LIKE '-1/%'", "false");
    let error = prepare_and_crash(&base).unwrap_err();
    assert!(error.contains("after a crash"), "{error}");
}

/// A commit that waits for a standby is in the log, and not visible yet.
fn rows_that_await_a_standby_are_followed(_: &Postgres) {
    let server = own_server();
    let base = Base::new(&server, &[KIND]);
    let table = Table::new(&base, KIND);
    let session = base.session();
    let mut follower = Follower::new(KIND);
    table.covers(&mut follower, &session);
    base.psql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    base.psql("SELECT pg_reload_conf()");
    let waits = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let (held, row) = thread::scope(|scope| {
        loop {
            let thread = scope.spawn(|| {
                let session = base.session();
                session.ask("SET synchronous_commit = on").unwrap();
                insert(&session, KIND)
            });
            // Until the server has read its settings, commits do not wait.
            while session.ask(waits).unwrap().is_empty() && !thread.is_finished() {}
            let waiting = session.ask(waits).unwrap();
            if waiting.is_empty() {
                thread.join().unwrap();
                continue;
            }
            let seen = session.one("count(*) FROM public.nanoflake").unwrap();
            follower.poll(&session).unwrap();
            table.insert();
            let held = follower.poll(&session).unwrap();
            assert_eq!(follower.read.len().to_string(), seen);
            session.one(&format!("pg_cancel_backend({})", waiting[0])).unwrap();
            return (held, thread.join().unwrap());
        }
    });
    assert!(held < row, "{held:?}, {row:?}");
    table.covers(&mut follower, &session);
    table.has_all(&follower).unwrap();
}

/// A standby replays when it is told to, and so is behind without the wait.
fn a_standby_is_read_after_a_wait(_: &Postgres) {
    let server = own_server();
    let base = Base::new(&server, &[KIND]);
    let table = Table::new(&base, KIND);
    let primary = base.session();
    let standby = start_standby(&base);
    let error = Follower::new(KIND).poll(&standby).unwrap_err();
    assert!(error.contains("recovery"), "{error}");
    let [mut waiting, mut hasty] = [(); 2].map(|()| Follower::new(KIND));
    for _ in 0..5 {
        standby.one("pg_wal_replay_pause()").unwrap();
        while standby.one("pg_get_wal_replay_pause_state()").unwrap() != "paused" {}
        table.insert();
        hasty.poll_then_read(&primary, || Ok(&standby)).unwrap();
        waiting
            .poll_then_read(&primary, || {
                let position = primary.one("pg_current_wal_insert_lsn()")?;
                standby.one("pg_wal_replay_resume()")?;
                while standby.one(&format!("pg_last_wal_replay_lsn() >= '{position}'"))? == "f" {}
                Ok(&standby)
            })
            .unwrap();
    }
    table.has_all(&waiting).unwrap();
    table.has_all(&hasty).unwrap_err();
    server.tell(STOP_STANDBY).unwrap();
}

fn old_snapshots_are_refused(server: &Postgres) {
    let base = Base::new(server, &[KIND, Kind::Sno]);
    let (table, session) = (Table::new(&base, KIND), base.session());
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        session.ask(&format!("BEGIN ISOLATION LEVEL {level}")).unwrap();
        let error = Follower::new(KIND).poll(&session).unwrap_err();
        assert!(error.ends_with(&format!("READ COMMITTED, and this one is {level}")), "{error}");
        session.ask("ROLLBACK").unwrap();
    }
    let error = session.one("tickid.nanoflake_follow('nanoflake', 0, NULL)").unwrap_err();
    assert!(error.contains("is a procedure"), "{error}");
    // A call writes nothing, except of sno, which draws.
    session.ask("BEGIN READ ONLY").unwrap();
    table.covers(&mut Follower::new(KIND), &session);
    let error = Follower::new(Kind::Sno).poll(&session).unwrap_err();
    assert!(error.contains("read-only"), "{error}");
}

fn followers_need_only_usage(server: &Postgres) {
    let base = Base::new(server, &KINDS);
    let (role, session) = (format!("app_of_{}", base.name), base.session());
    base.psql(&format!("CREATE ROLE {role}; GRANT USAGE ON SCHEMA tickid TO {role}"));
    session.ask(&format!("SET SESSION AUTHORIZATION {role}")).unwrap();
    for kind in KINDS {
        let table = Table::new(&base, kind);
        base.psql(&format!("GRANT SELECT ON public.{} TO {role}", kind.name()));
        table.covers(&mut Follower::new(kind), &session);
        for (realm, state, expected) in [
            ("'other'", "NULL", "there are no"),
            ("NULL", "NULL", "there are no"),
            (&*format!("'{}'", kind.name()), "'{'", "invalid input syntax for type json"),
        ] {
            let procedure =
                format!("CALL tickid.{}_follow({realm}, NULL, {state})", kind.function());
            let error = session.ask(&procedure).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}

fn a_copy_ignores_the_state_of_its_original(server: &Postgres) {
    let base = Base::new(server, &[KIND]);
    let table = Table::new(&base, KIND);
    let mut follower = Follower::new(KIND);
    table.covers(&mut follower, &base.session());
    drop(table);
    let copy = base.copy();
    leave_original(&copy, &[KIND]);
    let table = Table { base: &copy, session: copy.session(), kind: KIND };
    let [drawer, session] = [(); 2].map(|()| copy.session());
    let before = follower.last.clone();
    drawer.ask(&format!("BEGIN; SELECT {}", KIND.draw())).unwrap();
    table.insert();
    assert_eq!(follower.poll(&session).unwrap(), Id::new(&before));
    drawer.ask("COMMIT").unwrap();
    table.covers(&mut follower, &session);
    table.has_all(&follower).unwrap();
}

/// Returns the statements of a script, which put back a clock of draws, an expression.
pub(crate) fn with_clock(script: &Script, clock: &str) -> String {
    let statements = script.statements().unwrap();
    let own = "date_part('epoch', clock_timestamp())";
    assert!(statements.contains(own));
    statements.replace(own, clock)
}

/// Returns the statements that move functions to another node, without their transaction.
pub(crate) fn moving_statements(realm: &RealmSpec, clock: &str) -> String {
    let script = Script::new(realm, Start::Delayed).another_node();
    let statements = with_clock(&script, clock);
    statements.strip_prefix("BEGIN;").unwrap().strip_suffix("COMMIT;\n").unwrap().to_owned()
}

/// Moves the functions to another node by the scripted clock.
fn move_functions(table: &Table<'_>, pool: &str) {
    begin_move(table, pool).ask("COMMIT").unwrap();
}

/// Returns the session whose transaction has moved them.
fn begin_move(table: &Table<'_>, pool: &str) -> Session {
    let clock = "pg_catalog.pg_sequence_last_value('public.clock') / 1000000::float8";
    let session = table.base.session();
    session.ask("BEGIN").unwrap();
    session.ask(&moving_statements(&table.kind.realm(pool), clock)).unwrap();
    session
}

/// Realms that can move, and pools of a few nodes. Some IDs have the node above, between or below
/// the rest.
const MOVING: [(Kind, &str); 5] = [
    (KIND, "0-9/10"),
    (Kind::Kuid, "0-9/32"),
    (Kind::Sno, "0-9/16"),
    (Kind::Scru64, "0-9/6"),
    (Kind::Sonyflake, "0-9/16"),
];
const DAY: i64 = 86_400_000_000;

/// A follower that is at an ID from ahead polls, as a program that is started anew each time: its
/// state, if it has one, is of the earlier node. Returns where it has started again.
fn catches_up(table: &Table<'_>, mut follower: Follower) -> Result<Vec<Id>, String> {
    let (session, mut starts) = (table.base.session(), Vec::new());
    for _ in 0..4 {
        let newest = table.insert();
        if let Err(error) = follower.poll(&session) {
            assert!(follower.starts_again(&session, &error), "{error}");
            starts.push(Id::new(&follower.last));
            follower.poll(&session)?;
        }
        follower.state = None;
        let last = Id::new(&follower.last);
        let all = format!("SELECT id FROM public.{} ORDER BY id", table.kind.name());
        let all: Vec<_> = session.ask(&all)?.iter().map(|column| Id::new(column)).collect();
        let passed = all.iter().filter(|id| **id <= last).count();
        if follower.read != all[..passed] || last < newest {
            return Err(format!(
                "{:?}: read {:?} up to {last:?}, not {all:?}",
                table.kind, follower.read
            ));
        }
    }
    Ok(starts)
}

/// One that is at an ID of the day ahead, with and without its state.
fn followers_ahead(table: &Table<'_>) -> [Follower; 2] {
    let (session, mut follower) = (table.base.session(), Follower::new(table.kind));
    table.covers(&mut follower, &session);
    table.move_clock(DAY);
    table.covers(&mut follower, &session);
    // The rows that are read are all that there are.
    table.insert();
    follower.poll(&session).unwrap();
    table.move_clock(-DAY + 60_000_000);
    [Follower { state: None, ..follower.clone() }, follower]
}

/// Once, also if a follower comes back after the IDs have passed its own, and also if it keeps no
/// state of the new node.
fn followers_start_again_below_their_node(server: &Postgres) {
    for ((kind, pool), way) in MOVING.into_iter().flat_map(|kind| [(kind, 0), (kind, DAY)]) {
        let base = Base::empty(server);
        base.create(&kind.realm(pool));
        let table = Table::new(&base, kind);
        let followers = followers_ahead(&table);
        move_functions(&table, pool);
        let first = table.insert();
        table.move_clock(way);
        for follower in followers {
            let ahead = Id::new(&follower.last);
            let starts = catches_up(&table, follower).unwrap();
            assert!(
                starts.len() == 1 && starts[0] < first && first < ahead,
                "{kind:?}: {starts:?}"
            );
        }
    }
}

/// Those who are at the first node's IDs start below those of all later ones.
fn two_moves_hide_no_row(server: &Postgres) {
    for (kind, pool) in MOVING {
        let base = Base::empty(server);
        base.create(&kind.realm(pool));
        let table = Table::new(&base, kind);
        let followers = followers_ahead(&table);
        move_functions(&table, pool);
        let first = table.insert();
        // The second move finds the clock where the first node was.
        for way in [1_500_000, 2 * DAY] {
            table.move_clock(way);
            move_functions(&table, pool);
            table.insert();
            for follower in followers.clone() {
                let starts = catches_up(&table, follower).unwrap();
                assert!(starts.len() == 1 && starts[0] < first, "{kind:?}: {starts:?}");
            }
        }
    }
}

/// The earlier node draws until the commit, and so is ahead of the first IDs of the later one.
fn a_long_move_hides_no_row(server: &Postgres) {
    for (kind, pool) in MOVING {
        let base = Base::empty(server);
        base.create(&kind.realm(pool));
        let (table, session) = (Table::new(&base, kind), base.session());
        let mut follower = Follower::new(kind);
        table.covers(&mut follower, &session);
        let moving = begin_move(&table, pool);
        for _ in 0..3 {
            table.move_clock(20_000_000);
            table.covers(&mut follower, &session);
        }
        moving.ask("COMMIT").unwrap();
        let ahead = Id::new(&follower.last);
        // Its clock is behind that of the earlier one.
        table.move_clock(-30_000_000);
        let first = table.insert();
        for follower in [Follower { state: None, ..follower.clone() }, follower] {
            let starts = catches_up(&table, follower).unwrap();
            assert!(
                starts.len() == 1 && starts[0] < first && first < ahead,
                "{kind:?}: {starts:?}"
            );
        }
    }
}

/// If the earlier node is not ahead, IDs go on beyond its own and nobody has to start again.
fn followers_go_on_above_their_node(server: &Postgres) {
    for (kind, pool) in [(KIND, "0-9/10"), (Kind::Scru64, "0-9/6"), (Kind::Sno, "0-9/16")] {
        let base = Base::empty(server);
        base.create(&kind.realm(pool));
        let (table, session) = (Table::new(&base, kind), base.session());
        let mut follower = Follower::new(kind);
        table.covers(&mut follower, &session);
        let mut forgetful = Follower { state: None, ..follower.clone() };
        move_functions(&table, pool);
        // Beyond the bound.
        table.move_clock(1_100_000);
        for follower in [&mut follower, &mut forgetful] {
            table.covers(follower, &session);
        }
        follower.poll(&session).unwrap();
        table.has_all(&follower).unwrap();
    }
}

fn drawers_of_an_earlier_node_are_awaited(server: &Postgres) {
    let (base, pool) = (Base::empty(server), "0-9/10");
    base.create(&KIND.realm(pool));
    let table = Table::new(&base, KIND);
    let [drawer, session] = [(); 2].map(|()| base.session());
    let mut follower = Follower::new(KIND);
    table.covers(&mut follower, &session);
    let before = follower.last.clone();
    drawer.ask("BEGIN").unwrap();
    insert(&drawer, KIND);
    move_functions(&table, pool);
    table.move_clock(1_100_000);
    for _ in 0..2 {
        table.insert();
        assert_eq!(follower.poll(&session).unwrap(), Id::new(&before));
    }
    drawer.ask("COMMIT").unwrap();
    table.covers(&mut follower, &session);
    table.has_all(&follower).unwrap();
}

/// How a statement is planned before a move, and draws first after it.
#[derive(Clone, Copy, Debug)]
enum Planned {
    /// Its plan is kept. Since the transaction has the table's lock already, it is not told that
    /// functions were replaced.
    Prepared,
    /// It waits for a lock that has nothing to do with it.
    Waiting,
}

/// Returns `Ok(false)` if the statement has drawn from the later node.
fn draw_by_plan(
    base: &Base<'_>,
    kind: Kind,
    pool: &str,
    how: Planned,
    after_move: impl Fn(&Base<'_>),
) -> Result<bool, String> {
    base.create(&kind.realm(pool));
    let table = Table::new(base, kind);
    let [planned, gate, watch, session] = [(); 4].map(|()| base.session());
    let mut follower = Follower::new(kind);
    table.covers(&mut follower, &session);
    let name = kind.name();
    let (first, last) = match how {
        Planned::Prepared => {
            let prepare = format!("PREPARE p AS INSERT INTO public.{name} DEFAULT VALUES");
            planned.ask(&format!("{prepare}; EXECUTE p"))?;
            planned.ask("BEGIN")?;
            (format!("LOCK TABLE public.{name} IN ROW EXCLUSIVE MODE"), "EXECUTE p".to_owned())
        }
        Planned::Waiting => {
            planned.ask("BEGIN")?;
            let wait = "FROM pg_advisory_xact_lock(1)";
            (format!("INSERT INTO public.{name} SELECT {} {wait}", kind.draw()), "".to_owned())
        }
    };
    gate.ask("SELECT pg_advisory_lock(1)")?;
    let of_earlier = "last_value FROM tickid.word_1";
    let is_planned = thread::scope(|scope| {
        // An error ends the wait.
        let gate = gate;
        let waiting = scope.spawn(|| planned.ask(&first));
        let waits = "count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        while !waiting.is_finished() && watch.one(waits)? == "0" {}
        move_functions(&table, pool);
        after_move(base);
        table.move_clock(3_000_000);
        table.insert();
        if let Err(error) = follower.poll(&session) {
            assert!(follower.starts_again(&session, &error), "{error}");
            follower.poll(&session)?;
        }
        // Above the earlier word, and below the present one.
        table.move_clock(-500_000);
        let before = watch.one(of_earlier)?;
        gate.ask("SELECT pg_advisory_unlock(1)")?;
        waiting.join().unwrap()?;
        planned.ask(&last)?;
        planned.ask("COMMIT")?;
        Ok::<_, String>(watch.one(of_earlier)? != before)
    })?;
    // Beyond the interval in which global kuids sort by node.
    table.move_clock(2_000_000_000);
    table.covers(&mut follower, &session);
    follower.poll(&session)?;
    table.has_all(&follower)?;
    Ok(is_planned)
}

fn plans_of_an_earlier_node_hide_no_row(server: &Postgres) {
    for (kind, pool) in MOVING {
        for how in [Planned::Prepared, Planned::Waiting] {
            let is_planned = draw_by_plan(&Base::empty(server), kind, pool, how, |_| ()).unwrap();
            assert!(is_planned, "{kind:?}, {how:?}: it has drawn from the present node");
        }
    }
}

fn ignored_plans_of_an_earlier_node_are_found(server: &Postgres) {
    let ignore = |base: &Base<'_>| base.plant("follow_2", "l.locktype = 'virtualxid'", "false");
    for how in [Planned::Prepared, Planned::Waiting] {
        let base = Base::empty(server);
        let error = draw_by_plan(&base, KIND, "0-9/10", how, ignore).unwrap_err();
        assert!(error.starts_with("Nanoflake: read "), "{error}");
    }
}

/// A call draws, and so makes sure that the node is the functions', in the follower's transaction.
fn followers_of_sno_check_the_reservation(server: &Postgres) {
    let kind = Kind::Sno;
    let base = Base::new(server, &[kind]);
    let (table, session) = (Table::new(&base, kind), base.session());
    let mut follower = Follower::new(kind);
    table.covers(&mut follower, &session);
    base.psql("DELETE FROM tickid.node");
    table.move_clock(1_100_000);
    session.ask("BEGIN").unwrap();
    let error = follower.poll(&session).unwrap_err();
    assert!(error.contains("no node is reserved"), "{error}");
    session.ask("ROLLBACK").unwrap();
    base.create(&kind.realm(kind.pool().0));
    base.script_clock();
    table.move_clock(2_000_000);
    table.covers(&mut follower, &session);
    table.has_all(&follower).unwrap();
}

fn a_server_that_keeps_no_lock_is_refused(server: &Postgres) {
    let base = Base::empty(server);
    let script = Script::new(&KIND.realm(KIND.pool().0), Start::Immediately);
    let statements = script.statements().unwrap();
    let draw = "PERFORM nextval('tickid.probe')";
    assert!(statements.contains(draw));
    let error = server.psql(&base.name, &statements.replace(draw, "PERFORM 1")).unwrap_err();
    assert!(error.to_string().contains("does not keep the lock of a sequence"), "{error}");
    base.psql(&statements);
}
