//! Databases with functions, their sessions, and the parts of their IDs.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;

use tickid_core::{Policy, Scheme};
use tickid_kuid::{Drift, GlobalId, Kuid, LocalId};
use tickid_lease::admin::Start;
use tickid_lease::session::block_on;
use tickid_lease::{Realm, RealmSpec, StoreError};
use tickid_nanoflake::{Epoch, Nanoflake, NanoflakeId};
use tickid_scru64::{NodeIdSize, Scru64, Scru64Id};
use tickid_sno::{Sno, SnoId};
use tickid_snowflake::{Order, Snowflake, SnowflakeId};
use tickid_sql::Script;
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::Postgres;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage, SimpleQueryRow};

/// Longer than anything takes on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);
/// A part of the error of a statement that timed out. PostgreSQL ascribes it to a user if the
/// statement was about to end.
pub(crate) const TIMED_OUT: [&str; 2] = ["statement timeout", "user request"];
/// A time that scripted clocks start at, in microseconds since 1970: 2039, ahead of the
/// server's own. Whole seconds, and a multiple of every tick.
pub(crate) const START: i64 = 2_200_000_000_000_000;

pub(crate) const DISCORD: Nanoflake = Nanoflake { epoch: Epoch::DISCORD };

/// A kind of IDs that functions make. Its name is its realm's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nanoflake,
    Scru64,
    KuidLocal,
    Kuid,
    Sno,
    /// 64 bits, as negative numbers from 2084 on.
    Discord,
    JsSafe,
    /// The sequence above the node.
    Sonyflake,
    /// Ticks of a second above 31 bits, too slow for the tests that draw by a real clock.
    Seconds,
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::Nanoflake,
    Kind::Scru64,
    Kind::KuidLocal,
    Kind::Kuid,
    Kind::Sno,
    Kind::Discord,
    Kind::JsSafe,
    Kind::Sonyflake,
];

