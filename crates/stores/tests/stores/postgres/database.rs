//! A test's database with a clock, generation and data that can be changed.

use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::thread;

use serde_json::{Value, json};
use tickid_core::AnyNode;
use tickid_lease::Store;
use tickid_lease::admin::RealmName;
use tickid_lease::conformance::Testbed;
use tickid_stores::PostgresBackend;
use tickid_testkit::servers::{Postgres, Proxy, Target};
use tickid_testkit::vectors;

use crate::releases::Kept;
use crate::sql::{TIMEOUT, answer};

/// A new database of a server.
pub(crate) struct Database<'a> {
    pub(crate) server: &'a Postgres,
    pub(crate) name: String,
}

impl<'a> Database<'a> {
    /// Creates a database with the schema in it.
    pub(crate) fn new(server: &'a Postgres) -> Self {
        let database = Self::empty(server);
        answer(database.client().realms()).unwrap();
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

    /// Returns a proxy before the server, and the database's URL through it.
    pub(crate) fn proxy(&self) -> (Proxy, String) {
        let socket = self.server.socket_folder().join(".s.PGSQL.5432");
        let proxy = Proxy::new(Target::Unix(socket)).unwrap();
        let (user, address) = (Postgres::USER, proxy.address());
        let url = format!("postgres://{user}@{address}/{}?sslmode=disable", self.name);
        (proxy, url)
    }

    pub(crate) fn client(&self) -> Store {
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

impl Testbed for Database<'_> {
    fn store(&self) -> Store {
        self.client()
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

    fn save(&self, realm: &RealmName) {
        // The first request creates the tables.
        answer(self.client().realms()).unwrap();
        self.psql(&format!(
            "DROP TABLE IF EXISTS realm_copy, node_copy;
             CREATE TABLE realm_copy AS SELECT * FROM tickid.realm WHERE name = '{realm}';
             CREATE TABLE node_copy AS SELECT * FROM tickid.node WHERE realm = '{realm}'"
        ));
    }

    fn load(&self, realm: &RealmName) {
        self.psql(&format!(
            "DELETE FROM tickid.realm WHERE name = '{realm}';
             DELETE FROM tickid.node WHERE realm = '{realm}';
             INSERT INTO tickid.realm SELECT * FROM realm_copy;
             INSERT INTO tickid.node SELECT * FROM node_copy"
        ));
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let key = node.sort_key();
        self.psql(&format!(
            "UPDATE tickid.node SET data = data || '{{\"token\": 5}}' \
             WHERE realm = '{realm}' AND node = '{key}'"
        ));
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        self.psql(&match node.map(AnyNode::sort_key) {
            None => format!("DELETE FROM tickid.realm WHERE name = '{realm}'"),
            Some(key) => {
                format!("DELETE FROM tickid.node WHERE realm = '{realm}' AND node = '{key}'")
            }
        });
    }
}

impl Kept for Database<'_> {
    fn store(&self) -> Store {
        self.client()
    }

    /// Statements that make the tables, the functions and the rows.
    fn take(&self) -> Value {
        let rows = self.psql(
            "SELECT format('INSERT INTO tickid.realm VALUES (%L, %s, %L)', name, version, record)
             FROM tickid.realm ORDER BY name;
             SELECT format('INSERT INTO tickid.node VALUES (%L, %L, %s, %s, %L)', realm, node,
                 version, ceiling, data)
             FROM tickid.node ORDER BY realm, node",
        );
        let schema = include_str!("../../../src/postgres/schema.sql");
        json!([schema].into_iter().chain(rows.lines()).collect::<Vec<_>>())
    }

    fn put(&self, kept: &Value) {
        self.psql(&format!("BEGIN; {}; COMMIT", vectors::strings(kept).join(";\n")));
    }
}

/// Opens a store with a timeout that a busy machine does not reach.
pub(crate) fn open(url: &str) -> Store {
    open_for(url, TIMEOUT)
}

pub(crate) fn open_for(url: &str, timeout: Duration) -> Store {
    Store::new(PostgresBackend::open(url).unwrap().with_timeout(timeout))
}
