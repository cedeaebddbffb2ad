//! A database of one's own, with a hand on its clock and its generation.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::thread;

use tickid_core::TickScale;
use tickid_lease::conformance::Stage;
use tickid_lease::{
    Answer, Claim, Grant, Hold, PostgresStore, Realm, Store, StoreError, Terms, Token, block_on,
};
use tickid_testkit::servers::Postgres;

/// Longer than any answer takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A new database of a server.
pub(crate) struct Database<'a> {
    pub(crate) server: &'a Postgres,
    pub(crate) name: String,
}

impl<'a> Database<'a> {
    /// One with the store's schema in it.
    pub(crate) fn new(server: &'a Postgres) -> Self {
        let database = Self::empty(server);
        answer(database.client().init()).unwrap();
        database
    }

    pub(crate) fn empty(server: &'a Postgres) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.psql(Postgres::DATABASE, &format!("CREATE DATABASE {name}")).unwrap();
        Self { server, name }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url_of(&self.name)
    }

    pub(crate) fn client(&self) -> PostgresStore {
        open(&self.url())
    }

    pub(crate) fn psql(&self, statements: &str) -> String {
        self.server.psql(&self.name, statements).unwrap()
    }

    fn redefine(&self, function: &str, result: &str, body: &str) {
        self.psql(&format!(
            "CREATE OR REPLACE FUNCTION tickid.{function}() RETURNS {result} \
             LANGUAGE sql AS $$ SELECT {body} $$"
        ));
    }

    fn set_clock(&self, ahead_micros: u64) {
        let clock = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
        self.redefine("now_micros_v1", "bigint", &format!("{clock} + {ahead_micros}"));
    }
}

impl Stage for Database<'_> {
    fn store(&self) -> Box<dyn Store> {
        Box::new(self.client())
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.set_clock(3_600_000_000);
    }

    fn set_back(&self) {
        self.set_clock(0);
    }

    fn change_generation(&self) {
        self.redefine("generation_v1", "text", "'another'");
    }
}

/// A store that is not told to be unreachable because the machine is busy.
pub(crate) fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url).unwrap().with_timeout(PATIENCE)
}

pub(crate) fn answer<T>(answer: Answer<'_, T>) -> Result<T, StoreError> {
    block_on(answer, PATIENCE).unwrap()
}

/// A realm with milliseconds for ticks, leases of `term`, and no allowance.
pub(crate) fn realm(pool: &str, term: Duration) -> Realm {
    let terms = Terms::new(tickid_core::Policy::<tickid_core::example::Seconds>::Wait);
    let terms = terms.with_skew(Duration::ZERO).with_term(term);
    let scale = TickScale::every(tickid_core::UnixTime::EPOCH, 1_000);
    let (name, pool) = ("test".parse().unwrap(), pool.parse().unwrap());
    Realm::from_parts(name, "millis".to_owned(), String::new(), scale, 1 << 45, pool, terms)
}

pub(crate) fn claim() -> Claim {
    Claim::new(Token::random().unwrap(), "test", None)
}

pub(crate) fn acquire(store: &PostgresStore, realm: &Realm) -> Result<Grant, StoreError> {
    answer(store.acquire(realm, &claim()))
}

pub(crate) fn renew(
    store: &PostgresStore,
    realm: &Realm,
    hold: &Hold,
) -> Result<Grant, StoreError> {
    answer(store.renew(realm.name(), hold))
}