/// An ID taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Parts {
    pub(crate) tick: u64,
    pub(crate) sequence: u64,
    pub(crate) node: u64,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nanoflake => "nanoflake",
            Self::Scru64 => "scru64",
            Self::KuidLocal => "kuid_local",
            Self::Kuid => "kuid",
            Self::Sno => "sno",
            Self::Discord => "discord",
            Self::JsSafe => "js_safe",
            Self::Sonyflake => "sonyflake",
            Self::Seconds => "seconds",
        }
    }

    /// Returns the first part of the functions' names.
    pub(crate) const fn function(self) -> &'static str {
        match self {
            Self::Discord | Self::JsSafe | Self::Sonyflake | Self::Seconds => "snowflake",
            Self::Nanoflake | Self::Scru64 | Self::KuidLocal | Self::Kuid | Self::Sno => {
                self.name()
            }
        }
    }

    /// Returns the expression of a draw.
    pub(crate) fn draw(self) -> String {
        format!("tickid.{}('{}')", self.function(), self.name())
    }

    pub(crate) const fn drift(self) -> Drift {
        Drift::MAX
    }

    pub(crate) fn realm(self, pool: &str) -> RealmSpec {
        let name = self.name();
        match self {
            Self::Nanoflake => spec(name, DISCORD, pool),
            Self::Scru64 => spec(name, Scru64, pool),
            Self::Kuid => spec(name, Kuid { drift: self.drift() }, pool),
            Self::KuidLocal => spec(name, Kuid::default(), pool),
            // The functions wait where the scheme's default is tick-tock.
            Self::Sno => {
                Realm::builder(name, Sno).pool(pool).policy(Policy::Wait).build().unwrap().into()
            }
            Self::Discord => spec(name, Snowflake::DISCORD, pool),
            Self::JsSafe => spec(name, Snowflake::JS_SAFE, pool),
            Self::Sonyflake => spec(name, Snowflake::SONYFLAKE, pool),
            Self::Seconds => spec(name, seconds(), pool),
        }
    }

    /// A pool, and the node of it that the functions reserve: the last one.
    pub(crate) const fn pool(self) -> (&'static str, u64) {
        match self {
            Self::Nanoflake => ("0-777/10", 777),
            Self::Scru64 => ("0-3/4,20-27/5", 27),
            Self::KuidLocal => ("0/0", 0),
            Self::Kuid => ("4294967290-4294967295/32", 4_294_967_295),
            Self::Sno | Self::Sonyflake | Self::Seconds => ("0-65535/16", 65_535),
            Self::Discord => ("0-777/10", 777),
            Self::JsSafe => ("0-63/6", 63),
        }
    }

    pub(crate) const fn last_sequence(self) -> u64 {
        match self {
            Self::Nanoflake | Self::Discord => 4_095,
            Self::JsSafe => 63,
            Self::Sonyflake => 255,
            Self::Seconds => 32_767,
            Self::Scru64 => (1 << 19) - 1,
            Self::KuidLocal | Self::Kuid => 16_383,
            Self::Sno => 65_535,
        }
    }

    pub(crate) const fn allowance(self) -> u64 {
        match self {
            Self::Scru64 => 39,
            Self::KuidLocal | Self::Kuid => 977,
            Self::Nanoflake
            | Self::Sno
            | Self::Discord
            | Self::JsSafe
            | Self::Sonyflake
            | Self::Seconds => 0,
        }
    }

    pub(crate) const fn micros_per_tick(self) -> i64 {
        match self {
            Self::Nanoflake | Self::Discord | Self::JsSafe => 1_000,
            Self::Sonyflake => 10_000,
            Self::Seconds => 1_000_000,
            Self::Scru64 => 256_000,
            Self::KuidLocal | Self::Kuid => 1_024,
            Self::Sno => 4_000,
        }
    }

    /// Returns the tick of a clock's reading, by the scheme.
    pub(crate) fn tick_at(self, micros: i64) -> u64 {
        let (_, scale) = (self.name(), self.realm(self.pool().0).scale());
        scale.tick_at(tickid_core::UnixTime::from_micros(micros)).unwrap()
    }

    /// Takes the text of a column apart, by the scheme's own types.
    pub(crate) fn parts(self, column: &str) -> Parts {
        match self {
            Self::Nanoflake => {
                let id = NanoflakeId::new(column.parse().unwrap()).unwrap();
                let node = id.generator().get().into();
                Parts { tick: id.timestamp(), sequence: id.sequence().into(), node }
            }
            Self::Scru64 => {
                let (id, size) = (Scru64Id::new(column.parse().unwrap()), NodeIdSize::new(5));
                let (id, size) = (id.unwrap(), size.unwrap());
                let sequence = id.counter(size).into();
                Parts { tick: id.timestamp(), sequence, node: id.node_id(size).into() }
            }
            Self::KuidLocal => local_parts(LocalId::new(column.parse().unwrap()), 0),
            Self::Kuid => {
                let id = GlobalId::from_bytes(bytes(column));
                local_parts(id.to_local(self.drift()), id.node(self.drift()).get().into())
            }
            Self::Sno => {
                let id = SnoId::from_bytes(bytes(column));
                assert!(!id.toggle(), "{column}");
                let (sequence, node) = (id.sequence().into(), id.partition().get().into());
                Parts { tick: id.timestamp(), sequence, node }
            }
            Self::Discord => snowflake_parts(Snowflake::DISCORD, column),
            Self::JsSafe => snowflake_parts(Snowflake::JS_SAFE, column),
            Self::Sonyflake => snowflake_parts(Snowflake::SONYFLAKE, column),
            Self::Seconds => snowflake_parts(seconds(), column),
        }
    }
}

pub(crate) fn spec<S: Scheme>(name: &str, scheme: S, pool: &str) -> RealmSpec {
    Realm::builder(name, scheme).pool(pool).build().unwrap().into()
}

pub(crate) fn seconds() -> Snowflake {
    "32x1s/16n/15s@0".parse().unwrap()
}

fn snowflake_parts<O: Order>(layout: Snowflake<O>, column: &str) -> Parts {
    let id = SnowflakeId::new(column.parse::<i64>().unwrap().cast_unsigned());
    layout.check(id).unwrap();
    let (sequence, node) = (layout.sequence_of(id).into(), layout.node_of(id).get().into());
    Parts { tick: layout.timestamp_of(id), sequence, node }
}

