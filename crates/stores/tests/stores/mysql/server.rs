//! The MariaDB servers of the scenarios.

use core::borrow::Borrow;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::thread;

use serde_json::{Value, json};
use tickid_core::AnyNode;
use tickid_lease::admin::RealmName;
use tickid_lease::{Store, conformance};
use tickid_stores::MySqlBackend;
use tickid_testkit::servers::MySql;
use tickid_testkit::vectors;

use crate::releases::Kept;
use crate::sql::{TIMEOUT, answer};

/// A new database of the server of all tests, or a separate server with a clock that can be set.
pub(crate) struct Testbed<S> {
    server: S,
    database: String,
}

impl<'a> Testbed<&'a MySql> {
    pub(crate) fn new(server: &'a MySql) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let database = format!("scenario{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let user = MySql::USER;
        let statements =
            format!("CREATE DATABASE {database}; GRANT ALL ON {database}.* TO {user}@'%'");
        server.query(&statements).unwrap();
        Self { server, database }
    }
}

impl Testbed<MySql> {
    pub(crate) fn separate(_: &MySql) -> Self {
        let server = MySql::with_settable_clock().unwrap();
        Self { server, database: MySql::DATABASE.to_owned() }
    }
}

impl<S: Borrow<MySql>> Testbed<S> {
    fn query(&self, statements: &str) -> String {
        let statements = format!("USE {}; {statements}", self.database);
        self.server.borrow().query(&statements).unwrap()
    }
}

impl<S: Borrow<MySql>> conformance::Testbed for Testbed<S> {
    fn store(&self) -> Store {
        open(&self.server.borrow().url_of(&self.database))
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.server.borrow().set_clock_forward(3_600).unwrap();
    }

    fn set_back(&self) {
        self.server.borrow().set_clock_forward(0).unwrap();
    }

    /// Changes the server's ID, as a fail-over to a replica does.
    fn change_generation(&self) {
        self.server.borrow().query("SET GLOBAL server_id = 77").unwrap();
    }

    fn save(&self, realm: &RealmName) {
        // The first request creates the tables.
        answer(self.store().realms()).unwrap();
        self.query(&format!(
            "DROP TABLE IF EXISTS realm_copy, node_copy;
             CREATE TABLE realm_copy AS SELECT * FROM tickid_realm WHERE name = '{realm}';
             CREATE TABLE node_copy AS SELECT * FROM tickid_node WHERE realm = '{realm}'"
        ));
    }

    fn load(&self, realm: &RealmName) {
        self.query(&format!(
            "DELETE FROM tickid_realm WHERE name = '{realm}';
             DELETE FROM tickid_node WHERE realm = '{realm}';
             INSERT INTO tickid_realm SELECT * FROM realm_copy;
             INSERT INTO tickid_node SELECT * FROM node_copy"
        ));
    }

    fn damage(&self, realm: &RealmName, node: AnyNode) {
        let key = node.sort_key();
        self.query(&format!(
            "UPDATE tickid_node SET data = CONCAT('x', data) \
             WHERE realm = '{realm}' AND node = '{key}'"
        ));
    }

    fn delete(&self, realm: &RealmName, node: Option<AnyNode>) {
        let statement = match node.map(AnyNode::sort_key) {
            None => format!("DELETE FROM tickid_realm WHERE name = '{realm}'"),
            Some(key) => {
                format!("DELETE FROM tickid_node WHERE realm = '{realm}' AND node = '{key}'")
            }
        };
        self.query(&statement);
    }
}

impl Kept for Testbed<&MySql> {
    fn store(&self) -> Store {
        conformance::Testbed::store(self)
    }

    /// Statements that make the tables and their rows.
    fn take(&self) -> Value {
        let rows = self.query(
            "SELECT CONCAT_WS(' ', 'INSERT INTO tickid_realm VALUES (', QUOTE(name), ',', version,
                 ',', CONCAT('0x', HEX(record)), ')') FROM tickid_realm ORDER BY name;
             SELECT CONCAT_WS(' ', 'INSERT INTO tickid_node VALUES (', QUOTE(realm), ',',
                 QUOTE(node), ',', version, ',', ceiling, ',', CONCAT('0x', HEX(data)), ')')
             FROM tickid_node ORDER BY realm, node",
        );
        let schema = include_str!("../../../src/mysql/schema.sql");
        json!([schema].into_iter().chain(rows.lines()).collect::<Vec<_>>())
    }

    fn put(&self, kept: &Value) {
        self.query(&vectors::strings(kept).join(";\n"));
    }
}

/// Runs statements in the database of the tests.
pub(crate) fn query(server: &MySql, statements: &str) -> String {
    server.query(&format!("USE {}; {statements}", MySql::DATABASE)).unwrap()
}

/// Opens a store with a timeout that a busy machine does not reach.
pub(crate) fn open(url: &str) -> Store {
    open_for(url, TIMEOUT)
}

pub(crate) fn open_for(url: &str, timeout: Duration) -> Store {
    Store::new(MySqlBackend::open(url).unwrap().with_timeout(timeout))
}
