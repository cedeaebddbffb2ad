use core::time::Duration;
use std::thread;

use tickid_lease::admin::RealmName;
use tickid_lease::backend::MySqlBackend;
use tickid_lease::conformance::Stage;
use tickid_lease::{Node, Store};
use tickid_testkit::servers::MySql;

use crate::sql::{TIMEOUT, answer};

/// A dedicated server with a clock that can be set.
pub(crate) struct Own(MySql);

impl Own {
    pub(crate) fn new(_: &MySql) -> Self {
        Self(MySql::with_settable_clock().unwrap())
    }
}

impl Stage for Own {
    fn store(&self) -> Store {
        open(&self.0.url())
    }

    fn pass(&self, time: Duration) {
        thread::sleep(time);
    }

    fn set_forward(&self) {
        self.0.set_clock_forward(3_600).unwrap();
    }

    fn set_back(&self) {
        self.0.set_clock_forward(0).unwrap();
    }

    /// Changes the server's ID, as a fail-over to a replica does.
    fn change_generation(&self) {
        self.0.query("SET GLOBAL server_id = 77").unwrap();
    }

    fn save(&self, realm: &RealmName) {
        // The first request creates the tables.
        answer(self.store().realms()).unwrap();
        query(
            &self.0,
            &format!(
                "DROP TABLE IF EXISTS realm_copy, node_copy;
                 CREATE TABLE realm_copy AS SELECT * FROM tickid_realm WHERE name = '{realm}';
                 CREATE TABLE node_copy AS SELECT * FROM tickid_node WHERE realm = '{realm}'"
            ),
        );
    }

    fn load(&self, realm: &RealmName) {
        query(
            &self.0,
            &format!(
                "DELETE FROM tickid_realm WHERE name = '{realm}';
                 DELETE FROM tickid_node WHERE realm = '{realm}';
                 INSERT INTO tickid_realm SELECT * FROM realm_copy;
                 INSERT INTO tickid_node SELECT * FROM node_copy"
            ),
        );
    }

    fn damage(&self, realm: &RealmName, node: Node) {
        let key = node.sort_key();
        query(
            &self.0,
            &format!(
                "UPDATE tickid_node SET data = CONCAT('x', data) \
                 WHERE realm = '{realm}' AND node = '{key}'"
            ),
        );
    }

    fn delete(&self, realm: &RealmName, node: Option<Node>) {
        let statement = match node.map(Node::sort_key) {
            None => format!("DELETE FROM tickid_realm WHERE name = '{realm}'"),
            Some(key) => {
                format!("DELETE FROM tickid_node WHERE realm = '{realm}' AND node = '{key}'")
            }
        };
        query(&self.0, &statement);
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