fn local_parts(id: LocalId, node: u64) -> Parts {
    Parts { tick: id.tick().unwrap().get(), sequence: id.sequence().into(), node }
}

/// Reads PostgreSQL's text of a `bytea`.
pub(crate) fn bytes<const N: usize>(column: &str) -> [u8; N] {
    let digits = column.strip_prefix("\\x").unwrap();
    assert_eq!(digits.len(), 2 * N, "{column}");
    core::array::from_fn(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
}

/// A new database of a server, with the functions of one realm or of all.
pub(crate) struct Base<'a> {
    pub(crate) server: &'a Postgres,
    pub(crate) name: String,
}

impl<'a> Base<'a> {
    pub(crate) fn new(server: &'a Postgres, kinds: &[Kind]) -> Self {
        let base = Self::empty(server);
        for kind in kinds {
            base.create(&kind.realm(kind.pool().0));
        }
        base
    }

    pub(crate) fn empty(server: &'a Postgres) -> Self {
        let name = Self::fresh_name();
        server.psql(Postgres::DATABASE, &format!("CREATE DATABASE {name}")).unwrap();
        Self { server, name }
    }

    fn fresh_name() -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// Copies the database, once no session has it open any more.
    pub(crate) fn copy(&self) -> Self {
        let name = Self::fresh_name();
        let create = format!("CREATE DATABASE {name} TEMPLATE {}", self.name);
        while self.server.psql(Postgres::DATABASE, &create).is_err_and(|error| {
            assert!(error.to_string().contains("being accessed"), "{error}");
            true
        }) {}
        Self { server: self.server, name }
    }

    pub(crate) fn backend(&self) -> PostgresBackend {
        PostgresBackend::open(&self.url()).unwrap().with_timeout(TIMEOUT)
    }

    pub(crate) fn create(&self, realm: &RealmSpec) {
        self.try_create(realm).unwrap();
    }

    /// Creates the functions as for a template of test databases.
    pub(crate) fn create_template(&self, kind: Kind) {
        let script = Script::new(&kind.realm(kind.pool().0), Start::Immediately).copies_apart();
        block_on(script.install(&self.backend()), TIMEOUT).unwrap();
    }

    pub(crate) fn try_create(&self, realm: &RealmSpec) -> Result<(), StoreError> {
        block_on(Script::new(realm, Start::Immediately).install(&self.backend()), TIMEOUT)
    }

    pub(crate) fn url(&self) -> String {
        self.server.url_of(&self.name)
    }

    pub(crate) fn psql(&self, statements: &str) -> String {
        self.server.psql(&self.name, statements).unwrap()
    }

    pub(crate) fn session(&self) -> Session {
        Session::open(&self.url())
    }

    /// Replaces the clock of all draws by a number that tests set.
    pub(crate) fn script_clock(&self) {
        self.psql(
            "CREATE SEQUENCE IF NOT EXISTS public.clock MINVALUE 0;
             CREATE OR REPLACE FUNCTION tickid.clock_v1() RETURNS bigint
             LANGUAGE sql VOLATILE PARALLEL SAFE
             RETURN pg_catalog.pg_sequence_last_value('public.clock')",
        );
        self.set_clock(START);
    }

    pub(crate) fn set_clock(&self, micros: i64) {
        self.psql(&format!("SELECT setval('public.clock', {micros})"));
    }

    /// Makes draws of all realms give up after a quarter of a second, for tests that wait for their
    /// errors.
    pub(crate) fn give_up_soon(&self) {
        self.give_up_after("0.25");
    }

    /// Makes draws of all realms give up so many seconds, by the real clock, after their first wait.
    pub(crate) fn give_up_after(&self, seconds: &str) {
        let functions = "SELECT proname FROM pg_proc WHERE proname LIKE 'advance\\_%'";
        for function in self.psql(functions).lines() {
            self.plant(function, "longest + 5", seconds);
        }
    }

    /// Replaces a part of a function in all places, as a mistake of ours could.
    pub(crate) fn plant(&self, function: &str, part: &str, other: &str) {
        let definition =
            self.psql(&format!("SELECT pg_get_functiondef('tickid.{function}'::regproc)"));
        assert!(definition.contains(part), "{part} in {definition}");
        self.psql(&format!("SET search_path = pg_catalog; {}", definition.replace(part, other)));
    }
}

/// A connection.
pub(crate) struct Session {
    runtime: Runtime,
    client: Client,
}

impl Session {
    pub(crate) fn open(url: &str) -> Self {
        Self::try_open(url).unwrap()
    }

    pub(crate) fn try_open(url: &str) -> Result<Self, tokio_postgres::Error> {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            Ok::<_, tokio_postgres::Error>(client)
        })?;
        Ok(Self { runtime, client })
    }

    /// Returns the first column of all rows, or the server's message.
    pub(crate) fn ask(&self, statement: &str) -> Result<Vec<String>, String> {
        let rows = self.rows(statement)?;
        Ok(rows.iter().map(|row| row.get(0).unwrap_or_default().to_owned()).collect())
    }

    /// Returns all rows, or the server's message.
    fn rows(&self, statement: &str) -> Result<Vec<SimpleQueryRow>, String> {
        let answer = self.runtime.block_on(self.client.simple_query(statement));
        let messages = answer.map_err(|error| match error.as_db_error() {
            Some(answer) => answer.message().to_owned(),
            None => format!("no answer: {error}"),
        })?;
        let row = |message| {
            if let SimpleQueryMessage::Row(row) = message { Some(row) } else { None }
        };
        Ok(messages.into_iter().filter_map(row).collect())
    }

    /// Calls a procedure that follows a table, whose arguments these are; returns `final` and
    /// `state`.
    pub(crate) fn follow(
        &self,
        procedure: &str,
        last: &str,
        state: Option<&str>,
    ) -> Result<(String, String), String> {
        let state = state.map_or("NULL".to_owned(), |state| format!("'{state}'"));
        let rows = self.rows(&format!("CALL tickid.{procedure}'{last}', {state})"))?;
        let column = |place: usize| rows[0].get(place).unwrap_or_default().to_owned();
        Ok((column(0), column(1)))
    }

    /// Returns the hint of the server's error.
    pub(crate) fn hint(&self, statement: &str) -> String {
        let answer = self.runtime.block_on(self.client.simple_query(statement));
        answer.unwrap_err().as_db_error().unwrap().hint().unwrap_or_default().to_owned()
    }

    pub(crate) fn one(&self, expression: &str) -> Result<String, String> {
        self.ask(&format!("SELECT {expression}")).map(|rows| rows.into_iter().next().unwrap())
    }

    pub(crate) fn draw(&self, kind: Kind) -> Result<Parts, String> {
        self.one(&kind.draw()).map(|column| kind.parts(&column))
    }

    /// Draws with a timeout in milliseconds that applies to no other statement: a slow machine may
    /// exceed it even by setting it.
    pub(crate) fn draw_within(&self, kind: Kind, timeout: u32) -> Result<Parts, String> {
        let draw = format!("SET LOCAL statement_timeout = {timeout}; SELECT {}", kind.draw());
        self.ask(&draw).map(|rows| kind.parts(&rows[0]))
    }

    /// Draws many IDs in one statement.
    pub(crate) fn draws(&self, kind: Kind, count: u32) -> Result<Vec<Parts>, String> {
        let rows = self.ask(&format!("SELECT {} FROM generate_series(1, {count})", kind.draw()))?;
        Ok(rows.iter().map(|column| kind.parts(column)).collect())
    }

    pub(crate) fn set_clock(&self, micros: i64) {
        self.one(&format!("setval('public.clock', {micros})")).unwrap();
    }
}

/// Asserts that IDs differ; returns them in order.
#[track_caller]
pub(crate) fn distinct(ids: impl IntoIterator<Item = Parts>) -> Result<Vec<Parts>, String> {
    let mut ids: Vec<Parts> = ids.into_iter().collect();
    ids.sort_unstable();
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("twice: {:?}", pair[0])),
        None => Ok(ids),
    }
}
